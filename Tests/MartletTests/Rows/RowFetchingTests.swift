import Martlet
import Testing

private struct Author: Decodable, Equatable, FetchableRecord {
  var name: String
}

/// Rows fetched by SQL, statement and request, and records in their scopes.
@Suite struct RowFetchingTests {
  @Test func `rows are fetched in every way`() throws {
    try inEmptyDatabase { db throws in
      let sql = "SELECT ? AS a UNION ALL SELECT 2"
      let statement = try db.makeStatement(sql: sql)
      let request = SQLRequest(sql: sql, arguments: [1])
      let adapter = ColumnMapping(["b": "a"])
      let rows: [Row] = [["a": 1], ["a": 2]]
      #expect(try Row.fetchAll(db, sql: sql, arguments: [1]) == rows)
      #expect(try Row.fetchAll(statement, arguments: [1]) == rows)
      #expect(try Row.fetchAll(db, request) == rows)
      #expect(try request.fetchAll(db) == rows)
      #expect(try Row.fetchSet(db, sql: sql, arguments: [1]) == Set(rows))
      #expect(try Row.fetchSet(statement, arguments: [1]) == Set(rows))
      #expect(try request.fetchSet(db) == Set(rows))
      #expect(try Row.fetchOne(db, sql: sql, arguments: [1]) == rows[0])
      #expect(try Row.fetchOne(statement, arguments: [1], adapter: adapter) == ["b": 1])
      #expect(try request.fetchOne(db) == rows[0])
      #expect(try Row.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      let values = try Row.fetchCursor(statement, arguments: [1]).map { $0["a"] as Int }
      #expect(try Array(values) == [1, 2])
      #expect(try Row.fetchCursor(db, sql: sql, arguments: [1]).columnNames == ["a"])
      #expect(try request.fetchCursor(db).arguments == [1])
    }
  }

  @Test func `a scope is a record, and none where all its columns are NULL`() throws {
    try inEmptyDatabase { db throws in
      let adapter = ScopeAdapter(["author": RangeRowAdapter(1..<2)])
      func row(_ name: String?) throws -> Row {
        try #require(
          try Row.fetchOne(
            db, sql: "SELECT 1 AS id, ? AS name", arguments: [name], adapter: adapter))
      }
      let full = try row("A"), empty = try row(nil)
      #expect(full["author"] as Author == Author(name: "A"))
      #expect(full["author"] as Author? == Author(name: "A"))
      #expect(empty["author"] as Author? == nil)
      #expect(full["editor"] as Author? == nil)
      #expect(try full.decodeIfPresent(Author.self, forKey: "author") == Author(name: "A"))
      #expect(error { try empty.decode(Author.self, forKey: "author") } is RowDecodingError)
      #expect(error { try full.decode(Author.self, forKey: "editor") } is RowDecodingError)
      #expect(error { try full.decode([Author].self, forKey: "books") } is RowDecodingError)
      #expect(empty.scopes["author"]?.containsNonNullValue == false)
    }
  }

  @Test func `collections reserve memory for what cursors have`() throws {
    func numbers() -> AnyCursor<Int> { AnyCursor(1...3) }
    #expect(try Array(numbers(), minimumCapacity: 100).capacity >= 100)
    #expect(try Set(numbers(), minimumCapacity: 100).capacity >= 100)
    let grouped = try Dictionary(minimumCapacity: 100, grouping: numbers()) { $0 % 2 }
    #expect(grouped == [1: [1, 3], 0: [2]] && grouped.capacity >= 100)
    let keyed = try Dictionary(
      minimumCapacity: 100, uniqueKeysWithValues: numbers().map { ($0, "\($0)") })
    #expect(keyed[2] == "2" && keyed.capacity >= 100)
    var set: Set = [1, 9]
    try set.formUnion(numbers())
    #expect(set == [1, 2, 3, 9])
    try set.formIntersection(AnyCursor([9, 1]))
    #expect(set == [1, 9])
    #expect(try Array(AnyCursor([[1], [2, 3]]).joined()) == [1, 2, 3])
    #expect(try AnyCursor(["a", "b"]).joined() == "ab")
    var seen = 0
    try numbers().forEach { seen += $0 }
    #expect(seen == 6)
  }
}
