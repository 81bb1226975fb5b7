// Scripts: sqllogictest's format, with additions of ours (docs/testing.md).
//
//     statement ok | statement error [part of the message]
//     SQL…
//     [----
//     code: message]                       what `statement error` must give, exactly
//
//     query <types> [nosort|rowsort|valuesort] [label]
//     SQL…
//     ----
//     values, one a line | N values hashing to <md5>
//
//     query exact|names|plan [rowsort] [label]
//     SQL…
//     ----
//     rows, one a line | N rows hashing to <md5>
//
//     skipif <engine> · onlyif <engine> · hash-threshold N · halt
//     open PATH [readonly] [md5=<digest>]

/// How a query's result is written down.
enum ResultForm: Equatable {
  /// sqllogictest: one letter a column (I, R, T), one value a line.
  case typed(String)
  /// One row a line, values as SQL literals, so that storage classes are compared too.
  case exact
  /// As `exact`, after a first line with the column names.
  case names
  /// The tree that EXPLAIN QUERY PLAN gives, as the shell draws it.
  case plan
}

enum SortMode: String { case nosort, rowsort, valuesort }

struct Record {
  enum Kind {
    case statementOK
    case statementError(part: String?)
    case query(ResultForm, SortMode, label: String?)
  }

  /// Line of the record's header, counted from 1.
  let line: Int
  let header: Range<Int>
  let kind: Kind
  /// Without the line feed at its end.
  let sql: Range<Int>
  /// The lines after `----`, each with its line feed; nil where there is no such line.
  let expected: Range<Int>?
  /// Whether a `skipif` or `onlyif` before it excludes C SQLite and with it Martlet.
  let isForOthers: Bool

  /// Whether the query may fail while it runs, as sqllogictest lets those that expect no row. The
  /// forms that are ours are strict.
  var allowsFailure: Bool {
    guard case .query(.typed, _, _) = kind, let expected else { return false }
    return expected.isEmpty
  }
}

/// A part of a script; ranges are those of its `ScriptText`.
enum ScriptItem {
  /// A comment, a blank line or a condition: kept when a script is recorded.
  case verbatim(Range<Int>)
  case record(Record)
  case open(OpenDirective)
  case hashThreshold(Int, Range<Int>)
  case halt
}

struct OpenDirective {
  let line: Int
  let text: Range<Int>
  let path: String
  let isReadOnly: Bool
  let digest: String?
}

struct ScriptSyntaxError: Error {
  let line: Int
  let message: String
}

/// Reads the items of a script.
struct ScriptParser {
  private let script: ScriptText
  /// Where the next line begins, and the number of the one before it.
  private var position = 0
  private var lineNumber = 0
  private var isForOthers = false

  init(_ script: ScriptText) { self.script = script }

  /// The next line; nil at the end.
  private func peek() -> Range<Int>? {
    guard position < script.bytes.count else { return nil }
    return position..<script.lineEnd(from: position)
  }

  private mutating func skip(_ line: Range<Int>) {
    position = line.upperBound + 1
    lineNumber += 1
  }

  mutating func nextItem() throws(ScriptSyntaxError) -> ScriptItem? {
    guard let line = peek() else { return nil }
    skip(line)
    if line.isEmpty { return .verbatim(line) }
    let words = script.words(in: line)
    guard let first = words.first, script.bytes[first.lowerBound] != UInt8(ascii: "#") else {
      return .verbatim(line)
    }
    if script.isEqual(first, "statement") || script.isEqual(first, "query") {
      return .record(try record(header: line, words))
    }
    switch script.text(first) {
    case "skipif", "onlyif":
      // The name under which scripts know both engines.
      let names = words.count > 1 && script.isEqual(words[1], "sqlite")
      if names == script.isEqual(first, "skipif") { isForOthers = true }
      return .verbatim(line)
    case "halt":
      // A condition applies to the next record or command, whichever it is.
      defer { isForOthers = false }
      return isForOthers ? .verbatim(line) : .halt
    case "hash-threshold":
      isForOthers = false
      return .hashThreshold(words.count > 1 ? Int(script.text(words[1])) ?? 0 : 0, line)
    case "open":
      return .open(try openDirective(line, words.map { script.text($0) }))
    case let unknown:
      throw ScriptSyntaxError(line: lineNumber, message: "unknown directive: \(unknown)")
    }
  }

  private func openDirective(
    _ text: Range<Int>, _ words: [String]
  ) throws(ScriptSyntaxError) -> OpenDirective {
    guard words.count >= 2 else {
      throw ScriptSyntaxError(line: lineNumber, message: "open needs a path")
    }
    let digest = words.first { $0.hasPrefix("md5=") }.map { String($0.dropFirst(4)) }
    return OpenDirective(
      line: lineNumber, text: text, path: words[1], isReadOnly: words.contains("readonly"),
      digest: digest)
  }

  private mutating func record(
    header: Range<Int>, _ words: [Range<Int>]
  ) throws(ScriptSyntaxError) -> Record {
    let number = lineNumber
    let isQuery = script.isEqual(words[0], "query")
    let kind = isQuery ? try queryKind(words) : try statementKind(words)
    let start = position
    while let line = peek(), !line.isEmpty, !script.isEqual(line, "----") { skip(line) }
    let sql = start..<max(position - 1, start)
    var expected: Range<Int>?
    if let line = peek(), script.isEqual(line, "----") {
      skip(line)
      let first = position
      while let line = peek(), !line.isEmpty { skip(line) }
      expected = first..<position
    }
    defer { isForOthers = false }
    return Record(
      line: number, header: header, kind: kind, sql: sql, expected: expected,
      isForOthers: isForOthers)
  }

  private func statementKind(_ words: [Range<Int>]) throws(ScriptSyntaxError) -> Record.Kind {
    guard words.count > 1 else {
      throw ScriptSyntaxError(line: lineNumber, message: "statement needs ok or error")
    }
    if script.isEqual(words[1], "ok") { return .statementOK }
    guard script.isEqual(words[1], "error") else {
      throw ScriptSyntaxError(line: lineNumber, message: "statement needs ok or error")
    }
    let part = words.dropFirst(2).map { script.text($0) }.joined(separator: " ")
    return .statementError(part: part.isEmpty ? nil : part)
  }

  private func queryKind(_ words: [Range<Int>]) throws(ScriptSyntaxError) -> Record.Kind {
    var rest = words.dropFirst().map { script.text($0) }[...]
    let form: ResultForm
    switch rest.popFirst() {
    case nil, "exact": form = .exact
    case "names": form = .names
    case "plan": form = .plan
    case let types?:
      guard types.utf8.allSatisfy({ "IRT".utf8.contains($0) }) else {
        throw ScriptSyntaxError(line: lineNumber, message: "unknown result types: \(types)")
      }
      form = .typed(types)
    }
    var sort = SortMode.nosort
    if let word = rest.first, let mode = SortMode(rawValue: word) {
      sort = mode
      rest.removeFirst()
    }
    return .query(form, sort, label: rest.first)
  }
}
