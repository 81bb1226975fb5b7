import MartletEngine

/// The tokenizers of FTS3 and FTS4 by name, one for each connection (fts3 §8).
public final class LegacyTokenizerRegistry {
  private var kinds: [TokenizerKind] = [
    TokenizerKind(name: "simple") { try SimpleTokenizer($0) },
    TokenizerKind(name: "porter") { _ in StemmingTokenizer() },
    TokenizerKind(name: "unicode61") { try UnicodeTokenizer(options: $0) },
  ]

  public init() {}

  /// Adds a kind, in place of an older one of the same name.
  public func register(_ kind: TokenizerKind) {
    kinds.removeAll { $0.name == kind.name }
    kinds.append(kind)
  }

  /// The kind of a name, letter by letter.
  func kind(named name: String) -> TokenizerKind? { kinds.first { $0.name == name } }
}
