/// A blob or text in a row, read and written in pieces (`sqlite3_blob_open` and its kin).
///
/// It counts as a running statement: a blob keeps its read or write transaction open until it is
/// closed. Its size cannot change. When its row is changed by a statement, it is expired: reading
/// and writing fail with `abort`.
public final class Blob: @unchecked Sendable {
  private let connection: Connection
  private let isWritable: Bool
  private var column: BlobColumn?
  @exclusivity(unchecked) private var machine: VM?
  /// The machine's cursor; nil once the blob is expired or closed.
  @exclusivity(unchecked) private var slot: UnsafeMutablePointer<CursorSlot>?
  /// Where the value begins in the record of the row.
  @exclusivity(unchecked) private var offset = 0
  /// Bytes of the value; 0 once it is expired or closed (`sqlite3_blob_bytes`).
  public var byteCount: Int { slot == nil ? 0 : valueSize }
  /// Its row was changed, or it is closed.
  public var isExpired: Bool { slot == nil }
  @exclusivity(unchecked) private var valueSize = 0
  /// What the last reading or writing failed with: the blob ends with it, as a statement would.
  @exclusivity(unchecked) private var failure: SQLError?
  @exclusivity(unchecked) public private(set) var rowID: Int64

  init(
    _ connection: Connection, _ names: BlobNames, rowID: Int64, isWritable: Bool
  ) throws(SQLError) {
    self.connection = connection
    self.rowID = rowID
    self.isWritable = isWritable
    connection.statementCount += 1
    do throws(SQLError) {
      try start(names)
      try seek()
    } catch {
      _ = end()
      throw error
    }
  }

  deinit {
    connection.lock.lock()
    _ = end()
    connection.statementCount -= 1
    connection.lock.unlock()
  }

  // MARK: Opening

  /// Begins a transaction and opens the table, as a statement that stops there.
  private func start(_ names: BlobNames) throws(SQLError) {
    connection.busyWaiter.startOver()
    var attempts = 0
    while true {
      try connection.loadSchemas()
      let column = try connection.blobColumns.column(
        names, isWritable: isWritable, in: connection)
      let vm = try column.takeMachine(for: connection)
      connection.statementStarts(vm)
      do throws(SQLError) {
        _ = try vm.run()
        self.column = column
        machine = vm
        slot = vm.slots
        return
      } catch {
        let failure = connection.statementEnds(vm, error) ?? error
        vm.reset()
        attempts += 1
        guard failure.code == .schema, attempts < 50 else { throw failure }
      }
    }
  }

  @inline(__always)
  private func withCursor<Result>(
    _ body: (Cursor) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard let slot else { throw SQLError(.abort) }
    return try slot.withCursor { cursor throws(SQLError) in
      if cursor.needsRestore, try cursor.restoreIsLost() { throw SQLError(.abort) }
      return try body(cursor)
    }
  }

  private func seek() throws(SQLError) {
    guard let slot, let position = column?.position else { throw SQLError(.abort) }
    let rowID = rowID
    // Also from a row that was changed or is gone: it is left.
    try slot.withCursor { cursor throws(SQLError) in
      guard try cursor.seek(rowid: rowID) == 0 else { throw .sql("no such rowid: \(rowID)") }
      let type = try cursor.serialType(ofColumn: position) ?? SerialType.null
      guard type >= SerialType.firstBlob else {
        let name = type == SerialType.null ? "null" : type == SerialType.real ? "real" : "integer"
        throw .sql("cannot open value of type \(name)")
      }
      let place = cursor.decoder.pointee.column(at: position)
      cursor.lentRow = rowID
      offset = place.offset
      valueSize = place.end - place.offset
    }
  }

