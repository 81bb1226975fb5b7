import Foundation
import MartletEngine

extension Data: Value {
  /// `BLOB`.
  public static var declaredDatatype: String { "BLOB" }
  /// The bytes.
  public static func fromDatatypeValue(_ value: Blob) -> Data { Data(value.bytes) }
  /// The bytes.
  public var datatypeValue: Blob { Blob(bytes: Array(self)) }
}

extension Date: Value {
  /// `TEXT`.
  public static var declaredDatatype: String { "TEXT" }

  /// A date of what `dateFormatter` has written, or in one of SQLite's formats
  /// (lang_datefunc §2); UTC unless the text names a zone.
  ///
  /// - Throws: `Result.error` for a text that is no date.
  public static func fromDatatypeValue(_ value: String) throws -> Date {
    if let date = dateFormatter.date(from: value) { return date }
    throw Result.misuse("not a date: \(value)")
  }

  /// `yyyy-MM-dd'T'HH:mm:ss.SSS` in UTC, or what `dateFormatter` was set to.
  public var datatypeValue: String { dateFormatter.string(from: self) }
}

/// How dates are written as text and read again. Another one may be set before the first use.
public var dateFormatter: any DateTextFormatter {
  get { currentDateFormatter.withLock { $0 } }
  set { currentDateFormatter.withLock { $0 = newValue } }
}

private let currentDateFormatter = Locked<any DateTextFormatter>(StandardDateFormatter())

/// Writes dates as text. Foundation's `DateFormatter` is one.
public protocol DateTextFormatter: Sendable {
  /// The text of a date.
  func string(from date: Date) -> String
  /// The date of a text; nil where it is none.
  func date(from text: String) -> Date?
}

extension DateFormatter: DateTextFormatter {}

/// `yyyy-MM-dd'T'HH:mm:ss.SSS` in UTC; reads all formats of SQLite that have a date.
public struct StandardDateFormatter: DateTextFormatter {
  /// The one that is used unless `dateFormatter` is set.
  public init() {}

  /// The text of a date. Years outside of 0 to 9999 are written as their seconds since 1970, which
  /// are read again.
  public func string(from date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    return DateText.text(secondsSince1970: seconds, separator: "T") ?? String(seconds)
  }

  /// The date of a text; nil where it is none.
  public func date(from text: String) -> Date? {
    if let seconds = DateText(text)?.secondsSince2001 {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return Double(text).map { Date(timeIntervalSince1970: $0) }
  }
}

extension UUID: Value {
  /// `TEXT`.
  public static var declaredDatatype: String { "TEXT" }

  /// A UUID of its text.
  ///
  /// - Throws: `Result.error` for a text that is none.
  public static func fromDatatypeValue(_ value: String) throws -> UUID {
    guard let uuid = UUID(uuidString: value) else { throw Result.misuse("not a UUID: \(value)") }
    return uuid
  }

  /// The text in upper case.
  public var datatypeValue: String { uuidString }
}

extension URL: Value {
  /// `TEXT`.
  public static var declaredDatatype: String { "TEXT" }

  /// A URL of its text.
  ///
  /// - Throws: `Result.error` for a text that is none.
  public static func fromDatatypeValue(_ value: String) throws -> URL {
    guard let url = URL(string: value) else { throw Result.misuse("not a URL: \(value)") }
    return url
  }

  /// The text.
  public var datatypeValue: String { absoluteString }
}

extension Blob {
  /// Copies the bytes of data.
  public init(data: Data) { self.init(bytes: Array(data)) }
}
