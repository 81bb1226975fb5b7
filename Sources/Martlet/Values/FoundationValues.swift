import Foundation
import MartletEngine

extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column as a real number.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(sqlite3_column_double(sqliteStatement, index))
  }

  /// Stored as REAL.
  public var databaseValue: DatabaseValue { Double(self).databaseValue }

  /// Takes integers and real numbers.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
    Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
  }
}

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a blob of 16 bytes, or text.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let column = Int(index)
    switch sqliteStatement.columnType(column) {
    case .text: self.init(uuidString: sqliteStatement.columnText(column))
    case .blob: self.init(bytes: sqliteStatement.columnBytes(column))
    case .null, .integer, .real: return nil
    }
  }

  /// Stored as a blob of 16 bytes.
  public var databaseValue: DatabaseValue {
    withUnsafeBytes(of: uuid) { Data($0) }.databaseValue
  }

  /// Takes blobs of 16 bytes, and text.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
    switch dbValue.storage {
    case .blob(let data): data.withUnsafeBytes { UUID(bytes: $0) }
    case .string(let text): UUID(uuidString: text)
    case .null, .int64, .double: nil
    }
  }

  private init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }
}

extension URL: DatabaseValueConvertible {
  /// Stored as text: the absolute string.
  public var databaseValue: DatabaseValue { absoluteString.databaseValue }

  /// Takes text that is a URL.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
    String.fromDatabaseValue(dbValue).flatMap { URL(string: $0) }
  }
}

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a number, or text.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let value = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
    guard let decimal = Decimal.fromDatabaseValue(value) else { return nil }
    self = decimal
  }

  /// Stored as text, with a point whatever the locale.
  public var databaseValue: DatabaseValue { description.databaseValue }

  /// Takes numbers, and text that is a number. Reals that are too large or too small for a decimal
  /// number, and infinity, give `nan`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
    switch dbValue.storage {
    case .int64(let value): Decimal(value)
    // Foundation's initializer stops the program for infinity.
    case .double(let value): value.isFinite ? Decimal(value) : .nan
    case .string(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    case .null, .blob: nil
    }
  }
}

// MARK: - Classes of Foundation

extension NSNull: DatabaseValueConvertible {
  /// NULL.
  public var databaseValue: DatabaseValue { .null }

  /// Nil: nothing decodes to it.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension NSString: DatabaseValueConvertible {
  /// Stored as text.
  public var databaseValue: DatabaseValue { String(describing: self).databaseValue }

  /// Takes text, and blobs that are UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
  }
}

extension NSData: DatabaseValueConvertible {
  /// Stored as a blob.
  public var databaseValue: DatabaseValue { Data(referencing: self).databaseValue }

  /// Takes blobs, and the bytes of text.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
  }
}

extension NSDate: DatabaseValueConvertible {
  /// Stored as `Date` is.
  public var databaseValue: DatabaseValue {
    Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).databaseValue
  }

  /// Takes what `Date` takes.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Date.fromDatabaseValue(dbValue).flatMap {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
    }
  }
}

extension NSUUID: DatabaseValueConvertible {
  /// Stored as `UUID` is.
  public var databaseValue: DatabaseValue {
    UUID(uuidString: uuidString).map { $0.databaseValue } ?? .null
  }

  /// Takes what `UUID` takes.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
  }
}

extension NSURL: DatabaseValueConvertible {
  /// Stored as text: the absolute string.
  public var databaseValue: DatabaseValue { absoluteString.databaseValue }

  /// Takes text that is a URL.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0) as? Self }
  }
}

extension NSNumber: DatabaseValueConvertible {
  /// Stored as an integer where the number is one, else as a real number; decimal numbers that are
  /// no integers are stored as real numbers.
  public var databaseValue: DatabaseValue {
    if let decimal = self as? NSDecimalNumber {
      let value = decimal.decimalValue
      let integer = decimal.int64Value
      if Decimal(integer) == value { return integer.databaseValue }
      return decimal.doubleValue.databaseValue
    }
    switch String(cString: objCType) {
    case "f", "d": return doubleValue.databaseValue
    case "Q", "L": return uint64Value.databaseValue
    default: return int64Value.databaseValue
    }
  }

  /// Takes numbers, and text that is a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let value):
      return (NSNumber(value: value) as? Self) ?? decimalNumber(dbValue)
    case .double(let value):
      return (NSNumber(value: value) as? Self) ?? decimalNumber(dbValue)
    case .string:
      return decimalNumber(dbValue)
    case .null, .blob:
      return nil
    }
  }

  private static func decimalNumber(_ dbValue: DatabaseValue) -> Self? {
    Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
  }
}
