import Foundation
import MartletEngine

extension String: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads a column as text, up to its first zero byte. Bytes that are not UTF-8 are replaced.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(cString: sqliteStatement.columnBytes(Int(index)))
  }

  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> String? {
    row.isNull(index) ? nil : String(cString: row.bytes(index))
  }

  /// Text up to its first zero byte.
  @usableFromInline
  init(cString bytes: UnsafeRawBufferPointer) {
    let count = bytes.cStringLength
    self.init(
      decoding: UnsafeRawBufferPointer(start: bytes.baseAddress, count: count), as: UTF8.self)
  }

  /// Stored as TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(self)) }

  /// Takes text, and blobs that are UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> String? {
    switch dbValue.storage {
    case .string(let value): value
    case .blob(let data): String(data: data, encoding: .utf8)
    case .null, .int64, .double: nil
    }
  }

  /// Binds the text, up to its first zero byte.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    var text = self
    return text.withUTF8 { utf8 in
      let bytes = UnsafeRawBufferPointer(utf8)
      return resultCode { () throws(SQLError) in
        try sqliteStatement.bind(
          text: UnsafeRawBufferPointer(rebasing: bytes[..<bytes.cStringLength]), at: Int(index))
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The count of bytes before the first zero byte: text is exchanged as C strings.
  var cStringLength: Int {
    guard let start = baseAddress, let end = memchr(start, 0, count) else { return count }
    return UnsafeRawPointer(end) - start
  }
}

extension Data: DatabaseValueConvertible, StatementColumnConvertible {
  /// Reads the bytes of a column.
  public init(sqliteStatement: SQLiteStatement, index: CInt) {
    self.init(sqliteStatement.columnBytes(Int(index)))
  }

  /// Reads a column in place; nil if it is NULL.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Data? {
    row.isNull(index) ? nil : Data(row.bytes(index))
  }

  /// Stored as BLOB.
  public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(self)) }

  /// Takes blobs, and the UTF-8 bytes of text.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Data? {
    switch dbValue.storage {
    case .blob(let data): data
    case .string(let text): Data(text.utf8)
    case .null, .int64, .double: nil
    }
  }

  /// Binds the bytes as a blob.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes { bytes in
      resultCode { () throws(SQLError) in try sqliteStatement.bind(blob: bytes, at: Int(index)) }
    }
  }
}
