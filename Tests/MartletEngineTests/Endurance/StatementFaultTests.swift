import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Transactions of SQL in which the n-th call fails, or the power, for every n.
@Suite struct StatementFaultTests {
  struct Case: CustomTestStringConvertible {
    var mode = "DELETE"
    var hasTwoFiles = false
    var spills = false
    var pageSize = 512
    /// Sectors of a disk on which a write may damage what is beside it.
    var sectorSize: Int?

    var testDescription: String {
      let sectors = sectorSize.map { ", pages of \(pageSize) on sectors of \($0)" } ?? ""
      return "\(mode)\(hasTwoFiles ? " two files" : "")\(spills ? " spilling" : "")\(sectors)"
    }
  }

  static let cases = ["DELETE", "TRUNCATE", "PERSIST"].flatMap { mode in
    [false, true].flatMap { hasTwoFiles in
      [false, true].map { Case(mode: mode, hasTwoFiles: hasTwoFiles, spills: $0) }
    }
  }

  static let sectorCases = [(512, 4096), (1024, 4096), (4096, 512)].flatMap { sizes in
    [false, true].flatMap { hasTwoFiles in
      ["DELETE", "PERSIST"].map {
        Case(
          mode: $0, hasTwoFiles: hasTwoFiles, spills: true, pageSize: sizes.0, sectorSize: sizes.1)
      }
    }
  }

