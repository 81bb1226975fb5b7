import Foundation
import MartletEngine

extension Date: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column: text in one of SQLite's formats, or seconds since 1970.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let column = Int(index)
    switch sqliteStatement.columnType(column) {
    case .integer, .real:
      self.init(timeIntervalSince1970: sqliteStatement.columnDouble(column))
    case .text:
      guard let seconds = DateText(sqliteStatement.columnBytes(column))?.secondsSince2001 else {
        return nil
      }
      self.init(timeIntervalSinceReferenceDate: seconds)
    case .null, .blob:
      return nil
    }
  }

  /// Stored as text, `yyyy-MM-dd HH:mm:ss.SSS` in UTC. Dates outside the years 0 to 9999 are stored
  /// as seconds since 1970.
  public var databaseValue: DatabaseValue {
    DateText.text(secondsSince1970: timeIntervalSince1970)?.databaseValue
      ?? timeIntervalSince1970.databaseValue
  }

  /// Takes text in one of SQLite's formats that has a date, and numbers of seconds since 1970.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
    switch dbValue.storage {
    case .int64(let seconds): Date(timeIntervalSince1970: Double(seconds))
    case .double(let seconds): Date(timeIntervalSince1970: seconds)
    case .string(let text):
      DateText(text)?.secondsSince2001.map { Date(timeIntervalSinceReferenceDate: $0) }
    case .null, .blob: nil
    }
  }

  /// The date of a Julian day number; nil if it is outside the years 0 to 9999.
  public init?(julianDay: Double) {
    let seconds = (julianDay - 2_440_587.5) * 86_400
    guard DateText.text(secondsSince1970: seconds) != nil else { return nil }
    self.init(timeIntervalSince1970: (seconds * 1_000).rounded() / 1_000)
  }
}

/// Date components, and how precisely they are stored.
public struct DatabaseDateComponents: Sendable {
  /// The formats of SQLite. Components that a format has no place for are not stored; those that
  /// are missing are stored as 0, or as 1 for month and day.
  public enum Format: String, Sendable {
    /// Days: `1973-09-18`.
    case YMD = "yyyy-MM-dd"
    /// Minutes: `1973-09-18 10:11`.
    case YMD_HM = "yyyy-MM-dd HH:mm"
    /// Seconds: `1973-09-18 10:11:12`.
    case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
    /// Milliseconds: `1973-09-18 10:11:12.123`.
    case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
    /// Minutes of a day: `10:11`.
    case HM = "HH:mm"
    /// Seconds of a day: `10:11:12`.
    case HMS = "HH:mm:ss"
    /// Milliseconds of a day: `10:11:12.123`.
    case HMSS = "HH:mm:ss.SSS"

    fileprivate var hasDate: Bool { rawValue.hasPrefix("yyyy") }
    fileprivate var hasTime: Bool { self != .YMD }
    fileprivate var hasSeconds: Bool { rawValue.contains("ss") }
    fileprivate var hasFraction: Bool { rawValue.hasSuffix("SSS") }
  }

  /// The components.
  public let dateComponents: DateComponents

  /// The format in which they are stored.
  public let format: Format

  /// Pairs components with a format.
  public init(_ dateComponents: DateComponents, format: Format) {
    self.dateComponents = dateComponents
    self.format = format
  }

  fileprivate init?(_ text: DateText?) {
    guard let text else { return nil }
    var components = DateComponents()
    components.year = text.year
    components.month = text.month
    components.day = text.day
    components.hour = text.hour
    components.minute = text.minute
    components.second = text.second
    components.nanosecond = text.nanosecond
    if let seconds = text.zoneSeconds { components.timeZone = TimeZone(secondsFromGMT: seconds) }
    self.init(components, format: text.format)
  }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads text in one of SQLite's formats.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard sqliteStatement.columnType(Int(index)) == .text else { return nil }
    self.init(DateText(sqliteStatement.columnBytes(Int(index))))
  }

  /// Stored as text in the format.
  public var databaseValue: DatabaseValue {
    func digits(_ value: Int?, _ count: Int, _ fallback: Int = 0) -> String {
      let text = String(value ?? fallback)
      return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
    }
    let parts = dateComponents
    var text = ""
    if format.hasDate {
      text += digits(parts.year, 4) + "-" + digits(parts.month, 2, 1)
      text += "-" + digits(parts.day, 2, 1)
    }
    if format.hasTime {
      if format.hasDate { text += " " }
      text += digits(parts.hour, 2) + ":" + digits(parts.minute, 2)
    }
    if format.hasSeconds { text += ":" + digits(parts.second, 2) }
    if format.hasFraction {
      let milliseconds = (Double(parts.nanosecond ?? 0) / 1_000_000).rounded()
      text += "." + digits(Int(milliseconds), 3)
    }
    return text.databaseValue
  }

  /// Takes text in one of SQLite's formats.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
    guard case .string(let text) = dbValue.storage else { return nil }
    return DatabaseDateComponents(DateText(text))
  }
}

extension DatabaseDateComponents: Codable {
  /// Decodes the text.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let components = DatabaseDateComponents(DateText(text)) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(text) is no date"))
    }
    self = components
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String.fromDatabaseValue(databaseValue))
  }
}
