import Engines

/// Rewrites a script with what the engine gives: expectations come from C SQLite, never by hand.
struct Recorder {
  private var run: ScriptRun
  private var output: [String] = []
  private(set) var recordCount = 0
  private(set) var notices: [String] = []
  private var isHalted = false

  private var script: ScriptText { run.script }

  init(path: String, _ script: ScriptText, engine: Engine) {
    run = ScriptRun(path: path, script, engine: engine)
  }

  /// The text of the script with fresh expectations.
  mutating func record() throws(ScriptSyntaxError) -> String {
    var parser = ScriptParser(script)
    while let item = try parser.nextItem() {
      switch item {
      case .verbatim(let text): output.append(script.text(text))
      case .halt:
        isHalted = true
        output.append("halt")
      case .hashThreshold(let threshold, let text):
        run.setHashThreshold(threshold)
        output.append(script.text(text))
      case .open(let directive): record(directive)
      case .record(let record): self.record(record)
      }
    }
    while output.last == "" { output.removeLast() }
    return output.joined(separator: "\n") + "\n"
  }

  /// Opens, and pins the version of a database that is not the project's own.
  private mutating func record(_ directive: OpenDirective) {
    let fresh = OpenDirective(
      line: directive.line, text: directive.text, path: directive.path,
      isReadOnly: directive.isReadOnly, digest: nil)
    run.open(fresh) { _ in }
    if let reason = run.note { notices.append("line \(directive.line): \(reason)") }
    var text = "open \(directive.path)" + (directive.isReadOnly ? " readonly" : "")
    if directive.path.hasPrefix("$"), let path = resolvedPath(directive.path, besides: run.path),
      let digest = fileDigest(path)
    {
      text += " md5=\(digest)"
    }
    output.append(text)
  }

  private mutating func record(_ record: Record) {
    let header = script.text(record.header)
    let sql = record.sql.isEmpty ? [] : [script.text(record.sql)]
    guard !record.isForOthers, !isHalted else {
      output += [header] + sql
      if let expected = record.expected { output += ["----"] + script.lines(expected) }
      return
    }
    recordCount += 1
    switch (record.kind, run.execute(record)) {
    case (.query, .result(let result)):
      output += [header] + sql + ["----"] + run.recordedLines(result)
    case (.statementError, .error(let error)):
      output += [header] + sql + ["----", error.line]
    case (_, .error(let error)):
      notices.append("line \(record.line): an error now: \(error.line)")
      output += ["statement error"] + sql + ["----", error.line]
    case (.statementError, .result):
      notices.append("line \(record.line): no error any more")
      output += ["statement ok"] + sql
    case (.statementOK, .result):
      output += [header] + sql
    }
  }
}
