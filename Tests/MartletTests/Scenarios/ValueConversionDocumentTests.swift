import Foundation
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

extension EvenInteger: StatementColumnConvertible {
  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let int64 = sqlite3_column_int64(sqliteStatement, index)
    guard let value = Int(exactly: int64) else { return nil }
    self.init(value)
  }
}

private enum Grape: String {
  case chardonnay, merlot, riesling
}

extension Grape: DatabaseValueConvertible {}

private struct Color: Codable, Equatable {
  var red: Double
  var green: Double
  var blue: Double
}

extension Color: DatabaseValueConvertible {}

private struct Visit: Codable, Equatable, DatabaseValueConvertible {
  var place: String
  var day: Date

  static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys]
    return encoder
  }

  static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

/// The document "DatabaseValueConvertible", example by example. Its recipe for the library Tagged
/// is in `TaggedTests`.
@Suite struct ValueConversionDocumentTests {
  @Test func `a type converts itself to database values and back`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(n); INSERT INTO t VALUES (?)", arguments: [EvenInteger(4)])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT n FROM t"))
      #expect(row["n"] as EvenInteger == EvenInteger(4))
      #expect(EvenInteger.fromDatabaseValue(3.databaseValue) == nil)
      #expect(EvenInteger.fromDatabaseValue("4".databaseValue) == nil)
    }
  }

  @Test func `a nil of the conversion is a decoding error`() throws {
    try inEmptyDatabase { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 3 AS n"))
      let failure = error { try row.decode(EvenInteger.self, forColumn: "n") }
      #expect(failure is RowDecodingError)
      #expect("\(try #require(failure))".contains("could not decode EvenInteger from database value 3"))
    }
  }

  @Test func `optionals convert by themselves`() throws {
    try inEmptyDatabase { db throws in
      let values = try EvenInteger?.fetchAll(db, sql: "VALUES (2), (NULL)")
      #expect(values == [EvenInteger(2), nil])
      let none: EvenInteger? = nil
      #expect(try Bool.fetchOne(db, sql: "SELECT ? IS NULL", arguments: [none]) == true)
    }
  }

  @Test func `an enum is stored as its raw value`() throws {
    try inEmptyDatabase { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT ?", arguments: [Grape.riesling]) == "riesling")
      #expect(try Grape.fetchAll(db, sql: "VALUES ('merlot'), ('chardonnay')") == [
        .merlot, .chardonnay,
      ])
      #expect(error { try Grape.fetchAll(db, sql: "SELECT 'beer'") } is RowDecodingError)
    }
  }

  @Test func `a Codable type is stored as a JSON object`() throws {
    try inEmptyDatabase { db throws in
      let color = Color(red: 0.25, green: 0.5, blue: 1)
      let text = try String.fetchOne(db, sql: "SELECT ?", arguments: [color])
      #expect(text == #"{"blue":1,"green":0.5,"red":0.25}"#)
      #expect(try Color.fetchOne(db, sql: "SELECT ?", arguments: [text]) == color)
    }
  }

  @Test func `the default JSON has base64, milliseconds and no infinite numbers`() throws {
    struct Sample: Codable, Equatable, DatabaseValueConvertible {
      var data = Data([1, 2])
      var date = Date(timeIntervalSince1970: 1.5)
      var number = 1.0
    }
    let sample = Sample()
    #expect(sample.databaseValue == #"{"data":"AQI=","date":1500,"number":1}"#.databaseValue)
    #expect(Sample.fromDatabaseValue(sample.databaseValue) == sample)
    #expect(error { try Sample(number: .nan).encodedDatabaseValue() } is EncodingError)
  }

  @Test func `encoder and decoder of JSON can be provided`() {
    let visit = Visit(place: "Rome", day: Date(timeIntervalSince1970: 0))
    #expect(
      visit.databaseValue == #"{"day":"1970-01-01T00:00:00Z","place":"Rome"}"#.databaseValue)
    #expect(Visit.fromDatabaseValue(visit.databaseValue) == visit)
  }

  @Test func `an optimized value is read from the statement`() throws {
    try inEmptyDatabase { db throws in
      #expect(try EvenInteger.fetchAll(db, sql: "VALUES (2), (4)").map { $0.value } == [2, 4])
      #expect(error { try EvenInteger.fetchAll(db, sql: "VALUES (3)") } is RowDecodingError)
      // SQLite's conversions apply: that is how one sees that no database value was made.
      #expect(try EvenInteger.fetchOne(db, sql: "SELECT '12abc'")?.value == 12)
      let cursor: FastDatabaseValueCursor<EvenInteger> = try EvenInteger.fetchCursor(
        db, sql: "VALUES (2), (NULL)")
      #expect(try cursor.next() == EvenInteger(2))
      #expect(error { try cursor.next() } is RowDecodingError)
    }
  }
}
