import MartletEngine

/// Cuts the texts of FTS3 and FTS4 into tokens, and numbers these (fts3 §8).
public protocol LegacyTokenizer: AnyObject {
  /// Calls `body` for each token in order.
  ///
  /// - Parameters:
  ///   - text: Mostly UTF-8, but any bytes.
  ///   - language: That of the row (fts3 §6.4); nil where there are no rows.
  ///   - body: Gets the token, which bytes of the text it was made of, and its number in the text.
  ///     The token is valid for the call, `start` and `end` lie in the text.
  /// - Throws: What `body` throws, unchanged.
  func tokenize(
    _ text: UnsafeRawBufferPointer, language: Int64?,
    _ body: (
      _ token: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ position: Int
    ) throws -> Void
  ) throws
}

/// A tokenizer without numbers of its own: its tokens are counted.
private final class CountingTokenizer: LegacyTokenizer {
  private let tokenizer: any Tokenizer

  init(_ tokenizer: any Tokenizer) { self.tokenizer = tokenizer }

  func tokenize(
    _ text: UnsafeRawBufferPointer, language: Int64?,
    _ body: (UnsafeRawBufferPointer, Int, Int, Int) throws -> Void
  ) throws {
    var position = 0
    try tokenizer.tokenize(text, reason: .document, locale: nil) { token, _, start, end in
      try body(token, start, end, position)
      position += 1
    }
  }
}

/// The tokenizers of FTS3 and FTS4 by name (fts3 §8): one registry for each connection, whose lock
/// serializes what is done with it.
public final class LegacyTokenizerRegistry: @unchecked Sendable {
  /// Makes a tokenizer of the arguments behind its name.
  public typealias Maker = ([String]) throws -> any LegacyTokenizer

  private lazy var makers = LegacyTokenizerRegistry.builtIn

  /// They keep nothing of a connection.
  private nonisolated(unsafe) static let builtIn: [ExactText: Maker] = [
    "simple": { CountingTokenizer(try SimpleTokenizer($0)) },
    "porter": { _ in CountingTokenizer(StemmingTokenizer()) },
    "unicode61": { CountingTokenizer(try UnicodeTokenizer(options: $0)) },
  ]

  public init() {}

  /// Adds a kind, in place of an older one of the same name. Tables that are connected keep theirs.
  public func register(_ name: String, _ make: @escaping Maker) {
    makers[ExactText(name)] = make
  }

  /// What makes tokenizers of a name, which is the same letter by letter.
  public subscript(name: String) -> Maker? { makers[ExactText(name)] }
}
