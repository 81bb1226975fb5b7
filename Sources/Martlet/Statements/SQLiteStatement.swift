import MartletEngine

// SQLite's C interface to a statement's columns and parameters, as Swift functions: conformances to
// `StatementColumnConvertible` and `StatementBinding` that were written for it compile as they are.

/// A statement of the engine, as custom conversions of values see it.
public typealias SQLiteStatement = MartletEngine.Statement

/// The storage class INTEGER.
public let SQLITE_INTEGER: CInt = 1
/// The storage class REAL.
public let SQLITE_FLOAT: CInt = 2
/// The storage class TEXT.
public let SQLITE_TEXT: CInt = 3
/// The storage class BLOB.
public let SQLITE_BLOB: CInt = 4
/// The storage class NULL.
public let SQLITE_NULL: CInt = 5
/// Success.
public let SQLITE_OK: CInt = 0

/// The storage class of a column of the current row.
public func sqlite3_column_type(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
  switch statement.columnType(Int(index)) {
  case .null: SQLITE_NULL
  case .integer: SQLITE_INTEGER
  case .real: SQLITE_FLOAT
  case .text: SQLITE_TEXT
  case .blob: SQLITE_BLOB
  }
}

/// A column of the current row as an integer, cut to 32 bits.
public func sqlite3_column_int(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
  CInt(truncatingIfNeeded: statement.columnInt64(Int(index)))
}

/// A column of the current row as an integer; other values are converted as CAST does.
@inlinable
public func sqlite3_column_int64(_ statement: SQLiteStatement, _ index: CInt) -> Int64 {
  statement.columnInt64(Int(index))
}

/// A column of the current row as a real number; other values are converted as CAST does.
@inlinable
public func sqlite3_column_double(_ statement: SQLiteStatement, _ index: CInt) -> Double {
  statement.columnDouble(Int(index))
}

/// A column of the current row as UTF-8 text with a zero byte at its end; nil for NULL.
///
/// The text is valid until the statement is stepped or reset, or the column is asked for again.
public func sqlite3_column_text(
  _ statement: SQLiteStatement, _ index: CInt
) -> UnsafePointer<UInt8>! {
  statement.columnCString(Int(index))
}

/// The bytes of a column of the current row; nil for NULL and for empty blobs.
public func sqlite3_column_blob(
  _ statement: SQLiteStatement, _ index: CInt
) -> UnsafeRawPointer! {
  let bytes = statement.columnBytes(Int(index))
  return bytes.isEmpty ? nil : bytes.baseAddress
}

/// How many bytes the blob, or the text in UTF-8, has.
public func sqlite3_column_bytes(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
  CInt(clamping: statement.columnBytes(Int(index)).count)
}

/// How many columns the rows of a statement have.
public func sqlite3_column_count(_ statement: SQLiteStatement) -> CInt {
  CInt(clamping: statement.columnCount)
}

/// Called when bound memory is no longer needed. Martlet copies what is bound, and calls it at
/// once.
public typealias sqlite3_destructor_type =
  @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Binds NULL; the result is a result code.
@discardableResult
public func sqlite3_bind_null(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
  resultCode { () throws(SQLError) in try statement.bindNull(at: Int(index)) }
}

/// Binds an integer; the result is a result code.
@discardableResult
public func sqlite3_bind_int(
  _ statement: SQLiteStatement, _ index: CInt, _ value: CInt
) -> CInt {
  sqlite3_bind_int64(statement, index, Int64(value))
}

/// Binds an integer; the result is a result code.
@discardableResult
public func sqlite3_bind_int64(
  _ statement: SQLiteStatement, _ index: CInt, _ value: Int64
) -> CInt {
  resultCode { () throws(SQLError) in try statement.bind(value, at: Int(index)) }
}

/// Binds a real number; the result is a result code.
@discardableResult
public func sqlite3_bind_double(
  _ statement: SQLiteStatement, _ index: CInt, _ value: Double
) -> CInt {
  resultCode { () throws(SQLError) in try statement.bind(value, at: Int(index)) }
}

/// Binds so many bytes of UTF-8 text, or all up to the zero byte if the count is negative; nil
/// binds NULL. The result is a result code.
@discardableResult
public func sqlite3_bind_text(
  _ statement: SQLiteStatement, _ index: CInt, _ text: UnsafePointer<CChar>?, _ count: CInt,
  _ destructor: sqlite3_destructor_type? = nil
) -> CInt {
  guard let text else { return sqlite3_bind_null(statement, index) }
  let count = count < 0 ? lengthOfCString(text) : Int(count)
  let bytes = UnsafeRawBufferPointer(start: text, count: count)
  let code = resultCode { () throws(SQLError) in try statement.bind(text: bytes, at: Int(index)) }
  release(text, destructor)
  return code
}

/// Binds bytes as a blob; nil binds NULL. The result is a result code.
@discardableResult
public func sqlite3_bind_blob(
  _ statement: SQLiteStatement, _ index: CInt, _ bytes: UnsafeRawPointer?, _ count: CInt,
  _ destructor: sqlite3_destructor_type? = nil
) -> CInt {
  guard let bytes else { return sqlite3_bind_null(statement, index) }
  guard count >= 0 else { return ResultCode.SQLITE_MISUSE.rawValue }
  let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
  let code = resultCode { () throws(SQLError) in try statement.bind(blob: buffer, at: Int(index)) }
  release(bytes, destructor)
  return code
}

private func lengthOfCString(_ text: UnsafePointer<CChar>) -> Int {
  var count = 0
  while text[count] != 0 { count += 1 }
  return count
}

/// SQLITE_TRANSIENT is the pointer -1, which cannot be called.
private func release(_ memory: UnsafeRawPointer, _ destructor: sqlite3_destructor_type?) {
  guard let destructor, unsafeBitCast(destructor, to: Int.self) != -1 else { return }
  destructor(UnsafeMutableRawPointer(mutating: memory))
}

@inline(__always)
func resultCode(_ body: () throws(SQLError) -> Void) -> CInt {
  do {
    try body()
    return SQLITE_OK
  } catch {
    return error.code.rawValue
  }
}
