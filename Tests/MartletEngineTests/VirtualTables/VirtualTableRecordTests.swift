import Foundation
import Testing

@testable import MartletEngine

/// What virtual tables are asked and called, beside records of C SQLite.
struct VirtualTableRecordTests {
  @Test func `tables are asked, and scanned, as C SQLite does it`() throws {
    let module = LogModule(), connection = try Connection(path: ":memory:")
    try connection.createModule("log", module)
    try connection.overloadFunction("near", argumentCount: 2)
    #expect(
      connection.failure("SELECT near(1, 2)")?.message
        == "unable to use function near in the requested context")
    try compare("bestindex.txt") { sql in lines(of: sql, on: connection, module.log) }
  }

  @Test func `tables are written to as C SQLite does it`() throws {
    let module = ChangeRecordModule(), connection = try Connection(path: ":memory:")
    try connection.createModule("w", module)
    try compare("virtual-changes.txt") { sql in
      let lines = lines(of: sql, on: connection, module.log)
      let total = connection.totalChanges, rowid = connection.lastInsertRowID
      return lines + ["(changes \(connection.changes) total \(total) rowid \(rowid))"]
    }
  }

  private func lines(
    of sql: String, on connection: Connection, _ log: LogModule.Log
  ) -> [String] {
    var lines: [String] = [], failure: [String] = []
    do {
      let rows = try connection.prepare(sql)
      lines += log.take()
      while try rows.step() {
        lines += log.take()
        lines.append((0..<rows.columnCount).map { rows.columnText($0) }.joined(separator: "|"))
      }
    } catch {
      failure = ["error: \(error.message)"]
    }
    return lines + log.take() + failure
  }

  private func compare(_ fixture: String, _ run: (String) -> [String]) throws {
    let url = ProjectFiles.root.appendingPathComponent("Conformance/fixtures/\(fixture)")
    var statement = "", expected: [String] = []
    func check() {
      if !statement.isEmpty { #expect(run(statement) == expected, "\(statement)") }
      expected = []
    }
    for line in ProjectFiles.text(of: url).split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("> ") {
        check()
        statement = String(line.dropFirst(2))
      } else {
        expected.append(line)
      }
    }
    check()
  }
}
