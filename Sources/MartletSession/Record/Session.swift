import MartletEngine

/// Records which rows of a database change, to make a changeset or patchset of them (sessionintro).
///
/// Only the first change of a row is noted, with its old values; what it has become is read from the
/// database when a changeset is made. Rows of tables with a PRIMARY KEY are recorded, those with a
/// NULL in it are not.
///
/// It may be used from any thread that may use its connection, and keeps the connection alive.
public final class Session: @unchecked Sendable {
  public let connection: Connection
  /// The database that is recorded: `main`, `temp` or the name of one that is attached.
  public let database: String
  private let databaseBytes: [UInt8]

  @exclusivity(unchecked) private var tables: [ChangeTable] = []
  /// The table of the last change.
  @exclusivity(unchecked) private var lastTable: ChangeTable?
  @exclusivity(unchecked) private var filter: ((String) -> Bool)?
  @exclusivity(unchecked) private var attachesAll = false
  @exclusivity(unchecked) private var isRecording = true
  @exclusivity(unchecked) private var marksIndirect = false
  @exclusivity(unchecked) private var countsSize = false
  @exclusivity(unchecked) private var recordsRowIDs = false
  @exclusivity(unchecked) private var maximumSize = 0
  /// Where records are put together; what is kept of one has its size.
  private let fields = FieldBuffer()
  /// Takes the column that is being looked at, once there was one.
  @exclusivity(unchecked) private var place: ValueReference?
  /// X''.
  @exclusivity(unchecked) private var emptyBlob: ValueReference?
  /// What recording has failed with: no changeset can be made any more.
  @exclusivity(unchecked) private var failure: SQLError?

  /// Begins to record changes of the tables that are attached from now on
  /// (`sqlite3session_create`).
  ///
  /// - Parameter database: Need not be attached yet.
  public init(_ connection: Connection, database: String = "main") {
    self.connection = connection
    self.database = database
    databaseBytes = Array(database.utf8)
    // It is taken back before the session goes, and waits for a change that is being noted.
    connection.addChangeRecorder(self) { [unowned(unsafe) self] change in note(change) }
  }

  /// Ends recording (`sqlite3session_delete`).
  deinit {
    connection.removeChangeRecorder(ObjectIdentifier(self))
    place?.deallocate()
    emptyBlob?.deallocate()
  }

  // MARK: What is recorded

  /// Changes are recorded; true at first (`sqlite3session_enable`).
  public var isEnabled: Bool {
    get { connection.exclusively { isRecording } }
    set { connection.exclusively { isRecording = newValue } }
  }

  /// Changes count as indirect, as those by triggers and foreign-key actions do in any case
  /// (`sqlite3session_indirect`).
  public var isIndirect: Bool {
    get { connection.exclusively { marksIndirect } }
    set { connection.exclusively { marksIndirect = newValue } }
  }

  /// `changesetSize` is counted (`SQLITE_SESSION_OBJCONFIG_SIZE`). It can be changed as long as no
  /// table is attached.
  ///
  /// - Throws: `misuse` afterwards.
  public func setCountsSize(_ isOn: Bool) throws(SQLError) {
    try connection.exclusively { () throws(SQLError) in
      guard tables.isEmpty else { throw SQLError(.misuse) }
      countsSize = isOn
    }
  }

  /// Tables without a PRIMARY KEY are recorded by their rowid, which stands as a column `_rowid_` in
  /// front of the others (`SQLITE_SESSION_OBJCONFIG_ROWID`). It can be changed as long as no table
  /// is attached.
  ///
  /// - Throws: `misuse` afterwards.
  public func setRecordsRowIDs(_ isOn: Bool) throws(SQLError) {
    try connection.exclusively { () throws(SQLError) in
      guard tables.isEmpty else { throw SQLError(.misuse) }
      recordsRowIDs = isOn
    }
  }

  public var isCountingSize: Bool { connection.exclusively { countsSize } }
  public var isRecordingRowIDs: Bool { connection.exclusively { recordsRowIDs } }

  /// Records a table from now on, whether it exists or not; nil means all tables, also those that
  /// are made later (`sqlite3session_attach`).
  public func attach(_ table: String?) {
    connection.exclusively {
      if let table {
        _ = attached(Array(table.utf8))
      } else {
        attachesAll = true
      }
    }
  }

