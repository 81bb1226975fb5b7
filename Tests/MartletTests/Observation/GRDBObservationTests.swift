import Martlet
import Testing

/// What observers are told, and what requests read, is compared with GRDB: see `Observing`.
@Suite struct GRDBObservationTests {
  /// The blocks of a text by their titles.
  private static func blocks(_ text: String) -> [String: [String]] {
    var blocks: [String: [String]] = [:]
    var title = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") {
        title = String(line.dropFirst(3))
        blocks[title] = []
      } else {
        blocks[title, default: []].append(String(line.dropFirst(2)))
      }
    }
    return blocks
  }

  @Test(arguments: Observing.scripts.map { $0.rule })
  func `observers are told what GRDB tells`(rule: String) throws {
    let script = try #require(Observing.scripts.first { $0.rule == rule })
    let log = try inEmptyDatabase { db throws in
      try Observing.makeTables(db)
      return Observing.log(script, db)
    }
    let expected = Self.blocks(Observing.expectedLogs)[rule]
    #expect(log.map { $0.replacing("\n", with: "\\n") } == expected)
  }

  @Test(arguments: Observing.regions.map { $0.rule })
  func `requests read what GRDB says`(rule: String) throws {
    let test = try #require(Observing.regions.first { $0.rule == rule })
    let region = try inEmptyDatabase { db throws in
      try Observing.makeTables(db)
      return try test.region(db).description
    }
    #expect([region] == Self.blocks(Observing.expectedRegions)[rule])
  }
}
