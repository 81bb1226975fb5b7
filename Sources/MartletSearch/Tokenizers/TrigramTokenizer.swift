import MartletEngine

/// FTS5's `trigram`: each three characters that follow each other (fts5 §4.3.4).
final class TrigramTokenizer: Tokenizer {
  /// nil where upper and lower case differ.
  private let folding: DiacriticRemoval?

  init(_ arguments: [String]) throws {
    var isCaseSensitive = false, removesDiacritics = false
    try TokenizerOptions.forEach(arguments) { option, value in
      switch (option, value) {
      case ("case_sensitive", "0"), ("case_sensitive", "1"): isCaseSensitive = value == "1"
      // 1 removes as much as 2.
      case ("remove_diacritics", "0"), ("remove_diacritics", "1"), ("remove_diacritics", "2"):
        removesDiacritics = value != "0"
      default: throw SQLError.tokenizerConstructor
      }
    }
    if isCaseSensitive && removesDiacritics { throw SQLError.tokenizerConstructor }
    folding = isCaseSensitive ? nil : removesDiacritics ? .all : DiacriticRemoval.none
  }

  /// LIKE or GLOB can be answered by an index of such tokens (fts5 §4.3.4).
  var patternKind: (like: Bool, glob: Bool) {
    switch folding {
    case nil: (false, true)
    case DiacriticRemoval.none?: (true, true)
    default: (false, false)
    }
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    var reader = ScalarReader(text)
    var token = TokenBuffer()
    // Where the three characters begin in the text.
    var starts = (0, 0, 0)
    for _ in 0..<3 {
      let (scalar, start) = next(&reader)
      if scalar == 0 { return }
      starts = (starts.1, starts.2, start)
      token.append(scalar)
    }
    while true {
      let (scalar, start) = next(&reader)
      try body(token.contents, false, starts.0, start)
      if scalar == 0 { return }
      token.removeFirst(firstLength(token.contents))
      token.append(scalar)
      starts = (starts.1, starts.2, start)
    }
  }

  /// The next character that is not folded into nothing, and where it begins; 0 at the end.
  private func next(_ reader: inout ScalarReader) -> (UInt32, Int) {
    while !reader.isAtEnd {
      let start = reader.offset
      var scalar = reader.next()
      if let folding { scalar = CaseFolding.fold(scalar, removing: folding) }
      if scalar != 0 { return (scalar, start) }
    }
    return (0, reader.offset)
  }

  /// Bytes of the first character.
  private func firstLength(_ token: UnsafeRawBufferPointer) -> Int {
    var length = 1
    if token[0] >= 0xc0 {
      while length < token.count, token[length] & 0xc0 == 0x80 { length += 1 }
    }
    return length
  }
}
