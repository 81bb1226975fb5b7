import MartletEngine

/// Bytes that grow, in memory that stays for the next use. Behind the bytes there are always
/// `padding` readable ones, so that a varint may be decoded before its end is compared.
final class GrowingBytes {
  static let padding = 24

  @exclusivity(unchecked) private(set) var start: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) var count = 0
  @exclusivity(unchecked) private var capacity: Int

  /// What buffers without memory refer to, so that nobody asks whether there is any.
  nonisolated(unsafe) private static let nothing: UnsafeMutablePointer<UInt8> = {
    let zeros = UnsafeMutablePointer<UInt8>.allocate(capacity: padding)
    zeros.initialize(repeating: 0, count: padding)
    return zeros
  }()

  init() {
    capacity = 0
    start = GrowingBytes.nothing
  }

  deinit { if capacity > 0 { MemoryUse.free(start) } }

  @inline(__always)
  var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  @inline(__always)
  func removeAll() { count = 0 }

  /// Makes room for more bytes.
  ///
  /// - Throws: `outOfMemory`, also for more than a blob may have.
  @inline(__always)
  func reserve(_ byteCount: Int) throws(SQLError) {
    if count &+ byteCount > capacity { try grow(byteCount) }
  }

  @inline(never)
  private func grow(_ byteCount: Int) throws(SQLError) {
    let needed = count + byteCount
    guard byteCount >= 0, needed <= Int(Int32.max) else { throw SQLError(.outOfMemory) }
    let newCapacity = max(needed, capacity * 2, 64)
    let old = capacity > 0 ? UnsafeMutableRawPointer(start) : nil
    guard let larger = MemoryUse.reallocate(old, newCapacity + GrowingBytes.padding) else {
      throw SQLError(.outOfMemory)
    }
    start = larger.assumingMemoryBound(to: UInt8.self)
    (start + count).initialize(repeating: 0, count: newCapacity + GrowingBytes.padding - count)
    capacity = newCapacity
  }

  @inline(__always)
  func append(_ byte: UInt8) throws(SQLError) {
    try reserve(1)
    start[count] = byte
    count &+= 1
  }

  @inline(__always)
  func append(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int) throws(SQLError) {
    try reserve(byteCount)
    (start + count).update(from: bytes, count: byteCount)
    count &+= byteCount
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(SQLError) {
    guard let base = bytes.baseAddress else { return }
    try append(base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  @inline(__always)
  func append(varint value: UInt64) throws(SQLError) {
    try reserve(9)
    count &+= Varint.put(value, start + count)
  }

  @inline(__always)
  func append(varint value: Int) throws(SQLError) {
    try append(varint: UInt64(bitPattern: Int64(value)))
  }

  func set(_ bytes: UnsafePointer<UInt8>, _ byteCount: Int) throws(SQLError) {
    count = 0
    try append(bytes, byteCount)
  }

  /// 16 bits, big-endian, at a place that there is.
  func putUInt16(_ value: Int, at offset: Int) {
    assert(offset + 2 <= count, "header fields are written into a header")
    start[offset] = UInt8(truncatingIfNeeded: value >> 8)
    start[offset + 1] = UInt8(truncatingIfNeeded: value)
  }
}

/// Text ranges of bytes, compared as memcmp does.
enum ByteOrder {
  @inline(__always)
  static func compare(
    _ left: UnsafePointer<UInt8>, _ leftCount: Int, _ right: UnsafePointer<UInt8>,
    _ rightCount: Int
  ) -> Int {
    let common = min(leftCount, rightCount)
    var index = 0
    while index < common {
      let a = left[index], b = right[index]
      if a != b { return a < b ? -1 : 1 }
      index &+= 1
    }
    return leftCount &- rightCount
  }

  @inline(__always)
  static func areEqual(
    _ left: UnsafePointer<UInt8>, _ leftCount: Int, _ right: UnsafePointer<UInt8>,
    _ rightCount: Int
  ) -> Bool {
    leftCount == rightCount && commonPrefix(left, right, limit: leftCount) == leftCount
  }

  /// How many bytes at the beginning are the same.
  @inline(__always)
  static func commonPrefix(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, limit: Int
  ) -> Int {
    var index = 0
    while index < limit && left[index] == right[index] { index &+= 1 }
    return index
  }
}
