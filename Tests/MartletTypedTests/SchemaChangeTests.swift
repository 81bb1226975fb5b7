import MartletTyped
import Testing

@Suite struct SchemaChangeTests {
  private func database() throws -> Connection {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE other (id INTEGER PRIMARY KEY);
      CREATE TABLE things (
        id INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT /* PRIMARY KEY , */,
        name TEXT NOT NULL DEFAULT 'it''s', price REAL DEFAULT 1.5, code VARCHAR(5) UNIQUE,
        data BLOB DEFAULT x'ff', made DATETIME DEFAULT CURRENT_TIMESTAMP,
        other INTEGER REFERENCES other (id) ON DELETE CASCADE);
      CREATE UNIQUE INDEX by_name ON things (name DESC, price) WHERE price > 0;
      CREATE VIEW v AS SELECT * FROM things;
      CREATE TRIGGER tr AFTER DELETE ON things BEGIN SELECT 1; END;
      CREATE TABLE "it's ""odd\""" (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
      """)
    return db
  }

  @Test func `columns are read`() throws {
    let columns = try database().schema.columnDefinitions(table: "things")
    #expect(
      columns == [
        ColumnDefinition(
          name: "id", primaryKey: .init(autoIncrement: true, onConflict: .REPLACE), type: .INTEGER),
        ColumnDefinition(
          name: "name", type: .TEXT, nullable: false, defaultValue: .stringLiteral("it's")),
        ColumnDefinition(name: "price", type: .REAL, defaultValue: .numericLiteral("1.5")),
        ColumnDefinition(name: "code", type: .TEXT, unique: true),
        ColumnDefinition(name: "data", type: .BLOB, defaultValue: .blobLiteral("ff")),
        ColumnDefinition(name: "made", type: .NUMERIC, defaultValue: .CURRENT_TIMESTAMP),
        ColumnDefinition(
          name: "other", type: .INTEGER,
          references: .init(
            fromColumn: "other", toTable: "other", toColumn: "id", onDelete: .cascade)),
      ])
    let schema = try database().schema
    #expect(
      try schema.columnDefinitions(table: "it's \"odd\"").map { $0.primaryKey?.autoIncrement } == [
        false, false,
      ])
    #expect(try schema.columnDefinitions(table: "nothing").isEmpty)
  }

  @Test func `objects and indexes are read`() throws {
    let schema = try database().schema
    let names = try schema.objectDefinitions().filter { !$0.isInternal }.map {
      "\($0.type) \($0.name)"
    }
    #expect(
      names == [
        "table other", "table things", "index by_name", "view v", "trigger tr",
        "table it's \"odd\"",
      ])
    #expect(try schema.objectDefinitions(name: "v", type: .view).first?.rootpage == 0)
    #expect(try schema.objectDefinitions(temp: true).isEmpty)
    #expect(try schema.tableDefinitions().map(\.columns.count) == [1, 7, 2])
    let index = try schema.indexDefinitions(table: "things").first { $0.name == "by_name" }
    #expect(
      index
        == IndexDefinition(
          table: "things", name: "by_name", unique: true, columns: ["name", "price"],
          where: "price > 0", orders: ["name": .DESC], origin: .createIndex))
    #expect(try schema.foreignKeys(table: "things").map(\.toTable) == ["other"])
  }

  @Test func `tables are changed`() throws {
    let db = try database(), changer = SchemaChanger(connection: db)
    try changer.alter(table: "things") { table in
      table.add(
        column: ColumnDefinition(
          name: "nick \"name\"", type: .TEXT, defaultValue: .stringLiteral("x'")))
      table.drop(index: "by_name")
      table.drop(column: "price")
      table.rename(column: "name", to: "title")
      table.add(
        index: IndexDefinition(
          table: "things", name: "by_title", columns: ["title"], orders: ["title": .DESC]))
    }
    #expect(
      try db.schema.columnDefinitions(table: "things").map(\.name)
        == ["id", "title", "code", "data", "made", "other", "nick \"name\""])
    #expect(try db.schema.indexDefinitions(table: "things").contains { $0.name == "by_title" })
    try changer.alter(table: "things") { table in
      table.add(ColumnDefinition(name: "temporary", type: .NUMERIC))
      table.rename("temporary", to: "other name")
      table.drop("other name")
    }
    // All of it, or nothing.
    #expect(throws: Result.self) {
      try changer.alter(table: "things") { table in
        table.drop(index: "by_title")
        table.drop(column: "nothing")
      }
    }
    #expect(try db.schema.indexDefinitions(table: "things").contains { $0.name == "by_title" })
    try changer.rename(table: "other", to: "an\"other")
    try changer.drop(table: "an\"other")
    try changer.drop(table: "an\"other")
    #expect(throws: Result.self) { try changer.drop(table: "an\"other", ifExists: false) }
  }

  @Test func `a table that is read can be made again`() throws {
    let db = try database(), changer = SchemaChanger(connection: db)
    for table in ["things", "it's \"odd\""] {
      let columns = try db.schema.columnDefinitions(table: table)
      try changer.create(table: "copy of \(table)") { copy in
        for column in columns { copy.add(column: column) }
        copy.add(
          index: IndexDefinition(table: "", name: "index of \(table)", columns: [columns[0].name]))
      }
      #expect(try db.schema.columnDefinitions(table: "copy of \(table)") == columns)
    }
  }
}
