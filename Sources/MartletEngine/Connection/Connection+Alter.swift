// ALTER TABLE (lang_altertable): what is allowed, and what becomes of the definitions.

extension Connection {
  func compileAlter(
    _ statement: AlterTableStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let name = statement.table
    if let known = catalog.table(named: name) {
      try readChangedDefinitions(ofDatabase: known.databaseIndex)
      if known.databaseIndex != 1 { try readChangedDefinitions(ofDatabase: 1) }
    }
    guard let table = catalog.table(named: name) else {
      if let table = try eponymousTable(named: name.name) {
        if case .addColumn = statement.action { try checkIsAllowed(statement.action, on: table) }
        throw .sql("table \(table.name.string) may not be altered")
      }
      let schema = name.schema.map { $0.string + "." } ?? ""
      throw .sql("no such table: \(schema)\(name.name.string)")
    }
    if table.isVirtual { try checkIsAllowed(statement.action, on: table) }
    do throws(SQLError) {
      return try compile(statement.action, on: table, parsed)
    } catch where error.message.hasPrefix("error in ") || error == Renaming.unexplained {
      let isBehindChange = [" after rename: ", " after drop column: ", " after add column: "]
        .contains { error.message.contains($0) }
      if !isBehindChange { noteFailure(error, of: statement.action, on: table) }
      // SQLite meets it when the statement runs: with the lock of a writer, and the schema of the file,
      // which it has changed and reads again when that is taken back.
      return try program(parsed) { emitter in
        emitter.willWrite(table.databaseIndex)
        if isBehindChange {
          let isUnreadable = error.message.hasPrefix("error in table ")
          emitter.emitSchemaChange(
            ofDatabase: table.databaseIndex, reading: isUnreadable ? .failing : .all)
        }
        emitter.emitHalt(error.code, .abort, error.message)
      }
    }
  }

  private func compile(
    _ action: AlterTableStatement.Action, on table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    switch action {
    case .renameTable(let newName): return try rename(table, to: newName, parsed)
    case .renameColumn(let column, let newName):
      return try rename(column, of: table, to: newName, parsed)
    case .addColumn(let definition): return try add(definition, to: table, parsed)
    case .dropColumn(let column): return try drop(column, of: table, parsed)
    case .addCheck, .dropConstraint, .setNotNull, .dropNotNull:
      return try changeConstraint(action, of: table, parsed)
    }
  }

  /// A failure that SQLite finds before the change leaves what parsing the definitions up to the wrong
  /// one does to the estimates.
  private func noteFailure(
    _ error: SQLError, of action: AlterTableStatement.Action, on table: Table
  ) {
    let schema = catalog.databases[table.databaseIndex]
    let row = schema.row(namedBy: error.message) ?? .max
    if case .renameTable = action { return table.forgetSmallness(before: row) }
    for other in schema.tables.objects { other.forgetSmallness(before: row) }
  }

  /// Of a virtual table, only the name can be altered.
  private func checkIsAllowed(
    _ action: AlterTableStatement.Action, on table: Table
  ) throws(SQLError) {
    let what: String
    switch action {
    case .renameTable: return
    case .addColumn: throw .sql("virtual tables may not be altered")
    case .renameColumn: what = "rename columns of"
    case .dropColumn: what = "drop column from"
    case .addCheck, .dropConstraint, .setNotNull, .dropNotNull: what = "edit constraints of"
    }
    throw .sql("cannot \(what) virtual table \"\(table.name.string)\"")
  }

  func checkIsAlterable(_ table: Table) throws(SQLError) {
    if table.name.isReserved || protectsShadowTables && isShadow(table) {
      throw .sql("table \(table.name.string) may not be altered")
    }
  }

  // MARK: RENAME

  private func renaming(
    of table: Table, column: Int?, to newName: Name, _ parsed: ParsedStatement
  ) -> Renaming {
    // What definitions name is looked up in the schemas in memory: the files of other databases are not
    // read for it.
    let environment = bindEnvironment(isDefinition: false, named: NamedDatabases())
    environment.authorizer = nil
    let renaming = Renaming(of: table, column: column, to: newName, in: catalog) {
      Binder(parsed, environment)
    }
    renaming.passesOverMistakes = isSchemaWritable
    renaming.isLegacy = settings.flags.contains(.altersAsBefore)
    renaming.keepsParents =
      renaming.isLegacy && column == nil && !settings.flags.contains(.hasForeignKeys)
    return renaming
  }

