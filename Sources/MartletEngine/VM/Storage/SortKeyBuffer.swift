/// One key after the other in the form that a sorter compares: normalized bytes, or, where a
/// collation of the application has none, a row of the key columns.
struct SortKeyBuffer {
  let isNormalized: Bool
  private let keyInfo: KeyInfo
  private var normalized = SortKey()
  private var row: UnsafeMutableRawPointer?
  private var rowCapacity = 0
  private var rowSize = 0

  init(keyInfo: KeyInfo) {
    self.keyInfo = keyInfo
    isNormalized = SortKey.isAvailable(for: keyInfo)
  }

  mutating func deallocate() {
    normalized.deallocate()
    Memory.free(row)
    row = nil
    rowCapacity = 0
  }

  /// Makes the key of the values in `registers` the current one.
  @inline(__always)
  mutating func encode(_ registers: UnsafePointer<Register>) throws(SQLError) {
    guard isNormalized else { return try encodeRow(registers) }
    normalized.removeAll()
    let orders = keyInfo.orders, encoding = keyInfo.encoding
    for column in 0..<keyInfo.keyColumnCount {
      try normalized.append(registers + column, orders[column], encoding: encoding)
    }
  }

  /// Makes a normalized key different from all that have another number.
  mutating func append(sequenceNumber: UInt64) throws(SQLError) {
    if isNormalized { try normalized.append(sequenceNumber: sequenceNumber) }
  }

  @inline(never)
  private mutating func encodeRow(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let columnCount = keyInfo.keyColumnCount
    rowSize = try StoredRow.byteCount(of: registers, columnCount)
    if rowSize > rowCapacity {
      row = try Memory.reallocate(row, rowSize * 2)
      rowCapacity = rowSize * 2
    }
    StoredRow.write(registers, columnCount, to: row.unsafelyUnwrapped)
  }

  var count: Int { isNormalized ? normalized.count : rowSize }

  /// The size with the zeros that `copy` puts behind the key.
  @inline(__always)
  var paddedCount: Int { (count &+ 7) & ~7 }

  var bytes: UnsafeRawPointer {
    isNormalized
      ? UnsafeRawPointer(normalized.bytes ?? UnsafeMutablePointer(mutating: Register.emptyBytes))
      : UnsafeRawPointer(row ?? UnsafeMutableRawPointer(mutating: Register.emptyBytes))
  }

  /// The first 8 bytes of a normalized key as a number, zeros behind its end.
  @inline(__always)
  var prefix: UInt64 {
    guard isNormalized, let bytes = normalized.bytes else { return 0 }
    // The buffer has at least 64 bytes, of which those behind the key are masked out.
    let word = bytes.bigEndianUInt64()
    let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* min(8, normalized.count))
    return unused >= 64 ? 0 : word & (UInt64.max &<< unused)
  }

  /// Writes the key, padded with zeros to 8.
  @inline(__always)
  func copy(to target: UnsafeMutableRawPointer) {
    let count = count, padded = (count &+ 7) & ~7
    guard count > 0 else { return }
    (target + padded - 8).storeBytes(of: 0, as: UInt64.self)
    Memory.copy(from: bytes, to: target, count)
  }
}
