import Martlet
import Testing

@Suite struct SchemaTests {
  private func sql(_ setUp: String = "", _ body: (Database) throws -> Void) throws -> [String] {
    try inEmptyDatabase { db throws in
      try db.execute(sql: setUp)
      return try executedSQL(db) { try body(db) }.filter {
        !$0.hasPrefix("PRAGMA") && !$0.hasPrefix("SELECT") && !$0.hasPrefix("--")
      }
    }
  }

  @Test func `tables are made with columns and constraints`() throws {
    let texts = try sql { db in
      try db.create(table: "player", options: [.ifNotExists, .strict]) { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique(onConflict: .replace).collate(.nocase)
        t.column("score", .integer).defaults(to: 0).check { $0 >= 0 }.indexed()
        t.column("when", .text).defaults(sql: "CURRENT_TIMESTAMP")
        t.column("double", .integer).generatedAs(Column("score") * 2, .stored)
        t.column("half", .integer).generatedAs(sql: "score / 2")
        t.column(sql: "raw ANY")
        t.uniqueKey(["name", "score"], onConflict: .ignore)
        t.check(Column("name") != "x")
        t.constraint(sql: "CHECK (id > 0)")
      }
    }
    #expect(
      texts == [
        "CREATE TABLE IF NOT EXISTS \"player\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, "
          + "\"name\" TEXT NOT NULL UNIQUE ON CONFLICT REPLACE COLLATE NOCASE, "
          + "\"score\" INTEGER CHECK (\"score\" >= 0) DEFAULT 0, "
          + "\"when\" TEXT DEFAULT CURRENT_TIMESTAMP, "
          + "\"double\" INTEGER GENERATED ALWAYS AS (\"score\" * 2) STORED, "
          + "\"half\" INTEGER GENERATED ALWAYS AS (score / 2) VIRTUAL, raw ANY, "
          + "UNIQUE (\"name\", \"score\") ON CONFLICT IGNORE, CHECK (\"name\" <> 'x'), "
          + "CHECK (id > 0)) STRICT",
        "CREATE INDEX IF NOT EXISTS \"player_on_score\" ON \"player\"(\"score\")",
      ])
  }

  @Test func `foreign keys name the columns that they refer to`() throws {
    let texts = try sql(
      "CREATE TABLE teams(id INTEGER PRIMARY KEY); CREATE TABLE country(code TEXT, part INT, PRIMARY KEY(code, part))"
    ) { db in
      try db.create(table: "player") { t in
        t.primaryKey("uuid", .blob)
        t.belongsTo("team", onDelete: .cascade).notNull()
        t.belongsTo("country")
        t.belongsTo("captain", inTable: "player").unique()
        t.column("other", .integer).references("teams", onUpdate: .setNull, deferred: true)
        t.foreignKey(["a", "b"], references: "country")
        t.column("a")
        t.column("b")
      }
    }
    #expect(
      texts == [
        "CREATE TABLE \"player\" (\"uuid\" BLOB PRIMARY KEY NOT NULL, "
          + "\"teamId\" INTEGER NOT NULL REFERENCES \"teams\"(\"id\") ON DELETE CASCADE, "
          + "\"countryCode\" TEXT, \"countryPart\" INT, "
          + "\"captainUuid\" BLOB UNIQUE REFERENCES \"player\"(\"uuid\"), "
          + "\"other\" INTEGER REFERENCES \"teams\"(\"id\") ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, "
          + "\"a\", \"b\", "
          + "FOREIGN KEY (\"countryCode\", \"countryPart\") REFERENCES \"country\"(\"code\", \"part\"), "
          + "FOREIGN KEY (\"a\", \"b\") REFERENCES \"country\"(\"code\", \"part\"))",
        "CREATE INDEX \"index_player_on_countryCode_countryPart\" ON \"player\"(\"countryCode\", \"countryPart\")",
        "CREATE INDEX \"player_on_teamId\" ON \"player\"(\"teamId\")",
      ])
  }

  @Test func `a primary key of several columns refuses NULL`() throws {
    let texts = try sql { db in
      try db.create(table: "t", options: .withoutRowID) { t in
        t.primaryKey(onConflict: .replace) {
          t.column("a", .text)
          t.column("b", .integer)
        }
        t.column("c")
      }
    }
    #expect(
      texts == [
        "CREATE TABLE \"t\" (\"a\" TEXT NOT NULL, \"b\" INTEGER NOT NULL, \"c\", "
          + "PRIMARY KEY (\"a\", \"b\") ON CONFLICT REPLACE) WITHOUT ROWID"
      ])
  }

  @Test func `tables, views and indexes are changed`() throws {
    let texts = try sql("CREATE TABLE t(a, b)") { db in
      try db.alter(table: "t") { t in
        t.add(column: "c", .integer).notNull().defaults(to: 1).indexed()
        t.rename(column: "a", to: "z")
        t.drop(column: "b")
      }
      try db.create(indexOn: "t", columns: ["z", "c"], options: .unique, condition: Column("c") > 1)
      try db.create(view: "v", columns: ["q"], as: Table("t").select(Column("z")).filter(Column("c") == "it's"))
      try db.drop(indexOn: "t", columns: ["c"])
      try db.drop(index: "index_t_on_z_c")
      try db.drop(view: "v")
      try db.rename(table: "t", to: "u")
      try db.drop(table: "u")
    }
    #expect(
      texts == [
        "ALTER TABLE \"t\" ADD COLUMN \"c\" INTEGER NOT NULL DEFAULT 1",
        "CREATE INDEX \"t_on_c\" ON \"t\"(\"c\")",
        "ALTER TABLE \"t\" RENAME COLUMN \"a\" TO \"z\"", "ALTER TABLE \"t\" DROP COLUMN \"b\"",
        "CREATE UNIQUE INDEX \"index_t_on_z_c\" ON \"t\"(\"z\", \"c\") WHERE \"c\" > 1",
        "CREATE VIEW \"v\" (\"q\") AS SELECT \"z\" FROM \"t\" WHERE \"c\" = 'it''s'",
        "DROP INDEX \"t_on_c\"", "DROP INDEX \"index_t_on_z_c\"", "DROP VIEW \"v\"",
        "ALTER TABLE \"t\" RENAME TO \"u\"", "DROP TABLE \"u\"",
      ])
  }

  @Test func `the schema is looked up, and again when it has changed`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE a(id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT 'x', UNIQUE(n));
          CREATE TABLE b(x, y, aId REFERENCES a, PRIMARY KEY(y, x)) WITHOUT ROWID;
          CREATE TABLE c(x, h AS (x + 1)); CREATE VIEW v AS SELECT 1 AS one;
          CREATE TRIGGER tr AFTER INSERT ON a BEGIN SELECT 1; END;
          CREATE TEMP TABLE only(z)
          """)
      #expect(try db.tableExists("A") && !db.tableExists("v") && db.viewExists("v") && db.triggerExists("TR"))
      #expect(try db.tableExists("only") && !db.tableExists("only", in: "main"))
      let columns = try db.columns(in: "a")
      #expect(columns.map { $0.name } == ["id", "n"])
      #expect(columns[1].isNotNull && columns[1].defaultValueSQL == "'x'" && columns[0].primaryKeyIndex == 1)
      #expect(try db.columns(in: "c").map { $0.name } == ["x", "h"])
      #expect(try db.primaryKey("a").rowIDColumn == "id" && db.primaryKey("a").isRowID)
      #expect(try db.primaryKey("b").columns == ["y", "x"] && !db.primaryKey("b").isRowID)
      #expect(try db.primaryKey("c").columns == ["rowid"])
      #expect(try db.indexes(on: "a").map { $0.columns } == [["n"]])
      #expect(try db.indexes(on: "a")[0].origin == .uniqueConstraint)
      #expect(try db.table("a", hasUniqueKey: ["N"]) && !db.table("c", hasUniqueKey: ["x"]))
      #expect(try db.table("c", hasUniqueKey: ["rowid"]) && db.table("b", hasUniqueKey: ["x", "y"]))
      let key = try db.foreignKeys(on: "b")[0]
      #expect(key.destinationTable == "a" && key.originColumns == ["aId"] && key.destinationColumns == ["id"])
      #expect(databaseError { try db.columns(in: "nothing") }?.message == "no such table: nothing")
      try db.execute(sql: "ALTER TABLE a ADD COLUMN more")
      #expect(try db.columns(in: "a").count == 3)
      #expect(Database.isSQLiteInternalTable("sqlite_master") && Database.isGRDBInternalTable("grdb_migrations"))
    }
  }

  @Test func `rows whose foreign keys refer to nothing are found`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent);
          INSERT INTO child VALUES (7)
          """)
      let violations = try Array(db.foreignKeyViolations())
      #expect(violations.count == 1 && violations[0].originTable == "child" && violations[0].originRowID == 1)
      let failure = databaseError { try db.checkForeignKeys() }
      #expect(failure?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
      #expect(
        failure?.message
          == "FOREIGN KEY constraint violation - from child(p) to parent(id), in [p:7]")
      try db.checkForeignKeys(in: "parent")
    }
  }

  @Test(arguments: [
    ("player", "players"), ("city", "cities"), ("day", "days"), ("box", "boxes"), ("person", "people"),
    ("Child", "Children"), ("news", "news"), ("bus", "buses"), ("dish", "dishes"),
  ])
  func `nouns have plurals`(singular: String, plural: String) {
    #expect(Inflections.default.pluralize(singular) == plural)
    #expect(Inflections.default.singularize(plural) == singular || singular == "bus")
  }
}
