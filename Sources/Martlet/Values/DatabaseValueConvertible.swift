import Foundation
import MartletEngine

/// A type whose values go into and come out of database columns.
///
/// Numbers, text, dates and their kin conform; so do optionals of conforming types. Enums with raw
/// values, and `Codable` types, which are stored as JSON text, conform with an empty body:
///
/// ```swift
/// enum Grape: String, DatabaseValueConvertible {
///   case chardonnay, merlot, riesling
/// }
///
/// struct Color: Codable, DatabaseValueConvertible {
///   var red, green, blue: Double
/// }
/// ```
public protocol DatabaseValueConvertible: SQLExpressible, StatementBinding {
  /// The value that is stored.
  var databaseValue: DatabaseValue { get }

  /// Makes a value of a stored one; nil says that it cannot be one of this type, and fetching it
  /// fails with an error.
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

  /// What a column that does not exist gives: nil for an optional type. Do not implement it.
  static func fromMissingColumn() -> Self?

  /// Decodes the values of a type that is stored as JSON.
  static func databaseJSONDecoder() -> JSONDecoder

  /// Encodes the values of a type that is stored as JSON.
  static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
  /// The value as an expression.
  public var sqlExpression: SQLExpression { databaseValue.sqlExpression }

  /// Binds the stored form of the value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    databaseValue.bind(to: sqliteStatement, at: index)
  }

  /// Nil: a missing column is an error.
  public static func fromMissingColumn() -> Self? { nil }

  /// Data is base64, dates are milliseconds since 1970, infinite numbers are refused.
  public static func databaseJSONDecoder() -> JSONDecoder { JSONDecoder.forColumns() }

  /// Data is base64, dates are milliseconds since 1970, infinite numbers are refused, keys are
  /// sorted so that equal values are equal text.
  public static func databaseJSONEncoder() -> JSONEncoder { JSONEncoder.forColumns() }
}

extension JSONDecoder {
  static func forColumns() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dataDecodingStrategy = .base64
    decoder.dateDecodingStrategy = .millisecondsSince1970
    decoder.nonConformingFloatDecodingStrategy = .throw
    return decoder
  }
}

extension JSONEncoder {
  static func forColumns() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dataEncodingStrategy = .base64
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .throw
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

// MARK: - Raw values

extension SQLExpressible where Self: RawRepresentable, Self.RawValue: SQLExpressible {
  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension SQLSelectable where Self: RawRepresentable, Self.RawValue: SQLSelectable {
  /// The raw value as a selection.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, Self.RawValue: SQLOrderingTerm {
  /// The raw value as an ordering.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLSpecificExpressible
where Self: RawRepresentable, Self.RawValue: SQLSpecificExpressible {
  /// The raw value as a selection.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }
  /// The raw value as an ordering.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension StatementBinding where Self: RawRepresentable, Self.RawValue: StatementBinding {
  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }
}

extension StatementColumnConvertible
where Self: RawRepresentable, Self.RawValue: StatementColumnConvertible {
  /// Reads a raw value; nil if the type has no such value.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let raw = RawValue(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self.init(rawValue: raw)
  }
}

extension DatabaseValueConvertible
where Self: RawRepresentable, Self.RawValue: DatabaseValueConvertible {
  /// The stored form of the raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }

  /// Binds the raw value.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    rawValue.bind(to: sqliteStatement, at: index)
  }

  /// Makes a value of a stored raw value; nil if the type has no such value.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
  }
}

// MARK: - Optionals

extension Optional: StatementBinding where Wrapped: StatementBinding {
  /// Binds the value, or NULL.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    self?.bind(to: sqliteStatement, at: index) ?? sqlite3_bind_null(sqliteStatement, index)
  }
}

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
  /// The value as an expression, or NULL.
  public var sqlExpression: SQLExpression { self?.sqlExpression ?? .null }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
  /// The value as an ordering, or NULL.
  public var sqlOrdering: SQLOrdering { self?.sqlOrdering ?? SQLOrdering(.expression(.null)) }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
  /// The value as a selection, or NULL.
  public var sqlSelection: SQLSelection { self?.sqlSelection ?? SQLSelection(.expression(.null)) }
}

extension Optional: SQLSpecificExpressible where Wrapped: SQLSpecificExpressible {}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The stored form of the value, or NULL.
  public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

  /// A missing column gives nil.
  public static func fromMissingColumn() -> Self? { .some(nil) }

  /// NULL gives nil.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    if let value = Wrapped.fromDatabaseValue(dbValue) { return value }
    return dbValue.isNull ? .some(nil) : nil
  }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
  /// Reads a column; NULL gives nil.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    if sqliteStatement.columnType(Int(index)) == .null { return .some(nil) }
    guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else { return nil }
    return .some(value)
  }

  /// Reads a column; NULL gives nil.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Self? {
    if row.isNull(index) { return .some(nil) }
    guard let value = Wrapped._fromRow(row, atUncheckedIndex: index) else { return nil }
    return .some(value)
  }

  /// Reads a column that is not NULL.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = Wrapped(sqliteStatement: sqliteStatement, index: index) else { return nil }
    self = value
  }
}
