import MartletEngine

/// The bar of a statement that works through a whole table or file: VACUUM, CREATE INDEX, REINDEX,
/// PRAGMA integrity_check and quick_check. What it has done is counted in turns of its loops.
///
/// The handler is called on the thread that runs the statement, which is the session's own.
final class StatementProgress: @unchecked Sendable {
  private let connection: Connection
  private var bar: ProgressBar
  private var turns = 0
  private static let turnsBetweenCalls = 100
  /// How the engine counts a turn of a loop.
  private static let instructionsPerTurn = 8

  /// Nil for other statements, and where nothing would be seen.
  init?(of sql: String, on connection: Connection) {
    guard ProgressBar(unit: "").isPossible, let work = Self.work(of: sql) else { return nil }
    self.connection = connection
    bar = ProgressBar(unit: "steps", total: Self.turns(for: work, connection))
    connection.setProgressHandler(every: Self.turnsBetweenCalls * Self.instructionsPerTurn) {
      self.turns += Self.turnsBetweenCalls
      self.bar.show(done: self.turns, often: false)
      return false
    }
  }

  func finish() {
    bar.finish()
    connection.setProgressHandler(every: 0, nil)
  }

  // MARK: What is to be done

  private enum Work {
    case vacuum, reindex, check
    case index(table: String)
  }

  private static func work(of sql: String) -> Work? {
    let words = SQLWords(sql + " ")
    let first = words.first(8)
    let keywords = first.map { $0.uppercased() }
    switch keywords.first {
    case "VACUUM": return .vacuum
    case "REINDEX": return .reindex
    case "PRAGMA":
      return keywords.contains("INTEGRITY_CHECK") || keywords.contains("QUICK_CHECK") ? .check : nil
    case "CREATE" where keywords.prefix(3).contains("INDEX"):
      guard let on = keywords.firstIndex(of: "ON"), on + 1 < first.count else { return nil }
      return .index(table: first[on + 1])
    default: return nil
    }
  }

  /// About how many turns that takes.
  private static func turns(for work: Work, _ connection: Connection) -> Int? {
    if case .index(let table) = work {
      // Each row is read, and its entry appended.
      return connection.estimatedRowCount(of: table).map { 2 * $0 }
    }
    let tables = try? connection.prepare(
      """
      SELECT name, (SELECT count(*) FROM sqlite_schema AS i
        WHERE i.type = 'index' AND i.tbl_name = t.name)
      FROM sqlite_schema AS t WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      """
    ).allTexts()
    var rows = 0, entries = 0
    for table in tables ?? [] {
      let count = connection.estimatedRowCount(of: table[0]) ?? 0
      rows += count
      entries += count * (Int(table[1]) ?? 0)
    }
    switch work {
    case .reindex: return 2 * entries
    case .check: return rows + (connection.number("PRAGMA page_count") ?? 0)
    case .vacuum, .index: return rows + entries
    }
  }
}

extension Connection {
  /// How many rows a table has if no rowids are left out; nil where it has none.
  func estimatedRowCount(of table: String) -> Int? {
    number("SELECT max(rowid) - min(rowid) + 1 FROM \(quotedName(table))")
  }

  /// The number that a query gives in its first row.
  fileprivate func number(_ sql: String) -> Int? {
    // A table without rowids, for one, has no such number.
    guard let query = try? prepare(sql), (try? query.step()) == true else { return nil }
    return Int(query.columnInt64(0))
  }
}
