/// What each byte is to tokenizers that put ASCII in lower case.
struct ByteKinds: ~Copyable {
  /// Part of a word.
  static let word: UInt8 = 1
  /// The same, and an upper-case letter.
  static let upper: UInt8 = 2
  /// Part of a character that has to be looked at.
  static let wide: UInt8 = 4

  /// 0 for what stands between words.
  let table: UnsafePointer<UInt8>

  /// - Parameter isWideKnown: The set also says what bytes beyond ASCII are.
  init(words: ByteSet, isWideKnown: Bool) {
    let kinds = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
    for byte in UInt8.min...UInt8.max {
      let isUpper = ASCIILetters.lower(byte) != byte
      let kind = isUpper ? ByteKinds.word | ByteKinds.upper : ByteKinds.word
      let isWide = byte >= 0x80 && !isWideKnown
      kinds[Int(byte)] = isWide ? ByteKinds.wide : words[byte] ? kind : 0
    }
    table = UnsafePointer(kinds)
  }

  deinit { table.deallocate() }

  /// Goes behind the bytes of a word, and says of which kinds they are.
  @inline(__always)
  static func skipWord(
    _ base: UnsafePointer<UInt8>, _ offset: inout Int, _ count: Int, _ kinds: UnsafePointer<UInt8>
  ) -> UInt8 {
    var met: UInt8 = 0
    while offset < count {
      let kind = kinds[Int(base[offset])]
      if kind & ByteKinds.word == 0 { break }
      met |= kind
      offset &+= 1
    }
    return met
  }

  /// Calls `body` with each word, as `Tokenizer.tokenize` does.
  func cut(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let count = text.count
    var token = TokenBuffer()
    var offset = 0
    while true {
      while offset < count, table[Int(base[offset])] == 0 { offset &+= 1 }
      guard offset < count else { return }
      let start = offset
      let met = ByteKinds.skipWord(base, &offset, count, table)
      try body(token.lower(base, start..<offset, met), false, start, offset)
    }
  }
}

extension TokenBuffer {
  /// A word of some kinds of bytes in lower case: where it stands, if it is.
  @inline(__always)
  mutating func lower(
    _ base: UnsafePointer<UInt8>, _ word: Range<Int>, _ met: UInt8
  ) -> UnsafeRawBufferPointer {
    if met & ByteKinds.upper == 0 {
      return UnsafeRawBufferPointer(start: base + word.lowerBound, count: word.count)
    }
    removeAll()
    for place in word { append(byte: ASCIILetters.lower(base[place])) }
    return contents
  }
}
