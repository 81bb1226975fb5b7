// Columns of the current row, and what is known of them (c3ref/column_blob, c3ref/column_name …).
//
// A column is read in place, under the connection's lock: another thread that changes rows lets this
// statement take its bytes from their page, and one that steps it changes the row.
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_column_count(_ statement: OpaquePointer!) -> Int32 {
  StatementHandle.ask(statement, otherwise: 0) { Int32(truncatingIfNeeded: $0.columnCount) }
}

extension StatementHandle {
  /// What the function makes of a column; `none`, and an error is noted, where the statement has no
  /// such column in its row.
  @inline(__always)
  fileprivate static func withColumn<Result>(
    _ statement: OpaquePointer?, _ index: Int32, otherwise none: Result,
    _ body: (StatementHandle) -> Result
  ) -> Result {
    guard let handle = StatementHandle(statement) else { return none }
    return handle.locked {
      guard UInt(bitPattern: Int(index)) < UInt(bitPattern: handle.pointee.row.columnCount) else {
        handle.pointee.connection.fail(SQLITE_RANGE)
        return none
      }
      return body(handle)
    }
  }
}

extension StatementHandle {
  /// The same where a number may become text.
  @inline(__always)
  fileprivate static func withTextColumn<Result>(
    _ statement: OpaquePointer?, _ index: Int32, otherwise none: Result,
    _ body: (StatementHandle) -> Result
  ) -> Result {
    withColumn(statement, index, otherwise: none) { handle in
      if realDigitsAreSet, let engine = handle.pointee.connection.core.engine {
        return engine.showingReals { body(handle) }
      }
      return body(handle)
    }
  }
}

@c @implementation
public func sqlite3_column_type(_ statement: OpaquePointer!, _ index: Int32) -> Int32 {
  StatementHandle.withColumn(statement, index, otherwise: SQLITE_NULL) { handle in
    code(of: handle.pointee.row.type(Int(index)))
  }
}

@c @implementation
public func sqlite3_column_int(_ statement: OpaquePointer!, _ index: Int32) -> Int32 {
  StatementHandle.withColumn(statement, index, otherwise: 0) { handle in
    Int32(truncatingIfNeeded: handle.pointee.row.int64(Int(index)))
  }
}

@c @implementation
public func sqlite3_column_int64(_ statement: OpaquePointer!, _ index: Int32) -> sqlite3_int64 {
  StatementHandle.withColumn(statement, index, otherwise: 0) { handle in
    handle.pointee.row.int64(Int(index))
  }
}

@c @implementation
public func sqlite3_column_double(_ statement: OpaquePointer!, _ index: Int32) -> Double {
  StatementHandle.withColumn(statement, index, otherwise: 0) { handle in
    handle.pointee.row.double(Int(index))
  }
}

@c @implementation
public func sqlite3_column_text(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<UInt8>! {
  StatementHandle.withTextColumn(statement, index, otherwise: nil) { handle in
    handle.columnText(index, .utf8).map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }
  }
}

@c @implementation
public func sqlite3_column_text16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! {
  StatementHandle.withTextColumn(statement, index, otherwise: nil) { handle in
    handle.columnText(index, .native16).map { UnsafeRawPointer($0) }
  }
}