  private func rename(
    _ table: Table, to newName: Name, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let database = table.databaseIndex, schema = catalog.databases[database]
    if schema.tables[newName] != nil || schema.indexes[newName] != nil {
      throw .sql("there is already another table or index with this name: \(newName.string)")
    }
    try checkIsAlterable(table)
    try checkIsNotReserved(newName)
    if table.view != nil { throw .sql("view \(table.name.string) may not be altered") }
    try authorizeAlter(table)
    try authorizeTableRename(table)
    let connected = table.isVirtual ? try connected(table) : table
    // Its definitions are looked at, too.
    try openTemporaryDatabase()
    let renaming = renaming(of: table, column: nil, to: newName, parsed)
    try renaming.run()
    return try program(parsed) { emitter throws(SQLError) in
      emitter.willWrite(database)
      if connected.isVirtual { try emitter.emitVirtualRename(connected, to: newName) }
      try emitter.emitSequenceRename(table, to: newName)
      try emitter.emitSchemaEdits(renaming.edits, isRenaming: true)
      emitter.emitDefinitionCheck(ofDatabase: database, .tableName)
    }
  }

  private func rename(
    _ column: Name, of table: Table, to newName: Name, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try checkIsAlterable(table)
    if table.view != nil {
      throw .sql("cannot rename columns of view \"\(table.name.string)\"")
    }
    try authorizeAlter(table)
    let index = table.columnIndex(of: column)
    if index < 0 {
      throw .sql(
        "no such column: \"\(parsed.text.written(column))\"", offset: column.offset)
    }
    try authorizeColumnRename(table)
    let other = table.columnIndex(of: newName)
    // Its definitions are looked at, too.
    try openTemporaryDatabase()
    let renaming = renaming(of: table, column: index, to: newName, parsed)
    try renaming.run()
    if other >= 0 && other != index {
      throw .sql(
        "error in table \(table.name.string) after rename: duplicate column name: "
          + newName.string)
    }
    // SQLite changes the definitions of the temp schema twice: the second time, the new name is there
    // before the column.
    if table.databaseIndex == 1, newName != column {
      for edit in renaming.edits where edit.type != Name("table") && edit.type != Name("index") {
        guard let use = edit.firstUse else { continue }
        let prefix = use.lastIndex(of: ".").map { use[...$0] } ?? ""
        throw .sql(
          "error in \(edit.type.string) \(edit.name.string): no such column: "
            + "\(prefix)\(newName.string)")
      }
    }
    return try program(parsed) { emitter throws(SQLError) in
      emitter.willWrite(table.databaseIndex)
      try emitter.emitSchemaEdits(renaming.edits, isRenaming: true)
      emitter.emitDefinitionCheck(ofDatabase: table.databaseIndex, .columnName)
    }
  }

  // MARK: ADD COLUMN

  func definition(of table: Table) throws(SQLError) -> CreateTableStatement {
    guard let parsed = try Renaming.parse(table.text),
      case .createTable(let statement) = parsed.statement
    else { throw SQLError(.corrupt) }
    return statement
  }

  /// The offset of what follows the last column: a comma or the closing parenthesis.
  private func endOfColumns(_ columns: [ColumnDefinition], _ text: SQLText) -> Int {
    let end = columns.last.map { Int($0.range.end) } ?? 0
    return Tokenizer.token(text.start, from: end).start
  }

