import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// A database in WAL mode whose calls fail, or the power.
@Suite(.serialized) struct WALFaultTests {
  struct Case: CustomTestStringConvertible {
    var synchronous = "FULL"
    var pageSize = 512
    /// Sectors of a disk on which a write may damage what is beside it.
    var sectorSize: Int?
    /// The pieces that the database grows in (SQLITE_FCNTL_CHUNK_SIZE).
    var chunkSize: Int?
    /// Whether the log stays behind the last connection (SQLITE_FCNTL_PERSIST_WAL).
    var keepsLog = false
    /// Which writes the power is cut at: every n-th.
    var stride = 13

    var testDescription: String {
      let sectors = sectorSize.map { " on sectors of \($0)" } ?? ""
      let chunks = chunkSize.map { " in chunks of \($0)" } ?? ""
      return
        "\(synchronous), pages of \(pageSize)\(sectors)\(chunks)\(keepsLog ? ", log kept" : "")"
    }
  }

  static let cases: [Case] =
    [Case(stride: 5), Case(synchronous: "NORMAL", stride: 9)]
    + [(512, 512), (1024, 512), (4096, 512), (4096, 4096), (512, 4096), (1024, 4096)].flatMap {
      sizes in
      ["FULL", "NORMAL"].map {
        Case(synchronous: $0, pageSize: sizes.0, sectorSize: sizes.1, stride: 7)
      }
    }
    + [Case(pageSize: 1024), Case(synchronous: "NORMAL", pageSize: 4096)]
    + [
      Case(chunkSize: 16384), Case(synchronous: "NORMAL", chunkSize: 65536, keepsLog: true),
      Case(pageSize: 1024, keepsLog: true),
    ]

  /// What is done to the database. Each step is a transaction at most; `?` is its number.
  struct Step {
    let sql: String
    /// Everything before it is safe when it has ended, however the database is synced.
    var makesSafe = false
    /// By a second connection, which reads.
    var isReader = false
  }

  private static func insert(_ range: ClosedRange<Int>, _ size: Int) -> String {
    """
    INSERT INTO t(a, b) WITH RECURSIVE n(i) AS (
      SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(range.upperBound))
      SELECT i, printf('%.*c', \(size), char(97 + i % 26)) FROM n;
    """
  }

