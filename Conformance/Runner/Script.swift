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
  let header: String
  let kind: Kind
  let sql: [String]
  /// The lines after `----`; nil where there is no such line.
  let expected: [String]?
  /// Whether a `skipif` or `onlyif` before it excludes C SQLite and with it Martlet.
  let isForOthers: Bool
}

enum ScriptItem {
  /// A comment, a blank line or a condition: kept when a script is recorded.
  case verbatim(String)
  case record(Record)
  case open(OpenDirective)
  case hashThreshold(Int, text: String)
  case halt
}

struct OpenDirective {
  let line: Int
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
  private let lines: [Substring]
  private var index = 0
  private var isForOthers = false

  /// The name under which scripts know both engines.
  private static let engineName = "sqlite"

  init(_ text: String) {
    // A carriage return and the line feed behind it are one Character.
    lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  static func parse(_ text: String) throws(ScriptSyntaxError) -> [ScriptItem] {
    var parser = ScriptParser(text)
    var items: [ScriptItem] = []
    while let item = try parser.nextItem() { items.append(item) }
    return items
  }

  private mutating func nextItem() throws(ScriptSyntaxError) -> ScriptItem? {
    guard index < lines.count else { return nil }
    let text = lines[index]
    index += 1
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    guard let first = words.first, !first.hasPrefix("#") else { return .verbatim(String(text)) }
    switch first {
    case "skipif", "onlyif":
      let names = words.dropFirst().first == Self.engineName
      if names == (first == "skipif") { isForOthers = true }
      return .verbatim(String(text))
    case "halt":
      // A condition applies to the next record or command, whichever it is.
      defer { isForOthers = false }
      return isForOthers ? .verbatim(String(text)) : .halt
    case "hash-threshold":
      isForOthers = false
      return .hashThreshold(words.dropFirst().first.flatMap { Int($0) } ?? 0, text: String(text))
    case "open":
      return .open(try openDirective(words))
    case "statement", "query":
      return .record(try record(header: String(text), words))
    default:
      throw ScriptSyntaxError(line: index, message: "unknown directive: \(first)")
    }
  }

  private func openDirective(_ words: [String]) throws(ScriptSyntaxError) -> OpenDirective {
    guard words.count >= 2 else {
      throw ScriptSyntaxError(line: index, message: "open needs a path")
    }
    let digest = words.first { $0.hasPrefix("md5=") }.map { String($0.dropFirst(4)) }
    return OpenDirective(
      line: index, path: words[1], isReadOnly: words.contains("readonly"), digest: digest)
  }

  private mutating func record(
    header: String, _ words: [String]
  ) throws(ScriptSyntaxError) -> Record {
    let line = index
    let kind = words[0] == "query" ? try queryKind(words) : try statementKind(words)
    var sql: [String] = []
    while index < lines.count, !lines[index].isEmpty, lines[index] != "----" {
      sql.append(String(lines[index]))
      index += 1
    }
    var expected: [String]?
    if index < lines.count, lines[index] == "----" {
      index += 1
      var results: [String] = []
      while index < lines.count, !lines[index].isEmpty {
        results.append(String(lines[index]))
        index += 1
      }
      expected = results
    }
    defer { isForOthers = false }
    return Record(
      line: line, header: header, kind: kind, sql: sql, expected: expected,
      isForOthers: isForOthers)
  }

  private func statementKind(_ words: [String]) throws(ScriptSyntaxError) -> Record.Kind {
    switch words.dropFirst().first {
    case "ok": return .statementOK
    case "error":
      let part = words.dropFirst(2).joined(separator: " ")
      return .statementError(part: part.isEmpty ? nil : part)
    default: throw ScriptSyntaxError(line: index, message: "statement needs ok or error")
    }
  }

  private func queryKind(_ words: [String]) throws(ScriptSyntaxError) -> Record.Kind {
    var rest = words.dropFirst()
    let form: ResultForm
    switch rest.popFirst() {
    case nil, "exact": form = .exact
    case "names": form = .names
    case "plan": form = .plan
    case let types?:
      guard types.allSatisfy({ "IRT".contains($0) }) else {
        throw ScriptSyntaxError(line: index, message: "unknown result types: \(types)")
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
