import Foundation
import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Files with FTS3 and FTS4 tables that both engines change in turn. `MARTLET_ROUNDS` says how many
/// rounds in all.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct FTS4AlternatingTests {
  static let pageSizes = [512, 1_024, 4_096]

  static let roundCount =
    (Int(ProcessInfo.processInfo.environment["MARTLET_ROUNDS"] ?? "") ?? 90) / pageSizes.count

  @Test(arguments: pageSizes)
  func `each reads and changes what the other wrote, to the same bytes`(pageSize: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory("turns.db")
    let oracle = try OracleShell(path)
    let referencePath = directory("reference.db")
    let reference = try OracleShell(referencePath)
    let otherReference = try OracleShell(referencePath)
    let setUp = "PRAGMA page_size = \(pageSize);\n" + FTS4Work.schema
    try oracle.run(setUp)
    try reference.run(setUp)
    let lasting = try Connection.search(path)
    var work = FTS4Work(seed: UInt64(pageSize))
    for round in 0..<Self.roundCount {
      let script = work.round().joined(separator: "\n")
      // Each connection keeps `automerge` as it was when it first wrote: what merges when depends
      // on the one that works, so that the reference takes turns as well.
      let expected: String, given: String
      switch round % 3 {
      case 0:
        expected = try reference.run(script)
        given = try oracle.run(script)
      case 1:
        expected = try otherReference.run(script)
        given = try lasting.printed(script)
      default:
        expected = try OracleShell(referencePath).run(script)
        given = try Connection.search(path).printed(script)
      }
      let comment: Comment = "page size \(pageSize), round \(round)\n\(script.prefix(2_000))"
      try #require(given == expected, comment)
      let contents = try reference.run(FTS4Work.contents)
      try #require(try lasting.printed(FTS4Work.contents) == contents, comment)
      try #require(try oracle.run("PRAGMA integrity_check;") == "ok\n", comment)
      try #require(try lasting.printed("PRAGMA integrity_check") == "ok\n", comment)
    }
  }
}
