import Engines

/// Runs the steps of a script once more, on files of their own, with one thing changed: what rules ask
/// to see whether a difference comes from what they name.
struct InterleaveReplay {
  /// Sees whether the file has another schema.
  static let look = "SELECT count(*) FROM main.sqlite_schema"

  let library: OracleLibrary
  let script: InterleaveScript

  private func worker(
    _ engine: Engine, keepsStatements: Bool = true
  ) throws(EngineError) -> InterleaveWorker {
    try InterleaveWorker(engine, settings: script.settings, keepsStatements: keepsStatements)
  }

  /// Runs the steps up to but not including that at `end`.
  private func perform(
    until end: Int, _ worker: InterleaveWorker,
    _ changed: (InterleaveStep) -> InterleaveStep = { $0 }
  ) {
    for (index, step) in script.steps.prefix(end).enumerated() {
      _ = worker.perform(changed(step), at: index)
    }
  }

  /// The step at `index` where C SQLite prepares every statement anew, and perhaps looks at the file
  /// before it does.
  func keepingNothing(at index: Int, looksAtFile: Bool) -> Outcome? {
    guard let oracle = try? worker(.oracle(library), keepsStatements: false) else { return nil }
    let steps = script.steps.prefix(index + 1).enumerated().map { index, step in
      if looksAtFile, step.sql != nil { _ = oracle.ask(Self.look, on: step.connection) }
      return oracle.perform(step, at: index)
    }
    return steps.last
  }

  /// The step at `index` without earlier ones: those of which the text begins with `prefix`, if
  /// `failing` only where they fail.
  func leavingOut(
    _ prefix: String, failing: Bool = false, at index: Int, ofMartlet: Bool = false
  ) -> Outcome? {
    let engine = ofMartlet ? Engine.martlet : .oracle(library)
    guard let first = try? worker(engine) else { return nil }
    var left: Set<Int> = []
    for (number, step) in script.steps.prefix(index).enumerated() {
      let isMeant = step.sql?.hasPrefix(prefix) ?? false
      if isMeant && !failing {
        left.insert(number)
      } else if first.perform(step, at: number).error != nil, isMeant {
        left.insert(number)
      }
    }
    guard !left.isEmpty, let other = try? worker(engine) else { return nil }
    for (number, step) in script.steps.prefix(index).enumerated() where !left.contains(number) {
      _ = other.perform(step, at: number)
    }
    return other.perform(script.steps[index], at: index)
  }

  /// The step at `index` on a connection that has just run `statements`, and prepares what it runs
  /// there anew.
  func outcome(at index: Int, ofMartlet: Bool = false, behind statements: [String]) -> Outcome? {
    guard let worker = try? worker(ofMartlet ? .martlet : .oracle(library)) else { return nil }
    let step = script.steps[index]
    perform(until: index, worker)
    for sql in statements { _ = worker.ask(sql, on: step.connection) }
    if let sql = step.sql { worker.forget(sql, on: step.connection) }
    return worker.perform(step, at: index)
  }

  /// What C SQLite answers behind the step at `index`, for which it has looked at the file and prepared
  /// the statement anew.
  func answersOfOracle(to questions: [String], behindAnew index: Int) -> [Outcome]? {
    guard let oracle = try? worker(.oracle(library)) else { return nil }
    let step = script.steps[index]
    perform(until: index, oracle)
    _ = oracle.ask(Self.look, on: step.connection)
    if let sql = step.sql { oracle.forget(sql, on: step.connection) }
    _ = oracle.perform(step, at: index)
    return questions.map { oracle.ask($0, on: step.connection) }
  }

  /// The step at `index` on C SQLite, where its connection has read all queries to their ends.
  func readingAll(at index: Int) -> Outcome? {
    guard let oracle = try? worker(.oracle(library)) else { return nil }
    let connection = script.steps[index].connection
    perform(until: index, oracle) { step in
      guard step.connection == connection, case .open(let sql) = step.action else { return step }
      return InterleaveStep(connection: connection, action: .run(sql))
    }
    return oracle.perform(script.steps[index], at: index)
  }

  /// What both engines answer to questions of a connection before the step at `index`.
  func answers(
    to questions: [String], on connection: Int, before index: Int
  ) -> (oracle: [Outcome], martlet: [Outcome])? {
    guard let oracle = try? worker(.oracle(library)), let martlet = try? worker(.martlet) else {
      return nil
    }
    let answers = [oracle, martlet].map { worker in
      perform(until: index, worker)
      return questions.map { worker.ask($0, on: connection) }
    }
    return (answers[0], answers[1])
  }

  /// The rows that a query had that the step at `index` reads on in, when it began: those from where
  /// it stands on.
  func rowsAtBeginning(ofQueryAt index: Int) -> [String]? {
    let step = script.steps[index]
    guard case .fetch(let number, _) = step.action, let martlet = try? worker(.martlet) else {
      return nil
    }
    perform(until: index, martlet)
    guard let query = martlet.halfReadQuery(at: number, on: step.connection),
      let oracle = try? worker(.oracle(library))
    else { return nil }
    perform(until: query.step, oracle)
    let whole = InterleaveStep(connection: step.connection, action: .run(query.sql))
    let outcome = oracle.perform(whole, at: query.step)
    return outcome.error == nil ? Array(outcome.rows.dropFirst(query.rowCount)) : nil
  }
}
