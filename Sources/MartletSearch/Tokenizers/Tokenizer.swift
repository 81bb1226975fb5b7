import MartletEngine

/// Why a text is cut into tokens (fts5 §7.1, `FTS5_TOKENIZE_…`).
public struct TokenizeReason: OptionSet, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// A row is inserted into the index, or taken out of it.
  public static let document = TokenizeReason(rawValue: 4)
  /// A query is read.
  public static let query = TokenizeReason(rawValue: 1)
  /// With `query`: the text is followed by `*`.
  public static let prefix = TokenizeReason(rawValue: 2)
  /// An auxiliary function asks.
  public static let auxiliary = TokenizeReason(rawValue: 8)
}

/// Cuts texts into tokens (fts5 §4.3, fts3 §8).
public protocol Tokenizer: AnyObject {
  /// Calls `body` for each token in order.
  ///
  /// - Parameters:
  ///   - text: Mostly UTF-8, but any bytes.
  ///   - locale: What `fts5_locale` gave the text, if it did.
  ///   - body: Gets the token, whether it stands at the place of the one before, as synonyms do
  ///     (`FTS5_TOKEN_COLOCATED`), and which bytes of the text it was made of. The token is valid
  ///     for the call.
  /// - Throws: What `body` throws, unchanged.
  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (
      _ token: UnsafeRawBufferPointer, _ isColocated: Bool, _ start: Int, _ end: Int
    ) throws -> Void
  ) throws
}

extension SQLError {
  /// Who takes the tokens of `unicode61` or `ascii` may have had enough of them: SQLITE_DONE is no
  /// error of these.
  static func untilDone(_ walk: () throws -> Void) throws {
    do {
      try walk()
    } catch let error as SQLError where error.code == .done {
      return
    }
  }
}

/// A kind of tokenizer that a `tokenize=` option can name.
public struct TokenizerKind {
  public let name: String
  let make: ([String]) throws -> any Tokenizer
  /// FTS5's `porter` itself.
  fileprivate var isPorter = false

  /// - Parameter make: Makes a tokenizer of the arguments behind the name. Where it throws, the
  ///   table is not made.
  public init(name: String, make: @escaping ([String]) throws -> any Tokenizer) {
    self.name = name
    self.make = make
  }
}

/// The kinds of tokenizers of a connection by name: FTS5's `unicode61`, `ascii`, `porter` and
/// `trigram` (fts5 §4.3), and those that the program adds.
public final class TokenizerRegistry {
  private var kinds: [TokenizerKind] = []

  public init() {
    register(TokenizerKind(name: "unicode61") { try UnicodeTokenizer($0) })
    register(TokenizerKind(name: "ascii") { try ASCIITokenizer($0) })
    register(TokenizerKind(name: "trigram") { try TrigramTokenizer($0) })
    var porter = TokenizerKind(name: "porter") { [unowned self] in try self.porter($0[...]) }
    porter.isPorter = true
    register(porter)
  }

  /// Adds a kind. It stands in front of an older one of the same name.
  public func register(_ kind: TokenizerKind) { kinds.append(kind) }

  /// Whether a kind of that name is there.
  public func hasTokenizer(named name: String) -> Bool {
    kinds.contains { ASCIILetters.areSame($0.name, name) }
  }

  /// Makes a tokenizer; names are the same in upper and lower case.
  ///
  /// - Throws: `error` where there is no such kind, or where it does not take the arguments.
  public func tokenizer(
    named name: String, arguments: [String]
  ) throws -> any Tokenizer {
    guard let kind = kind(named: name) else {
      throw SQLError(.error, "no such tokenizer: \(name)")
    }
    return try kind.make(arguments)
  }

  private func kind(named name: String) -> TokenizerKind? {
    kinds.last { ASCIILetters.areSame($0.name, name) }
  }

  /// `porter` around the tokenizer that its arguments name. Where that is `porter` again, however
  /// often, tokens are stemmed once all the same, as in C.
  private func porter(_ arguments: ArraySlice<String>) throws -> any Tokenizer {
    var rest = arguments
    while true {
      let name = rest.popFirst() ?? "unicode61"
      guard let kind = kind(named: name) else { throw SQLError.tokenizerConstructor }
      if !kind.isPorter { return PorterTokenizer(wrapping: try kind.make(Array(rest))) }
    }
  }
}

extension SQLError {
  /// A tokenizer does not take its arguments.
  static var tokenizerConstructor: SQLError {
    SQLError(.error, "error in tokenizer constructor")
  }
}

/// Upper and lower case of ASCII.
enum ASCIILetters {
  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  static func areSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { lower($0) == lower($1) }
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
  }
}
