// Transactions as statements see them (lang_transaction).
//
// A statement begins a transaction when it first reads or writes. Outside BEGIN it ends with the
// last statement that runs; what was written is committed with the last statement that writes.

extension Connection: VMHost, CompilingSupervisor {
  var attention: AttentionFlag { attentionFlag }
  var defersForeignKeys: Bool { settings.flags.contains(.defersForeignKeys) }
  var lengthLimit: Int { functionHost.lengthLimit }

  var workMemoryBudget: Int {
    let soft = Int(clamping: settings.softHeapLimit)
    return soft > 0 ? min(soft, settings.workMemoryLimit) : settings.workMemoryLimit
  }

  func tree(ofDatabase index: Int) throws(SQLError) -> BTree {
    guard index < databases.count, let tree = databases[index].tree else {
      throw .sql("unknown database")
    }
    return tree
  }

  func attend() throws(SQLError) {
    if ignoresInterrupts { return }
    if attentionFlag.isRaised(for: .interrupt) { throw SQLError(.interrupt) }
    if attentionFlag.isRaised(for: .progressHandler) { try askProgressHandler() }
  }

  // MARK: Begin

  func beginTransaction(
    onDatabase index: Int, _ mode: TransactionMode, _ version: SchemaVersion?, for vm: VM
  ) throws(SQLError) {
    // A database that is gone was not there when the statement was made.
    guard index < databases.count else { throw SQLError(.schema) }
    if mode != .read && settings.flags.contains(.isReadOnly) { throw SQLError(.readOnly) }
    // BEGIN IMMEDIATE takes what is there; a statement that knows the schema is going to use it.
    if index == 1 && version != nil { try openTemporaryDatabase() }
    guard let tree = databases[index].tree else { return }
    try begin(mode, tree, tree.pager, bit: 1 << UInt64(index), vm)
    guard let version else { return }
    if tree.pager.header.schemaCookie != version.cookie { forgetSchema(index) }
    guard databases[index].isSchemaLoaded, catalog.databases[index].version == version else {
      throw SQLError(.schema)
    }
  }

  /// What is a parameter, as tree and pager are here, counts no references.
  private func begin(
    _ mode: TransactionMode, _ tree: BTree, _ pager: Pager, bit: UInt64, _ vm: VM
  ) throws(SQLError) {
    if mode == .read {
      try beginReading(pager, bit: bit)
    } else {
      try beginWriting(tree, pager, bit: bit, exclusive: mode == .exclusive, vm)
    }
  }

