import Foundation
import Martlet
import Testing

@Suite struct RowTests {
  @Test func `values are read by index and by name in any case`() throws {
    try inEmptyDatabase { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS Name, NULL AS n")
      let row = try #require(try rows.next())
      #expect(row[0] == 1)
      #expect(row["A"] == 1)
      #expect(row["name"] == "x")
      #expect(row[Column("NAME")] == "x")
      #expect(row["n"] as Int? == nil)
      #expect(row["missing"] as Int? == nil)
      #expect(row["n"] == nil)
      #expect(row.hasColumn("NAME") && !row.hasColumn("other"))
      #expect(row.hasNull(atIndex: 2) && !row.hasNull(atIndex: 0))
      #expect(row.containsNonNullValue)
      #expect(Array(row.columnNames) == ["a", "Name", "n"])
      #expect(Array(row.databaseValues) == [1.databaseValue, "x".databaseValue, .null])
      #expect(row.count == 3)
      #expect(try rows.next() == nil)
      #expect(try rows.next() == nil)
    }
  }

  /// A failed expectation and `dump` walk through mirrors.
  @Test func `a copy's mirror has its columns, others have nothing`() throws {
    try inEmptyDatabase { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS b")
      let row = try #require(try rows.next())
      let labels = Mirror(reflecting: row.copy()).children.map(\.label)
      #expect(labels == ["a", "b"])
      #expect(Mirror(reflecting: row).children.isEmpty)
      #expect(Mirror(reflecting: db).children.isEmpty)
      let statement = try db.makeStatement(sql: "SELECT 1")
      #expect(Mirror(reflecting: statement).children.isEmpty)
    }
  }

  @Test func `of columns of one name the leftmost is found`() throws {
    try inEmptyDatabase { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS A, 3 AS b, 4 AS a"))
      #expect(row["a"] == 1)
      #expect(row["b"] == 3)
      #expect(row["A"] == 1)
      #expect(row[3] == 4)
    }
  }

  @Test func `wide rows find their columns`() throws {
    try inEmptyDatabase { db throws in
      let columns = (0..<40).map { "\($0) AS Column\($0)" }.joined(separator: ", ")
      let row = try #require(try Row.fetchOne(db, sql: "SELECT \(columns)"))
      #expect(row["column39"] == 39)
      #expect(row["COLUMN7"] == 7)
      #expect(row["Column8"] == 8)
    }
  }

