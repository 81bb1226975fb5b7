import MartletEngine

/// The bar of a statement that works through a whole table or file: VACUUM, CREATE INDEX, REINDEX,
/// PRAGMA integrity_check and quick_check.
///
/// The handler is called on the thread that runs the statement, which is the session's own.
final class StatementProgress: @unchecked Sendable {
  private enum Work {
    /// Each page is read once, and written so often.
    case pages(written: Int)
    /// Each row is read, sorted and appended.
    case rows(table: String)
  }

  private let connection: Connection
  private var bar: ProgressBar
  private let countsRows: Bool
  private let firstCount: Int
  private var turns = 0
  private static let turnsBetweenCalls = 100
  /// How the engine counts a turn of a loop.
  private static let instructionsPerTurn = 8

  /// Nil for other statements, and where nothing would be seen.
  init?(of sql: String, on connection: Connection) {
    guard let work = Self.work(of: sql), ProgressBar(unit: "").isPossible else { return nil }
    self.connection = connection
    switch work {
    case .pages(let written):
      countsRows = false
      bar = ProgressBar(
        unit: "pages", total: connection.number("PRAGMA page_count").map { $0 * (1 + written) })
    case .rows(let table):
      countsRows = true
      // Rows are read and appended.
      bar = ProgressBar(unit: "rows", total: connection.estimatedRowCount(of: table).map { 2 * $0 })
    }
    firstCount = Self.pageCount(connection)
    connection.setProgressHandler(every: Self.turnsBetweenCalls * Self.instructionsPerTurn) {
      self.show()
      return false
    }
  }

  func finish() {
    bar.finish()
    connection.setProgressHandler(every: 0, nil)
  }

  private func show() {
    turns += Self.turnsBetweenCalls
    let done = countsRows ? turns : Self.pageCount(connection) - firstCount
    bar.show(done: done, count: countsRows ? turns / 2 : nil, often: false)
  }

  /// Pages that were read and written.
  private static func pageCount(_ connection: Connection) -> Int {
    connection.count(of: .cacheMisses) + connection.count(of: .cacheWrites)
  }

  private static func work(of sql: String) -> Work? {
    let words = SQLWords(sql + " ")
    let first = words.first(8).map { $0.uppercased() }
    switch first.first {
    case "VACUUM": return .pages(written: words.vacuumsIntoFile ? 0 : 1)
    case "REINDEX": return .pages(written: 1)
    case "PRAGMA":
      let isCheck = first.contains("INTEGRITY_CHECK") || first.contains("QUICK_CHECK")
      return isCheck ? .pages(written: 0) : nil
    case "CREATE" where first.prefix(3).contains("INDEX"):
      guard let on = first.firstIndex(of: "ON"),
        let table = words.first(on + 2).dropFirst(on + 1).first
      else { return nil }
      return .rows(table: table)
    default: return nil
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
