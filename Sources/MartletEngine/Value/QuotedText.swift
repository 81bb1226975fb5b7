// Names and texts as SQL writes them (lang_keywords, lang_expr §3). For layers above the engine.

extension String {
  /// The name in double quotes.
  package var quotedIdentifier: String { quoted(with: "\"") }

  /// The text between quotes, with those that it contains doubled. For SQL a quote is a byte: a
  /// combining character behind it makes it no other character.
  package func quoted(with quote: Unicode.Scalar) -> String {
    var scalars = unicodeScalars
    if scalars.contains(quote) {
      scalars = String.UnicodeScalarView(scalars.flatMap { $0 == quote ? [$0, $0] : [$0] })
    }
    return "\(quote)\(String(scalars))\(quote)"
  }
}