  /// Moves to another row of the table (`sqlite3_blob_reopen`). After an error the blob is expired.
  public func reopen(rowID: Int64) throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    try reopenLocked(rowID: rowID)
  }

  /// As `reopen`, for who has the connection's lock.
  package func reopenLocked(rowID: Int64) throws(SQLError) {
    self.rowID = rowID
    failure = nil
    do throws(SQLError) {
      try seek()
    } catch {
      // Its transaction may fail to end, which matters more than the row that is not there.
      throw end() ?? error
    }
  }

  // MARK: Reading and writing

  /// Copies as many bytes as the buffer holds.
  ///
  /// - Throws: an error where the value has not so many bytes.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at start: Int
  ) throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    try readLocked(into: buffer, at: start)
  }

  /// As `read`, for who has the connection's lock.
  package func readLocked(
    into buffer: UnsafeMutableRawBufferPointer, at start: Int
  ) throws(SQLError) {
    try check(start, buffer.count)
    guard let target = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let place = offset + start
    try remembering { () throws(SQLError) in
      try withCursor { cursor throws(SQLError) in
        try cursor.readPayload(offset: place, byteCount: buffer.count, to: target)
      }
    }
  }

  /// Overwrites bytes of the value.
  public func write(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    try writeLocked(bytes, at: start)
  }

  /// As `write`, for who has the connection's lock.
  package func writeLocked(_ bytes: UnsafeRawBufferPointer, at start: Int) throws(SQLError) {
    try check(start, bytes.count)
    if !isWritable { try remembering { () throws(SQLError) in throw SQLError(.readOnly) } }
    guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let place = offset + start
    if connection.hooks.announcesChanges { try announceWrite() }
    // The blob is one of those that run.
    if connection.runningStatements.count > 1 { try connection.ownBorrowedBytes(except: machine) }
    try remembering { () throws(SQLError) in
      try withCursor { cursor throws(SQLError) in
        try cursor.writePayload(source, byteCount: bytes.count, offset: place)
      }
    }
  }

  /// Tells the preupdate hook of the row as it is.
  private func announceWrite() throws(SQLError) {
    guard let machine, let column else { return }
    let operation = Instruction(.announceChange, p5: RowChangeKind.delete.rawValue)
    try remembering { () throws(SQLError) in
      try withCursor { _ in }
      try withUnsafePointer(to: operation) { (operation) throws(SQLError) in
        var row = RowUnderChange(vm: machine, op: operation, table: column.table)
        row.writtenColumn = column.position
        try connection.rowWillChange(row)
      }
    }
  }

  @inline(__always)
  private func check(_ start: Int, _ count: Int) throws(SQLError) {
    guard start >= 0, count <= valueSize, start <= valueSize - count else {
      throw SQLError(.error)
    }
    guard let slot else { throw SQLError(.abort) }
    let isExpired = try slot.withCursor { (cursor) throws(SQLError) in cursor.lentRow == nil }
    if isExpired {
      _ = end()
      throw SQLError(.abort)
    }
  }

  /// Expires the blob where its row is gone; any other error counts until the next call goes well,
  /// one that a rollback has left, too.
  @inline(__always)
  private func remembering(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    do throws(SQLError) {
      try body()
      if failure != nil { failure = nil }
    } catch {
      if error.code == .abort { _ = end() } else { failure = error }
      throw error
    }
  }

  // MARK: End

  private func end() -> SQLError? {
    guard let vm = machine else { return nil }
    machine = nil
    slot = nil
    vm.closeCursors()
    let error = connection.statementEnds(vm, failure)
    vm.reset()
    column?.giveBack(vm)
    return error
  }

  /// Ends the blob, and its transaction if it was the last to need it.
  ///
  /// - Throws: What the commit fails with, or what the last reading or writing failed with, whose
  ///   changes are taken back as a statement's; the blob is closed all the same.
  public func close() throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    try closeLocked()
  }

  /// As `close`, for who has the connection's lock.
  package func closeLocked() throws(SQLError) {
    if let error = end() { throw error }
  }
}

extension Connection {
  /// Opens a blob or text for reading, or writing, in pieces.
  ///
  /// - Throws: SQLite's errors where there is no such table, column or row, where the value is
  ///   neither blob nor text, and where a column that is to be written is indexed.
  public func openBlob(
    table: String, column: String, rowID: Int64, database: String = "main",
    isWritable: Bool = false
  ) throws(SQLError) -> Blob {
    let database = try SQLText.copying(own: database)
    let table = try SQLText.copying(own: table), column = try SQLText.copying(own: column)
    return try withExtendedLifetime((database, table, column)) { () throws(SQLError) in
      try openBlob(
        BlobNames(database: database.bytes, table: table.bytes, column: column.bytes),
        rowID: rowID, isWritable: isWritable)
    }
  }

  /// The same by names that were not made strings.
  package func openBlob(
    _ names: BlobNames, rowID: Int64, isWritable: Bool
  ) throws(SQLError) -> Blob {
    lock.lock()
    defer { lock.unlock() }
    return try Blob(self, names, rowID: rowID, isWritable: isWritable)
  }
}