  static let steps: [Step] =
    [
      Step(sql: "UPDATE step SET n = ?"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; \(insert(1...30, 250)) COMMIT"),
      Step(
        sql: """
          BEGIN; UPDATE step SET n = ?; \(insert(61...70, 200))
          SAVEPOINT one; UPDATE t SET b = b || a; DELETE FROM t WHERE id % 3 = 0; ROLLBACK TO one;
          UPDATE t SET a = -a WHERE id % 4 = 1;
          SAVEPOINT two; \(insert(81...86, 700)) ROLLBACK TO two; DELETE FROM t WHERE id = 7;
          RELEASE two; UPDATE t SET b = a || b WHERE id % 5 = 2; COMMIT
          """),
      Step(sql: "BEGIN; SELECT count(*) FROM t", isReader: true),
      Step(sql: "UPDATE step SET n = ?"),
      // The reader keeps what follows from going into the file.
      Step(sql: "PRAGMA wal_checkpoint(PASSIVE)"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET b = b || 'y' WHERE id % 2 = 0; COMMIT"),
      Step(sql: "COMMIT", isReader: true),
      Step(sql: "PRAGMA wal_checkpoint(PASSIVE)", makesSafe: true),
      // The log is started again, and is shorter now.
      Step(sql: "UPDATE step SET n = ?"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; CREATE TABLE u AS SELECT a, b FROM t; COMMIT"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET b = b || 'z'; ROLLBACK"),
      Step(sql: "PRAGMA wal_checkpoint(FULL)", makesSafe: true),
      Step(sql: "BEGIN; UPDATE step SET n = ?; DELETE FROM t WHERE id > 20; COMMIT"),
      Step(sql: "PRAGMA wal_checkpoint(RESTART)", makesSafe: true),
      Step(sql: "BEGIN; UPDATE step SET n = ?; DROP TABLE u; \(insert(100...105, 400)) COMMIT"),
      Step(sql: "VACUUM"),
      Step(
        sql: "PRAGMA journal_size_limit = 5000; PRAGMA wal_checkpoint(PASSIVE)", makesSafe: true),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET a = a + 1 WHERE id < 9; COMMIT"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET a = a + 1; COMMIT"),
      Step(sql: "PRAGMA wal_checkpoint(TRUNCATE)", makesSafe: true),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET b = substr(b, 2); COMMIT"),
      Step(sql: "BEGIN; UPDATE step SET n = ?; UPDATE t SET a = a + 1; COMMIT"),
      Step(sql: "BEGIN; SELECT count(*) FROM t", isReader: true),
      // All of the log is in the file, and it goes on for the sake of the reader: what is appended now
      // must not damage the frames before it.
      Step(sql: "PRAGMA wal_checkpoint(PASSIVE)", makesSafe: true),
    ] + (1...8).map { _ in Step(sql: "UPDATE step SET n = ?") }
    + [Step(sql: "COMMIT", isReader: true)]

  private static let setUp = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT);
    CREATE INDEX t_b ON t(b);
    CREATE TABLE step(n INT);
    INSERT INTO step VALUES(0);
    INSERT INTO t VALUES(1, 1, 'one'), (2, 2, 'two'), (3, 3, zeroblob(900));
    """

  /// All that is in the database, as one text; its first number is that of the last step.
  private static let contents = """
    SELECT (SELECT n FROM step) || ':' ||
      (SELECT group_concat(id || ',' || a || ',' || hex(b), ' ')
       FROM (SELECT * FROM t ORDER BY id)) || ':' ||
      (SELECT group_concat(id, ' ') FROM (SELECT id FROM t INDEXED BY t_b WHERE b > '' ORDER BY b, id))
      || ':' || (SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema ORDER BY name))
    """.split(separator: "\n").joined(separator: " ")

  private static func content(_ connection: Connection) throws -> String {
    try AlternatingEnginesTests.rows(connection, contents)
  }

  private static func content(of path: String) throws -> String {
    try content(try Connection(path: path))
  }

  /// What integrity_check says, and the content.
  private static func contentByC(_ path: String) throws -> String {
    try OracleShell(path).run("PRAGMA integrity_check; \(contents);")
  }

  /// A database and its connections through a `FaultVFS`.
  private final class World {
    let directory: TemporaryDirectory
    let vfs: FaultVFS
    let testCase: Case
    var writer: Connection?
    var reader: Connection?
    var path: String { directory("x.db") }

    init(_ testCase: Case) throws {
      self.testCase = testCase
      directory = try TemporaryDirectory()
      vfs = FaultVFS(
        PosixVFS(), name: "fault-\(UUID().uuidString)", damagedSectorSize: testCase.sectorSize)
      VFSRegistry.register(vfs, asDefault: false)
      try Connection(path: path).execute(
        "PRAGMA synchronous = OFF; PRAGMA page_size = \(testCase.pageSize);"
          + "PRAGMA journal_mode = WAL; \(setUp)")
    }

    deinit { VFSRegistry.unregister(vfs) }

    func connect() throws {
      let uri = "file:\(path)?vfs=\(vfs.name)"
      writer = try Connection(path: uri, flags: [.readWrite, .uri])
      reader = try Connection(path: uri, flags: [.readWrite, .uri])
      for connection in [writer, reader] {
        if let chunkSize = testCase.chunkSize {
          _ = try connection?.fileControl(.chunkSize(chunkSize))
        }
        if testCase.keepsLog { _ = try connection?.fileControl(.keepsWriteAheadLog(true)) }
      }
      try writer?.execute(
        "PRAGMA synchronous = \(testCase.synchronous); PRAGMA cache_size = 10;"
          + "PRAGMA wal_autocheckpoint = 0")
    }

    func run(_ step: Int) throws {
      let sql = steps[step].sql.replacing("?", with: "\(step + 1)")
      try (steps[step].isReader ? reader : writer)?.execute(sql)
    }

    func close() {
      reader = nil
      writer = nil
    }

    func copy() throws -> TemporaryDirectory {
      let copy = try TemporaryDirectory()
      for name in directory.names { try copy.write(try directory.bytes(name), to: name) }
      return copy
    }
  }

  /// The contents before the first step and after each.
  private static func states(_ testCase: Case) throws -> [String] {
    let world = try World(testCase)
    var states = [try content(of: world.path)]
    try world.connect()
    for step in steps.indices {
      try world.run(step)
      states.append(try content(of: world.path))
    }
    return states
  }

  @Test(arguments: cases)
  func `after a power failure what was acknowledged is there, and nothing in parts`(
    testCase: Case
  ) throws {
    let states = try Self.states(testCase)
    #expect(Set(states).count > 10)
    var number = 1
    var isCut = true
    var outcomes: Set<String> = []
    while isCut {
      let world = try World(testCase)
      world.vfs.cutPower(at: number)
      var doneCount = 0
      var safeCount = 0
      do {
        try world.connect()
        for step in Self.steps.indices {
          try world.run(step)
          doneCount = step + 1
          if Self.steps[step].makesSafe { safeCount = doneCount }
        }
      } catch {}
      world.close()
      isCut = world.vfs.isPowerOff
      try world.vfs.restorePower(seed: UInt64(number) &* 31)
      #expect(!isCut || !world.directory.names.contains("x.db-shm"))
      let comment: Comment = "cut at \(number), \(doneCount) steps done, \(safeCount) safe"
      let copy = try world.copy()
      let found: String
      do { found = try Self.content(of: world.path) } catch { found = "\(error)" }
      let first = testCase.synchronous == "FULL" ? doneCount : safeCount
      let allowed = states[first...min(doneCount + 1, Self.steps.count)]
      #expect(allowed.contains(found), "\(comment): \(found.prefix(50))")
      guard allowed.contains(found) else {
        number += testCase.stride
        continue
      }
      outcomes.insert(found)
      // What the log has when it was recovered is used as any other.
      try Connection(path: world.path).execute(
        "PRAGMA synchronous = OFF; BEGIN; UPDATE t SET a = a - 1; CREATE TABLE later(x); COMMIT; DROP TABLE later"
      )
      if OracleShell.isAvailable, number % 3 == 0 {
        #expect(try Self.contentByC(copy("x.db")) == "ok\n" + found, comment)
        #expect(try Self.contentByC(world.path).hasPrefix("ok\n"), comment)
      }
      number += testCase.stride
    }
    #expect(number > 60)
    #expect(outcomes.count > 5)
  }

  static let calls: [(String, Set<FaultVFS.Call>, Int)] = [
    ("read", [.read], 23), ("write", [.write], 5), ("sync", [.sync], 1),
    ("truncate", [.truncate, .delete], 1), ("open", [.open], 1), ("map", [.map], 1),
    ("lock", [.lock], 11), ("status", [.status, .byteCount], 11), ("size hint", [.sizeHint], 1),
  ]

  @Test(arguments: calls.map(\.0), [false, true])
  func `when a call fails its statement fails or works, and work goes on`(
    name: String, isLasting: Bool
  ) throws {
    let testCase = Case(chunkSize: 16384, keepsLog: isLasting)
    let states = try Self.states(testCase)
    let (_, calls, stride) = try #require(Self.calls.first { $0.0 == name })
    var number = 1
    var failureCount = 1
    while failureCount > 0 {
      let world = try World(testCase)
      try world.connect()
      var comment = "\(name) \(number)"
      do {
        failureCount = try failOnce(in: world, calls, number, isLasting, states, &comment)
        // The connection is as good as before.
        try world.writer?.execute(
          "BEGIN; UPDATE step SET n = 99; UPDATE t SET a = a + 7; CREATE TABLE later(x); COMMIT")
        let last = try #require(try world.writer.map(Self.content))
        #expect(last.hasPrefix("99:"), "\(comment)")
        #expect(try world.reader.map(Self.content) == last, "\(comment)")
        world.close()
        #expect(try Self.content(of: world.path) == last, "\(comment)")
        if OracleShell.isAvailable, number % 4 == 1 {
          #expect(try Self.contentByC(world.path) == "ok\n" + last, "\(comment)")
        }
      } catch { Issue.record("\(comment): \(error)") }
      number += isLasting ? stride * 3 : stride
    }
    #expect(number > 1)
  }

  /// Runs the steps up to the first that fails. How many calls failed.
  private func failOnce(
    in world: World, _ calls: Set<FaultVFS.Call>, _ number: Int, _ isLasting: Bool,
    _ states: [String], _ comment: inout String
  ) throws -> Int {
    var expected = states[0]
    world.vfs.fail(calls, at: number, isLasting: isLasting)
    for step in Self.steps.indices {
      var caught: SQLError?
      do { try world.run(step) } catch let error as SQLError { caught = error }
      guard let caught else {
        expected = states[step + 1]
        continue
      }
      let failureCount = world.vfs.stopFailing()
      comment += ", step \(step): \(caught)"
      #expect(failureCount > 0, "\(comment)")
      #expect(caught.code != .corrupt && caught.code != .internal, "\(comment)")
      for connection in [world.writer, world.reader] {
        if connection?.isAutocommit == false { try connection?.execute("ROLLBACK") }
      }
      let found = try #require(try world.writer.map(Self.content))
      #expect(found == expected || found == states[step + 1], "\(comment)")
      #expect(try Self.content(of: world.path) == found, "\(comment)")
      return failureCount
    }
    return world.vfs.stopFailing()
  }
}
