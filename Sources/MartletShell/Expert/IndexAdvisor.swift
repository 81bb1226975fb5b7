import MartletEngine

/// Finds indexes that statements would use (cli §16).
///
/// Two databases in memory stand for the one that is asked about. In the first all tables are
/// virtual, and note what the planner asks of them. From that come candidates: the columns that are
/// compared with `=`, and behind them one that is in a range, or those of ORDER BY. All candidates
/// are made in the second one, and those are proposed that its query plans use.
struct IndexAdvisor {
  struct Candidate {
    let name: String
    let definition: String
  }

  struct Advice {
    let sql: String
    /// Those that the plan uses, the last one first.
    let indexes: [Candidate]
    let plan: [String]
  }

  private let source: Connection
  private let trying: Connection
  private let watched = WatchedTables()
  private let schema: [SchemaRow]
  private(set) var candidates: [Candidate] = []

  /// - Parameter percent: How many of the rows are looked at for statistics.
  init(for source: Connection, percent: Int) throws(SQLError) {
    self.source = source
    trying = try Self.makeDatabase()
    schema = try Self.readSchema(of: source)
    for row in schema where row.isWanted(in: trying) { try trying.execute(row.sql) }
    for row in schema where row.isTable { try watched.add(row.name, columns(of: row.name)) }
    if percent > 0 { try copyRows(percent) } else { copyStatistics() }
  }

