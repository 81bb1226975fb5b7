import Engines

/// A step that the engines do not agree about.
struct InterleaveProblem {
  let step: Int
  let kind: DifferenceKind
  let line: String
}

/// The steps of a script on both engines, each on a file of its own, one step after the other.
struct InterleaveRun {
  private let library: OracleLibrary
  private let script: InterleaveScript
  private(set) var problem: InterleaveProblem?
  private(set) var stepCount = 0
  /// The differences that docs/deviations.md explains.
  private(set) var explanations: [(rule: InterleaveRule, line: String)] = []

  init(_ library: OracleLibrary, _ script: InterleaveScript) {
    self.library = library
    self.script = script
  }

  mutating func run() throws(EngineError) {
    let martlet = try InterleaveWorker(.martlet, settings: script.settings)
    let oracle = try InterleaveWorker(.oracle(library), settings: script.settings)
    let replay = InterleaveReplay(library: library, script: script)
    // Sees by its version whether anything was written to Martlet's file.
    let observer = try Engine.martlet.open(path: martlet.path, readOnly: false)
    for (index, step) in script.steps.enumerated() {
      let version = observer.outcome(of: "PRAGMA data_version").rows
      let mine = martlet.perform(step, at: index), expected = oracle.perform(step, at: index)
      stepCount += 1
      guard let found = expected.difference(from: mine, sql: step.sql ?? "") else { continue }
      let hasWritten = observer.outcome(of: "PRAGMA data_version").rows != version
      let difference = InterleaveDifference(
        found: found, index: index, step: step, expected: expected, mine: mine,
        breaksLock: hasWritten && martlet.isLocked(for: step.connection), replay: replay)
      let line = "\(found.kind.rawValue): \(step)\n  C: \(found.oracle)\n  M: \(found.martlet)"
      if let rule = difference.rule() {
        explanations.append((rule, line))
        let hasOneFailed = (expected.error == nil) != (mine.error == nil)
        if rule.endsScript || hasOneFailed && step.leavesTraces { return }
        continue
      }
      problem = InterleaveProblem(step: index, kind: found.kind, line: line)
      return
    }
    martlet.close()
    oracle.close()
    guard let found = Pair.difference(between: oracle.path, martlet.path, library) else { return }
    let line = "\(found.kind.rawValue): \(found.sql)\n  C: \(found.oracle)\n  M: \(found.martlet)"
    if let rule = replay.earlierCause(before: script.steps.count) {
      return explanations.append((rule, line))
    }
    problem = InterleaveProblem(step: script.steps.count, kind: found.kind, line: line)
  }
}

extension InterleaveStep {
  /// Where one engine fails and the other does not, later steps read on in different queries or see
  /// different rows.
  fileprivate var leavesTraces: Bool {
    switch action {
    case .open, .fetch, .close, .reopen: true
    case .run(let sql):
      !["SELECT", "WITH", "PRAGMA"].contains { sql.hasPrefix($0) } || sql.contains(" = ")
    }
  }
}
