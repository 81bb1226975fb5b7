/// Cuts SQL into pieces for mutation and shrinking; joined they give the text again.
enum Token {
  static func split(_ sql: String) -> [String] {
    var tokens: [String] = []
    var rest = sql.unicodeScalars[...]
    while let first = rest.first {
      let count = length(of: rest, first)
      tokens.append(String(String.UnicodeScalarView(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    return tokens
  }

  private static func length(
    of rest: String.UnicodeScalarView.SubSequence, _ first: Unicode.Scalar
  ) -> Int {
    if isWord(first) { return rest.prefix(while: isWord).count }
    if first == "'" || first == "\"" {
      var length = 1
      for scalar in rest.dropFirst() {
        length += 1
        if scalar == first { break }
      }
      return length
    }
    let pair = String(String.UnicodeScalarView(rest.prefix(2)))
    return ["||", "<=", ">=", "<>", "!=", "==", "<<", ">>"].contains(pair) ? 2 : 1
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar.properties.isAlphabetic
      || ("0"..."9").contains(scalar)
  }
}
