import MartletEngine

/// Combines changesets, or patchsets, into one in which each row changes at most once
/// (`sqlite3changegroup_new`).
public final class Changegroup {
  @exclusivity(unchecked) private var tables: [ChangeTable] = []
  @exclusivity(unchecked) private var schema: (connection: Connection, database: String)?
  /// Whether it is of patchsets; what is added first decides.
  @exclusivity(unchecked) private(set) var isPatchset = false
  @exclusivity(unchecked) private var isDecided = false
  @exclusivity(unchecked) private var pending: PendingChange?

  public init() {}

  /// Held to the tables of a database: changesets with fewer columns get the default values of the
  /// others (`sqlite3changegroup_schema`).
  ///
  /// - Throws: `misuse` where changes were added already.
  public func useSchema(of connection: Connection, database: String = "main") throws(SQLError) {
    guard schema == nil, tables.isEmpty else { throw SQLError(.misuse) }
    schema = (connection, database)
  }

  /// The output is a patchset (`SQLITE_CHANGEGROUP_CONFIG_PATCHSET`). It has no effect once there
  /// are changes.
  public func setPatchset(_ isPatchset: Bool) {
    if tables.allSatisfy({ $0.changeCount == 0 }) {
      self.isPatchset = isPatchset
      isDecided = true
    }
  }

  public var makesPatchset: Bool { isPatchset }

  // MARK: Adding

  /// Adds all changes (`sqlite3changegroup_add`).
  ///
  /// - Throws: `error` for a patchset among changesets and the other way round, `schema` where a
  ///   table has other columns than before, `corrupt`.
  public func add(_ changeset: Changeset) throws(SQLError) {
    try add(all: ChangesetReader(changeset.bytes))
  }

  /// Adds all changes that a reader gives (`sqlite3changegroup_add_strm`).
  public func add(all reader: ChangesetReader) throws(SQLError) {
    while try reader.advance() { try add(reader) }
  }

  /// Adds the current change of a reader (`sqlite3changegroup_add_change`).
  ///
  /// - Throws: `error` where it has none or inverts.
  public func add(currentOf reader: ChangesetReader) throws(SQLError) {
    guard reader.hasChange, !reader.inverts else { throw SQLError(.error) }
    try add(reader)
  }

  private func add(_ reader: ChangesetReader) throws(SQLError) {
    guard let name = reader.tableName else { throw SQLError(.corrupt) }
    if isDecided || tables.contains(where: { $0.changeCount > 0 }) {
      guard isPatchset == reader.isPatchset else { throw SQLError(.error) }
    }
    isPatchset = reader.isPatchset
    isDecided = true
    let table = try table(name, reader.key)
    try MemoryUse.requireRoom(forArrayOf: reader.recordBytes.count)
    let change = RecordedChange(
      reader.kind, isIndirect: reader.isIndirect,
      record: try widened(Array(reader.recordBytes), reader.kind, reader.columnCount, table))
    try merge(change, into: table)
  }

  private func table(_ name: [UInt8], _ key: [UInt8]) throws(SQLError) -> ChangeTable {
    let known: ChangeTable
    if let found = tables.first(where: { isSameName($0.name, name) }) {
      known = found
    } else if let schema {
      let definition = try TableDefinition(
        String(decoding: name, as: UTF8.self), database: schema.database, of: schema.connection,
        usesRowID: true)
      guard definition.columnCount > 0 else { throw SQLError(.schema) }
      known = ChangeTable(definition)
      tables.append(known)
    } else {
      known = ChangeTable(name: name, key: key)
      tables.append(known)
    }
    let isCompatible =
      schema == nil
      ? known.key == key
      : known.key.starts(with: key) && !known.key[key.count...].contains { $0 != 0 }
    guard isCompatible else { throw SQLError(.schema) }
    return known
  }

  /// A record with the columns that its changeset does not know.
  private func widened(
    _ record: [UInt8], _ kind: Connection.ChangeKind, _ count: Int, _ table: ChangeTable
  ) throws(SQLError) -> [UInt8] {
    guard count < table.columnCount, let schema, let definition = table.definition else {
      return record
    }
    let missing = [UInt8](repeating: 0, count: table.columnCount - count)
    switch kind {
    case .delete where isPatchset: return record
    case .insert, .delete:
      return record + (try definition.defaultFields(from: count, schema.connection))
    case .update:
      guard !isPatchset else { return record + missing }
      var fields = FieldCursor(record)
      fields.skip(count)
      return Array(record[..<fields.offset]) + missing + fields.rest + missing
    }
  }

  private func merge(_ change: RecordedChange, into table: ChangeTable) throws(SQLError) {
    try table.reserveBucket()
    let isKeyOnly = isPatchset && change.kind == .delete
    let hash = table.hash(ofRecord: change.record, keyOnly: isKeyOnly)
    let found = table.find(hash) { (other) throws(Never) in
      table.haveEqualKeys(
        other.record, keyOnly: isPatchset && other.kind == .delete, change.record,
        keyOnly: isKeyOnly)
    }
    guard let found else {
      try table.insert(change, hash)
      return
    }
    let first = try table.remove(found, hash)
    if let merged = ChangeMerge.merge(first, change, table.key, isPatchset: isPatchset) {
      try table.insert(merged, hash)
    }
  }

