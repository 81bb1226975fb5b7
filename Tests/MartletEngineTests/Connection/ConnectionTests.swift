import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct ConnectionTests {
  @Test func `a connection closes only when its statements are gone`() throws {
    let connection = try Connection(path: ":memory:")
    do {
      let statement = try connection.prepare("SELECT 1")
      #expect { try connection.close() } throws: { ($0 as? SQLError)?.code == .busy }
      withExtendedLifetime(statement) {}
    }
    try connection.close()
    #expect { _ = try connection.prepare("SELECT 1") } throws: {
      ($0 as? SQLError)?.code == .misuse
    }
  }

  @Test func `a file that does not exist cannot be opened to read`() {
    #expect { _ = try Connection(path: "/nonexistent/x.db", flags: .readOnly) } throws: {
      ($0 as? SQLError)?.code.primary == .cannotOpen
    }
  }

  @Test func `a file that is no database says so when it is read`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "martlet-\(UUID().uuidString)"
    ).path
    try Data(repeating: 0x5a, count: 4096).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let connection = try Connection(path: path, flags: .readOnly)
    #expect { _ = try connection.prepare("SELECT * FROM sqlite_schema") } throws: {
      ($0 as? SQLError)?.code == .notADatabase
    }
  }

  @Test func `interrupt ends a statement that runs on another thread`() async throws {
    let connection = try Connection(path: ":memory:")
    let endless = """
      WITH t(x) AS (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12))
      SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j
      """
    let statement = try connection.prepare(endless)
    let code = await connection.interrupting { () -> ResultCode? in
      do {
        _ = try statement.step()
        return nil
      } catch { return (error as? SQLError)?.code }
    }
    #expect(code == ResultCode.interrupt)
  }

  @Test(arguments: [
    ("BEGIN; BEGIN", "cannot start a transaction within a transaction"),
    ("COMMIT", "cannot commit - no transaction is active"),
    ("ROLLBACK", "cannot rollback - no transaction is active"),
  ])
  func `transactions begin and end once`(sql: String, message: String) throws {
    let connection = try Connection(path: ":memory:")
    #expect { try connection.execute(sql) } throws: { ($0 as? SQLError)?.message == message }
  }

  @Test func `what is not there yet is refused by name`() throws {
    let connection = try Connection(path: ":memory:")
    let row = Array(repeating: "1", count: 201).joined(separator: ", ")
    #expect { try connection.execute("SELECT (\(row)) < (\(row))") } throws: {
      ($0 as? SQLError)?.message.hasPrefix("not supported by Martlet: ") == true
    }
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `a statement is prepared again when another process changes the schema`() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "martlet-\(UUID().uuidString).db"
    ).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let oracle = try OracleShell(path)
    try oracle.run("CREATE TABLE t(a); INSERT INTO t VALUES (1);")
    let connection = try Connection(path: path, flags: .readOnly)
    let statement = try connection.prepare("SELECT * FROM t")
    #expect(try statement.step())
    #expect(statement.columnCount == 1)
    try statement.reset()
    try oracle.run("ALTER TABLE t ADD COLUMN b DEFAULT 'new';")
    #expect(try statement.step())
    #expect(statement.columnCount == 2)
    #expect(statement.columnText(1) == "new")
  }
}
