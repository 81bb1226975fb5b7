// Shadow tables: in which virtual tables keep their content (vtab §2.21).

extension Connection {
  /// In defensive mode only virtual tables change their shadow tables: while one is made, within
  /// statements that run, and when a commit is told to them (SQLite's sqlite3ReadOnlyShadowTables).
  var protectsShadowTables: Bool {
    isDefensive && modules.constructionDepth == 0 && programDepth == 0 && !modules.isSyncing
  }

  func isShadow(_ table: Table) -> Bool {
    isShadowName(table.name, of: table.databaseIndex) || isShadowName(table.name, of: nil)
  }

  /// The name begins with that of a virtual table and ends as its module says.
  ///
  /// - Parameter database: Where that table is; nil for the one that its name alone means.
  private func isShadowName(_ name: Name, of database: Int?) -> Bool {
    let bytes = UnsafeBufferPointer(start: name.start, count: Int(name.count))
    guard let separator = bytes.lastIndex(of: UInt8(ascii: "_")) else { return false }
    let ownerName = Name(start: name.start, count: separator)
    let owner =
      database.map { catalog.table(named: ownerName, database: $0) }
      ?? catalog.table(named: ownerName)
    guard let virtual = owner?.virtual, let entry = modules.find(virtual.moduleName) else {
      return false
    }
    let suffix = UnsafeBufferPointer(rebasing: bytes[(separator + 1)...])
    return entry.module.isShadowName(String(decoding: suffix, as: UTF8.self))
  }

  /// Names that are SQLite's own, and in defensive mode those of shadow tables that there are not:
  /// a virtual table would take them for its own.
  func checkIsNotReserved(_ name: Name) throws(SQLError) {
    if isSchemaWritable { return }
    if name.isReserved || protectsShadowTables && isShadowName(name, of: nil) {
      throw .sql("object name reserved for internal use: \(name.string)")
    }
  }

  /// Triggers of the application are not to change shadow tables either.
  func checkShadowTables(of statement: CreateTriggerStatement) throws(SQLError) {
    guard protectsShadowTables else { return }
    for step in statement.steps {
      guard let target = step.changedTable?.name, isShadowName(target, of: nil) else { continue }
      throw .sql(
        "trigger \"\(statement.name.name.string)\" may not write to shadow table "
          + "\"\(target.string)\"")
    }
  }
}
