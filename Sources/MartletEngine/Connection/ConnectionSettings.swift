/// What pragmas have set for a connection as a whole.
struct ConnectionSettings {
  var flags: ConnectionFlags = .initial
  /// The locking mode of databases to be attached (pragma, locking_mode).
  var lockingMode = LockingMode.normal
  /// Where temporary tables live: 0 as compiled, 1 in files, 2 in memory (pragma, temp_store).
  var temporaryStore = 0
  /// The text encoding of a main database that does not exist yet (pragma, encoding).
  var newEncoding = TextEncoding.utf8
  /// What VACUUM shall make of the database; nil and 0 leave it as it is.
  var vacuumMode: AutoVacuum?
  var vacuumPageSize = 0
  var analysisLimit = 0
  var softHeapLimit: Int64 = 0
  /// What sorters and hash tables of a statement may take before they go on in files.
  var workMemoryLimit = WorkMemory.initialLimit
  /// After a commit, a write-ahead log of so many frames is copied into the file; 0 is never.
  var checkpointInterval = 1000
  /// What the statement that is being compiled may not use.
  var prepareOptions: PrepareOptions = []
  /// Significant digits of a real as text.
  var realDigitCount = RealDigits.standard
}

/// Pragmas that are on or off.
struct ConnectionFlags: OptionSet {
  let rawValue: UInt64

  static let isReadOnly = ConnectionFlags(rawValue: 1)
  static let ignoresChecks = ConnectionFlags(rawValue: 1 << 1)
  static let isSchemaWritable = ConnectionFlags(rawValue: 1 << 2)
  static let checksCellSizes = ConnectionFlags(rawValue: 1 << 3)
  static let spillsCache = ConnectionFlags(rawValue: 1 << 4)
  static let readsUncommitted = ConnectionFlags(rawValue: 1 << 5)
  static let hasRecursiveTriggers = ConnectionFlags(rawValue: 1 << 6)
  static let trustsSchema = ConnectionFlags(rawValue: 1 << 7)
  static let altersAsBefore = ConnectionFlags(rawValue: 1 << 8)
  static let hasAutomaticIndexes = ConnectionFlags(rawValue: 1 << 9)
  static let syncsFully = ConnectionFlags(rawValue: 1 << 10)
  static let syncsCheckpointsFully = ConnectionFlags(rawValue: 1 << 11)
  static let defersForeignKeys = ConnectionFlags(rawValue: 1 << 12)
  static let callsBackWithoutRows = ConnectionFlags(rawValue: 1 << 13)
  static let hasForeignKeys = ConnectionFlags(rawValue: 1 << 14)
  static let reversesOrder = ConnectionFlags(rawValue: 1 << 15)
  static let countsChanges = ConnectionFlags(rawValue: 1 << 16)
  static let hasFullColumnNames = ConnectionFlags(rawValue: 1 << 17)
  static let hasShortColumnNames = ConnectionFlags(rawValue: 1 << 18)

  static let refusesViews = ConnectionFlags(rawValue: 1 << 19)
  static let refusesDoubleQuotedStrings = ConnectionFlags(rawValue: 1 << 20)
  static let refusesDoubleQuotedDefinitions = ConnectionFlags(rawValue: 1 << 21)
  static let isDefensive = ConnectionFlags(rawValue: 1 << 22)
  static let refusesTriggers = ConnectionFlags(rawValue: 1 << 23)
  static let hasStablePlans = ConnectionFlags(rawValue: 1 << 24)
  static let attachesExistingOnly = ConnectionFlags(rawValue: 1 << 25)
  static let attachesReadOnly = ConnectionFlags(rawValue: 1 << 26)
  static let refusesComments = ConnectionFlags(rawValue: 1 << 27)
  /// New databases get schema format 1.
  static let makesOldFormat = ConnectionFlags(rawValue: 1 << 28)
  /// VACUUM leaves an empty database.
  static let resetsDatabase = ConnectionFlags(rawValue: 1 << 29)

  /// The last connection to a write-ahead log leaves it as it is.
  static let keepsLogOnClose = ConnectionFlags(rawValue: 1 << 30)
  /// All foreign keys are as if declared without actions.
  static let ignoresForeignKeyActions = ConnectionFlags(rawValue: 1 << 31)
  /// Programs count the runs and rows of their loops.
  static let measuresScans = ConnectionFlags(rawValue: 1 << 32)
  static let scansNoCoveringIndexes = ConnectionFlags(rawValue: 1 << 33)
  static let explainsTriggers = ConnectionFlags(rawValue: 1 << 34)
  /// A CREATE TABLE would say how to read an existing tree, and must not make a table.
  static let refusesImposters = ConnectionFlags(rawValue: 1 << 35)

  static let initial: ConnectionFlags = [
    .spillsCache, .trustsSchema, .hasAutomaticIndexes, .hasShortColumnNames,
  ]

  mutating func set(_ flag: ConnectionFlags, _ isOn: Bool) {
    if isOn { insert(flag) } else { remove(flag) }
  }
}

extension Connection {
  /// Gives a database that was just opened what the connection's pragmas say.
  func applySettings(to tree: BTree) {
    applyFlags(to: tree)
    if let main = databases.first?.tree, main !== tree { tree.secureDelete = main.secureDelete }
    if !tree.pager.isPrivate { tree.pager.lockingMode = settings.lockingMode }
  }

  /// The same for all databases, after a flag has changed.
  func applyFlags() {
    for case let tree? in databases.map(\.tree) { applyFlags(to: tree) }
  }

  private func applyFlags(to tree: BTree) {
    let flags = settings.flags
    tree.checksCellSizes = flags.contains(.checksCellSizes)
    tree.pager.spillsDirtyPages = flags.contains(.spillsCache)
    tree.pager.checkpointsOnClose = !flags.contains(.keepsLogOnClose)
    tree.pager.syncsFully = flags.contains(.syncsFully)
    tree.pager.syncsCheckpointsFully = flags.contains(.syncsCheckpointsFully)
  }
}
