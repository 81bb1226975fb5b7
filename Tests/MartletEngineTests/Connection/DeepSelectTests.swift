import Foundation
import Testing

@testable import MartletEngine

/// SELECTs in each other are compiled as deep as the thread's stack bears.
@Suite struct DeepSelectTests {
  /// What the statement gives, or its error, on a thread with so many bytes of stack.
  private func outcome(_ sql: String, stackSize: Int) -> String {
    nonisolated(unsafe) var outcome = ""
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      do throws(SQLError) {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare(sql)
        outcome = try statement.step() ? statement.columnText(0) : "no row"
      } catch {
        outcome = error.message
      }
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    return outcome
  }

  private func chain(_ count: Int, _ body: (String) -> String) -> String {
    let rest = (1..<count).map { ", c\($0)(x) AS (\(body("c\($0 - 1)")))" }.joined()
    return "WITH c0(x) AS (SELECT 1)" + rest + " SELECT * FROM c\(count - 1)"
  }

  @Test func `a thousand common tables read each other on a large stack`() {
    let sql = chain(1_000) { "SELECT x + 1 FROM \($0)" }
    #expect(outcome(sql, stackSize: 64 << 20) == "1000")
  }

  @Test(arguments: [512, 700, 1_024, 2_048])
  func `what is too deep for the stack is an error`(kilobytes: Int) {
    let bodies: [(String) -> String] = [
      { "SELECT x + 1 FROM \($0)" }, { "SELECT (SELECT x + 1 FROM \($0))" },
      { "SELECT 2 WHERE 0 UNION ALL SELECT 3 EXCEPT SELECT 3 UNION SELECT x + 1 FROM \($0)" },
      { "SELECT max(x) OVER (ORDER BY x) + 1 FROM \($0)" },
      { "SELECT abs(abs(abs(abs(abs((SELECT x FROM \($0))))))) + 1" },
    ]
    let refusals = ["Recursion limit", "Expression tree is too large (maximum depth 1000)"]
    for (number, body) in bodies.enumerated() {
      for count in [20, 45, 60, 75, 90, 120, 200, 400, 1_999, 3_000] {
        let outcome = outcome(chain(count, body), stackSize: kilobytes << 10)
        #expect(
          outcome == "\(count)" || refusals.contains(outcome), "body \(number), \(count) tables")
      }
    }
  }

  @Test func `conditions of many subqueries do not multiply`() {
    let conditions = (0..<90).map { "x > \($0 - 100)" }.joined(separator: " AND ")
    let sql = chain(120) { "SELECT x + 1 FROM \($0) WHERE \(conditions)" }
    #expect(outcome(sql, stackSize: 64 << 20) == "120")
  }

  @Test func `a thousand views are too many`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE VIEW v0 AS SELECT 1 AS x")
    for number in 1..<1_000 {
      try connection.execute("CREATE VIEW v\(number) AS SELECT x FROM v\(number - 1)")
    }
    let error = #expect(throws: SQLError.self) { try connection.prepare("SELECT * FROM v999") }
    #expect(
      ["VIEWs and/or subqueries nested too deep", "Recursion limit"].contains(error?.message))
  }
}
