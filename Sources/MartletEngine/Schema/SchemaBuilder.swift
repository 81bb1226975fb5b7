/// Makes a schema from the rows of a schema table (schematab §3).
///
/// The definitions are parsed and checked as far as SQLite checks them when it opens a database: a
/// wrong one makes the whole schema malformed, so that nothing is half known, unless it is read to
/// be repaired.
final class SchemaBuilder {
  let databaseIndex: Int
  let databaseName: Name
  let nameText: SQLText?
  let fileFormat: UInt32
  let encoding: TextEncoding
  var cookie: UInt32
  var generation: Int32
  /// Tables that are there belong to a schema that is in use.
  let isContinuing: Bool
  /// Largest root page that can be; 0 where the size of the file is unknown.
  private let pageCount: UInt32
  /// Those of the application, if collations must exist: they need not while a schema is loaded.
  let collations: [Collation]?
  /// Which calls the schema may not make, where it is a file's.
  var refusesCall: ((_ name: Name, _ argumentCount: Int) -> Bool)?
  /// Wrong rows are left out (`PRAGMA writable_schema`), so that statements can mend them. There
  /// are no statistics then.
  var forgivesMistakes = false
  private(set) var hasMistakes = false
  /// SQLITE_LIMIT_COLUMN.
  var columnLimit = 2_000
  /// Columns that the table had before (ALTER TABLE ADD COLUMN): their collations need not exist.
  var earlierColumnCount = 0
  /// Off: the columns of STRICT tables may have any types.
  var checksStrictTypes = true
  var tables = NameTable<Table>()
  var indexes = NameTable<Index>()
  var triggers = NameTable<Trigger>()
  private var rowCount: Int32 = 0

  init(
    databaseIndex: Int, databaseName: Name, nameText: SQLText?, cookie: UInt32 = 0,
    generation: Int32 = 0, fileFormat: UInt32 = 4, encoding: TextEncoding = .utf8,
    pageCount: UInt32 = 0
  ) {
    self.databaseIndex = databaseIndex
    self.databaseName = databaseName
    self.nameText = nameText
    self.cookie = cookie
    self.generation = generation
    self.fileFormat = fileFormat
    self.encoding = encoding
    self.pageCount = pageCount
    collations = nil
    isContinuing = false
    let definition = databaseIndex == 1 ? SchemaTable.temporary : SchemaTable.main
    tables.insert(definition.makeTable(databaseIndex, databaseName))
  }

  /// The schema of a database without content.
  static func emptySchema(databaseIndex: Int, name: Name, nameText: SQLText?) -> Schema {
    SchemaBuilder(databaseIndex: databaseIndex, databaseName: name, nameText: nameText).finish()
  }

  func finish() -> Schema {
    Schema(
      databaseIndex: databaseIndex, databaseName: databaseName, nameText: nameText,
      cookie: cookie, generation: generation, fileFormat: fileFormat, encoding: encoding,
      tables: tables,
      indexes: indexes, triggers: triggers, rowCount: rowCount)
  }

  /// A builder that goes on from a schema, whose own objects stay as they are.
  ///
  /// - Parameter collations: those of the application, where definitions are checked that are new.
  init(continuing schema: Schema, collations: [Collation]? = nil) {
    databaseIndex = schema.databaseIndex
    databaseName = schema.databaseName
    nameText = schema.nameText
    fileFormat = schema.fileFormat == 0 ? 4 : schema.fileFormat
    encoding = schema.encoding
    cookie = schema.cookie
    generation = schema.generation
    pageCount = 0
    isContinuing = true
    self.collations = collations
    tables = schema.tables
    indexes = schema.indexes
    triggers = schema.triggers
    rowCount = schema.rowCount
  }

  // MARK: Rows

  /// A row of the schema table; texts are UTF-8.
  struct Row {
    var type: SQLText?
    var name: SQLText?
    var tableName: SQLText?
    var rootPage: Int64?
    var sql: SQLText?

    var displayName: String { name.map { $0.string(ByteRange(start: 0, end: .max)) } ?? "?" }
  }

  /// Whether there is an object of the name of the row.
  func knows(_ row: Row) -> Bool {
    guard let text = row.name else { return false }
    let name = Name(start: text.start, count: text.count)
    return tables[name] != nil || indexes[name] != nil || triggers[name] != nil
  }

  func add(_ row: Row) throws(SQLError) {
    rowCount &+= 1
    guard let rootPage = row.rootPage else { return try refuse(row, "") }
    guard let sql = row.sql, sql.count > 0 else {
      return try setRootPage(ofAutomaticIndex: row, rootPage)
    }
    guard sql.count >= 2, sql.start[0] | 0x20 == UInt8(ascii: "c"),
      sql.start[1] | 0x20 == UInt8(ascii: "r")
    else { return try refuse(row, "") }
    // Only those who read the table meet that its root is nowhere.
    if !isInFile(rootPage, from: 0) { try refuse(row, "invalid rootpage") }
    do {
      try define(row, sql, PageNumber(UInt32(exactly: rootPage) ?? 0))
    } catch where error.code.primary != .outOfMemory {
      try refuse(row, error.message)
    }
  }

  private func isInFile(_ rootPage: Int64, from first: Int64) -> Bool {
    rootPage >= first && rootPage <= (pageCount == 0 ? Int64(UInt32.max) : Int64(pageCount))
  }

  private func refuse(_ row: Row, _ detail: String) throws(SQLError) {
    let suffix = detail.isEmpty ? "" : " - \(detail)"
    try forgive(SQLError(.corrupt, "malformed database schema (\(row.displayName))\(suffix)"))
  }

  /// Goes on without what is wrong, where mistakes are forgiven.
  func forgive(_ error: SQLError) throws(SQLError) {
    if !forgivesMistakes || error.code.primary == .outOfMemory { throw error }
    hasMistakes = true
  }

