extension Connection {
  /// The pragmas that describe the schema (pragma §4).
  func schemaPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    guard let (rows, verified) = try schemaRows(call) else { return nil }
    return try rows.program(catalog: catalog, verifying: verified, explain: .none)
  }

  /// What such a pragma lists, and the databases whose files must have the schemas that it is from.
  func schemaRows(_ call: PragmaCall) throws(SQLError) -> (rows: RowListing, verified: [Int])? {
    let argument = call.argument?.text, pragma = call.pragma
    switch pragma {
    case .tableInfo, .tableXInfo:
      let rows = try tableInfo(argument, call.schema, showsHidden: pragma == .tableXInfo)
      return (rows, argument == nil ? [] : openDatabases(named: call.schema))
    case .tableList: return (tableList(argument, call.schema), openDatabases(named: call.schema))
    case .indexList:
      let table = argument.flatMap { self.table(named: $0, call.schema) }
      return (indexList(table), verified(table))
    case .foreignKeyList:
      // Of a table without foreign keys SQLite does not ask the file.
      let named = argument.flatMap { self.table(named: $0, call.schema) }
      let table = named?.foreignKeys.isEmpty == false ? named : nil
      return (foreignKeyList(table), verified(table))
    case .indexInfo, .indexXInfo:
      let index = argument.flatMap { self.index(named: $0, call.schema) }
      return (indexInfo(index, isExtended: pragma == .indexXInfo), verified(index?.table))
    case .databaseList: return (databaseList(), [])
    default: return nil
    }
  }

  /// Where nothing was found, SQLite does not ask the file.
  private func verified(_ table: Table?) -> [Int] {
    guard let index = table?.databaseIndex, databases[index].tree != nil else { return [] }
    return [index]
  }

  /// The databases in which a name is looked up.
  private func openDatabases(named schema: Name?) -> [Int] {
    databases.indices.filter { index in
      guard databases[index].tree != nil else { return false }
      guard let schema else { return true }
      return databases[index].name.matches(schema) || index == 0 && schema == Name("main")
    }
  }

  func table(named text: String, _ schema: Name?) -> Table? {
    text.withTextBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let name = Name(start: base, count: bytes.count)
      return schema.map { catalog.table(named: name, schema: $0) } ?? catalog.table(named: name)
    }
  }

  /// The same, with the columns of virtual tables, and those that need no CREATE.
  private func tableWithColumns(
    named text: String, _ schema: Name?
  ) throws(SQLError) -> Table? {
    if let table = table(named: text, schema) {
      return table.isVirtual ? try connected(table) : table
    }
    let name = try SQLText.copying(own: text)
    return try eponymousTable(named: Name(start: name.start, count: name.count))
  }

  /// The name of a WITHOUT ROWID table stands for its primary key.
  private func index(named name: String, _ schema: Name?) -> Index? {
    let index = name.withTextBytes { bytes -> Index? in
      guard let base = bytes.baseAddress else { return nil }
      return catalog.index(named: Name(start: base, count: bytes.count), schema: schema)
    }
    if let index { return index }
    guard let table = table(named: name, schema), table.isWithoutRowid else { return nil }
    return table.primaryKeyIndex
  }

  private func databaseList() -> RowListing {
    var rows: [[ListedValue]] = []
    for (index, database) in databases.enumerated() {
      guard database.tree != nil else { continue }
      rows.append([.integer(Int64(index)), .text(database.name), .fileName(database.fileName)])
    }
    return RowListing(columns: [Name("seq"), Name("name"), Name("file")], rows: rows)
  }

  private func tableInfo(
    _ argument: String?, _ schema: Name?, showsHidden: Bool
  ) throws(SQLError) -> RowListing {
    var result = RowListing(
      columns: [
        Name("cid"), Name("name"), Name("type"), Name("notnull"), Name("dflt_value"), Name("pk"),
      ], rows: [])
    if showsHidden { result.columns.append(Name("hidden")) }
    guard let argument, let table = try tableWithColumns(named: argument, schema) else {
      return result
    }
    if table.view != nil {
      for (index, column) in try viewColumns(of: table).enumerated() {
        result.rows.append([
          .integer(Int64(index)), .text(column.name), .text(column.type), .integer(0), .null,
          .integer(0),
        ])
        if showsHidden { result.rows[index].append(.integer(0)) }
      }
      return result
    }
    let keys = table.primaryKeyColumns
    // Columns are numbered as they are shown.
    var hiddenCount = 0
    for (index, column) in table.columns.enumerated() {
      var hidden: Int64 = column.isHidden ? 1 : 0
      switch column.generated {
      case .virtual: hidden = 2
      case .stored: hidden = 3
      case nil: break
      }
      if !showsHidden && hidden != 0 {
        hiddenCount += 1
        continue
      }
      let position = keys.firstIndex(of: index).map { Int64($0 + 1) } ?? 0
      var row: [ListedValue] = [
        .integer(Int64(index - hiddenCount)), .text(column.name.string),
        .text(column.declaredType ?? ""),
        .integer(column.isNotNull ? 1 : 0), defaultText(column, table), .integer(position),
      ]
      if showsHidden { row.append(.integer(hidden)) }
      result.rows.append(row)
    }
    return result
  }

  private func defaultText(_ column: Table.Column, _ table: Table) -> ListedValue {
    guard column.generated == nil, let expression = column.defaultValue else { return .null }
    return .text((table.declaration ?? table.text).string(expression.range))
  }

  private func indexList(_ table: Table?) -> RowListing {
    var result = RowListing(
      columns: [Name("seq"), Name("name"), Name("unique"), Name("origin"), Name("partial")],
      rows: [])
    guard let table else { return result }
    for (position, index) in table.indexes.enumerated() {
      let origin =
        switch index.origin {
        case .createIndex: "c"
        case .uniqueConstraint: "u"
        case .primaryKey: "pk"
        }
      result.rows.append([
        .integer(Int64(position)), .text(index.name.string), .integer(index.isUnique ? 1 : 0),
        .text(origin), .integer(index.partialWhere == nil ? 0 : 1),
      ])
    }
    return result
  }

  private func indexInfo(_ index: Index?, isExtended: Bool) -> RowListing {
    var result = RowListing(
      columns: [Name("seqno"), Name("cid"), Name("name")], rows: [])
    if isExtended { result.columns += [Name("desc"), Name("coll"), Name("key")] }
    guard let index else { return result }
    let count = isExtended ? index.columns.count : index.keyColumnCount
    for (position, column) in index.columns.prefix(count).enumerated() {
      let name: ListedValue =
        column.tableColumn < 0
        ? .null : .text(index.table.columns[column.tableColumn].name.string)
      var row: [ListedValue] = [
        .integer(Int64(position)), .integer(Int64(column.tableColumn)), name,
      ]
      if isExtended {
        row += [
          .integer(column.isDescending ? 1 : 0), .text(column.collation?.string ?? "BINARY"),
          .integer(position < index.keyColumnCount ? 1 : 0),
        ]
      }
      result.rows.append(row)
    }
    return result
  }

  /// Tables and views in the order of SQLite's hash table.
  private func tableList(_ argument: String?, _ schema: Name?) -> RowListing {
    var result = RowListing(
      columns: [
        Name("schema"), Name("name"), Name("type"), Name("ncol"), Name("wr"), Name("strict"),
      ], rows: [])
    for (index, database) in catalog.databases.enumerated() {
      guard schema == nil || database.name == schema else { continue }
      for table in database.tables.inHashOrder {
        if let argument, !argument.matches(table.name) { continue }
        let type =
          table.isVirtual
          ? "virtual"
          : table.view != nil ? "view" : isShadow(table) ? "shadow" : "table"
        result.rows.append([
          .text(databases[index].name), .text(table.publicName), .text(type),
          .integer(Int64(columnCount(of: table))), .integer(table.isWithoutRowid ? 1 : 0),
          .integer(table.isStrict ? 1 : 0),
        ])
      }
    }
    return result
  }

  /// A view or virtual table that cannot be read has no columns.
  private func columnCount(of table: Table) -> Int {
    if table.isVirtual {
      do throws(SQLError) { return try connected(table).columns.count } catch { return 0 }
    }
    guard table.view != nil else { return table.columns.count }
    do throws(SQLError) { return try viewColumns(of: table).count } catch { return 0 }
  }

  /// PRAGMA foreign_key_check, of one table or of a database.
  func foreignKeyCheck(
    _ call: PragmaCall, _ parsed: ParsedStatement, _ environment: BindEnvironment
  ) throws(SQLError) -> Program {
    var tables = catalog.databases[call.database].tables.inHashOrder
    if let name = call.argument?.text {
      guard let table = table(named: name, call.schema) else {
        let prefix = call.schema.map { $0.string + "." } ?? ""
        throw .sql("no such table: \(prefix)\(name)")
      }
      tables = [table]
    }
    environment.authorizer = nil
    let rows = try Binder.bindRows(
      of: tables.filter { !$0.foreignKeys.isEmpty }, for: parsed, in: environment)
    let null = BoundExpression(.null, affinity: .none, traits: [], in: parsed.memory)
    let names = [Name("table"), Name("rowid"), Name("parent"), Name("fkid")]
    let columns = names.map {
      BoundResultColumn(
        expression: null, label: $0, affinity: .none, collation: nil, originTable: nil,
        originColumn: -1)
    }
    let program = try emitter(parsed).makeProgram(columns) { (emitter) throws(SQLError) in
      try emitter.emitForeignKeyCheck(of: rows)
    }
    // Where there is no table to be read, the schema is not asked for at run time.
    program.readsWhenRun = !rows.isEmpty
    return program
  }

  /// The newest constraint comes first.
  private func foreignKeyList(_ table: Table?) -> RowListing {
    var result = RowListing(
      columns: [
        Name("id"), Name("seq"), Name("table"), Name("from"), Name("to"), Name("on_update"),
        Name("on_delete"), Name("match"),
      ], rows: [])
    guard let table else { return result }
    for (id, key) in table.foreignKeys.reversed().enumerated() {
      for (position, column) in key.columns.enumerated() {
        let index = table.columnIndex(of: column)
        let name = index < 0 ? column.string : table.columns[index].name.string
        let parents = key.clause.columns
        result.rows.append([
          .integer(Int64(id)), .integer(Int64(position)), .text(key.clause.table.string),
          .text(name), position < parents.count ? .text(parents[position].string) : .null,
          .text(key.clause.onUpdate.keyword), .text(key.clause.onDelete.keyword),
          .text("NONE"),
        ])
      }
    }
    return result
  }
}

extension ForeignKeyAction {
  fileprivate var keyword: String {
    switch self {
    case .noAction: "NO ACTION"
    case .restrict: "RESTRICT"
    case .setNull: "SET NULL"
    case .setDefault: "SET DEFAULT"
    case .cascade: "CASCADE"
    }
  }
}

extension Table {
  /// The schema tables are shown by their newer names (schematab §2).
  fileprivate var publicName: String {
    guard rootPage.rawValue == 1, databaseIndex == 1 || name == Catalog.masterName else {
      return name.string
    }
    return databaseIndex == 1 ? "sqlite_temp_schema" : "sqlite_schema"
  }
}
