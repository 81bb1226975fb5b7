// The databases of a connection: the temporary one, and those of ATTACH (lang_attach).

extension Connection {
  /// Opens the database of temporary tables, unless it is open: a private one, in memory until it
  /// outgrows its cache. Its schema is empty, which is what the catalog has for it.
  func openTemporaryDatabase() throws(SQLError) {
    guard databases[1].tree == nil else { return }
    let pager = try Pager(
      file: SpillingFile(temporaryVFS), vfs: temporaryVFS ?? VFSRegistry.memory, path: "")
    databases[1].tree = BTree(pager: pager)
  }
}
