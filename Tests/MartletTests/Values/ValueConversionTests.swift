import Foundation
import Martlet
import Testing

@Suite struct ValueConversionTests {
  /// Stores a value, and reads it back from a statement and from a copied row.
  private func roundTrip<Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ value: Value
  ) throws -> (Value, Value, DatabaseValue) {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (?)", arguments: [value])
      let live = try #require(try Value.fetchOne(db, sql: "SELECT a FROM t"))
      let row = try #require(try Row.fetchOne(db, sql: "SELECT a FROM t"))
      return (live, row[0], row.databaseValue(named: "a"))
    }
  }

  private func check<Value: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
    _ value: Value, stored: DatabaseValue.Storage
  ) throws {
    let (live, copied, dbValue) = try roundTrip(value)
    #expect(live == value)
    #expect(copied == value)
    #expect(dbValue.storage == stored)
    #expect(value.databaseValue.storage == stored)
  }

  @Test func `numbers are stored as INTEGER and REAL`() throws {
    try check(true, stored: .int64(1))
    try check(false, stored: .int64(0))
    try check(Int.min, stored: .int64(Int64.min))
    try check(Int8(-128), stored: .int64(-128))
    try check(Int16(-300), stored: .int64(-300))
    try check(Int32.max, stored: .int64(Int64(Int32.max)))
    try check(UInt8(255), stored: .int64(255))
    try check(UInt16.max, stored: .int64(65_535))
    try check(UInt32.max, stored: .int64(4_294_967_295))
    try check(UInt64(7), stored: .int64(7))
    try check(UInt(7), stored: .int64(7))
    try check(1.5, stored: .double(1.5))
    try check(Float(0.25), stored: .double(0.25))
    try check(CGFloat(2.5), stored: .double(2.5))
  }

  @Test func `texts and bytes are stored as TEXT and BLOB`() throws {
    try check("héllo", stored: .string("héllo"))
    try check("", stored: .string(""))
    try check(Data([0, 1, 255]), stored: .blob(Data([0, 1, 255])))
    try check(Data(), stored: .blob(Data()))
    #expect(try roundTrip("a\0b").0 == "a")
  }

  @Test func `a date is text in UTC with milliseconds`() throws {
    try check(
      Date(timeIntervalSince1970: 0), stored: .string("1970-01-01 00:00:00.000"))
    try check(
      Date(timeIntervalSinceReferenceDate: 601_497_903.123),
      stored: .string("2020-01-23 18:45:03.123"))
    try check(
      Date(timeIntervalSince1970: -0.5), stored: .string("1969-12-31 23:59:59.500"))
  }

  @Test(arguments: [
    ("2020-01-23", 1_579_737_600.0), ("2020-01-23 18:45", 1_579_805_100),
    ("2020-01-23T18:45:03", 1_579_805_103), ("2020-01-23 18:45:03.1", 1_579_805_103.1),
    ("2020-01-23 18:45:03.123456", 1_579_805_103.123456),
    ("2020-01-23 18:45:03Z", 1_579_805_103), ("2020-01-23 18:45:03+01:30", 1_579_799_703),
    ("2020-01-23T18:45:03.5-02:00", 1_579_812_303.5),
  ])
  func `dates are read in every format of SQLite`(text: String, seconds: Double) {
    let date = Date.fromDatabaseValue(text.databaseValue)
    #expect(date != nil)
    #expect(abs((date?.timeIntervalSince1970 ?? 0) - seconds) < 0.000_5)
  }

  @Test func `dates in texts have milliseconds, exact for Date`() throws {
    let date = try #require(Date.fromDatabaseValue("2020-01-23 18:45:03.00456".databaseValue))
    // The closest number of seconds since 2001 that there is.
    #expect(date.timeIntervalSinceReferenceDate == 601_497_903.004)
    let text = "18:45:03.1239 +01:00".databaseValue
    let components = try #require(DatabaseDateComponents.fromDatabaseValue(text))
    #expect(components.dateComponents.nanosecond == 123_000_000)
  }

  @Test(arguments: ["18:45", "yesterday", "2020-13-01", "2020-01-23 25", ""])
  func `text without a date is no date`(text: String) {
    #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
  }

  @Test func `numbers are dates in seconds since 1970`() {
    #expect(Date.fromDatabaseValue(10.databaseValue) == Date(timeIntervalSince1970: 10))
    #expect(Date.fromDatabaseValue(0.5.databaseValue) == Date(timeIntervalSince1970: 0.5))
    #expect(Date(julianDay: 2_440_587.5) == Date(timeIntervalSince1970: 0))
  }

  @Test func `date components are stored in their format`() throws {
    var components = DateComponents()
    components.year = 1973
    components.month = 9
    components.day = 18
    components.hour = 10
    components.minute = 11
    components.second = 12
    components.nanosecond = 123_456_789
    let texts: [(DatabaseDateComponents.Format, String)] = [
      (.YMD, "1973-09-18"), (.YMD_HM, "1973-09-18 10:11"), (.YMD_HMS, "1973-09-18 10:11:12"),
      (.YMD_HMSS, "1973-09-18 10:11:12.123"), (.HM, "10:11"), (.HMS, "10:11:12"),
      (.HMSS, "10:11:12.123"),
    ]
    for (format, text) in texts {
      let value = DatabaseDateComponents(components, format: format).databaseValue
      #expect(value == text.databaseValue)
      let back = try #require(DatabaseDateComponents.fromDatabaseValue(value))
      #expect(back.format == format)
    }
  }

  @Test func `UUID, URL and Decimal have their stored forms`() throws {
    let uuid = try #require(UUID(uuidString: "56E7D8D3-E9E4-48B6-968E-8D102833AF00"))
    let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    try check(uuid, stored: .blob(bytes))
    #expect(UUID.fromDatabaseValue(uuid.uuidString.databaseValue) == uuid)
    #expect(UUID.fromDatabaseValue(Data([1]).databaseValue) == nil)
    let url = try #require(URL(string: "https://example.com/a?b=c"))
    #expect(url.databaseValue == "https://example.com/a?b=c".databaseValue)
    #expect(URL.fromDatabaseValue(url.databaseValue) == url)
    let decimal = try #require(Decimal(string: "1234.5678"))
    try check(decimal, stored: .string("1234.5678"))
    #expect(Decimal.fromDatabaseValue(3.databaseValue) == 3)
    // No such decimal number, and nothing that may stop the program.
    for real in [Double.infinity, -Double.infinity, 1e300, .leastNonzeroMagnitude] {
      #expect(Decimal.fromDatabaseValue(real.databaseValue)?.isNaN == true)
      #expect(NSDecimalNumber.fromDatabaseValue(real.databaseValue) == NSDecimalNumber.notANumber)
    }
  }

  @Test func `classes of Foundation are values`() {
    #expect(NSNull().databaseValue == .null)
    #expect(NSString(string: "x").databaseValue == "x".databaseValue)
    #expect(NSNumber(value: 3).databaseValue.storage == .int64(3))
    #expect(NSNumber(value: 1.5).databaseValue.storage == .double(1.5))
    #expect(NSDecimalNumber(string: "12").databaseValue.storage == .int64(12))
    #expect(NSData(data: Data([1])).databaseValue.storage == .blob(Data([1])))
    #expect(NSString.fromDatabaseValue("x".databaseValue) == NSString(string: "x"))
  }

  @Test func `wrong storage classes do not convert`() {
    #expect(Bool.fromDatabaseValue("1".databaseValue) == nil)
    #expect(Int.fromDatabaseValue("12".databaseValue) == nil)
    #expect(Int.fromDatabaseValue(1.9.databaseValue) == 1)
    #expect(Int.fromDatabaseValue((-1.9).databaseValue) == -1)
    #expect(Int.fromDatabaseValue(1e300.databaseValue) == nil)
    #expect(Int8.fromDatabaseValue(300.databaseValue) == nil)
    #expect(String.fromDatabaseValue(1.databaseValue) == nil)
    #expect(String.fromDatabaseValue(Data("é".utf8).databaseValue) == "é")
    #expect(String.fromDatabaseValue(Data([0xff]).databaseValue) == nil)
    #expect(Data.fromDatabaseValue("é".databaseValue) == Data("é".utf8))
  }

  @Test func `database values are equal as SQLite compares, storage is strict`() {
    #expect(1.databaseValue == 1.0.databaseValue)
    #expect(1.databaseValue.hashValue == 1.0.databaseValue.hashValue)
    #expect(1.databaseValue.storage != 1.0.databaseValue.storage)
    #expect(Int64.max.databaseValue != 9_223_372_036_854_775_807.0.databaseValue)
    #expect("1".databaseValue != 1.databaseValue)
    #expect("\("é".databaseValue)" == "\"é\"")
    #expect("\(DatabaseValue.null)" == "NULL")
    #expect("\(Data([1, 2]).databaseValue)" == "Data(2 bytes)")
    #expect(DatabaseValue(value: 1)?.storage == .int64(1))
    #expect(DatabaseValue(value: NSNull()) == .null)
  }
}

extension Row {
  func databaseValue(named name: String) -> DatabaseValue { self[name] ?? .null }
}
