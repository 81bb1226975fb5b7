import MartletEngine

extension FTS5Table {
  /// INSERT, UPDATE, DELETE, and the commands that are inserted into the table's own column (fts5
  /// §6).
  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    try loadSettingsAgain()
    shared.trip(self)
    if change.kind == .delete {
      try delete(change.oldRowid.int64)
      return 0
    }
    let command = change[configuration.tableColumn]
    if change.kind == .insert, !command.isNull {
      try run(command: try command.text() ?? "", change)
      return 0
    }
    if !configuration.hasLocales { try refuseLocales(change) }
    if change.kind == .insert { return try insert(change) }
    defer { do throws(SQLError) { try storage.releaseSavedRow() } catch {} }
    return try replace(change)
  }

  private func delete(_ rowid: Int64) throws(SQLError) {
    if configuration.isContentless && !configuration.hasContentlessDelete {
      throw SQLError(
        .error, "cannot DELETE from contentless fts5 table: \(configuration.table)")
    }
    try storage.delete(rowid)
  }

  private func refuseLocales(_ change: borrowing VirtualTableChange) throws(SQLError) {
    for column in configuration.columns.indices {
      guard let value = change.reference(column + 2) else { continue }
      if try LocaleValue.parts(value) != nil {
        throw SQLError(.mismatch, "fts5_locale() requires locale=1")
      }
    }
  }

  /// Conflicts are resolved only where the table knows what its rows have.
  private func isReplacing(_ change: borrowing VirtualTableChange) -> Bool {
    guard configuration.contentKind == .normal || configuration.hasContentlessDelete else {
      return false
    }
    return change.conflictPolicy == .replace
  }

  private func insert(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    if isReplacing(change), let rowid = change.reference(1), rowid.numericType == .integer {
      try storage.delete(rowid.int64)
    }
    return try write(change)
  }

  private func write(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    let rowid = try storage.insertContent(change)
    try storage.insertIntoIndex(change, rowid: rowid)
    return rowid
  }

  private func replace(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    let old = change.oldRowid.int64, new = change.newRowid.int64
    let isRowid = change.reference(1)?.numericType == .integer
    var isContentOnly = false
    if configuration.isContentless {
      isContentOnly = try checkContentless(change, movesRow: !isRowid || old != new)
    }
    guard isRowid else { throw SQLError(.mismatch) }
    if isContentOnly {
      try storage.findSavedRow(old)
      return try storage.insertContent(change, isReplacing: true)
    }
    if old == new {
      try storage.delete(old, isSaved: true)
      return try write(change)
    }
    if isReplacing(change) {
      try storage.delete(old, isSaved: true)
      try storage.delete(new)
      return try write(change)
    }
    try storage.findSavedRow(old)
    let rowid = try storage.insertContent(change)
    try storage.delete(old, isSaved: true)
    try storage.insertIntoIndex(change, rowid: rowid)
    return rowid
  }

  /// A contentless table can be updated only where all values of indexed columns are given (fts5
  /// §4.4.2), or none.
  ///
  /// - Returns: Only columns that are not indexed change.
  private func checkContentless(
    _ change: borrowing VirtualTableChange, movesRow: Bool
  ) throws(SQLError) -> Bool {
    var hasIndexed = false, hasUnchanged = false
    for column in configuration.columns.indices where !configuration.isUnindexed[column] {
      if change[column].isUnchanged { hasUnchanged = true } else { hasIndexed = true }
    }
    let isWhole = !hasUnchanged
    if !movesRow && !hasIndexed { return true }
    if !configuration.hasContentlessDelete {
      throw SQLError(.error, "cannot UPDATE contentless fts5 table: \(configuration.table)")
    }
    if !isWhole {
      throw SQLError(
        .error,
        "cannot UPDATE a subset of columns on fts5 contentless-delete table: "
          + configuration.table)
    }
    return false
  }

  // MARK: Commands

  private func run(
    command name: String, _ change: borrowing VirtualTableChange
  ) throws(SQLError) {
    let value = change.reference(2 + configuration.rankColumn)
    switch name.lowercased() {
    case "delete" where configuration.contentKind != .normal: try deleteGiven(change)
    case "delete-all": try deleteAll()
    case "rebuild": try rebuild()
    case "optimize": try index.optimize()
    case "merge": try index.merge(pageCount: Int(Int32(truncatingIfNeeded: value?.int64 ?? 0)))
    case "integrity-check": try checkIntegrity(isFull: (value?.int64 ?? 0) != 0)
    case "flush": try flush()
    default: try configure(name, value)
    }
  }

  /// Rows of external content are deleted by what they had (fts5 §6.3).
  private func deleteGiven(_ change: borrowing VirtualTableChange) throws(SQLError) {
    if configuration.hasContentlessDelete {
      throw SQLError(.error, "'delete' may not be used with a contentless_delete=1 table")
    }
    guard let rowid = change.reference(1), rowid.type == .integer else { return }
    var values: [ValueReference] = []
    for column in configuration.columns.indices {
      guard let value = change.reference(2 + column) else { return }
      values.append(value)
    }
    try storage.delete(rowid.int64, values: values)
  }

  private func configure(_ name: String, _ value: ValueReference?) throws(SQLError) {
    try flush()
    _ = try index.structure()
    guard let value, try configuration.settings.set(name, value) else { throw SQLError(.error) }
    try storage.writeSetting(name, value)
  }

  private func deleteAll() throws(SQLError) {
    if configuration.contentKind == .normal {
      throw SQLError(
        .error,
        "'delete-all' may only be used with a contentless or external content fts5 table")
    }
    try storage.deleteAll()
    try reloadConfiguration()
  }

  private func rebuild() throws(SQLError) {
    if configuration.isContentless {
      throw SQLError(.error, "'rebuild' may not be used with a contentless fts5 table")
    }
    try storage.rebuild()
    try reloadConfiguration()
  }

  private func reloadConfiguration() throws(SQLError) {
    configuration.settings.isLoaded = false
    index.forgetStructure()
    _ = try index.structure()
  }

  private func checkIntegrity(isFull: Bool) throws(SQLError) {
    try FTS5Check(self).run(comparesContent: isFull)
  }
}
