/// A connection to a database: the smallest embedding of the engine.
///
/// A connection may be used from several threads, one at a time: its calls exclude each other, as
/// in SQLite's serialized mode (threadsafe §2). Statements keep their connection alive.
///
/// Exclusivity is not checked at run time where every statement passes: the lock is held, and the
/// checks would cost more than the work.
public final class Connection: @unchecked Sendable {
  package let lock = RecursiveLock()
  /// Index 0 is main, 1 temp, then what was attached.
  @exclusivity(unchecked) var databases: [AttachedDatabase] {
    didSet { noteDatabases() }
  }
  let openDatabases = OpenDatabases()
  /// The program wants extended result codes, and so gets those that modules get from statements of
  /// theirs (`sqlite3_extended_result_codes`). The engine's own are always extended.
  package var hasExtendedCodes = false
  @exclusivity(unchecked) var catalog: Catalog {
    didSet {
      noteDatabases()
      hasOutdatedPrograms = true
      if !modules.connected.isEmpty { disconnectForgottenTables() }
    }
  }
  /// The catalog has changed since statements were last asked to let go of earlier ones.
  @exclusivity(unchecked) var hasOutdatedPrograms = false
  let functions = FunctionRegistry()
  let functionHost: FunctionHost
  /// As given to open: what ATTACH opens its files with.
  let openFlags: OpenFlags
  /// The VFS that main was opened with: it makes temporary files, waits, and tells the time.
  public let vfs: any VFS
  let attentionFlag = AttentionFlag()
  @exclusivity(unchecked) var ignoresInterrupts = false
  /// Those of the application, the oldest first; `collations` has them in order of preference.
  @exclusivity(unchecked) var registeredCollations: [Collation] = []
  /// A statement is compiled that could not use an index whose collation is missing.
  @exclusivity(unchecked) var avoidsCollations = false
  /// There was something in a schema: main has the encoding that it has for as long as it is open.
  var isEncodingFixed = false
  @exclusivity(unchecked) var hooks = ConnectionHooks()
  let limits = ConnectionLimits()
  /// Grows when statements must be compiled again before they run.
  @exclusivity(unchecked) var expiry = 0
  @exclusivity(unchecked) var settings = ConnectionSettings() {
    didSet {
      openDatabases.transaction.pointee.isReadOnly = settings.flags.contains(.isReadOnly)
    }
  }
  /// The open transaction has met a damaged page: it writes no more, and its commit takes it back, so
  /// that what was computed from damage is not kept (SQLite's SQLITE_CorruptRdOnly).
  @exclusivity(unchecked) var hasMetDamage = false {
    didSet { openDatabases.transaction.pointee.hasMetDamage = hasMetDamage }
  }
  let programs = ProgramCache()
  @exclusivity(unchecked) var blobColumns = BlobColumns()
  /// Of the statement that is being compiled.
  @exclusivity(unchecked) var planParameters: PlanParameters?
  let namedDatabases = NamedDatabases()
  /// For statements that are compiled for the first time, and not while another one is.
  let unknownParameters = PlanParameters(values: nil, count: 0, encoding: .utf8)
  /// Statements between their first step and their end.
  @exclusivity(unchecked) var runningStatements = RunningStatements()
  /// How many of them read or write databases, or begin or end transactions.
  @exclusivity(unchecked) var readingStatementCount = 0
  /// How many of them change databases.
  @exclusivity(unchecked) var writingStatementCount = 0
  /// Off between BEGIN and COMMIT or ROLLBACK.
  @exclusivity(unchecked) var commitsAutomatically = true
  /// A transaction was committed to a write-ahead log, and its hook is not called yet.
  @exclusivity(unchecked) var hasLoggedCommit = false
  /// Databases on which a read transaction is open.
  var readingDatabases: UInt64 {
    get { openDatabases.transaction.pointee.reading }
    set { openDatabases.transaction.pointee.reading = newValue }
  }
  /// Databases on which a write transaction is open.
  var writingDatabases: UInt64 {
    get { openDatabases.transaction.pointee.writing }
    set { openDatabases.transaction.pointee.writing = newValue }
  }
  /// Databases whose schemas the transaction has changed.
  var changedSchemas: UInt64 = 0
  /// The open savepoints, the outermost first.
  @exclusivity(unchecked) var savepoints: [OpenSavepoint] = [] {
    didSet { openDatabases.transaction.pointee.hasSavepoints = !savepoints.isEmpty }
  }
  @exclusivity(unchecked) var foreignKeys = ForeignKeyCounters()
  @exclusivity(unchecked) var modules = VirtualTableModules()
  /// See `keep(_:)`.
  @exclusivity(unchecked) var companions: [AnyObject] = []
  /// The outermost savepoint was opened outside BEGIN, and began the transaction.
  var hasTransactionSavepoint = false
  /// What the COMMIT or RELEASE that is running leads to when its statement ends.
  var endingTransaction: TransactionEnd?
  /// Savepoints of running statements, which are inside those of SAVEPOINT.
  @exclusivity(unchecked) var statementSavepointCount = 0
  var lastGeneration: Int32 = 0
  let busyWaiter = BusyWaiter()
  /// How many statements were made, modulo 256.
  @exclusivity(unchecked) var preparedCount: UInt8 = 0
  /// What `busyTimeout` says.
  var busyMilliseconds = 0
  private(set) var isClosed = false
  /// Statements that exist; the connection must outlive them.
  @exclusivity(unchecked) var statementCount = 0
  /// The statement that was made last; each knows the one before it.
  @exclusivity(unchecked) var newestStatement: Unmanaged<Statement>?
  /// Programs that run inside each other: more than one where a function or a virtual table runs
  /// statements of its own.
  @exclusivity(unchecked) var programDepth = 0

