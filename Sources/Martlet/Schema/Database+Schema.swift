import MartletEngine

// Looking up the schema. Names without schema are looked for in temp, main and the attached
// databases, in SQLite's order; what was found is kept until a statement changes the schema.

extension Database {
  /// A number that changes with the schema.
  public func schemaVersion() throws -> Int32 {
    try Int32.fetchOne(internalStatement(sql: "PRAGMA schema_version")) ?? 0
  }

  /// Forgets what is known of the schema if another connection has changed it. Reading the version
  /// begins to read the database: the transaction that is open shows its state of now from then on.
  func refreshSchemaCache() throws {
    let version = try schemaVersion()
    if version == cachedSchemaVersion { return }
    if cachedSchemaVersion != nil { schemaCache.removeAll() }
    cachedSchemaVersion = version
  }

  /// Forgets what is known of the schema: another connection has changed it.
  public func clearSchemaCache() {
    stopOutsideAccess()
    schemaCache.removeAll()
    publicStatements.removeAll()
    internalStatements.removeAll()
  }

  /// The table is SQLite's own.
  public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
    tableName.lowercased().hasPrefix("sqlite_") || tableName.lowercased().hasPrefix("pragma_")
  }

  /// The table is the layer's own.
  public static func isGRDBInternalTable(_ tableName: String) -> Bool {
    tableName.lowercased().hasPrefix("grdb_")
  }

  /// Whether there is a table of that name.
  public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    try exists("table", name, in: schemaName)
  }

  /// Whether there is a view of that name.
  public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    try exists("view", name, in: schemaName)
  }

  /// Whether there is a trigger of that name.
  public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
    try exists("trigger", name, in: schemaName)
  }

  private func exists(_ type: String, _ name: String, in schemaName: String?) throws -> Bool {
    if let schemaName { return try object(name, ["\(type)"], in: schema(named: schemaName)) != nil }
    return try schemas().contains { try object(name, [type], in: $0) != nil }
  }

  /// The schemas in the order in which names are looked for.
  func schemas() throws -> [DatabaseSchemaID] {
    let names = connection.databaseFiles.map { $0.name }
    return (names.contains("temp") ? [.temp] : []) + [.main]
      + names.filter { $0 != "main" && $0 != "temp" }.map { .attached($0) }
  }

  private func schema(named name: String) throws -> DatabaseSchemaID {
    if let schema = try schemas().first(where: { $0.name.isSameName(as: name) }) {
      return schema
    }
    throw DatabaseError(message: "no such schema: \(name)")
  }

  /// The name of an object as it was defined.
  private func object(
    _ name: String, _ types: [String], in schema: DatabaseSchemaID
  ) throws -> String? {
    let list = types.map { "'\($0)'" }.joined(separator: ", ")
    let statement = try internalStatement(
      sql: "SELECT name FROM \(schema.schemaTableName) "
        + "WHERE type IN (\(list)) AND LOWER(name) = LOWER(?)")
    if let found = try String.fetchOne(statement, arguments: [name]) { return found }
    let isMaster = [schema.schemaTableName, "sqlite_schema"].contains(name.lowercased())
    return isMaster && types.contains("table") ? name : nil
  }

  /// Where a table or view is.
  func table(_ name: String, in schemaName: String? = nil) throws -> DatabaseObjectID {
    try checkAccess()
    if let schemaName {
      let schema = try schema(named: schemaName)
      if let found = try object(name, ["table", "view"], in: schema) {
        return DatabaseObjectID(name: found, schemaID: schema)
      }
    } else {
      if let known = schemaCache.tables[ExactText(name)] { return known }
      for schema in try schemas() {
        guard let found = try object(name, ["table", "view"], in: schema) else { continue }
        let table = DatabaseObjectID(name: found, schemaID: schema)
        schemaCache.tables[ExactText(name)] = table
        return table
      }
      if let found = try eponymousTable(name) { return found }
    }
    throw DatabaseError(message: "no such table: \(name)")
  }

  /// Table-valued functions have columns without being in a schema.
  private func eponymousTable(_ name: String) throws -> DatabaseObjectID? {
    let table = DatabaseObjectID(name: name, schemaID: .main)
    return try loadColumns(of: table).isEmpty ? nil : table
  }

  private func pragma(_ name: String, _ table: DatabaseObjectID) throws -> [Row] {
    try Row.fetchAll(
      self,
      sql: "PRAGMA \(table.schemaID.name.quotedIdentifier).\(name)(\(table.name.quotedIdentifier))")
  }

  private func loadColumns(of table: DatabaseObjectID) throws -> [ColumnInfo] {
    try pragma("table_xinfo", table).map { ColumnInfo(row: $0) }.filter { !$0.isHidden }
  }

  /// The columns of a table or view.
  ///
  /// - Throws: `SQLITE_ERROR` if there is no such table.
  public func columns(in tableName: String, in schemaName: String? = nil) throws -> [ColumnInfo] {
    let table = try table(tableName, in: schemaName)
    if let known = schemaCache.columns[table] { return known }
    let columns = try loadColumns(of: table)
    schemaCache.columns[table] = columns
    return columns
  }

  /// The primary key of a table.
  ///
  /// - Throws: `SQLITE_ERROR` if there is no such table, and for a view of whose keys no schema
  ///   source knows.
  public func primaryKey(
    _ tableName: String, in schemaName: String? = nil
  ) throws -> PrimaryKeyInfo {
    if let key = try primaryKeyIfAny(tableName, in: schemaName) { return key }
    throw DatabaseError(message: "database view \(tableName) has no primary key")
  }

  /// The primary key of a table; nil for a view of whose keys no schema source knows.
  func primaryKeyIfAny(
    _ tableName: String, in schemaName: String? = nil
  ) throws -> PrimaryKeyInfo? {
    let table = try table(tableName, in: schemaName)
    if let known = schemaCache.primaryKeys[table] { return known }
    let key = try primaryKeyKind(of: table).map { PrimaryKeyInfo(kind: $0) }
    schemaCache.primaryKeys[table] = .some(key)
    return key
  }

  private func primaryKeyKind(of table: DatabaseObjectID) throws -> PrimaryKeyInfo.Kind? {
    if try object(table.name, ["view"], in: table.schemaID) != nil {
      let columns = try schemaSource?.columnsForPrimaryKey(self, inView: table) ?? []
      return columns.isEmpty ? nil : .regular(columns, hasRowID: false)
    }
    let columns = try columns(in: table.name, in: table.schemaID.name)
      .filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
    guard let first = columns.first else { return .hiddenRowID }
    let hasIndex = try indexes(on: table.name, in: table.schemaID.name).contains {
      $0.origin == .primaryKeyConstraint
    }
    if columns.count == 1, !hasIndex, first.type.uppercased() == "INTEGER" {
      return .rowID(first.name)
    }
    return .regular(columns.map { $0.name }, hasRowID: try hasRowID(table))
  }

  private func hasRowID(_ table: DatabaseObjectID) throws -> Bool {
    let list = try Row.fetchAll(
      self, sql: "PRAGMA \(table.schemaID.name.quotedIdentifier).table_list")
    let row = list.first { ($0["name"] as String).hasSameBytes(as: table.name) }
    return row.map { !($0["wr"] as Bool) } ?? true
  }

  /// The indexes of a table, without those on expressions.
  ///
  /// - Throws: `SQLITE_ERROR` if there is no such table.
  public func indexes(on tableName: String, in schemaName: String? = nil) throws -> [IndexInfo] {
    let table = try table(tableName, in: schemaName)
    if let known = schemaCache.indexes[table] { return known }
    let indexes = try pragma("index_list", table).compactMap { row -> IndexInfo? in
      let name: String = row["name"]
      let index = DatabaseObjectID(name: name, schemaID: table.schemaID)
      let columns = try pragma("index_info", index).map { $0["name"] as String? }
      guard !columns.contains(nil) else { return nil }
      return IndexInfo(
        name: name, columns: columns.compactMap { $0 }, isUnique: row["unique"],
        origin: row["origin"], isPartial: row["partial"])
    }
    schemaCache.indexes[table] = indexes
    return indexes
  }

  /// Whether columns identify a row of a table: its primary key, its rowid, or the columns of a
  /// unique index are among them.
  public func table(
    _ tableName: String, hasUniqueKey columns: some Collection<String>
  ) throws -> Bool {
    try columnsForUniqueKey(columns, in: tableName) != nil
  }

  /// The columns with the names that the table has given them, those of a unique key first; nil
  /// where no unique key is among them.
  func columnsForUniqueKey(
    _ columns: some Collection<String>, in tableName: String
  ) throws -> [String]? {
    let given = Set(columns.map { $0.nameKey })
    guard let key = try uniqueKey(among: given, in: tableName) else { return nil }
    let names = Set(key.map { $0.nameKey })
    return key + columns.filter { !names.contains($0.nameKey) }.sorted()
  }

  private func uniqueKey(among given: Set<ExactText>, in tableName: String) throws -> [String]? {
    func areGiven(_ columns: [String]) -> Bool {
      columns.allSatisfy { given.contains($0.nameKey) }
    }
    if let key = try primaryKeyIfAny(tableName) {
      if areGiven(key.columns) { return key.columns }
      let rowID = ["_rowid_", "oid", "rowid"].first { given.contains(ExactText($0)) }
      if key.tableHasRowID, let rowID { return [rowID] }
    }
    return try indexes(on: tableName).first {
      $0.isUnique && !$0.isPartial && areGiven($0.columns)
    }?.columns
  }

  /// The foreign keys of a table.
  ///
  /// - Throws: `SQLITE_ERROR` if there is no such table.
  public func foreignKeys(
    on tableName: String, in schemaName: String? = nil
  ) throws -> [ForeignKeyInfo] {
    let table = try table(tableName, in: schemaName)
    if let known = schemaCache.foreignKeys[table] { return known }
    var keys: [ForeignKeyInfo] = []
    let rows = Dictionary(grouping: try pragma("foreign_key_list", table)) { $0["id"] as Int }
    for (id, rows) in rows.sorted(by: { $0.key < $1.key }) {
      let destination: String = rows[0]["table"]
      let implied = try rows.contains { $0["to"] as String? == nil } ? primaryKey(destination) : nil
      let mapping = rows.sorted { ($0["seq"] as Int) < ($1["seq"] as Int) }.enumerated().map {
        index, row -> (origin: String, destination: String) in
        let key = implied?.columns ?? []
        return (row["from"], (row["to"] as String?) ?? (index < key.count ? key[index] : ""))
      }
      keys.append(ForeignKeyInfo(id: id, destinationTable: destination, mapping: mapping))
    }
    schemaCache.foreignKeys[table] = keys
    return keys
  }
}

extension Database {
  /// The name of a table, but not of a view, as it was defined; nil if there is none.
  func definedTable(_ name: String) throws -> String? {
    for schema in try schemas() {
      if let found = try object(name, ["table"], in: schema) { return found }
    }
    return nil
  }

  /// The names of all tables.
  func definedTables() throws -> [String] {
    try schemas().flatMap { schema in
      try String.fetchAll(
        internalStatement(
          sql: "SELECT name FROM \(schema.schemaTableName) WHERE type IN ('table')"))
    }
  }

  /// The columns of which one is not NULL in every row of a table or view.
  func columnsOfExistence(in table: String) throws -> [String] {
    guard let key = try primaryKeyIfAny(table) else {
      return try columns(in: table).map { $0.name }
    }
    return try fastPrimaryKey(of: table).map { [$0] } ?? key.columns
  }

  /// The column by which rows are found the fastest; nil if there is no single one.
  func fastPrimaryKey(of table: String) throws -> String? {
    guard let key = try primaryKeyIfAny(table) else { return nil }
    if let column = key.rowIDColumn { return column }
    if key.tableHasRowID { return Column.rowID.name }
    return key.columns.count == 1 ? key.columns[0] : nil
  }
}
