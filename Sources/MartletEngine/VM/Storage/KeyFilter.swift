/// Tells of most keys that are in no row, that they are in none (a Bloom filter; optoverview §4).
///
/// A key sets three bits of one word. Where it is said to be in a row, it need not be.
final class KeyFilter {
  /// Makes keys canonical, and their hashes; it has none.
  private let table: KeyTable
  private let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int
  private let budget: WorkMemory

  /// - Parameters:
  ///   - keyInfo: of its columns none has a collation of the application.
  ///   - rowCount: about how many keys will be added.
  init(keyInfo: KeyInfo, rowCount: Int, budget: WorkMemory) throws(SQLError) {
    let wordCount = KeyFilter.wordCount(rowCount: rowCount)
    table = try KeyTable(keyInfo: keyInfo, payloadSize: 0, budget: budget)
    words = try Memory.allocateLarge(wordCount * 8, isZeroed: true)
      .bindMemory(to: UInt64.self, capacity: wordCount)
    self.wordCount = wordCount
    self.budget = budget
    budget.take(wordCount * 8)
  }

  deinit {
    Memory.freeLarge(words, wordCount * 8)
    budget.giveBack(wordCount * 8)
  }

  func add(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let hash = table.hash(of: try table.canonicalKey(registers, isAdding: false))
    words[word(hash)] |= KeyFilter.bits(hash)
  }

  @inline(__always)
  func mayContain(_ registers: UnsafePointer<Register>) throws(SQLError) -> Bool {
    let hash = table.hash(of: try table.canonicalKey(registers, isAdding: false))
    let bits = KeyFilter.bits(hash)
    return words[word(hash)] & bits == bits
  }

  @inline(__always)
  private func word(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash &>> 32) & (wordCount &- 1)
  }

  /// The lowest two bits of a hash say nothing.
  @inline(__always)
  private static func bits(_ hash: UInt64) -> UInt64 {
    1 &<< (hash &>> 2) | 1 &<< (hash &>> 8) | 1 &<< (hash &>> 14)
  }

  /// A power of two: for each row a byte, and at most a megabyte.
  static func wordCount(rowCount: Int) -> Int {
    var count = 128
    while count < 1 << 17 && count * 8 < rowCount { count *= 2 }
    return count
  }
}
