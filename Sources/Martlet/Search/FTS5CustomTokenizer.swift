import MartletEngine
import MartletSearch

/// A tokenizer of the application, which FTS5 tables can name.
///
/// ```swift
/// final class PathTokenizer: FTS5CustomTokenizer {
///   static let name = "path"
///   init(db: Database, arguments: [String]) {}
///   func tokenize(…) -> CInt { … }
/// }
///
/// configuration.prepareDatabase { db in db.add(tokenizer: PathTokenizer.self) }
/// // t.tokenizer = PathTokenizer.tokenizerDescriptor()
/// ```
public protocol FTS5CustomTokenizer: FTS5Tokenizer {
  /// The name under which tables know the tokenizer.
  static var name: String { get }

  /// Makes a tokenizer for a table.
  ///
  /// - Parameters:
  ///   - db: The connection, which may be asked for other tokenizers.
  ///   - arguments: What stands behind the name in the table's definition.
  init(db: Database, arguments: [String]) throws
}

extension FTS5CustomTokenizer {
  /// Names the tokenizer, with what it is told.
  public static func tokenizerDescriptor(
    arguments: [String] = []
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: [name] + arguments)
  }
}

/// Takes a token from a tokenizer that wraps another one.
public typealias FTS5WrapperTokenCallback = (
  _ token: String, _ flags: FTS5TokenFlags
) throws -> Void

/// A tokenizer that changes, leaves out or adds to the tokens of another one.
///
/// ```swift
/// final class NumberWords: FTS5WrapperTokenizer {
///   static let name = "numbers"
///   let wrappedTokenizer: any FTS5Tokenizer
///
///   init(db: Database, arguments: [String]) throws {
///     wrappedTokenizer = try db.makeTokenizer(.unicode61())
///   }
///
///   func accept(
///     token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///     tokenCallback: FTS5WrapperTokenCallback
///   ) throws {
///     try tokenCallback(token, flags)
///     if token == "1st", tokenization.contains(.document) {
///       try tokenCallback("first", flags.union(.colocated))
///     }
///   }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
  /// The tokenizer whose tokens are changed.
  var wrappedTokenizer: any FTS5Tokenizer { get }

  /// Calls back for each token that a token of the wrapped tokenizer becomes.
  ///
  /// - Parameters:
  ///   - token: The token of the wrapped tokenizer.
  ///   - flags: What that one says of it.
  ///   - tokenization: Why the text is cut.
  ///   - tokenCallback: Takes the tokens. What it throws must be thrown.
  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws
}

extension FTS5WrapperTokenizer {
  /// Lets the wrapped tokenizer cut the text, and hands its tokens to `accept`. Those that are no
  /// UTF-8 are left out.
  public func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard nText >= 0 else { return ResultCode.SQLITE_MISUSE.rawValue }
    let receiver = TokenReceiver { [self] token, flags, start, end in
      guard let token = String(validating: token, as: UTF8.self) else { return }
      try accept(token: token, flags: flags, for: tokenization) { token, flags in
        var token = token
        let code = token.withUTF8 { bytes in
          UnsafeRawBufferPointer(bytes).withMemoryRebound(to: CChar.self) { bytes in
            tokenCallback(
              context, flags.rawValue, bytes.baseAddress,
              CInt(truncatingIfNeeded: bytes.count), start, end)
          }
        }
        guard code == SQLITE_OK else {
          throw DatabaseError(
            resultCode: ResultCode(rawValue: code), message: "token callback failed")
        }
      }
    }
    let text = UnsafeRawBufferPointer(start: pText, count: pText == nil ? 0 : max(0, Int(nText)))
    return receiver.run(wrappedTokenizer, text, tokenization)
  }
}

extension Database {
  /// Makes a tokenizer known to the FTS5 tables of the connection.
  ///
  /// All connections that use such tables need it: add it in `Configuration.prepareDatabase`.
  public func add(tokenizer: (some FTS5CustomTokenizer).Type) {
    stopOutsideAccess()
    let kind = TokenizerKind(name: tokenizer.name) { [unowned self] arguments in
      do {
        return ProgramTokenizer(try tokenizer.init(db: self, arguments: arguments))
      } catch {
        throw SQLError(
          MartletEngine.ResultCode(rawValue: TokenReceiver.code(of: error)),
          "error in tokenizer constructor")
      }
    }
    search.tokenizers.register(kind)
  }

  /// Makes a tokenizer as tables have it, for tokenizers that wrap it or to see what it does.
  ///
  /// ```swift
  /// try db.makeTokenizer(.ascii()).tokenize(query: "Hello World").map(\.token)
  /// ```
  ///
  /// - Throws: A `DatabaseError` where there is no such tokenizer, or where it does not take its
  ///   arguments.
  public func makeTokenizer(
    _ descriptor: FTS5TokenizerDescriptor
  ) throws -> any FTS5Tokenizer {
    try checkAccess()
    do {
      let made = try search.tokenizers.tokenizer(
        named: descriptor.name, arguments: descriptor.arguments)
      return (made as? ProgramTokenizer)?.tokenizer ?? EngineTokenizer(made)
    } catch let error as SQLError {
      throw DatabaseError(error)
    }
  }
}

/// A tokenizer of the program, as tables see it.
private final class ProgramTokenizer: Tokenizer {
  let tokenizer: any FTS5Tokenizer

  init(_ tokenizer: any FTS5Tokenizer) { self.tokenizer = tokenizer }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    try withoutActuallyEscaping(body) { body in
      let receiver = TokenReceiver { token, flags, start, end in
        // Places are the program's: auxiliary functions take them as they are.
        let start = min(max(Int(start), 0), text.count)
        let end = min(max(Int(end), start), text.count)
        try body(token, flags.contains(.colocated), start, end)
      }
      let code = receiver.run(tokenizer, text, FTS5Tokenization(rawValue: reason.rawValue))
      if let failure = receiver.failure { throw failure }
      guard code == SQLITE_OK else {
        throw SQLError(MartletEngine.ResultCode(rawValue: code))
      }
    }
  }
}

/// A tokenizer of the module, as the program sees it.
private final class EngineTokenizer: FTS5Tokenizer {
  private let tokenizer: any Tokenizer

  /// The callback wants no more tokens.
  private struct Stop: Error {
    let code: CInt
  }

  init(_ tokenizer: any Tokenizer) { self.tokenizer = tokenizer }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
    pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText, nText > 0 else { return SQLITE_OK }
    let text = UnsafeRawBufferPointer(start: pText, count: Int(nText))
    do {
      try tokenizer.tokenize(
        text, reason: TokenizeReason(rawValue: tokenization.rawValue), locale: nil
      ) { token, isColocated, start, end in
        let flags: FTS5TokenFlags = isColocated ? .colocated : []
        let code = tokenCallback(
          context, flags.rawValue, token.baseAddress?.assumingMemoryBound(to: CChar.self),
          CInt(truncatingIfNeeded: token.count), CInt(truncatingIfNeeded: start),
          CInt(truncatingIfNeeded: end))
        if code != SQLITE_OK { throw Stop(code: code) }
      }
      return SQLITE_OK
    } catch let stop as Stop {
      // Enough was seen: that is no failure.
      return stop.code == ResultCode.SQLITE_DONE.rawValue ? SQLITE_OK : stop.code
    } catch {
      return TokenReceiver.code(of: error)
    }
  }
}
