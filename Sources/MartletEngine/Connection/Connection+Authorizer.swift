// The authorizer, and what it is asked about definitions: SQLite changes its schema tables by
// statements of its own, and asks about those too.

extension Connection {
  /// Asked while a statement is compiled about everything that the statement may do
  /// (`sqlite3_set_authorizer`). It is told the action, two details (`AuthorizerAction` says
  /// which), the name of the database, and the innermost view or common table expression that the
  /// access comes from. It must not use the connection.
  ///
  /// Setting it lets all statements be compiled again before they run.
  public var authorizer:
    (
      @Sendable (
        _ action: AuthorizerAction, _ first: String?, _ second: String?, _ database: String?,
        _ view: String?
      ) -> Authorization
    )?
  {
    get {
      lock.lock()
      defer { lock.unlock() }
      return hooks.authorizer?.function
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      hooks.authorizer = newValue.map { Authorizer(function: $0) }
      expireStatements()
    }
  }

  /// Compiles the first statement of a text only to learn what it would do: `authorizer` is asked
  /// in place of the connection's own. The statement is dropped, and others stay as they are.
  public func inspect(
    _ sql: String,
    _ authorizer: @escaping @Sendable (
      _ action: AuthorizerAction, _ first: String?, _ second: String?, _ database: String?,
      _ view: String?
    ) -> Authorization
  ) throws(SQLError) {
    lock.lock()
    let outer = hooks.authorizer
    hooks.authorizer = Authorizer(function: authorizer)
    defer {
      hooks.authorizer = outer
      lock.unlock()
    }
    _ = try prepare(sql)
  }

