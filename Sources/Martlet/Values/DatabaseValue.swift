import Foundation
import MartletEngine

/// A value as the database stores it: NULL, an integer, a real number, text or a blob.
///
/// Two values are equal if SQLite finds them equal: the integer 1 and the real 1.0 are. Compare
/// their `storage` to tell them apart.
public struct DatabaseValue: Sendable {
  /// The stored form.
  public let storage: Storage

  /// NULL.
  public static let null = DatabaseValue(storage: .null)

  /// The five storage classes of SQLite.
  public enum Storage: Sendable, Equatable {
    /// NULL.
    case null
    /// INTEGER.
    case int64(Int64)
    /// REAL.
    case double(Double)
    /// TEXT.
    case string(String)
    /// BLOB.
    case blob(Data)

    /// The value in the storage as `Int64`, `Double`, `String` or `Data`; nil for NULL.
    public var value: (any DatabaseValueConvertible)? {
      switch self {
      case .null: nil
      case .int64(let value): value
      case .double(let value): value
      case .string(let value): value
      case .blob(let value): value
      }
    }

    /// Equal means the same storage class and the same value.
    public static func == (left: Storage, right: Storage) -> Bool {
      switch (left, right) {
      case (.null, .null): true
      case (.int64(let left), .int64(let right)): left == right
      case (.double(let left), .double(let right)): left == right
      case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
      case (.blob(let left), .blob(let right)): left == right
      default: false
      }
    }
  }

  @usableFromInline
  init(storage: Storage) { self.storage = storage }

  /// The database value of something that may be `DatabaseValueConvertible`; nil if it is not.
  public init?(value: Any) {
    guard let convertible = value as? any DatabaseValueConvertible else { return nil }
    self = convertible.databaseValue
  }

  /// Copies a column of the current row of a statement.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    let column = Int(index)
    switch sqliteStatement.columnType(column) {
    case .null: self = .null
    case .integer: storage = .int64(sqliteStatement.columnInt64(column))
    case .real: storage = .double(sqliteStatement.columnDouble(column))
    case .text: storage = .string(String(sqliteStatement: sqliteStatement, index: index))
    case .blob: storage = .blob(Data(sqliteStatement.columnBytes(column)))
    }
  }

  init(_ value: Value) {
    switch value {
    case .null: storage = .null
    case .integer(let value): storage = .int64(value)
    case .real(let value): storage = .double(value)
    case .text(let value): storage = .string(value)
    case .blob(let bytes): storage = .blob(Data(bytes))
    }
  }

  var engineValue: Value {
    switch storage {
    case .null: .null
    case .int64(let value): .integer(value)
    case .double(let value): value.isNaN ? .null : .real(value)
    case .string(let value): .text(value)
    case .blob(let data): .blob([UInt8](data))
    }
  }

  /// The value is NULL.
  public var isNull: Bool {
    if case .null = storage { return true }
    return false
  }
}

extension DatabaseValue: Hashable {
  /// Equal as SQLite compares: integers and real numbers by their numeric value.
  public static func == (left: DatabaseValue, right: DatabaseValue) -> Bool {
    switch (left.storage, right.storage) {
    case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
      Int64(exactly: real) == integer
    default:
      left.storage == right.storage
    }
  }

  /// Equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .null: hasher.combine(0)
    case .int64(let value): hasher.combine(Double(value))
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// Itself.
  public var databaseValue: DatabaseValue { self }

  /// The value itself.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? { dbValue }

  /// The value as an expression.
  public var sqlExpression: SQLExpression { SQLExpression(.value(self)) }

  /// Binds the value to a parameter.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    switch storage {
    case .null: sqlite3_bind_null(sqliteStatement, index)
    case .int64(let value): sqlite3_bind_int64(sqliteStatement, index, value)
    case .double(let value): sqlite3_bind_double(sqliteStatement, index, value)
    case .string(let value): value.bind(to: sqliteStatement, at: index)
    case .blob(let value): value.bind(to: sqliteStatement, at: index)
    }
  }
}

extension DatabaseValue: StatementColumnConvertible {
  /// Reads a column, also one that is NULL.
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> DatabaseValue? {
    DatabaseValue(sqliteStatement: sqliteStatement, index: index)
  }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue: CustomStringConvertible {
  /// The value for people who debug: text in quotes, blobs by their size.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .int64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value.quoted
    case .blob(let value): "Data(\(value.description))"
    }
  }

  /// The value as a literal of SQL.
  var sqlLiteral: String {
    switch storage {
    case .null: return "NULL"
    case .int64(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .string(let value): return value.quoted(with: "'")
    case .blob(let value):
      let digits = Array("0123456789ABCDEF")
      return "X'" + String(value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
    }
  }
}

extension String {
  /// The text in double quotes, as a literal of Swift; a single quote needs no backslash.
  var quoted: String {
    unicodeScalars.reduce(into: "\"") { text, scalar in
      text += scalar == "'" ? "'" : scalar.escaped(asASCII: false)
    } + "\""
  }
}
