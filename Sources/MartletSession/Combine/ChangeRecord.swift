import MartletEngine

/// The record of a change whose values were given one by one.
enum ChangeRecord {
  /// - Throws: `error` where the values make no change of that kind.
  static func make(
    _ kind: Connection.ChangeKind, _ table: ChangeTable, _ old: [[UInt8]?], _ new: [[UInt8]?],
    isPatchset: Bool
  ) throws(SQLError) -> [UInt8] {
    for column in table.key.indices where table.key[column] != 0 {
      let value = kind == .insert ? new[column] : old[column]
      guard let value, value.first != FieldType.null.rawValue else {
        throw problem(value == nil ? "missing" : "NULL", kind != .insert, column)
      }
    }
    switch kind {
    case .insert: return try whole(new, isOld: false)
    case .delete:
      guard isPatchset else { return try whole(old, isOld: true) }
      return table.key.indices.filter { table.key[$0] != 0 }.flatMap { old[$0] ?? [] }
    case .update: return try update(table, old, new, isPatchset: isPatchset)
    }
  }

  private static func whole(_ values: [[UInt8]?], isOld: Bool) throws(SQLError) -> [UInt8] {
    var record: [UInt8] = []
    for (column, value) in values.enumerated() {
      guard let value else { throw problem("missing", isOld, column) }
      record += value
    }
    return record
  }

  private static func update(
    _ table: ChangeTable, _ old: [[UInt8]?], _ new: [[UInt8]?], isPatchset: Bool
  ) throws(SQLError) -> [UInt8] {
    for column in table.key.indices {
      if table.key[column] != 0 {
        guard new[column] == nil else {
          throw SQLError(.error, "invalid change: new value of key column \(column)")
        }
      } else if !isPatchset && (old[column] == nil) != (new[column] == nil) {
        throw problem("missing", old[column] == nil, column)
      }
    }
    let undefined: [UInt8] = [0]
    if isPatchset {
      return table.key.indices.flatMap {
        (table.key[$0] != 0 ? old[$0] : new[$0]) ?? undefined
      }
    }
    return old.flatMap { $0 ?? undefined } + new.flatMap { $0 ?? undefined }
  }

  private static func problem(_ what: String, _ isOld: Bool, _ column: Int) -> SQLError {
    SQLError(.error, "invalid change: \(what) \(isOld ? "old" : "new") value of column \(column)")
  }
}
