import MartletTyped
import Testing

@Suite struct SchemaSQLTests {
  let table = Table("table"), users = Table("users")
  let id = Expression<Int64>("id"), optionalId = Expression<Int64?>("id")
  let email = Expression<String>("email"), name = Expression<String?>("name")
  let balance = Expression<Double>("balance"), admin = Expression<Bool?>("admin")

  private func column(_ build: (TableBuilder) -> Void) -> String {
    let sql = table.create(block: build)
    return String(sql.dropFirst("CREATE TABLE \"table\" (".count).dropLast())
  }

  @Test func `tables`() {
    #expect(users.create { $0.column(id) } == "CREATE TABLE \"users\" (\"id\" INTEGER NOT NULL)")
    #expect(
      users.create(temporary: true, ifNotExists: true, withoutRowid: true) {
        $0.column(id, primaryKey: true)
        $0.column(name)
      }
        == "CREATE TEMPORARY TABLE IF NOT EXISTS \"users\" (\"id\" INTEGER PRIMARY KEY NOT NULL, "
        + "\"name\" TEXT) WITHOUT ROWID")
    #expect(
      users.create(table.filter(id == 1), ifNotExists: true)
        == "CREATE TABLE IF NOT EXISTS \"users\" AS SELECT * FROM \"table\" WHERE (\"id\" = 1)")
    #expect(users.drop() == "DROP TABLE \"users\"")
    #expect(users.drop(ifExists: true) == "DROP TABLE IF EXISTS \"users\"")
    #expect(users.rename(Table("old")) == "ALTER TABLE \"users\" RENAME TO \"old\"")
  }

  @Test func `columns`() {
    #expect(column { $0.column(Expression<Blob?>("b")) } == "\"b\" BLOB")
    #expect(column { $0.column(balance) } == "\"balance\" REAL NOT NULL")
    #expect(column { $0.column(email, unique: true) } == "\"email\" TEXT NOT NULL UNIQUE")
    #expect(
      column { $0.column(id, primaryKey: .autoincrement) }
        == "\"id\" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL")
    #expect(
      column { $0.column(email, primaryKey: true, defaultValue: "x") }
        == "\"email\" TEXT PRIMARY KEY NOT NULL DEFAULT 'x'")
    #expect(
      column { $0.column(email, check: email.like("%@%")) }
        == "\"email\" TEXT NOT NULL CHECK (\"email\" LIKE '%@%')")
    #expect(column { $0.column(name, check: admin) } == "\"name\" TEXT CHECK (\"admin\")")
    #expect(column { $0.column(name, defaultValue: "it's") } == "\"name\" TEXT DEFAULT 'it''s'")
    #expect(
      column { $0.column(balance, defaultValue: balance + 1) }
        == "\"balance\" REAL NOT NULL DEFAULT (\"balance\" + 1.0)")
    #expect(
      column { $0.column(name, defaultValue: Expression<String>(literal: "CURRENT_TIMESTAMP")) }
        == "\"name\" TEXT DEFAULT CURRENT_TIMESTAMP")
    #expect(
      column { $0.column(email, collate: .nocase) } == "\"email\" TEXT NOT NULL COLLATE NOCASE")
    #expect(
      column { $0.column(name, unique: true, defaultValue: "a", collate: .custom("x y")) }
        == "\"name\" TEXT UNIQUE DEFAULT 'a' COLLATE \"x y\"")
    #expect(
      column { $0.column(optionalId, references: users, id) }
        == "\"id\" INTEGER REFERENCES \"users\" (\"id\")")
    #expect(
      column { $0.column(id, unique: true, references: users, users[id]) }
        == "\"id\" INTEGER NOT NULL UNIQUE REFERENCES \"users\" (\"id\")")
    #expect(
      column { $0.column(id, primaryKey: true, references: users, id) }
        == "\"id\" INTEGER PRIMARY KEY NOT NULL REFERENCES \"users\" (\"id\")")
  }

  @Test func `constraints of tables`() {
    #expect(column { $0.primaryKey(email.asc, name) } == "PRIMARY KEY (\"email\" ASC, \"name\")")
    #expect(column { $0.unique(email, name, id) } == "UNIQUE (\"email\", \"name\", \"id\")")
    #expect(column { $0.check(balance >= 0) } == "CHECK (\"balance\" >= 0.0)")
    #expect(
      column {
        $0.foreignKey(optionalId, references: users, id, update: .cascade, delete: .setNull)
      }
        == "FOREIGN KEY (\"id\") REFERENCES \"users\" (\"id\") ON UPDATE CASCADE ON DELETE SET NULL"
    )
    #expect(
      column { $0.foreignKey((id, email), references: users, (id, email)) }
        == "FOREIGN KEY (\"id\", \"email\") REFERENCES \"users\" (\"id\", \"email\")")
    #expect(
      column { $0.foreignKey((id, email, name), references: users, (id, email, name)) }
        == "FOREIGN KEY (\"id\", \"email\", \"name\") "
        + "REFERENCES \"users\" (\"id\", \"email\", \"name\")")
  }

  @Test func `columns that are added`() {
    let start = "ALTER TABLE \"users\" ADD COLUMN "
    #expect(users.addColumn(name) == start + "\"name\" TEXT")
    #expect(
      users.addColumn(email, defaultValue: "x") == start + "\"email\" TEXT NOT NULL DEFAULT 'x'")
    #expect(
      users.addColumn(name, check: ["JR", "SR"].contains(name), defaultValue: "JR")
        == start + "\"name\" TEXT CHECK (\"name\" IN ('JR', 'SR')) DEFAULT 'JR'")
    #expect(
      users.addColumn(optionalId, references: table, id)
        == start + "\"id\" INTEGER REFERENCES \"table\" (\"id\")")
    #expect(users.addColumn(name, collate: .rtrim) == start + "\"name\" TEXT COLLATE RTRIM")
    #expect(
      users.addColumn(email, defaultValue: "", collate: .nocase)
        == start + "\"email\" TEXT NOT NULL DEFAULT '' COLLATE NOCASE")
  }

  @Test func `indexes`() {
    #expect(
      users.createIndex(email) == "CREATE INDEX \"index_users_on_email\" ON \"users\" (\"email\")")
    #expect(
      users.createIndex(email, name.desc, unique: true, ifNotExists: true)
        == "CREATE UNIQUE INDEX IF NOT EXISTS \"index_users_on_email_name_desc\" "
        + "ON \"users\" (\"email\", \"name\" DESC)")
    #expect(users.dropIndex(email) == "DROP INDEX \"index_users_on_email\"")
    #expect(
      Table("My Users", database: "db").dropIndex(email, ifExists: true)
        == "DROP INDEX IF EXISTS \"db\".\"index_my_users_on_email\"")
  }

  @Test func `views and virtual tables`() {
    #expect(
      View("v").create(users.select(email).filter(email == "a"))
        == "CREATE VIEW \"v\" AS SELECT \"email\" FROM \"users\" WHERE (\"email\" = 'a')")
    #expect(
      View("v").create(users, temporary: true, ifNotExists: true)
        == "CREATE TEMPORARY VIEW IF NOT EXISTS \"v\" AS SELECT * FROM \"users\"")
    #expect(View("v").drop() == "DROP VIEW \"v\"")
    let virtual = VirtualTable("vt")
    #expect(
      virtual.create(Module("custom", [email, name]))
        == "CREATE VIRTUAL TABLE \"vt\" USING \"custom\"(\"email\", \"name\")")
    #expect(virtual.drop(ifExists: true) == "DROP TABLE IF EXISTS \"vt\"")
    #expect(virtual.rename(VirtualTable("b")) == "ALTER TABLE \"vt\" RENAME TO \"b\"")
    #expect(
      virtual.create(
        .RTree(id, (balance, Expression<Double>("b2")), (balance, balance)), ifNotExists: true)
        == "CREATE VIRTUAL TABLE IF NOT EXISTS \"vt\" USING "
        + "rtree(\"id\", \"balance\", \"b2\", \"balance\", \"balance\")")
  }

  @Test func `full-text tables`() {
    func fts(_ module: Module) -> String {
      String(VirtualTable("t").create(module).dropFirst("CREATE VIRTUAL TABLE \"t\" USING ".count))
    }
    #expect(fts(.FTS4()) == "fts4()")
    #expect(fts(.FTS4(email, name)) == "fts4(\"email\", \"name\")")
    #expect(fts(.FTS4([email], tokenize: .Porter)) == "fts4(\"email\", tokenize=porter)")
    #expect(
      fts(.FTS4([email], tokenize: .Unicode61(removeDiacritics: false, tokenchars: [".", "#"])))
        == "fts4(\"email\", tokenize=unicode61 \"remove_diacritics=0\" \"tokenchars=#.\")")
    #expect(fts(.FTS4(FTS4Config().tokenizer(.Custom("my")))) == "fts4(tokenize=\"my\")")
    let custom = FTS5Config().tokenizer(.Custom("a 'b'"))
    #expect(fts(.FTS5(custom)) == "fts5(tokenize=\"'a ''b'''\")")
    let config4 = FTS4Config().column(email).column(name, [.unindexed]).prefix([2, 4])
      .externalContent(users).compress("c").uncompress("u").languageId("lid").matchInfo(.fts3)
      .order(.desc)
    #expect(
      fts(.FTS4(config4))
        == "fts4(\"email\", \"name\", prefix=\"2,4\", content=\"users\", notindexed=\"name\", "
        + "compress=\"c\", uncompress=\"u\", languageid=\"lid\", "
        + "matchinfo=\"fts3\", order=\"desc\")"
    )
    let config5 = FTS5Config().column(email).column(name, [.unindexed])
      .tokenizer(.Trigram(caseSensitive: true)).contentless().contentRowId(id).columnSize(0)
      .detail(.column)
    #expect(
      fts(.FTS5(config5))
        == "fts5(\"email\", \"name\" UNINDEXED, tokenize=\"trigram case_sensitive '1'\", "
        + "content=\"\", content_rowid=\"id\", columnsize=0, detail=\"column\")")
    let emails = VirtualTable("emails")
    expectSQL("(\"emails\" MATCH 'wonder*')", emails.match("wonder*") as Expression<Bool>)
    expectSQL(
      "SELECT * FROM \"emails\" WHERE (\"emails\" MATCH 'wonder*')",
      emails.match("wonder*") as VirtualTable)
    expectSQL(
      "SELECT * FROM \"emails\" WHERE (\"email\" MATCH 'Re:*')", emails.filter(email.match("Re:*")))
  }
}
