import MartletEngine

/// FTS3's `simple`: what stands between delimiters, with ASCII in lower case (fts3 §8).
final class SimpleTokenizer: Tokenizer {
  /// For each byte: 0 a delimiter, 1 part of a word, 2 the same and an upper-case letter.
  private let kinds: UnsafeMutablePointer<UInt8>

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
    kinds = .allocate(capacity: 256)
    for byte in UInt8.min...UInt8.max {
      let isUpper = ASCIILetters.lower(byte) != byte
      kinds[Int(byte)] = set[byte] ? 0 : isUpper ? 2 : 1
    }
  }

  deinit { kinds.deallocate() }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let kinds = UnsafePointer(kinds), count = text.count
    var token = TokenBuffer()
    var offset = 0
    while true {
      while offset < count, kinds[Int(base[offset])] == 0 { offset &+= 1 }
      guard offset < count else { return }
      let start = offset
      var met: UInt8 = 0
      while offset < count {
        let kind = kinds[Int(base[offset])]
        if kind == 0 { break }
        met |= kind
        offset &+= 1
      }
      if met & 2 == 0 {
        let word = UnsafeRawBufferPointer(start: base + start, count: offset &- start)
        try body(word, false, start, offset)
        continue
      }
      token.removeAll()
      for place in start..<offset { token.append(byte: ASCIILetters.lower(base[place])) }
      try body(token.contents, false, start, offset)
    }
  }
}
