// Virtual tables: modules, and the tables that they connect (vtab).

/// The modules of a connection, and the eponymous tables that were asked for.
struct VirtualTableModules {
  struct Entry {
    let name: String
    let module: any VirtualTableModule
    let isBuiltIn: Bool
  }

  /// Those of the application, and those of pragmas once they are used. The newest come last.
  var entries: [Entry] = []
  var eponymous = NameTable<Table>()
  /// Tables whose transactions are open.
  var changing: [Table] = []
  /// Tables of the schemas that have an object, as the catalog has or had them.
  var connected: [Table] = []
  /// Some of these are in no schema any more, and wait for the end of their transaction.
  var hasForgotten = false
  /// Tables that are being made: inside each other, where one needs another.
  var constructionDepth = 0
  /// Modules whose eponymous tables are being made.
  var eponymousInConstruction: [String] = []
  /// Statements that drop virtual tables, which may have the trees dropped that they keep rows in.
  var droppingStatementCount = 0
  /// The first phase of a commit runs, in which no other table may join in.
  var isSyncing = false
  /// Of the engine's own, those that were removed.
  private var removedBuiltIns: [String] = []

  /// - Returns: What went. It ends outside: the destructor of a module may register another one.
  mutating func set(_ entry: Entry?, named name: String) -> Removed {
    let removed = Removed(
      entries: entries.filter { $0.name.isSameName(as: name) },
      tables: eponymous.objects.filter { $0.name.string.isSameName(as: name) })
    if !removed.entries.isEmpty { entries.removeAll { $0.name.isSameName(as: name) } }
    if let entry { entries.append(entry) }
    if !removed.tables.isEmpty { eponymous.removeAll { $0.name.string.isSameName(as: name) } }
    return removed
  }

  /// Removes a module, be it one of the engine's own.
  mutating func remove(named name: String) -> Removed {
    for module in builtIns where module.name.isSameName(as: name) && !module.comesWithUse {
      removedBuiltIns.append(module.name)
    }
    return set(nil, named: name)
  }

  /// Modules that are no longer registered, and tables of theirs.
  struct Removed {
    var entries: [Entry]
    var tables: [Table]

    mutating func append(_ other: Removed) {
      entries += other.entries
      tables += other.tables
    }
  }

  /// Adds modules of different names, in place of those of the same names.
  mutating func add(_ others: [Entry]) -> Removed {
    var removed = Removed(entries: [], tables: [])
    if entries.isEmpty && eponymous.objects.isEmpty {
      entries = others
    } else {
      for entry in others { removed.append(set(nil, named: entry.name)) }
      entries += others
    }
    return removed
  }

  func find(_ name: String) -> Entry? {
    if let own = entries.last(where: { $0.name.isSameName(as: name) }) { return own }
    let builtIn = builtIns.first { $0.name.isSameName(as: name) }
    return builtIn.map { Entry(name: $0.name, module: $0, isBuiltIn: true) }
  }

  /// The engine's own.
  var builtIns: [BuiltInModule] {
    BuiltInModule.all.filter { !removedBuiltIns.contains($0.name) }
  }

  /// Removes all but those named. The modules of JSON and of pragmas are there whenever they are
  /// named, as in SQLite.
  mutating func removeAll(except kept: [String]) -> Removed {
    let kept = Set(kept.map { ExactText($0) })
    var removed = Removed(entries: [], tables: [])
    for entry in entries where !kept.contains(ExactText(entry.name)) {
      removed.append(set(nil, named: entry.name))
    }
    for module in BuiltInModule.all
    where !kept.contains(ExactText(module.name)) && !module.comesWithUse {
      removedBuiltIns.append(module.name)
      eponymous.removeAll { $0.name.string.isSameName(as: module.name) }
    }
    return removed
  }
}

