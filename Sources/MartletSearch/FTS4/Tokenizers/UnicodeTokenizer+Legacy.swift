import MartletEngine

extension UnicodeTokenizer {
  /// FTS3's `unicode61`: the same characters, options in one word each (fts3 §8).
  convenience init(options: [String]) throws {
    var exceptions: [UInt32] = []
    var removal = DiacriticRemoval.simple
    let categories = try UnicodeCategories.mask(UnicodeTokenizer.usualCategories)
    for option in options {
      if option.hasPrefix("remove_diacritics="),
        let known = DiacriticRemoval(String(option.dropFirst("remove_diacritics=".count)))
      {
        removal = known
      } else if let value = UnicodeTokenizer.value(of: "tokenchars=", in: option) {
        exceptions += value.filter { UnicodeTokenizer.isException($0, isToken: true, categories) }
      } else if let value = UnicodeTokenizer.value(of: "separators=", in: option) {
        exceptions += value.filter { UnicodeTokenizer.isException($0, isToken: false, categories) }
      } else {
        throw SQLError(.error, "unknown tokenizer")
      }
    }
    self.init(categories: categories, exceptions: exceptions, removal: removal)
  }

  private static func value(of name: String, in option: String) -> [UInt32]? {
    let bytes = Array(option.utf8)
    guard bytes.starts(with: name.utf8) else { return nil }
    return scalars(of: String(decoding: bytes.dropFirst(name.utf8.count), as: UTF8.self))
  }

  /// A character that is not already what it shall be.
  private static func isException(
    _ scalar: UInt32, isToken: Bool, _ categories: UInt32
  ) -> Bool {
    UnicodeCategories.contains(scalar, categories) != isToken && !CombiningMarks.contains(scalar)
  }
}
