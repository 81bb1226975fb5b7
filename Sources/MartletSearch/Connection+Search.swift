import MartletEngine

extension Connection {
  /// Registers full-text search on this connection. `Martlet`, the shell and the C library do so on
  /// every connection that they open.
  ///
  /// - Throws: `busy` where functions are replaced while statements run.
  public func registerSearch() throws(SQLError) {
    try registerLegacySearch()
  }
}