  /// Records all tables that the function accepts; it is asked once for each table whose first row
  /// changes (`sqlite3session_table_filter`). It must not use the connection.
  public func attach(where filter: ((_ table: String) -> Bool)?) {
    connection.exclusively {
      self.filter = filter
      attachesAll = true
    }
  }

  /// Nothing was recorded: a changeset is empty. The opposite does not hold, as rows may have been
  /// changed back (`sqlite3session_isempty`).
  public var isEmpty: Bool { connection.exclusively { tables.allSatisfy { $0.changeCount == 0 } } }

  /// About how many bytes of memory the records take (`sqlite3session_memory_used`).
  public var memoryUsed: Int { connection.exclusively { tables.reduce(0) { $0 + $1.byteCount } } }

  /// The most bytes that a changeset can have, 0 if `setCountsSize` was not called
  /// (`sqlite3session_changeset_size`).
  public var changesetSize: Int { connection.exclusively { countsSize ? maximumSize : 0 } }

  // MARK: Tables

  private func attached(_ name: [UInt8]) -> ChangeTable {
    if let known = tables.first(where: { isSameName($0.name, name) }) { return known }
    let table = ChangeTable(name: name, key: [])
    tables.append(table)
    return table
  }

  private func table(_ name: UnsafeRawBufferPointer) -> ChangeTable? {
    if let lastTable, lastTable.name.withUnsafeBytes({ Field.areEqual($0, name) }) {
      return lastTable
    }
    let bytes = Array(name)
    lastTable =
      tables.first { isSameName($0.name, bytes) } ?? (wants(bytes) ? attached(bytes) : nil)
    return lastTable
  }

  private func wants(_ table: [UInt8]) -> Bool {
    attachesAll && filter.map { $0(String(decoding: table, as: UTF8.self)) } ?? attachesAll
  }

  private func definition(
    _ table: ChangeTable, database: String
  ) throws(SQLError) -> TableDefinition {
    try TableDefinition(
      table.nameText, database: database, of: connection, usesRowID: recordsRowIDs)
  }

  /// The table with its columns; nil where it has none, or no primary key.
  private func defined(_ table: ChangeTable) throws(SQLError) -> ChangeTable? {
    if table.totalCount != nil { return table.hasKey ? table : nil }
    let definition = try definition(table, database: database)
    guard definition.columnCount > 0 else { return nil }
    let made = ChangeTable(
      name: table.name, key: definition.key, hasRowIDKey: definition.hasRowIDKey)
    made.definition = definition
    if let place = tables.firstIndex(where: { $0 === table }) { tables[place] = made }
    lastTable = made
    guard definition.hasKey else { return nil }
    maximumSize +=
      1 + Varint.byteCount(made.columnCount) + made.columnCount + made.name.count + 1
    return made
  }

  /// The table may have got columns since: its records get their default values.
  private func renew(_ table: ChangeTable) throws(SQLError) {
    guard let old = table.definition else { return }
    let new = try definition(table, database: database)
    guard new.continues(old) else { throw SQLError(.schema) }
    guard new != old else { return }
    let added = try new.defaultFields(from: old.columnCount, connection)
    if !added.isEmpty {
      table.appendToRecords(added)
      maximumSize +=
        added.count * table.changeCount + new.columnCount - old.columnCount
        + Varint.byteCount(new.columnCount)
        - Varint.byteCount(old.columnCount)
    }
    table.widen(new)
  }
}

// MARK: - Recording

extension Session {
  /// Notes a row that is about to change.
  func note(_ change: borrowing PreupdateChange) {
    guard isRecording, failure == nil, isSame(change.databaseBytes, databaseBytes) else { return }
    do throws(SQLError) {
      guard let table = table(change.tableBytes), let known = try defined(table) else { return }
      try note(change.kind, change, rowID: change.oldRowID, in: known)
      if change.kind == .update {
        // The new key may be another row's.
        try note(.insert, change, rowID: change.newRowID, in: known)
      }
    } catch {
      failure = error
    }
  }

