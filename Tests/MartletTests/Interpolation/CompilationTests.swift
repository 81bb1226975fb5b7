import Foundation
import Testing

/// What must not compile, and what must: small sources are checked against the built modules.
@Suite struct CompilationTests {
  /// Where the build has put the modules; nil where they, or the compiler, are not there.
  private static let modules: URL? = {
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for place in ["Modules", "../Modules"] {
      let folder = binaries.appendingPathComponent(place)
      let module = folder.appendingPathComponent("Martlet.swiftmodule").path
      if FileManager.default.fileExists(atPath: module), (try? run(["swiftc", "--version"])) != nil {
        return folder
      }
    }
    return nil
  }()

  private static func run(_ words: [String]) throws -> String {
    let process = Process(), pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  /// What the compiler says of a source: the numbers of the lines that have errors or warnings.
  private func diagnose(_ source: String) throws -> (lines: Set<Int>, output: String) {
    let modules = try #require(Self.modules)
    return try withTemporaryPath { path in
      let file = path + ".swift"
      try Data(source.utf8).write(to: URL(fileURLWithPath: file))
      let output = try Self.run([
        "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path, file,
      ])
      let lines = output.split(separator: "\n").compactMap { line -> Int? in
        guard line.hasPrefix(file), line.contains(" error: ") || line.contains(" warning: ")
        else { return nil }
        return Int(line.dropFirst(file.count + 1).prefix { $0 != ":" })
      }
      return (Set(lines), output)
    }
  }

  /// A source in which each of the lines is a function's body.
  private func source(_ bodies: [String], query: String) -> String {
    let head = """
      import Martlet
      struct Player: TableRecord {}
      let name = "O'Brien"
      let table = Table("player")

      """
    let functions = bodies.enumerated().map { index, body in
      "func f\(index)(_ db: Database, _ t: TableDefinition, _ a: TableAlteration) throws "
        + "{ \(query); \(body) }"
    }
    return head + functions.joined(separator: "\n") + "\n"
  }

  /// Everything that takes a literal.
  private let uses = [
    "try db.execute(literal: query)", "_ = try db.makeStatement(literal: query)",
    "_ = try db.cachedStatement(literal: query)", "_ = try db.allStatements(literal: query)",
    "_ = SQLRequest<Row>(literal: query)", "let other: SQL = query; _ = other",
    "_ = Player.filter(literal: query)", "_ = Player.select(literal: query)",
    "_ = Player.order(literal: query)", "_ = Player.all().group(literal: query)",
    "_ = Player.all().having(literal: query)", "_ = table.filter(literal: query)",
    "var other: SQL = \"\"; other.append(literal: query)", "var other: SQL = \"\"; other += query",
    "let other: SQL = \"\\(literal: query)\"; _ = other", "t.column(literal: query)",
    "t.constraint(literal: query)", "a.addColumn(literal: query)",
    "try db.create(view: \"v\", asLiteral: query)",
    "_ = CommonTableExpression<Row>(named: \"c\", literal: query)",
    "let other: SQLRequest<Row> = query; _ = other",
  ]

  @Test(.enabled(if: modules != nil, "there is no compiler, or no module, to check sources with"))
  func `a String variable does not compile where a literal is asked for`() throws {
    let text = #"let query = "UPDATE player SET name = '\(name)'""#
    let refused = try diagnose(source(uses, query: text))
    #expect(refused.lines == Set(5..<5 + uses.count), "\(refused.output)")
    #expect(refused.output.contains("'String' to expected argument type 'SQL'"))
    // The same uses compile with a literal, but for the one that asks for a request.
    let literal = #"let query: SQL = "UPDATE player SET name = \(name)""#
    let accepted = try diagnose(source(uses.dropLast(), query: literal))
    #expect(accepted.lines.isEmpty, "\(accepted.output)")
  }

  @Test(.enabled(if: modules != nil, "there is no compiler, or no module, to check sources with"))
  func `the conformances of the library Tagged compile without a warning`() throws {
    let found = try diagnose(
      """
      import Martlet
      import Tagged

      extension Tagged: @retroactive SQLExpressible where RawValue: SQLExpressible {}
      extension Tagged: @retroactive StatementBinding where RawValue: StatementBinding {}
      extension Tagged: @retroactive StatementColumnConvertible
      where RawValue: StatementColumnConvertible {}
      extension Tagged: @retroactive DatabaseValueConvertible
      where RawValue: DatabaseValueConvertible {}

      struct Player: Identifiable, Codable, FetchableRecord, PersistableRecord {
        typealias ID = Tagged<Player, String>
        var id: ID
        var name: String
      }

      func player(_ db: Database, id: Player.ID) throws -> Player { try Player.find(db, id: id) }
      """)
    #expect(found.output.isEmpty, "\(found.output)")
  }
}
