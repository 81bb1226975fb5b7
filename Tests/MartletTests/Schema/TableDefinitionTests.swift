import Martlet
import Testing

@Suite struct TableDefinitionTests {
  private let queue: DatabaseQueue

  init() throws { queue = try DatabaseQueue() }

  /// The statements that a definition runs.
  private func sql(
    _ name: String = "test", _ options: TableOptions = [],
    after setUp: (Database) throws -> Void = { _ in }, _ body: (TableDefinition) throws -> Void
  ) throws -> [String] {
    try queue.inDatabase { db in
      try setUp(db)
      return try executedSQL(db) { try db.create(table: name, options: options, body: body) }
        .filter { $0.hasPrefix("CREATE") }
    }
  }

  @Test func `columns are written with their names, types and constraints`() throws {
    let statements = try sql { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull().collate(.nocase)
      t.column("untyped")
      t.column("score", .integer).notNull(onConflict: .ignore).defaults(to: 0).check { $0 >= 0 }
      t.column("email", .text).unique(onConflict: .replace).check(sql: "length(email) > 3")
      t.column("quote", .text).defaults(to: "it's")
      t.column("created", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
      t.column("double", .integer).generatedAs(sql: "score * 2")
      t.column("sum", .integer).generatedAs(Column("score") + Column("double"), .stored)
      t.column(sql: "raw TEXT")
      t.column(literal: "other TEXT DEFAULT \("x")")
    }
    #expect(
      statements == [
        #"CREATE TABLE "test" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "#
          + #""name" TEXT NOT NULL COLLATE NOCASE, "untyped", "#
          + #""score" INTEGER NOT NULL ON CONFLICT IGNORE CHECK ("score" >= 0) DEFAULT 0, "#
          + #""email" TEXT UNIQUE ON CONFLICT REPLACE CHECK (length(email) > 3), "#
          + #""quote" TEXT DEFAULT 'it''s', "created" DATETIME DEFAULT CURRENT_TIMESTAMP, "#
          + #""double" INTEGER GENERATED ALWAYS AS (score * 2) VIRTUAL, "#
          + #""sum" INTEGER GENERATED ALWAYS AS ("score" + "double") STORED, "#
          + #"raw TEXT, other TEXT DEFAULT 'x')"#
      ])
  }

  @Test func `options and constraints of the table follow its columns`() throws {
    let statements = try sql("t", [.ifNotExists, .strict, .withoutRowID]) { t in
      t.column("a", .integer)
      t.column("b", .integer)
      t.primaryKey(["a", "b"], onConflict: .fail)
      t.uniqueKey(["b"], onConflict: .replace)
      t.foreignKey(["a"], references: "p", columns: ["x"], onDelete: .cascade, deferred: true)
      t.check(Column("a") > Column("b"))
      t.check(sql: "a <> 7")
      t.constraint(sql: "CHECK (b > 1)")
      t.constraint(literal: "CHECK (b < \(9))")
    }
    #expect(
      statements == [
        #"CREATE TABLE IF NOT EXISTS "t" ("a" INTEGER, "b" INTEGER, "#
          + #"PRIMARY KEY ("a", "b") ON CONFLICT FAIL, UNIQUE ("b") ON CONFLICT REPLACE, "#
          + #"FOREIGN KEY ("a") REFERENCES "p"("x") ON DELETE CASCADE "#
          + #"DEFERRABLE INITIALLY DEFERRED, "#
          + #"CHECK ("a" > "b"), CHECK (a <> 7), CHECK (b > 1), CHECK (b < 9)) "#
          + #"STRICT, WITHOUT ROWID"#
      ])
    let temporary = try sql("u", .temporary) { $0.column("a") }
    #expect(temporary == [#"CREATE TEMPORARY TABLE "u" ("a")"#])
  }

  @Test func `a primary key that is not the rowid refuses NULL`() throws {
    #expect(
      try sql("a") { $0.primaryKey("id", .integer) }
        == [#"CREATE TABLE "a" ("id" INTEGER PRIMARY KEY)"#])
    #expect(
      try sql("b") { $0.primaryKey("id", .text) }
        == [#"CREATE TABLE "b" ("id" TEXT PRIMARY KEY NOT NULL)"#])
    let composite = try sql("c") { t in
      t.primaryKey {
        t.column("x", .integer)
        t.column("y", .text)
      }
      t.column("z")
    }
    #expect(
      composite == [
        #"CREATE TABLE "c" ("x" INTEGER NOT NULL, "y" TEXT NOT NULL, "z", PRIMARY KEY ("x", "y"))"#
      ])
  }

  @Test func `indexed columns get an index of their own`() throws {
    let statements = try sql("player", .ifNotExists) { t in
      t.column("email", .text).indexed()
      t.column("name", .text).unique().indexed()
    }
    #expect(
      statements == [
        #"CREATE TABLE IF NOT EXISTS "player" ("email" TEXT, "name" TEXT UNIQUE)"#,
        #"CREATE INDEX IF NOT EXISTS "player_on_email" ON "player"("email")"#,
      ])
  }

  @Test func `a reference without column is to the primary key`() throws {
    let statements = try sql("child", after: { db in
      try db.create(table: "parent") { $0.primaryKey("key", .text) }
      try db.create(table: "plain") { $0.column("a") }
    }) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("a").references("parent", onDelete: .setNull, onUpdate: .cascade)
      t.column("b").references("plain")
      t.column("c").references("child")
      t.column("d").references("nowhere", column: "x", deferred: true)
      t.foreignKey(["a"], references: "parent")
    }
    #expect(
      statements == [
        #"CREATE TABLE "child" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "#
          + #""a" REFERENCES "parent"("key") ON DELETE SET NULL ON UPDATE CASCADE, "#
          + #""b" REFERENCES "plain"("rowid"), "c" REFERENCES "child"("id"), "#
          + #""d" REFERENCES "nowhere"("x") DEFERRABLE INITIALLY DEFERRED, "#
          + #"FOREIGN KEY ("a") REFERENCES "parent"("key"))"#
      ])
    #expect(throws: DatabaseError.self) {
      _ = try sql("lost") { $0.column("a").references("nowhere") }
    }
  }
}