  private static func makeDatabase() throws(SQLError) -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.registerSearch()
    try connection.registerSpatial()
    try FileFunctions.register(on: connection, isSafe: false)
    try ShellFunctions.register(on: connection)
    return connection
  }

  // MARK: The copies

  private struct SchemaRow {
    let type: String
    let name: String
    let sql: String
    let isVirtual: Bool

    var isTable: Bool { type == "table" && !isVirtual }

    /// Shadow tables are there with their virtual ones, which nothing is proposed for.
    func isWanted(in connection: Connection) -> Bool {
      type != "table" || (try? connection.checkTable(name)) == nil
    }
  }

  private static func readSchema(of source: Connection) throws(SQLError) -> [SchemaRow] {
    try source.prepare(
      """
      SELECT type, name, sql, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema
      WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'
      ORDER BY type = 'trigger', type = 'view', type = 'index', 4 DESC, rowid
      """
    ).allTexts().map {
      SchemaRow(type: $0[0], name: $0[1], sql: $0[2], isVirtual: $0[3] == "1")
    }
  }

  private func columns(of table: String) throws(SQLError) -> [WatchedTables.Column] {
    let rows = try source.prepare("PRAGMA main.table_info(\(quotedName(table)))").allTexts()
    let hasOneKey = rows.count { $0[5] != "0" } == 1
    var columns: [WatchedTables.Column] = []
    for row in rows {
      let facts = try source.metadata(ofColumn: row[1], table: table, database: "main")
      columns.append(
        WatchedTables.Column(
          name: row[1], type: facts.declaredType ?? "", collation: facts.collation,
          isNotNull: facts.isNotNull, isPrimaryKey: hasOneKey && row[5] != "0"))
    }
    return columns
  }

  /// A database whose tables are watched. It has no triggers, as tables that are virtual have none.
  private func makeWatching() throws(SQLError) -> Connection {
    let watching = try Self.makeDatabase()
    try watching.createModule("watched", watched)
    for row in schema where row.type != "index" && row.type != "trigger" {
      guard row.isWanted(in: watching) else { continue }
      try watching.execute(
        row.isTable ? "CREATE VIRTUAL TABLE \(quotedName(row.name)) USING watched" : row.sql)
    }
    return watching
  }

  /// What ANALYZE has left, if it has.
  private func copyStatistics() {
    guard let rows = try? source.prepare("SELECT tbl, idx, stat FROM sqlite_stat1").allTexts()
    else {
      return
    }
    try? trying.execute("ANALYZE")
    for row in rows {
      let index = row[1].isEmpty ? "NULL" : sqlText(row[1])
      try? trying.execute(
        "INSERT INTO sqlite_stat1 VALUES(\(sqlText(row[0])), \(index), \(sqlText(row[2])))")
    }
    try? trying.execute("ANALYZE sqlite_schema")
  }

  private func copyRows(_ percent: Int) throws(SQLError) {
    let every = max(100 / percent, 1)
    let tables = try trying.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    ).allTexts()
    for table in tables {
      let name = quotedName(table[0])
      let rows = try source.prepare("SELECT * FROM main.\(name)")
      let marks = Array(repeating: "?", count: rows.columnCount).joined(separator: ",")
      let insert = try trying.prepare("INSERT OR IGNORE INTO \(name) VALUES(\(marks))")
      var number = 0
      while try rows.step() {
        if Interruption.isPending { throw SQLError(.interrupt) }
        number += 1
        if number % every != 0 { continue }
        for column in 0..<rows.columnCount {
          guard let value = rows.currentRow.value(column) else { continue }
          try insert.bind(value, at: column + 1)
        }
        _ = try insert.step()
        try insert.reset()
      }
    }
  }

  // MARK: Statements

  /// What would serve the statements of a text, which is taken apart here.
  mutating func advise(
    on sql: ArraySlice<UInt8>, percent: Int
  ) throws(SQLError) -> [Advice] {
    let watching = try makeWatching()
    var statements: [String] = []
    var rest = sql
    while !rest.allSatisfy(isSpace) {
      let prepared = rest.withUnsafeBufferPointer { buffer in
        Result { () throws(SQLError) in try watching.prepare(buffer) }
      }
      let (statement, consumed) = try prepared.get()
      let text = rest.prefix(max(consumed, 1))
      rest = rest.dropFirst(max(consumed, 1))
      if statement != nil { statements.append(String(decoding: text, as: UTF8.self)) }
    }
    for scan in watched.scans.reversed() { try makeCandidates(for: scan) }
    if percent > 0 { try trying.execute("ANALYZE") }
    var advice: [Advice] = []
    for statement in statements {
      let plan = try trying.prepare("EXPLAIN QUERY PLAN " + statement).allTexts().map { $0[3] }
      var used: [Candidate] = []
      for line in plan {
        let words = line.split(separator: " ")
        for candidate in candidates where words.contains(Substring(candidate.name)) {
          if !used.contains(where: { $0.name == candidate.name }) { used.insert(candidate, at: 0) }
        }
      }
      advice.append(Advice(sql: statement, indexes: used, plan: plan))
    }
    return advice
  }

  // MARK: Candidates

  private mutating func makeCandidates(for scan: TableScan) throws(SQLError) {
    let equal = scan.equal.reduce(into: [TableScan.Term]()) { terms, term in
      if !terms.contains(term) { terms.append(term) }
    }
    try makeCandidate(on: scan.table, equal, [])
    for range in scan.ranges where !equal.contains(range) {
      try makeCandidate(on: scan.table, equal, [range])
    }
    if scan.order.isEmpty { return }
    let others = equal.filter { term in !scan.order.contains { $0.column == term.column } }
    try makeCandidate(on: scan.table, others, scan.order)
  }

  private mutating func makeCandidate(
    on table: String, _ equal: [TableScan.Term], _ tail: [TableScan.Term]
  ) throws(SQLError) {
    let terms = equal + tail
    if terms.isEmpty { return }
    if try hasIndex(on: table, equal, tail) { return }
    let columns = terms.map { term in
      identifier(term.column) + (term.collation.map { " COLLATE \($0)" } ?? "")
        + (term.isDescending ? " DESC" : "")
    }.joined(separator: ", ")
    let name = identifier("\(table)_idx_\(Self.hash(of: columns))")
    if candidates.contains(where: { $0.name == name }) { return }
    let definition = "CREATE INDEX \(name) ON \(identifier(table))(\(columns))"
    try trying.execute(definition)
    candidates.insert(Candidate(name: name, definition: definition), at: 0)
  }

  /// Eight digits that stay the same for the same columns.
  private static func hash(of text: String) -> String {
    let sum = text.utf8.reduce(UInt32(0)) { $0 &* 9 &+ UInt32($1) }
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Whether an index of the table begins with these columns, those compared with `=` in any order.
  private func hasIndex(
    on table: String, _ equal: [TableScan.Term], _ tail: [TableScan.Term]
  ) throws(SQLError) -> Bool {
    let names = try trying.prepare("PRAGMA index_list(\(quotedName(table)))").allTexts()
    for row in names {
      let parts = try trying.prepare("PRAGMA index_xinfo(\(quotedName(row[1])))").allTexts()
      var terms: [TableScan.Term] = []
      for part in parts where part[5] == "1" {
        let own = try? trying.metadata(ofColumn: part[2], table: table)
        let isOwn = own?.collation.lowercased() == part[4].lowercased()
        terms.append(
          TableScan.Term(
            column: part[2], collation: isOwn ? nil : part[4], isDescending: part[3] == "1"))
      }
      guard terms.count >= equal.count + tail.count else { continue }
      let first = terms.prefix(equal.count)
      let next = Array(terms.dropFirst(equal.count).prefix(tail.count))
      let isEqual = equal.allSatisfy { term in
        first.contains { $0.column == term.column && $0.collation == term.collation }
      }
      if isEqual, next == tail { return true }
    }
    return false
  }
}
