import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Files that both engines change in turn. `MARTLET_ROUNDS` says how many rounds in all.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct AlternatingEnginesTests {
  struct Case: CustomTestStringConvertible {
    let pageSize: Int
    let autoVacuum: Int
    let encoding: String

    var testDescription: String { "\(pageSize) auto-vacuum \(autoVacuum) \(encoding)" }
  }

  static let cases = [512, 4096, 65536].flatMap { pageSize in
    [0, 1].flatMap { autoVacuum in
      ["UTF-8", "UTF-16le"].map {
        Case(pageSize: pageSize, autoVacuum: autoVacuum, encoding: $0)
      }
    }
  }

  static let roundCount =
    (Int(ProcessInfo.processInfo.environment["MARTLET_ROUNDS"] ?? "") ?? 120) / cases.count

  @Test(arguments: cases)
  func `each reads and changes what the other wrote`(testCase: Case) throws {
    let directory = try TemporaryDirectory()
    let path = directory("turns.db")
    let oracle = try OracleShell(path)
    let reference = try OracleShell(directory("reference.db"))
    let setUp = """
      PRAGMA page_size = \(testCase.pageSize); PRAGMA auto_vacuum = \(testCase.autoVacuum);
      PRAGMA encoding = '\(testCase.encoding)';
      """
    try oracle.run(setUp + RandomWork.schema)
    try reference.run(setUp + RandomWork.schema)
    let lasting = try Connection(path: path)
    var work = RandomWork(seed: UInt64(testCase.pageSize * 10 + testCase.autoVacuum))
    for round in 0..<Self.roundCount {
      let lines = work.round(), script = lines.joined(separator: "\n")
      let expected = try reference.run(script)
      switch round % 3 {
      case 0: #expect(try oracle.run(script) == expected)
      case 1: try Self.run(lines, lasting)
      default: try Self.run(lines, try Connection(path: path))
      }
      let contents = try reference.run(RandomWork.contents)
      let comment: Comment = "round \(round)\n\(script.prefix(2000))"
      try #require(try oracle.run("PRAGMA integrity_check;") == "ok\n", comment)
      try #require(try oracle.run(RandomWork.contents) == contents, comment)
      try #require(try Self.rows(lasting, RandomWork.contents) == contents, comment)
    }
  }

  /// As the shell does, goes on after constraints that fail.
  static func run(_ lines: [String], _ connection: Connection) throws {
    for line in lines {
      do {
        try connection.execute(line)
      } catch {
        if error.code.primary != .constraint { throw error }
      }
    }
  }

  /// What the oracle's shell would print.
  static func rows(_ connection: Connection, _ sql: String) throws -> String {
    var text = ""
    for query in sql.split(separator: "\n") {
      let statement = try connection.prepare(String(query))
      while try statement.step() {
        text += (0..<statement.columnCount).map(statement.columnText).joined(separator: "|")
        text += "\n"
      }
    }
    return text
  }
}
