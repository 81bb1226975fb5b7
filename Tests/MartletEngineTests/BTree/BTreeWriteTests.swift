import Foundation
import TestSupport
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

  /// dbstat tells for each page what it is for, where it is in its tree, and how full it is.
  @Test(arguments: [(512, 0), (512, 1), (512, 2), (4096, 0), (4096, 2), (65536, 0)])
  func `the same changes give trees of the same shape, on the same pages, as C makes them`(
    pageSize: Int, autoVacuum: Int
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let database = try WritableDatabase(pageSize: pageSize, autoVacuum: autoVacuum, seed: seed)
    let twin = try OracleShell(database.directory("twin.db"))
    try twin.run(
      "pragma page_size=\(pageSize); pragma auto_vacuum=\(autoVacuum);\(WritableDatabase.schema)")
    let script = database.directory("script.sql")
    for round in 0..<6 {
      try database.write {
        for _ in 0..<(pageSize > 4096 ? 100 : 250) { try database.change() }
      }
      try Data(database.takeScript().utf8).write(to: URL(fileURLWithPath: script))
      #expect(try twin.run(".read \(script)") == "")
      if autoVacuum == 2 {
        try database.write {
          for _ in 0..<3 { _ = try database.tree.incrementalVacuumStep() }
        }
        try twin.run("pragma incremental_vacuum(3);")
      }
      let shapes = try [database.oracle, twin].map { oracle in
        let file = database.directory("shape.txt")
        try oracle.run(
          """
          .output \(file)
          select pageno, name, path, pagetype, ncell, payload, unused, mx_payload
            from dbstat order by pageno;
          pragma freelist_count;
          .output stdout
          """)
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      }
      let difference = zip(shapes[0], shapes[1]).first { $0 != $1 }
      let comment = "seed \(seed) round \(round): \(difference.map { "\($0)" } ?? "")"
      try #require(shapes[0] == shapes[1], "\(comment)")
    }
  }

  @Test(arguments: [0, 1])
  func `with a small cache, rollbacks and savepoints leave what was there before`(
    autoVacuum: Int
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let database = try WritableDatabase(pageSize: 512, autoVacuum: autoVacuum, seed: seed)
    database.pager.setCacheSize(20)
    for round in 0..<8 {
      try database.write { for _ in 0..<100 { try database.change() } }
      let rows = database.rows, pairs = database.pairs
      struct Stop: Error {}
      #expect(throws: Stop.self) {
        try database.write {
          for _ in 0..<100 { try database.change() }
          throw Stop()
        }
      }
      database.rows = rows
      database.pairs = pairs
      try database.expectIntact("seed \(seed) round \(round) rolled back")
      try database.write {
        for _ in 0..<50 { try database.change() }
        let rows = database.rows, pairs = database.pairs
        let savepoint = try database.pager.openSavepoint()
        for _ in 0..<80 { try database.change() }
        try database.tree.rollback(toSavepoint: savepoint)
        database.rows = rows
        database.pairs = pairs
        for _ in 0..<20 { try database.change() }
      }
      try database.expectIntact("seed \(seed) round \(round) with a savepoint")
    }
  }
}
