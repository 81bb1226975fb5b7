// CREATE and DROP: which object is meant, whether it may be made or dropped, and the program.

extension Connection {
  /// The program of a statement that changes the schema; nil for other statements.
  func compileDefinition(_ parsed: ParsedStatement) throws(SQLError) -> Program? {
    switch parsed.statement {
    case .createTable(let statement):
      if settings.flags.contains(.refusesImposters) { throw .notSupported("imposter tables") }
      return try compile(statement, parsed)
    case .createView(let statement): return try compile(statement, parsed)
    case .createVirtualTable(let statement): return try compile(statement, parsed)
    case .createIndex(let statement): return try compile(statement, parsed)
    case .createTrigger(let statement): return try compile(statement, parsed)
    case .drop(let statement): return try compile(statement, parsed)
    case .alterTable(let statement): return try compileAlter(statement, parsed)
    case .reindex(let schema, let name): return try compileReindex(schema, name, parsed)
    case .analyze(let schema, let name): return try compileAnalyze(schema, name, parsed)
    default: return nil
    }
  }

  func program(
    _ parsed: ParsedStatement, _ body: (Emitter) throws(SQLError) -> Void
  ) throws(SQLError) -> Program {
    try emitter(parsed).definitionProgram(body)
  }

  func binder(_ parsed: ParsedStatement) -> Binder {
    Binder(parsed, bindEnvironment(isDefinition: true))
  }

  // MARK: CREATE TABLE, CREATE VIEW

