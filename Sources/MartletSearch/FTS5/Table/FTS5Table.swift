import MartletEngine

/// A virtual table of the module `fts5`.
final class FTS5Table: FunctionOverloading {
  let configuration: FTS5Configuration
  let index: FTS5Index
  let storage: FTS5Storage
  let shared: FTS5Extension
  /// Savepoints below this number have been told to the index.
  @exclusivity(unchecked) private var knownSavepoint = 0

  init(
    _ request: VirtualTableRequest, _ shared: FTS5Extension, isNew: Bool
  ) throws(SQLError) {
    guard let connection = request.connection else { throw SQLError(.misuse) }
    self.shared = shared
    configuration = try FTS5Configuration(connection, request, shared.tokenizers, isNew: isNew)
    index = FTS5Index(
      IndexTables(connection, request.databaseName, request.tableName), configuration)
    storage = FTS5Storage(configuration, index)
    // Also a table that cannot be declared then has been written to, which `total_changes()` tells.
    if isNew {
      try FTS5Table.create(configuration)
      try index.writeEmpty()
      try storage.writeSetting("version", nil, number: FTS5Settings.currentVersion)
    }
    do throws(SQLError) {
      try request.declare(configuration.declaration)
    } catch {
      throw SQLError(error.code)
    }
    // Quirk: OR IGNORE, OR FAIL and OR ROLLBACK count as OR ABORT where only columns that are not
    // indexed have content. `INSERT OR IGNORE INTO t(rowid) VALUES(1)` fails if the row is there.
    let isPartial = configuration.contentKind == .unindexed
    request.configure(isPartial ? .innocuous : [.constraintSupport, .innocuous])
    try configuration.loadSettings(cookie: FTS5Table.unknownCookie)
    shared.add(self)
  }

  deinit { shared.remove(self) }

  /// Quirk: the structure has not been read. Where it is written before it is, as by `rebuild` on a
  /// new connection, its cookie starts again with 0.
  private static let unknownCookie = -1

  /// A rollback may have taken settings back. Their cookie stays until the structure is read.
  func loadSettingsAgain() throws(SQLError) {
    let settings = configuration.settings
    if settings.isLoaded { return }
    try configuration.loadSettings(cookie: settings.cookie)
  }

  // MARK: Scans

  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    if !shared.isScanned(self) { try index.validate() }
    try loadSettingsAgain()
    return FTS5Cursor(self)
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    if configuration.isLocked {
      throw SQLError(.error, "recursively defined fts5 content table")
    }
    var planner = FTS5Planner(configuration)
    try planner.plan(plan)
  }

  func function(named name: String, argumentCount: Int) -> OverloadedFunction? {
    guard let function = shared.function(named: name) else { return nil }
    return OverloadedFunction(raw: AuxiliaryCall(function, shared))
  }

  // MARK: Transactions

  func begin() throws(SQLError) {
    // What an earlier transaction could not write ended with it.
    if index.hasFailed { storage.rollback() }
    if !shared.isScanned(self) { try index.validate() }
  }

  func sync() throws(SQLError) { try flush() }

  /// What is pending is written.
  func flush() throws(SQLError) {
    shared.trip(self)
    try storage.sync()
  }

  func commit() {}

  func rollback() {
    shared.trip(self)
    configuration.settings.isLoaded = false
    storage.rollback()
  }

  func openSavepoint(_ number: Int) throws(SQLError) {
    // Where this fails, what is pending is older than the savepoint: going back to it must not take
    // that away, and nothing but a rollback of all makes the failure good.
    knownSavepoint = min(knownSavepoint, number)
    try flush()
    knownSavepoint = number + 1
  }

  func release(_ number: Int) throws(SQLError) {
    guard number + 1 < knownSavepoint else { return }
    try flush()
    knownSavepoint = number
  }

  func rollback(to number: Int) throws(SQLError) {
    shared.trip(self)
    guard number + 1 <= knownSavepoint else { return }
    configuration.settings.isLoaded = false
    storage.rollback()
  }

  // MARK: Schema

  private static func create(_ configuration: FTS5Configuration) throws(SQLError) {
    let connection = configuration.connection
    func make(_ suffix: String, _ columns: String, isKeyed: Bool = false) throws(SQLError) {
      let database = configuration.database.quoted(with: "'")
      let table = (configuration.table + "_" + suffix).quoted(with: "'")
      let tail = isKeyed ? " WITHOUT ROWID" : ""
      do throws(SQLError) {
        try connection.execute(withNames: "CREATE TABLE \(database).\(table)(\(columns))\(tail)")
      } catch {
        throw SQLError(
          error.code.primary,
          "fts5: error creating shadow table \(configuration.table)_\(suffix): \(error.message)")
      }
    }
    try make("data", "id INTEGER PRIMARY KEY, block BLOB")
    try make("idx", "segid, term, pgno, PRIMARY KEY(segid, term)", isKeyed: true)
    if configuration.contentKind == .normal || configuration.contentKind == .unindexed {
      try make("content", contentColumns(configuration))
    }
    if configuration.hasColumnSizes {
      let origin = configuration.hasContentlessDelete ? ", origin INTEGER" : ""
      try make("docsize", "id INTEGER PRIMARY KEY, sz BLOB" + origin)
    }
    try make("config", "k PRIMARY KEY, v", isKeyed: true)
  }

  private static func contentColumns(_ configuration: FTS5Configuration) -> String {
    let isWhole = configuration.contentKind == .normal
    var columns = ["id INTEGER PRIMARY KEY"]
    for column in configuration.columns.indices
    where isWhole || configuration.isUnindexed[column] {
      columns.append("c\(column)")
    }
    if configuration.hasLocales && isWhole {
      for column in configuration.columns.indices where !configuration.isUnindexed[column] {
        columns.append("l\(column)")
      }
    }
    return columns.joined(separator: ", ")
  }

  func checkIntegrity(
    schema: String, table: String, isQuick: Bool
  ) throws(SQLError) -> String? {
    do throws(SQLError) {
      try FTS5Check(self).run(comparesContent: false)
      return nil
    } catch {
      if error.message != error.code.description { return error.message }
      if error.code.primary == .corrupt {
        return "malformed inverted index for FTS5 table \(schema).\(table)"
      }
      return "unable to validate the inverted index for FTS5 table \(schema).\(table): "
        + error.code.description
    }
  }

  private var shadowSuffixes: [String] {
    var suffixes = ["data", "idx", "config"]
    if configuration.hasColumnSizes { suffixes.append("docsize") }
    if configuration.contentKind == .normal || configuration.contentKind == .unindexed {
      suffixes.append("content")
    }
    return suffixes
  }

  func destroy() throws(SQLError) {
    for suffix in shadowSuffixes {
      let name = ShadowName.table(configuration.database, configuration.table, suffix)
      try run("DROP TABLE IF EXISTS \(name)")
    }
  }

  func rename(to newName: String) throws(SQLError) {
    try flush()
    for suffix in shadowSuffixes {
      let name = ShadowName.table(configuration.database, configuration.table, suffix)
      try run("ALTER TABLE \(name) RENAME TO \((newName + "_" + suffix).quotedIdentifier)")
    }
  }

  private func run(_ sql: String) throws(SQLError) {
    do throws(SQLError) {
      try configuration.connection.execute(withNames: sql)
    } catch {
      throw SQLError(error.code)
    }
  }
}
