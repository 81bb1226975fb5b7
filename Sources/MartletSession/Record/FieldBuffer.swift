import MartletEngine

/// Where a record is put together, in memory that is used again for the next one.
final class FieldBuffer {
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity = 256
  @exclusivity(unchecked) private(set) var count = 0

  init() { memory = .allocate(byteCount: capacity, alignment: 8) }

  deinit { memory.deallocate() }

  /// What was put together since `clear`.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  func clear() { count = 0 }

  func append(_ type: FieldType) {
    reserve(1)
    memory.storeBytes(of: type.rawValue, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  func append(_ type: FieldType, bits: UInt64) {
    reserve(9)
    memory.storeBytes(of: type.rawValue, toByteOffset: count, as: UInt8.self)
    memory.storeBytes(of: bits.bigEndian, toByteOffset: count &+ 1, as: UInt64.self)
    count &+= 9
  }

  func append(_ content: UnsafeRawBufferPointer) {
    guard let start = content.baseAddress else { return }
    reserve(content.count)
    (memory + count).copyMemory(from: start, byteCount: content.count)
    count &+= content.count
  }

  func append(_ type: FieldType, _ content: UnsafeRawBufferPointer) {
    reserve(10 &+ content.count)
    append(type)
    if content.count < 0x80 {
      memory.storeBytes(
        of: UInt8(truncatingIfNeeded: content.count), toByteOffset: count, as: UInt8.self)
      count &+= 1
    } else {
      var size: [UInt8] = []
      size.appendVarint(content.count)
      size.withUnsafeBytes { append($0) }
    }
    append(content)
  }

  /// A value as a field.
  func append(_ value: ValueReference) throws(SQLError) {
    switch value.type {
    case .null: append(.null)
    case .integer: append(.integer, bits: UInt64(bitPattern: value.int64))
    case .real: append(.real, bits: value.double.bitPattern)
    case .text where value.encoding != .utf8:
      try Field.withBytes(of: value) { append(.text, $0) }
    case .text: append(.text, try value.bytes())
    case .blob: append(.blob, try value.bytes())
    }
  }

  @inline(__always)
  private func reserve(_ byteCount: Int) {
    if capacity &- count < byteCount { grow(byteCount) }
  }

  @inline(never)
  private func grow(_ byteCount: Int) {
    let size = max(capacity * 2, count + byteCount)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
    grown.copyMemory(from: memory, byteCount: count)
    memory.deallocate()
    memory = grown
    capacity = size
  }
}