  private static let setUp = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT);
    CREATE INDEX t_b ON t(b);
    INSERT INTO t VALUES(1, 1, 'one'), (2, 2, 'two'), (3, 3, zeroblob(900));
    INSERT INTO t SELECT id + 3, a, b FROM t; INSERT INTO t SELECT id + 6, a, b || id FROM t;
    """

  private static func change(_ testCase: Case) -> String {
    let count = testCase.spills ? 60 : 4
    var sql = "BEGIN;"
    for schema in testCase.hasTwoFiles ? ["main", "other"] : ["main"] {
      sql += """
        UPDATE \(schema).t SET b = b || 'x', a = a + 100 WHERE id % 2 = 0;
        DELETE FROM \(schema).t WHERE id = 3;
        """
      for number in 0..<count {
        sql += "INSERT INTO \(schema).t(a, b) VALUES(\(number), printf('%.*c', 300, 'z'));"
      }
      if !testCase.spills { sql += "CREATE TABLE \(schema).u AS SELECT a FROM t;" }
    }
    return sql + "COMMIT;"
  }

  private static let contents = """
    SELECT id, a, quote(b) FROM t ORDER BY id
    SELECT b, id FROM t INDEXED BY t_b WHERE b > '' ORDER BY b, id
    SELECT name FROM sqlite_schema ORDER BY name
    """

  /// What is in the files.
  private static func image(_ paths: [String]) throws -> [String] {
    try paths.map { try AlternatingEnginesTests.rows(try Connection(path: $0), contents) }
  }

  private struct World {
    let directory: TemporaryDirectory
    let vfs: FaultVFS
    let paths: [String]

    init(_ testCase: Case) throws {
      directory = try TemporaryDirectory()
      vfs = FaultVFS(
        PosixVFS(), name: "fault-\(UUID().uuidString)", damagedSectorSize: testCase.sectorSize)
      VFSRegistry.register(vfs, asDefault: false)
      paths = (testCase.hasTwoFiles ? ["a.db", "b.db"] : ["a.db"]).map(directory.callAsFunction)
      let pageSize = "PRAGMA page_size = \(testCase.pageSize);"
      for path in paths { try Connection(path: path).execute(pageSize + setUp) }
    }

    func open(_ testCase: Case) throws -> Connection {
      let connection = try Connection(path: uri(paths[0]), flags: [.readWrite, .uri])
      if testCase.hasTwoFiles { try connection.execute("ATTACH '\(uri(paths[1]))' AS other") }
      for schema in testCase.hasTwoFiles ? ["main", "other"] : ["main"] {
        try connection.execute("PRAGMA \(schema).journal_mode = \(testCase.mode)")
        if testCase.spills { try connection.execute("PRAGMA \(schema).cache_size = 10") }
      }
      return connection
    }

    private func uri(_ path: String) -> String { "file:\(path)?vfs=\(vfs.name)" }

    func close() { VFSRegistry.unregister(vfs) }
  }

  private static func images(_ testCase: Case) throws -> (old: [String], new: [String]) {
    let world = try World(testCase)
    defer { world.close() }
    let old = try image(world.paths)
    try world.open(testCase).execute(change(testCase))
    return (old, try image(world.paths))
  }

  /// Both engines find a sound file.
  private static func check(_ paths: [String], _ comment: Comment) throws {
    guard OracleShell.isAvailable else { return }
    for path in paths {
      #expect(try OracleShell(path).run("PRAGMA integrity_check;") == "ok\n", comment)
    }
  }

  @Test(arguments: cases)
  func `when any call fails the old or the new state is there and work goes on`(
    testCase: Case
  ) throws {
    let (old, new) = try Self.images(testCase)
    var outcomes: Set<[String]> = []
    var number = 1
    var hasFailed = true
    while hasFailed {
      let world = try World(testCase)
      defer { world.close() }
      let connection = try world.open(testCase)
      _ = try connection.rows("SELECT count(*) FROM t")
      world.vfs.fail([.read, .write, .sync, .truncate, .delete, .open], at: number)
      do {
        try connection.execute(Self.change(testCase))
      } catch {
        do { if !connection.isAutocommit { try connection.execute("ROLLBACK") } } catch {}
      }
      hasFailed = world.vfs.stopFailing() > 0
      let comment: Comment = "call \(number)"
      try connection.execute("UPDATE t SET a = a WHERE id = 1")
      let image = try Self.image(world.paths)
      #expect(image == old || image == new, comment)
      outcomes.insert(image)
      try Self.check(world.paths, comment)
      number += 1
    }
    #expect(outcomes.count == 2, "both states are reached")
  }

  @Test(arguments: cases + sectorCases)
  func `when the power fails at any write the old or the new state is there`(
    testCase: Case
  ) throws {
    let (old, new) = try Self.images(testCase)
    var outcomes: Set<[String]> = []
    var number = 1
    var isCut = true
    while isCut {
      for seed in 0..<(testCase.spills ? 1 : 2) as Range<UInt64> where isCut {
        let world = try World(testCase)
        defer { world.close() }
        var connection: Connection? = try world.open(testCase)
        world.vfs.cutPower(at: number)
        do { try connection?.execute(Self.change(testCase)) } catch {}
        connection = nil
        isCut = world.vfs.isPowerOff
        try world.vfs.restorePower(seed: seed + UInt64(number) * 100)
        let comment: Comment = "cut at \(number), seed \(seed)"
        // C recovers first, or we do.
        if seed == 0 { try Self.check(world.paths, comment) }
        let image = try Self.image(world.paths)
        if seed == 1 { try Self.check(world.paths, comment) }
        #expect(image == old || image == new, comment)
        outcomes.insert(image)
      }
      number += 1
    }
    #expect(outcomes.count == 2, "both states are reached")
  }

  @Test(arguments: sectorCases.filter { !$0.hasTwoFiles })
  func `when the power fails in a vacuum the rows are there`(testCase: Case) throws {
    var number = 1
    var isCut = true
    while isCut {
      let world = try World(testCase)
      defer { world.close() }
      let change = Self.change(testCase) + "DELETE FROM t WHERE id % 3 = 0;"
      try Connection(path: world.paths[0]).execute(change)
      let image = try Self.image(world.paths)
      var connection: Connection? = try world.open(testCase)
      world.vfs.cutPower(at: number)
      do { try connection?.execute("PRAGMA page_size = 2048; VACUUM") } catch {}
      connection = nil
      isCut = world.vfs.isPowerOff
      try world.vfs.restorePower(seed: UInt64(number))
      if number % 2 == 0 { try Self.check(world.paths, "cut at \(number)") }
      #expect(try Self.image(world.paths) == image, "cut at \(number)")
      try Self.check(world.paths, "cut at \(number)")
      number += 1
    }
    #expect(number > 10)
  }

  @Test(arguments: sectorCases.filter { !$0.hasTwoFiles }, [512, 4096])
  func `when the power fails in a backup the target is as before or as the source`(
    testCase: Case, sourcePageSize: Int
  ) throws {
    let source = try Connection(path: ":memory:")
    try source.execute("PRAGMA page_size = \(sourcePageSize);" + Self.setUp)
    try source.execute("DELETE FROM t WHERE id % 3 = 0; UPDATE t SET a = id * 7")
    let new = try AlternatingEnginesTests.rows(source, Self.contents)
    var outcomes: Set<String> = []
    var number = 1
    var isCut = true
    while isCut {
      let world = try World(testCase)
      defer { world.close() }
      try Connection(path: world.paths[0]).execute(Self.change(testCase))
      let old = try Self.image(world.paths)[0]
      var target: Connection? = try world.open(testCase)
      world.vfs.cutPower(at: number)
      do { if let target { try source.backup(to: target) } } catch {}
      target = nil
      isCut = world.vfs.isPowerOff
      try world.vfs.restorePower(seed: UInt64(number))
      let comment: Comment = "cut at \(number)"
      if number % 2 == 0 { try Self.check(world.paths, comment) }
      let image = try Self.image(world.paths)[0]
      #expect(image == old || image == new, comment)
      outcomes.insert(image)
      try Self.check(world.paths, comment)
      number += 1
    }
    #expect(outcomes.count == 2, "both states are reached")
  }
}
