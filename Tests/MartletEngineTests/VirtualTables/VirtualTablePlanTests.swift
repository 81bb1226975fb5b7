import Foundation
import Testing

@testable import MartletEngine

struct VirtualTablePlanTests {
  @Test func `tables are asked, and scanned, as C SQLite does it`() throws {
    let url = ProjectFiles.root.appendingPathComponent("Conformance/fixtures/bestindex.txt")
    let module = LogModule(), connection = try Connection(path: ":memory:")
    try connection.createModule("log", module)
    try connection.createFunction("near", argumentCount: 2) { (call) throws(SQLError) in
      call.setResult(0)
    }
    var statement = "", expected: [String] = []
    func check() throws {
      if statement.isEmpty { return }
      var lines: [String] = []
      do {
        let rows = try connection.prepare(statement)
        lines += module.log.take()
        while try rows.step() {
          lines += module.log.take()
          lines.append(
            (0..<rows.columnCount).map { rows.columnText($0) }.joined(separator: "|"))
        }
        lines += module.log.take()
      } catch {
        lines.append("error: \(error.message)")
      }
      #expect(lines == expected, "\(statement)")
    }
    for line in ProjectFiles.text(of: url).split(separator: "\n").map(String.init) {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("> ") {
        try check()
        statement = String(line.dropFirst(2))
        expected = []
      } else {
        expected.append(line)
      }
    }
    try check()
  }
}
