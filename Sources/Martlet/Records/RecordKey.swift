import Foundation

/// A key of a record, before it is known to which column it belongs: the record's strategies decide
/// how dates, bytes and UUIDs are stored there.
enum RecordKey: Sendable {
  case value(DatabaseValue)
  case date(Date)
  case data(Data)
  case uuid(UUID)

  init<Key: DatabaseValueConvertible>(_ key: Key) {
    // Keys of other types, which are most, cost comparisons of types.
    if Key.self == UUID.self || Key.self == UUID?.self, let uuid = key as? UUID {
      self = .uuid(uuid)
    } else if Key.self == Date.self || Key.self == Date?.self, let date = key as? Date {
      self = .date(date)
    } else if Key.self == Data.self || Key.self == Data?.self, let data = key as? Data {
      self = .data(data)
    } else {
      self = .value(key.databaseValue)
    }
  }

  /// The key is NULL, which is the key of no row.
  var isNull: Bool {
    if case .value(let value) = self { return value.isNull }
    return false
  }

  /// The key as a record of a type stores it; as it is where the type stores none.
  func databaseValue(as record: Any.Type, column: String) throws -> DatabaseValue {
    if case .value(let value) = self { return value }
    let record = record as? any EncodableRecord.Type
    switch self {
    case .value(let value): return value
    case .date(let date):
      return record?.databaseDateEncodingStrategy(for: column).encode(date) ?? date.databaseValue
    case .data(let data):
      return try record?.databaseDataEncodingStrategy(for: column).encode(data)
        ?? data.databaseValue
    case .uuid(let uuid):
      return record?.databaseUUIDEncodingStrategy(for: column).encode(uuid) ?? uuid.databaseValue
    }
  }
}
