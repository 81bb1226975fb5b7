// Names and texts as SQL writes them (lang_keywords, lang_expr §3). For layers above the engine.

extension String {
  /// The name in double quotes.
  package var quotedIdentifier: String { quoted(with: "\"") }

  /// The text between quotes, with those that it contains doubled. For SQL a quote is a byte: a
  /// combining character behind it makes it no other character.
  package func quoted(with quote: Unicode.Scalar) -> String {
    let mark = String(Character(quote))
    guard quote.isASCII, !utf8.contains(UInt8(ascii: quote)) else {
      let scalars = unicodeScalars.flatMap { $0 == quote ? [$0, $0] : [$0] }
      return mark + String(String.UnicodeScalarView(scalars)) + mark
    }
    var text = mark
    text.reserveCapacity(utf8.count + 2)
    text += self
    text += mark
    return text
  }
}