  private func add(
    _ column: ColumnDefinition, to table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    if table.view != nil { throw .sql("Cannot add a column to a view") }
    try checkIsAlterable(table)
    guard case .definitions(let columns, _) = try definition(of: table).content else {
      throw SQLError(.corrupt)
    }
    if table.columnIndex(of: column.name) >= 0 {
      throw .sql("duplicate column name: \(column.name.string)")
    }
    try authorizeAlter(table)
    for constraint in column.constraints {
      if case .primaryKey = constraint.kind { throw .sql("Cannot add a PRIMARY KEY column") }
      if case .unique = constraint.kind { throw .sql("Cannot add a UNIQUE column") }
    }
    let end = endOfColumns(columns, table.text)
    let sql =
      table.text.string(ByteRange(start: 0, end: Int32(end))) + ", "
      + parsed.text.string(column.range)
      + table.text.string(ByteRange(start: Int32(end), end: Int32(table.text.count)))
    let text = try SQLText.copying(own: sql)
    guard let reparsed = try Parser.parse(text, isLoadingSchema: true),
      case .createTable(let statement) = reparsed.statement
    else { throw SQLError(.internal) }
    let (changed, wrongType) = try withNewColumn(table, statement, text)
    let refusal = try refusal(of: column, in: changed)
    let checks = column.constraints.contains {
      if case .check = $0.kind { return true }
      return false
    }
    let isChecked =
      checks || table.isStrict
      || changed.columns.last.map { $0.generated != nil && $0.isNotNull } == true
    try authorizeNewColumn(of: table, isForEmptyTables: refusal != nil, isChecked: isChecked)
    let binder = binder(parsed)
    binder.authorizer = nil
    // The new text is read as that of a schema which is there.
    binder.environment.allowsDoubleQuotedStrings = true
    // Mistakes that SQLite meets when it reads the new text: behind the look at the table's rows.
    var mistake = wrongType
    if mistake == nil {
      do { try binder.checkTable(changed, statement) } catch { mistake = error }
    }
    if let mistake {
      let message = "error in table \(table.name.string) after add column: \(mistake.message)"
      guard let refusal else { throw .sql(message) }
      return try program(parsed) { emitter throws(SQLError) in
        emitter.willWrite(table.databaseIndex)
        try emitter.emitRefusal(of: table, refusal)
        emitter.emitSchemaChange(ofDatabase: table.databaseIndex, reading: .failing)
        emitter.emitHalt(.error, .abort, message)
      }
    }
    let target = try binder.bindAltered(changed, isChecked: isChecked)
    return try program(parsed) { emitter throws(SQLError) in
      emitter.willWrite(table.databaseIndex)
      if let refusal {
        try emitter.emitRefusal(of: table, refusal)
      } else {
        try emitter.emitColumnChecks(target)
      }
      emitter.emitFormatOfNewColumn(table.databaseIndex)
      try emitter.emitSchemaEdits([
        SchemaEdit(
          database: table.databaseIndex, type: Name("table"), name: table.name,
          newSQL: sql.textBytes)
      ])
    }
  }

  /// The table of the new text, and what is wrong with a type: those of STRICT tables are looked at
  /// when the new text is read.
  private func withNewColumn(
    _ table: Table, _ statement: CreateTableStatement, _ text: SQLText
  ) throws(SQLError) -> (changed: Table, wrongType: SQLError?) {
    // SQLite says so of the name that the table has meanwhile.
    if table.columns.count >= limits[.columnCount] {
      throw .sql("too many columns on sqlite_altertab_\(table.name.string)")
    }
    let schema = catalog.databases[table.databaseIndex]
    let builder = SchemaBuilder(continuing: schema, collations: collations)
    builder.columnLimit = limits[.columnCount]
    builder.earlierColumnCount = table.columns.count
    do {
      return (try builder.makeTable(statement, text, rootPage: table.rootPage), nil)
    } catch where table.isStrict && error.message.contains("datatype for") {
      let lenient = SchemaBuilder(continuing: schema, collations: collations)
      lenient.columnLimit = limits[.columnCount]
      lenient.earlierColumnCount = table.columns.count
      lenient.checksStrictTypes = false
      return (try lenient.makeTable(statement, text, rootPage: table.rootPage), error)
    }
  }

  /// What is wrong with the column where the table has rows.
  private func refusal(
    of column: ColumnDefinition, in table: Table
  ) throws(SQLError) -> String? {
    guard let made = table.columns.last else { return nil }
    var refersToOthers = false, isStored = false
    for constraint in column.constraints {
      switch constraint.kind {
      case .references: refersToOthers = true
      case .generated(_, _, let stored): isStored = stored
      default: break
      }
    }
    if made.generated != nil { return isStored ? "cannot add a STORED column" : nil }
    var value: Register?
    if let expression = made.defaultValue, !expression.isNull {
      value = try DefaultValue.register(of: expression, encoding: catalog.encoding)
      if value == nil { return "Cannot add a column with non-constant default" }
    }
    let isNull = value?.isNull ?? true
    value?.deinitialize()
    if refersToOthers && !isNull && settings.flags.contains(.hasForeignKeys) {
      return "Cannot add a REFERENCES column with non-NULL default value"
    }
    if made.isNotNull && isNull { return "Cannot add a NOT NULL column with default value NULL" }
    return nil
  }

  // MARK: DROP COLUMN