@Suite struct RelationTests {
  private func sql(
    _ setUp: (Database) throws -> Void, _ name: String = "book",
    _ body: (TableDefinition) throws -> Void
  ) throws -> [String] {
    try DatabaseQueue().inDatabase { db in
      try setUp(db)
      return try executedSQL(db) { try db.create(table: name, body: body) }
        .filter { $0.hasPrefix("CREATE") }
    }
  }

  @Test func `rows belong to rows of a table with the relation's name`() throws {
    let statements = try sql({ try $0.create(table: "author") { $0.primaryKey("id", .text) } }) {
      $0.belongsTo("author", onDelete: .cascade).notNull()
    }
    #expect(
      statements == [
        #"CREATE TABLE "book" ("authorId" TEXT NOT NULL REFERENCES "author"("id") ON DELETE CASCADE)"#,
        #"CREATE INDEX "book_on_authorId" ON "book"("authorId")"#,
      ])
  }

  @Test func `the plural names the table too, and so does inTable`() throws {
    let plural = try sql({ try $0.create(table: "authors") { $0.autoIncrementedPrimaryKey("id") } }) {
      $0.belongsTo("author", indexed: false)
    }
    #expect(
      plural == [#"CREATE TABLE "book" ("authorId" INTEGER REFERENCES "authors"("id"))"#])
    let named = try sql({ try $0.create(table: "person") { $0.column("name") } }) {
      $0.belongsTo("writer", inTable: "person").unique()
    }
    #expect(
      named == [#"CREATE TABLE "book" ("writerId" INTEGER UNIQUE REFERENCES "person"("rowid"))"#])
    #expect {
      try sql({ _ in }) { $0.belongsTo("author") }
    } throws: {
      ($0 as? DatabaseError)?.message == "no such table: author"
    }
  }

  @Test func `a key of several columns makes several columns`() throws {
    let statements = try sql({ db in
      try db.create(table: "country") { t in
        t.primaryKey {
          t.column("code", .text)
          t.column("year", .integer)
        }
      }
    }) { $0.belongsTo("country", onUpdate: .restrict) }
    #expect(
      statements == [
        #"CREATE TABLE "book" ("countryCode" TEXT, "countryYear" INTEGER, "#
          + #"FOREIGN KEY ("countryCode", "countryYear") REFERENCES "country"("code", "year") "#
          + #"ON UPDATE RESTRICT)"#,
        #"CREATE INDEX "index_book_on_countryCode_countryYear" "#
          + #"ON "book"("countryCode", "countryYear")"#,
      ])
  }

  @Test func `a row may belong to a row of its own table, and a key be made of relations`() throws {
    let tree = try sql({ _ in }, "employee") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("manager", inTable: "employee")
    }
    #expect(
      tree == [
        #"CREATE TABLE "employee" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "#
          + #""managerId" INTEGER REFERENCES "employee"("id"))"#,
        #"CREATE INDEX "employee_on_managerId" ON "employee"("managerId")"#,
      ])
    let pivot = try sql({ db in
      try db.create(table: "citizen") { $0.autoIncrementedPrimaryKey("id") }
      try db.create(table: "country") { $0.primaryKey("code", .text) }
    }, "citizenship") { t in
      t.primaryKey {
        t.belongsTo("citizen")
        t.belongsTo("country")
      }
    }
    #expect(
      pivot == [
        #"CREATE TABLE "citizenship" ("citizenId" INTEGER NOT NULL REFERENCES "citizen"("id"), "#
          + #""countryCode" TEXT NOT NULL REFERENCES "country"("code"), "#
          + #"PRIMARY KEY ("citizenId", "countryCode"))"#
      ])
  }
}