extension Connection: VirtualTableHost {
  /// Registers a module, in place of one of the same name; nil removes it
  /// (`sqlite3_create_module_v2`). Tables that are connected keep the module that made them.
  public func createModule(_ name: String, _ module: (any VirtualTableModule)?) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    let entry = module.map { VirtualTableModules.Entry(name: name, module: $0, isBuiltIn: false) }
    let removed = entry == nil ? modules.remove(named: name) : modules.set(entry, named: name)
    programs.removeAll()
    withExtendedLifetime(removed) {}
  }

  /// Removes all modules but those named, letter by letter (`sqlite3_drop_modules`).
  public func removeModules(except kept: [String] = []) {
    locked {
      let removed = modules.removeAll(except: kept)
      programs.removeAll()
      withExtendedLifetime(removed) {}
    }
  }

  /// Releases all virtual tables; those that statements scan, when they are done. What needs one
  /// later connects it again. Tables in a transaction are rolled back.
  ///
  /// Closing a connection begins with it: tables give up the statements that they keep on it.
  public func disconnectVirtualTables() {
    locked {
      let changing = modules.changing.compactMap(\.virtual)
      modules.connected.removeAll()
      let all = catalog.databases.flatMap { $0.tables.objects } + modules.eponymous.objects
      let tables = all.filter(\.isVirtual)
      if !tables.isEmpty { expireStatements() }
      modules.eponymous.removeAll { _ in true }
      for table in tables {
        table.connectedTable = nil
        if let virtual = table.virtual, !changing.contains(where: { $0 === virtual }) {
          virtual.disconnect()
        }
      }
      rollBackVirtualTables()
      for virtual in changing { virtual.disconnect() }
    }
  }

  /// Releases the objects of tables that are in no schema any more: these were changed, read again
  /// or detached. A table that keeps statements would otherwise keep itself, by the schema that
  /// those were compiled for. Tables in a transaction are released at its end.
  func disconnectForgottenTables() {
    modules.hasForgotten = false
    let tables = modules.connected
    modules.connected = []
    for table in tables {
      guard let virtual = table.virtual, virtual.object != nil else { continue }
      let known = catalog.databases.lazy.compactMap { $0.tables[table.name] }
      if let current = known.first(where: { $0.virtual === virtual }) {
        modules.connected.append(current)
      } else if virtual.isConnecting || modules.changing.contains(where: { $0.virtual === virtual }) {
        modules.hasForgotten = true
        modules.connected.append(table)
      } else {
        table.connectedTable = nil
        virtual.disconnect()
      }
    }
  }

  // MARK: Connecting

  func connected(_ table: Table) throws(SQLError) -> Table {
    if settings.prepareOptions.contains(.refusesVirtualTables) && table.isVirtual {
      throw .sql("no such table: \(table.name.string)")
    }
    if let known = table.connectedTable { return known }
    guard let virtual = table.virtual else { return table }
    if virtual.object != nil { return table }
    guard let entry = modules.find(virtual.moduleName) else {
      throw .sql("no such module: \(virtual.moduleName)")
    }
    return try construct(table, virtual, entry, isNew: false)
  }

  func eponymousTable(named name: Name) throws(SQLError) -> Table? {
    if settings.prepareOptions.contains(.refusesVirtualTables) { return nil }
    if let known = modules.eponymous[name] { return known }
    let text = name.string
    guard let entry = modules.find(text) ?? pragmaModule(text),
      entry.module.abilities.contains(.eponymous)
    else { return nil }
    guard !modules.eponymousInConstruction.contains(where: { $0.isSameName(as: text) }) else {
      throw .recursiveConstructor(entry.name)
    }
    modules.eponymousInConstruction.append(text)
    defer { modules.eponymousInConstruction.removeLast() }
    let virtual = VirtualTableState(
      moduleName: entry.name, arguments: [], isEponymous: true, isBuiltIn: entry.isBuiltIn)
    let stub = Table(
      virtual: virtual, name: try SQLText.copying(own: entry.name), databaseIndex: 0,
      databaseName: Name("main"))
    let table: Table
    do {
      table = try construct(stub, virtual, entry, isNew: false)
    } catch {
      throw SQLError(error.code, error.message)
    }
    modules.eponymous.insert(table)
    return table
  }

  /// The modules of pragmas are registered when they are first used, as in SQLite.
  private func pragmaModule(_ name: String) -> VirtualTableModules.Entry? {
    guard let module = PragmaTable.module(named: name) else { return nil }
    let entry = VirtualTableModules.Entry(name: module.name, module: module, isBuiltIn: true)
    _ = modules.set(entry, named: module.name)
    return entry
  }

  /// Has the module make the table (SQLite's vtabCallConstructor).
  private func construct(
    _ stub: Table, _ virtual: VirtualTableState, _ entry: VirtualTableModules.Entry, isNew: Bool
  ) throws(SQLError) -> Table {
    let name = stub.name.string
    if virtual.isConnecting { throw .recursiveConstructor(name) }
    virtual.isConnecting = true
    modules.constructionDepth += 1
    defer {
      modules.constructionDepth -= 1
      virtual.isConnecting = false
    }
    let builder = SchemaBuilder(
      continuing: catalog.databases[stub.databaseIndex], collations: collations)
    builder.columnLimit = limits[.columnCount]
    var declared: Table?
    let request = VirtualTableRequest(
      moduleName: virtual.moduleName, databaseName: stub.databaseName.string, tableName: name,
      arguments: virtual.arguments, owner: self
    ) { sql throws(SQLError) in
      let table = try builder.makeDeclared(sql, for: stub)
      // Who changes a row without a rowid names it by one value (vtab §2.1.3).
      let isNamedByOne = !table.isWithoutRowid || table.primaryKeyIndex?.keyColumnCount == 1
      guard isNamedByOne || !entry.module.abilities.contains(.writing) else {
        throw SQLError(.error)
      }
      declared = table
    }
    let object: any VirtualTable
    do {
      object =
        isNew
        ? try entry.module.create(request) : try entry.module.connect(request)
    } catch {
      // What a constructor says is not heard where memory runs out (SQLite's sqlite3OomFault).
      if error.code == .outOfMemory || error.code == .ioErrorNoMemory { throw .outOfMemory }
      guard error.message == error.code.description else { throw error }
      throw SQLError(error.code, "vtable constructor failed: \(name)")
    }
    guard let table = declared else {
      throw .sql("vtable constructor did not declare schema: \(name)")
    }
    virtual.connect(object, entry.module.abilities, request.settings)
    stub.connectedTable = table
    if !virtual.isEponymous { modules.connected.append(stub) }
    return table
  }

  // MARK: CREATE and DROP

  func createVirtualTable(_ name: String, inDatabase index: Int) throws(SQLError) {
    let text = try SQLText.copying(own: name)
    let stub = withExtendedLifetime(text) {
      catalog.databases[index].tables[Name(start: text.start, count: text.count)]
    }
    guard let stub, let virtual = stub.virtual else { throw SQLError(.internal) }
    guard let entry = modules.find(virtual.moduleName),
      !entry.module.abilities.contains(.eponymousOnly)
    else { throw .sql("no such module: \(virtual.moduleName)") }
    modules.changing.append(try construct(stub, virtual, entry, isNew: true))
  }

  /// The module renames its own tables by ALTER TABLE. What triggers say of the virtual table cannot
  /// be looked at until all of them are renamed, so it is left to the ALTER TABLE around.
  func renameVirtualTable(_ table: Table, to name: String) throws(SQLError) {
    let flags = settings.flags
    settings.flags.insert(.altersAsBefore)
    defer { if !flags.contains(.altersAsBefore) { settings.flags.remove(.altersAsBefore) } }
    try table.virtual?.object?.rename(to: name)
  }

  func destroyVirtualTable(_ table: Table) throws(SQLError) {
    guard let virtual = table.virtual else { return }
    modules.droppingStatementCount += 1
    defer { modules.droppingStatementCount -= 1 }
    try virtual.object?.destroy()
    modules.changing.removeAll { $0.virtual === virtual }
    virtual.disconnect()
  }

  // MARK: Transactions

  func beginVirtualTransaction(_ table: Table?) throws(SQLError) {
    if modules.isSyncing { throw SQLError(.locked) }
    guard let table, let virtual = table.virtual, let object = virtual.object,
      virtual.abilities.contains(.transactions),
      !modules.changing.contains(where: { $0.virtual === virtual })
    else { return }
    try object.begin()
    modules.changing.append(table)
    virtual.knownSavepoint = 0
    let count = savepointDepth + statementSavepointCount
    if count > 0 && virtual.abilities.contains(.savepoints) {
      virtual.knownSavepoint = count
      try object.openSavepoint(count - 1)
    }
  }

  /// The first phase of a commit (`xSync`).
  func syncVirtualTables() throws(SQLError) {
    if modules.changing.isEmpty { return }
    modules.isSyncing = true
    defer { modules.isSyncing = false }
    for table in modules.changing { try table.virtual?.object?.sync() }
  }

  func commitVirtualTables() { endVirtualTransactions { $0.commit() } }

  func rollBackVirtualTables() { endVirtualTransactions { $0.rollback() } }

  private func endVirtualTransactions(_ end: (any VirtualTable) -> Void) {
    if modules.changing.isEmpty { return }
    let ended = modules.changing
    modules.changing = []
    for table in ended {
      table.virtual?.knownSavepoint = 0
      if let object = table.virtual?.object { end(object) }
    }
    if modules.hasForgotten { disconnectForgottenTables() }
  }

  /// Tells the tables that are being changed of a savepoint (SQLite's sqlite3VtabSavepoint).
  func changeVirtualSavepoint(_ change: SavepointChange, _ number: Int) throws(SQLError) {
    for table in modules.changing {
      guard let virtual = table.virtual, let object = virtual.object,
        virtual.abilities.contains(.savepoints)
      else { continue }
      if change == .begin { virtual.knownSavepoint = number + 1 }
      guard virtual.knownSavepoint > number else { continue }
      switch change {
      case .begin: try object.openSavepoint(number)
      case .release: try object.release(number)
      case .rollback: try object.rollback(to: number)
      }
    }
  }
}

