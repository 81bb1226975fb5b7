import Martlet
import Testing

/// The code of the article "Coming from GRDB".
@Suite struct ComingFromGRDBExamples {
  @Test func `queries in literals have one pair of parentheses`() throws {
    let best: SQLRequest<Int> = "SELECT MAX(score) FROM player"
    let both: [SQL] = [
      "SELECT * FROM player WHERE score = \(best)",
      "SELECT * FROM player WHERE score = (\(best))",
    ]
    #expect(
      Set(both.map { $0.sql })
        == ["SELECT * FROM player WHERE score = (SELECT MAX(score) FROM player)"])
  }
}
