import Foundation
import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Files with FTS5 tables that both engines change in turn. `MARTLET_ROUNDS` says how many rounds
/// in all.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct FTS5AlternatingTests {
  static let options = [
    "", ", prefix='2 3'", ", detail=column", ", detail=none, prefix=1", ", tokenize=porter",
    ", content='', contentless_delete=1",
  ]

  static let roundCount =
    (Int(ProcessInfo.processInfo.environment["MARTLET_ROUNDS"] ?? "") ?? 120) / options.count

  /// The first line that is not the same.
  private func difference(_ given: String, _ expected: String) -> String {
    let pairs = zip(given.split(separator: "\n"), expected.split(separator: "\n"))
    guard let pair = pairs.first(where: { $0 != $1 }) else { return "one is longer" }
    return "\(pair.0.prefix(300)) instead of \(pair.1.prefix(300))"
  }

  @Test(arguments: options)
  func `each reads and changes what the other wrote, to the same bytes`(options: String) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let seed = UInt64(options.utf8.count)
    let oracle = try OracleShell(folder + "/turns.db")
    let reference = try OracleShell(folder + "/reference.db")
    let setUp = FTS5Work.schema(options, pageSize: [64, 200, 1_000][Int(seed % 3)])
    try oracle.run(setUp)
    try reference.run(setUp)
    let lasting = try Connection.search(folder + "/turns.db")
    var work = FTS5Work(seed: seed)
    // How many rows of a segment C counts as deleted depends on what a process remembers of the
    // index: two processes of C come apart after some rounds.
    let isCounting = options.contains("contentless_delete")
    for round in 0..<(isCounting ? min(Self.roundCount, 60) : Self.roundCount) {
      let script = work.round()
      let expected = try reference.run(script)
      let comment: Comment = "options \(options), round \(round)\n\(script.prefix(3_000))"
      if expected.contains("Error") {
        // Queries that the options do not allow, in the middle of a script.
        try #require(try oracle.run(script).contains("Error"), comment)
        continue
      }
      let given: String
      switch round % 3 {
      case 0: given = try lasting.printed(script)
      case 1: given = try oracle.run(script)
      default: given = try Connection.search(folder + "/turns.db").printed(script)
      }
      try #require(given == expected, "\(difference(given, expected)) \(comment)")
      let contents = try reference.run(FTS5Work.contents(options))
      let found = try lasting.printed(FTS5Work.contents(options))
      try #require(found == contents, "\(difference(found, contents)) \(comment)")
      // Without a query, C checks what it remembers of the index.
      let check = try oracle.run("SELECT rowid FROM t('zzz'); PRAGMA integrity_check;")
      try #require(check == "ok\n", "\(check) \(comment)")
    }
    try #require(try lasting.printed("PRAGMA integrity_check;") == "ok\n")
  }
}
