import Engines

/// What became of one record.
enum Outcome {
  case passed
  case skipped
  /// Martlet says that it lacks the construct; counted as skipped and listed in the summary.
  case unsupported(String)
  case failed(expected: [String], actual: [String])
}

struct RecordReport {
  let line: Int
  let sql: String
  let outcome: Outcome
}

/// What a query or statement gave.
enum Execution {
  case result(RenderedResult)
  case error(EngineError)
}

/// Runs one script on one engine.
struct ScriptRun {
  let path: String
  let engine: Engine

  private var database: (any Database)?
  private var copy: TemporaryCopy?
  private var hashThreshold = 0
  private var hashOfLabel: [String: String] = [:]
  private var skipReason: String?
  /// After a statement that Martlet lacks, the rest of the script has no ground to stand on.
  private var missingConstruct: String?

  /// Why the script's records were skipped, if they were.
  var note: String? { skipReason }

  init(path: String, engine: Engine) {
    self.path = path
    self.engine = engine
  }

  /// Runs `items`, telling `onRecord` of each record as it is done.
  ///
  /// `isTracing` names each record beforehand: after a crash the last one named is the cause.
  mutating func run(
    _ items: [ScriptItem], isTracing: Bool, onRecord: (RecordReport) -> Void
  ) {
    var isHalted = false
    for item in items {
      switch item {
      case .verbatim: break
      case .halt: isHalted = true
      case .hashThreshold(let threshold, _): hashThreshold = threshold
      case .open(let directive): open(directive, onRecord)
      case .record(let record):
        if isHalted { break }
        let sql = record.sql.joined(separator: "\n")
        if isTracing { printError("\(path):\(record.line): \(sql)") }
        onRecord(RecordReport(line: record.line, sql: sql, outcome: outcome(of: record, sql)))
      }
    }
  }

  mutating func open(_ directive: OpenDirective, _ onRecord: (RecordReport) -> Void) {
    database = nil
    copy = nil
    skipReason = nil
    guard var path = resolvedPath(directive.path, besides: path),
      let digest = fileDigest(path)
    else {
      skipReason = "\(directive.path) is absent"
      return
    }
    if let wanted = directive.digest, wanted != digest {
      skipReason = "\(directive.path) is another version than the script's"
      return
    }
    if !directive.isReadOnly, let copy = TemporaryCopy(of: path) {
      self.copy = copy
      path = copy.path
    }
    do throws(EngineError) {
      database = try engine.open(path: path, readOnly: directive.isReadOnly)
    } catch {
      skipReason = "\(directive.path) did not open"
      let outcome = Outcome.failed(expected: ["an open database"], actual: [error.line])
      onRecord(RecordReport(line: directive.line, sql: "open", outcome: outcome))
    }
  }

  private mutating func outcome(of record: Record, _ sql: String) -> Outcome {
    if record.isForOthers || skipReason != nil { return .skipped }
    if let missingConstruct { return .unsupported(missingConstruct) }
    let execution = execute(record, sql)
    if case .error(let error) = execution, error.isUnsupported {
      if case .statementOK = record.kind { missingConstruct = error.message }
      return .unsupported(error.message)
    }
    switch record.kind {
    case .statementOK: return judgeSuccess(execution)
    case .statementError(let part): return judgeError(execution, part, record.expected)
    case .query(_, _, let label): return judge(execution, record.expected ?? [], label)
    }
  }

  /// Runs the record's SQL; the result is sorted as the record asks, but not hashed.
  mutating func execute(_ record: Record, _ sql: String) -> Execution {
    do throws(EngineError) {
      if database == nil { database = try engine.open(path: ":memory:", readOnly: false) }
      guard let database else { return .result(RenderedResult()) }
      guard case .query(let form, let sort, _) = record.kind else {
        _ = try database.run(sql, firstOnly: false) { _ in }
        return .result(RenderedResult())
      }
      var result =
        form == .plan
        ? try planResult(database, sql) : try queryResult(database, sql, form)
      result.sort(sort)
      return .result(result)
    } catch { return .error(error) }
  }

  private func queryResult(
    _ database: any Database, _ sql: String, _ form: ResultForm
  ) throws(EngineError) -> RenderedResult {
    var result = RenderedResult()
    let statement = try database.run(sql, firstOnly: true) { form.append($0, to: &result) }
    if case .typed(let types) = form {
      result.linesPerRow = types.utf8.count
      guard types.utf8.count == statement?.columnCount ?? 0 else {
        let count = statement?.columnCount ?? 0
        throw EngineError(code: 0, message: "the result has \(count) columns")
      }
    } else {
      result.unit = "rows"
    }
    if form == .names, let statement {
      let names = (0..<statement.columnCount).map { statement.columnName($0) }
      result.lines.insert(names.joined(separator: "|").replacingLineBreaks(), at: 0)
    }
    return result
  }

  private func planResult(
    _ database: any Database, _ sql: String
  ) throws(EngineError) -> RenderedResult {
    var steps: [PlanStep] = []
    _ = try database.run("EXPLAIN QUERY PLAN " + sql, firstOnly: true) { row in
      let detail = String(decoding: row.bytes(3), as: UTF8.self)
      steps.append(PlanStep(id: row.integer(0), parent: row.integer(1), detail: detail))
    }
    return RenderedResult(lines: planLines(steps), linesPerRow: 1, unit: "rows")
  }

  private func judgeSuccess(_ execution: Execution) -> Outcome {
    switch execution {
    case .result: .passed
    case .error(let error): .failed(expected: ["success"], actual: ["error " + error.line])
    }
  }

  private func judgeError(_ execution: Execution, _ part: String?, _ exact: [String]?) -> Outcome {
    guard case .error(let error) = execution else {
      return .failed(expected: exact ?? ["an error"], actual: ["success"])
    }
    if let exact, exact != [error.line] { return .failed(expected: exact, actual: [error.line]) }
    if let part, !error.message.contains(part) {
      return .failed(expected: ["an error with: \(part)"], actual: [error.line])
    }
    return .passed
  }

  private mutating func judge(
    _ execution: Execution, _ expected: [String], _ label: String?
  ) -> Outcome {
    switch execution {
    case .error(let error): return .failed(expected: expected, actual: ["error " + error.line])
    case .result(let result):
      if let label {
        let hash = result.hashLine
        let first = hashOfLabel[label, default: hash]
        hashOfLabel[label] = first
        if first != hash {
          return .failed(expected: ["the result of label \(label): \(first)"], actual: [hash])
        }
      }
      if expected == result.lines { return .passed }
      if expected.count == 1, expected[0].contains(" hashing to ") {
        let hash = result.hashLine
        return expected[0] == hash ? .passed : .failed(expected: expected, actual: [hash])
      }
      return .failed(expected: expected, actual: result.lines)
    }
  }

  /// The lines that a script holds for this result: itself, or its hash where it is long.
  func recordedLines(_ result: RenderedResult) -> [String] {
    hashThreshold > 0 && result.lines.count > hashThreshold ? [result.hashLine] : result.lines
  }

  mutating func setHashThreshold(_ threshold: Int) { hashThreshold = threshold }
}
