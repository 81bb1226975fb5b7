/// The current row of a statement, whose columns are read in place.
///
/// It belongs to its statement, which must outlive it, and shows whatever row the statement is at.
/// A column that does not exist, or is read without a row, is NULL, as in SQLite
/// (`sqlite3_column_int64` and its kin). What it costs to read an integer is two comparisons and a
/// load, also in another module.
public struct ResultRow {
  @usableFromInline
  struct State {
    @usableFromInline var registers: UnsafeMutablePointer<Register>
    /// 0 while there is no row.
    @usableFromInline var columnCount = 0
    @usableFromInline let statement: Unmanaged<Statement>
    @usableFromInline var encoding: TextEncoding

    @usableFromInline
    init(
      registers: UnsafeMutablePointer<Register>, statement: Unmanaged<Statement>,
      encoding: TextEncoding
    ) {
      self.registers = registers
      self.statement = statement
      self.encoding = encoding
    }
  }

  @usableFromInline let state: UnsafeMutablePointer<State>

  @inlinable
  init(_ state: UnsafeMutablePointer<State>) { self.state = state }

  /// The statement whose row it is.
  @inlinable
  public var statement: Statement { state.pointee.statement.takeUnretainedValue() }

  /// Columns of the row; 0 while there is none.
  @inlinable
  public var columnCount: Int { state.pointee.columnCount }

  @inlinable @inline(__always)
  func register(_ index: Int) -> UnsafeMutablePointer<Register>? {
    UInt(bitPattern: index) < UInt(bitPattern: state.pointee.columnCount)
      ? state.pointee.registers + index : nil
  }

  /// The storage class of a column.
  @inlinable
  public func type(_ index: Int) -> StorageClass { register(index)?.pointee.tag ?? .null }

  /// Whether a column is NULL.
  @inlinable
  public func isNull(_ index: Int) -> Bool { type(index) == .null }

  /// A column as an integer, converted as CAST does.
  @inlinable
  public func int64(_ index: Int) -> Int64 {
    guard let register = register(index) else { return 0 }
    if register.pointee.tag == .integer { return Int64(bitPattern: register.pointee.bits) }
    return statement.castInteger(register)
  }

  /// A column as a real, converted as CAST does.
  @inlinable
  public func double(_ index: Int) -> Double {
    guard let register = register(index) else { return 0 }
    switch register.pointee.tag {
    case .real: return Double(bitPattern: register.pointee.bits)
    case .integer: return Double(Int64(bitPattern: register.pointee.bits))
    default: return statement.castReal(register)
    }
  }

  /// The bytes of a blob, or of a column as UTF-8 text; empty for NULL, and where memory for the
  /// conversion runs out, as in SQLite.
  ///
  /// They are where they were found, mostly in a page of the cache: valid until the next step or
  /// reset, until the column is asked for again, or until the connection changes a database. Asked
  /// for again behind a change, the column is what it was. Where other threads write on the
  /// connection, they are read between `Connection.enter()` and `leave()`.
  @inlinable
  public func bytes(_ index: Int) -> UnsafeRawBufferPointer {
    guard let register = register(index) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    if register.pointee.tag == .text && state.pointee.encoding == .utf8 {
      return UnsafeRawBufferPointer(
        start: register.pointee.bytes, count: Int(register.pointee.byteCount))
    }
    return statement.convertedBytes(ofColumn: index, register)
  }
}

@available(*, unavailable)
extension ResultRow: Sendable {}

extension Statement {
  @usableFromInline
  func castInteger(_ register: UnsafeMutablePointer<Register>) -> Int64 {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    return Cast.integer(of: register, rowState.pointee.encoding)
  }

  @usableFromInline
  func castReal(_ register: UnsafeMutablePointer<Register>) -> Double {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    return Cast.real(of: register, rowState.pointee.encoding)
  }
}
