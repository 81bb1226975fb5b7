import MartletEngine

/// FTS5's `ascii`: letters and digits of ASCII, and all bytes beyond it (fts5 §4.3.2).
final class ASCIITokenizer: Tokenizer {
  private let kinds: ByteKinds

  init(_ arguments: [String]) throws {
    var set = ByteSet()
    for byte in UInt8.min...UInt8.max {
      set[byte] = byte >= 0x80 || ASCIILetters.isAlphanumeric(byte)
    }
    try TokenizerOptions.forEach(arguments) { option, value in
      let isToken = option == "tokenchars"
      guard isToken || option == "separators" else { throw SQLError.tokenizerConstructor }
      for byte in value.utf8 where byte < 0x80 { set[byte] = isToken }
    }
    kinds = ByteKinds(words: set, isWideKnown: true)
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    try SQLError.untilDone { try kinds.cut(text, body) }
  }
}

/// A set of bytes.
struct ByteSet {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  subscript(byte: UInt8) -> Bool {
    @inline(__always) get {
      let word = byte < 0x80 ? (byte < 0x40 ? words.0 : words.1) : (byte < 0xc0 ? words.2 : words.3)
      return word >> UInt64(byte & 63) & 1 != 0
    }
    set {
      let bit = UInt64(1) << UInt64(byte & 63)
      func changed(_ word: UInt64) -> UInt64 { newValue ? word | bit : word & ~bit }
      switch byte >> 6 {
      case 0: words.0 = changed(words.0)
      case 1: words.1 = changed(words.1)
      case 2: words.2 = changed(words.2)
      default: words.3 = changed(words.3)
      }
    }
  }
}

/// Options of FTS5's tokenizers: names and values by turns.
enum TokenizerOptions {
  /// Calls `body` with each name, in lower case, and its value.
  ///
  /// - Throws: `error` where a value is missing.
  static func forEach(
    _ arguments: [String], _ body: (_ option: String, _ value: String) throws -> Void
  ) throws {
    guard arguments.count % 2 == 0 else { throw SQLError.tokenizerConstructor }
    for index in stride(from: 0, to: arguments.count, by: 2) {
      let name = arguments[index].utf8.map { ASCIILetters.lower($0) }
      try body(String(decoding: name, as: UTF8.self), arguments[index + 1])
    }
  }
}
