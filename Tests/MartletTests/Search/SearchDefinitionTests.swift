import Martlet
import Testing

/// The SQL of full-text tables.
@Suite struct SearchDefinitionTests {
  private func sql<Module: VirtualTableModule>(
    _ module: Module, _ options: VirtualTableOptions = [],
    _ body: @escaping (Module.TableDefinition) -> Void
  ) throws -> String? {
    try inEmptyDatabase { db throws in
      try executedSQL(db) {
        try db.create(virtualTable: "d", options: options, using: module, body)
      }.first { $0.hasPrefix("CREATE") }
    }
  }

  @Test func `FTS3 has columns and a tokenizer`() throws {
    #expect(
      try sql(FTS3()) { t in
        t.column("a")
        t.column("b")
      } == #"CREATE VIRTUAL TABLE "d" USING fts3(a, b)"#)
    #expect(
      try sql(FTS3(), .ifNotExists) { $0.tokenizer = .porter }
        == #"CREATE VIRTUAL TABLE IF NOT EXISTS "d" USING fts3(tokenize=porter)"#)
    #expect(
      try sql(FTS3(), .temporary) { t in
        t.tokenizer = .unicode61(
          diacritics: .keep, separators: ["\"", "X"], tokenCharacters: Set(".-"))
        t.column("a")
      } == #"CREATE VIRTUAL TABLE temp."d" USING fts3(a, tokenize=unicode61 "#
        + #""remove_diacritics=0" "separators=""X" "tokenchars=-.")"#)
  }

  @Test func `FTS4 has options`() throws {
    #expect(
      try sql(FTS4()) { t in
        t.tokenizer = .simple
        t.content = ""
        t.matchinfo = "fts3"
        t.prefixes = [4, 2]
        t.column("a").notIndexed()
        t.column("b")
        t.column("lid").asLanguageId()
      } == #"CREATE VIRTUAL TABLE "d" USING fts4(a, notindexed=a, b, languageid="lid", "#
        + #"tokenize=simple, content="", matchinfo="fts3", prefix="2,4")"#)
  }

  @Test func `compression of FTS4 calls functions of SQL`() throws {
    try inEmptyDatabase { db throws in
      for name in ["zip", "unzip"] {
        db.add(
          function: DatabaseFunction(name, argumentCount: 1) { values in
            String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
          })
      }
      try db.create(virtualTable: "d", using: FTS4()) { t in
        t.compress = "zip"
        t.uncompress = "unzip"
        t.column("a")
      }
      try db.execute(sql: "INSERT INTO d VALUES ('abc def')")
      #expect(try String.fetchOne(db, sql: "SELECT a FROM d WHERE d MATCH 'def'") == "abc def")
      #expect(try String.fetchOne(db, sql: "SELECT c0a FROM d_content") == "fed cba")
    }
  }

  @Test func `FTS5 has options`() throws {
    #expect(
      try sql(FTS5()) { t in
        t.tokenizer = .porter(
          wrapping: .unicode61(diacritics: .remove, categories: "L*", tokenCharacters: ["'"]))
        t.prefixes = [4, 2]
        t.columnSize = 0
        t.detail = "column"
        t.column("a")
        t.column("b").notIndexed()
      } == #"CREATE VIRTUAL TABLE "d" USING fts5(a, b UNINDEXED, tokenize='''porter'' "#
        + #"''unicode61'' ''remove_diacritics'' ''2'' ''categories'' ''L*'' ''tokenchars'' "#
        + #"''''''''', prefix='2 4', columnSize=0, detail=column)"#)
    #expect(
      try sql(FTS5()) { t in
        t.content = "other"
        t.contentRowID = "key"
        t.column("a")
      } == #"CREATE VIRTUAL TABLE "d" USING fts5(a, content='other', content_rowid='key')"#)
    #expect(
      try sql(FTS5()) { t in
        t.content = ""
        t.contentlessDelete = true
        t.column("a")
      } == #"CREATE VIRTUAL TABLE "d" USING fts5(a, content='', contentless_delete=1)"#)
  }

  @Test func `content that is named ends a synchronization`() {
    let four = FTS4().makeTableDefinition(configuration: configuration)
    four.synchronize(withTable: "t")
    #expect(four.content == "t")
    four.content = nil
    #expect(four.content == nil)
    let five = FTS5().makeTableDefinition(configuration: configuration)
    five.contentRowID = "key"
    five.content = "u"
    #expect(five.contentRowID == "key")
    five.synchronize(withTable: "t")
    #expect(five.content == "t" && five.contentRowID == nil)
    five.contentRowID = "id"
    #expect(five.content == nil && five.contentRowID == "id")
  }

