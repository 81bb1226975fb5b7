// Columns of the current row. They are read in place, and are what they are until the next step or
// reset, also when the connection changes the row meanwhile; bytes that are lent end with such a
// change (`ResultRow.bytes`).
//
// Another thread that writes on the connection lets registers own their bytes. Classes, integers and
// reals are not touched by that; what copies or converts bytes keeps it out.
//
// A column that does not exist, or is read without a row, is NULL, as in SQLite
// (`sqlite3_column_int64` and its kin).

extension Statement {
  /// Columns of each row; 0 for statements without rows.
  public var columnCount: Int { program.columns.count }

  /// The name of a column: its alias, or as SQLite names it (`sqlite3_column_name`).
  public func columnName(_ index: Int) -> String {
    program.columns.indices.contains(index) ? program.columns[index].name : ""
  }

  /// The type that the column was declared with; nil for an expression.
  public func columnDeclaredType(_ index: Int) -> String? {
    program.columns.indices.contains(index) ? program.columns[index].declaredType : nil
  }

  /// The database, table and column that a column comes from; nil for an expression.
  public func columnOrigin(
    _ index: Int
  ) -> (database: String, table: String, column: String)? {
    program.columns.indices.contains(index) ? program.columns[index].origin : nil
  }

  /// Whether there is a row to read.
  public var hasRow: Bool { currentRow.columnCount > 0 }

  /// The row that the statement is at.
  @inlinable
  public var currentRow: ResultRow { ResultRow(rowState) }

  /// The storage class of a column.
  @inlinable
  public func columnType(_ index: Int) -> StorageClass { currentRow.type(index) }

  /// The value as an integer, converted as CAST does.
  @inlinable
  public func columnInt64(_ index: Int) -> Int64 { currentRow.int64(index) }

  /// The value as a real, converted as CAST does.
  @inlinable
  public func columnDouble(_ index: Int) -> Double { currentRow.double(index) }

  /// The value as text; NULL is an empty string. Bytes that are not UTF-8 are replaced.
  public func columnText(_ index: Int) -> String {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    return String(decoding: columnBytes(index), as: UTF8.self)
  }

  /// The bytes of a blob, or of the value as UTF-8 text; empty for NULL, and where memory for the
  /// conversion runs out, as in SQLite. How long they are valid, `ResultRow.bytes` says.
  @inlinable
  public func columnBytes(_ index: Int) -> UnsafeRawBufferPointer { currentRow.bytes(index) }

  /// As `columnBytes`.
  ///
  /// - Throws: `outOfMemory` where there is none for the conversion.
  public func columnTextBytes(_ index: Int) throws(SQLError) -> UnsafeRawBufferPointer {
    let bytes = columnBytes(index)
    guard bytes.isEmpty, let value = currentRow.value(index), value.type != .null else {
      return bytes
    }
    // A single byte is no text in UTF-16.
    let isText = value.type == .text && program.encoding != .utf8
    if value.type < .text || value.byteCount > (isText ? 1 : 0) { throw .outOfMemory }
    return bytes
  }

  /// The bytes of what is not UTF-8 text already.
  @usableFromInline
  func convertedBytes(
    ofColumn index: Int, _ register: UnsafeMutablePointer<Register>
  ) -> UnsafeRawBufferPointer {
    switch register.pointee.tag {
    case .null: return UnsafeRawBufferPointer(start: nil, count: 0)
    case .blob:
      if register.pointee.zeroCount > 0 { try? register.pointee.expandZeros() }
      return UnsafeRawBufferPointer(register.pointee.byteBuffer)
    case .integer, .real, .text:
      let text = connection.showingReals { try? convertedText(ofColumn: index, register) }
      return text ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// The value as UTF-8 text with a zero byte behind it, valid until the next step or reset, or
  /// until the column is asked for again; nil for NULL, and where memory runs out.
  public func columnCString(_ index: Int) -> UnsafePointer<UInt8>? {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    guard columnType(index) != .null else { return nil }
    let bytes = columnBytes(index)
    guard let copy = try? Memory.allocate(bytes.count + 1) else { return nil }
    if let start = bytes.baseAddress { copy.copyMemory(from: start, byteCount: bytes.count) }
    copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    keepCString(copy, ofColumn: index)
    return UnsafePointer(copy.assumingMemoryBound(to: UInt8.self))
  }
}
