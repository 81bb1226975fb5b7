import Foundation
import Martlet
import Testing

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
  var id: Int
  var name: String
}

/// Requests of SQL, and those that hide or change others.
@Suite struct RequestTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO player VALUES (1, 'Arthur'), (2, 'Barbara');
          """)
      try body(db)
    }
  }

  @Test func `a request of SQL is for rows, values or records`() throws {
    try inPlayers { db throws in
      let rows = SQLRequest(sql: "SELECT * FROM player WHERE id = ?", arguments: [1])
      #expect(try rows.fetchAll(db) == [["id": 1, "name": "Arthur"]])
      let names = SQLRequest<String>(sql: "SELECT name FROM player ORDER BY id")
      #expect(try names.fetchAll(db) == ["Arthur", "Barbara"])
      #expect(try names.fetchSet(db) == ["Arthur", "Barbara"])
      #expect(try names.fetchOne(db) == "Arthur")
      #expect(try names.fetchCursor(db).next() == "Arthur")
      let id = 2
      let records: SQLRequest<Player> = "SELECT * FROM player WHERE id = \(id)"
      #expect(try records.fetchOne(db) == Player(id: 2, name: "Barbara"))
      #expect(try Player.fetchAll(db, records).count == 1)
      #expect(try SQLRequest<Int>(literal: "SELECT \(1) + \(id)").fetchOne(db) == 3)
    }
  }

  @Test func `a request counts its rows as a subquery`() throws {
    try inPlayers { db throws in
      let request = SQLRequest<Row>(sql: "SELECT * FROM player WHERE id < ?", arguments: [9])
      let texts = try executedSQL(db) { () throws in
        #expect(try request.fetchCount(db) == 2)
      }
      #expect(texts == ["SELECT COUNT(*) FROM (SELECT * FROM player WHERE id < 9)"])
    }
  }

  @Test func `a cached request compiles its statement once`() throws {
    try inPlayers { db throws in
      let cached = SQLRequest<Int>(sql: "SELECT id FROM player", cached: true)
      let first = try cached.makePreparedRequest(db).statement
      #expect(try cached.makePreparedRequest(db).statement === first)
      #expect(try db.cachedStatement(sql: "SELECT id FROM player") === first)
      let uncached = SQLRequest<Int>(sql: "SELECT id FROM player")
      #expect(try uncached.makePreparedRequest(db).statement !== first)
    }
  }

  @Test func `adapters are put upon each other`() throws {
    try inPlayers { db throws in
      let request = SQLRequest<Row>(
        sql: "SELECT id, name FROM player", adapter: ColumnMapping(["n": "name"]))
      #expect(try request.fetchOne(db) == ["n": "Arthur"])
      let adapted = request.adapted { _ in RenameColumnAdapter { $0 + $0 } }
      #expect(try adapted.fetchOne(db) == ["nn": "Arthur"])
      #expect(try adapted.fetchCount(db) == 2)
      let value = SQLRequest<String>(
        sql: "SELECT id, name FROM player", adapter: SuffixRowAdapter(fromIndex: 1))
      #expect(try value.fetchOne(db) == "Arthur")
    }
  }

  @Test func `a request hides its kind, and is decoded as another type`() throws {
    try inPlayers { db throws in
      let any = AnyFetchRequest(Player.filter(Column("id") == 2))
      #expect(try any.fetchOne(db) == Player(id: 2, name: "Barbara"))
      #expect(try any.fetchCount(db) == 1)
      #expect(try any.asRequest(of: Row.self).fetchOne(db) == ["id": 2, "name": "Barbara"])
      let rows = Player.filter(Column("id") == 2).asRequest(of: Row.self)
      #expect(try rows.fetchAll(db) == [["id": 2, "name": "Barbara"]])
    }
  }

  @Test func `a prepared request fetches like others`() throws {
    try inPlayers { db throws in
      let prepared = try Player.all().makePreparedRequest(db, forSingleResult: true)
      #expect(prepared.statement.sql == #"SELECT * FROM "player" LIMIT 1"#)
      #expect(try Player.fetchAll(prepared.statement).count == 1)
    }
  }

  @Test func `the application's statements are its own`() throws {
    try inPlayers { db throws in
      // A record is fetched by the same text while the application reads from its statement.
      let statement = try db.cachedStatement(sql: #"SELECT * FROM "player" WHERE "id" = ?"#)
      let cursor = try Row.fetchCursor(statement, arguments: [1])
      #expect(try cursor.next()?["name"] == "Arthur")
      #expect(try Player.fetchOne(db, key: 2)?.name == "Barbara")
      #expect(try cursor.next() == nil)
    }
  }

  @Test func `arguments of a script are given once, or to each statement`() throws {
    try inPlayers { db throws in
      let statements = try db.allStatements(sql: "SELECT ?; SELECT ?")
      var values: [Int?] = []
      while let statement = try statements.next() {
        #expect(databaseError { try statement.execute() }?.resultCode == .SQLITE_MISUSE)
        values.append(try Int.fetchOne(statement, arguments: [values.count]))
      }
      #expect(values == [0, 1])
      let literal = try db.allStatements(literal: "SELECT \(5); SELECT \(6)")
      var sums = 0
      while let statement = try literal.next() { sums += try Int.fetchOne(statement) ?? 0 }
      #expect(sums == 11)
    }
  }

  @Test func `a statement takes any number of arguments`() throws {
    try inPlayers { db throws in
      for count in [1, 20, 21, 500] {
        let marks = databaseQuestionMarks(count: count)
        let statement = try db.makeStatement(
          sql: "SELECT COUNT(*) FROM (SELECT \(marks.replacing(",", with: " UNION SELECT ")))")
        let arguments = StatementArguments((0..<count).map { "text \($0)" })
        #expect(try Int.fetchOne(statement, arguments: arguments) == count)
      }
    }
  }

  @Test func `arguments are made of sequences and dictionaries`() {
    #expect(StatementArguments([1, 2]) == [1, 2])
    #expect(StatementArguments([1, nil, "a"] as [(any DatabaseValueConvertible)?]) == [1, nil, "a"])
    #expect(StatementArguments(["a": 1, "b": nil]) == ["a": 1, "b": nil])
    #expect(StatementArguments(["a": 1] as [AnyHashable: Any]) == ["a": 1])
    #expect(StatementArguments([1: 1] as [AnyHashable: Any]) == nil)
    var arguments: StatementArguments = [1]
    arguments += ["a": 2]
    #expect(arguments == [1] + ["a": 2])
  }

  @Test func `the engine's statement is there for those who need it`() throws {
    try inPlayers { db throws in
      let statement = try db.makeStatement(sql: "SELECT id, name FROM player")
      let raw: SQLiteStatement = statement.sqliteStatement
      #expect(sqlite3_column_count(raw) == 2)
    }
  }
}
