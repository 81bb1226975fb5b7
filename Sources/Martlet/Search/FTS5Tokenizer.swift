import MartletEngine

/// Takes a token from a tokenizer (fts5 §7.1, `xToken`).
///
/// - Parameters:
///   - context: What `FTS5Tokenizer.tokenize` was given as context.
///   - flags: `FTS5TokenFlags`.
///   - pToken: The token; it is valid for the call.
///   - nToken: How many bytes it has.
///   - iStart: Where the text begins that it was made of.
///   - iEnd: Where that text ends.
/// - Returns: `SQLITE_OK`, or the code of an error, which the tokenizer has to return.
public typealias FTS5TokenCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ pToken: UnsafePointer<CChar>?,
    _ nToken: CInt, _ iStart: CInt, _ iEnd: CInt
  ) -> CInt

/// Why a text is cut into tokens.
public struct FTS5Tokenization: OptionSet, Sendable {
  /// The bits of `FTS5_TOKENIZE_…`.
  public let rawValue: CInt

  /// Wraps bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// A query is read.
  public static let query = FTS5Tokenization(rawValue: 0x1)
  /// With `query`: the text is followed by `*`.
  public static let prefix = FTS5Tokenization(rawValue: 0x2)
  /// A row is inserted into the index, or taken out of it.
  public static let document = FTS5Tokenization(rawValue: 0x4)
  /// An auxiliary function asks.
  public static let aux = FTS5Tokenization(rawValue: 0x8)
}

/// What is said of a token.
public struct FTS5TokenFlags: OptionSet, Sendable {
  /// The bits of `FTS5_TOKEN_…`.
  public let rawValue: CInt

  /// Wraps bits.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// The token stands at the place of the one before, as synonyms do.
  public static let colocated = FTS5TokenFlags(rawValue: 0x1)
}

/// Cuts texts into tokens for FTS5.
///
/// Tokenizers of your own conform to `FTS5CustomTokenizer`, or to `FTS5WrapperTokenizer`, which
/// changes the tokens of another one and needs no pointers.
public protocol FTS5Tokenizer: AnyObject {
  /// Calls back for each token in order.
  ///
  /// - Parameters:
  ///   - context: Handed to `tokenCallback`.
  ///   - tokenization: Why the text is cut.
  ///   - pText: The text: mostly UTF-8, but any bytes, and no zero byte behind them.
  ///   - nText: How many bytes it has.
  ///   - tokenCallback: Takes the tokens. What it returns beside `SQLITE_OK` has to be returned.
  /// - Returns: `SQLITE_OK`, or the code of an error.
  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt
}

extension FTS5Tokenizer {
  /// The tokens that a text has in the index. Those that are no UTF-8 are left out.
  public func tokenize(
    document string: String
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .document)
  }

  /// The tokens that a text has in a query. Those that are no UTF-8 are left out.
  public func tokenize(
    query string: String
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    try tokens(of: string, for: .query)
  }

  private func tokens(
    of string: String, for tokenization: FTS5Tokenization
  ) throws -> [(token: String, flags: FTS5TokenFlags)] {
    var string = string
    var tokens: [(token: String, flags: FTS5TokenFlags)] = []
    let receiver = TokenReceiver { token, flags, _, _ in
      guard let token = String(validating: token, as: UTF8.self) else { return }
      tokens.append((token, flags))
    }
    let code = string.withUTF8 { receiver.run(self, UnsafeRawBufferPointer($0), tokenization) }
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return tokens
  }
}

/// What stands behind the context of an `FTS5TokenCallback`: a closure that takes tokens.
final class TokenReceiver {
  private let body:
    (
      _ token: UnsafeRawBufferPointer, _ flags: FTS5TokenFlags, _ start: CInt, _ end: CInt
    ) throws -> Void
  /// What the closure has thrown: it is not called again.
  private(set) var failure: (any Error)?

  init(
    _ body: @escaping (UnsafeRawBufferPointer, FTS5TokenFlags, CInt, CInt) throws -> Void
  ) {
    self.body = body
  }

  /// Gives the closure the tokens of a text.
  func run(
    _ tokenizer: any FTS5Tokenizer, _ text: UnsafeRawBufferPointer,
    _ tokenization: FTS5Tokenization
  ) -> CInt {
    guard let length = CInt(exactly: text.count) else { return ResultCode.SQLITE_TOOBIG.rawValue }
    return withExtendedLifetime(self) {
      tokenizer.tokenize(
        context: Unmanaged.passUnretained(self).toOpaque(), tokenization: tokenization,
        pText: text.baseAddress?.assumingMemoryBound(to: CChar.self), nText: length,
        tokenCallback: TokenReceiver.take)
    }
  }

  private static let take: FTS5TokenCallback = { context, flags, token, count, start, end in
    guard let context, let token, count >= 0 else { return ResultCode.SQLITE_MISUSE.rawValue }
    let receiver = Unmanaged<TokenReceiver>.fromOpaque(context).takeUnretainedValue()
    do {
      if let failure = receiver.failure { throw failure }
      try receiver.body(
        UnsafeRawBufferPointer(start: token, count: Int(count)),
        FTS5TokenFlags(rawValue: flags), start, end)
      return SQLITE_OK
    } catch {
      receiver.failure = error
      return TokenReceiver.code(of: error)
    }
  }

  static func code(of error: any Error) -> CInt {
    switch error {
    case let error as DatabaseError: error.extendedResultCode.rawValue
    case let error as SQLError: error.code.rawValue
    default: ResultCode.SQLITE_ERROR.rawValue
    }
  }
}
