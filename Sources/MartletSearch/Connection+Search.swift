import MartletEngine

extension Connection {
  /// Registers full-text search on this connection. `Martlet`, the shell and the C library do so on
  /// every connection that they open.
  ///
  /// - Returns: What its tables share: tokenizers and auxiliary functions can be added to it.
  /// - Throws: `busy` where functions are replaced while statements run.
  @discardableResult
  public func registerSearch() throws(SQLError) -> FTS5Extension {
    try createFunctions(.search)
    let shared = FTS5Extension()
    keep(shared)
    createModules(.search)
    _ = SearchOptions.areSaid
    return shared
  }
}

extension ModuleSet {
  fileprivate static let search = ModuleSet([
    "fts3": FTS4Module(isFTS4: false), "fts4": FTS4Module(isFTS4: true), "fts4aux": TermModule(),
    "fts3tokenize": TokenModule(), "fts5": FTS5Module(), "fts5vocab": VocabularyModule(),
  ])
}

/// What `PRAGMA compile_options` says of full-text search, from the first connection on.
private enum SearchOptions {
  static let areSaid: Void = {
    CompileOptions.add("ENABLE_FTS3")
    CompileOptions.add("ENABLE_FTS3_PARENTHESIS")
    CompileOptions.add("ENABLE_FTS4")
    CompileOptions.add("ENABLE_FTS5")
  }()
}
