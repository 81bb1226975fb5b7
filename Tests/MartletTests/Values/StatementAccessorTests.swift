import Foundation
import Martlet
import Testing

/// A value that binds itself and reads itself with the functions of SQLite's C interface.
private struct Bound: StatementBinding {
  let bind: (SQLiteStatement, CInt) -> CInt
  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    bind(sqliteStatement, index)
  }
}

/// `sqlite3_column_*` and `sqlite3_bind_*` as Swift functions.
@Suite struct StatementAccessorTests {
  /// The storage class and the quoted form of what a function binds.
  private func bound(_ bind: @escaping (SQLiteStatement, CInt) -> CInt) throws -> [String] {
    try inEmptyDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT TYPEOF(?1), QUOTE(?1)")
      statement.setUncheckedArguments([nil])
      let code = Bound(bind: bind).bind(to: statement.sqliteStatement, at: 1)
      #expect(code == SQLITE_OK)
      let row = try #require(try Row.fetchOne(statement))
      return [row[0], row[1]]
    }
  }

  @Test func `values of every class are bound`() throws {
    #expect(try bound { sqlite3_bind_null($0, $1) } == ["null", "NULL"])
    #expect(try bound { sqlite3_bind_int($0, $1, -7) } == ["integer", "-7"])
    #expect(
      try bound { sqlite3_bind_int64($0, $1, .max) } == ["integer", "9223372036854775807"])
    #expect(try bound { sqlite3_bind_double($0, $1, 0.5) } == ["real", "0.5"])
    #expect(try bound { sqlite3_bind_text($0, $1, "it's", -1) } == ["text", "'it''s'"])
    #expect(try bound { sqlite3_bind_text($0, $1, "it's", 2, nil) } == ["text", "'it'"])
    #expect(try bound { sqlite3_bind_blob($0, $1, [1, 2] as [UInt8], 2) } == ["blob", "X'0102'"])
    #expect(try bound { sqlite3_bind_text($0, $1, nil, -1) } == ["null", "NULL"])
    #expect(try bound { sqlite3_bind_blob($0, $1, nil, 0) } == ["null", "NULL"])
  }

  @Test func `a parameter that is not there is an error code`() throws {
    try inEmptyDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?").sqliteStatement
      #expect(sqlite3_bind_int(statement, 2, 1) == ResultCode.SQLITE_RANGE.rawValue)
      #expect(sqlite3_bind_null(statement, 0) == ResultCode.SQLITE_RANGE.rawValue)
    }
  }

  @Test func `columns of every class are read, and converted as SQLite does`() throws {
    try inEmptyDatabase { db throws in
      let cursor = try Row.fetchCursor(
        db, sql: "SELECT 42, 2.5, '12abc', x'0102', NULL, 4294967297, ''")
      _ = try cursor.next()
      let statement = cursor._statement.sqliteStatement
      #expect(sqlite3_column_count(statement) == 7)
      #expect(
        (0..<7).map { sqlite3_column_type(statement, $0) } == [
          SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB, SQLITE_NULL, SQLITE_INTEGER,
          SQLITE_TEXT,
        ])
      #expect((0..<5).map { sqlite3_column_int64(statement, $0) } == [42, 2, 12, 0, 0])
      #expect((0..<5).map { sqlite3_column_double(statement, $0) } == [42, 2.5, 12, 0, 0])
      #expect(sqlite3_column_int(statement, 5) == 1)
      #expect((0..<7).map { sqlite3_column_bytes(statement, $0) } == [2, 3, 5, 2, 0, 10, 0])
      #expect(
        (0..<3).map { String(cString: sqlite3_column_text(statement, $0)) } == ["42", "2.5", "12abc"])
      #expect(sqlite3_column_text(statement, 4) == nil)
      #expect(String(cString: sqlite3_column_text(statement, 6)).isEmpty)
      let blob = try #require(sqlite3_column_blob(statement, 3))
      #expect(Array(UnsafeRawBufferPointer(start: blob, count: 2)) == [1, 2])
      #expect(sqlite3_column_blob(statement, 4) == nil)
    }
  }

  @Test func `a column that is NULL is never read by the initializer`() throws {
    struct Picky: DatabaseValueConvertible, StatementColumnConvertible {
      init?(sqliteStatement: SQLiteStatement, index: CInt) {
        if sqlite3_column_type(sqliteStatement, index) == SQLITE_NULL {
          Issue.record("a NULL was read")
        }
      }
      var databaseValue: DatabaseValue { .null }
      static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
    }
    try inEmptyDatabase { db throws in
      #expect(try Picky?.fetchAll(db, sql: "VALUES (1), (NULL)").map { $0 == nil } == [false, true])
      #expect(try Picky.fetchOne(db, sql: "SELECT NULL") == nil)
      let row = try #require(try Row.fetchCursor(db, sql: "SELECT NULL AS a").next())
      #expect(row["a"] as Picky? == nil)
    }
  }
}
