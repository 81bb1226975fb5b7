import MartletEngine

extension FTS5Storage {
  /// Forgets all rows; the content stays where it is (fts5 §6.4).
  func deleteAll() throws(SQLError) {
    forgetTotals()
    for suffix in ["data", "idx"] { try clear(suffix) }
    if configuration.hasColumnSizes { try clear("docsize") }
    if configuration.contentKind == .unindexed { try clear("content") }
    index.rollback()
    try index.writeEmpty()
    try writeSetting("version", nil, number: FTS5Settings.currentVersion)
  }

  private func clear(_ suffix: String) throws(SQLError) {
    let name = ShadowName.table(configuration.database, configuration.table, suffix)
    do throws(SQLError) {
      try configuration.connection.execute(withNames: "DELETE FROM \(name)")
    } catch {
      throw SQLError(error.code)
    }
  }

  /// Makes the index anew from the content (fts5 §6.11).
  func rebuild() throws(SQLError) {
    try deleteAll()
    try beginTotals()
    let scan = try make(.scan)
    try scan.bind(Int64.min, at: 1)
    try scan.bind(Int64.max, at: 2)
    do throws(SQLError) {
      while try scan.step() { try insertIntoIndex(contentRow: scan) }
      try scan.reset()
      try writeTotals()
    } catch {
      do throws(SQLError) { try scan.reset() } catch {}
      throw error
    }
  }
}
