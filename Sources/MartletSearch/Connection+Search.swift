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
    try registerLegacySearch(shared.legacyTokenizers)
    try createModule("fts5", FTS5Module(shared))
    try createModule("fts5vocab", VocabularyModule(shared))
    _ = SearchOptions.areSaid
    return shared
  }
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
