/// The schemas of a connection's databases: 0 is main, 1 temp, then the attached ones.
///
/// Immutable: a change of any schema makes a new catalog, and programs keep theirs.
final class Catalog: @unchecked Sendable {
  let databases: [Schema]

  /// The temporary database has more than its schema table.
  private let hasTemporaryTables: Bool

  init(_ databases: [Schema]) {
    self.databases = databases
    hasTemporaryTables = databases.count > 1 && databases[1].tables.objects.count > 1
  }

  /// A catalog of empty main and temp databases.
  convenience init() {
    self.init([
      SchemaBuilder.emptySchema(databaseIndex: 0, name: Name("main"), nameText: nil),
      SchemaBuilder.emptySchema(databaseIndex: 1, name: Name("temp"), nameText: nil),
    ])
  }

  /// The catalog with one schema changed, or added at the end.
  func replacing(_ schema: Schema, at index: Int) -> Catalog {
    var databases = databases
    if index < databases.count {
      databases[index] = schema
    } else {
      databases.append(schema)
    }
    return Catalog(databases)
  }

  /// The catalog without a database, those behind it moved up.
  func removing(at index: Int) -> Catalog {
    var databases = databases
    databases.remove(at: index)
    return Catalog(databases)
  }

  /// The text encoding, which all databases of a connection share.
  var encoding: TextEncoding { databases[0].encoding }

  // MARK: Look-up

  /// The database of that name, or -1. `main` always means the first.
  func databaseIndex(named name: Name) -> Int {
    for index in databases.indices.reversed() where databases[index].databaseName == name {
      return index
    }
    return name == Name("main") ? 0 : -1
  }

  /// A table or view in the order in which SQLite looks: temp, main, then as attached
  /// (lang_naming).
  @inline(__always)
  func table(named name: Name) -> Table? {
    if hasTemporaryTables, let table = databases[1].tables[name] { return table }
    if let table = databases[0].tables[name] { return table }
    return otherTable(named: name)
  }

  @inline(never)
  private func otherTable(named name: Name) -> Table? {
    if let table = databases[1].tables[name] { return table }
    for index in databases.indices.dropFirst(2) {
      if let table = databases[index].tables[name] { return table }
    }
    if name == Catalog.schemaName { return databases[0].tables[Catalog.masterName] }
    if name == Catalog.temporarySchemaName {
      return databases[1].tables[Catalog.temporaryMasterName]
    }
    return nil
  }

  func table(named name: Name, schema: Name) -> Table? {
    let index = databaseIndex(named: schema)
    return index < 0 ? nil : table(named: name, database: index)
  }

  /// A table of one database. The schema table has several names (schematab §2).
  func table(named name: Name, database index: Int) -> Table? {
    if let table = databases[index].tables[name] { return table }
    if !Catalog.isSchemaTableName(name, ofTemp: index == 1) { return nil }
    return databases[index].tables[index == 1 ? Catalog.temporaryMasterName : Catalog.masterName]
  }

  func index(named name: Name, schema: Name? = nil) -> Index? {
    if let schema {
      let index = databaseIndex(named: schema)
      return index < 0 ? nil : databases[index].indexes[name]
    }
    if let index = databases[1].indexes[name] ?? databases[0].indexes[name] { return index }
    for database in databases.dropFirst(2) {
      if let index = database.indexes[name] { return index }
    }
    return nil
  }

  func trigger(named name: Name, schema: Name?) -> Trigger? {
    if let schema {
      let index = databaseIndex(named: schema)
      return index < 0 ? nil : databases[index].triggers[name]
    }
    if let trigger = databases[1].triggers[name] ?? databases[0].triggers[name] { return trigger }
    for database in databases.dropFirst(2) {
      if let trigger = database.triggers[name] { return trigger }
    }
    return nil
  }

  /// Names of the schema table; that of the temporary database has two more.
  static func isSchemaTableName(_ name: Name, ofTemp isTemporary: Bool) -> Bool {
    if name == schemaName || name == masterName { return true }
    return isTemporary && (name == temporarySchemaName || name == temporaryMasterName)
  }

  static var masterName: Name { Name("sqlite_master") }
  static var temporaryMasterName: Name { Name("sqlite_temp_master") }
  private static var schemaName: Name { Name("sqlite_schema") }
  private static var temporarySchemaName: Name { Name("sqlite_temp_schema") }

  // MARK: Keys

  /// How the keys of an index's tree compare.
  func keyInfo(of index: Index) throws(SQLError) -> KeyInfo {
    if let keyInfo = index.keyInfo { return keyInfo }
    return try keyInfo(of: index, collations: [])
  }

  /// - Parameter collations: those of the application.
  func keyInfo(of index: Index, collations: [Collation]) throws(SQLError) -> KeyInfo {
    let replacesBuiltIn = collations.contains(where: \.replacesBuiltIn)
    if let keyInfo = index.keyInfo, !replacesBuiltIn { return keyInfo }
    var columns: [KeyInfo.Column] = []
    var isBuiltIn = true
    for column in index.columns {
      let collation = try Catalog.collation(column.collation, collations)
      if collation.kind == .custom { isBuiltIn = false }
      columns.append(
        KeyInfo.Column(
          collation: collation, isDescending: column.isDescending, hasBigNulls: false))
    }
    let isPrimaryKey = index === index.table.primaryKeyIndex
    let keyInfo = KeyInfo(
      columns: columns, keyColumnCount: isPrimaryKey ? index.keyColumnCount : columns.count,
      encoding: databases[index.table.databaseIndex].encoding)
    // The application may change its own collations, so only the others are for ever.
    if isBuiltIn && !replacesBuiltIn { index.keyInfo = keyInfo }
    return keyInfo
  }

  private static func collation(
    _ name: Name?, _ collations: [Collation]
  ) throws(SQLError) -> Collation {
    guard let name else { return .binary }
    let builtIn = Collation.builtIn(named: name)
    if let builtIn, !collations.contains(where: \.replacesBuiltIn) { return builtIn }
    for collation in collations where collation.name.matches(name) { return collation }
    if let builtIn { return builtIn }
    throw SQLError(.errorMissingCollation, "no such collation sequence: \(name.string)")
  }
}

extension Collation {
  static func builtIn(named name: Name) -> Collation? {
    switch name.count {
    case 5: name == Name("RTRIM") ? .rightTrim : nil
    case 6:
      name == Name("NOCASE") ? .noCase : name == .binaryCollation ? .binary : nil
    default: nil
    }
  }

  /// The name is that of the collation; BINARY where there is none.
  func isNamed(_ name: Name?) -> Bool {
    guard let name else { return kind == .binary }
    switch kind {
    case .binary: return name == .binaryCollation
    case .noCase: return name == Name("NOCASE")
    case .rightTrim: return name == Name("RTRIM")
    case .custom: return self.name.matches(name)
    }
  }
}

extension String {
  /// Compares as names do, ASCII case-insensitively.
  func matches(_ name: Name) -> Bool {
    withTextBytes { bytes in
      guard bytes.count == Int(name.count) else { return false }
      return zip(bytes, name.buffer).allSatisfy { Name.fold($0) == Name.fold($1) }
    }
  }
}