  private func drop(
    _ column: Name, of table: Table, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    try checkIsAlterable(table)
    if table.view != nil {
      throw .sql("cannot drop column from view \"\(table.name.string)\"")
    }
    let index = table.columnIndex(of: column)
    if index < 0 {
      throw .sql(
        "no such column: \"\(parsed.text.written(column))\"", offset: column.offset)
    }
    guard case .definitions(let columns, _) = try definition(of: table).content,
      columns.indices.contains(index)
    else { throw SQLError(.corrupt) }
    if table.columns[index].isPrimaryKey {
      throw .sql("cannot drop PRIMARY KEY column: \"\(column.string)\"")
    }
    for case .unique in columns[index].constraints.map(\.kind) {
      throw .sql("cannot drop UNIQUE column: \"\(column.string)\"")
    }
    if table.columns.count <= 1 {
      throw .sql("cannot drop column \"\(column.string)\": no other columns exist")
    }
    // Its definitions are looked at, too.
    try openTemporaryDatabase()
    try authorizeAlter(table, column: column)
    try authorizeColumnRemoval(table)
    let renaming = renaming(of: table, column: index, to: column, parsed)
    renaming.dropsColumn = true
    try renaming.run()
    let uses = NameUses(of: table, column: index, in: table.text)
    try renaming.noteStrings(of: table, uses)
    let sql = text(of: table, without: index, columns, uses)
    try checkIsUnused(renaming.edits, column, table, columns, index)
    let others = renaming.edits.filter { $0.type != Name("table") || $0.name != table.name }
    return try program(parsed) { emitter throws(SQLError) in
      emitter.willWrite(table.databaseIndex)
      try emitter.emitSchemaEdits(
        [
          SchemaEdit(
            database: table.databaseIndex, type: Name("table"), name: table.name, newSQL: sql)
        ] + others, isRenaming: true)
      emitter.emitDefinitionCheck(ofDatabase: table.databaseIndex, .removal)
      if !table.columns[index].isVirtual { try emitter.emitRows(of: table, without: index) }
    }
  }

  private func text(
    of table: Table, without index: Int, _ columns: [ColumnDefinition], _ uses: NameUses
  ) -> [UInt8] {
    let text = table.text
    var start = Int(columns[index].range.start), end: Int
    if index + 1 < columns.count {
      end = Int(columns[index + 1].range.start)
    } else {
      end = endOfColumns(columns, text)
      // The comma before it: a comment on either side of that may have commas too.
      start = Tokenizer.token(text.start, from: Int(columns[index - 1].range.end)).start
    }
    return uses.withSingleQuotes(from: 0, to: start)
      + uses.withSingleQuotes(from: end, to: text.count)
  }

  /// Nothing else may name the column.
  private func checkIsUnused(
    _ edits: [SchemaEdit], _ column: Name, _ table: Table, _ columns: [ColumnDefinition],
    _ index: Int
  ) throws(SQLError) {
    // Tables and indexes are read again before views and triggers are.
    let isRead = { (edit: SchemaEdit) in
      edit.type == Name("table") || edit.type == Name("index")
    }
    // As `PRAGMA legacy_alter_table` has it, views and triggers are left as they are.
    let others = settings.flags.contains(.altersAsBefore) ? [] : edits.filter { !isRead($0) }
    for edit in edits.filter(isRead) + others where edit.namesColumn {
      let isOwn = edit.type == Name("table") && edit.name == table.name
      var firstUse = edit.firstUse
      if isOwn {
        let uses = NameUses(of: table, column: index, in: table.text)
        uses.dropsColumn = true
        guard let statement = try? definition(of: table) else { continue }
        Renaming.noteOwnUses(statement, uses, except: columns[index])
        if uses.offsets.isEmpty { continue }
        firstUse = uses.firstUse
        if statement.usesInForeignKeyFirst(column) {
          throw .sql(
            "error in table \(table.name.string) after drop column: unknown column "
              + "\"\(column.string)\" in foreign key definition")
        }
      }
      throw .sql(
        "error in \(edit.type.string) \(edit.name.string) after drop column: "
          + "no such column: \(firstUse ?? column.string)")
    }
  }
}

extension CreateTableStatement {
  /// Of the constraints of the table that SQLite resolves while it parses, the first that names the
  /// column is a foreign key.
  fileprivate func usesInForeignKeyFirst(_ column: Name) -> Bool {
    guard case .definitions(_, let constraints) = content else { return false }
    for constraint in constraints {
      switch constraint.kind {
      case .foreignKey(let names, _): if names.contains(column) { return true }
      case .primaryKey(let terms, _, _), .unique(let terms, _):
        let isNamed = terms.contains {
          if case .identifier(column) = $0.expression.kind { return true }
          return false
        }
        if isNamed { return false }
      case .check: break
      }
    }
    return false
  }
}

extension Expression {
  fileprivate var isNull: Bool {
    if case .null = kind { return true }
    return false
  }
}