  /// Notes one row, unless it is known already.
  private func note(
    _ kind: Connection.ChangeKind, _ row: borrowing some ChangedRow & ~Copyable, rowID: Int64,
    in table: ChangeTable
  ) throws(SQLError) {
    try keepUp(table, with: row.columnCount)
    try table.reserveBucket()
    let isNew = kind == .insert
    guard let hash = try keyHash(row, isNew, rowID, table) else { return }
    let known = try table.find(hash) { (change) throws(SQLError) in
      try hasKey(change.record, row, isNew, rowID, table)
    }
    let isIndirect = marksIndirect || row.depth > 0
    let place: Int32
    if let known {
      place = known
      if table[known].isIndirect && !isIndirect { table[known].isIndirect = false }
    } else {
      let record = try record(row, isNew, rowID, table)
      place = try table.insert(RecordedChange(kind, isIndirect: isIndirect, record: record), hash)
    }
    if countsSize { try countSize(place, kind, row, table) }
  }

  private func keepUp(_ table: ChangeTable, with columnCount: Int) throws(SQLError) {
    guard let known = table.totalCount else { return }
    if known < columnCount { try renew(table) }
    guard table.totalCount == columnCount else { throw SQLError(.schema) }
  }

  /// The hash of a row's key; nil where there is NULL in it.
  private func keyHash(
    _ row: borrowing some ChangedRow & ~Copyable, _ isNew: Bool, _ rowID: Int64,
    _ table: ChangeTable
  ) throws(SQLError) -> UInt32? {
    var hash = KeyHash()
    if table.hasRowIDKey {
      hash.append(bits: UInt64(bitPattern: rowID))
      return hash.value
    }
    for column in table.key.indices where table.key[column] != 0 {
      guard try hash.append(value(row, isNew, column, table)) else { return nil }
    }
    return hash.value
  }

  private func hasKey(
    _ record: [UInt8], _ row: borrowing some ChangedRow & ~Copyable, _ isNew: Bool,
    _ rowID: Int64, _ table: ChangeTable
  ) throws(SQLError) -> Bool {
    if table.hasRowIDKey { return Int64(bitPattern: Field.bits(record, at: 0)) == rowID }
    var offset = 0
    for column in table.key.indices {
      if table.key[column] != 0 {
        let value = try value(row, isNew, column, table)
        guard try Field.isEqual(record, at: offset, to: value) else { return false }
      }
      offset += Field.byteCount(record, at: offset)
    }
    return true
  }

  /// The values of a row: all old ones, of a new one its key.
  private func record(
    _ row: borrowing some ChangedRow & ~Copyable, _ isNew: Bool, _ rowID: Int64,
    _ table: ChangeTable
  ) throws(SQLError) -> [UInt8] {
    fields.clear()
    for column in table.key.indices {
      if column == 0 && table.hasRowIDKey {
        fields.append(.integer, bits: UInt64(bitPattern: rowID))
      } else if isNew && table.key[column] == 0 {
        fields.append(.undefined)
      } else {
        try fields.append(value(row, isNew, column, table))
      }
    }
    try MemoryUse.requireRoom(forArrayOf: fields.bytes.count)
    return Array(fields.bytes)
  }

  /// Lends a column of the table as it is to a changeset: the index of statistics that belong to
  /// none is X'' there, for a key has no NULL.
  private func value(
    _ row: borrowing some ChangedRow & ~Copyable, _ isNew: Bool, _ column: Int,
    _ table: ChangeTable
  ) throws(SQLError) -> ValueReference {
    guard column < table.positions.count else { throw SQLError(.range) }
    let place = if let known = self.place { known } else { try makePlace() }
    let value = try row.value(table.positions[column], isNew: isNew, in: place)
    guard column == 1 && table.isStatistics && value.type == .null else { return value }
    return if let known = emptyBlob { known } else { try makeEmptyBlob() }
  }

  private func makePlace() throws(SQLError) -> ValueReference {
    let made = try ValueReference.makeNull()
    place = made
    return made
  }

  private func makeEmptyBlob() throws(SQLError) -> ValueReference {
    let made = try ValueReference.make(.blob([]))
    emptyBlob = made
    return made
  }

  // MARK: Size

