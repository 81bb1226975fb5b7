import Engines

/// What one engine made of one statement.
struct Outcome: Equatable {
  var columns: [String] = []
  var rows: [String] = []
  var error: EngineError?
  var state: ConnectionState?
  /// Whether the rows end because there were too many, not because the statement was done.
  var isCut = false

  static func == (left: Outcome, right: Outcome) -> Bool {
    left.columns == right.columns && left.rows == right.rows && left.state == right.state
      && left.error?.code == right.error?.code && left.error?.message == right.error?.message
  }
}

/// In what two outcomes differ; shrinking keeps the kind, so that it does not find another bug.
enum DifferenceKind: String {
  case columns, rows, order, missingError, unexpectedError, errorCode, errorMessage, state
  case schema, integrity, content, crash, hang
}

/// A statement that the engines do not agree about.
struct Difference {
  let kind: DifferenceKind
  let sql: String
  let oracle: String
  let martlet: String
}

extension Outcome {
  /// How `martlet` differs from this outcome of C SQLite; nil where it does not.
  func difference(from martlet: Outcome, sql: String) -> Difference? {
    guard self != martlet else { return nil }
    func report(_ kind: DifferenceKind, _ mine: String, _ theirs: String) -> Difference {
      Difference(kind: kind, sql: sql, oracle: mine, martlet: theirs)
    }
    switch (error, martlet.error) {
    case (nil, let wrong?):
      return report(.unexpectedError, "\(rows.count) rows", wrong.line)
    case (let right?, nil): return report(.missingError, right.line, "\(martlet.rows.count) rows")
    case (let right?, let wrong?) where right.code != wrong.code:
      return report(.errorCode, right.line, wrong.line)
    case (let right?, let wrong?) where right.message != wrong.message:
      return report(.errorMessage, right.line, wrong.line)
    default: break
    }
    // The queries of which SQLite makes a change of a table give it their columns.
    if columns != martlet.columns, !sql.hasPrefix("ALTER") {
      return report(
        .columns, columns.joined(separator: "|"), martlet.columns.joined(separator: "|"))
    }
    if rows != martlet.rows, error == nil || !isPrefix(martlet) {
      let kind: DifferenceKind = rows.sorted() == martlet.rows.sorted() ? .order : .rows
      let first = zip(rows, martlet.rows).prefix { $0 == $1 }.count
      return report(kind, Self.row(first, of: rows), Self.row(first, of: martlet.rows))
    }
    if state == martlet.state { return nil }
    return report(
      .state, "\(state.map { "\($0)" } ?? "")", "\(martlet.state.map { "\($0)" } ?? "")")
  }

  /// How many rows there are before an error depends on how far the groups have come.
  private func isPrefix(_ other: Outcome) -> Bool {
    zip(rows, other.rows).allSatisfy { $0 == $1 }
  }

  private static func row(_ index: Int, of rows: [String]) -> String {
    let text = index < rows.count ? rows[index] : "no row"
    return "row \(index) of \(rows.count): \(text.count > 400 ? text.prefix(400) + "…" : text[...])"
  }
}

extension Database {
  /// Runs the first statement of `sql` to its end, or to `rowLimit` rows.
  func outcome(of sql: String, rowLimit: Int = 4_000) -> Outcome {
    var outcome = Outcome()
    var text = sql
    let prepared = text.withUTF8 { bytes in
      Result<(any PreparedStatement)?, EngineError>.catching { () throws(EngineError) in
        try prepare(bytes).statement
      }
    }
    var begun: (any PreparedStatement)?
    do throws(EngineError) {
      begun = try prepared.get()
      if let statement = begun {
        for (index, value) in Bindings.values(of: sql).enumerated() {
          statement.bind(literal: value, at: index + 1)
        }
        outcome.columns = (0..<statement.columnCount).map { statement.columnName($0) }
        while try statement.step() {
          let values = (0..<statement.columnCount).map { exactValue(statement, $0) }
          outcome.rows.append(values.joined(separator: "|"))
          if outcome.rows.count >= rowLimit {
            outcome.isCut = true
            break
          }
        }
      }
    } catch { outcome.error = error }
    // One that waits for a lock has not ended in SQLite.
    begun?.reset()
    outcome.state = state
    return outcome
  }
}
