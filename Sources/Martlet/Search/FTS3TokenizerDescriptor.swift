import MartletEngine

/// A tokenizer of FTS3 and FTS4, with its options.
///
/// ```swift
/// t.tokenizer = .unicode61(tokenCharacters: [".", "-"])
/// ```
public struct FTS3TokenizerDescriptor: Sendable {
  let name: String
  let arguments: [String]

  /// Words of letters and digits, and upper case of ASCII as lower case.
  public static let simple = FTS3TokenizerDescriptor(name: "simple", arguments: [])

  /// As `simple`, with English words brought to their stems.
  public static let porter = FTS3TokenizerDescriptor(name: "porter", arguments: [])

  /// Words as Unicode 6.1 has letters, digits and their case.
  ///
  /// - Parameters:
  ///   - diacritics: What is done with diacritics.
  ///   - separators: Characters that end words, unless they do anyway.
  ///   - tokenCharacters: Characters that belong to words, unless they do anyway.
  public static func unicode61(
    diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
    tokenCharacters: Set<Character> = []
  ) -> FTS3TokenizerDescriptor {
    var arguments: [String] = []
    switch diacritics {
    case .removeLegacy: break
    case .keep: arguments.append("remove_diacritics=0")
    case .remove: arguments.append("remove_diacritics=2")
    }
    if !separators.isEmpty { arguments.append("separators=" + separators.sortedText) }
    if !tokenCharacters.isEmpty { arguments.append("tokenchars=" + tokenCharacters.sortedText) }
    return FTS3TokenizerDescriptor(name: "unicode61", arguments: arguments)
  }

  /// The option of CREATE VIRTUAL TABLE.
  var option: String {
    (["tokenize=" + name] + arguments.map { $0.quotedIdentifier }).joined(separator: " ")
  }
}

extension Set<Character> {
  /// The characters in their order, as options of tokenizers have them.
  var sortedText: String { String(sorted()) }
}
