// `fts5_api`: how programs add tokenizers and auxiliary functions (fts5 §7). They get its pointer
// by `SELECT fts5(?)`, with a place for it bound as a pointer.
import CSQLite3
import MartletEngine
import MartletSearch

/// The interface of one connection, which keeps it: what pointers of the program lead to is there as
/// long as the connection, also when the program has taken the SQL function away.
final class SearchInterface {
  /// What the pointer of a program points to, and behind it what it belongs to.
  struct Block {
    var api: fts5_api
    let owner: Unmanaged<SearchInterface>
  }

  static let pointerType = "fts5_api_ptr"

  let shared: FTS5Extension
  let connection: ConnectionHandle
  private let block: UnsafeMutablePointer<Block>
  /// The program's own tokenizers by their names in small letters.
  var tokenizers: [ExactText: CTokenizerKind] = [:]
  /// All that the program has registered: what has been replaced goes with the connection, too.
  private var registered: [AnyObject] = []
  /// What stands for tokenizers that are not the program's.
  private var lent: [ExactText: LentTokenizer] = [:]

  init(_ shared: FTS5Extension, _ connection: ConnectionHandle) {
    self.shared = shared
    self.connection = connection
    block = .allocate(capacity: 1)
    var api = fts5_api()
    api.iVersion = 3
    api.xCreateTokenizer = createTokenizer
    api.xFindTokenizer = findTokenizer
    api.xCreateFunction = createAuxiliaryFunction
    api.xCreateTokenizer_v2 = createTokenizer2
    api.xFindTokenizer_v2 = findTokenizer2
    block.initialize(to: Block(api: api, owner: Unmanaged.passUnretained(self)))
  }

  deinit { block.deallocate() }

  /// `fts5(?)`
  fileprivate static func give(_ call: borrowing FunctionInvocation) {
    guard let interface = call.connection?.companion(SearchInterface.self),
      let object = call.pointer(0, type: pointerType) as? CPointer, let place = object.pointer
    else { return }
    place.assumingMemoryBound(to: UnsafeMutablePointer<Block>?.self).pointee = interface.block
  }

  static func of(_ api: UnsafeMutablePointer<fts5_api>?) -> SearchInterface? {
    guard let api else { return nil }
    return UnsafeMutableRawPointer(api).assumingMemoryBound(to: Block.self).pointee.owner
      .takeUnretainedValue()
  }

  func keep(_ object: AnyObject) { registered.append(object) }

  /// A tokenizer of the engine's as the program can call it; nil where there is none.
  func lentTokenizer(_ name: String) -> LentTokenizer? {
    let key = name.nameKey
    if let known = lent[key] { return known }
    guard shared.tokenizers.hasTokenizer(named: name) else { return nil }
    let made = LentTokenizer(name, shared.tokenizers)
    lent[key] = made
    return made
  }
}

extension ConnectionHandle {
  /// Lets programs extend the connection's full-text search.
  func createSearchInterface(_ shared: FTS5Extension?) throws(SQLError) {
    guard let shared, let engine = core.engine else { return }
    engine.keep(SearchInterface(shared, self))
    engine.keep(LegacyTokenizerModules(shared.legacyTokenizers, self))
    try engine.createFunctions(.searchInterface)
  }
}

extension FunctionSet {
  /// What gives programs pointers and takes them (fts5 §7, fts3 §8.1).
  fileprivate static let searchInterface = FunctionSet { set throws(SQLError) in
    try set.createFunction("fts5", argumentCount: 1) { SearchInterface.give($0) }
    for count in 1...2 {
      try set.createFunction("fts3_tokenizer", argumentCount: count, options: .directOnly) {
        call throws(SQLError) in
        try call.connection?.companion(LegacyTokenizerModules.self)?.call(call)
      }
    }
  }
}

// MARK: - Members of fts5_api

private func createAuxiliaryFunction(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?,
  _ userData: UnsafeMutableRawPointer?, _ function: fts5_extension_function?,
  _ destroy: Destructor?
) -> Int32 {
  guard let interface = SearchInterface.of(api), let name = string(name), let function else {
    return SQLITE_MISUSE
  }
  let object = CAuxiliaryFunction(interface.connection, function, userData, destroy)
  interface.keep(object)
  interface.shared.register(name, object)
  do throws(SQLError) {
    // SQL has to know the name before a table may give it a meaning.
    try interface.connection.core.engine?.overloadFunction(name, argumentCount: -1)
    return SQLITE_OK
  } catch {
    return error.code.rawValue
  }
}

private func createTokenizer(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?,
  _ userData: UnsafeMutableRawPointer?, _ methods: UnsafeMutablePointer<fts5_tokenizer>?,
  _ destroy: Destructor?
) -> Int32 {
  guard let methods else { return SQLITE_MISUSE }
  return create(api, name, CTokenizerKind(.first(methods.pointee), userData, destroy))
}

private func createTokenizer2(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?,
  _ userData: UnsafeMutableRawPointer?, _ methods: UnsafeMutablePointer<fts5_tokenizer_v2>?,
  _ destroy: Destructor?
) -> Int32 {
  guard let methods, methods.pointee.iVersion <= 2 else { return SQLITE_ERROR }
  return create(api, name, CTokenizerKind(.second(methods.pointee), userData, destroy))
}

private func create(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?, _ kind: CTokenizerKind
) -> Int32 {
  guard let interface = SearchInterface.of(api), let name = string(name) else {
    return SQLITE_MISUSE
  }
  interface.keep(kind)
  interface.tokenizers[name.nameKey] = kind
  interface.shared.tokenizers.register(
    TokenizerKind(name: name) { arguments in try CTokenizer(kind, arguments) })
  return SQLITE_OK
}

private func findTokenizer(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?,
  _ userData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ methods: UnsafeMutablePointer<fts5_tokenizer>?
) -> Int32 {
  guard let interface = SearchInterface.of(api), let methods else { return SQLITE_MISUSE }
  let name = string(name) ?? "unicode61"
  if let own = interface.tokenizers[name.nameKey], case .first(let known) = own.methods {
    methods.pointee = known
    userData?.pointee = own.userData
    return SQLITE_OK
  }
  guard let lent = interface.lentTokenizer(name) else {
    methods.pointee = fts5_tokenizer()
    userData?.pointee = nil
    return SQLITE_ERROR
  }
  methods.pointee = LentTokenizer.firstMethods
  userData?.pointee = lent.address
  return SQLITE_OK
}

private func findTokenizer2(
  _ api: UnsafeMutablePointer<fts5_api>?, _ name: UnsafePointer<CChar>?,
  _ userData: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ methods: UnsafeMutablePointer<UnsafeMutablePointer<fts5_tokenizer_v2>?>?
) -> Int32 {
  guard let interface = SearchInterface.of(api), let methods else { return SQLITE_MISUSE }
  let name = string(name) ?? "unicode61"
  if let own = interface.tokenizers[name.nameKey], let known = own.secondMethods {
    methods.pointee = known
    userData?.pointee = own.userData
    return SQLITE_OK
  }
  guard let lent = interface.lentTokenizer(name) else {
    methods.pointee = nil
    userData?.pointee = nil
    return SQLITE_ERROR
  }
  methods.pointee = lent.secondMethods
  userData?.pointee = lent.address
  return SQLITE_OK
}
