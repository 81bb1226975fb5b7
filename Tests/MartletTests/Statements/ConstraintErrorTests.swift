import Foundation
import Martlet
import Testing

private enum Grape: String, DatabaseValueConvertible { case merlot }

/// Codes and messages that programs look at.
@Suite struct ConstraintErrorTests {
  private func failure(_ sql: String) throws -> DatabaseError {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE p(id INTEGER PRIMARY KEY);
          CREATE TABLE t(
            id TEXT PRIMARY KEY, u UNIQUE, n NOT NULL DEFAULT 1, c CHECK (c > 0), p REFERENCES p);
          INSERT INTO t(id, u) VALUES ('a', 1);
          """)
      return try #require(databaseError { try db.execute(sql: sql) })
    }
  }

  @Test(arguments: [
    ("INSERT INTO t(id, u) VALUES ('b', 1)", ResultCode.SQLITE_CONSTRAINT_UNIQUE,
     "UNIQUE constraint failed: t.u"),
    ("INSERT INTO t(id) VALUES ('a')", .SQLITE_CONSTRAINT_PRIMARYKEY,
     "UNIQUE constraint failed: t.id"),
    ("INSERT INTO t(n) VALUES (NULL)", .SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: t.n"),
    ("INSERT INTO t(c) VALUES (0)", .SQLITE_CONSTRAINT_CHECK, "CHECK constraint failed: c > 0"),
    ("INSERT INTO t(p) VALUES (1)", .SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed"),
    ("INSERT INTO p VALUES (1), (1)", .SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: p.id"),
  ])
  func `constraint errors have extended codes and SQLite's messages`(
    sql: String, code: ResultCode, message: String
  ) throws {
    let failure = try failure(sql)
    #expect(failure.resultCode == .SQLITE_CONSTRAINT)
    #expect(failure.extendedResultCode == code)
    #expect(failure.message == message)
    #expect(failure.sql == sql)
  }

  @Test func `codes are caught as patterns`() throws {
    var caught: [String] = []
    for sql in ["INSERT INTO t(id, u) VALUES ('b', 1)", "INSERT INTO t(p) VALUES (1)", "SELECT x"] {
      do {
        throw try failure(sql)
      } catch ResultCode.SQLITE_CONSTRAINT_UNIQUE {
        caught.append("unique")
      } catch DatabaseError.SQLITE_CONSTRAINT {
        caught.append("constraint")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        caught.append("error")
      }
    }
    #expect(caught == ["unique", "constraint", "error"])
  }

  @Test func `a code knows its primary code and says what it is`() {
    #expect(ResultCode.SQLITE_IOERR_READ.primaryResultCode == .SQLITE_IOERR)
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue == 2067)
    #expect(ResultCode.SQLITE_BUSY.rawValue == 5 && ResultCode.SQLITE_NOTADB.rawValue == 26)
    #expect("\(ResultCode.SQLITE_BUSY)" == "5 (database is locked)")
    #expect(DatabaseError().resultCode == .SQLITE_ERROR)
    #expect(
      DatabaseError(message: "no luck").description == "SQLite error 1: no luck")
  }

  @Test func `a record that is not found names its table and key`() throws {
    struct Player: TableRecord, FetchableRecord { init(row: Row) {} }
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
      guard case .recordNotFound(let table, let key) = error(of: { try Player.find(db, key: 5) })
        as? RecordError
      else {
        Issue.record("nothing was thrown")
        return
      }
      #expect(table == "player" && key == ["id": 5.databaseValue])
      let made = Player.recordNotFound(db, key: 5)
      #expect("\(made)" == "\(RecordError.recordNotFound(databaseTableName: table, key: key))")
    }
  }

  @Test func `decoding errors tell value, column, row and statement`() throws {
    try inEmptyDatabase { db throws in
      let mismatch = try #require(
        error { try Grape.fetchAll(db, sql: "SELECT ?, 'x' AS a", arguments: ["y"]) })
      #expect(mismatch is RowDecodingError)
      #expect(
        "\(mismatch)" == """
          could not decode Grape from database value "y" - column: "?", column index: 0, \
          row: [?:"y" a:"x"], sql: `SELECT ?, 'x' AS a`, arguments: ["y"]
          """)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS a"))
      let missing = try #require(error { try row.decode(Int.self, forColumn: "b") })
      #expect("\(missing)" == #"column not found: "b" - row: [a:"x"]"#)
      let wrong = try #require(error { try row.decode(Int.self, forColumn: "a") })
      #expect(
        "\(wrong)" == """
          could not decode Int from database value "x" - column: "a", column index: 0, row: [a:"x"]
          """)
    }
  }
}