  private func countSize(
    _ place: Int32, _ kind: Connection.ChangeKind, _ row: borrowing some ChangedRow & ~Copyable,
    _ table: ChangeTable
  ) throws(SQLError) {
    let change = table[place]
    var size = 2
    if change.kind == .insert {
      size = try insertedSize(kind, row, table)
    } else if kind == .delete {
      size += change.record.count * (row.isBlobWrite ? 2 : 1)
    } else {
      size = try updatedSize(change.record, row, table)
    }
    if size > change.maximumSize {
      maximumSize += size - change.maximumSize
      table[place].maximumSize = size
    }
  }

  private func insertedSize(
    _ kind: Connection.ChangeKind, _ row: borrowing some ChangedRow & ~Copyable,
    _ table: ChangeTable
  ) throws(SQLError) -> Int {
    var size = table.hasRowIDKey ? 11 : 2
    guard kind != .delete else { return size }
    for column in table.key.indices where !(column == 0 && table.hasRowIDKey) {
      size += try Field.byteCount(of: value(row, true, column, table))
    }
    return size
  }

  /// An UPDATE takes old and new values of what has changed; where the key changes, the row goes.
  private func updatedSize(
    _ record: [UInt8], _ row: borrowing some ChangedRow & ~Copyable, _ table: ChangeTable
  ) throws(SQLError) -> Int {
    var size = 2, offset = 0
    for column in table.key.indices {
      let oldCount = Field.byteCount(record, at: offset)
      defer { offset += oldCount }
      if column == 0 && table.hasRowIDKey {
        size += 10
        continue
      }
      let value = try value(row, true, column, table)
      let isSame = try Field.isEqual(record, at: offset, to: value)
      let newCount = isSame ? 0 : try Field.byteCount(of: value)
      let isKey = table.key[column] != 0
      if !isSame && isKey { return record.count + 2 }
      size += isSame ? (isKey ? oldCount + 1 : 2) : oldCount + newCount
    }
    return size
  }
}

// MARK: - Differences between tables

extension Session {
  /// Records what would have to change in the table of another database of the connection for it to
  /// be as this one's (`sqlite3session_diff`). The table is attached. One without primary key, or
  /// that does not exist here, is left alone.
  ///
  /// - Throws: `schema` where the tables are not alike, or there is no such database or table.
  public func diff(from other: String, table name: String) throws(SQLError) {
    connection.enter()
    defer { connection.leave() }
    if let failure { throw failure }
    guard let table = try defined(attached(Array(name.utf8))), let mine = table.definition
    else { return }
    let isThere =
      other == "main"
      || connection.databaseNames.contains { isSameName(Array($0.utf8), Array(other.utf8)) }
    let theirs = isThere ? try definition(table, database: other) : nil
    guard let theirs, theirs.columnCount > 0 else {
      throw SQLError(.schema, "no such table: \(other).\(name)")
    }
    guard theirs.columns == mine.columns, theirs.key == mine.key,
      theirs.hasRowIDKey == mine.hasRowIDKey
    else { throw SQLError(.schema, "table schemas do not match") }
    try noteRows(.insert, only: database, not: other, mine, table)
    try noteRows(.delete, only: other, not: database, mine, table)
    try noteDifferentRows(from: other, mine, table)
  }

  private func noteRows(
    _ kind: Connection.ChangeKind, only present: String, not absent: String,
    _ definition: TableDefinition, _ table: ChangeTable
  ) throws(SQLError) {
    let mine = SQLTable(present, definition), other = SQLTable(absent, definition)
    let rows = try connection.prepare(
      "SELECT \(mine.columnList) FROM \(mine.name) WHERE NOT EXISTS (SELECT 1 FROM \(other.name) "
        + "WHERE \(mine.sameKey(other)))")
    while try rows.step() { try note(kind, rows, 0, 0, table) }
  }

  private func noteDifferentRows(
    from other: String, _ definition: TableDefinition, _ table: ChangeTable
  ) throws(SQLError) {
    let mine = SQLTable(database, definition), theirs = SQLTable(other, definition)
    guard let differs = mine.difference(theirs) else { return }
    let rows = try connection.prepare(
      "SELECT \(mine.columnList), \(theirs.columnList) FROM \(mine.name), \(theirs.name) "
        + "WHERE \(mine.sameKey(theirs)) AND (\(differs))")
    while try rows.step() {
      try note(.update, rows, definition.columnCount, 0, table)
    }
  }

