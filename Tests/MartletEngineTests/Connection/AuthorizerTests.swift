import Foundation
import Testing

@testable import MartletEngine

/// What the authorizer is asked, against a record of what C SQLite asks
/// (`Conformance/fixtures/authorizer.txt`).
@Suite struct AuthorizerTests {
  private struct Record {
    var schema: [String] = []
    /// A statement with the questions that it leads to.
    var questions: [(sql: String, lines: [String])] = []
    /// An answer, a statement and what comes of them.
    var rules: [(rule: [String], sql: String, outcome: [String])] = []
  }

  /// A mistake that C finds only when it has asked about everything.
  private static let otherQuestions: Set<String> = ["SELECT a FROM t WHERE a IN u"]

  private static let record: Record = {
    let url = ProjectFiles.root.appendingPathComponent("Conformance/fixtures/authorizer.txt")
    var record = Record()
    var section = ""
    for line in ProjectFiles.text(of: url).split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { continue }
      guard line.hasPrefix("  ") else {
        section = String(line.prefix { $0 != " " })
        let rest = String(line.dropFirst(section.count + 1))
        if section == "ask" { record.questions.append((rest, [])) }
        if section == "rule" { record.rules.append((rest.split(separator: " ").map(String.init), "", [])) }
        continue
      }
      let content = String(line.dropFirst(2))
      switch section {
      case "schema": record.schema.append(content)
      case "ask": record.questions[record.questions.count - 1].lines.append(content)
      default:
        let last = record.rules.count - 1
        if record.rules[last].sql.isEmpty {
          record.rules[last].sql = content
        } else {
          record.rules[last].outcome.append(content)
        }
      }
    }
    return record
  }()

  private static func name(of action: AuthorizerAction) -> String {
    var name = ""
    for character in "\(action)" {
      if character.isUppercase { name += "_" }
      name += character.uppercased()
    }
    return name
  }

  private static func shown(_ detail: String?) -> String {
    guard let detail else { return "-" }
    return detail.isEmpty ? "''" : detail
  }

  private func connect() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(Self.record.schema.joined(separator: "\n"))
    return connection
  }

  @Test func `every statement asks what C SQLite asks, in its order`() throws {
    #expect(Self.record.questions.count > 150)
    for (sql, expected) in Self.record.questions where !Self.otherQuestions.contains(sql) {
      let connection = try connect(), notes = Notes()
      if ["COMMIT", "ROLLBACK"].contains(sql) { try connection.execute("BEGIN") }
      if sql.hasSuffix(" s1") && !sql.hasPrefix("SAVEPOINT") {
        try connection.execute("SAVEPOINT s1")
      }
      connection.authorizer = { action, first, second, database, view in
        let details = [first, second, database, view].map(Self.shown).joined(separator: " ")
        notes.add("\(Self.name(of: action)) \(details)")
        return .allow
      }
      if let failure = connection.failure(sql) { notes.add("error: \(failure.message)") }
      let asked = notes.take()
      #expect(asked == expected, "\(sql)")
    }
  }

  @Test func `what is denied fails and what is ignored is NULL or left out, as in C`() throws {
    #expect(Self.record.rules.count > 40)
    for (rule, sql, expected) in Self.record.rules {
      let connection = try connect()
      let answer: Authorization = rule[3] == "deny" ? .deny : .ignore
      connection.authorizer = { action, first, second, _, _ in
        Self.name(of: action) == rule[0] && Self.shown(first) == rule[1]
          && Self.shown(second) == rule[2] ? answer : .allow
      }
      var outcome: [String] = []
      do throws(SQLError) {
        let statement = try connection.prepare(sql)
        while try statement.step() {
          let values = (0..<statement.columnCount).map { index in
            statement.columnType(index) == .null ? "NULL" : statement.columnText(index)
          }
          outcome.append("row: " + values.joined(separator: "|"))
        }
      } catch {
        outcome.append("error: \(error.code.rawValue) \(error.message)")
      }
      connection.authorizer = nil
      let state = try connection.prepare(
        "SELECT (SELECT count(*) FROM t), (SELECT sum(c) FROM t), (SELECT group_concat(b) FROM t)")
      _ = try state.step()
      let values = (0..<3).map { state.columnType($0) == .null ? "None" : state.columnText($0) }
      outcome.append("after: " + values.joined(separator: " "))
      #expect(outcome.sorted() == expected.sorted(), "\(rule.joined(separator: " ")): \(sql)")
    }
  }

  @Test func `VACUUM asks about the file that it attaches, and writes none that is denied`() throws {
    let connection = try connect(), notes = Notes()
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "vacuum-\(UUID().uuidString).db"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    connection.authorizer = { action, file, _, _, _ in
      guard action == .attach else { return .allow }
      notes.add(file ?? "")
      return file == path ? .deny : .allow
    }
    let failure = connection.failure("VACUUM INTO '\(path)'")
    #expect(failure == SQLError(.authorization, "authorization denied"))
    #expect(!FileManager.default.fileExists(atPath: path))
    try connection.execute("VACUUM")
    #expect(notes.take() == [path, ""])
    connection.authorizer = { action, _, _, _, _ in action == .attach ? .ignore : .allow }
    try connection.execute("VACUUM INTO '\(path)'")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `an authorizer is asked again about statements that were prepared before`() throws {
    let connection = try connect(), notes = Notes()
    let statement = try connection.prepare("SELECT b FROM t")
    connection.authorizer = { _, _, column, _, _ in
      if let column { notes.add(column) }
      return column == "b" ? .ignore : .allow
    }
    #expect(try statement.step())
    #expect(statement.columnType(0) == .null)
    #expect(notes.take() == ["b"])
    try statement.reset()
    connection.authorizer = nil
    #expect(try connection.rows("SELECT b FROM t LIMIT 1") != [""])
  }
}
