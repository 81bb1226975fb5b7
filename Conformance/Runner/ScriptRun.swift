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
  let script: ScriptText
  /// What was run, as it stands in the script.
  let text: Range<Int>
  let outcome: Outcome

  var sql: String { script.text(text) }
}

/// What a query or statement gave.
enum Execution {
  case result(RenderedResult)
  case error(EngineError)
}

/// Runs one script on one engine.
struct ScriptRun {
  let path: String
  let script: ScriptText
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

  init(path: String, _ script: ScriptText, engine: Engine) {
    self.path = path
    self.script = script
    self.engine = engine
  }

  /// Runs the script, telling `onRecord` of each record as it is done.
  ///
  /// `isTracing` names each record beforehand: after a crash the last one named is the cause.
  mutating func run(
    isTracing: Bool, onRecord: (RecordReport) -> Void
  ) throws(ScriptSyntaxError) {
    var parser = ScriptParser(script)
    var isHalted = false
    while let item = try parser.nextItem() {
      switch item {
      case .verbatim: break
      case .halt: isHalted = true
      case .hashThreshold(let threshold, _): hashThreshold = threshold
      case .open(let directive): open(directive, onRecord)
      case .record(let record):
        if isHalted { break }
        if isTracing { printError("\(path):\(record.line): \(script.text(record.sql))") }
        onRecord(
          RecordReport(
            line: record.line, script: script, text: record.sql, outcome: outcome(of: record)))
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
      onRecord(
        RecordReport(
          line: directive.line, script: script, text: directive.text, outcome: outcome))
    }
  }

  private mutating func outcome(of record: Record) -> Outcome {
    if record.isForOthers || skipReason != nil { return .skipped }
    if let missingConstruct { return .unsupported(missingConstruct) }
    let execution = execute(record)
    if case .error(let error) = execution, error.isUnsupported {
      if case .statementOK = record.kind { missingConstruct = error.message }
      return .unsupported(error.message)
    }
    switch record.kind {
    case .statementOK: return judgeSuccess(execution)
    case .statementError(let part):
      return judgeError(execution, part, record.expected.map { script.lines($0) })
    case .query(_, _, let label): return judge(execution, record.expected ?? 0..<0, label)
    }
  }

  /// Runs the record's SQL; the result is sorted as the record asks, but not hashed.
  mutating func execute(_ record: Record) -> Execution {
    do throws(EngineError) {
      if database == nil { database = try engine.open(path: ":memory:", readOnly: false) }
      guard let database else { return .result(RenderedResult()) }
      guard case .query(let form, let sort, _) = record.kind else {
        try script.bytes.withUnsafeBufferPointer { bytes throws(EngineError) in
          _ = try database.run(
            UnsafeBufferPointer(rebasing: bytes[record.sql]), firstOnly: false
          ) { _ in }
        }
        return .result(RenderedResult())
      }
      var result =
        form == .plan
        ? try planResult(database, record.sql)
        : try queryResult(database, record.sql, form, expectsNoRow: record.allowsFailure)
      result.sort(sort)
      return .result(result)
    } catch { return .error(error) }
  }

  private func queryResult(
    _ database: any Database, _ sql: Range<Int>, _ form: ResultForm, expectsNoRow: Bool
  ) throws(EngineError) -> RenderedResult {
    var result = RenderedResult()
    let statement = try script.bytes.withUnsafeBufferPointer { bytes throws(EngineError) in
      let text = UnsafeBufferPointer(rebasing: bytes[sql])
      guard expectsNoRow, let statement = try database.prepare(text).statement else {
        return try database.run(text, firstOnly: true) { form.append($0, to: &result) }
      }
      // sqllogictest ends a result where the query fails: one that has no row is what it expects.
      do throws(EngineError) {
        while try statement.step() { form.append(statement, to: &result) }
      } catch where !error.isUnsupported {}
      return statement
    }
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
      let title = names.joined(separator: "|").replacingLineBreaks()
      result.bytes.insert(contentsOf: Array(title.utf8) + [ScriptText.lineFeed], at: 0)
    }
    return result
  }

  private func planResult(
    _ database: any Database, _ sql: Range<Int>
  ) throws(EngineError) -> RenderedResult {
    var steps: [PlanStep] = []
    _ = try database.run("EXPLAIN QUERY PLAN " + script.text(sql), firstOnly: true) { row in
      let detail = String(decoding: row.bytes(3), as: UTF8.self)
      steps.append(PlanStep(id: row.integer(0), parent: row.integer(1), detail: detail))
    }
    var result = RenderedResult(unit: "rows")
    for line in planLines(steps) { result.append(line) }
    return result
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
    _ execution: Execution, _ expected: Range<Int>, _ label: String?
  ) -> Outcome {
    let result: RenderedResult
    switch execution {
    case .error(let error):
      return .failed(expected: script.lines(expected), actual: ["error " + error.line])
    case .result(let found): result = found
    }
    if let label {
      let hash = result.hashLine
      let first = hashOfLabel[label, default: hash]
      hashOfLabel[label] = first
      if first != hash {
        return .failed(expected: ["the result of label \(label): \(first)"], actual: [hash])
      }
    }
    if script.bytes[expected].elementsEqual(result.bytes) { return .passed }
    let lines = script.lines(expected)
    if lines.count == 1, lines[0].contains(" hashing to ") {
      let hash = result.hashLine
      return lines[0] == hash ? .passed : .failed(expected: lines, actual: [hash])
    }
    return .failed(expected: lines, actual: result.lines)
  }

  /// The lines that a script holds for this result: itself, or its hash where it is long.
  func recordedLines(_ result: RenderedResult) -> [String] {
    hashThreshold > 0 && result.lineCount > hashThreshold ? [result.hashLine] : result.lines
  }

  mutating func setHashThreshold(_ threshold: Int) { hashThreshold = threshold }
}
