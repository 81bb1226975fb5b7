import MartletEngine

/// Changes local changesets so that what was decided about conflicts with remote ones need not be
/// decided again elsewhere (session, "Rebasing changesets").
public final class Rebaser {
  @exclusivity(unchecked) private var tables: [ChangeTable] = []

  public init() {}

  /// Takes what applying a remote changeset has led to, in the order in which they were applied
  /// (`sqlite3rebaser_configure`).
  ///
  /// - Throws: `schema` where a table has other columns than before, `error` for a patchset,
  ///   `corrupt`.
  public func configure(_ information: RebaseInformation) throws(SQLError) {
    let reader = ChangesetReader(information.bytes)
    while try reader.advance() {
      guard let name = reader.tableName else { throw SQLError(.corrupt) }
      if reader.isPatchset { throw SQLError(.error) }
      let table =
        tables.first { isSameName($0.name, name) } ?? ChangeTable(name: name, key: reader.key)
      if table.changeCount == 0 && !tables.contains(where: { $0 === table }) {
        tables.append(table)
      }
      guard table.key == reader.key else { throw SQLError(.schema) }
      try MemoryUse.requireRoom(forArrayOf: 2 * reader.recordBytes.count)
      let record = Array(reader.recordBytes)
      try note(RecordedChange(reader.kind, isIndirect: reader.isIndirect, record: record), in: table)
    }
  }

  /// Replaced columns are marked; of several decisions about a row, a replacement counts, then the
  /// last one.
  private func note(_ change: RecordedChange, in table: ChangeTable) throws(SQLError) {
    try table.reserveBucket()
    let hash = table.hash(ofRecord: change.record)
    let found = table.find(hash) { (other) throws(Never) in
      table.haveEqualKeys(other.record, keyOnly: false, change.record, keyOnly: false)
    }
    guard let found else {
      var noted = change
      if change.isIndirect { noted.record = marked(change.record, table.key) }
      try table.insert(noted, hash)
      return
    }
    let earlier = table[found]
    if earlier.kind == .delete && earlier.isIndirect { return }
    _ = try table.remove(found, hash)
    try table.insert(combined(earlier, change, table.key), hash)
  }

  private func marked(_ record: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var fields = FieldCursor(record), result: [UInt8] = []
    for isKey in key {
      let field = fields.next() ?? [0]
      if field.isDefined && isKey == 0 {
        result.append(.replaced)
      } else {
        result.append(contentsOf: field)
      }
    }
    return result
  }

  private func combined(
    _ earlier: RecordedChange, _ later: RecordedChange, _ key: [UInt8]
  ) -> RecordedChange {
    var old = FieldCursor(earlier.record), new = FieldCursor(later.record), record: [UInt8] = []
    for isKey in key {
      let before = old.next() ?? [0], after = new.next() ?? [0]
      if before.isReplaced || isKey == 0 && later.isIndirect {
        record.append(.replaced)
      } else {
        record.append(contentsOf: after.isDefined ? after : before)
      }
    }
    return RecordedChange(
      later.kind, isIndirect: earlier.isIndirect || later.isIndirect, record: record)
  }

  // MARK: Rebasing

  /// A local changeset, rebased (`sqlite3rebaser_rebase`).
  ///
  /// - Throws: `error` for a patchset, `corrupt`.
  public func rebase(_ changeset: Changeset) throws(SQLError) -> Changeset {
    let writer = ChangeWriter()
    try rebase(ChangesetReader(changeset.bytes), to: writer)
    return Changeset(bytes: writer.bytes)
  }

  /// The same where it comes and goes in pieces (`sqlite3rebaser_rebase_strm`).
  public func rebase(
    _ reader: ChangesetReader, chunkSize: Int = 1_024, _ output: @escaping ChunkOutput
  ) throws(SQLError) {
    try rebase(reader, to: ChangeWriter(chunkSize: chunkSize, output))
  }

