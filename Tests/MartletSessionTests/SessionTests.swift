import MartletEngine
import MartletSession
import Testing

/// A database in memory with a table.
func database(_ sql: String = "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)") throws -> Connection {
  let connection = try Connection(path: ":memory:")
  try connection.execute(sql)
  return connection
}

func rows(_ connection: Connection, _ sql: String = "SELECT * FROM t ORDER BY 1") throws -> [String] {
  let statement = try connection.prepare(sql)
  var rows: [String] = []
  while try statement.step() {
    rows.append((0..<statement.columnCount).map { statement.columnText($0) }.joined(separator: "|"))
  }
  return rows
}

func changeset(of connection: Connection, _ sql: String) throws -> Changeset {
  let session = Session(connection)
  session.attach(nil)
  try connection.execute(sql)
  return try session.changeset()
}

@Suite struct SessionTests {
  @Test func `a changeset is a sequence of changes, each row once`() throws {
    let connection = try database()
    try connection.execute("INSERT INTO t VALUES(1, 'one', 1), (2, 'two', 2)")
    let changes = Array(
      try changeset(
        of: connection,
        """
        INSERT INTO t VALUES(3, x'01', 1.5); UPDATE t SET b = 'uno' WHERE a = 1;
        UPDATE t SET b = 'eins' WHERE a = 1; DELETE FROM t WHERE a = 2;
        INSERT INTO t VALUES(4, 4, 4); DELETE FROM t WHERE a = 4;
        """))
    #expect(
      changes.sorted { $0.kind.rawValue < $1.kind.rawValue } == [
        Change(
          table: "t", kind: .delete, isIndirect: false, primaryKey: [true, false, false],
          old: [.integer(2), .text("two"), .integer(2)], new: []),
        Change(
          table: "t", kind: .insert, isIndirect: false, primaryKey: [true, false, false],
          old: [], new: [.integer(3), .blob([1]), .real(1.5)]),
        Change(
          table: "t", kind: .update, isIndirect: false, primaryKey: [true, false, false],
          old: [.integer(1), .text("one"), nil], new: [nil, .text("eins"), nil]),
      ])
  }

  @Test func `the bytes are those that the format's description shows`() throws {
    let connection = try database("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB)")
    try connection.execute("INSERT INTO t VALUES(1, 'one', 1.5, x'00ff')")
    let session = Session(connection)
    session.attach("t")
    try connection.execute("UPDATE t SET b = 'uno' WHERE a = 1")
    let key: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1]
    let header: [UInt8] = [4, 1, 0, 0, 0, 0x74, 0, 0x17, 0]
    let one: [UInt8] = [3, 3] + "one".utf8, uno: [UInt8] = [3, 3] + "uno".utf8
    #expect(
      try session.changeset().bytes == [0x54] + header + key + one + [0, 0, 0] + uno + [0, 0])
    #expect(try session.patchset().bytes == [0x50] + header + key + uno + [0, 0])
  }

  @Test func `an application's preupdate hook and sessions see the same changes`() throws {
    let connection = try database()
    nonisolated(unsafe) var seen: [String] = []
    connection.preupdateHook = { change in seen.append("\(change.table) \(change.newRowID)") }
    let first = Session(connection), second = Session(connection)
    first.attach(nil)
    second.attach("t")
    try connection.execute("INSERT INTO t VALUES(7, 7, 7)")
    #expect(seen == ["t 7"])
    #expect(try first.changeset() == second.changeset())
    #expect(try first.changeset().changes().count == 1)
  }

  @Test func `a session that has gone records nothing and stops nothing`() throws {
    let connection = try database()
    var session: Session? = Session(connection)
    session?.attach(nil)
    try connection.execute("INSERT INTO t VALUES(1, 1, 1)")
    #expect(session?.isEmpty == false)
    session = nil
    try connection.execute("INSERT INTO t VALUES(2, 2, 2)")
    #expect(try rows(connection).count == 2)
  }

  @Test func `applied to another database, a changeset does there what was done here`() throws {
    let here = try database(), there = try database()
    for connection in [here, there] {
      try connection.execute("INSERT INTO t VALUES(1, 'a', 1), (2, 'b', 2), (3, 'c', 3)")
    }
    let changes = try changeset(
      of: here, "DELETE FROM t WHERE a = 1; UPDATE t SET c = 20 WHERE a = 2; INSERT INTO t VALUES(9, 9, 9)")
    try changes.apply(to: there)
    #expect(try rows(there) == rows(here))
    try changes.inverted().apply(to: there)
    #expect(try rows(there) == ["1|a|1", "2|b|2", "3|c|3"])
  }

  @Test func `the handler decides conflicts, and aborting takes all back`() throws {
    let here = try database(), there = try database()
    for connection in [here, there] { try connection.execute("INSERT INTO t VALUES(1, 'a', 1)") }
    let changes = try changeset(
      of: here, "UPDATE t SET b = 'mine' WHERE a = 1; INSERT INTO t VALUES(2, 2, 2)")
    try there.execute("UPDATE t SET b = 'theirs'; INSERT INTO t VALUES(2, 'x', 'x')")
    let before = try rows(there)
    #expect(throws: SQLError.self) { try changes.apply(to: there) }
    #expect(try rows(there) == before)
    nonisolated(unsafe) var met: [String] = []
    try changes.apply(to: there) { conflict throws(SQLError) in
      let current = try conflict.currentRow() ?? []
      met.append("\(conflict.kind) \(current.count) \(conflict.change?.kind == .insert)")
      return conflict.kind == .data ? .replace : .omit
    }
    #expect(met.sorted() == ["conflict 3 true", "data 3 false"])
    #expect(try rows(there) == ["1|mine|1", "2|x|x"])
  }

  @Test func `values of columns that a changeset does not know outlive updates in a circle`() throws {
    let sql = "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)"
    let here = try database(sql), there = try database(sql)
    for connection in [here, there] { try connection.execute("INSERT INTO t VALUES(1, 'x'), (2, 'y')") }
    let changes = try changeset(
      of: here,
      "UPDATE t SET b = 0 WHERE a = 1; UPDATE t SET b = 'x' WHERE a = 2; UPDATE t SET b = 'y' WHERE a = 1")
    try there.execute("ALTER TABLE t ADD COLUMN d DEFAULT 5; UPDATE t SET d = a")
    try changes.apply(to: there)
    #expect(try rows(there) == ["1|y|1", "2|x|2"])
  }

  @Test func `two changesets come to one`() throws {
    let here = try database(), there = try database()
    let first = try changeset(of: here, "INSERT INTO t VALUES(1, 1, 1), (2, 2, 2)")
    let second = try changeset(of: here, "UPDATE t SET b = 'z'; DELETE FROM t WHERE a = 2")
    let both = try first.followed(by: second)
    #expect(try both.changes().count == 1)
    try both.apply(to: there)
    #expect(try rows(there) == ["1|z|1"])
  }

  @Test func `a local changeset is rebased on what conflicts have led to`() throws {
    let mine = try database(), theirs = try database()
    let local = try changeset(of: mine, "INSERT INTO t VALUES(1, 'v1', 0)")
    let remote = try changeset(of: theirs, "INSERT INTO t VALUES(1, 'v2', 0)")
    let information = try #require(try remote.apply(to: mine) { _ in .omit })
    let rebaser = Rebaser()
    try rebaser.configure(information)
    try rebaser.rebase(local).apply(to: theirs)
    #expect(try rows(theirs) == ["1|v1|0"])
  }

  @Test func `options that come too late are refused`() throws {
    let session = Session(try database())
    try session.setCountsSize(true)
    session.attach("t")
    #expect(throws: SQLError.self) { try session.setCountsSize(false) }
    #expect(throws: SQLError.self) { try session.setRecordsRowIDs(true) }
  }
}

