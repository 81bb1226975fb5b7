import MartletEngine

/// One change of a changeset: a row that was inserted, updated or deleted.
public struct Change: Sendable, Equatable {
  public var table: String
  public var kind: Connection.ChangeKind
  /// It was made by a trigger or foreign-key action, or marked by its session.
  public var isIndirect: Bool
  /// Which columns are the primary key.
  public var primaryKey: [Bool]
  /// The row before, one value a column: all of a DELETE (in a patchset the key), of an UPDATE the
  /// key and what changes (in a patchset the key); nil for others. Empty for an INSERT.
  public var old: [Value?]
  /// The row after: all of an INSERT, of an UPDATE what changes; nil for others. Empty for a DELETE.
  public var new: [Value?]

  public init(
    table: String, kind: Connection.ChangeKind, isIndirect: Bool, primaryKey: [Bool],
    old: [Value?], new: [Value?]
  ) {
    self.table = table
    self.kind = kind
    self.isIndirect = isIndirect
    self.primaryKey = primaryKey
    self.old = old
    self.new = new
  }
}

/// Changes of a database as bytes, in SQLite's format: a changeset, or a patchset, which lacks old
/// values (sessionintro §2.1).
///
///     let changeset = try session.changeset()
///     for change in changeset { print(change.table, change.kind) }
///     try changeset.apply(to: other) { conflict in .omit }
public struct Changeset: Sendable, Equatable {
  public var bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// There are no changes in it.
  public var isEmpty: Bool { bytes.isEmpty }

  /// Its first table is one of a patchset.
  public var isPatchset: Bool { bytes.first == UInt8(ascii: "P") }

  /// All changes.
  ///
  /// - Throws: `corrupt` where the bytes are no changeset.
  public func changes() throws(SQLError) -> [Change] {
    var changes: [Change] = []
    let reader = ChangesetReader(bytes)
    while try reader.advance() { changes.append(reader.change) }
    return changes
  }

  /// The changeset that takes this one back (`sqlite3changeset_invert`).
  ///
  /// - Throws: `corrupt` for a patchset, which cannot be inverted, and for what is no changeset.
  public func inverted() throws(SQLError) -> Changeset {
    let writer = ChangeWriter()
    try Changeset.invert(ChangesetReader(bytes), to: writer)
    return Changeset(bytes: writer.bytes)
  }

  /// The changes of both, one after the other, as one: what a row goes through becomes one change
  /// (`sqlite3changeset_concat`).
  ///
  /// - Throws: `error` where one is a changeset and the other a patchset, `schema` where a table has
  ///   other columns in each, `corrupt`.
  public func followed(by other: Changeset) throws(SQLError) -> Changeset {
    let group = Changegroup()
    try group.add(self)
    try group.add(other)
    return try group.changeset()
  }
}

/// The changes in their order. A changeset that is damaged ends where it is.
extension Changeset: Sequence {
  public struct Iterator: IteratorProtocol {
    fileprivate let reader: ChangesetReader

    public mutating func next() -> Change? {
      do throws(SQLError) {
        return try reader.advance() ? reader.change : nil
      } catch {
        return nil
      }
    }
  }

  public func makeIterator() -> Iterator { Iterator(reader: ChangesetReader(bytes)) }
}

extension Changeset {
  /// Inverts a changeset that comes and goes in pieces (`sqlite3changeset_invert_strm`).
  public static func invert(
    _ input: ChangesetReader, chunkSize: Int = 1_024, _ output: @escaping ChunkOutput
  ) throws(SQLError) {
    try invert(input, to: ChangeWriter(chunkSize: chunkSize, output))
  }

  private static func invert(
    _ reader: ChangesetReader, to writer: ChangeWriter
  ) throws(SQLError) {
    while try reader.advance() {
      if reader.isPatchset { throw SQLError(.corrupt) }
      if reader.isFirstOfTable, let name = reader.tableName {
        writer.beginTable(name, reader.key, isPatchset: false)
      }
      switch reader.kind {
      case .insert:
        try writer.append(.delete, isIndirect: reader.isIndirect, reader.recordBytes)
      case .delete:
        try writer.append(.insert, isIndirect: reader.isIndirect, reader.recordBytes)
      case .update: try invertUpdate(reader, to: writer)
      }
      try writer.passOn()
    }
    try writer.finish()
  }

  /// Old and new values change places; the key stays with the old ones.
  private static func invertUpdate(
    _ reader: ChangesetReader, to writer: ChangeWriter
  ) throws(SQLError) {
    try writer.beginChange(.update, isIndirect: reader.isIndirect)
    for column in reader.key.indices {
      let isKey = reader.key[column] != 0
      try writer.append(reader, isKey ? reader.oldField(column) : reader.newField(column))
    }
    for column in reader.key.indices {
      try writer.append(reader, reader.key[column] != 0 ? nil : reader.oldField(column))
    }
  }
}

extension ChangeWriter {
  fileprivate func append(_ reader: ChangesetReader, _ field: Int?) throws(SQLError) {
    guard let field else { return try appendUndefined() }
    try append(reader.bytes[field..<(field + Field.byteCount(reader.bytes, at: field))])
  }
}