  @Test func `decoding throws what the subscripts stop the program for`() throws {
    try inEmptyDatabase { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 'x' AS a, NULL AS b"))
      #expect(error { try row.decode(Int.self, forColumn: "a") } is RowDecodingError)
      #expect(error { try row.decode(Int.self, forColumn: "b") } is RowDecodingError)
      #expect(
        "\(try #require(error { try row.decode(Int.self, forColumn: "c") }))".hasPrefix(
          "column not found: \"c\""))
      #expect(try row.decode(Int?.self, forColumn: "b") == nil)
      #expect(try row.decode(Int?.self, forColumn: "c") == nil)
      #expect(try row.decode(String.self, atIndex: 0) == "x")
    }
  }

  @Test func `a live row reads with coercion where a copy does not`() throws {
    try inEmptyDatabase { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT '12abc' AS a")
      let row = try #require(try rows.next())
      #expect(row["a"] as Int == 12)
      #expect(error { try row.copy().decode(Int.self, forColumn: "a") } is RowDecodingError)
    }
  }

  @Test func `the rows of a cursor are one row, copies stay`() throws {
    try inEmptyDatabase { db throws in
      let sql = "SELECT 1 AS a, 'text' AS b, x'0102' AS c UNION ALL SELECT 2, NULL, 2.5"
      let rows = try Row.fetchCursor(db, sql: sql)
      let first = try #require(try rows.next())
      let copy = first.copy()
      let second = try #require(try rows.next())
      #expect(first === second)
      #expect(second["a"] == 2)
      #expect(copy["a"] == 1 && copy["b"] == "text" && copy["c"] == Data([1, 2]))
      #expect(try Row.fetchAll(db, sql: sql).map { $0["a"] as Int } == [1, 2])
      #expect(try Row.fetchSet(db, sql: sql).count == 2)
    }
  }

  @Test func `rows are made from dictionaries and compared by columns and values`() {
    let row: Row = ["id": 1, "name": "a", "none": nil]
    #expect(row["id"] == 1 && row["none"] as Int? == nil)
    #expect(row == ["id": 1.0, "name": "a", "none": nil])
    #expect(row != ["name": "a", "id": 1, "none": nil])
    #expect(row.hashValue == (["id": 1.0, "name": "a", "none": nil] as Row).hashValue)
    #expect(Row(["a": 1] as [String: (any DatabaseValueConvertible)?])["a"] == 1)
    #expect(Row(["a": Date.self] as [AnyHashable: Any]) == nil)
    #expect(row.description == "[id:1 name:\"a\" none:NULL]")
    #expect(Row().isEmpty)
  }

  @Test func `coalesce gives the first value that is there`() {
    let row: Row = ["a": nil, "b": 2]
    #expect(row.coalesce(["missing", "a", "b"]) == 2)
    #expect(row.coalesce([Column("a")]) as Int? == nil)
  }

  @Test func `bytes are lent without a copy`() throws {
    try inEmptyDatabase { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT x'0102' AS a, NULL AS b, x'' AS c")
      let row = try #require(try rows.next())
      #expect(try row.withUnsafeData(named: "a") { $0.map { Data($0) } } == Data([1, 2]))
      #expect(try row.withUnsafeData(named: "b") { $0 } == nil)
      #expect(try row.withUnsafeData(atIndex: 2) { $0 } == Data())
      #expect(try row.copy().withUnsafeData(named: "a") { $0 } == Data([1, 2]))
    }
  }

  @Test func `adapters rename, cut and group columns`() throws {
    try inEmptyDatabase { db throws in
      let sql = "SELECT 0 AS a0, 1 AS a1, 2 AS a2, 3 AS a3"
      func row(_ adapter: any RowAdapter) throws -> Row {
        try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
      }
      #expect(try row(ColumnMapping(["y": "A2", "x": "a1"])) == ["x": 1, "y": 2])
      #expect(try row(SuffixRowAdapter(fromIndex: 2)) == ["a2": 2, "a3": 3])
      #expect(try row(RangeRowAdapter(1..<3)) == ["a1": 1, "a2": 2])
      #expect(try row(RangeRowAdapter(0...1)) == ["a0": 0, "a1": 1])
      #expect(try row(RenameColumnAdapter { $0 + "x" })["a3x"] == 3)
      #expect(try row(EmptyRowAdapter()).isEmpty)
      #expect(try row(EmptyRowAdapter()).unadapted["a3"] == 3)
      #expect(databaseError { try row(ColumnMapping(["x": "zz"])) }?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `scopes are parts of a row at any depth`() throws {
    try inEmptyDatabase { db throws in
      let adapter = ScopeAdapter(
        base: RangeRowAdapter(0..<1),
        scopes: [
          "left": RangeRowAdapter(1..<2),
          "right": ScopeAdapter(
            base: RangeRowAdapter(2..<3), scopes: ["deep": SuffixRowAdapter(fromIndex: 3)]),
        ])
      for isLive in [true, false] {
        let sql = "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d"
        let rows = try Row.fetchCursor(db, sql: sql, adapter: adapter)
        let live = try #require(try rows.next())
        let row = isLive ? live : live.copy()
        #expect(Array(row.columnNames) == ["a"])
        #expect(row.scopes["left"] == ["b": 1])
        #expect(row.scopes["right"]?.scopes["deep"] == ["d": 3])
        #expect(row.scopes["deep"] == nil)
        #expect(row.scopesTree["deep"] == ["d": 3])
        #expect(row.scopesTree.names == ["left", "right", "deep"])
        #expect(row.unscoped == ["a": 0])
        #expect(row.unadapted.count == 4)
      }
    }
  }

  @Test func `splitting adapters cover all columns`() throws {
    try inEmptyDatabase { db throws in
      let adapters = splittingRowAdapters(columnCounts: [1, 2])
      let scopes = Dictionary(uniqueKeysWithValues: zip(["a", "b", "c"], adapters))
      let row = try #require(
        try Row.fetchOne(
          db, sql: "SELECT 1 AS x, 2 AS y, 3 AS z, 4 AS w", adapter: ScopeAdapter(scopes)))
      #expect(row.scopes["a"] == ["x": 1])
      #expect(row.scopes["b"] == ["y": 2, "z": 3])
      #expect(row.scopes["c"] == ["w": 4])
    }
  }

  @Test func `a description shows the rows that were fetched for a scope`() throws {
    struct Team: TableRecord {
      static let players = hasMany(Player.self)
    }
    struct Player: TableRecord {
      static let team = belongsTo(Team.self)
    }
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE team(id INTEGER PRIMARY KEY);
          CREATE TABLE player(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
          INSERT INTO team VALUES (1);
          INSERT INTO player VALUES (2, 1), (3, 1);
          """)
      let request = Player.including(optional: Player.team.including(all: Team.players))
      let row = try #require(try Row.fetchOne(db, request.orderByPrimaryKey()))
      #expect(
        row.debugDescription == """
          ▿ [id:2 teamId:1]
            unadapted: [id:2 teamId:1 id:1]
            - team: [id:1]
              + players: 2 rows
            + players: 2 rows
          """)
    }
  }

  @Test func `a scope knows the row that it is a part of`() throws {
    try inEmptyDatabase { db throws in
      let inner = SuffixRowAdapter(fromIndex: 2)
      let adapter = ScopeAdapter(
        base: RangeRowAdapter(0..<1), scopes: ["b": RangeRowAdapter(1..<2).addingScopes(["c": inner])])
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c", adapter: adapter))
      let scope = try #require(row.scopes["b"])
      #expect(scope.unscoped == ["b": 2])
      #expect(scope.unadapted == ["a": 1, "b": 2, "c": 3])
      #expect(
        scope.debugDescription == """
          ▿ [b:2]
            unadapted: [a:1 b:2 c:3]
            - c: [c:3]
          """)
    }
  }
}
