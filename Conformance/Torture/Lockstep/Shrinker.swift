import Engines

/// Makes a script that shows a difference small: statements go first, then parts of statements.
struct Shrinker {
  let library: OracleLibrary
  let difference: Difference
  private let deadline: ContinuousClock.Instant
  /// Whether a script shows the difference; another judge runs it in a process of its own.
  private let judge: ([String]) -> Bool

  init(library: OracleLibrary, isWAL: Bool, difference: Difference, limit: Duration) {
    self.init(library: library, difference: difference, limit: limit) { statements in
      Shrinker.shows(difference, statements, library, isWAL: isWAL)
    }
  }

  init(
    library: OracleLibrary, difference: Difference, limit: Duration,
    judge: @escaping ([String]) -> Bool
  ) {
    self.library = library
    self.difference = difference
    self.judge = judge
    deadline = .now + limit
  }

  /// A short script that shows the difference too, or `statements` where it is not seen again.
  mutating func shrink(_ statements: [String]) -> [String] {
    guard ContinuousClock.now < deadline, judge(statements) else { return statements }
    var script = statements
    let withoutReads = script.dropLast().filter { !LockstepSeed.onlyReads($0) } + script.suffix(1)
    if judge(withoutReads) { script = withoutReads }
    let withoutFailures = succeeding(script)
    if judge(withoutFailures) { script = withoutFailures }
    let keepsLast = difference.sql == statements.last
    script = reduce(script, keeping: keepsLast ? 1 : 0) { judge($0) }
    for _ in 0..<2 {
      for index in script.indices.reversed() {
        let tokens = reduce(Token.split(script[index]), keeping: 0) { tokens in
          var candidate = script
          candidate[index] = tokens.joined()
          return judge(candidate)
        }
        script[index] = tokens.joined()
      }
      script = reduce(script, keeping: keepsLast ? 1 : 0) { judge($0) }
    }
    return script
  }

  /// The statements that C does not refuse, and the last.
  private func succeeding(_ statements: [String]) -> [String] {
    guard let database = try? Engine.oracle(library).open(path: ":memory:", readOnly: false) else {
      return statements
    }
    return statements.dropLast().filter { database.outcome(of: $0).error == nil }
      + statements.suffix(1)
  }

  /// Takes away ever smaller runs of elements as long as `holds`; the last `keeping` stay.
  private func reduce(
    _ elements: [String], keeping: Int, holds: ([String]) -> Bool
  ) -> [String] {
    var left = elements
    var size = max((left.count - keeping) / 2, 1)
    while true {
      var start = 0
      var isAnyTaken = false
      while start + size <= left.count - keeping, ContinuousClock.now < deadline {
        var candidate = left
        candidate.removeSubrange(start..<start + size)
        if !candidate.isEmpty, holds(candidate) {
          left = candidate
          isAnyTaken = true
        } else {
          start += size
        }
      }
      if size == 1, !isAnyTaken || ContinuousClock.now >= deadline { return left }
      if size > 1 { size = max(size / 2, 1) }
    }
  }

  /// Whether the last statement, or the check of the files, shows a difference of the same kind.
  private static func shows(
    _ difference: Difference, _ statements: [String], _ library: OracleLibrary, isWAL: Bool
  ) -> Bool {
    guard let pair = try? Pair(library, isWAL: isWAL) else { return false }
    let checksFiles = [.schema, .integrity, .content].contains(difference.kind)
    var circumstances = Circumstances()
    for (index, sql) in statements.enumerated() {
      switch pair.run(sql) {
      case .same(let outcome): circumstances.take(sql, outcome)
      case .skipped: break
      case .different(let found, _):
        let isLast = index == statements.count - 1
        if !isLast || checksFiles { return false }
        return isSame(found, difference)
          && KnownDifference.explanation(of: found, after: circumstances, in: pair.oracle) == nil
      }
    }
    guard checksFiles, let found = pair.checkFiles() else { return false }
    return found.kind == difference.kind
  }

  private static func isSame(_ found: Difference, _ wanted: Difference) -> Bool {
    guard found.kind == wanted.kind else { return false }
    switch wanted.kind {
    case .unexpectedError: return found.martlet == wanted.martlet
    case .missingError: return found.oracle == wanted.oracle
    case .errorCode, .errorMessage:
      return found.oracle.prefix(12) == wanted.oracle.prefix(12)
        && found.martlet.prefix(12) == wanted.martlet.prefix(12)
    default: return true
    }
  }
}
