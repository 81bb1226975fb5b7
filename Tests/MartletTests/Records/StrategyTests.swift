import Foundation
import Martlet
import Testing

private let infoKey = CodingUserInfoKey(rawValue: "info")!

/// A property type that shows what coders are given.
private struct Probe: Codable, Equatable {
  var info: String

  init(info: String) { self.info = info }

  init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: Keys.self)
    info = decoder.userInfo[infoKey] as? String ?? "none"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(encoder.userInfo[infoKey] as? String ?? "none", forKey: .info)
  }

  enum Keys: String, CodingKey { case info }
}

/// A value that could be coded too: it is stored as its value.
private struct Even: Codable, Equatable, DatabaseValueConvertible {
  var half: Int
  var databaseValue: DatabaseValue { (half * 2).databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Even? {
    Int.fromDatabaseValue(dbValue).map { Even(half: $0 / 2) }
  }
}

private struct Single: Codable, Equatable {
  var text: String
  init(text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Strategies of coded records.
@Suite struct StrategyTests {
  // MARK: Dates

  private static let date = Date(timeIntervalSince1970: 1_579_805_103.625)
  private static let noon: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy/MM/dd HH:mm"
    return formatter
  }()

  private static func stored(
    _ strategy: DatabaseDateEncodingStrategy, _ date: Date = date
  ) -> DatabaseValue? {
    EncodingStrategy.date = strategy
    return try? Dated(date: date).databaseDictionary["date"]
  }

  private enum EncodingStrategy {
    nonisolated(unsafe) static var date = DatabaseDateEncodingStrategy.deferredToDate
    nonisolated(unsafe) static var decoding = DatabaseDateDecodingStrategy.deferredToDate
  }

  private struct Dated: Codable, FetchableRecord, EncodableRecord {
    var date: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      EncodingStrategy.date
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      EncodingStrategy.decoding
    }
  }

  @Test func `dates are encoded and decoded by every strategy`() throws {
    let seconds = 1_579_805_103.625
    #expect(Self.stored(.deferredToDate)?.storage == .string("2020-01-23 18:45:03.625"))
    #expect(Self.stored(.timeIntervalSinceReferenceDate)?.storage == .double(seconds - 978_307_200))
    #expect(Self.stored(.timeIntervalSince1970)?.storage == .double(seconds))
    #expect(Self.stored(.secondsSince1970)?.storage == .int64(1_579_805_103))
    #expect(Self.stored(.millisecondsSince1970)?.storage == .int64(1_579_805_103_625))
    // Fractions are cut towards the past.
    let before = Date(timeIntervalSince1970: -0.000_25)
    #expect(Self.stored(.millisecondsSince1970, before)?.storage == .int64(-1))
    #expect(Self.stored(.secondsSince1970, before)?.storage == .int64(-1))
    #expect(Self.stored(.iso8601)?.storage == .string("2020-01-23T18:45:03Z"))
    #expect(Self.stored(.formatted(Self.noon))?.storage == .string("2020/01/23 18:45"))
    #expect(Self.stored(.custom { _ in "some day" })?.storage == .string("some day"))
    #expect(Self.stored(.custom { _ in nil }) == .null)

    func decoded(
      _ strategy: DatabaseDateDecodingStrategy, _ value: any DatabaseValueConvertible
    ) throws -> Double {
      EncodingStrategy.decoding = strategy
      return try Dated(row: ["date": value]).date.timeIntervalSince1970
    }
    #expect(try decoded(.deferredToDate, "2020-01-23 18:45:03.625") == seconds)
    #expect(try decoded(.deferredToDate, seconds) == seconds)
    #expect(try decoded(.timeIntervalSinceReferenceDate, 0) == 978_307_200)
    #expect(try decoded(.timeIntervalSince1970, 5) == 5)
    #expect(try decoded(.millisecondsSince1970, 1_500) == 1.5)
    #expect(try decoded(.iso8601, "2020-01-23T18:45:03Z") == 1_579_805_103)
    #expect(try decoded(.formatted(Self.noon), "1970/01/01 00:01") == 60)
    #expect(try decoded(.custom { _ in Date(timeIntervalSince1970: 7) }, "x") == 7)
    #expect(error { try decoded(.custom { _ in nil }, "x") } is RowDecodingError)
    #expect(error { try decoded(.iso8601, "yesterday") } is RowDecodingError)
    EncodingStrategy.decoding = .deferredToDate
    EncodingStrategy.date = .deferredToDate
  }

  // MARK: Data and UUID

