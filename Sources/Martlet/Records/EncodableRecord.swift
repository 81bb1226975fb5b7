import Foundation

/// A type that tells its values by column.
///
/// `Encodable` types conform with an empty body; the strategies below say how their properties are
/// encoded.
public protocol EncodableRecord: SendableMetatype {
  /// Tells the columns and their values.
  func encode(to container: inout PersistenceContainer) throws

  /// What encoders find in their `userInfo`.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Encodes properties that are stored as JSON. It is told the name of the property's coding key.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder

  /// How properties of the type `Data` are encoded.
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

  /// How properties of the type `Date` are encoded.
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

  /// How properties of the type `UUID` are encoded.
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

  /// Which columns properties are encoded to.
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
  /// Nothing.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Data is base64, dates are milliseconds since 1970, infinite numbers are refused, keys are
  /// sorted.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder.forColumns()
    // What the application puts there is used by its own types on this thread.
    encoder.userInfo = unsafeBitCast(
      databaseEncodingUserInfo, to: [CodingUserInfoKey: any Sendable].self)
    return encoder
  }

  /// As `Data` encodes itself.
  public static func databaseDataEncodingStrategy(
    for column: String
  ) -> DatabaseDataEncodingStrategy {
    .deferredToData
  }

  /// As `Date` encodes itself.
  public static func databaseDateEncodingStrategy(
    for column: String
  ) -> DatabaseDateEncodingStrategy {
    .deferredToDate
  }

  /// As `UUID` encodes itself.
  public static func databaseUUIDEncodingStrategy(
    for column: String
  ) -> DatabaseUUIDEncodingStrategy {
    .deferredToUUID
  }

  /// To the columns of their names.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
    .useDefaultKeys
  }
}

extension EncodableRecord {
  /// The values by column.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws {
      Dictionary(try PersistenceContainer(self).map { ($0.0, $0.1) }) { _, right in right }
    }
  }

  /// Whether two records write the same. A record that cannot be encoded equals none.
  public func databaseEquals(_ record: Self) -> Bool {
    (try? databaseChanges(from: record).isEmpty) ?? false
  }

  /// The columns in which this record differs from another, with the other's values.
  public func databaseChanges(
    from record: some EncodableRecord
  ) throws -> [String: DatabaseValue] {
    let old = try PersistenceContainer(record)
    var changes: [String: DatabaseValue] = [:]
    for (column, value) in try PersistenceContainer(self) {
      let before = old.value(ofColumn: column) ?? .null
      if before != value { changes[column] = before }
    }
    return changes
  }

  /// Modifies the record, and gives the columns that are different then, with their values before.
  public mutating func databaseChanges(
    modify: (inout Self) throws -> Void
  ) throws -> [String: DatabaseValue] {
    let before = try PersistenceContainer(self)
    try modify(&self)
    return try databaseChanges(from: EncodedRecord(container: before))
  }
}

/// What a record has written at some time.
struct EncodedRecord: EncodableRecord {
  let container: PersistenceContainer

  func encode(to container: inout PersistenceContainer) { container = self.container }
}

/// How properties of the type `Data` are encoded.
public enum DatabaseDataEncodingStrategy: Sendable {
  /// As `Data` encodes itself: a blob.
  case deferredToData
  /// As text. Bytes that are not UTF-8 are an error. SQLite's JSON functions take text.
  case text
  /// By a function.
  case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

  func encode(_ data: Data) throws -> DatabaseValue {
    switch self {
    case .deferredToData: return data.databaseValue
    case .text:
      guard let text = String(data: data, encoding: .utf8) else {
        throw EncodingError.invalidValue(
          data, .init(codingPath: [], debugDescription: "the data is not UTF-8"))
      }
      return text.databaseValue
    case .custom(let encode): return encode(data)?.databaseValue ?? .null
    }
  }
}

/// How properties of the type `Date` are encoded.
public enum DatabaseDateEncodingStrategy: @unchecked Sendable {
  /// As `Date` encodes itself: text.
  case deferredToDate
  /// The seconds since 2001-01-01, as a real number.
  case timeIntervalSinceReferenceDate
  /// The seconds since 1970, as a real number.
  case timeIntervalSince1970
  /// The seconds since 1970, as an integer.
  case secondsSince1970
  /// The milliseconds since 1970, as an integer.
  case millisecondsSince1970
  /// Text in the form of ISO 8601, without fractions of seconds.
  case iso8601
  /// Text that a formatter makes.
  case formatted(DateFormatter)
  /// By a function.
  case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

  func encode(_ date: Date) -> DatabaseValue {
    switch self {
    case .deferredToDate: date.databaseValue
    case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.databaseValue
    case .timeIntervalSince1970: date.timeIntervalSince1970.databaseValue
    case .secondsSince1970: whole(date.timeIntervalSince1970)
    case .millisecondsSince1970: whole(date.timeIntervalSince1970 * 1_000)
    case .iso8601: date.formatted(.iso8601).databaseValue
    case .formatted(let formatter): formatter.string(from: date).databaseValue
    case .custom(let encode): encode(date)?.databaseValue ?? .null
    }
  }

  /// The whole number below; the nearest one for dates that are further away than an integer can
  /// say, NULL for none.
  private func whole(_ number: Double) -> DatabaseValue {
    if number.isNaN { return .null }
    let nearest = Int64(exactly: number.rounded(.down)) ?? (number < 0 ? .min : .max)
    return nearest.databaseValue
  }
}

/// How properties of the type `UUID` are encoded.
public enum DatabaseUUIDEncodingStrategy: Sendable {
  /// As `UUID` encodes itself: a blob of 16 bytes.
  case deferredToUUID
  /// As text with capital letters.
  case uppercaseString
  /// As text with small letters.
  case lowercaseString

  func encode(_ uuid: UUID) -> DatabaseValue {
    switch self {
    case .deferredToUUID: uuid.databaseValue
    case .uppercaseString: uuid.uuidString.uppercased().databaseValue
    case .lowercaseString: uuid.uuidString.lowercased().databaseValue
    }
  }
}

/// Which columns properties are encoded to.
public enum DatabaseColumnEncodingStrategy: Sendable {
  /// To the columns of their names.
  case useDefaultKeys
  /// The property `createdAt` to the column `created_at`.
  case convertToSnakeCase
  /// A function makes columns of coding keys.
  case custom(@Sendable (any CodingKey) -> String)

  func column(forKey key: some CodingKey) -> String {
    switch self {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snake(key.stringValue)
    case .custom(let column): column(key)
    }
  }
}
