// Tokenizers of the program for FTS3 and FTS4, and the library's for the program (fts3 §8.1).
import CSQLite3
import MartletEngine
import MartletSearch

typealias TokenizerModule = UnsafePointer<sqlite3_tokenizer_module>

/// A tokenizer that a module of the program has made.
final class CLegacyTokenizer: LegacyTokenizer {
  private let module: TokenizerModule
  private let object: UnsafeMutablePointer<sqlite3_tokenizer>

  init(_ module: TokenizerModule, _ arguments: [String]) throws(SQLError) {
    self.module = module
    let texts = arguments.map { strdup($0) }
    defer { for text in texts { free(text) } }
    let pointers = texts.map { UnsafePointer($0) }
    var made: UnsafeMutablePointer<sqlite3_tokenizer>?
    let code =
      module.pointee.xCreate?(Int32(truncatingIfNeeded: arguments.count), pointers, &made)
      ?? SQLITE_ERROR
    guard code == SQLITE_OK, let made else {
      throw SQLError(ResultCode(rawValue: code == SQLITE_OK ? SQLITE_ERROR : code))
    }
    made.pointee.pModule = module
    object = made
  }

  deinit { _ = module.pointee.xDestroy?(object) }

  func tokenize(
    _ text: UnsafeRawBufferPointer, language: Int64?,
    _ body: (UnsafeRawBufferPointer, Int, Int, Int) throws -> Void
  ) throws {
    // Programs may look for a zero behind the text.
    let bytes = text.bindMemory(to: UInt8.self)
    let result = withTerminated(bytes) { copy in
      Result { try cut(copy, text.count, language, body) }
    }
    try result.get()
  }

  private func cut(
    _ text: UnsafePointer<CChar>, _ count: Int, _ language: Int64?,
    _ body: (UnsafeRawBufferPointer, Int, Int, Int) throws -> Void
  ) throws {
    guard let next = module.pointee.xNext else { throw SQLError(.error) }
    let cursor = try open(text, count, language)
    defer { _ = module.pointee.xClose?(cursor) }
    while true {
      var token: UnsafePointer<CChar>?
      var size: Int32 = 0, start: Int32 = 0, end: Int32 = 0, position: Int32 = 0
      let code = next(cursor, &token, &size, &start, &end, &position)
      if code == SQLITE_DONE { return }
      if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
      let first = min(max(0, Int(start)), count)
      try body(
        UnsafeRawBufferPointer(start: token, count: token == nil ? 0 : max(0, Int(size))),
        first, min(max(first, Int(end)), count), Int(position))
    }
  }

  private func open(
    _ text: UnsafePointer<CChar>, _ count: Int, _ language: Int64?
  ) throws(SQLError) -> UnsafeMutablePointer<sqlite3_tokenizer_cursor> {
    var made: UnsafeMutablePointer<sqlite3_tokenizer_cursor>?
    var code =
      module.pointee.xOpen?(object, text, Int32(truncatingIfNeeded: count), &made) ?? SQLITE_ERROR
    guard code == SQLITE_OK, let made else {
      throw SQLError(ResultCode(rawValue: code == SQLITE_OK ? SQLITE_ERROR : code))
    }
    made.pointee.pTokenizer = object
    if module.pointee.iVersion >= 1, let language, let setLanguage = module.pointee.xLanguageid {
      code = setLanguage(made, Int32(truncatingIfNeeded: language))
      if code != SQLITE_OK {
        _ = module.pointee.xClose?(made)
        throw SQLError(ResultCode(rawValue: code))
      }
    }
    return made
  }
}

/// The modules of a connection by their names, and the SQL function that gives and takes them.
final class LegacyTokenizerModules {
  private let registry: LegacyTokenizerRegistry
  private let connection: ConnectionHandle
  private lazy var modules = LegacyTokenizerModules.builtIn

  private nonisolated(unsafe) static let builtIn: [ExactText: TokenizerModule] = [
    "simple": LentLegacyModule.simple, "porter": LentLegacyModule.porter,
    "unicode61": LentLegacyModule.unicode61,
  ]

  init(_ registry: LegacyTokenizerRegistry, _ connection: ConnectionHandle) {
    self.registry = registry
    self.connection = connection
  }

  /// A pointer is trusted if it comes from the program, which a literal need not.
  private func isTrusted(_ call: borrowing FunctionInvocation, _ index: Int) -> Bool {
    call.isFromBind(index) || connection.core.takesTokenizers
  }

  /// `fts3_tokenizer(name)`, `fts3_tokenizer(name, pointer)`
  func call(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let name = try call.text(0)
    if call.count == 2 {
      guard isTrusted(call, 1) else { throw SQLError(.error, "fts3tokenize disabled") }
      let bytes = try call.bytes(1)
      guard let name, bytes.count == MemoryLayout<TokenizerModule>.size,
        let module = bytes.loadUnaligned(as: TokenizerModule?.self)
      else { throw SQLError(.error, "argument type mismatch") }
      modules[ExactText(name)] = module
      registry.register(name) { try CLegacyTokenizer(module, $0) }
    }
    guard let module = modules[ExactText(name ?? "")] else {
      throw SQLError(.error, "unknown tokenizer: \(name ?? "")")
    }
    if isTrusted(call, 0) {
      try call.setResult(blob: withUnsafeBytes(of: module) { Array($0) })
    }
  }
}

// MARK: - The library's own

/// A tokenizer of the library's, as the program has it.
private struct LentLegacyTokenizer {
  var base = sqlite3_tokenizer()
  let tokenizer: any LegacyTokenizer
}

