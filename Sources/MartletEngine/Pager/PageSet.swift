/// A set of page numbers (SQLite's Bitvec): bits in chunks that are allocated when first used.
final class PageSet {
  /// 2¹² pages in 512 bytes.
  private static let chunkShift: UInt32 = 12
  private static let chunkByteCount = 1 << 9

  private var chunks: UnsafeMutablePointer<UnsafeMutablePointer<UInt64>?>?
  private var chunkCount = 0

  init() {}

  deinit { removeAll() }

  /// Empties the set and frees its memory.
  func removeAll() {
    for index in 0..<chunkCount { Memory.free(chunks?[index]) }
    Memory.free(chunks)
    chunks = nil
    chunkCount = 0
  }

  /// Empties the set, which is to be used again: little memory is kept.
  func empty() {
    guard chunkCount <= 4 else { return removeAll() }
    guard chunkCount > 0 else { return }
    for index in 0..<chunkCount {
      chunks?[index]?.update(repeating: 0, count: Self.chunkByteCount / 8)
    }
  }

  @inline(__always)
  func contains(_ number: PageNumber) -> Bool {
    let chunkIndex = Int(number.rawValue >> Self.chunkShift)
    guard chunkIndex < chunkCount, let chunk = chunks?[chunkIndex] else { return false }
    return chunk[Self.word(number)] & Self.mask(number) != 0
  }

  /// False if the page was in the set.
  @discardableResult
  func insert(_ number: PageNumber) throws(SQLError) -> Bool {
    let chunk = try chunk(Int(number.rawValue >> Self.chunkShift))
    let word = Self.word(number), mask = Self.mask(number)
    let isNew = chunk[word] & mask == 0
    chunk[word] |= mask
    return isNew
  }

  private func chunk(_ index: Int) throws(SQLError) -> UnsafeMutablePointer<UInt64> {
    if index >= chunkCount { try grow(to: index + 1) }
    if let chunk = chunks?[index] { return chunk }
    let chunk = try Memory.allocateZeroed(Self.chunkByteCount).bindMemory(
      to: UInt64.self, capacity: Self.chunkByteCount / 8)
    chunks?[index] = chunk
    return chunk
  }

  private func grow(to count: Int) throws(SQLError) {
    let stride = MemoryLayout<UnsafeMutablePointer<UInt64>?>.stride
    let moved = try Memory.reallocate(chunks, count * stride)
      .bindMemory(to: UnsafeMutablePointer<UInt64>?.self, capacity: count)
    (moved + chunkCount).initialize(repeating: nil, count: count - chunkCount)
    chunks = moved
    chunkCount = count
  }

  @inline(__always)
  private static func word(_ number: PageNumber) -> Int {
    Int(number.rawValue & (1 << chunkShift - 1)) >> 6
  }

  @inline(__always)
  private static func mask(_ number: PageNumber) -> UInt64 { 1 << UInt64(number.rawValue & 63) }
}
