/// What the virtual machine needs of its connection beside `SQLHost`.
protocol VMHost: SQLHost {
  /// The databases, which stay at their place while the host is there.
  var openDatabases: OpenDatabases { get }

  /// Broken foreign keys of the transaction.
  var foreignKeys: ForeignKeyCounters { get set }

  /// All foreign keys are deferred (`PRAGMA defer_foreign_keys`).
  var defersForeignKeys: Bool { get }

  /// The application does not trust the SQL that it runs.
  var isDefensive: Bool { get }

  /// Loops are measured (`ScanMark`).
  var measuresScans: Bool { get }

  /// State that functions read.
  var functionHost: FunctionHost { get }

  /// Begins a transaction for a running program, unless there is one, and the statement's own
  /// savepoint where the program needs it. Throws `schema` if the database's schema is another
  /// than the one that the program was made for; nil asks for none.
  func beginTransaction(
    onDatabase index: Int, _ mode: TransactionMode, _ version: SchemaVersion?, for vm: VM
  ) throws(SQLError)

  /// SAVEPOINT, RELEASE and ROLLBACK TO.
  func changeSavepoint(
    _ change: SavepointChange, _ name: String, for vm: VM
  ) throws(SQLError)

  /// Carries out a command; `arguments` are as the command says, and take its result.
  func perform(
    _ command: ConnectionCommand, onDatabase index: Int,
    _ arguments: UnsafeMutablePointer<Register>, for vm: VM
  ) throws(SQLError)

  /// Runs a pragma for its table; `body` gets each row, and how many columns it has.
  func forEachRow(
    ofPragma name: StaticString, argument: String?, schema: String?,
    _ body: (UnsafeMutablePointer<Register>, Int) throws(SQLError) -> Void
  ) throws(SQLError)

  /// What sqlite_stmt shows of the connection's statements, the newest first.
  func statementFacts() -> [StatementFacts]

  /// The number of the database of that name.
  func databaseIndex(named name: String) -> Int?

  func databaseName(at index: Int) -> String

  /// The roots of a database's trees with the names of their tables and indexes, the schema table's
  /// first, as the file has them.
  func treeRoots(ofDatabase index: Int) throws(SQLError) -> [(name: String, root: PageNumber)]

  /// Calls the module of a table that CREATE VIRTUAL TABLE has just put into the schema.
  func createVirtualTable(_ name: String, inDatabase index: Int) throws(SQLError)

  /// Calls the table that is being dropped.
  func destroyVirtualTable(_ table: Table) throws(SQLError)

  /// Tells a table its new name.
  func renameVirtualTable(_ table: Table, to name: String) throws(SQLError)

  /// The table is going to be changed; or nil, one is going to be created or dropped.
  func beginVirtualTransaction(_ table: Table?) throws(SQLError)

  /// A trigger, or a statement of one, begins to run for the statement that the machine belongs to.
  /// Told only where `FunctionHost.tracesSubprograms`.
  func subprogramRuns(_ trigger: Trigger, step: Int?, of vm: VM)

  /// Asks the preupdate hook.
  func rowWillChange(_ row: RowUnderChange) throws(SQLError)

  /// Tells the update hook.
  func rowChanged(_ kind: RowChangeKind, _ table: Table, rowid: Int64)

  /// Whether statements that read are running beside this one.
  func hasOtherReaders(than vm: VM) -> Bool
}

/// A row of sqlite_stmt.
struct StatementFacts {
  let sql: String
  let columnCount: Int
  let isReadOnly: Bool
  let isBusy: Bool
  let scanStepCount: Int
  let sortCount: Int
  let automaticIndexRowCount: Int
  let stepCount: Int
  let reprepareCount: Int
  let runCount: Int
  let byteCount: Int
}
