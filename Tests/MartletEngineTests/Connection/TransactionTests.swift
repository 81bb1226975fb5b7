import TestSupport
import Testing

@testable import MartletEngine

@Suite struct TransactionTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("test.db")
  }

  private func connect(_ flags: OpenFlags = .default) throws -> Connection {
    try Connection(path: path, flags: flags)
  }

  @Test func `BEGIN holds nothing, IMMEDIATE keeps writers out, EXCLUSIVE readers too`() throws {
    let first = try connect(), second = try connect()
    try first.setVersion(1)
    try first.execute("BEGIN")
    #expect(first.transactionState() == Connection.TransactionState.none)
    try second.setVersion(2)
    try first.execute("COMMIT; BEGIN IMMEDIATE")
    #expect(first.transactionState() == .write)
    #expect(try second.version() == 2)
    #expect(try second.writer(3).failure()?.code == .busy)
    try first.execute("COMMIT; BEGIN EXCLUSIVE")
    #expect(second.failure("PRAGMA user_version") == SQLError(.busy))
    try first.execute("ROLLBACK")
    try second.setVersion(3)
    #expect(try first.version() == 3)
  }

  @Test func `a file that may only be read is read by BEGIN IMMEDIATE`() throws {
    try connect().setVersion(1)
    let connection = try connect(.readOnly)
    try connection.execute("BEGIN IMMEDIATE")
    #expect(connection.transactionState() == .read)
    #expect(try connection.writer(2).failure() == SQLError(.readOnly))
    try connection.execute("COMMIT; BEGIN EXCLUSIVE; ROLLBACK")
  }

  @Test func `BEGIN inside a transaction fails, and the transaction stays`() throws {
    let connection = try connect()
    try connection.execute("BEGIN")
    try connection.setVersion(1)
    for kind in ["", "IMMEDIATE", "EXCLUSIVE"] {
      let error = connection.failure("BEGIN \(kind)")
      #expect(error?.message == "cannot start a transaction within a transaction")
    }
    #expect(connection.isInTransaction && !connection.isAutocommit)
    try connection.execute("COMMIT")
    #expect(try connection.version() == 1)
  }

  /// An error, where it happens, and what is left: of the statement, and of the transaction.
  struct Case: Sendable {
    let error: ResultCode
    let policy: ConflictPolicy
    let hasJournal: Bool
    let version: Int64
    let isInTransaction: Bool
  }

  @Test(arguments: [
    Case(
      error: .constraint, policy: .abort, hasJournal: true, version: 1, isInTransaction: true),
    // Who has no journal has changed nothing when it fails.
    Case(
      error: .constraint, policy: .abort, hasJournal: false, version: 2, isInTransaction: true),
    Case(
      error: .constraint, policy: .fail, hasJournal: true, version: 2, isInTransaction: true),
    Case(
      error: .constraint, policy: .rollback, hasJournal: true, version: 0,
      isInTransaction: false),
    Case(error: .full, policy: .abort, hasJournal: true, version: 1, isInTransaction: true),
    Case(error: .full, policy: .abort, hasJournal: false, version: 0, isInTransaction: false),
    Case(
      error: .outOfMemory, policy: .fail, hasJournal: true, version: 1, isInTransaction: true),
    Case(
      error: .ioErrorWrite, policy: .abort, hasJournal: true, version: 0,
      isInTransaction: false),
    Case(
      error: .interrupt, policy: .abort, hasJournal: true, version: 0, isInTransaction: false),
  ])
  func `an error takes back the statement or the transaction`(_ test: Case) throws {
    let connection = try connect()
    try connection.execute("BEGIN")
    try connection.setVersion(1)
    let statement = try connection.writer(
      2, error: test.error, policy: test.policy, hasJournal: test.hasJournal)
    #expect(statement.failure()?.code == test.error)
    #expect(try connection.version() == test.version)
    #expect(connection.isInTransaction == test.isInTransaction)
    if connection.isInTransaction { try connection.execute("COMMIT") }
    #expect(try connect().version() == test.version)
  }

  @Test(arguments: [(ConflictPolicy.abort, Int64(1)), (.fail, 2), (.rollback, 1)])
  func `outside BEGIN only FAIL keeps what was changed`(
    policy: ConflictPolicy, version: Int64
  ) throws {
    let connection = try connect()
    try connection.setVersion(1)
    let statement = try connection.writer(
      2, error: .constraint, policy: policy, hasJournal: true)
    #expect(statement.failure()?.code == .constraint)
    #expect(try connection.version() == version)
    #expect(connection.transactionState() == Connection.TransactionState.none)
  }

  @Test func `COMMIT may be tried again when a reader was in the way`() throws {
    let writer = try connect(), reader = try connect()
    try writer.setVersion(1)
    try reader.execute("BEGIN; PRAGMA user_version")
    #expect(reader.transactionState() == .read)
    try writer.execute("BEGIN")
    try writer.setVersion(2)
    let commit = try writer.prepare("COMMIT")
    for _ in 0..<2 {
      #expect(commit.failure() == SQLError(.busy))
      #expect(writer.isInTransaction)
      #expect(try writer.version() == 2)
    }
    try reader.execute("COMMIT")
    #expect(commit.failure() == nil)
    #expect(!writer.isInTransaction)
    #expect(try reader.version() == 2)
  }

  @Test func `outside BEGIN a reader in the way undoes the statement`() throws {
    let writer = try connect(), reader = try connect()
    try writer.setVersion(1)
    try reader.execute("BEGIN; PRAGMA user_version")
    #expect(try writer.writer(2).failure() == SQLError(.busy))
    #expect(!writer.isInTransaction)
    #expect(try writer.version() == 1)
  }

  @Test func `nothing is committed while a statement writes`() throws {
    let connection = try connect()
    let running = try connection.writer(1, pauses: true)
    #expect(try running.step())
    #expect(connection.failure("SAVEPOINT a")?.message
      == "cannot open savepoint - SQL statements in progress")
    try connection.execute("BEGIN")
    let error = connection.failure("COMMIT")
    #expect(error?.code == .busy)
    #expect(error?.message == "cannot commit transaction - SQL statements in progress")
    #expect(try !running.step())
    #expect(try connect().version() == 0)
    try connection.execute("COMMIT")
    #expect(try connect().version() == 1)
  }

  @Test func `a writer that is reset half-way commits what it did`() throws {
    let connection = try connect()
    var running: Statement? = try connection.writer(1, pauses: true)
    #expect(try running?.step() == true)
    try running?.reset()
    #expect(try connect().version() == 1)
    running = try connection.writer(2, pauses: true)
    #expect(try running?.step() == true)
    running = nil
    #expect(try connect().version() == 2)
  }

  @Test func `ROLLBACK goes on beside a statement that writes`() throws {
    let connection = try connect()
    try connection.setVersion(1)
    try connection.execute("BEGIN")
    let running = try connection.writer(2, pauses: true, hasJournal: true)
    #expect(try running.step())
    try connection.execute("ROLLBACK")
    #expect(try connection.version() == 1)
    #expect(try !running.step())
    #expect(try connect().version() == 1)
  }

  @Test func `an open transaction ends with its connection`() throws {
    var connection: Connection? = try connect()
    try connection?.execute("BEGIN")
    try connection?.setVersion(1)
    try connection?.close()
    connection = try connect()
    try connection?.execute("BEGIN IMMEDIATE")
    connection = nil
    #expect(try connect().version() == 0)
  }

  @Test func `preparing inside BEGIN takes no lock that stays`() throws {
    let first = try connect(), second = try connect()
    try first.setVersion(1)
    try second.execute("BEGIN")
    _ = try second.prepare("SELECT * FROM sqlite_schema")
    #expect(second.transactionState() == Connection.TransactionState.none)
    try first.execute("BEGIN EXCLUSIVE; COMMIT")
  }

  @Test func `REINDEX writes where there is only a table without rowids`() throws {
    let connection = try connect()
    try connection.execute("CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID; BEGIN; REINDEX")
    #expect(connection.transactionState() == .write)
  }

  @Test func `ALTER TABLE of a temporary table does not read what views name in main`() throws {
    let connection = try connect(), holder = try connect()
    try connection.execute(
      """
      CREATE TABLE t(x);
      CREATE TEMP TABLE own(a, b);
      CREATE TEMP VIEW v AS SELECT * FROM t;
      """)
    try holder.execute("BEGIN EXCLUSIVE")
    try connection.execute("ALTER TABLE own DROP COLUMN b")
    try connection.execute("ALTER TABLE own RENAME COLUMN a TO c")
    try connection.execute("ALTER TABLE own RENAME TO mine")
    #expect(connection.failure("SELECT * FROM v") == SQLError(.busy))
  }

  @Test func `the temp database has transactions of its own`() throws {
    let connection = try connect()
    try connection.execute("BEGIN")
    try connection.setVersion(7, database: 1)
    #expect(connection.transactionState(of: "temp") == .write)
    #expect(connection.transactionState(of: "main") == Connection.TransactionState.none)
    #expect(connection.transactionState(of: "nosuch") == nil)
    try connection.execute("ROLLBACK")
    #expect(try connection.version(of: "temp") == 0)
    try connection.setVersion(8, database: 1)
    #expect(try connection.version(of: "temp") == 8)
    #expect(try connection.version() == 0)
  }
}