  /// The texts of a row of a file must say what its SQL says; SQLite gives no detail where they do
  /// not.
  private func check(
    _ row: Row, is type: StaticString, _ name: Name, of table: Name
  ) throws(SQLError) {
    if pageCount == 0 || forgivesMistakes { return }
    func agrees(_ text: SQLText?, _ name: Name) -> Bool {
      text.map { Name(start: $0.start, count: $0.count) == name } ?? false
    }
    guard agrees(row.type, Name(type)), agrees(row.name, name), agrees(row.tableName, table)
    else { throw .sql("") }
  }

  private func define(
    _ row: Row, _ sql: SQLText, _ rootPage: PageNumber
  ) throws(SQLError) {
    guard let parsed = try Parser.parse(sql, isLoadingSchema: true) else { return }
    switch parsed.statement {
    case .createTable(let statement):
      try check(row, is: "table", statement.name.name, of: statement.name.name)
      try checkIsNew(statement.name.name, "table")
      // That is the root of the schema table.
      if rootPage.rawValue == 1 { throw .sql("") }
      let table = try makeTable(statement, sql, rootPage: rootPage)
      try checkCalls(of: table)
      add(table)
    case .createView(let statement):
      try check(row, is: "view", statement.name.name, of: statement.name.name)
      try checkIsNew(statement.name.name, "view")
      if rootPage.rawValue != 0 { throw .sql("") }
      try fixer("view", statement.name.name).check(statement.select)
      add(try makeView(statement, sql))
    case .createVirtualTable(let statement):
      try check(row, is: "table", statement.name.name, of: statement.name.name)
      try checkIsNew(statement.name.name, "table")
      let table = makeEmptyTable(statement.name.name, sql, view: nil)
      table.virtual = VirtualTableState(
        moduleName: statement.module.string, arguments: statement.arguments.map { sql.string($0) })
      add(table)
    case .createIndex(let statement):
      _ = try table(named: statement.table)
      try check(row, is: "index", statement.name.name, of: statement.table)
      try checkCalls(of: statement)
      try addIndex(statement, sql, rootPage, row: rowCount)
    case .createTrigger(let statement):
      // A temporary one may be on a table of any database, also on one that is gone.
      if databaseIndex != 1 { _ = try table(named: statement.table.name) }
      try check(row, is: "trigger", statement.name.name, of: statement.table.name)
      try statement.checkTargets(inDatabase: databaseIndex)
      try fixer("trigger", statement.name.name).check(statement)
      try addTrigger(statement, sql)
    default: throw .sql("unsupported statement")
    }
  }

  /// What stands in a file must not reach into other databases, whatever these are called.
  private func fixer(_ kind: String, _ name: Name) -> DefinitionFixer {
    DefinitionFixer(
      kind: kind, name: name.string, offset: -1, database: databaseIndex,
      databaseName: databaseName, isLoading: true)
  }

  /// What is wrong with a row that the schema does not know.
  func mistake(in row: Row) -> SQLError {
    let unknown = SQLError(.corrupt, "malformed database schema (\(row.displayName))")
    guard let sql = row.sql else { return unknown }
    do { try define(row, sql, PageNumber(0)) } catch { return error }
    return unknown
  }

  private func checkIsNew(_ name: Name, _ kind: String) throws(SQLError) {
    if tables[name] != nil { throw .sql("\(kind) \(name.string) already exists") }
    if indexes[name] != nil { throw .sql("there is already an index named \(name.string)") }
  }

  func table(named name: Name) throws(SQLError) -> Table {
    if let table = tables[name] { return table }
    throw .sql("no such table: \(databaseName.string).\(name.string)")
  }

  private func add(_ table: Table) {
    table.schemaRow = rowCount
    tables.insert(table)
    for index in table.indexes.reversed() where indexes[index.name] == nil {
      indexes.insert(index)
    }
  }

  /// A row without SQL gives the root page of an index that a constraint made.
  private func setRootPage(
    ofAutomaticIndex row: Row, _ rootPage: Int64
  ) throws(SQLError) {
    guard let text = row.name else { return try refuse(row, "") }
    guard let index = indexes[Name(start: text.start, count: text.count)] else {
      return try refuse(row, "orphan index")
    }
    let page = PageNumber(UInt32(exactly: rootPage) ?? 0)
    let isDoubled = index.table.indexes.contains { $0 !== index && $0.rootPage == page }
    if isDoubled || !isInFile(rootPage, from: 2) { try refuse(row, "invalid rootpage") }
    index.rootPage = page
  }

  // MARK: Views and triggers

  private func makeView(
    _ statement: CreateViewStatement, _ text: SQLText
  ) throws(SQLError) -> Table {
    makeEmptyTable(
      statement.name.name, text,
      view: ViewDefinition(columns: statement.columns, select: statement.select))
  }

  private func makeEmptyTable(_ name: Name, _ text: SQLText, view: ViewDefinition?) -> Table {
    let table = Table(
      name: name, text: text, databaseIndex: databaseIndex, rootPage: PageNumber(0),
      columns: [], rowidColumn: -1, isWithoutRowid: false, isStrict: false,
      hasAutoincrement: false, view: view, rowSizeEstimate: 0, checks: [])
    table.databaseName = databaseName
    return table
  }

  private func addTrigger(
    _ statement: CreateTriggerStatement, _ text: SQLText
  ) throws(SQLError) {
    let name = statement.name.name
    if triggers[name] != nil { throw .sql("trigger \(name.string) already exists") }
    triggers.insert(
      Trigger(
        name: name, text: text, databaseIndex: databaseIndex, definition: statement,
        schemaRow: rowCount))
  }
}