  /// Modules are given one by the database alone.
  private var configuration: VirtualTableConfiguration {
    final class Probe: VirtualTableModule {
      var moduleName: String { "fts5(a)" }
      var configuration: VirtualTableConfiguration?
      func makeTableDefinition(configuration: VirtualTableConfiguration) {
        self.configuration = configuration
      }
      func moduleArguments(for definition: Void, in db: Database) -> [String] { [] }
      func database(_ db: Database, didCreate tableName: String, using definition: Void) {}
    }
    let probe = Probe()
    try? inEmptyDatabase { try $0.create(virtualTable: "d", using: probe) }
    guard let configuration = probe.configuration else { fatalError("no virtual table was made") }
    return configuration
  }

  @Test func `an FTS5 table needs a column`() throws {
    try inEmptyDatabase { db throws in
      let error = databaseError { try db.create(virtualTable: "d", using: FTS5()) }
      #expect(error?.message == "FTS5 virtual table requires at least one column.")
    }
  }
}

/// Full-text tables that follow other tables.
@Suite struct SynchronizationTests {
  private func makeContent(_ db: Database, key: Database.ColumnType = .integer) throws {
    try db.create(table: "my content") { t in
      t.primaryKey("id", key)
      t.column("text", .text)
    }
    try db.execute(
      sql: #"INSERT INTO "my content" VALUES (?, 'foo')"#, arguments: [key == .text ? "k" : 7])
  }

  private func makeIndex(_ db: Database, _ version: Int, _ options: VirtualTableOptions = []) throws
  {
    if version == 4 {
      try db.create(virtualTable: "ft", options: options, using: FTS4()) { t in
        t.synchronize(withTable: "my content")
        t.column("text")
      }
    } else {
      try db.create(virtualTable: "ft", options: options, using: FTS5()) { t in
        t.synchronize(withTable: "my content")
        t.column("text")
      }
    }
  }

  private func matches(_ db: Database, _ word: String) throws -> [Int64] {
    try Int64.fetchAll(
      db, sql: "SELECT rowid FROM ft WHERE ft MATCH ? ORDER BY rowid", arguments: [word])
  }

  @Test(arguments: [4, 5])
  func `rows that are there, inserted, updated and deleted`(version: Int) throws {
    try inEmptyDatabase { db throws in
      try makeContent(db)
      try makeIndex(db, version)
      #expect(try matches(db, "foo") == [7])
      try db.execute(sql: #"INSERT INTO "my content" VALUES (9, 'foo'), (3, 'bar')"#)
      #expect(try matches(db, "foo") == [7, 9])
      try db.execute(sql: #"UPDATE "my content" SET id = 8, text = 'bar' WHERE id = 7"#)
      #expect(try matches(db, "foo") == [9])
      #expect(try matches(db, "bar") == [3, 8])
      try db.execute(sql: #"DELETE FROM "my content" WHERE id > 3"#)
      #expect(try matches(db, "foo") == [])
      #expect(try matches(db, "bar") == [3])
      try db.execute(sql: "INSERT INTO ft(ft) VALUES('integrity-check')")
    }
  }

  @Test(arguments: [4, 5])
  func `a table whose key is text is followed by its rowid`(version: Int) throws {
    try inEmptyDatabase { db throws in
      try makeContent(db, key: .text)
      try makeIndex(db, version)
      try db.execute(sql: #"UPDATE "my content" SET text = 'bar' WHERE id = 'k'"#)
      #expect(try matches(db, "foo") == [])
      #expect(try matches(db, "bar") == [1])
    }
  }

  @Test(arguments: [4, 5])
  func `the triggers are dropped by the name of the full-text table`(version: Int) throws {
    try inEmptyDatabase { db throws in
      try makeContent(db)
      try makeIndex(db, version)
      try makeIndex(db, version, .ifNotExists)
      try db.drop(table: "ft")
      #expect(databaseError { try db.execute(sql: #"DELETE FROM "my content""#) } != nil)
      if version == 4 {
        try db.dropFTS4SynchronizationTriggers(forTable: "ft")
      } else {
        try db.dropFTS5SynchronizationTriggers(forTable: "ft")
      }
      try db.execute(sql: #"DELETE FROM "my content""#)
      try makeIndex(db, version)
      #expect(try matches(db, "foo") == [])
    }
  }

  @Test(arguments: [4, 5])
  func `a temporary table cannot be synchronized, and is not left behind`(version: Int) throws {
    try inEmptyDatabase { db throws in
      try makeContent(db)
      let error = databaseError { try makeIndex(db, version, .temporary) }
      #expect(error?.message == "temporary full-text table ft cannot be synchronized with a table")
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM temp.sqlite_master") == 0)
    }
  }
}
