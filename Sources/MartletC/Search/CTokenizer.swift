// Tokenizers of the program for FTS5, and FTS5's for the program (fts5 §7.1).
import CSQLite3
import MartletEngine
import MartletSearch

typealias TokenCallback =
  @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32)
  -> Int32

/// A kind of tokenizer that the program has registered.
final class CTokenizerKind {
  enum Methods {
    case first(fts5_tokenizer)
    case second(fts5_tokenizer_v2)
  }

  let methods: Methods
  let userData: UnsafeMutableRawPointer?
  /// Those of the second form, where a program can find them.
  let secondMethods: UnsafeMutablePointer<fts5_tokenizer_v2>?
  private let destroy: Destructor?

  init(_ methods: Methods, _ userData: UnsafeMutableRawPointer?, _ destroy: Destructor?) {
    self.methods = methods
    self.userData = userData
    self.destroy = destroy
    guard case .second(let known) = methods else {
      secondMethods = nil
      return
    }
    let place = UnsafeMutablePointer<fts5_tokenizer_v2>.allocate(capacity: 1)
    place.initialize(to: known)
    secondMethods = place
  }

  deinit {
    secondMethods?.deallocate()
    destroy?(userData)
  }
}

/// A tokenizer of the program.
final class CTokenizer: Tokenizer {
  private let kind: CTokenizerKind
  private let object: OpaquePointer?

  init(_ kind: CTokenizerKind, _ arguments: [String]) throws {
    self.kind = kind
    var made: OpaquePointer?
    let texts = arguments.map { argument in
      let bytes = Array(argument.utf8CString)
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      copy.initialize(from: bytes, count: bytes.count)
      return copy
    }
    defer { for text in texts { text.deallocate() } }
    var pointers: [UnsafePointer<CChar>?] = texts.map { UnsafePointer($0) }
    let count = Int32(truncatingIfNeeded: arguments.count)
    let code: Int32
    switch kind.methods {
    case .first(let methods):
      code = methods.xCreate?(kind.userData, &pointers, count, &made) ?? SQLITE_ERROR
    case .second(let methods):
      code = methods.xCreate?(kind.userData, &pointers, count, &made) ?? SQLITE_ERROR
    }
    guard code == SQLITE_OK else {
      throw SQLError(ResultCode(rawValue: code), "error in tokenizer constructor")
    }
    object = made
  }

  deinit {
    switch kind.methods {
    case .first(let methods): methods.xDelete?(object)
    case .second(let methods): methods.xDelete?(object)
    }
  }

  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {
    try withoutActuallyEscaping(body) { body in
      let sink = TokenSink(body)
      let context = Unmanaged.passUnretained(sink).toOpaque()
      let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
      let count = Int32(truncatingIfNeeded: text.count)
      let code: Int32
      switch kind.methods {
      case .first(let methods):
        code =
          methods.xTokenize?(object, context, reason.rawValue, start, count, TokenSink.take)
          ?? SQLITE_ERROR
      case .second(let methods):
        code =
          methods.xTokenize?(
            object, context, reason.rawValue, start, count,
            locale?.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(truncatingIfNeeded: locale?.count ?? 0), TokenSink.take) ?? SQLITE_ERROR
      }
      // SQLITE_DONE of who takes the tokens is an error only if the tokenizer takes it for one.
      let isForgiven = code == SQLITE_OK && (sink.failure as? SQLError)?.code == .done
      if let failure = sink.failure, !isForgiven { throw failure }
      if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
    }
  }
}

/// Takes tokens of the program's tokenizers.
private final class TokenSink {
  private let body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  var failure: (any Error)?

  init(_ body: @escaping (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void) {
    self.body = body
  }

  static let take: TokenCallback = { context, flags, token, count, start, end in
    guard let context, let token, count >= 0 else { return SQLITE_MISUSE }
    let sink = Unmanaged<TokenSink>.fromOpaque(context).takeUnretainedValue()
    do {
      try sink.body(
        UnsafeRawBufferPointer(start: token, count: Int(count)),
        flags & FTS5_TOKEN_COLOCATED != 0, Int(start), Int(end))
      return SQLITE_OK
    } catch {
      sink.failure = error
      return (error as? SQLError)?.code.rawValue ?? SQLITE_ERROR
    }
  }
}

/// A kind of tokenizer of the engine's, as the program finds it.
final class LentTokenizer {
  private let name: String
  private let registry: TokenizerRegistry
  let secondMethods: UnsafeMutablePointer<fts5_tokenizer_v2>