  private func compile(
    _ statement: CreateTableStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let (database, isFree) = try catalog.place(
      statement.name, isTemporary: statement.isTemporary, ifNotExists: statement.ifNotExists,
      in: parsed.text, checkName: checkIsNotReserved
    ) { (database) throws(SQLError) in
      try authorizeCreation(of: .table, statement.name.name.string, database: database)
    }
    guard isFree else { return try program(parsed) { $0.emitNothing(database) } }
    if case .select(let select) = statement.content {
      let binder = binder(parsed)
      // The rows come of a query like any other.
      binder.environment.allowsDoubleQuotedStrings = !settings.flags.contains(
        .refusesDoubleQuotedStrings)
      let bound = try binder.bindStatement(select, role: .view)
      try binder.authorizeSelect()
      try authorizeSelects(of: .select(bound))
      try authorizeSchemaUpdate(database)
      return try program(parsed) { emitter throws(SQLError) in
        try emitter.emitCreateTable(as: bound, statement.name.name, database: database)
      }
    }
    let builder = SchemaBuilder(
      continuing: catalog.databases[database], collations: collations)
    builder.columnLimit = limits[.columnCount]
    let table = try builder.makeTable(statement, parsed.text, rootPage: PageNumber(0))
    try authorizeConstraintIndexes(of: table)
    let binder = binder(parsed)
    try binder.checkTable(table, statement)
    let loop = try binder.generatedColumnLoop(of: table)
    try authorizeSchemaUpdate(database)
    try authorizeSequence(for: table)
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitCreateTable(table, statement, parsed.text, loop: loop)
    }
  }

  private func compile(
    _ statement: CreateViewStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    if parsed.parameterCount > 0 { throw .sql("parameters are not allowed in views") }
    let name = statement.name.name
    let (database, isFree) = try catalog.place(
      statement.name, isTemporary: statement.isTemporary, ifNotExists: statement.ifNotExists,
      in: parsed.text, checkName: checkIsNotReserved
    ) { (database) throws(SQLError) in
      try authorizeCreation(of: .view, name.string, database: database)
    }
    guard isFree else { return try program(parsed) { $0.emitNothing(database) } }
    let fixer = DefinitionFixer(
      kind: "view", name: parsed.text.written(name), offset: name.offset, database: database,
      databaseName: catalog.databases[database].name)
    try fixer.check(statement.select)
    try authorizeSchemaUpdate(database)
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitCreateView(statement, parsed.text, database: database)
    }
  }

  private func compile(
    _ statement: CreateVirtualTableStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let (database, isFree) = try catalog.place(
      statement.name, isTemporary: false, ifNotExists: statement.ifNotExists,
      in: parsed.text, checkName: checkIsNotReserved
    ) { (database) throws(SQLError) in try authorizeSchemaRow(.insert, database) }
    guard isFree else { return try program(parsed) { $0.emitNothing(database) } }
    try authorizeVirtualCreation(
      statement.name.name.string, module: statement.module.string, database: database)
    try authorizeSchemaUpdate(database)
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitCreateVirtualTable(statement, parsed.text, database: database)
    }
  }

  // MARK: CREATE INDEX

  private func compile(
    _ statement: CreateIndexStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let name = statement.name.name
    var database = try catalog.database(of: statement.name, in: parsed.text)
    if statement.name.schema == nil, catalog.table(named: statement.table)?.databaseIndex == 1 {
      database = 1
    }
    let table = try tableToIndex(statement.table, database)
    try checkIsNotReserved(name)
    let schema = catalog.databases[database]
    if schema.tables[name] != nil {
      throw .sql("there is already a table named \(name.string)")
    }
    if schema.indexes[name] != nil {
      if !statement.ifNotExists { throw .sql("index \(name.string) already exists") }
      return try program(parsed) { $0.emitNothing(database) }
    }
    if statement.columns.count > limits[.columnCount] { throw .sql("too many columns in index") }
    try authorizeCreation(
      of: .index, name.string, on: table.name.string, database: database)
    let bound = try binder(parsed).bindNewIndex(statement, table)
    try authorizeFilling(of: name.string, database: database)
    let builder = SchemaBuilder(continuing: schema, collations: collations)
    let index = try builder.newIndex(
      statement, parsed.text, on: table, rootPage: PageNumber(0))
    // Before it runs, and though it may never do so.
    table.rowEstimate = max(table.rowEstimate, Index.smallestTable)
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitCreateIndex(index, bound, statement, parsed.text)
    }
  }

  private func tableToIndex(_ name: Name, _ database: Int) throws(SQLError) -> Table {
    var found = catalog.table(named: name, database: database)
    // The temporary schema's objects may mean tables of every database.
    if database == 1 && found == nil { found = catalog.table(named: name) }
    if found == nil { found = try eponymousTable(named: name) }
    guard let table = found else {
      let schema = database == 1 ? "" : catalog.databases[database].name.string + "."
      throw .sql("no such table: \(schema)\(name.string)")
    }
    if database == 1 && table.databaseIndex != 1 && !table.isVirtual {
      throw .sql("cannot create a TEMP index on non-TEMP table \"\(table.name.string)\"")
    }
    if table.name.isReserved { throw .sql("table \(table.name.string) may not be indexed") }
    try SchemaBuilder.checkMayBeIndexed(table)
    return table
  }

  // MARK: CREATE TRIGGER

  private func compile(
    _ statement: CreateTriggerStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let name = statement.name.name
    var database = 1
    if statement.isTemporary {
      if statement.name.schema != nil {
        throw .sql("temporary trigger may not have qualified name")
      }
    } else {
      database = try catalog.database(of: statement.name, in: parsed.text)
      let known = try? tableOfTrigger(statement.table, in: 1)
      if statement.name.schema == nil, known?.databaseIndex == 1 { database = 1 }
    }
    var fixer = DefinitionFixer(
      kind: "trigger", name: parsed.text.written(name), offset: name.offset, database: database,
      databaseName: catalog.databases[database].name)
    try fixer.checkSchema(statement.table.schema)
    let table = try tableOfTrigger(statement.table, in: database)
    if table.isVirtual { throw .sql("cannot create triggers on virtual tables") }
    if protectsShadowTables && isShadow(table) {
      throw .sql("cannot create triggers on shadow tables")
    }
    try checkIsNotReserved(name)
    if catalog.databases[database].triggers[name] != nil {
      if !statement.ifNotExists {
        throw .sql(
          "trigger \(parsed.text.written(name)) already exists", offset: name.offset)
      }
      return try program(parsed) { $0.emitNothing(database) }
    }
    try checkTriggerTime(statement, table, isTemporary: database == 1)
    fixer = DefinitionFixer(
      kind: "trigger", name: name.string, offset: -1, database: database,
      databaseName: catalog.databases[database].name)
    try authorizeTrigger(name.string, on: table, database: database)
    try statement.checkTargets(inDatabase: database)
    try fixer.check(statement)
    try checkShadowTables(of: statement)
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitCreateTrigger(statement, parsed.text, database: database)
    }
  }

  /// The table that a trigger of a database is on; one of the temporary database sees all tables.
  private func tableOfTrigger(
    _ name: QualifiedName, in database: Int
  ) throws(SQLError) -> Table {
    let found: Table?, prefix: String
    if database != 1 {
      found = catalog.table(named: name.name, database: database)
      prefix = catalog.databases[database].name.string + "."
    } else if let schema = name.schema {
      found = catalog.table(named: name.name, schema: schema)
      prefix = schema.string + "."
    } else {
      found = catalog.table(named: name.name)
      prefix = ""
    }
    if let found { return found }
    if let table = try eponymousTable(named: name.name) { return table }
    throw .sql("no such table: \(prefix)\(name.name.string)")
  }

  private func checkTriggerTime(
    _ statement: CreateTriggerStatement, _ table: Table, isTemporary: Bool
  ) throws(SQLError) {
    if table.name.isReserved { throw .sql("cannot create trigger on system table") }
    var shown = statement.table.name.string
    if isTemporary, let schema = statement.table.schema { shown = "\(schema.string).\(shown)" }
    if table.view != nil && statement.time != .insteadOf {
      let time = statement.time == .before ? "BEFORE" : "AFTER"
      throw .sql("cannot create \(time) trigger on view: \(shown)")
    }
    if table.view == nil && statement.time == .insteadOf {
      throw .sql("cannot create INSTEAD OF trigger on table: \(shown)")
    }
  }

  // MARK: DROP

  private func compile(
    _ statement: DropStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    switch statement.kind {
    case .table, .view: return try compileDropTable(statement, parsed)
    case .index:
      let found = catalog.index(named: statement.name.name, schema: statement.name.schema)
      guard let index = found else { return try nothingToDrop(statement, parsed, "index") }
      if index.origin != .createIndex {
        throw .sql(
          "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped")
      }
      try authorizeRemoval(of: index)
      return try program(parsed) { emitter throws(SQLError) in
        try emitter.emitDropIndex(index)
      }
    case .trigger:
      let found = catalog.trigger(named: statement.name.name, schema: statement.name.schema)
      guard let trigger = found else { return try nothingToDrop(statement, parsed, "trigger") }
      try authorizeRemoval(of: trigger)
      return try program(parsed) { emitter throws(SQLError) in
        try emitter.emitDropTrigger(trigger)
      }
    }
  }

  private func compileDropTable(
    _ statement: DropStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let isView = statement.kind == .view, name = statement.name
    let found = name.schema.map { catalog.table(named: name.name, schema: $0) }
      ?? catalog.table(named: name.name)
    guard let found else {
      if let table = try eponymousTable(named: name.name) {
        throw .sql("table \(table.name.string) may not be dropped")
      }
      return try nothingToDrop(statement, parsed, isView ? "view" : "table")
    }
    let table = found.isVirtual ? try connected(found) : found
    if table.mayNotBeDropped || protectsShadowTables && isShadow(table) {
      throw .sql("table \(table.name.string) may not be dropped")
    }
    if isView && table.view == nil {
      throw .sql("use DROP TABLE to delete table \(table.name.string)")
    }
    if !isView && table.view != nil {
      throw .sql("use DROP VIEW to delete view \(table.name.string)")
    }
    try authorizeRemoval(of: table)
    let emptying = try bindEmptying(of: table, parsed)
    return try program(parsed) { emitter throws(SQLError) in
      if let emptying { try emitter.emitForeignKeyDrop(emptying) }
      try authorizeRemovedParts(of: table)
      try emitter.emitDropTable(table)
    }
  }

  /// The DELETE of all rows that foreign keys want before a table is dropped (foreignkeys §5); nil
  /// where they do not.
  private func bindEmptying(
    of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> BoundDelete? {
    let environment = bindEnvironment(isDefinition: false)
    guard environment.hasForeignKeys, table.view == nil, !table.isVirtual else { return nil }
    let isParent = !catalog.databases[table.databaseIndex].links(to: table).isEmpty
    let isDeferred = environment.defersForeignKeys && !table.foreignKeys.isEmpty
      || table.foreignKeys.contains { $0.clause.isInitiallyDeferred }
    guard isParent || isDeferred else { return nil }
    let binder = Binder(parsed, environment)
    binder.isDroppingTable = true
    return try binder.bindDelete(
      DeleteStatement(
        with: nil, table: QualifiedName(schema: table.databaseName, name: table.name),
        alias: nil, indexed: nil, tail: ModificationTail()))
  }

  /// What does not exist is an error, unless IF EXISTS is written.
  private func nothingToDrop(
    _ statement: DropStatement, _ parsed: ParsedStatement, _ kind: String
  ) throws(SQLError) -> Program {
    let name = statement.name
    if !statement.ifExists {
      let schema = name.schema.map { $0.string + "." } ?? ""
      throw .sql("no such \(kind): \(schema)\(name.name.string)")
    }
    return try program(parsed) { emitter in
      guard let schema = name.schema else {
        for database in self.catalog.databases.indices
        where self.databases[database].tree != nil { emitter.emitNothing(database) }
        return
      }
      let database = self.catalog.databaseIndex(named: schema)
      if database >= 0 { emitter.emitNothing(database) }
    }
  }
}

extension Table {
  /// The engine's own tables stay, but for statistics.
  fileprivate var mayNotBeDropped: Bool {
    guard name.isReserved else { return false }
    let rest = name.string.dropFirst(7).lowercased()
    return !rest.hasPrefix("stat") && !rest.hasPrefix("parameters")
  }
}
