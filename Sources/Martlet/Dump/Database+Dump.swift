// Content of databases as text, for tests and for people who debug. Without a stream it goes to the
// standard output.

extension Database {
  /// The rows that a script gives, as text.
  public func dumpSQL(
    _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    var dump = Dump(self, format, stream)
    try dump.write(sql)
  }

  /// The rows of a request, as text.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(),
    to stream: (any TextOutputStream)? = nil
  ) throws {
    var dump = Dump(self, format, stream)
    try dump.write(request)
  }

  /// The rows of tables and views, as text.
  ///
  /// - Parameters:
  ///   - tables: The tables and views.
  ///   - format: How rows are written.
  ///   - tableHeader: Whether the name of each table is written.
  ///   - stableOrder: The rows of views are ordered too.
  ///   - stream: Where the text goes; nil for the standard output.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    var dump = Dump(self, format, stream)
    try dump.write(
      tables: tables, hasHeaders: tableHeader == .always || tables.count > 1,
      isStable: stableOrder)
  }

  /// The schema, and the rows of all tables, as text.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    var dump = Dump(self, format, stream)
    try dump.writeSchema()
    let tables = try String.fetchAll(
      self, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name COLLATE NOCASE")
    try dump.write(
      tables: tables.filter { try isApplicationTable($0) }, hasHeaders: true, isStable: true)
  }

  /// The definitions of tables, indexes, views and triggers, as text.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    var dump = Dump(self, DebugDumpFormat(), stream)
    try dump.writeSchema()
  }

  /// The table is neither SQLite's nor the layer's own, nor does it belong to a virtual one.
  fileprivate func isApplicationTable(_ name: String) throws -> Bool {
    if Database.isSQLiteInternalTable(name) || Database.isGRDBInternalTable(name) { return false }
    let type = try String.fetchOne(
      self, sql: "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ?",
      arguments: [name])
    return type != "shadow"
  }
}

extension DatabaseReader {
  /// The rows that a script gives, as text.
  public func dumpSQL(
    _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in
      try db.dumpSQL(sql, format: format, to: stream)
    }
  }

  /// The rows of a request, as text.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(),
    to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in
      try db.dumpRequest(request, format: format, to: stream)
    }
  }

  /// The rows of tables and views, as text.
  ///
  /// - Parameters:
  ///   - tables: The tables and views.
  ///   - format: How rows are written.
  ///   - tableHeader: Whether the name of each table is written.
  ///   - stableOrder: The rows of views are ordered too.
  ///   - stream: Where the text goes; nil for the standard output.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in
      try db.dumpTables(
        tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
    }
  }

  /// The schema, and the rows of all tables, as text.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { db in
      try db.dumpContent(format: format, to: stream)
    }
  }

  /// The definitions of tables, indexes, views and triggers, as text.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    try unsafeReentrantRead { db in
      try db.dumpSchema(to: stream)
    }
  }
}

/// A dump under way.
private struct Dump<Format: DumpFormat> {
  private let db: Database
  private var format: Format
  var stream: DumpStream

  init(_ db: Database, _ format: Format, _ target: (any TextOutputStream)?) {
    self.db = db
    self.format = format
    stream = DumpStream(target)
  }

  mutating func write(_ sql: SQL) throws {
    let statements = try db.allStatements(literal: sql)
    while let statement = try statements.next() { try write(statement) }
  }

  mutating func write(_ statement: Statement) throws {
    try statement.begin()
    let execution = statement.executionCount
    defer { statement.abandon(execution) }
    while try statement.step() {
      try format.writeRow(db, statement: statement, to: &stream)
    }
    format.finalize(db, statement: statement, to: &stream)
  }

  /// The rows of a request, then those that are fetched beside them, under their keys.
  mutating func write(_ request: some FetchRequest) throws {
    let prepared = try request.makePreparedRequest(db, forSingleResult: false)
    try write(prepared.statement)
    guard let prefetch = prepared.prefetch else { return }
    var others: [(request: QueryInterfaceRequest<Row>, keys: [String])] = []
    let rows = try Row.fetchAll(prepared.statement, adapter: prepared.adapter)
    try prefetch(db, rows) { others.append(($0, $1)) }
    for other in others {
      stream.write("\n" + other.keys.joined(separator: ".") + "\n")
      try write(other.request)
    }
  }

  mutating func writeSchema() throws {
    let definitions = try Row.fetchAll(
      db,
      sql: "SELECT tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL "
        + "ORDER BY tbl_name COLLATE NOCASE, type = 'table' DESC, type = 'view' DESC, "
        + "type = 'index' DESC, name COLLATE NOCASE")
    stream.write("sqlite_master\n")
    for row in definitions where try db.isApplicationTable(row["tbl_name"]) {
      stream.write((row["sql"] as String) + ";\n")
    }
  }

  mutating func write(tables: [String], hasHeaders: Bool, isStable: Bool) throws {
    for table in tables {
      if hasHeaders {
        stream.margin()
        stream.write(table + "\n")
      }
      let request = try orderedRequest(table, isStable)
      let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
      // The rows follow their header at once.
      stream.refuseMargin(hasHeaders)
      try write(statement)
      stream.refuseMargin(false)
    }
  }

  /// Tables by their primary key, views only where the order matters.
  private func orderedRequest(
    _ table: String, _ isStable: Bool
  ) throws -> QueryInterfaceRequest<Row> {
    let request = Table(table).all()
    guard try db.viewExists(table) else { return request.orderByPrimaryKey() }
    guard isStable else { return request }
    if try db.primaryKeyIfAny(table) != nil { return request.orderByPrimaryKey() }
    return request.order(try db.columns(in: table).map { Column($0.name) })
  }
}