  private func note(
    _ kind: Connection.ChangeKind, _ rows: Statement, _ oldStart: Int, _ newStart: Int,
    _ table: ChangeTable
  ) throws(SQLError) {
    guard let definition = table.definition else { return }
    let row = QueriedRow(
      row: rows.currentRow, definition: definition, oldStart: oldStart, newStart: newStart)
    let rowID = definition.hasRowIDKey ? rows.columnInt64(oldStart) : 0
    try note(kind, row, rowID: rowID, in: table)
  }
}

// MARK: - Changesets

extension Session {
  /// What has changed since the session began (`sqlite3session_changeset`). It stays recorded.
  ///
  /// - Throws: What recording has failed with, `schema` where a table was changed so that its
  ///   records are no good any more, and what reading the database throws.
  public func changeset() throws(SQLError) -> Changeset {
    Changeset(bytes: try collect(isPatchset: false))
  }

  /// The same without old values (`sqlite3session_patchset`).
  public func patchset() throws(SQLError) -> Changeset {
    Changeset(bytes: try collect(isPatchset: true))
  }

  private func collect(isPatchset: Bool) throws(SQLError) -> [UInt8] {
    let writer = ChangeWriter()
    try write(isPatchset: isPatchset, to: writer)
    return writer.bytes
  }

  /// Gives a changeset or patchset in pieces of about a size (`sqlite3session_changeset_strm`).
  public func write(
    isPatchset: Bool, chunkSize: Int = 1_024, _ output: @escaping ChunkOutput
  ) throws(SQLError) {
    try write(isPatchset: isPatchset, to: ChangeWriter(chunkSize: chunkSize, output))
  }

  private func write(isPatchset: Bool, to writer: ChangeWriter) throws(SQLError) {
    connection.enter()
    defer { connection.leave() }
    if let failure { throw failure }
    try connection.inSavepoint("changeset") { () throws(SQLError) in
      for table in tables where table.changeCount > 0 {
        try write(table, isPatchset: isPatchset, to: writer)
      }
      try writer.finish()
    }
  }

  private func write(
    _ table: ChangeTable, isPatchset: Bool, to writer: ChangeWriter
  ) throws(SQLError) {
    try renew(table)
    guard let definition = table.definition else { return }
    let select = try connection.prepare(
      "SELECT \(SQLTable(database, definition).selectionByKey)")
    writer.beginTable(table.name, table.key, isPatchset: isPatchset)
    try table.forEach { (change) throws(SQLError) in
      try bindKey(change.record, table.key, to: select)
      if try select.step() {
        if change.kind == .insert {
          try writer.appendInsert(change, select.currentRow)
        } else {
          try writer.appendUpdate(change, select.currentRow, table.key, isPatchset: isPatchset)
        }
      } else if change.kind != .insert {
        try writer.appendDelete(change, table.key, isPatchset: isPatchset)
      }
      try select.reset()
      try writer.passOn()
    }
    writer.endTable()
  }
}

/// Binds the key fields of a record that has a field for each column.
func bindKey(
  _ record: [UInt8], _ key: [UInt8], to statement: Statement
) throws(SQLError) {
  var offset = 0
  for column in key.indices {
    if key[column] != 0 { try Field.bind(record, at: offset, to: statement, column + 1) }
    offset += Field.byteCount(record, at: offset)
  }
}

/// Names are equal whatever the case of their ASCII letters.
func isSameName(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { isSame($0, right) }
}

private func isSame(_ left: UnsafeRawBufferPointer, _ right: [UInt8]) -> Bool {
  guard left.count == right.count else { return false }
  for index in right.indices where folded(left[index]) != folded(right[index]) { return false }
  return true
}

private func folded(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

extension Connection {
  func exclusively<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter()
    defer { leave() }
    return try body()
  }

  /// Runs the function in a savepoint, which is taken back where it throws, or where what it has
  /// done cannot be kept.
  func inSavepoint(
    _ name: String, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    try execute("SAVEPOINT \(name)")
    do throws(SQLError) {
      try body()
      try execute("RELEASE \(name)")
    } catch {
      // The first error counts; what is left of the savepoint goes with it.
      do throws(SQLError) {
        try execute("ROLLBACK TO \(name)")
        try execute("RELEASE \(name)")
      } catch {}
      throw error
    }
  }
}
