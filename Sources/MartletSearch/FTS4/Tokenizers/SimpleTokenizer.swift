import MartletEngine

/// FTS3's `simple`: what stands between delimiters, with ASCII in lower case (fts3 §8).
final class SimpleTokenizer: Tokenizer {
  private let kinds: ByteKinds

  /// Without arguments, all of ASCII but letters and digits are delimiters; the second argument
  /// has them otherwise.
  init(_ arguments: [String]) throws {
    var words = ByteSet()
    for byte in UInt8.min...UInt8.max {
      words[byte] = arguments.count > 1 || byte == 0 || byte >= 0x80
        || ASCIILetters.isAlphanumeric(byte)
    }
    if arguments.count > 1 {
      for byte in arguments[1].utf8 {
        guard byte < 0x80 else { throw SQLError(.error, "unknown tokenizer") }
        words[byte] = false
      }
    }
    kinds = ByteKinds(words: words, isWideKnown: true)
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    try kinds.cut(text, body)
  }
}