@Suite struct DamagedChangesetTests {
  /// Bytes are changed, cut and doubled: each use ends with an error or with changes.
  @Test(arguments: 0..<20)
  func `a damaged changeset stops nothing`(seed: Int) throws {
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let sql = "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE TABLE w(x, y, z, PRIMARY KEY(y, x)) WITHOUT ROWID"
    let source = try database(sql)
    try source.execute("INSERT INTO t VALUES(1, 'one', 1), (2, 'two', x'0203'), (5, NULL, 1.5)")
    let session = Session(source)
    session.attach(nil)
    try source.execute(
      """
      INSERT INTO w VALUES(1, 2, 3), ('x', 'y', zeroblob(200)); UPDATE t SET b = 'changed' WHERE a = 1;
      DELETE FROM t WHERE a = 2; INSERT INTO t VALUES(9, 'nine', -1)
      """)
    let sound = [try session.changeset().bytes, try session.patchset().bytes]
    for _ in 0..<200 {
      var bytes = sound[next(2)]
      for _ in 0...next(4) where !bytes.isEmpty {
        switch next(4) {
        case 0: bytes[next(bytes.count)] = UInt8(truncatingIfNeeded: next(256))
        case 1: bytes.removeLast(next(bytes.count))
        case 2: bytes.insert(UInt8(truncatingIfNeeded: next(256)), at: next(bytes.count))
        default: bytes[next(bytes.count)] = [0, 0x7f, 0x80, 0xff, 0x54, 0x50][next(6)]
        }
      }
      try use(Changeset(bytes: bytes), with: Changeset(bytes: sound[0]), sql)
    }
  }

  private func use(_ changeset: Changeset, with sound: Changeset, _ sql: String) throws {
    let target = try database(sql)
    try target.execute("INSERT INTO t VALUES(1, 'one', 1), (2, 'two', x'0203')")
    let uses: [() throws -> Void] = [
      { _ = try changeset.changes() },
      { _ = try changeset.inverted() },
      { _ = try sound.followed(by: changeset) },
      { _ = try changeset.followed(by: changeset) },
      { try changeset.apply(to: target) { $0.kind == .data ? .replace : .omit } },
      { try changeset.apply(to: target, .invert) { _ in .omit } },
      {
        let rebaser = Rebaser()
        try rebaser.configure(RebaseInformation(bytes: changeset.bytes))
        _ = try rebaser.rebase(sound)
        _ = try rebaser.rebase(changeset)
      },
    ]
    for use in uses {
      do {
        try use()
      } catch let error as SQLError {
        #expect(error.code != .ok)
      }
    }
    #expect(try rows(target, "PRAGMA integrity_check") == ["ok"])
  }
}
