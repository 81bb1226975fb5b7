import Martlet
import Testing

/// Definitions and look-ups of the schema beyond what tables are made of.
@Suite struct SchemaRuleTests {
  private func sql(_ body: (Database) throws -> Void) throws -> [String] {
    try inEmptyDatabase { db throws in
      try executedSQL(db) { try body(db) }.filter { $0.hasPrefix("CREATE") || $0.hasPrefix("DROP") }
    }
  }

  @Test func `columns have SQL's types, or any other`() throws {
    let types: [Database.ColumnType] = [
      .text, .jsonText, .jsonb, .integer, .double, .real, .numeric, .boolean, .blob, .date,
      .datetime, .any, Database.ColumnType(rawValue: "MONEY"),
    ]
    let texts = try sql { db in
      try db.create(table: "t") { t in
        for (index, type) in types.enumerated() { t.column("c\(index)", type) }
      }
    }
    let names = [
      "TEXT", "TEXT", "BLOB", "INTEGER", "DOUBLE", "REAL", "NUMERIC", "BOOLEAN", "BLOB", "DATE",
      "DATETIME", "ANY", "MONEY",
    ]
    let columns = names.enumerated().map { #""c\#($0)" \#($1)"# }.joined(separator: ", ")
    #expect(texts == [#"CREATE TABLE "t" (\#(columns))"#])
  }

  @Test func `tables are temporary, strict, or without rowid`() throws {
    let texts = try sql { db in
      try db.create(table: "a", options: [.temporary, .ifNotExists]) { $0.column("x") }
      try db.create(table: "b", options: [.strict, .withoutRowID]) { $0.primaryKey("x", .text) }
    }
    #expect(
      texts == [
        #"CREATE TEMPORARY TABLE IF NOT EXISTS "a" ("x")"#,
        #"CREATE TABLE "b" ("x" TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID"#,
      ])
  }

  @Test func `a module of virtual tables defines them, and does what is due afterwards`() throws {
    final class Definition { var arguments: [String] = [] }
    struct Each: VirtualTableModule {
      let moduleName: String
      func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition {
        Definition()
      }
      func moduleArguments(for definition: Definition, in db: Database) throws -> [String] {
        definition.arguments
      }
      func database(_ db: Database, didCreate tableName: String, using definition: Definition) throws {
        try db.execute(sql: "CREATE TABLE after_\(tableName)(a)")
      }
    }
    try inEmptyDatabase { db throws in
      var failures: [String?] = []
      let texts = try executedSQL(db) { () throws in
        failures.append(
          databaseError {
            try db.create(virtualTable: "v", options: .ifNotExists, using: Each(moduleName: "nosuch")) {
              $0.arguments = ["a", "b='c'"]
            }
          }?.message)
        failures.append(
          databaseError {
            try db.create(virtualTable: "w", options: .temporary, using: "nosuch(x)")
          }?.message)
      }
      #expect(failures == ["no such module: nosuch", "no such module: nosuch"])
      #expect(texts.contains(#"CREATE VIRTUAL TABLE IF NOT EXISTS "v" USING nosuch(a, b='c')"#))
      #expect(texts.contains(#"CREATE VIRTUAL TABLE temp."w" USING nosuch(x)"#))
      #expect(texts.contains("ROLLBACK TRANSACTION"))
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `temporary things are found before others, and attached ones last`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          ATTACH ':memory:' AS other;
          CREATE TABLE t(main); CREATE TABLE other.t(other); CREATE TABLE other.only(x);
          """)
      #expect(try db.columns(in: "t").map { $0.name } == ["main"])
      #expect(try db.columns(in: "t", in: "other").map { $0.name } == ["other"])
      #expect(try db.columns(in: "only").map { $0.name } == ["x"])
      try db.execute(sql: "CREATE TEMP TABLE t(temp)")
      #expect(try db.columns(in: "t").map { $0.name } == ["temp"])
      #expect(try db.tableExists("only") && db.tableExists("only", in: "other"))
      #expect(try !db.tableExists("only", in: "main"))
      #expect(databaseError { try db.tableExists("t", in: "nowhere") }?.message == "no such schema: nowhere")
      #expect(databaseError { try db.primaryKey("nothing") }?.message == "no such table: nothing")
      #expect(databaseError { try db.indexes(on: "nothing") }?.message == "no such table: nothing")
      #expect(databaseError { try db.foreignKeys(on: "nothing") }?.message == "no such table: nothing")
    }
  }

  @Test func `what is known of the schema is renewed when it changes`() throws {
    try withTemporaryPath { path in
      let queue = try DatabaseQueue(path: path), other = try DatabaseQueue(path: path)
      try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      try queue.inDatabase { db throws in
        let version = try db.schemaVersion()
        #expect(try db.columns(in: "t").count == 1)
        try db.inTransaction { () throws in
          try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
          #expect(try db.columns(in: "t").count == 2)
          return .rollback
        }
        #expect(try db.columns(in: "t").count == 1)
        #expect(try db.schemaVersion() == version)
      }
      try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
      try queue.inDatabase { db throws in
        db.clearSchemaCache()
        #expect(try db.columns(in: "t").map { $0.name } == ["a", "c"])
      }
    }
  }

  @Test func `indexes tell their columns, origin and whether they are partial`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE t(a PRIMARY KEY, b UNIQUE, c);
          CREATE INDEX plain ON t(c, b); CREATE UNIQUE INDEX part ON t(c) WHERE c > 0;
          CREATE INDEX expression ON t(c + 1);
          """)
      let indexes = try db.indexes(on: "t")
      let plain = try #require(indexes.first { $0.name == "plain" })
      #expect(plain.columns == ["c", "b"] && !plain.isUnique && plain.origin == .createIndex)
      let part = try #require(indexes.first { $0.name == "part" })
      #expect(part.isUnique)
      #expect(indexes.contains { $0.origin == .primaryKeyConstraint && $0.columns == ["a"] })
      #expect(indexes.contains { $0.origin == .uniqueConstraint && $0.columns == ["b"] })
      #expect(!indexes.contains { $0.name == "expression" })
      // Rows are not unique by a partial index.
      #expect(try !db.table("t", hasUniqueKey: ["c"]) && db.table("t", hasUniqueKey: ["b"]))
    }
  }

  @Test func `a source that knows keys of views is not asked in migrations`() throws {
    struct Source: DatabaseSchemaSource {
      func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        ["a"]
      }
    }
    var configuration = Configuration()
    configuration.schemaSource = Source()
    let queue = try emptyDatabase(configuration)
    try queue.write { try $0.execute(sql: "CREATE VIEW v AS SELECT 1 AS a") }
    #expect(try queue.read { try $0.primaryKey("v").columns } == ["a"])
    let keys = LockedList()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m") { db in
      keys.append(databaseError { try db.primaryKey("v") }?.message ?? "")
    }
    try migrator.migrate(queue)
    #expect(keys.take() == ["database view v has no primary key"])
  }

  @Test func `a source that names no columns knows no key`() throws {
    struct Source: DatabaseSchemaSource {
      func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? { [] }
    }
    var configuration = Configuration()
    configuration.schemaSource = Source()
    try emptyDatabase(configuration).inDatabase { db throws in
      try db.execute(sql: "CREATE VIEW v AS SELECT 1 AS a")
      let failure = databaseError { try db.primaryKey("v") }
      #expect(failure?.message == "database view v has no primary key")
    }
  }
}