  @Test func `bytes are stored by their strategy`() throws {
    struct Reversed: Codable, FetchableRecord, EncodableRecord {
      var data: Data
      static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        .custom { Data($0.reversed()) }
      }
      static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
        .custom { Data.fromDatabaseValue($0).map { Data($0.reversed()) } }
      }
    }
    struct Text: Codable, EncodableRecord {
      var data: Data
      static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
        .text
      }
    }
    struct Plain: Codable, EncodableRecord { var data: Data }
    let data = Data("ab".utf8)
    #expect(try Plain(data: data).databaseDictionary == ["data": data.databaseValue])
    #expect(try Reversed(data: data).databaseDictionary == ["data": Data("ba".utf8).databaseValue])
    #expect(try Reversed(row: ["data": data]).data == Data("ba".utf8))
    #expect(try Text(data: data).databaseDictionary == ["data": "ab".databaseValue])
    #expect(error { try Text(data: Data([0xff])).databaseDictionary } != nil)
  }

  @Test func `UUIDs are stored by their strategy and read from every form`() throws {
    struct Upper: Codable, FetchableRecord, EncodableRecord {
      var id: UUID
      static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .uppercaseString
      }
    }
    struct Lower: Codable, EncodableRecord {
      var id: UUID
      static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .lowercaseString
      }
    }
    struct Plain: Codable, EncodableRecord { var id: UUID }
    let id = UUID()
    #expect(try Plain(id: id).databaseDictionary["id"] == id.databaseValue)
    #expect(try Upper(id: id).databaseDictionary["id"] == id.uuidString.databaseValue)
    #expect(try Lower(id: id).databaseDictionary["id"] == id.uuidString.lowercased().databaseValue)
    for stored in [id.databaseValue, id.uuidString.databaseValue, id.uuidString.lowercased().databaseValue] {
      #expect(try Upper(row: ["id": stored]).id == id)
    }
  }

  // MARK: Columns, JSON and user info

  @Test func `columns are named by their strategy, JSON coders by the property`() throws {
    struct Shouting: Codable, Equatable, FetchableRecord, EncodableRecord {
      var firstName: String
      var tags: [String]
      static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom {
        $0.stringValue.uppercased()
      }
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom {
        SomeKey(stringValue: $0 == "TAGS" ? "tags" : "firstName")
      }
      static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        #expect(column == "tags")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        return encoder
      }
    }
    let record = Shouting(firstName: "A", tags: ["x"])
    let row = try Row(record)
    #expect(Array(row.columnNames) == ["FIRSTNAME", "TAGS"])
    #expect((row["TAGS"] as String).contains("\n"))
    #expect(try Shouting(row: row) == record)
  }

  @Test func `snake case is made and undone`() throws {
    struct Snake: Codable, Equatable, FetchableRecord, EncodableRecord {
      var id: Int
      var firstName: String
      var myURLProperty: String
      static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
      enum CodingKeys: String, CodingKey { case id, firstName, myURLProperty = "myUrlProperty" }
    }
    let record = Snake(id: 1, firstName: "A", myURLProperty: "u")
    #expect(try Array(Row(record).columnNames) == ["id", "first_name", "my_url_property"])
    #expect(try Snake(row: Row(record)) == record)
  }

  @Test func `user info reaches properties, also those in JSON`() throws {
    struct Informed: Codable, FetchableRecord, EncodableRecord {
      var probe: Probe
      static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [infoKey: "encoding"] }
      static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [infoKey: "decoding"] }
    }
    let stored = try Informed(probe: Probe(info: "")).databaseDictionary["probe"]
    #expect(stored == #"{"info":"encoding"}"#.databaseValue)
    #expect(try Informed(row: ["probe": stored]).probe == Probe(info: "decoding"))
  }

  // MARK: What properties become

  @Test func `nil is written as NULL, values as values, single values unwrapped`() throws {
    struct Mixed: Codable, Equatable, FetchableRecord, EncodableRecord {
      var none: Int?
      var even: Even
      var single: Single
      var list: [Int]
      var dictionary: [String: Int]?
    }
    let record = Mixed(even: Even(half: 2), single: Single(text: "s"), list: [1, 2])
    #expect(
      try Row(record) == [
        "none": nil, "even": 4, "single": "s", "list": "[1,2]", "dictionary": nil,
      ])
    #expect(try Mixed(row: Row(record)) == record)
  }

  @Test func `numbers that SQLite does not have are errors`() throws {
    struct Big: Codable, EncodableRecord {
      var number: UInt64?
    }
    #expect(try Big(number: 7).databaseDictionary["number"] == 7.databaseValue)
    #expect(try Big().databaseDictionary["number"] == .null)
    #expect(error { try Big(number: .max).databaseDictionary } is EncodingError)
  }

  @Test func `a record in a record is made of its own row, if it is fetchable`() throws {
    struct Inner: Decodable, FetchableRecord {
      var text: String
      init(row: Row) { text = "row \(row["a"] as Int)" }
      init(from decoder: any Decoder) throws { text = "decoder" }
    }
    struct Outer: Decodable, FetchableRecord {
      var inner: Inner
      var b: Int
    }
    try inEmptyDatabase { db throws in
      let adapter = ScopeAdapter(["inner": RangeRowAdapter(0..<1)])
      let outer = try Outer.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b", adapter: adapter)
      #expect(outer?.inner.text == "row 1" && outer?.b == 2)
      let base = try Outer.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b")
      #expect(base?.inner.text == "row 1")
    }
  }

  @Test func `a decoder is there for initializers of rows`() throws {
    struct Player: Decodable, FetchableRecord {
      var name: String
      var isSelected = false
      enum CodingKeys: String, CodingKey { case name }
    }
    struct Selected: FetchableRecord {
      var player: Player
      init(row: Row) throws {
        player = try FetchableRecordDecoder().decode(Player.self, from: row)
        player.isSelected = true
      }
    }
    let selected = try Selected(row: ["name": "A"])
    #expect(selected.player.name == "A" && selected.player.isSelected)
    #expect(error { try Selected(row: ["nom": "A"]) } is RowDecodingError)
  }
}

private struct SomeKey: CodingKey {
  let stringValue: String
  let intValue: Int? = nil
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
