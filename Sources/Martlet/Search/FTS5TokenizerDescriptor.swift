/// A tokenizer of FTS5, with its options.
///
/// ```swift
/// t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
/// t.tokenizer = FTS5TokenizerDescriptor(components: ["trigram", "case_sensitive", "1"])
/// ```
public struct FTS5TokenizerDescriptor: Sendable {
  /// The name of the tokenizer, and what it is told.
  public let components: [String]

  var name: String { components[0] }

  var arguments: [String] { Array(components.dropFirst()) }

  /// Names a tokenizer.
  ///
  /// - Parameter components: The name, and what the tokenizer is told. It must not be empty.
  public init(components: [String]) {
    precondition(
      !components.isEmpty, "FTS5TokenizerDescriptor requires at least one component")
    self.components = components
  }

  /// Words of ASCII's letters and digits and of all characters beyond ASCII.
  ///
  /// - Parameters:
  ///   - separators: Characters that end words, unless they do anyway.
  ///   - tokenCharacters: Characters that belong to words, unless they do anyway.
  public static func ascii(
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(
      components: ["ascii"] + characterOptions(separators, tokenCharacters))
  }

  /// The stems of English words.
  ///
  /// - Parameter base: What cuts the text into words; nil for `unicode61`.
  public static func porter(
    wrapping base: FTS5TokenizerDescriptor? = nil
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
  }

  /// Words as Unicode 6.1 has letters, digits and their case.
  ///
  /// - Parameters:
  ///   - diacritics: What is done with diacritics.
  ///   - categories: The categories of characters that belong to words, separated by spaces: `L*`,
  ///     `N*` and `Co` if it is empty.
  ///   - separators: Characters that end words, unless they do anyway.
  ///   - tokenCharacters: Characters that belong to words, unless they do anyway.
  public static func unicode61(
    diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "",
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    var components = ["unicode61"]
    switch diacritics {
    case .removeLegacy: break
    case .keep: components += ["remove_diacritics", "0"]
    case .remove: components += ["remove_diacritics", "2"]
    }
    if !categories.isEmpty { components += ["categories", categories] }
    components += characterOptions(separators, tokenCharacters)
    return FTS5TokenizerDescriptor(components: components)
  }

  private static func characterOptions(
    _ separators: Set<Character>, _ tokenCharacters: Set<Character>
  ) -> [String] {
    var options: [String] = []
    if !separators.isEmpty { options += ["separators", separators.sortedText] }
    if !tokenCharacters.isEmpty { options += ["tokenchars", tokenCharacters.sortedText] }
    return options
  }
}
