// Names in CREATE and DROP: which database they mean, and whether they are free (lang_naming).

extension Catalog {
  /// The database of an object to be made: main where the name does not say another.
  func database(of name: QualifiedName, in text: SQLText) throws(SQLError) -> Int {
    guard let schema = name.schema else { return 0 }
    let index = databaseIndex(named: schema)
    guard index >= 0 else {
      throw .sql("unknown database \(text.written(schema))", offset: schema.offset)
    }
    return index
  }

  /// The database of a table or view to be made, and whether its name is free. Without IF NOT
  /// EXISTS a name that is taken is an error.
  ///
  /// - Parameters:
  ///   - checkName: Refuses names that are the engine's own.
  ///   - authorize: Asks whether it may be made in that database, before anything is said about its
  ///     name.
  func place(
    _ name: QualifiedName, isTemporary: Bool, ifNotExists: Bool, in text: SQLText,
    checkName: (Name) throws(SQLError) -> Void, authorize: (_ database: Int) throws(SQLError) -> Void
  ) throws(SQLError) -> (database: Int, isFree: Bool) {
    var database = try database(of: name, in: text)
    if isTemporary {
      if name.schema != nil && database != 1 {
        throw .sql("temporary table name must be unqualified")
      }
      database = 1
    }
    try checkName(name.name)
    try authorize(database)
    let schema = databases[database]
    if let table = schema.tables[name.name] {
      if ifNotExists { return (database, false) }
      let kind = table.view == nil ? "table" : "view"
      throw .sql("\(kind) \(text.written(name.name)) already exists", offset: name.name.offset)
    }
    if schema.indexes[name.name] != nil {
      throw .sql("there is already an index named \(name.name.string)")
    }
    return (database, true)
  }

  func table(named name: QualifiedName) -> Table? {
    if let schema = name.schema { return table(named: name.name, schema: schema) }
    return table(named: name.name)
  }

  /// The table that a trigger belongs to.
  func table(of trigger: Trigger) -> Table? {
    let name = trigger.definition.table
    if trigger.databaseIndex != 1 {
      return table(named: name.name, database: trigger.databaseIndex)
    }
    if let schema = name.schema { return table(named: name.name, schema: schema) }
    // What the name meant when the trigger was made: a temporary table that came later hides
    // nothing from it.
    if let table = databases[1].tables[name.name], table.schemaRow < trigger.schemaRow {
      return table
    }
    for index in databases.indices where index != 1 {
      if let table = databases[index].tables[name.name] { return table }
    }
    return nil
  }

  /// The triggers of a table in the order in which they fire: those in the temporary database on
  /// tables of others first, in the order of SQLite's hash table, then the newest first.
  func triggers(of table: Table) -> [Trigger] {
    var found: [Trigger] = []
    let temporary = databases[1].triggers
    if table.databaseIndex != 1 && !temporary.isEmpty {
      for trigger in temporary.inHashOrder.reversed() where isTrigger(trigger, on: table) {
        found.append(trigger)
      }
    }
    let own = databases[table.databaseIndex].triggers
    if own.isEmpty { return found }
    for trigger in own.objects.reversed() where isTrigger(trigger, on: table) {
      found.append(trigger)
    }
    return found
  }

  private func isTrigger(_ trigger: Trigger, on table: Table) -> Bool {
    trigger.definition.table.name == table.name && self.table(of: trigger) === table
  }
}

extension Name {
  var isReserved: Bool {
    count >= 7 && Name(start: start, count: 7) == Name("sqlite_")
  }
}

extension SQLText {
  /// A name as it stands in the text, with its quotes.
  func written(_ name: Name) -> String {
    guard name.offset >= 0, Int(name.offset) < count else { return name.string }
    let token = Tokenizer.token(start, from: Int(name.offset))
    return string(ByteRange(start: Int32(token.start), end: Int32(token.end)))
  }
}
