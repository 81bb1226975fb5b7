import Foundation
import Martlet
import Testing

private enum Slow: String, DatabaseValueConvertible { case a, b }

/// Values fetched from the first column, by SQL, statement and request.
@Suite struct FetchingTests {
  private let sql = "SELECT ? UNION ALL SELECT ?"

  @Test func `values that read statements are fetched in every way`() throws {
    try inEmptyDatabase { db throws in
      let statement = try db.makeStatement(sql: sql)
      let request = SQLRequest<Int>(sql: sql, arguments: [1, 2])
      #expect(try Int.fetchAll(db, sql: sql, arguments: [1, 2]) == [1, 2])
      #expect(try Int.fetchAll(statement, arguments: [1, 2]) == [1, 2])
      #expect(try Int.fetchAll(db, request) == [1, 2])
      #expect(try request.fetchAll(db) == [1, 2])
      #expect(try Int.fetchSet(db, sql: sql, arguments: [1, 1]) == [1])
      #expect(try Int.fetchSet(statement, arguments: [1, 2]) == [1, 2])
      #expect(try Int.fetchSet(db, request) == [1, 2])
      #expect(try Int.fetchOne(db, sql: sql, arguments: [1, 2]) == 1)
      #expect(try Int.fetchOne(statement, arguments: [1, 2]) == 1)
      #expect(try Int.fetchOne(db, request) == 1)
      #expect(try Array(Int.fetchCursor(db, sql: sql, arguments: [1, 2])) == [1, 2])
      #expect(try Array(Int.fetchCursor(statement, arguments: [1, 2])) == [1, 2])
      #expect(try Array(Int.fetchCursor(db, request)) == [1, 2])
    }
  }

  @Test func `values that do not are fetched in every way`() throws {
    try inEmptyDatabase { db throws in
      let statement = try db.makeStatement(sql: sql)
      let request = SQLRequest<Slow>(sql: sql, arguments: ["a", "b"])
      #expect(try Slow.fetchAll(db, sql: sql, arguments: ["a", "b"]) == [.a, .b])
      #expect(try Slow.fetchAll(statement, arguments: ["a", "b"]) == [.a, .b])
      #expect(try Slow.fetchAll(db, request) == [.a, .b])
      #expect(try request.fetchAll(db) == [.a, .b])
      #expect(try Slow.fetchSet(db, sql: sql, arguments: ["a", "a"]) == [.a])
      #expect(try Slow.fetchSet(statement, arguments: ["a", "b"]) == [.a, .b])
      #expect(try request.fetchSet(db) == [.a, .b])
      #expect(try Slow.fetchOne(statement, arguments: ["a", "b"]) == .a)
      #expect(try request.fetchOne(db) == .a)
      #expect(try Array(Slow.fetchCursor(db, sql: sql, arguments: ["a", "b"])) == [.a, .b])
      #expect(try Array(request.fetchCursor(db)) == [.a, .b])
    }
  }

  @Test func `NULL is nil for optionals and an error for others`() throws {
    try inEmptyDatabase { db throws in
      #expect(try Int?.fetchAll(db, sql: sql, arguments: [1, nil]) == [1, nil])
      #expect(try Slow?.fetchAll(db, sql: sql, arguments: ["a", nil]) == [.a, nil])
      #expect(try Int?.fetchSet(db, sql: sql, arguments: [nil, nil]) == [nil])
      #expect(try Array(Slow?.fetchCursor(db, sql: sql, arguments: [nil, "b"])) == [nil, .b])
      #expect(error { try Int.fetchAll(db, sql: sql, arguments: [1, nil]) } is RowDecodingError)
      #expect(error { try Slow.fetchAll(db, sql: sql, arguments: ["a", nil]) } is RowDecodingError)
      #expect(error { try Int.fetchSet(db, sql: sql, arguments: [1, nil]) } is RowDecodingError)
    }
  }

  @Test func `one value is nil without a row and for NULL`() throws {
    try inEmptyDatabase { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
      #expect(try Slow.fetchOne(db, sql: "SELECT 'a' WHERE 0") == nil)
      #expect(try Slow.fetchOne(db, sql: "SELECT NULL") == nil)
      #expect(error { try Slow.fetchOne(db, sql: "SELECT 'c'") } is RowDecodingError)
    }
  }

  @Test func `a number that is none is stored as NULL`() throws {
    try inEmptyDatabase { db throws in
      #expect(try Bool.fetchOne(db, sql: "SELECT ? IS NULL", arguments: [Double.nan]) == true)
      #expect(try Double.fetchOne(db, sql: "SELECT ?", arguments: [Double.infinity]) == .infinity)
    }
  }

  @Test func `a live column is converted by SQLite, a copied one by its type`() throws {
    try inEmptyDatabase { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT '12abc'") == 12)
      #expect(try Int.fetchOne(db, sql: "SELECT 1.9") == 1)
      #expect(try Double.fetchOne(db, sql: "SELECT '1.5x'") == 1.5)
      #expect(try String.fetchOne(db, sql: "SELECT 12") == "12")
      #expect(try Bool.fetchOne(db, sql: "SELECT 0.5") == false)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT '12abc', 1.9, 12, 0.5"))
      #expect(error { try row.decode(Int.self, atIndex: 0) } is RowDecodingError)
      #expect(row[1] as Int == 1)
      #expect(error { try row.decode(String.self, atIndex: 2) } is RowDecodingError)
      #expect(row[3] as Bool == true)
      #expect(error { try Int8.fetchOne(db, sql: "SELECT 300") } is RowDecodingError)
      #expect(error { try UInt.fetchOne(db, sql: "SELECT -1") } is RowDecodingError)
    }
  }

  @Test func `values of Foundation come back from their stored forms`() throws {
    try inEmptyDatabase { db throws in
      let uuid = UUID(), date = Date(timeIntervalSince1970: 1_000_000.25)
      func storage(_ value: any DatabaseValueConvertible) throws -> String? {
        try String.fetchOne(db, sql: "SELECT TYPEOF(?)", arguments: [value])
      }
      #expect(try NSUUID.fetchOne(db, sql: "SELECT ?", arguments: [uuid])?.uuidString == uuid.uuidString)
      #expect(try storage(NSUUID()) == "blob")
      let found = try NSDate.fetchOne(db, sql: "SELECT ?", arguments: [date])
      #expect(found?.timeIntervalSince1970 == 1_000_000.25)
      #expect(try storage(NSDate()) == "text")
      let url = try #require(URL(string: "https://example.com/é?q=1"))
      #expect(try NSURL.fetchOne(db, sql: "SELECT ?", arguments: [url])?.absoluteString == url.absoluteString)
      #expect(try NSData.fetchOne(db, sql: "SELECT x'0102'")?.length == 2)
      #expect(try NSNumber.fetchOne(db, sql: "SELECT 1.5")?.doubleValue == 1.5)
      #expect(try storage(NSDecimalNumber(string: "1.5")) == "real")
      #expect(try storage(NSDecimalNumber(string: "15")) == "integer")
      #expect(NSNull.fromDatabaseValue(.null) == nil)
      #expect(try Decimal.fetchAll(db, sql: "VALUES (1), (1.5), ('2.25')") == [1, 1.5, 2.25])
      #expect(try CGFloat.fetchOne(db, sql: "SELECT 1.5") == 1.5)
      #expect(try Float.fetchOne(db, sql: "SELECT 1.5") == 1.5)
    }
  }
}