  // MARK: Output

  /// All changes as one changeset or patchset (`sqlite3changegroup_output`).
  ///
  /// - Throws: `outOfMemory`.
  public func changeset() throws(SQLError) -> Changeset {
    let writer = ChangeWriter()
    try write(to: writer)
    return Changeset(bytes: writer.bytes)
  }

  /// The same in pieces (`sqlite3changegroup_output_strm`).
  public func write(chunkSize: Int = 1_024, _ output: @escaping ChunkOutput) throws(SQLError) {
    try write(to: ChangeWriter(chunkSize: chunkSize, output))
  }

  private func write(to writer: ChangeWriter) throws(SQLError) {
    for table in tables where table.changeCount > 0 {
      writer.beginTable(table.name, table.key, isPatchset: isPatchset)
      try table.forEach { (change) throws(SQLError) in
        try writer.append(change.kind, isIndirect: change.isIndirect, change.record)
        try writer.passOn()
      }
      writer.endTable()
    }
    try writer.finish()
  }
}

// MARK: - Changes value by value

/// A change that is being put together.
private struct PendingChange {
  let table: ChangeTable
  let kind: Connection.ChangeKind
  let isIndirect: Bool
  /// A field each; nil is undefined.
  var old: [[UInt8]?]
  var new: [[UInt8]?]
}

extension Changegroup {
  /// Begins a change (`sqlite3changegroup_change_begin`), whose values follow by `set`, and which
  /// `finishChange` adds.
  ///
  /// - Throws: `misuse` inside another change, `error` for a table that neither the schema nor a
  ///   changeset has told of.
  public func beginChange(
    _ kind: Connection.ChangeKind, table name: String, isIndirect: Bool = false
  ) throws(SQLError) {
    try beginChange(Optional(kind), table: name, isIndirect: isIndirect)
  }

  /// The same where the kind may be unknown, which is an error.
  package func beginChange(
    _ kind: Connection.ChangeKind?, table name: String, isIndirect: Bool
  ) throws(SQLError) {
    guard pending == nil else { throw SQLError(.misuse) }
    guard let kind else { throw SQLError(.error) }
    let bytes = Array(name.utf8)
    guard let table = try knownTable(bytes) else {
      throw SQLError(.error, "no such table: \(name)")
    }
    let none = [[UInt8]?](repeating: nil, count: table.columnCount)
    pending = PendingChange(
      table: table, kind: kind, isIndirect: isIndirect, old: none, new: none)
  }

  private func knownTable(_ name: [UInt8]) throws(SQLError) -> ChangeTable? {
    if let known = tables.first(where: { isSameName($0.name, name) }) { return known }
    guard let schema else { return nil }
    let definition = try TableDefinition(
      String(decoding: name, as: UTF8.self), database: schema.database, of: schema.connection,
      usesRowID: true)
    guard definition.columnCount > 0 else { return nil }
    let table = ChangeTable(definition)
    tables.append(table)
    return table
  }

  /// Sets an old or new value of the change that is being put together
  /// (`sqlite3changegroup_change_int64` and its kin).
  ///
  /// - Throws: `misuse` outside a change, `error` for an old value of an INSERT and a new one of a
  ///   DELETE, `range` for a column that is not there.
  public func set(_ value: Value, isNew: Bool, column: Int) throws(SQLError) {
    var field: [UInt8] = []
    field.appendField(value)
    try set(field, isNew, column)
  }

  /// The same for a text, which need not be valid UTF-8, or a blob.
  public func set(
    _ bytes: UnsafeRawBufferPointer, isText: Bool, isNew: Bool, column: Int
  ) throws(SQLError) {
    var field: [UInt8] = []
    field.appendContent(isText ? .text : .blob, bytes)
    try set(field, isNew, column)
  }

  private func set(_ field: [UInt8], _ isNew: Bool, _ column: Int) throws(SQLError) {
    guard let change = pending else { throw SQLError(.misuse) }
    guard column >= 0 && column < change.table.columnCount else { throw SQLError(.range) }
    guard change.kind != (isNew ? .delete : .insert) else { throw SQLError(.error) }
    if isNew {
      pending?.new[column] = field
    } else {
      pending?.old[column] = field
    }
  }

  /// Adds the change that is being put together, or forgets it (`sqlite3changegroup_change_finish`).
  /// Outside a change there is nothing to be done.
  ///
  /// - Throws: `error` where values are missing or too many.
  public func finishChange(discarding: Bool = false) throws(SQLError) {
    guard let change = pending else { return }
    pending = nil
    if discarding { return }
    let record = try ChangeRecord.make(
      change.kind, change.table, change.old, change.new, isPatchset: isPatchset)
    isDecided = true
    try merge(
      RecordedChange(change.kind, isIndirect: change.isIndirect, record: record),
      into: change.table)
  }
}
