import MartletEngine

extension Connection {
  /// Registers full-text search on this connection. `Martlet`, the shell and the C library do so on
  /// every connection that they open.
  public func registerSearch() throws(SQLError) {}
}