extension SQLError {
  fileprivate static func recursiveConstructor(_ name: String) -> SQLError {
    SQLError(.locked, "vtable constructor called recursively: \(name)")
  }
}

// MARK: - What the engine's own tables show

extension Connection {
  var isDefensive: Bool { settings.flags.contains(.isDefensive) }
  var measuresScans: Bool { settings.flags.contains(.measuresScans) }

  func databaseName(at index: Int) -> String {
    index < databases.count ? databases[index].name : ""
  }

  func treeRoots(
    ofDatabase index: Int
  ) throws(SQLError) -> [(name: String, root: PageNumber)] {
    guard index < databases.count, let tree = databases[index].tree else { return [] }
    return try SchemaLoader.readRoots(tree, catalog.encoding)
  }

  func statementFacts() -> [StatementFacts] {
    var facts: [StatementFacts] = []
    var next = newestStatement?.takeUnretainedValue()
    while let statement = next {
      facts.append(statement.facts)
      next = statement.older?.takeUnretainedValue()
    }
    return facts
  }
}

extension VirtualTableRequest {
  /// The connection that the table belongs to. The table must not keep it alive.
  public var connection: Connection? { owner as? Connection }
}

extension Table {
  /// What the schema knows of a virtual table that is not connected.
  convenience init(
    virtual: VirtualTableState, name: SQLText, databaseIndex: Int, databaseName: Name
  ) {
    self.init(
      name: Name(start: name.start, count: name.count), text: name, databaseIndex: databaseIndex,
      rootPage: PageNumber(0), columns: [], rowidColumn: -1, isWithoutRowid: false,
      isStrict: false, hasAutoincrement: false, view: nil, rowSizeEstimate: 0, checks: [])
    self.databaseName = databaseName
    self.virtual = virtual
  }
}
