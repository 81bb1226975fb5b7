import MartletEngine

/// FTS5's `porter`: stems the tokens of another tokenizer (fts5 §4.3.3).
final class PorterTokenizer: Tokenizer {
  private let wrapped: any Tokenizer

  init(wrapping wrapped: any Tokenizer) { self.wrapped = wrapped }

  /// Longer tokens, and those below three bytes, are no English words.
  private static let longestWord = 64

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    // A step may make a word longer by a letter.
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * PorterTokenizer.longestWord)
    defer { memory.deallocate() }
    try wrapped.tokenize(text, reason: reason, locale: locale) { token, isColocated, start, end in
      guard token.count >= 3, token.count <= PorterTokenizer.longestWord,
        let bytes = token.baseAddress
      else { return try body(token, isColocated, start, end) }
      memory.update(from: bytes.assumingMemoryBound(to: UInt8.self), count: token.count)
      var word = PorterWord(memory, token.count)
      word.stem()
      try body(
        UnsafeRawBufferPointer(start: memory, count: word.count), isColocated, start, end)
    }
  }
}
