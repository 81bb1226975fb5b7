/// A set of page numbers, a bit each. It has no memory while it is empty.
struct PageSet {
  private var words: UnsafeMutablePointer<UInt64>? = nil
  private var wordCount = 0

  @inline(__always)
  func contains(_ page: PageNumber) -> Bool {
    let word = Int(page.rawValue >> 6)
    guard word < wordCount, let words else { return false }
    return words[word] & Self.bit(of: page) != 0
  }

  /// False if the page was in the set.
  @discardableResult
  mutating func insert(_ page: PageNumber) throws(SQLError) -> Bool {
    let word = Int(page.rawValue >> 6)
    if word >= wordCount { try grow(toHold: word) }
    guard let words else { return false }
    let bit = Self.bit(of: page)
    let isNew = words[word] & bit == 0
    words[word] |= bit
    return isNew
  }

  @inline(__always)
  private static func bit(of page: PageNumber) -> UInt64 { 1 &<< UInt64(page.rawValue & 63) }

  private mutating func grow(toHold word: Int) throws(SQLError) {
    let newCount = max(word + 1, wordCount * 2, 64)
    let memory = try Memory.reallocate(words, newCount * 8)
    let newWords = memory.bindMemory(to: UInt64.self, capacity: newCount)
    (newWords + wordCount).update(repeating: 0, count: newCount - wordCount)
    words = newWords
    wordCount = newCount
  }

  /// Empties the set and frees its memory.
  mutating func removeAll() {
    Memory.free(words)
    words = nil
    wordCount = 0
  }
}