@c @implementation
public func sqlite3_column_blob(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! {
  StatementHandle.withTextColumn(statement, index, otherwise: nil) { handle in
    if let bytes = handle.column(index)?.blob() { return UnsafeRawPointer(bytes) }
    handle.noteLostColumn(index)
    return nil
  }
}

@c @implementation
public func sqlite3_column_bytes(_ statement: OpaquePointer!, _ index: Int32) -> Int32 {
  StatementHandle.withTextColumn(statement, index, otherwise: 0) { handle in
    handle.columnByteCount(index, .utf8)
  }
}

@c @implementation
public func sqlite3_column_bytes16(_ statement: OpaquePointer!, _ index: Int32) -> Int32 {
  StatementHandle.withTextColumn(statement, index, otherwise: 0) { handle in
    handle.columnByteCount(index, .native16)
  }
}

/// Where there is no column, it is a NULL that belongs to the library.
@c @implementation
public func sqlite3_column_value(
  _ statement: OpaquePointer!, _ index: Int32
) -> OpaquePointer! {
  StatementHandle.withTextColumn(statement, index, otherwise: nullValue.opaque) { handle in
    handle.column(index)?.opaque
  }
}

extension StatementHandle {
  @inline(__always)
  fileprivate func columnText(
    _ index: Int32, _ encoding: TextEncoding
  ) -> UnsafeMutableRawPointer? {
    if let text = column(index)?.text(encoding) { return text }
    noteLostColumn(index)
    return nil
  }

  @inline(__always)
  fileprivate func columnByteCount(_ index: Int32, _ encoding: TextEncoding) -> Int32 {
    // Who was given no text must not be told of bytes.
    let count = pointee.hasLostColumn ? 0 : column(index)?.byteCount(encoding) ?? 0
    if count == 0 { noteLostColumn(index) }
    return Int32(truncatingIfNeeded: count)
  }

  /// A column has given nothing. Where that is because there was no memory for it, it must not pass
  /// for a NULL or for nothing: the statement fails with its next step, or when it ends.
  @inline(never)
  fileprivate func noteLostColumn(_ index: Int32) {
    guard pointee.hasNoMemory || pointee.columns == nil,
      let value = pointee.row.value(Int(index)), value.type != .null
    else { return }
    pointee.hasNoMemory = false
    pointee.hasLostColumn = true
    pointee.hasEnded = true
    pointee.connection.fail(SQLITE_NOMEM)
  }
}

// MARK: - Names

extension StatementHandle {
  fileprivate func text(
    _ index: Int32, _ kind: StatementState.TextKey.Kind, _ encoding: TextEncoding
  ) -> UnsafeMutableRawPointer? {
    locked { lockedText(index, kind, encoding) }
  }

  private func lockedText(
    _ index: Int32, _ kind: StatementState.TextKey.Kind, _ encoding: TextEncoding
  ) -> UnsafeMutableRawPointer? {
    let statement = pointee.statement, column = Int(index)
    guard index >= 0, column < statement.columnCount else { return nil }
    guard encoding == .utf8 else {
      let text = StatementHandle.text(of: column, kind, statement)
      return keep(text, .init(index: index, kind: kind, encoding: encoding))
    }
    guard let place = columnText(column, kind, of: statement) else { return nil }
    if !place.pointee.isKnown {
      guard place.pointee.set(StatementHandle.text(of: column, kind, statement)) else { return nil }
    }
    return place.pointee.isThere ? place.pointee.text.bytes : nil
  }

  private static func text(
    of column: Int, _ kind: StatementState.TextKey.Kind, _ statement: Statement
  ) -> String? {
    switch kind {
    case .name: statement.columnName(column)
    case .declaredType: statement.columnDeclaredType(column)
    case .database: statement.columnOrigin(column)?.database
    case .table: statement.columnOrigin(column)?.table
    case .origin: statement.columnOrigin(column)?.column
    case .normalized, .scanName, .scanDetail: nil
    }
  }
}

extension StatementState.ColumnText {
  /// False where there is no memory.
  fileprivate mutating func set(_ text: String?) -> Bool {
    isThere = text != nil
    isKnown = true
    guard let text else { return true }
    isKnown = text.withTextBytes { bytes in
      do throws(SQLError) {
        try self.text.set(UnsafeRawBufferPointer(bytes), .utf8, .utf8)
        return true
      } catch {
        return false
      }
    }
    return isKnown
  }
}

private func text8(
  _ statement: OpaquePointer?, _ index: Int32, _ kind: StatementState.TextKey.Kind
) -> UnsafePointer<CChar>? {
  guard let text = StatementHandle(statement)?.text(index, kind, .utf8) else { return nil }
  return UnsafePointer(text.assumingMemoryBound(to: CChar.self))
}

private func text16(
  _ statement: OpaquePointer?, _ index: Int32, _ kind: StatementState.TextKey.Kind
) -> UnsafeRawPointer? {
  StatementHandle(statement)?.text(index, kind, .native16).map { UnsafeRawPointer($0) }
}

@c @implementation
public func sqlite3_column_name(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! { text8(statement, index, .name) }

@c @implementation
public func sqlite3_column_name16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! { text16(statement, index, .name) }

@c @implementation
public func sqlite3_column_decltype(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! { text8(statement, index, .declaredType) }

@c @implementation
public func sqlite3_column_decltype16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! { text16(statement, index, .declaredType) }

@c @implementation
public func sqlite3_column_database_name(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! { text8(statement, index, .database) }

@c @implementation
public func sqlite3_column_database_name16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! { text16(statement, index, .database) }

@c @implementation
public func sqlite3_column_table_name(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! { text8(statement, index, .table) }

@c @implementation
public func sqlite3_column_table_name16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! { text16(statement, index, .table) }

@c @implementation
public func sqlite3_column_origin_name(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! { text8(statement, index, .origin) }

@c @implementation
public func sqlite3_column_origin_name16(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafeRawPointer! { text16(statement, index, .origin) }
