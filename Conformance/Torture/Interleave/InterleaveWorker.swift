import Engines

/// A query that was left at a row.
struct HalfReadQuery {
  let sql: String
  let statement: any PreparedStatement
  /// The step that began it.
  let step: Int
  /// How many rows it has given.
  var rowCount: Int
}

/// The connections of one engine, with what they keep, as a driver does: a number of prepared
/// statements by their text, and those that are half read.
final class InterleaveWorker {
  let path = Scratch.path("interleaved")
  private let engine: Engine
  private let settings: [[String]]
  /// Whether a statement that has run is run again for the same text.
  private let keepsStatements: Bool
  /// A connection is nil while it is opened anew.
  private var connections: [(any Database)?] = []
  private var kept: [[String: any PreparedStatement]]
  private var open: [[HalfReadQuery]]

  init(
    _ engine: Engine, settings: [[String]], keepsStatements: Bool = true
  ) throws(EngineError) {
    self.engine = engine
    self.settings = settings
    self.keepsStatements = keepsStatements
    kept = settings.map { _ in [:] }
    open = settings.map { _ in [] }
    connections = settings.map { _ in nil }
    for number in settings.indices { connections[number] = try connect(number) }
  }

  deinit {
    close()
    Files.removeDatabase(path)
  }

  /// Ends everything; the file stays.
  func close() {
    open = []
    kept = []
    connections = []
  }

  private func connect(_ number: Int) throws(EngineError) -> any Database {
    let connection = try engine.open(path: path, readOnly: false)
    for sql in settings[number] { _ = connection.outcome(of: sql) }
    return connection
  }

  /// What a statement gives that is prepared now, and kept for nothing.
  func ask(_ sql: String, on number: Int) -> Outcome {
    connections[number]?.outcome(of: sql) ?? Outcome()
  }

  /// The statement that is kept for a text is prepared again when the text is run.
  func forget(_ sql: String, on number: Int) { kept[number][sql] = nil }

  /// The query that a step reads on in.
  func halfReadQuery(at index: Int, on number: Int) -> HalfReadQuery? {
    open[number].isEmpty ? nil : open[number][index % open[number].count]
  }

  /// Whether another connection of Martlet's is in the way of one that writes.
  func isLocked(for number: Int) -> Bool {
    connections.enumerated().contains { other, connection in
      other != number && (connection as? MartletDatabase)?.isInTransaction ?? false
    }
  }

  /// - Parameter index: That of the step in its script.
  func perform(_ step: InterleaveStep, at index: Int) -> Outcome {
    let number = step.connection
    switch step.action {
    case .run(let sql): return run(sql, on: number, rowLimit: nil, step: index)
    case .open(let sql): return run(sql, on: number, rowLimit: 1, step: index)
    case .fetch(let index, let rows):
      guard !open[number].isEmpty else { return Outcome() }
      let place = index % open[number].count
      let statement = open[number][place].statement
      var outcome = Outcome()
      if read(statement, into: &outcome, rowLimit: rows) {
        open[number][place].rowCount += outcome.rows.count
      } else {
        open[number].remove(at: place)
      }
      outcome.state = connections[number]?.state
      return outcome
    case .close(let index):
      guard !open[number].isEmpty else { return Outcome() }
      open[number].remove(at: index % open[number].count).statement.reset()
      return Outcome()
    case .reopen:
      open[number] = []
      kept[number] = [:]
      connections[number] = nil
      var outcome = Outcome()
      do throws(EngineError) { connections[number] = try connect(number) } catch {
        outcome.error = error
      }
      return outcome
    }
  }

  private func run(_ sql: String, on number: Int, rowLimit: Int?, step: Int) -> Outcome {
    var outcome = Outcome()
    let isBusy = open[number].contains { $0.sql == sql }
    var statement = isBusy ? nil : kept[number][sql]
    if statement == nil {
      do throws(EngineError) { statement = try prepare(sql, on: number) } catch {
        outcome.error = error
        outcome.state = connections[number]?.state
        return outcome
      }
      if !isBusy && keepsStatements { kept[number][sql] = statement }
    }
    if let statement {
      if read(statement, into: &outcome, rowLimit: rowLimit) {
        open[number].append(
          HalfReadQuery(sql: sql, statement: statement, step: step, rowCount: outcome.rows.count))
        kept[number][sql] = nil
      }
      outcome.columns = (0..<statement.columnCount).map { statement.columnName($0) }
    }
    outcome.state = connections[number]?.state
    return outcome
  }

  private func prepare(
    _ sql: String, on number: Int
  ) throws(EngineError) -> (any PreparedStatement)? {
    var text = sql
    let prepared = text.withUTF8 { bytes in
      Result<(any PreparedStatement)?, EngineError>.catching { () throws(EngineError) in
        try connections[number]?.prepare(bytes).statement
      }
    }
    return try prepared.get()
  }

  /// True when the statement stands at a row, as many as wanted behind where it stood.
  private func read(
    _ statement: any PreparedStatement, into outcome: inout Outcome, rowLimit: Int?
  ) -> Bool {
    do throws(EngineError) {
      while try statement.step() {
        let values = (0..<statement.columnCount).map { column in
          let value = exactValue(statement, column)
          // Each engine has a file of its own.
          return value == "'\(path)'" ? "'(file)'" : value
        }
        outcome.rows.append(values.joined(separator: "|"))
        if let rowLimit, outcome.rows.count >= rowLimit { return true }
      }
    } catch { outcome.error = error }
    statement.reset()
    return false
  }
}
