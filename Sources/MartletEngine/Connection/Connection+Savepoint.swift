// SAVEPOINT, RELEASE and ROLLBACK TO (lang_savepoint).

extension Connection {
  func changeSavepoint(
    _ change: SavepointChange, _ name: String, for vm: VM
  ) throws(SQLError) {
    throw .notSupported("SAVEPOINT")
  }
}
