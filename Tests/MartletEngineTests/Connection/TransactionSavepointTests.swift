import TestSupport
import Testing

@testable import MartletEngine

@Suite struct TransactionSavepointTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("test.db")
  }

  private func connect() throws -> Connection { try Connection(path: path) }

  @Test func `savepoints nest, and the innermost of a name is meant`() throws {
    let connection = try connect()
    try connection.execute("BEGIN")
    try connection.setVersion(1)
    try connection.execute("SAVEPOINT a")
    try connection.setVersion(2)
    try connection.execute("SAVEPOINT b; SAVEPOINT A")
    try connection.setVersion(3)
    try connection.execute("ROLLBACK TO a")
    #expect(try connection.version() == 2)
    try connection.setVersion(4)
    try connection.execute("RELEASE a; ROLLBACK TO SAVEPOINT b")
    #expect(try connection.version() == 2)
    try connection.execute("ROLLBACK TO \"A\"")
    #expect(try connection.version() == 1)
    #expect(connection.failure("RELEASE b") == .sql("no such savepoint: b"))
    try connection.setVersion(5)
    try connection.execute("RELEASE SAVEPOINT a; COMMIT")
    #expect(try connect().version() == 5)
    #expect(connection.failure("ROLLBACK TO a") == .sql("no such savepoint: a"))
  }

  @Test func `the case of letters beyond ASCII matters in names`() throws {
    let connection = try connect()
    try connection.execute("SAVEPOINT é")
    #expect(connection.failure("RELEASE É") == .sql("no such savepoint: É"))
  }

  @Test func `a savepoint outside BEGIN begins a transaction, and its release commits`() throws {
    let connection = try connect()
    try connection.setVersion(1)
    try connection.execute("SAVEPOINT a; SAVEPOINT b")
    try connection.setVersion(2)
    #expect(connection.isInTransaction)
    #expect(connection.failure("BEGIN")?.code == .error)
    try connection.execute("RELEASE a")
    #expect(!connection.isInTransaction)
    #expect(try connect().version() == 2)
    #expect(connection.failure("RELEASE b")?.message == "no such savepoint: b")
  }

  @Test func `ROLLBACK TO the outermost savepoint keeps the transaction and its locks`() throws {
    let connection = try connect(), other = try connect()
    try connection.setVersion(1)
    try connection.execute("SAVEPOINT a")
    try connection.setVersion(2)
    try connection.execute("SAVEPOINT b")
    try connection.setVersion(3)
    try connection.execute("ROLLBACK TO a")
    #expect(try connection.version() == 1)
    #expect(connection.transactionState() == .write)
    #expect(try other.writer(9).failure()?.code == .busy)
    try connection.setVersion(4)
    try connection.execute("RELEASE a")
    #expect(try other.version() == 4)
  }

  @Test func `a file without pages has its first page again after ROLLBACK TO`() throws {
    let connection = try connect()
    try connection.execute("SAVEPOINT a")
    try connection.setVersion(2)
    try connection.execute("ROLLBACK TO a")
    #expect(try connection.version() == 0)
    try connection.setVersion(3)
    try connection.execute("RELEASE a")
    #expect(try connect().version() == 3)
  }

  @Test func `COMMIT and ROLLBACK end all savepoints`() throws {
    let connection = try connect()
    for (end, version) in [("COMMIT", 1), ("ROLLBACK", 1)] {
      try connection.execute("SAVEPOINT a; SAVEPOINT b")
      try connection.setVersion(Int32(end == "COMMIT" ? 1 : 2))
      try connection.execute(end)
      #expect(connection.failure("RELEASE a")?.message == "no such savepoint: a")
      #expect(try connect().version() == version)
    }
  }

  @Test func `a reader in the way of the release leaves the savepoints`() throws {
    let writer = try connect(), reader = try connect()
    try writer.setVersion(1)
    try reader.execute("BEGIN; PRAGMA user_version")
    try writer.execute("SAVEPOINT a; SAVEPOINT b")
    try writer.setVersion(2)
    #expect(writer.failure("RELEASE a")?.code == .busy)
    #expect(writer.isInTransaction)
    try writer.execute("ROLLBACK TO b")
    try reader.execute("COMMIT")
    try writer.execute("RELEASE a")
    #expect(try reader.version() == 1)
  }

  @Test func `a statement's own savepoint is inside those of SAVEPOINT`() throws {
    let connection = try connect()
    try connection.execute("SAVEPOINT a")
    try connection.setVersion(1)
    try connection.execute("SAVEPOINT b")
    try connection.setVersion(2)
    let failing = try connection.writer(3, error: .constraint, hasJournal: true)
    #expect(failing.failure()?.code == .constraint)
    #expect(try connection.version() == 2)
    try connection.execute("ROLLBACK TO b")
    #expect(try connection.version() == 1)
    try connection.execute("RELEASE a")
    #expect(try connect().version() == 1)
  }

  @Test(arguments: [
    ("REPLACE INTO t VALUES(1, 2)", false), ("REPLACE INTO w VALUES(1, 2)", false),
    ("REPLACE INTO child VALUES(1, 2)", true), ("REPLACE INTO t VALUES(1, 2), (3, 4)", true),
    ("UPDATE OR REPLACE t SET a = 1, b = 2", true),
  ])
  func `a REPLACE of one row has no savepoint if nothing fails behind the row that goes`(
    sql: String, hasSavepoint: Bool
  ) throws {
    let connection = try connect()
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE t(a UNIQUE, b NOT NULL);
      CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID;
      CREATE TABLE parent(a PRIMARY KEY);
      CREATE TABLE child(a UNIQUE NOT NULL, b REFERENCES parent);
      """)
    let statement = try connection.prepare(sql)
    #expect(statement.program.traits.contains(.usesStatementJournal) == hasSavepoint)
  }

  @Test func `databases that are first written after a savepoint have it too`() throws {
    let connection = try connect()
    try connection.execute("ATTACH '\(directory("other.db"))' AS other")
    try connection.execute("SAVEPOINT a")
    try connection.setVersion(1)
    try connection.execute("SAVEPOINT b")
    try connection.setVersion(2, database: 2)
    try connection.setVersion(2, database: 1)
    try connection.execute("ROLLBACK TO b")
    #expect(try connection.version() == 1)
    #expect(try connection.version(of: "other") == 0)
    #expect(try connection.version(of: "temp") == 0)
    try connection.execute("RELEASE a")
  }

  @Test func `savepoints hold at any depth and with pages that were spilled`() throws {
    let connection = try connect()
    try connection.execute("PRAGMA cache_size = 10; BEGIN")
    for depth in 1...40 {
      try connection.execute("SAVEPOINT s\(depth)")
      try connection.setVersion(Int32(depth))
    }
    for depth in stride(from: 40, to: 1, by: -3) {
      try connection.execute("ROLLBACK TO s\(depth)")
      #expect(try connection.version() == depth - 1)
    }
  }
}
