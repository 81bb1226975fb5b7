import Foundation

/// A type that is made of rows.
///
/// `Decodable` types conform with an empty body; the strategies below say how their properties are
/// decoded.
///
/// ```swift
/// struct Player: FetchableRecord {
///   let id: Int64
///   let name: String
///   init(row: Row) {
///     id = row["id"]
///     name = row["name"]
///   }
/// }
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
public protocol FetchableRecord {
  /// Makes a record of a row. The row must not be kept: copy it.
  init(row: Row) throws

  /// What decoders find in their `userInfo`.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Decodes properties that are stored as JSON.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How properties of the type `Data` are decoded.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

  /// How properties of the type `Date` are decoded.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// Which columns properties are decoded from.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
  /// Nothing.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Data is base64, dates are milliseconds since 1970, infinite numbers are refused.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder.forColumns()
    // What the application puts there is used by its own types on this thread.
    decoder.userInfo = unsafeBitCast(
      databaseDecodingUserInfo, to: [CodingUserInfoKey: any Sendable].self)
    return decoder
  }

  /// As `Data` decodes itself.
  public static func databaseDataDecodingStrategy(
    for column: String
  ) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }

  /// As `Date` decodes itself.
  public static func databaseDateDecodingStrategy(
    for column: String
  ) -> DatabaseDateDecodingStrategy {
    .deferredToDate
  }

  /// From the columns of their names.
  public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
    .useDefaultKeys
  }
}

/// How properties of the type `Data` are decoded.
public enum DatabaseDataDecodingStrategy: Sendable {
  /// As `Data` decodes itself.
  case deferredToData
  /// By a function; nil is an error.
  case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How properties of the type `Date` are decoded.
public enum DatabaseDateDecodingStrategy: @unchecked Sendable {
  /// As `Date` decodes itself: text, or seconds since 1970.
  case deferredToDate
  /// Numbers of seconds since 2001-01-01.
  case timeIntervalSinceReferenceDate
  /// Numbers of seconds since 1970.
  case timeIntervalSince1970
  /// Numbers of milliseconds since 1970.
  case millisecondsSince1970
  /// Text in the form of ISO 8601, without fractions of seconds.
  case iso8601
  /// Text that a formatter reads.
  case formatted(DateFormatter)
  /// By a function; nil is an error.
  case custom(@Sendable (DatabaseValue) -> Date?)

  func date(_ value: DatabaseValue) -> Date? {
    switch self {
    case .deferredToDate: Date.fromDatabaseValue(value)
    case .timeIntervalSinceReferenceDate:
      Double.fromDatabaseValue(value).map { Date(timeIntervalSinceReferenceDate: $0) }
    case .timeIntervalSince1970:
      Double.fromDatabaseValue(value).map { Date(timeIntervalSince1970: $0) }
    case .millisecondsSince1970:
      Double.fromDatabaseValue(value).map { Date(timeIntervalSince1970: $0 / 1_000) }
    case .iso8601:
      String.fromDatabaseValue(value).flatMap { try? Date($0, strategy: .iso8601) }
    case .formatted(let formatter):
      String.fromDatabaseValue(value).flatMap { formatter.date(from: $0) }
    case .custom(let decode): decode(value)
    }
  }
}

/// Which columns properties are decoded from.
public enum DatabaseColumnDecodingStrategy: Sendable {
  /// From the columns of their names.
  case useDefaultKeys
  /// The property `createdAt` from the column `created_at`.
  case convertFromSnakeCase
  /// A function makes coding keys of columns.
  case custom(@Sendable (String) -> any CodingKey)

  /// The name of the property for a column.
  func key(ofColumn column: String) -> String {
    switch self {
    case .useDefaultKeys: column
    case .convertFromSnakeCase: SnakeCase.camel(column)
    case .custom(let key): key(column).stringValue
    }
  }
}

/// Names of properties and columns.
enum SnakeCase {
  /// `created_at` as `createdAt`. Underscores at the ends stay.
  static func camel(_ name: String) -> String {
    let head = name.prefix { $0 == "_" }
    let rest = name.dropFirst(head.count)
    guard let last = rest.lastIndex(where: { $0 != "_" }) else { return name }
    let tail = rest[rest.index(after: last)...]
    let words = rest[...last].split(separator: "_")
    guard words.count > 1 else { return name }
    let capitalized = words.dropFirst().map {
      $0.prefix(1).uppercased() + $0.dropFirst().lowercased()
    }
    return head + words[0].lowercased() + capitalized.joined() + tail
  }

  /// `createdAt` as `created_at`, `myURLProperty` as `my_url_property`.
  static func snake(_ name: String) -> String {
    let characters = Array(name)
    var result = ""
    for (index, character) in characters.enumerated() {
      if character.isUppercase, index > 0, characters[index - 1] != "_" {
        let isAfterSmall = !characters[index - 1].isUppercase
        let isBeforeSmall = index + 1 < characters.count && characters[index + 1].isLowercase
        if isAfterSmall || isBeforeSmall { result += "_" }
      }
      result += character.lowercased()
    }
    return result
  }
}
