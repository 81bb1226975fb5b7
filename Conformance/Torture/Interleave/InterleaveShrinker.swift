import Engines

/// Makes a script short that shows a difference: steps go as long as it stays.
struct InterleaveShrinker {
  private let library: OracleLibrary
  private let script: InterleaveScript
  private let problem: InterleaveProblem

  init(_ library: OracleLibrary, _ script: InterleaveScript, _ problem: InterleaveProblem) {
    self.library = library
    self.script = script
    self.problem = problem
  }

  func shortest(within limit: Duration) -> InterleaveScript {
    let deadline = ContinuousClock.now + limit
    var shortest = script
    shortest.steps = Array(script.steps.prefix(problem.step + 1))
    var size = max(shortest.steps.count / 2, 1)
    while true {
      var hasChanged = false
      var start = 0
      while start < shortest.steps.count {
        if ContinuousClock.now > deadline { return shortest }
        var candidate = shortest
        candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
        if shows(candidate) {
          shortest = candidate
          hasChanged = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasChanged { return shortest }
      size = max(size / 2, 1)
    }
  }

  private func shows(_ candidate: InterleaveScript) -> Bool {
    var run = InterleaveRun(library, candidate)
    do throws(EngineError) { try run.run() } catch { return false }
    return run.problem?.kind == problem.kind
  }
}