  func beginReading(_ index: Int) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    try beginReading(tree.pager, bit: 1 << UInt64(index))
  }

  private func beginReading(_ pager: Pager, bit: UInt64) throws(SQLError) {
    if readingDatabases & bit == 0 {
      try pager.beginRead()
      readingDatabases |= bit
    }
  }

  private func beginWriting(
    _ tree: BTree, _ pager: Pager, bit: UInt64, exclusive: Bool, _ vm: VM
  ) throws(SQLError) {
    if hasMetDamage { throw SQLError(.corrupt) }
    if readingDatabases & bit == 0 {
      try pager.beginReadAndWrite(exclusive: exclusive)
      readingDatabases |= bit
    }
    defer { if pager.isWriting { writingDatabases |= bit } }
    // A transaction that writes already is left as it is.
    try tree.beginWrite(exclusive: exclusive && writingDatabases & bit == 0)
    try ownBorrowedBytes(except: vm)
    try openSavepoints(of: pager, upTo: savepointDepth)
    if vm.traits.contains(.usesStatementJournal),
      !commitsAutomatically || readingStatementCount > 1
    {
      try openStatementSavepoint(vm, pager)
    }
  }

  /// Trees of the databases on which a write transaction is open.
  var writingTrees: [BTree] {
    databases.indices.compactMap { index in
      writingDatabases & (1 << UInt64(index)) != 0 ? databases[index].tree : nil
    }
  }

  /// What other statements show of their rows must not change under them.
  func ownBorrowedBytes(except vm: VM?) throws(SQLError) {
    try runningStatements.forEach { (other) throws(SQLError) in
      if other !== vm { try other.ownBorrowedBytes() }
    }
  }

  // MARK: BEGIN, COMMIT, ROLLBACK

  func changeTransaction(_ change: TransactionChange) throws(SQLError) {
    switch (change, commitsAutomatically) {
    case (.begin, true): commitsAutomatically = false
    case (.begin, false): throw .sql("cannot start a transaction within a transaction")
    case (.commit, false):
      if writingStatementCount > 0 {
        throw SQLError(.busy, "cannot commit transaction - SQL statements in progress")
      }
      if foreignKeys.isBroken { throw .foreignKey }
      // The commit itself comes with the end of the statement.
      commitsAutomatically = true
      endingTransaction = .commit
    case (.rollback, false):
      rollbackAll(tripping: .abortRollback)
      commitsAutomatically = true
      forgetSavepoints()
    case (.commit, true): throw .sql("cannot commit - no transaction is active")
    case (.rollback, true): throw .sql("cannot rollback - no transaction is active")
    }
  }

  /// The transaction is over: nothing is counted, and `defer_foreign_keys` is off again.
  func forgetForeignKeys() {
    foreignKeys = ForeignKeyCounters()
    settings.flags.remove(.defersForeignKeys)
  }

  func hasOtherReaders(than vm: VM) -> Bool {
    let own = vm.traits.contains(.usesTransactions) ? 1 : 0
    return readingStatementCount > own + modules.droppingStatementCount
  }

  /// Commits all databases, several of them together. Throws `busy` with everything as it was.
  ///
  /// `vm` has ended with this: what its registers had borrowed may be gone, and nobody reads it.
  func commitAll(after vm: VM) throws(SQLError) {
    try syncVirtualTables()
    try commitTrees(after: vm)
    commitVirtualTables()
  }

  private func commitTrees(after vm: VM) throws(SQLError) {
    guard writingDatabases != 0 else { return }
    if writingDatabases & (writingDatabases &- 1) == 0 {
      if let tree = databases[writingDatabases.trailingZeroBitCount].tree {
        try commit(tree, tree.pager, after: vm)
      }
    } else {
      try commitSeveral(writingTrees, after: vm)
    }
    writingDatabases = 0
    changedSchemas = 0
  }

  private func commit(_ tree: BTree, _ pager: Pager, after vm: VM) throws(SQLError) {
    try lockForCommit(pager)
    if let commit = hooks.commit, commit() { throw SQLError(.constraintCommitHook) }
    try prepareCommit(of: tree, after: vm)
    try pager.commitPhaseOne(superJournal: nil)
    try pager.commitPhaseTwo(unlocking: readingStatementCount > 1)
    finishCommit(of: tree, pager)
  }

  private func commitSeveral(_ trees: [BTree], after vm: VM) throws(SQLError) {
    // Who is in the way is found before anything is written, or anybody told. Of several databases,
    // one that is written cannot be taken back while another waits.
    for tree in trees { try lockForCommit(tree.pager) }
    if let commit = hooks.commit, commit() { throw SQLError(.constraintCommitHook) }
    for tree in trees { try prepareCommit(of: tree, after: vm) }
    if let main = databases[0].tree {
      try SuperJournal.commit(trees.map(\.pager), main: main.pager)
    }
    for tree in trees { finishCommit(of: tree, tree.pager) }
  }

  private func lockForCommit(_ pager: Pager) throws(SQLError) {
    if pager.hasChanges { try pager.lockExclusively() }
  }

  private func prepareCommit(of tree: BTree, after vm: VM) throws(SQLError) {
    // Auto-vacuum moves pages.
    if tree.isAutoVacuum { try ownBorrowedBytes(except: vm) }
    try tree.prepareCommit(vacuuming: vacuumChoice(of: tree))
  }

  private func finishCommit(of tree: BTree, _ pager: Pager) {
    tree.finishTransaction()
    if pager.committedFrameCount > 0 { hasLoggedCommit = true }
  }

  var hasOpenTransaction: Bool { writingDatabases != 0 || !commitsAutomatically }

  /// Takes back all changes of all databases. `code` is what other statements get that cannot go
  /// on, because they write or because the schema that they were made for is gone; nil lets all
  /// find their places again.
  ///
  /// - Parameters:
  ///   - keepsReaders: nobody else can be in a tree that is taken back: who reads goes on, though the
  ///     schema is gone, until it opens another tree.
  ///   - tellsHook: not where the statement is about to begin again.
  func rollbackAll(
    tripping code: ResultCode?, keepsReaders: Bool = false, tellsHook: Bool = true
  ) {
    let isTold = tellsHook && hasOpenTransaction
    defer { if isTold { hooks.rollback?() } }
    forgetForeignKeys()
    hasMetDamage = false
    rollBackVirtualTables()
    guard writingDatabases != 0 else { return }
    runningStatements.forEach { vm in
      do { try vm.ownBorrowedBytes() } catch { vm.forgetBorrowedBytes() }
      if let code, !vm.traits.contains(.isReadOnly) { vm.trip(code) }
    }
    if let code { tripCursors(code) }
    for tree in writingTrees {
      // The pager remembers a failure, and recovers from its journal.
      do { try tree.rollback(tripping: nil) } catch {}
    }
    writingDatabases = 0
    readChangedSchemasAgain(tripping: keepsReaders ? nil : .abortRollback)
    changedSchemas = 0
  }

  /// Cursors that write get an error with their next use, and so do all if a schema has changed.
  /// The others keep their places.
  func tripCursors(_ code: ResultCode) {
    for database in databases { database.tree?.trip(code, writersOnly: changedSchemas == 0) }
  }

  /// To be called when changes of schemas may have been taken back: if there were any, SQLite reads
  /// the schemas of all databases again, and statements that run find no more of their trees.
  func readChangedSchemasAgain(tripping code: ResultCode? = .abortRollback) {
    guard changedSchemas != 0 else { return }
    runningStatements.forEach { $0.expire(code) }
    readSchemasAgain()
  }

  func readSchemasAgain() {
    for index in databases.indices where databases[index].tree != nil { forgetSchema(index) }
  }

  // MARK: Schema

  func schemaChanged(
    ofDatabase index: Int, firstRow: Int64?, reading: SchemaReading
  ) throws(SQLError) {
    // SQLite forgets then that a schema has changed: no rollback ends other queries because of this.
    if reading == .failing { return readSchemasAgain() }
    if isSchemaWritable, let firstRow, let tree = databases[index].tree,
      try SchemaLoader.hasNamesake(ofRow: firstRow, tree, catalog.encoding)
    {
      throw SQLError(.corrupt)
    }
    try changeSchema(index, reading, from: firstRow) { builder, tree throws(SQLError) in
      guard let firstRow else { return false }
      return try SchemaLoader.readObjects(tree, builder, from: firstRow)
    }
  }

  func objectDropped(
    _ object: DroppedObject, named name: String, fromDatabase index: Int
  ) throws(SQLError) {
    let text = try SQLText.copying(own: name)
    try changeSchema(index, .dropping) { builder, tree throws(SQLError) in
      // Roots of other trees may have moved.
      if tree.isAutoVacuum { return false }
      return try builder.remove(object, named: Name(start: text.start, count: text.count))
    }
  }

  /// Makes a new schema of the present one; reads it from the file where `change` says no.
  private func changeSchema(
    _ index: Int, _ reading: SchemaReading, from firstRow: Int64? = nil,
    _ change: (SchemaBuilder, BTree) throws(SQLError) -> Bool
  ) throws(SQLError) {
    // ROLLBACK leaves the statistics of a new ANALYZE.
    if reading != .statistics { changedSchemas |= 1 << UInt64(index) }
    let wasLoaded = databases[index].isSchemaLoaded
    forgetSchema(index)
    guard let tree = databases[index].tree else { return }
    let old = catalog.databases[index], header = tree.pager.header
    // The first object of a file also says how its texts are encoded.
    guard wasLoaded, old.fileFormat == header.schemaFormat else {
      // Where there was no object, the rows may be read in parts as well.
      return try readSchema(
        index, reading: reading == .renaming ? .renaming : .all,
        from: wasLoaded && old.rowCount == 0 ? firstRow : nil)
    }
    let builder = SchemaBuilder(continuing: old)
    builder.refusesCall = refusedCalls(ofDatabase: index)
    guard try change(builder, tree) else {
      let keepsOrder = reading == .statistics || reading == .dropping
      return try readSchema(index, reading: reading, after: keepsOrder ? old : nil)
    }
    lastGeneration = (lastGeneration &+ 1) & .max
    builder.generation = lastGeneration
    builder.cookie = header.schemaCookie
    catalog = catalog.replacing(builder.finish(), at: index)
    databases[index].isSchemaLoaded = true
  }

  // MARK: Header

  func headerValue(
    ofDatabase index: Int, _ field: HeaderField
  ) throws(SQLError) -> Int64 {
    guard let tree = databases[index].tree else { return 0 }
    func signed(_ value: MetaValue) throws(SQLError) -> Int64 {
      Int64(Int32(bitPattern: try tree.meta(value)))
    }
    return switch field {
    case .userVersion: try signed(.userVersion)
    case .applicationID: try signed(.applicationID)
    case .schemaVersion: try signed(.schemaCookie)
    case .freelistCount: try signed(.freePageCount)
    case .pageCount: Int64(tree.pager.pageCount)
    case .dataVersion: Int64(tree.pager.dataVersion)
    case .schemaFormat: try signed(.schemaFormat)
    }
  }
}
