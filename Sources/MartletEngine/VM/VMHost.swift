/// What the virtual machine needs of its connection beside `SQLHost`.
protocol VMHost: SQLHost {
  /// The trees of the databases, which stay at their place while the host is there.
  var openTrees: OpenTrees { get }

  /// Broken foreign keys of the transaction.
  var foreignKeys: ForeignKeyCounters { get set }

  /// All foreign keys are deferred (`PRAGMA defer_foreign_keys`).
  var defersForeignKeys: Bool { get }

  /// How deep triggers may be nested.
  var triggerDepthLimit: Int { get }

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

  /// Makes the rows of a table function; `body` gets each, with its hidden columns and the rowid
  /// behind the others. The arguments become texts.
  func callTableFunction(
    _ function: TableFunction, _ arguments: UnsafeMutablePointer<Register>, for vm: VM,
    _ body: (UnsafeMutablePointer<Register>) throws(SQLError) -> Void
  ) throws(SQLError)

  /// A cursor over the rows of a table function that makes them one at a time.
  func openTableFunction(
    _ function: TableFunction, encoding: TextEncoding
  ) throws(SQLError) -> TableFunctionCursor

  /// Asks the preupdate hook.
  func rowWillChange(_ row: RowUnderChange) throws(SQLError)

  /// Tells the update hook.
  func rowChanged(_ kind: RowChangeKind, _ table: Table, rowid: Int64)

  /// Whether statements that read are running beside this one.
  func hasOtherReaders(than vm: VM) -> Bool
}
