import MartletEngine

/// FTS5's `unicode61`: runs of characters of some Unicode categories, folded to lower case and
/// mostly without diacritics (fts5 §4.3.1).
final class UnicodeTokenizer: Tokenizer {
  private let categories: UInt32
  private let kinds: ByteKinds
  /// Characters beyond ASCII that are what their category is not; sorted.
  private let exceptions: [UInt32]
  private let removal: DiacriticRemoval
  /// What is beyond all code points, as damaged texts have it, is a byte in FTS3's tokens.
  private let isLegacy: Bool

  static let usualCategories = "L* N* Co"

  /// FTS3's.
  ///
  /// - Parameter exceptions: Characters that are not what their category is.
  init(categories: UInt32, exceptions: [UInt32], removal: DiacriticRemoval) {
    var isTokenByte = ByteSet()
    for byte in UInt8(1)..<0x80 {
      let scalar = UInt32(byte)
      isTokenByte[byte] =
        UnicodeCategories.contains(scalar, categories) != exceptions.contains(scalar)
    }
    self.categories = categories
    kinds = ByteKinds(words: isTokenByte, isWideKnown: false)
    self.exceptions = exceptions.sorted()
    self.removal = removal
    isLegacy = true
  }

  init(_ arguments: [String]) throws {
    var named = UnicodeTokenizer.usualCategories
    try TokenizerOptions.forEach(arguments) { if $0 == "categories" { named = $1 } }
    let categories = try UnicodeCategories.mask(named)
    var isTokenByte = ByteSet()
    // A zero byte is no token, whatever its category is.
    for byte in UInt8(1)..<0x80 {
      isTokenByte[byte] = UnicodeCategories.contains(UInt32(byte), categories)
    }
    var exceptions: [UInt32] = []
    var removal = DiacriticRemoval.simple
    try TokenizerOptions.forEach(arguments) { option, value in
      switch option {
      case "remove_diacritics":
        guard let known = DiacriticRemoval(value) else { throw SQLError.tokenizerConstructor }
        removal = known
      case "tokenchars", "separators":
        let isToken = option == "tokenchars"
        for scalar in UnicodeTokenizer.scalars(of: value) {
          if let byte = UInt8(exactly: scalar), byte < 0x80 {
            isTokenByte[byte] = isToken
          } else if UnicodeCategories.contains(scalar, categories) != isToken,
            !CombiningMarks.contains(scalar)
          {
            exceptions.append(scalar)
          }
        }
      case "categories": break
      default: throw SQLError.tokenizerConstructor
      }
    }
    self.categories = categories
    kinds = ByteKinds(words: isTokenByte, isWideKnown: false)
    self.exceptions = exceptions.sorted()
    self.removal = removal
    isLegacy = false
  }

  /// The characters of an option, read as those of the texts are.
  static func scalars(of text: String) -> [UInt32] {
    text.withTextBytes { bytes in
      var reader = ScalarReader(UnsafeRawBufferPointer(bytes))
      var scalars: [UInt32] = []
      while !reader.isAtEnd { scalars.append(reader.next()) }
      return scalars
    }
  }

  private func isToken(_ scalar: UInt32) -> Bool {
    let isMember = UnicodeCategories.contains(scalar, categories)
    return exceptions.isEmpty ? isMember : isMember != exceptions.containsSorted(scalar)
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    try SQLError.untilDone { try cut(text, body) }
  }

  private func cut(
    _ text: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let kinds = kinds.table, count = text.count
    var reader = ScalarReader(text), token = TokenBuffer()
    var offset = 0
    while true {
      while offset < count, kinds[Int(base[offset])] == 0 { offset &+= 1 }
      guard offset < count else { return }
      let start = offset
      let met = ByteKinds.skipWord(base, &offset, count, kinds)
      if offset == count || base[offset] < 0x80 {
        try body(token.lower(base, start..<offset, met), false, start, offset)
        continue
      }
      token.removeAll()
      for place in start..<offset { token.append(byte: ASCIILetters.lower(base[place])) }
      reader.offset = offset
      if offset == start {
        let scalar = reader.next()
        offset = reader.offset
        guard isToken(scalar) else { continue }
        append(scalar, to: &token)
      }
      let end = readRest(&reader, &token)
      offset = reader.offset
      try body(token.contents, false, start, end)
    }
  }

  /// Reads a token to its end, and the character behind it.
  private func readRest(_ reader: inout ScalarReader, _ token: inout TokenBuffer) -> Int {
    while !reader.isAtEnd {
      let end = reader.offset
      let byte = reader.start[end]
      if byte < 0x80 {
        guard kinds.table[Int(byte)] != 0 else { return end }
        token.append(byte: ASCIILetters.lower(byte))
        reader.offset &+= 1
      } else {
        let scalar = reader.next()
        guard isToken(scalar) || CombiningMarks.contains(scalar) else { return end }
        append(scalar, to: &token)
      }
    }
    return reader.offset
  }

  private func append(_ scalar: UInt32, to token: inout TokenBuffer) {
    let folded = CaseFolding.fold(scalar, removing: removal)
    if folded == 0 { return }
    if isLegacy && folded > Int32.max {
      token.append(byte: UInt8(truncatingIfNeeded: folded))
    } else {
      token.append(folded)
    }
  }
}

extension [UInt32] {
  /// Whether a sorted array has a number.
  func containsSorted(_ number: UInt32) -> Bool {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == number
  }
}
