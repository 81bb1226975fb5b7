import Martlet
import Testing

@Suite struct SchemaChangeTests {
  private let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
        t.column("address", .jsonText)
      }
    }
  }

  private func sql(_ body: (Database) throws -> Void) throws -> [String] {
    try queue.inDatabase { db in
      try executedSQL(db) { try body(db) }.filter { !$0.hasPrefix("PRAGMA") && !$0.hasPrefix("SELECT") }
    }
  }

  @Test func `tables are altered step by step`() throws {
    let statements = try sql { db in
      try db.alter(table: "player") { t in
        t.add(column: "team", .text).notNull().defaults(to: "none").indexed()
        t.addColumn(sql: "a INT")
        t.addColumn(literal: "b INT DEFAULT \(7)")
        t.rename(column: "name", to: "full \"name\"")
        t.drop(column: "a")
        t.add(column: "captain").references("player")
      }
    }
    #expect(
      statements == [
        #"ALTER TABLE "player" ADD COLUMN "team" TEXT NOT NULL DEFAULT 'none'"#,
        #"CREATE INDEX "player_on_team" ON "player"("team")"#,
        #"ALTER TABLE "player" ADD COLUMN a INT"#,
        #"ALTER TABLE "player" ADD COLUMN b INT DEFAULT 7"#,
        #"ALTER TABLE "player" RENAME COLUMN "name" TO "full ""name""""#,
        #"ALTER TABLE "player" DROP COLUMN "a""#,
        #"ALTER TABLE "player" ADD COLUMN "captain" REFERENCES "player"("id")"#,
      ])
    let columns = try queue.read { try $0.columns(in: "player").map(\.name) }
    #expect(columns == ["id", "full \"name\"", "address", "team", "b", "captain"])
  }

  @Test func `tables are renamed and dropped`() throws {
    let statements = try sql { db in
      try db.rename(table: "player", to: "players")
      try db.drop(table: "players")
    }
    #expect(
      statements == [#"ALTER TABLE "player" RENAME TO "players""#, #"DROP TABLE "players""#])
    #expect(try queue.read { try !$0.tableExists("players") })
  }

  @Test func `indexes are on columns or expressions, of all rows or some`() throws {
    let statements = try sql { db in
      try db.create(index: "a", on: "player", columns: ["name", "id"])
      try db.create(
        index: "b", on: "player", columns: ["name"], options: [.unique, .ifNotExists],
        condition: Column("id") > 10)
      try db.create(
        index: "c", on: "player", expressions: [JSONColumn("address")["country"], Column("id")])
      try db.create(indexOn: "player", columns: ["name", "id"])
      try db.drop(indexOn: "player", columns: ["NAME"])
      try db.drop(index: "c")
      try db.reindex(collation: .nocase)
    }
    #expect(
      statements == [
        #"CREATE INDEX "a" ON "player"("name", "id")"#,
        #"CREATE UNIQUE INDEX IF NOT EXISTS "b" ON "player"("name") WHERE "id" > 10"#,
        #"CREATE INDEX "c" ON "player"("address" ->> 'country', "id")"#,
        #"CREATE INDEX "index_player_on_name_id" ON "player"("name", "id")"#,
        #"DROP INDEX "b""#, #"DROP INDEX "c""#, "REINDEX NOCASE",
      ])
    // Two indexes have these columns: which one is meant is not known.
    #expect(try sql { try $0.drop(indexOn: "player", columns: ["name", "id"]) }.isEmpty)
  }

  @Test func `views have the values of their requests as literals`() throws {
    let name = "O'Brien"
    let statements = try sql { db in
      try db.create(
        view: "irish", options: [.ifNotExists, .temporary], columns: ["who"],
        asLiteral: "SELECT name FROM player WHERE name = \(name)")
      try db.create(view: "all players", as: SQLRequest<Row>("SELECT * FROM player"))
      try db.drop(view: "irish")
    }
    #expect(
      statements == [
        #"CREATE TEMPORARY VIEW IF NOT EXISTS "irish" ("who") AS "#
          + "SELECT name FROM player WHERE name = 'O''Brien'",
        #"CREATE VIEW "all players" AS SELECT * FROM player"#, #"DROP VIEW "irish""#,
      ])
    #expect(try queue.read { try $0.viewExists("all players") })
  }

  @Test func `a broken foreign key is named with its row`() throws {
    try queue.writeWithoutTransaction { db throws in
      try db.execute(
        sql: """
          CREATE TABLE team(id INTEGER PRIMARY KEY);
          CREATE TABLE member(id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team);
          PRAGMA foreign_keys = OFF;
          INSERT INTO member VALUES(1, 7);
          """)
      #expect {
        try db.checkForeignKeys()
      } throws: { error in
        let error = error as? DatabaseError
        return error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
          && error?.message == "FOREIGN KEY constraint violation - from member(teamId) to team(id), "
            + "in [id:1 teamId:7]"
      }
      try db.checkForeignKeys(in: "team")
      #expect(throws: DatabaseError.self) { try db.checkForeignKeys(in: "member") }
      #expect(throws: DatabaseError.self) { try db.checkForeignKeys(in: "nowhere") }
    }
  }
}

