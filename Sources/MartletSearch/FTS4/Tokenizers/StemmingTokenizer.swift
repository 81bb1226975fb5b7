import MartletEngine

/// FTS3's `porter`: words of letters, digits, underscores and all bytes beyond ASCII, of which
/// English ones are stemmed and long ones are cut (fts3 §8).
final class StemmingTokenizer: Tokenizer {
  /// Words of other lengths are no English words.
  private static let stemmedLengths = 3...20

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    var token = TokenBuffer()
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 32)
    defer { memory.deallocate() }
    var offset = 0
    while true {
      while offset < text.count, !isWordByte(text[offset]) { offset &+= 1 }
      guard offset < text.count else { return }
      let start = offset
      var isEnglish = true
      token.removeAll()
      while offset < text.count, isWordByte(text[offset]) {
        let byte = ASCIILetters.lower(text[offset])
        if byte &- 0x61 >= 26 { isEnglish = false }
        token.append(byte: byte)
        offset &+= 1
      }
      if isEnglish && StemmingTokenizer.stemmedLengths.contains(token.count) {
        memory.update(from: token.bytes, count: token.count)
        var word = ReversedWord(memory, token.count)
        let count = word.stem()
        try body(UnsafeRawBufferPointer(start: memory, count: count), false, start, offset)
      } else {
        shorten(&token)
        try body(token.contents, false, start, offset)
      }
    }
  }

  @inline(__always)
  private func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || ASCIILetters.isAlphanumeric(byte) || byte == 0x5f
  }

  /// Of a long word only its beginning and end count; of one with digits, three bytes of each.
  private func shorten(_ token: inout TokenBuffer) {
    let hasDigit = token.contents.contains { $0 &- 0x30 < 10 }
    let kept = hasDigit ? 3 : 10
    if token.count > 2 * kept { token.removeMiddle(keeping: kept) }
  }
}