  init(_ name: String, _ registry: TokenizerRegistry) {
    self.name = name
    self.registry = registry
    secondMethods = .allocate(capacity: 1)
    var methods = fts5_tokenizer_v2()
    methods.iVersion = 2
    methods.xCreate = createLent
    methods.xDelete = deleteLent
    methods.xTokenize = tokenizeLent2
    secondMethods.initialize(to: methods)
  }

  deinit { secondMethods.deallocate() }

  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static var firstMethods: fts5_tokenizer {
    fts5_tokenizer(xCreate: createLent, xDelete: deleteLent, xTokenize: tokenizeLent)
  }

  fileprivate func make(_ arguments: [String]) throws -> LentInstance {
    LentInstance(try registry.tokenizer(named: name, arguments: arguments))
  }
}

private final class LentInstance {
  let tokenizer: any Tokenizer
  init(_ tokenizer: any Tokenizer) { self.tokenizer = tokenizer }
}

private func createLent(
  _ userData: UnsafeMutableRawPointer?,
  _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ count: Int32,
  _ result: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  result?.pointee = nil
  guard let userData, let result else { return SQLITE_MISUSE }
  let kind = Unmanaged<LentTokenizer>.fromOpaque(userData).takeUnretainedValue()
  let words = (0..<max(Int(count), 0)).map { string(arguments?[$0]) ?? "" }
  do {
    let made = Unmanaged.passRetained(try kind.make(words))
    result.pointee = OpaquePointer(made.toOpaque())
    return SQLITE_OK
  } catch {
    return (error as? SQLError)?.code.rawValue ?? SQLITE_ERROR
  }
}

private func deleteLent(_ tokenizer: OpaquePointer?) {
  guard let tokenizer else { return }
  Unmanaged<LentInstance>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
}

private func tokenizeLent(
  _ tokenizer: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ flags: Int32,
  _ text: UnsafePointer<CChar>?, _ count: Int32, _ take: TokenCallback?
) -> Int32 { tokenizeLent2(tokenizer, context, flags, text, count, nil, 0, take) }

private func tokenizeLent2(
  _ tokenizer: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ flags: Int32,
  _ text: UnsafePointer<CChar>?, _ count: Int32, _ locale: UnsafePointer<CChar>?,
  _ localeCount: Int32, _ take: TokenCallback?
) -> Int32 {
  guard let tokenizer, let take else { return SQLITE_MISUSE }
  let instance = Unmanaged<LentInstance>.fromOpaque(UnsafeRawPointer(tokenizer))
    .takeUnretainedValue()
  return TokenCalls.run(take, context) { body throws in
    try instance.tokenizer.tokenize(
      UnsafeRawBufferPointer(start: text, count: max(Int(count), 0)),
      reason: TokenizeReason(rawValue: flags),
      locale: locale.map { UnsafeRawBufferPointer(start: $0, count: max(Int(localeCount), 0)) },
      body)
  }
}

/// Calls of a program's function for tokens.
enum TokenCalls {
  typealias Body = (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void

  /// Gives each token to a program's function; returns its code, or that of what fails.
  static func run(
    _ take: TokenCallback, _ context: UnsafeMutableRawPointer?, _ tokenize: (Body) throws -> Void
  ) -> Int32 {
    do {
      try tokenize { token, isColocated, start, end throws in
        let code = take(
          context, isColocated ? FTS5_TOKEN_COLOCATED : 0,
          token.baseAddress?.assumingMemoryBound(to: CChar.self),
          Int32(truncatingIfNeeded: token.count), Int32(truncatingIfNeeded: start),
          Int32(truncatingIfNeeded: end))
        if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
      }
      return SQLITE_OK
    } catch {
      return (error as? SQLError)?.code.rawValue ?? SQLITE_ERROR
    }
  }
}
