import MartletEngine

/// FTS3's `simple`: what stands between delimiters, with ASCII in lower case (fts3 §8).
final class SimpleTokenizer: Tokenizer {
  private let isDelimiter: ByteSet

  /// Without arguments, all of ASCII but letters and digits are delimiters; the second argument
  /// has them otherwise.
  init(_ arguments: [String]) throws {
    var set = ByteSet()
    if arguments.count > 1 {
      for byte in arguments[1].utf8 {
        guard byte < 0x80 else { throw SQLError(.error, "unknown tokenizer") }
        set[byte] = true
      }
    } else {
      for byte in UInt8(1)..<0x80 { set[byte] = !ASCIILetters.isAlphanumeric(byte) }
    }
    isDelimiter = set
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    var token = TokenBuffer()
    var offset = 0
    while true {
      while offset < text.count, isDelimiter[text[offset]] { offset &+= 1 }
      guard offset < text.count else { return }
      let start = offset
      var changed: UInt8 = 0
      while offset < text.count, !isDelimiter[text[offset]] {
        changed |= ASCIILetters.lower(text[offset]) ^ text[offset]
        offset &+= 1
      }
      let word = UnsafeRawBufferPointer(rebasing: text[start..<offset])
      if changed == 0 {
        try body(word, false, start, offset)
        continue
      }
      token.removeAll()
      for byte in word { token.append(byte: ASCIILetters.lower(byte)) }
      try body(token.contents, false, start, offset)
    }
  }
}
