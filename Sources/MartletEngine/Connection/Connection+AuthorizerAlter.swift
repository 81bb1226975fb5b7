// What an authorizer is asked about ALTER TABLE: SQLite edits definitions by statements of its own
// with functions of its own, and asks about all that these read and change.

extension Connection {
  /// - Parameter column: the one that is altered.
  func authorizeAlter(_ table: Table, column: Name? = nil) throws(SQLError) {
    try hooks.authorizer?.require(
      .alterTable, catalog.databases[table.databaseIndex].name.string, table.name.string,
      database: column?.string)
  }

  func authorizeTableRename(_ table: Table) throws(SQLError) {
    guard hooks.authorizer != nil else { return }
    let database = table.databaseIndex
    try ask("sqlite_rename_table() type name sql =sql type tbl_name like() name", database)
    try ask("=tbl_name type like() name type substr() name name =name tbl_name", database)
    try ask("type type type", database)
    if catalog.table(named: Name("sqlite_sequence"), database: database) != nil {
      try ask("=name name", database, table: "sqlite_sequence")
    }
    if database != 1 {
      try ask("sqlite_rename_table() type name sql =sql tbl_name", 1)
      try ask("sqlite_rename_test() sql type name tbl_name =tbl_name type", 1)
    }
    try authorizeDefinitionTest(database)
  }

  func authorizeColumnRename(_ table: Table) throws(SQLError) {
    guard hooks.authorizer != nil else { return }
    let database = table.databaseIndex
    try authorizeDefinitionTest(database)
    try authorizeQuoteMending(database)
    try ask("sqlite_rename_column() sql type name =sql like() name type tbl_name", database)
    try ask("sqlite_rename_column() sql type name =sql type", 1)
    try authorizeDefinitionTest(database)
  }

  func authorizeColumnRemoval(_ table: Table) throws(SQLError) {
    guard hooks.authorizer != nil else { return }
    let database = table.databaseIndex
    try authorizeDefinitionTest(database)
    try authorizeQuoteMending(database)
    try ask("sqlite_drop_column() sql =sql type tbl_name", database)
    try authorizeDefinitionTest(database)
  }

  /// - Parameters:
  ///   - isForEmptyTables: Whether the table may have rows has to be asked.
  ///   - isChecked: The rows that there are must pass the new column's constraints.
  func authorizeNewColumn(
    of table: Table, isForEmptyTables: Bool, isChecked: Bool
  ) throws(SQLError) {
    guard hooks.authorizer != nil else { return }
    let database = table.databaseIndex
    if isForEmptyTables {
      try ask("SELECT", database)
      try authorizeRowReading(of: table)
    }
    try ask("printf() sql substr() sql length() printf() sql =sql type name", database)
    if !isChecked { return }
    try ask("SELECT", database)
    for _ in 0..<5 { try ask("glob() quick_check", database, table: "pragma_quick_check") }
  }

  /// ADD CHECK. `search` binds the condition once more, asks about it, and says whether it reads
  /// columns.
  func authorizeNewCheck(
    named name: Name?, on table: Table, search: () throws(SQLError) -> Bool
  ) throws(SQLError) {
    guard hooks.authorizer != nil else {
      _ = try search()
      return
    }
    let database = table.databaseIndex
    if name != nil {
      try ask("SELECT sqlite_fail() type tbl_name sqlite_find_constraint() sql", database)
    }
    try ask("SELECT sqlite_fail()", database)
    if try !search() { try authorizeRowReading(of: table) }
    try ask("sqlite_add_constraint() sql =sql type tbl_name", database)
  }

  func authorizeNotNull(_ column: Int, of table: Table) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let database = table.databaseIndex
    try ask("SELECT sqlite_fail()", database)
    _ = try authorizer.allowsReading(
      table.columns[column].name.string, of: table.name.string, in: catalog, database: database,
      view: nil)
    if column == table.rowidColumn { try authorizeRowReading(of: table) }
    try ask("sqlite_add_constraint() sqlite_drop_constraint() sql =sql type tbl_name", database)
  }

  func authorizeConstraintRemoval(_ table: Table) throws(SQLError) {
    try ask("sqlite_drop_constraint() sql =sql type tbl_name", table.databaseIndex)
  }

  /// All definitions are read again, before and after.
  private func authorizeDefinitionTest(_ database: Int) throws(SQLError) {
    let words = "SELECT like() name like() sql sqlite_rename_test() sql type name"
    try ask(words, database)
    if database != 1 { try ask(words, 1) }
  }

  /// Texts in double quotes are given single ones.
  private func authorizeQuoteMending(_ database: Int) throws(SQLError) {
    let words = "sqlite_rename_quotefix() sql =sql like() name like() sql"
    try ask(words, database)
    if database != 1 { try ask(words, 1) }
  }

  /// Rows of which no column is read.
  private func authorizeRowReading(of table: Table) throws(SQLError) {
    _ = try hooks.authorizer?.allows(
      .read, table.name.string, "",
      database: catalog.databases[table.databaseIndex].name.string)
  }

  /// Asks about a list: `SELECT`, `function()`, `column` that is read, `=column` that is set.
  ///
  /// - Parameter table: The columns' table; by default the schema table.
  private func ask(_ words: String, _ database: Int, table: String? = nil) throws(SQLError) {
    guard let authorizer = hooks.authorizer else { return }
    let table = table ?? Table.schemaTableName(ofDatabase: database)
    for word in words.split(separator: " ") {
      if word == "SELECT" {
        _ = try authorizer.allows(.select)
      } else if word.hasSuffix("()") {
        let name = String(word.dropLast(2))
        _ = try authorizer.allowsCalling(
          name, written: name == "like" ? "LIKE" : nil, view: nil)
      } else if word.hasPrefix("=") {
        _ = try authorizer.allows(
          .update, table, String(word.dropFirst()),
          database: catalog.databases[database].name.string)
      } else {
        _ = try authorizer.allowsReading(
          String(word), of: table, in: catalog, database: database, view: nil)
      }
    }
  }
}
