import Martlet
import Testing

private struct EvenInteger: Equatable {
  let value: Int

  init?(_ value: Int) {
    guard value.isMultiple(of: 2) else { return nil }
    self.value = value
  }
}

extension EvenInteger: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { value.databaseValue }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    guard let value = Int.fromDatabaseValue(dbValue) else { return nil }
    return EvenInteger(value)
  }
}

private struct FastEven: Equatable, DatabaseValueConvertible, StatementColumnConvertible {
  let value: Int

  init?(_ value: Int) {
    guard value.isMultiple(of: 2) else { return nil }
    self.value = value
  }

  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let int64 = sqlite3_column_int64(sqliteStatement, index)
    guard let value = Int(exactly: int64) else { return nil }
    self.init(value)
  }

  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    sqlite3_bind_int64(sqliteStatement, index, Int64(value))
  }

  var databaseValue: DatabaseValue { value.databaseValue }

  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Int.fromDatabaseValue(dbValue).flatMap { FastEven($0) }
  }
}

private enum Grape: String, DatabaseValueConvertible {
  case chardonnay, merlot, riesling
}

private enum Size: Int, Codable, DatabaseValueConvertible { case small = 1, large }

private struct Wrapped: Codable, Equatable, DatabaseValueConvertible {
  var raw: Int
  init(raw: Int) { self.raw = raw }
  init(from decoder: any Decoder) throws { raw = try decoder.singleValueContainer().decode(Int.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(raw)
  }
}

/// Types with conversions of their own, beyond the examples of `ValueConversionDocumentTests`.
@Suite struct CustomValueTests {
  @Test func `a conforming type is stored, fetched, and refused by its conversion`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      try db.execute(sql: "INSERT INTO t VALUES (?), (NULL)", arguments: [EvenInteger(2)])
      #expect(try EvenInteger?.fetchAll(db, sql: "SELECT a FROM t") == [EvenInteger(2), nil])
      #expect(try EvenInteger.fetchOne(db, sql: "SELECT a FROM t") == EvenInteger(2))
      #expect(try EvenInteger.fetchOne(db, sql: "SELECT NULL") == nil)
      let failure = error { try EvenInteger.fetchAll(db, sql: "SELECT 3 AS x") }
      #expect(failure is RowDecodingError)
      #expect("\(try #require(failure))".hasPrefix(
        "could not decode EvenInteger from database value 3"))
    }
  }

  @Test func `a type that reads statements is fetched without database values`() throws {
    try inEmptyDatabase { db throws in
      #expect(try FastEven.fetchAll(db, sql: "SELECT 2 UNION SELECT 4").map { $0.value } == [2, 4])
      #expect(try FastEven?.fetchAll(db, sql: "SELECT NULL") == [nil])
      #expect(error { try FastEven.fetchAll(db, sql: "SELECT 3") } is RowDecodingError)
      #expect(try Int.fetchOne(db, sql: "SELECT ? + 1", arguments: [FastEven(6)]) == 7)
      #expect(try FastEven.fetchOne(db, sql: "SELECT '12abc'")?.value == 12)
    }
  }

  @Test func `enums are stored as their raw values`() throws {
    try inEmptyDatabase { db throws in
      #expect(
        try String.fetchOne(db, sql: "SELECT ?", arguments: [Grape.merlot]) == "merlot")
      #expect(try Grape.fetchOne(db, sql: "SELECT 'riesling'") == .riesling)
      #expect(error { try Grape.fetchOne(db, sql: "SELECT 'water'") } is RowDecodingError)
      #expect(Size.large.databaseValue == 2.databaseValue)
      #expect(try Size.fetchOne(db, sql: "SELECT 1") == .small)
    }
  }

  @Test func `codable types of a single value are stored as that value`() {
    #expect(Wrapped(raw: 3).databaseValue == 3.databaseValue)
    #expect(Wrapped.fromDatabaseValue(3.databaseValue) == Wrapped(raw: 3))
  }

  @Test func `columns are read by the functions of SQLite's C interface`() throws {
    struct Probe: DatabaseValueConvertible, StatementColumnConvertible {
      var text: String
      init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let type = sqlite3_column_type(sqliteStatement, index)
        let bytes = sqlite3_column_bytes(sqliteStatement, index)
        let string = String(cString: sqlite3_column_text(sqliteStatement, index))
        text = "\(type) \(bytes) \(string) \(sqlite3_column_int(sqliteStatement, index))"
      }
      var databaseValue: DatabaseValue { .null }
      static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
    }
    try inEmptyDatabase { db throws in
      #expect(try Probe.fetchOne(db, sql: "SELECT '42x'")?.text == "\(SQLITE_TEXT) 3 42x 42")
      #expect(try Probe.fetchOne(db, sql: "SELECT 1.5")?.text == "\(SQLITE_FLOAT) 3 1.5 1")
    }
  }
}
