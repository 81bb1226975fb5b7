// Bool, the integer types and the floating point types.

import MartletEngine

extension Bool: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Bool? {
    row.isNull(index) ? nil : row.int64(index) != 0
  }

  /// True unless the column, as an integer, is 0.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_int64(sqliteStatement, index) != 0
  }

  /// 1 or 0.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }

  /// False for 0, true for other numbers; text and blobs are no truth values.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Bool? {
    switch dbValue.storage {
    case .int64(let value): value != 0
    case .double(let value): value != 0
    case .null, .string, .blob: nil
    }
  }

  /// Binds 1 or 0.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, self ? 1 : 0)
  }
}

extension Int64: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Int64? {
    row.isNull(index) ? nil : row.int64(index)
  }

  /// Reads a column as an integer.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_int64(sqliteStatement, index)
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .int64(self)) }

  /// Takes integers, and real numbers without their fraction where they are in range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int64? {
    switch dbValue.storage {
    case .int64(let value): value
    case .double(let value): Int64(exactly: value.rounded(.towardZero))
    case .null, .string, .blob: nil
    }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, self)
  }
}

extension Int: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Int? {
    row.isNull(index) ? nil : Int(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int? {
    Int64.fromDatabaseValue(dbValue).flatMap { Int(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension Int8: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Int8? {
    row.isNull(index) ? nil : Int8(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8? {
    Int64.fromDatabaseValue(dbValue).flatMap { Int8(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension Int16: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Int16? {
    row.isNull(index) ? nil : Int16(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int16? {
    Int64.fromDatabaseValue(dbValue).flatMap { Int16(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension Int32: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Int32? {
    row.isNull(index) ? nil : Int32(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int32? {
    Int64.fromDatabaseValue(dbValue).flatMap { Int32(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension UInt: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> UInt? {
    row.isNull(index) ? nil : UInt(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER. A number above `Int64.max` stops the program.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt? {
    Int64.fromDatabaseValue(dbValue).flatMap { UInt(exactly: $0) }
  }

  /// Binds the integer. A number above `Int64.max` stops the program.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension UInt8: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> UInt8? {
    row.isNull(index) ? nil : UInt8(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt8? {
    Int64.fromDatabaseValue(dbValue).flatMap { UInt8(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension UInt16: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> UInt16? {
    row.isNull(index) ? nil : UInt16(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt16? {
    Int64.fromDatabaseValue(dbValue).flatMap { UInt16(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension UInt32: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> UInt32? {
    row.isNull(index) ? nil : UInt32(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt32? {
    Int64.fromDatabaseValue(dbValue).flatMap { UInt32(exactly: $0) }
  }

  /// Binds the integer.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension UInt64: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL or out of range.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> UInt64? {
    row.isNull(index) ? nil : UInt64(exactly: row.int64(index))
  }

  /// Reads a column as an integer; nil if it is out of range.
  @inlinable
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(exactly: sqlite3_column_int64(sqliteStatement, index))
  }

  /// Stored as INTEGER. A number above `Int64.max` stops the program.
  public var databaseValue: DatabaseValue { Int64(self).databaseValue }

  /// Takes integers, and real numbers without their fraction; nil where they are out of range.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UInt64? {
    Int64.fromDatabaseValue(dbValue).flatMap { UInt64(exactly: $0) }
  }

  /// Binds the integer. A number above `Int64.max` stops the program.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(self))
  }
}

extension Double: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Double? {
    row.isNull(index) ? nil : row.double(index)
  }

  /// Reads a column as a real number.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self = sqlite3_column_double(sqliteStatement, index)
  }

  /// Stored as REAL; SQLite stores NULL for what is not a number.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(self)) }

  /// Takes integers and real numbers.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Double? {
    switch dbValue.storage {
    case .int64(let value): Double(value)
    case .double(let value): value
    case .null, .string, .blob: nil
    }
  }

  /// Binds the number.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_double(sqliteStatement, index, self)
  }
}

extension Float: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Float? {
    row.isNull(index) ? nil : Float(row.double(index))
  }

  /// Reads a column as a real number.
  @inlinable
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self = Float(sqlite3_column_double(sqliteStatement, index))
  }

  /// Stored as REAL; SQLite stores NULL for what is not a number.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

  /// Takes integers and real numbers.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Float? {
    switch dbValue.storage {
    case .int64(let value): Float(value)
    case .double(let value): Float(value)
    case .null, .string, .blob: nil
    }
  }

  /// Binds the number.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_double(sqliteStatement, index, Double(self))
  }
}
