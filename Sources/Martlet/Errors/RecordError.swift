/// An error about a record.
public enum RecordError: Error {
  /// The record is not in the table.
  case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
  /// The table and the key that was looked for.
  public var description: String {
    switch self {
    case .recordNotFound(let table, let key):
      let pairs = key.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
      return "Key not found in table \(table): [\(pairs.joined(separator: " "))]"
    }
  }
}

/// The old name of `RecordError`.
@available(*, deprecated, renamed: "RecordError")
public typealias PersistenceError = RecordError
