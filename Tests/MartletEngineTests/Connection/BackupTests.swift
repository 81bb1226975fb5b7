import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct BackupTests {
  private let source: Connection

  init() throws {
    source = try Connection(path: ":memory:")
    try source.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t(b)")
    for number in 1...500 {
      try source.execute("INSERT INTO t VALUES(\(number), '\(String(repeating: "x", count: 100))')")
    }
  }

  private func summary(_ connection: Connection) throws -> [String] {
    try connection.rows("SELECT count(*), sum(a) FROM t")
      + connection.rows("PRAGMA integrity_check")
  }

  @Test func `a backup takes the place of what the target had`() throws {
    let target = try Connection(path: ":memory:")
    try target.execute("CREATE TABLE old(x); INSERT INTO old VALUES(1)")
    let prepared = try target.prepare("SELECT * FROM old")
    try source.backup(to: target)
    #expect(try summary(target) == ["500|125250", "ok"])
    #expect(prepared.failure()?.message == "no such table: old")
    try target.execute("INSERT INTO t VALUES(501, 'new')")
    #expect(try summary(source) == ["500|125250", "ok"])
  }

  @Test(arguments: [512, 4096, 65536])
  func `databases in memory are replaced in their cache`(pageSize: Int) throws {
    let target = try Connection(path: ":memory:")
    try source.execute("PRAGMA page_size = \(pageSize); PRAGMA cache_size = 10; VACUUM")
    #expect(try source.rows("PRAGMA page_size") == ["4096"], "it is in memory")
    let other = try Connection(path: ":memory:")
    try other.execute("PRAGMA page_size = \(pageSize); CREATE TABLE o(x); PRAGMA user_version = 7")
    try other.backup(to: target)
    #expect(try target.rows("PRAGMA page_size") == ["\(pageSize)"])
    #expect(try target.rows("PRAGMA user_version") == ["7"])
    #expect(try target.rows("PRAGMA schema_version") == ["1"])
    if pageSize == 4096 {
      try source.backup(to: target)
      #expect(try summary(target) == ["500|125250", "ok"])
      #expect(try target.rows("PRAGMA schema_version") == ["2"])
    } else {
      #expect(throws: SQLError(.readOnly)) { try source.backup(to: target) }
      #expect(try target.rows("PRAGMA integrity_check") == ["ok"])
      #expect(try target.rows("SELECT count(*) FROM o") == ["0"])
    }
    // Larger, then smaller: nothing is left of the pages behind the end.
    try source.execute("DELETE FROM t WHERE a > 10; VACUUM")
    #expect(try summary(source) == ["10|55", "ok"])
    let fresh = try Connection(path: ":memory:")
    try source.backup(to: fresh)
    // But for the schema cookie.
    let copy = try fresh.serialize(), original = try source.serialize()
    #expect(copy[..<40] == original[..<40] && copy[44...] == original[44...])
    try source.execute("BEGIN; DROP TABLE t; ROLLBACK; VACUUM")
    #expect(try summary(source) == ["10|55", "ok"])
  }

  @Test func `other connections see that an empty database has replaced theirs`() throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    let other = try Connection(path: path)
    try other.execute("CREATE TABLE old(x, y); CREATE INDEX oldx ON old(x)")
    #expect(try other.rows("PRAGMA schema_version") == ["2"])
    let target = try Connection(path: path)
    try Connection(path: ":memory:").backup(to: target)
    #expect(try target.rows("PRAGMA schema_version") == ["3"])
    try target.execute("CREATE TABLE new(a INTEGER NOT NULL, b CHECK(b > 5))")
    let failure = #expect(throws: SQLError.self) {
      try other.execute("INSERT INTO old VALUES('lost', 0)")
    }
    #expect(failure?.message == "no such table: old")
    #expect(try target.rows("SELECT count(*) FROM new") == ["0"])
    #expect(try other.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a backup in steps begins again when the source has changed`() throws {
    let target = try Connection(path: ":memory:")
    let backup = try Backup(from: source, to: target)
    #expect(try !backup.step(pageCount: 3))
    #expect(backup.remainingPageCount == backup.pageCount - 3)
    #expect(try !backup.step(pageCount: 3))
    #expect(backup.remainingPageCount == backup.pageCount - 6)
    try source.execute("UPDATE t SET b = 'y' WHERE a = 1")
    #expect(try !backup.step(pageCount: 1))
    #expect(backup.remainingPageCount == backup.pageCount - 1)
    #expect(try backup.step(pageCount: -1))
    #expect(backup.remainingPageCount == 0)
    #expect(try target.rows("SELECT b FROM t WHERE a = 1") == ["y"])
    #expect(try summary(target) == ["500|125250", "ok"])
  }

  @Test func `a backup waits for writers and refuses what cannot be`() throws {
    let target = try Connection(path: ":memory:")
    #expect(throws: SQLError(.error, "source and destination must be distinct")) {
      try Backup(from: source, to: source)
    }
    #expect(throws: SQLError(.error, "unknown database nosuch")) {
      try Backup(from: source, database: "nosuch", to: target)
    }
    let backup = try Backup(from: source, to: target)
    try source.execute("BEGIN; DELETE FROM t WHERE a > 10")
    #expect(throws: SQLError(.busy)) { try backup.step(pageCount: -1) }
    try source.execute("COMMIT")
    #expect(try backup.step(pageCount: -1))
    #expect(try summary(target) == ["10|55", "ok"])
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `a backup into a file is a database for C SQLite`() throws {
    let path = NSTemporaryDirectory() + "martlet-backup-\(UUID().uuidString).db"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let target = try Connection(path: path)
    try source.backup(to: target)
    #expect(try summary(target) == ["500|125250", "ok"])
    try target.close()
    let bytes = try #require(FileManager.default.contents(atPath: path))
    #expect(bytes.count == (try source.serialize()).count)
    let oracle = try OracleShell(path)
    #expect(
      try oracle.run("SELECT count(*), sum(a) FROM t; PRAGMA integrity_check;")
        == "500|125250\nok\n")
  }

  @Test func `serialized bytes are a database again`() throws {
    let bytes = try source.serialize()
    #expect(bytes.count % 4096 == 0 && bytes.prefix(15) == Array("SQLite format 3".utf8)[...])
    let copy = try Connection(path: ":memory:")
    try copy.execute("CREATE TABLE other(x)")
    try bytes.withUnsafeBytes { try copy.deserialize($0) }
    #expect(try summary(copy) == ["500|125250", "ok"])
    try copy.execute("DELETE FROM t")
    #expect(try copy.rows("SELECT count(*) FROM t") == ["0"])
    #expect(try Connection(path: ":memory:").serialize() == [])
    try Array("no database, but a text that is longer than a header".utf8).withUnsafeBytes {
      try copy.deserialize($0)
    }
    #expect(copy.failure("SELECT * FROM t")?.code == .notADatabase)
    let other = try Connection(path: ":memory:")
    try other.execute("ATTACH ':memory:' AS more")
    try bytes.withUnsafeBytes { try other.deserialize($0, database: "more") }
    #expect(try other.rows("SELECT count(*) FROM more.t") == ["500"])
  }

  @Test func `metadata of a column is what its definition says`() throws {
    try source.execute(
      """
      CREATE TABLE m(k INTEGER PRIMARY KEY AUTOINCREMENT, n VARCHAR(10) NOT NULL COLLATE nocase, o);
      CREATE VIEW v AS SELECT 1 AS x;
      """)
    #expect(
      try source.metadata(ofColumn: "K", table: "m")
        == ColumnMetadata(
          declaredType: "INTEGER", collation: "BINARY", isNotNull: false, isPrimaryKey: true,
          isAutoincrement: true))
    #expect(
      try source.metadata(ofColumn: "n", table: "M", database: "main")
        == ColumnMetadata(
          declaredType: "VARCHAR(10)", collation: "nocase", isNotNull: true, isPrimaryKey: false,
          isAutoincrement: false))
    #expect(try source.metadata(ofColumn: "rowid", table: "m").isAutoincrement)
    for (column, table) in [("x", "m"), ("x", "v"), ("x", "nosuch")] {
      #expect(throws: SQLError(.error, "no such table column: \(table).\(column)")) {
        try source.metadata(ofColumn: column, table: table)
      }
    }
    #expect(source.count(of: .cacheUsed) > 0)
  }
}
