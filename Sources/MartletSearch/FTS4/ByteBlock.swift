import MartletEngine

/// Bytes that grow, in memory of their own: a node, or a doclist that is put together.
final class ByteBlock {
  @exclusivity(unchecked) private(set) var start = ByteBlock.nowhere
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var capacity = 0

  private static let leastCapacity = 16

  /// Where a block without memory is; nothing is read or written there.
  private static var nowhere: UnsafeMutablePointer<UInt8> {
    UnsafeMutablePointer(bitPattern: 1).unsafelyUnwrapped
  }

  init() {}

  init(capacity: Int) throws(SQLError) { try grow(to: capacity) }

  convenience init(_ bytes: UnsafeRawBufferPointer) throws(SQLError) {
    try self.init(capacity: bytes.count)
    if let source = bytes.baseAddress {
      try append(source.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
  }

  deinit { if capacity > 0 { MemoryUse.free(start) } }

  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  func removeAll() { count = 0 }

  /// Takes back what was added since there were so many bytes.
  func shrink(to smaller: Int) {
    assert(smaller <= count)
    count = smaller
  }

  @inline(__always)
  private func reserve(_ added: Int) throws(SQLError) {
    if count &+ added > capacity { try grow(to: max(2 * capacity, count + added)) }
  }

  @inline(never)
  private func grow(to wanted: Int) throws(SQLError) {
    let larger = max(wanted, Self.leastCapacity)
    guard let memory = MemoryUse.reallocate(capacity > 0 ? start : nil, larger) else {
      throw SQLError(.outOfMemory)
    }
    start = memory.assumingMemoryBound(to: UInt8.self)
    capacity = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) throws(SQLError) {
    try reserve(1)
    start[count] = byte
    count &+= 1
  }

  @inline(__always)
  func append(_ source: UnsafePointer<UInt8>, _ added: Int) throws(SQLError) {
    try reserve(added)
    (start + count).update(from: source, count: added)
    count &+= added
  }

  /// Adds a number of 1 to 10 bytes (fts3 §9.1).
  @inline(__always)
  func append(number: UInt64) throws(SQLError) {
    try reserve(10)
    var rest = number
    while rest >= 0x80 {
      start[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count &+= 1
      rest >>= 7
    }
    start[count] = UInt8(truncatingIfNeeded: rest)
    count &+= 1
  }
}

/// A doclist, or a part of a node that is one.
struct Doclist {
  let block: ByteBlock
  let range: Range<Int>

  init(_ block: ByteBlock, _ range: Range<Int>) {
    assert(range.upperBound <= block.count)
    self.block = block
    self.range = range
  }

  /// All of a block.
  init(_ block: ByteBlock) { self.init(block, 0..<block.count) }

  init() { self.init(ByteBlock(), 0..<0) }

  var isEmpty: Bool { range.isEmpty }
  var count: Int { range.count }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block.contents[range]) }
}