  /// Asks about the SELECTs inside a statement whose names are resolved.
  func authorizeSelects(of statement: BoundStatement) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    try AuthorizedSelects(authorizer: authorizer, catalog: catalog).check(statement)
  }

  // MARK: Definitions

  /// What a definition is of.
  enum DefinedObject {
    case table, view, index, trigger

    fileprivate func creation(isTemporary: Bool) -> AuthorizerAction {
      switch self {
      case .table: isTemporary ? .createTempTable : .createTable
      case .view: isTemporary ? .createTempView : .createView
      case .index: isTemporary ? .createTempIndex : .createIndex
      case .trigger: isTemporary ? .createTempTrigger : .createTrigger
      }
    }

    fileprivate func removal(isTemporary: Bool) -> AuthorizerAction {
      switch self {
      case .table: isTemporary ? .dropTempTable : .dropTable
      case .view: isTemporary ? .dropTempView : .dropView
      case .index: isTemporary ? .dropTempIndex : .dropIndex
      case .trigger: isTemporary ? .dropTempTrigger : .dropTrigger
      }
    }
  }

  private func name(ofDatabase index: Int) -> String { catalog.databases[index].name.string }

  /// A row of the schema table is going to be written, removed …
  func authorizeSchemaRow(
    _ action: AuthorizerAction, _ database: Int
  ) throws(SQLError) {
    try hooks.authorizer?.require(
      action, Table.schemaTableName(ofDatabase: database), database: name(ofDatabase: database))
  }

  /// CREATE of anything but a trigger.
  func authorizeCreation(
    of object: DefinedObject, _ name: String, on table: String? = nil, database: Int
  ) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    try authorizeSchemaRow(.insert, database)
    try authorizer.require(
      object.creation(isTemporary: database == 1), name, table,
      database: self.name(ofDatabase: database))
  }

  /// The row that stood in for a table or view gets its content.
  func authorizeSchemaUpdate(_ database: Int) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let table = Table.schemaTableName(ofDatabase: database)
    for column in ["type", "name", "tbl_name", "rootpage", "sql"] {
      _ = try authorizer.allows(
        .update, table, column, database: name(ofDatabase: database))
    }
    try authorizeSchemaReading("ROWID", database)
  }

  private func authorizeSchemaReading(_ column: String, _ database: Int) throws(SQLError) {
    _ = try hooks.authorizer?.allowsReading(
      column, of: Table.schemaTableName(ofDatabase: database), in: catalog, database: database,
      view: nil)
  }

  /// The indexes that a new table's constraints make.
  func authorizeConstraintIndexes(of table: Table) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = table.databaseIndex
    for index in table.indexes.reversed() {
      try authorizeCreation(
        of: .index, index.name.string, on: table.name.string, database: database)
      for column in index.columns.prefix(index.keyColumnCount) where column.tableColumn >= 0 {
        _ = try authorizer.allowsReading(
          table.columns[column.tableColumn].name.string, of: table.name.string, in: catalog,
          database: database, view: nil)
      }
      try authorizeSchemaRow(.insert, database)
    }
  }

  /// AUTOINCREMENT makes its own table with the first such table.
  func authorizeSequence(for table: Table) throws(SQLError) {
    let database = table.databaseIndex
    guard hooks.authorizer != nil, table.hasAutoincrement,
      catalog.table(named: Name("sqlite_sequence"), database: database) == nil
    else { return }
    try authorizeCreation(of: .table, "sqlite_sequence", database: database)
    try authorizeSchemaUpdate(database)
  }

  func authorizeVirtualCreation(
    _ name: String, module: String, database: Int
  ) throws(SQLError) {
    try hooks.authorizer?.require(
      .createVirtualTable, name, module, database: self.name(ofDatabase: database))
  }

  /// CREATE INDEX, once its columns are known.
  func authorizeFilling(of index: String, database: Int) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    try authorizeSchemaRow(.insert, database)
    try authorizer.require(.reindex, index, database: name(ofDatabase: database))
  }

  /// Asks about an index that REINDEX fills. False if it is to be left as it is.
  func mayReindex(_ index: Index) throws(SQLError) -> Bool {
    try hooks.authorizer?.allows(
      .reindex, index.name.string, database: name(ofDatabase: index.table.databaseIndex)) ?? true
  }

  /// ANALYZE: the tables of statistics are made, or lose what is written anew.
  ///
  /// - Parameter column: which of their rows go; nil for all.
  func authorizeStatistics(database: Int, by column: String?) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    for table in [Name("sqlite_stat1"), Name("sqlite_stat4")] {
      if catalog.table(named: table, database: database) == nil {
        try authorizeCreation(of: .table, table.string, database: database)
        try authorizeSchemaUpdate(database)
      } else if let column {
        try authorizeRemovedRows(of: table, by: column, database, authorizer)
      }
    }
  }

  /// Rows that SQLite deletes by a statement of its own.
  private func authorizeRemovedRows(
    of table: Name, by column: String, _ database: Int, _ authorizer: Authorizer
  ) throws(SQLError) {
    _ = try authorizer.allows(.delete, table.string, database: name(ofDatabase: database))
    _ = try authorizer.allowsReading(
      column, of: table.string, in: catalog, database: database, view: nil)
  }

  /// Asks about a table that ANALYZE looks at. False if it is to be left out.
  func mayAnalyze(_ table: Table) throws(SQLError) -> Bool {
    try hooks.authorizer?.allows(
      .analyze, table.name.string, database: name(ofDatabase: table.databaseIndex)) ?? true
  }

  /// CREATE TRIGGER on a table, which may be in another database than the trigger.
  func authorizeTrigger(_ name: String, on table: Table, database: Int) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    try authorizer.require(
      DefinedObject.trigger.creation(isTemporary: database == 1), name, table.name.string,
      database: self.name(ofDatabase: database))
    try authorizeSchemaRow(.insert, table.databaseIndex)
    try authorizeSchemaRow(.insert, database)
  }

  // MARK: Removals

  /// DROP TABLE and DROP VIEW.
  func authorizeRemoval(of table: Table) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = table.databaseIndex
    let object: DefinedObject = table.view == nil ? .table : .view
    try authorizeSchemaRow(.delete, database)
    if let module = table.virtual?.moduleName {
      try authorizer.require(
        .dropVirtualTable, table.name.string, module, database: name(ofDatabase: database))
    } else {
      try authorizer.require(
        object.removal(isTemporary: database == 1), table.name.string,
        database: name(ofDatabase: database))
    }
    try authorizer.require(
      .delete, table.name.string, database: name(ofDatabase: database))
    if table.view == nil { try authorizeForgottenStatistics(by: "tbl", database) }
  }

  /// What goes with a table or view, once foreign keys have deleted its rows.
  func authorizeRemovedParts(of table: Table) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = table.databaseIndex
    for trigger in catalog.databases[database].triggers.objects
    where trigger.definition.table.name == table.name {
      try authorizeRemoval(of: trigger)
    }
    if table.hasAutoincrement {
      try authorizeRemovedRows(of: Name("sqlite_sequence"), by: "name", database, authorizer)
    }
    try authorizeSchemaDeletion(by: "tbl_name", database)
    guard table.view == nil, !table.isVirtual else { return }
    try authorizeMovedRoots(
      table.indexes.count + (table.isWithoutRowid ? 0 : 1), database)
  }

  func authorizeRemoval(of index: Index) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = index.table.databaseIndex
    try authorizeSchemaRow(.delete, database)
    try authorizer.require(
      DefinedObject.index.removal(isTemporary: database == 1), index.name.string,
      index.table.name.string, database: name(ofDatabase: database))
    try authorizeSchemaDeletion(by: "name", database)
    try authorizeForgottenStatistics(by: "idx", database)
    try authorizeMovedRoots(1, database)
  }

  func authorizeRemoval(of trigger: Trigger) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = trigger.databaseIndex
    try authorizer.require(
      DefinedObject.trigger.removal(isTemporary: database == 1), trigger.name.string,
      trigger.definition.table.name.string, database: name(ofDatabase: database))
    try authorizeSchemaRow(.delete, database)
    try authorizeSchemaDeletion(by: "name", database)
  }

  /// What was gathered about a table or index goes with it.
  private func authorizeForgottenStatistics(
    by column: String, _ database: Int
  ) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let tables = [
      Name("sqlite_stat1"), Name("sqlite_stat2"), Name("sqlite_stat3"), Name("sqlite_stat4"),
    ]
    for table in tables where catalog.table(named: table, database: database) != nil {
      try authorizeRemovedRows(of: table, by: column, database, authorizer)
    }
  }

  private func authorizeSchemaDeletion(by column: String, _ database: Int) throws(SQLError) {
    guard hooks.authorizer != nil else { return }
    try authorizeSchemaRow(.delete, database)
    try authorizeSchemaReading(column, database)
    try authorizeSchemaReading("type", database)
  }

  /// A tree that is dropped may move the root of another one.
  private func authorizeMovedRoots(_ count: Int, _ database: Int) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    for _ in 0..<count {
      _ = try authorizer.allows(
        .update, Table.schemaTableName(ofDatabase: database), "rootpage",
        database: name(ofDatabase: database))
      try authorizeSchemaReading("rootpage", database)
    }
  }
}
