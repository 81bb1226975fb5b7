/// A blob or text in a row, read and written in pieces (`sqlite3_blob_open` and its kin).
///
/// It counts as a running statement: a blob keeps its read or write transaction open until it is
/// closed. Its size cannot change. When its row is changed by a statement, it is expired: reading
/// and writing fail with `abort`.
public final class Blob: @unchecked Sendable {
  private let connection: Connection
  private let isWritable: Bool
  private let database: String, tableName: String, columnName: String
  private var machine: VM?
  private var table: Table?
  /// Where records have the column.
  private var position = 0
  /// Where the value begins in the record of the row.
  private var offset = 0
  /// Bytes of the value; 0 once it is expired or closed (`sqlite3_blob_bytes`).
  public var byteCount: Int { machine == nil ? 0 : valueSize }
  /// Its row was changed, or it is closed.
  public var isExpired: Bool { machine == nil }
  private var valueSize = 0
  /// What the last reading or writing failed with: the blob ends with it, as a statement would.
  private var failure: SQLError?
  public private(set) var rowID: Int64

  init(
    _ connection: Connection, database: String, table: String, column: String, rowID: Int64,
    isWritable: Bool
  ) throws(SQLError) {
    self.connection = connection
    self.database = database
    tableName = table
    columnName = column
    self.rowID = rowID
    self.isWritable = isWritable
    connection.statementCount += 1
    do throws(SQLError) {
      try start()
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
  private func start() throws(SQLError) {
    connection.busyWaiter.startOver()
    var attempts = 0
    while true {
      try connection.loadSchemas()
      let table = try findTable()
      let vm = try VM(program: program(table), host: connection, parameterCount: 0)
      connection.statementStarts(vm)
      do throws(SQLError) {
        _ = try vm.run()
        machine = vm
        self.table = table
        return
      } catch {
        let failure = connection.statementEnds(vm, error) ?? error
        vm.reset()
        attempts += 1
        guard failure.code == .schema, attempts < 50 else { throw failure }
      }
    }
  }

  private func program(_ table: Table) -> Program {
    let builder = ProgramBuilder(catalog: connection.catalog)
    let cursor = builder.newCursor(), register = builder.newRegister()
    builder.emitTransaction(onDatabase: table.databaseIndex, isWritable ? .write : .read)
    builder.emit(
      isWritable ? .openWrite : .openRead, cursor.rawValue,
      Int32(bitPattern: table.rootPage.rawValue), Int32(table.databaseIndex))
    builder.emit(.null, 0, register.rawValue, register.rawValue)
    builder.emit(.resultRow, register.rawValue, 1)
    builder.emit(.halt)
    return builder.finish(columns: [OutputColumn(label: Name("blob"))], explain: .none)
  }

  private func findTable() throws(SQLError) -> Table {
    let text = try SQLText.copying(own: tableName), schema = try SQLText.copying(own: database)
    let found = connection.catalog.table(
      named: Name(start: text.start, count: text.count),
      schema: Name(start: schema.start, count: schema.count))
    guard let table = found else { throw .sql("no such table: \(database).\(tableName)") }
    if table.isVirtual { throw .sql("cannot open virtual table: \(tableName)") }
    if table.isWithoutRowid { throw .sql("cannot open table without rowid: \(tableName)") }
    if table.columns.contains(where: { $0.generated != nil }) {
      throw .sql("cannot open table with generated columns: \(tableName)")
    }
    if table.view != nil { throw .sql("cannot open view: \(tableName)") }
    let columnText = try SQLText.copying(own: columnName)
    position = table.columnIndex(of: Name(start: columnText.start, count: columnText.count))
    guard position >= 0 else { throw .sql("no such column: \"\(columnName)\"") }
    if isWritable { try checkIsWritable(table) }
    return table
  }

  private func checkIsWritable(_ table: Table) throws(SQLError) {
    if connection.settings.flags.contains(.hasForeignKeys),
      table.foreignKeys.contains(where: {
        $0.columns.contains { table.columnIndex(of: $0) == position }
      })
    {
      throw .sql("cannot open foreign key column for writing")
    }
    for index in table.indexes {
      for key in index.columns.prefix(index.keyColumnCount)
      where key.tableColumn == position || key.expression != nil {
        throw .sql("cannot open indexed column for writing")
      }
    }
  }

  private func withCursor<Result>(
    _ body: (Cursor) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    guard let machine else { throw SQLError(.abort) }
    return try machine.slots.withCursor { cursor throws(SQLError) in
      if cursor.needsRestore, try cursor.restoreIsLost() { throw SQLError(.abort) }
      return try body(cursor)
    }
  }

  private func seek() throws(SQLError) {
    guard let machine else { throw SQLError(.abort) }
    let position = position, rowID = rowID
    // Also from a row that was changed or is gone: it is left.
    let place = try machine.slots.withCursor {
      cursor throws(SQLError) -> (offset: Int, byteCount: Int) in
      guard try cursor.seek(rowid: rowID) == 0 else { throw .sql("no such rowid: \(rowID)") }
      let type = try cursor.serialType(ofColumn: position) ?? SerialType.null
      guard type >= SerialType.firstBlob else {
        let name = type == SerialType.null ? "null" : type == SerialType.real ? "real" : "integer"
        throw .sql("cannot open value of type \(name)")
      }
      let column = cursor.decoder.pointee.column(at: position)
      cursor.lentRow = rowID
      return (column.offset, column.end - column.offset)
    }
    offset = place.offset
    valueSize = place.byteCount
  }

  /// Moves to another row of the table (`sqlite3_blob_reopen`). After an error the blob is expired.
  public func reopen(rowID: Int64) throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    self.rowID = rowID
    do throws(SQLError) {
      try seek()
    } catch {
      _ = end()
      throw error
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
    try check(start, bytes.count)
    try remembering { () throws(SQLError) in
      if !isWritable { throw SQLError(.readOnly) }
    }
    guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let place = offset + start
    try announceWrite()
    try connection.ownBorrowedBytes(except: machine)
    try remembering { () throws(SQLError) in
      try withCursor { cursor throws(SQLError) in
        try cursor.writePayload(source, byteCount: bytes.count, offset: place)
      }
    }
  }

  /// Tells the preupdate hook of the row as it is.
  private func announceWrite() throws(SQLError) {
    guard connection.hooks.announcesChanges, let machine, let table else { return }
    let operation = Instruction(.announceChange, p5: RowChangeKind.delete.rawValue)
    try remembering { () throws(SQLError) in
      try withCursor { _ in }
      try withUnsafePointer(to: operation) { (operation) throws(SQLError) in
        var row = RowUnderChange(vm: machine, op: operation, table: table)
        row.writtenColumn = position
        try connection.rowWillChange(row)
      }
    }
  }

  private func check(_ start: Int, _ count: Int) throws(SQLError) {
    guard start >= 0, count <= valueSize, start <= valueSize - count else {
      throw SQLError(.error)
    }
    guard let machine else { throw SQLError(.abort) }
    let isExpired = try machine.slots.withCursor { (cursor) throws(SQLError) in
      cursor.lentRow == nil
    }
    if isExpired {
      _ = end()
      throw SQLError(.abort)
    }
  }

  /// Expires the blob where its row is gone; any other error counts until the next call goes well.
  private func remembering(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    do throws(SQLError) {
      try body()
      failure = nil
    } catch {
      if error.code.primary == .abort { _ = end() } else { failure = error }
      throw error
    }
  }

  // MARK: End

  private func end() -> SQLError? {
    guard let vm = machine else { return nil }
    machine = nil
    vm.closeCursors()
    let error = connection.statementEnds(vm, failure)
    vm.reset()
    return error
  }

  /// Ends the blob, and its transaction if it was the last to need it.
  ///
  /// - Throws: What the commit fails with, or what the last reading or writing failed with, whose
  ///   changes are taken back as a statement's; the blob is closed all the same.
  public func close() throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
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
    lock.lock()
    defer { lock.unlock() }
    return try Blob(
      self, database: database, table: table, column: column, rowID: rowID,
      isWritable: isWritable)
  }
}
