import Foundation
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct BTreeWriteTests {
  static let layouts: [(Int, Int)] = [
    (512, 0), (512, 1), (512, 2), (4096, 0), (4096, 1), (65536, 0), (65536, 2),
  ]

  @Test(arguments: layouts)
  func `after random changes C finds the file intact and the rows that should be there`(
    pageSize: Int, autoVacuum: Int
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("random changes with seed \(seed)")
    let database = try WritableDatabase(pageSize: pageSize, autoVacuum: autoVacuum, seed: seed)
    for round in 0..<8 {
      try database.write {
        for _ in 0..<(pageSize > 4096 ? 100 : 250) { try database.change() }
      }
      try database.expectIntact("seed \(seed) round \(round)")
      if autoVacuum == 2, round % 3 == 2 {
        try database.write { _ = try database.tree.incrementalVacuumStep() }
        try database.expectIntact("seed \(seed) round \(round) vacuumed")
      }
    }
    // Down to nothing again.
    try database.write {
      for rowid in database.rows.keys.sorted() where rowid % 3 != 0 { try database.delete(rowid) }
    }
    try database.expectIntact("seed \(seed) thinned out")
    try database.write {
      for rowid in database.rows.keys.shuffled(using: &database.random) {
        try database.delete(rowid)
      }
      for key in database.pairs.keys { try database.deletePair(key) }
    }
    try database.expectIntact("seed \(seed) emptied")
    if autoVacuum == 1 { #expect(try database.oracle.run("pragma page_count;") == "5\n") }
  }
}