  private func rebase(_ reader: ChangesetReader, to writer: ChangeWriter) throws(SQLError) {
    var table: ChangeTable?
    while try reader.advance() {
      if reader.isFirstOfTable, let name = reader.tableName {
        if reader.isPatchset { throw SQLError(.error) }
        table = tables.first { isSameName($0.name, name) && isSameKey($0.key, reader.key) }
        writer.beginTable(name, reader.key, isPatchset: false)
      }
      let record = Array(reader.recordBytes)
      if let table, let remote = find(record, in: table) {
        try rebase(reader, record, remote, to: writer)
      } else {
        try writer.append(reader.kind, isIndirect: reader.isIndirect, record)
      }
      try writer.passOn()
    }
    try writer.finish()
  }

  /// One of them may know more columns, behind those of the other.
  private func isSameKey(_ key: [UInt8], _ other: [UInt8]) -> Bool {
    let (short, long) = key.count < other.count ? (key, other) : (other, key)
    return long.starts(with: short) && !long[short.count...].contains { $0 != 0 }
  }

  private func find(_ record: [UInt8], in table: ChangeTable) -> RecordedChange? {
    let hash = table.hash(ofRecord: record)
    let found = table.find(hash) { (other) throws(Never) in
      table.haveEqualKeys(other.record, keyOnly: false, record, keyOnly: false)
    }
    return found.map { table[$0] }
  }

  private func rebase(
    _ reader: ChangesetReader, _ record: [UInt8], _ remote: RecordedChange,
    to writer: ChangeWriter
  ) throws(SQLError) {
    // Records are put together of both.
    try MemoryUse.requireRoom(forArrayOf: 2 * (record.count + remote.record.count))
    switch (reader.kind, remote.kind) {
    case (.insert, .insert):
      // Left out, the remote row is what this one becomes an update of.
      if remote.isIndirect { return }
      let old = merged(FieldCursor(remote.record), FieldCursor([]), reader.columnCount)
      try writer.append(.update, isIndirect: reader.isIndirect, old + record)
    case (.update, .delete):
      if remote.isIndirect { return }
      var new = FieldCursor(record)
      new.skip(reader.columnCount)
      try writer.append(
        .insert, isIndirect: reader.isIndirect,
        merged(new, FieldCursor(remote.record), reader.columnCount))
    case (.update, _):
      if let update = partialUpdate(record, remote.record, reader.key) {
        try writer.append(.update, isIndirect: reader.isIndirect, update)
      }
    case (.delete, .insert):
      try writer.append(
        .delete, isIndirect: reader.isIndirect,
        merged(FieldCursor(remote.record), FieldCursor(record), reader.columnCount))
    case (.delete, _): return
    case (.insert, _):
      try writer.append(reader.kind, isIndirect: reader.isIndirect, record)
    }
  }

  /// The fields of the first record, those of the second where it has none.
  private func merged(_ first: FieldCursor, _ second: FieldCursor, _ count: Int) -> [UInt8] {
    var first = first, second = second, result: [UInt8] = []
    for _ in 0..<count {
      let field = first.next() ?? [0], other = second.next() ?? [0]
      result.append(contentsOf: field.isDefined && !field.isReplaced ? field : other)
    }
    return result
  }

  /// A local UPDATE over a remote one: its old values are what the remote one has set, and columns
  /// that were replaced are no longer changed. nil where nothing is left.
  private func partialUpdate(
    _ local: [UInt8], _ remote: [UInt8], _ key: [UInt8]
  ) -> [UInt8]? {
    var fields = FieldCursor(local), others = FieldCursor(remote), result: [UInt8] = []
    var isChanged = false
    for isKey in key {
      let field = fields.next() ?? [0], other = others.next() ?? [0]
      if isKey != 0 || !other.isDefined {
        if isKey == 0 && field.isDefined { isChanged = true }
        result.append(contentsOf: field)
      } else if !other.isReplaced && field.isDefined {
        isChanged = true
        result.append(contentsOf: other)
      } else {
        result.append(.undefined)
      }
    }
    guard isChanged else { return nil }
    others = FieldCursor(remote)
    for isKey in key {
      let field = fields.next() ?? [0], other = others.next() ?? [0]
      if isKey != 0 || !other.isReplaced {
        result.append(contentsOf: field)
      } else {
        result.append(.undefined)
      }
    }
    return result
  }
}