  /// A database of the connection.
  struct AttachedDatabase {
    var name: String
    /// nil for the temp database until it is used (`openTemporaryDatabase`).
    var tree: BTree?
    /// The schema was read from the file since it was opened or last changed.
    var isSchemaLoaded: Bool
    /// The bound of the cache is what the application or, when the schema was first read, the file
    /// has said (`PRAGMA default_cache_size`).
    var isCacheSizeKnown = false
  }

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: A file name; `:memory:` for a database in memory, an empty string for a temporary
  ///     one; a `file:` URI (uri §3) where `flags` has `.uri`.
  ///   - flags: How to open it.
  ///   - vfs: The name of the VFS to use, where a URI names none; nil is the default one. It also
  ///     makes the temporary files of the connection, waits for locks, and tells the time.
  /// - Throws: `SQLError` with the code `cannotOpen` and its kin if there is no such file or it may
  ///   not be opened. That a file is no database is noticed when it is first read.
  public init(
    path: String, flags: OpenFlags = .default, vfs vfsName: String? = nil
  ) throws(SQLError) {
    let location = try DatabaseLocation.parse(path, flags: flags, vfsName: vfsName)
    let pager = try Pager.open(location)
    functionHost = try FunctionHost()
    openFlags = flags
    vfs = try VFSRegistry.find(location.vfsName)
    databases = [
      AttachedDatabase(name: "main", tree: BTree(pager: pager), isSchemaLoaded: false),
      AttachedDatabase(name: "temp", tree: nil, isSchemaLoaded: true),
    ]
    catalog = Catalog()
    functionHost.owner = self
    functionHost.memory.pointee.clock = vfs
    noteDatabases()
    try adopt(pager)
  }

  /// What load_extension() does, where it may do something.
  package var extensionLoader: ((_ file: String, _ entry: String?) throws(SQLError) -> Void)? {
    get { locked { functionHost.extensionLoader } }
    set { locked { functionHost.extensionLoader = newValue } }
  }

  private func noteDatabases() {
    for index in 0..<OpenDatabases.capacity {
      guard index < databases.count else {
        openDatabases.set(nil, ofDatabase: index)
        continue
      }
      let isKnown = databases[index].isSchemaLoaded && index < catalog.databases.count
      openDatabases.set(
        databases[index].tree, isKnown ? catalog.databases[index].version : nil,
        ofDatabase: index)
    }
  }

  /// Where temporary tables, sorters and hash tables go when they outgrow memory, if they may.
  var temporaryVFS: (any VFS)? { settings.temporaryStore == 2 ? nil : vfs }

  deinit {
    guard !isClosed else { return }
    disconnectVirtualTables()
    closeDatabases()
  }

  /// Takes back what is not committed, and closes all files.
  private func closeDatabases() {
    blobColumns.removeAll()
    endReading()
    for database in databases { database.tree?.pager.close() }
  }

  /// Closes the connection. A transaction that is open is rolled back. Virtual tables are
  /// disconnected first, also where statements keep the connection open.
  ///
  /// - Throws: `busy` while statements exist that are not deallocated.
  public func close() throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { return }
    disconnectVirtualTables()
    guard statementCount == 0 else {
      throw SQLError(
        .busy, "unable to close due to unfinalized statements or unfinished backups")
    }
    if hooks.tracedEvents.contains(.close) { hooks.trace?(.close) }
    if hasOpenTransaction { hooks.rollback?() }
    closeDatabases()
    isClosed = true
  }

  /// Ends the statements that run on the connection with the error `interrupt`, soon. May be called
  /// from any thread.
  public func interrupt() {
    attentionFlag.raise(.interrupt)
  }

  /// Prepares, runs and discards every statement of `sql`; rows are dropped.
  public func execute(_ sql: String) throws(SQLError) {
    try execute(try SQLText.copying(sql))
  }

  /// The same of SQL with names that the engine has given, whose bytes come back
  /// (`String.textBytes`).
  public func execute(withNames sql: String) throws(SQLError) {
    try execute(try SQLText.copying(own: sql))
  }

  private func execute(_ text: SQLText) throws(SQLError) {
    try checkLength(ofText: text.count)
    var offset = 0
    while let statement = try prepare(text, &offset) {
      while try statement.step() {}
    }
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed (`sqlite3_changes64`).
  public var changes: Int64 { locked { functionHost.changeCount } }

  /// Rows changed since the connection was opened (`sqlite3_total_changes64`).
  public var totalChanges: Int64 { locked { functionHost.totalChangeCount } }

  /// The rowid of the last row inserted (`sqlite3_last_insert_rowid`). It may be set
  /// (`sqlite3_set_last_insert_rowid`).
  public var lastInsertRowID: Int64 {
    get { locked { functionHost.lastInsertRowID } }
    set { locked { functionHost.lastInsertRowID = newValue } }
  }
}