/// What it has made of a text, token by token.
private struct LentLegacyCursor {
  struct Token {
    let offset: Int
    let count: Int
    let start: Int
    let end: Int
    let position: Int
  }

  var base = sqlite3_tokenizer_cursor()
  var tokens: [Token] = []
  var bytes: UnsafeMutablePointer<CChar>
  var index = 0
}

/// The modules of the library's tokenizers. They are told nothing of who calls, so that each has a
/// function of its own that makes tokenizers.
private enum LentLegacyModule {
  nonisolated(unsafe) static let simple = make { createLent("simple", $0, $1, $2) }
  nonisolated(unsafe) static let porter = make { createLent("porter", $0, $1, $2) }
  nonisolated(unsafe) static let unicode61 = make { createLent("unicode61", $0, $1, $2) }

  private typealias Create =
    @convention(c) (
      Int32, UnsafePointer<UnsafePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_tokenizer>?>?
    ) -> Int32

  private static func make(_ create: Create) -> TokenizerModule {
    let place = UnsafeMutablePointer<sqlite3_tokenizer_module>.allocate(capacity: 1)
    place.initialize(
      to: sqlite3_tokenizer_module(
        iVersion: 0, xCreate: create, xDestroy: destroyLent, xOpen: openLent, xClose: closeLent,
        xNext: nextLent, xLanguageid: nil))
    return UnsafePointer(place)
  }
}

private func createLent(
  _ name: String, _ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_tokenizer>?>?
) -> Int32 {
  guard let result, let make = LegacyTokenizerRegistry()[name] else { return SQLITE_MISUSE }
  result.pointee = nil
  do {
    let made = try make((0..<max(Int(count), 0)).map { string(arguments?[$0]) ?? "" })
    let place = UnsafeMutablePointer<LentLegacyTokenizer>.allocate(capacity: 1)
    place.initialize(to: LentLegacyTokenizer(tokenizer: made))
    result.pointee = UnsafeMutableRawPointer(place).assumingMemoryBound(to: sqlite3_tokenizer.self)
    return SQLITE_OK
  } catch {
    return (error as? SQLError)?.code.rawValue ?? SQLITE_ERROR
  }
}

private func destroyLent(_ tokenizer: UnsafeMutablePointer<sqlite3_tokenizer>?) -> Int32 {
  guard let tokenizer else { return SQLITE_OK }
  let own = UnsafeMutableRawPointer(tokenizer).assumingMemoryBound(to: LentLegacyTokenizer.self)
  own.deinitialize(count: 1)
  own.deallocate()
  return SQLITE_OK
}

private func openLent(
  _ tokenizer: UnsafeMutablePointer<sqlite3_tokenizer>?, _ text: UnsafePointer<CChar>?,
  _ size: Int32, _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_tokenizer_cursor>?>?
) -> Int32 {
  guard let tokenizer, let result else { return SQLITE_MISUSE }
  result.pointee = nil
  let own = UnsafeMutableRawPointer(tokenizer).assumingMemoryBound(to: LentLegacyTokenizer.self)
  let count = text.map { size < 0 ? strlen($0) : Int(size) } ?? 0
  var tokens: [LentLegacyCursor.Token] = [], bytes: [CChar] = []
  do {
    try own.pointee.tokenizer.tokenize(
      UnsafeRawBufferPointer(start: text, count: count), language: nil
    ) { token, start, end, position in
      tokens.append(
        LentLegacyCursor.Token(
          offset: bytes.count, count: token.count, start: start, end: end, position: position))
      bytes.append(contentsOf: token.bindMemory(to: CChar.self))
    }
  } catch {
    return (error as? SQLError)?.code.rawValue ?? SQLITE_ERROR
  }
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: max(bytes.count, 1))
  copy.initialize(from: bytes, count: bytes.count)
  let place = UnsafeMutablePointer<LentLegacyCursor>.allocate(capacity: 1)
  place.initialize(to: LentLegacyCursor(tokens: tokens, bytes: copy))
  result.pointee = UnsafeMutableRawPointer(place)
    .assumingMemoryBound(to: sqlite3_tokenizer_cursor.self)
  return SQLITE_OK
}

private func closeLent(_ cursor: UnsafeMutablePointer<sqlite3_tokenizer_cursor>?) -> Int32 {
  guard let cursor else { return SQLITE_OK }
  let own = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: LentLegacyCursor.self)
  own.pointee.bytes.deallocate()
  own.deinitialize(count: 1)
  own.deallocate()
  return SQLITE_OK
}

private func nextLent(
  _ cursor: UnsafeMutablePointer<sqlite3_tokenizer_cursor>?,
  _ token: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ size: UnsafeMutablePointer<Int32>?,
  _ start: UnsafeMutablePointer<Int32>?, _ end: UnsafeMutablePointer<Int32>?,
  _ position: UnsafeMutablePointer<Int32>?
) -> Int32 {
  guard let cursor else { return SQLITE_MISUSE }
  let own = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: LentLegacyCursor.self)
  guard own.pointee.index < own.pointee.tokens.count else { return SQLITE_DONE }
  let next = own.pointee.tokens[own.pointee.index]
  own.pointee.index += 1
  token?.pointee = UnsafePointer(own.pointee.bytes + next.offset)
  size?.pointee = Int32(truncatingIfNeeded: next.count)
  start?.pointee = Int32(truncatingIfNeeded: next.start)
  end?.pointee = Int32(truncatingIfNeeded: next.end)
  position?.pointee = Int32(truncatingIfNeeded: next.position)
  return SQLITE_OK
}
