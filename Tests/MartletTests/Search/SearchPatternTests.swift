import Martlet
import Testing

/// Patterns of full-text search, and requests with them.
@Suite struct SearchPatternTests {
  @Test func `words become patterns`() {
    let text = "  Hello, \"wörld* ^AND\t"
    #expect(FTS3Pattern(matchingAnyTokenIn: text)?.rawPattern == "hello OR wörld OR and")
    #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == "hello wörld and")
    #expect(FTS3Pattern(matchingAllPrefixesIn: text)?.rawPattern == "hello* wörld* and*")
    #expect(FTS3Pattern(matchingPhrase: text)?.rawPattern == "\"hello wörld and\"")
    #expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern == "hello OR wörld OR and")
    #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == "hello wörld and")
    #expect(FTS5Pattern(matchingAllPrefixesIn: text)?.rawPattern == "hello* wörld* and*")
    #expect(FTS5Pattern(matchingPhrase: text)?.rawPattern == "\"hello wörld and\"")
    #expect(FTS5Pattern(matchingPrefixPhrase: text)?.rawPattern == "^\"hello wörld and\"")
  }

  @Test(arguments: ["", " ", "*", "\"", "?!", "(", "\0"])
  func `a text without words is no pattern`(text: String) {
    #expect(FTS3Pattern(matchingAnyTokenIn: text) == nil)
    #expect(FTS3Pattern(matchingPhrase: text) == nil)
    #expect(FTS5Pattern(matchingAllPrefixesIn: text) == nil)
    #expect(FTS5Pattern(matchingPrefixPhrase: text) == nil)
  }

  /// What users type may be anything.
  @Test func `any text of punctuation and words becomes a pattern that the engine takes`() throws {
    let pieces = [
      "a", "é", "OR", "NEAR", "NOT", "\"", "'", "(", ")", "*", "^", ":", "-", "{", " ", "\0",
    ]
    var generator = SystemRandomNumberGenerator()
    try inEmptyDatabase { db throws in
      try db.create(virtualTable: "f", using: "fts5(a)")
      try db.create(virtualTable: "t", using: "fts3(a)")
      for _ in 0..<200 {
        let text = (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        for pattern in [
          FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllPrefixesIn: text),
          FTS5Pattern(matchingPrefixPhrase: text),
        ].compactMap({ $0 }) {
          _ = try Row.fetchAll(db, sql: "SELECT * FROM f WHERE f MATCH ?", arguments: [pattern])
        }
        for pattern in [
          FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingPhrase: text),
        ].compactMap({ $0 }) {
          _ = try Row.fetchAll(db, sql: "SELECT * FROM t WHERE t MATCH ?", arguments: [pattern])
        }
      }
    }
  }

  @Test func `raw patterns are checked, and their errors show no SQL`() throws {
    #expect(try FTS3Pattern(rawPattern: "a NEAR/2 b").rawPattern == "a NEAR/2 b")
    #expect(try FTS5Pattern(rawPattern: "NEAR(a b, 2) NOT c").rawPattern == "NEAR(a b, 2) NOT c")
    let errors = [
      databaseError { try FTS3Pattern(rawPattern: "\"") },
      databaseError { try FTS5Pattern(rawPattern: "a AND") },
      databaseError { try FTS5Pattern(rawPattern: "title:a") },
    ]
    for error in errors { #expect(error != nil && error?.sql == nil) }
    #expect(errors[1]?.message == "fts5: syntax error near \"\"")
    #expect(errors[2]?.message == "no such column: title")
    let columns = ["my title", "other"]
    #expect(throws: Never.self) {
      try FTS5Pattern(rawPattern: "\"my title\":a", allowedColumns: columns)
    }
  }

  @Test func `patterns of a table may name its columns`() throws {
    try inEmptyDatabase { db throws in
      try db.create(virtualTable: "d", using: FTS5()) { t in
        t.column("title")
        t.column("\"the body\"")
      }
      let pattern = try db.makeFTS5Pattern(rawPattern: "title:a OR \"the body\":b", forTable: "d")
      #expect(FTS5Pattern.fromDatabaseValue(pattern.databaseValue) == nil)
      #expect(databaseError { try db.makeFTS5Pattern(rawPattern: "c:a", forTable: "d") } != nil)
      #expect(databaseError { try db.makeFTS5Pattern(rawPattern: "a", forTable: "e") } != nil)
    }
  }

  @Test func `tokens of FTS3`() throws {
    let text = "Jérôme's databases"
    #expect(try FTS3.tokenize(text) == ["jérôme", "s", "databases"])
    #expect(try FTS3.tokenize(text, withTokenizer: .porter) == ["jérôme", "s", "databas"])
    #expect(
      try FTS3.tokenize(text, withTokenizer: .unicode61(tokenCharacters: ["'"]))
        == ["jerome's", "databases"])
    #expect(
      try FTS3.tokenize("a\"b(c=d", withTokenizer: .unicode61(tokenCharacters: Set("\"(=")))
        == ["a\"b(c=d"])
  }
}

/// Requests that match patterns.
@Suite struct MatchingTests {
  private struct Book: Codable, FetchableRecord, MutablePersistableRecord {
    static var toText: HasOneAssociation<Book, BookText> {
      hasOne(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
    }
    var id: Int64?
    var title: String
  }

  private struct BookText: TableRecord {
    static let databaseTableName = "bookText"
  }

  private struct Note: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "note"
    var content: String
  }

  private func inLibrary(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "book") { t in
        t.primaryKey("id", .integer)
        t.column("title", .text)
      }
      try db.create(virtualTable: "bookText", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
      }
      for title in ["Red Mars", "Green Mars", "Moby-Dick"] {
        var book = Book(title: title)
        try book.insert(db)
      }
      try db.create(virtualTable: "note", using: FTS5()) { $0.column("content") }
      for content in ["a b", "a a a", "c"] { try Note(content: content).insert(db) }
      try body(db)
    }
  }

  private func sql(_ db: Database, _ request: some FetchRequest) throws -> String {
    // Full-text tables run statements of their own.
    try executedSQL(db) { _ = try Row.fetchAll(db, request) }.first { $0.contains("MATCH") } ?? ""
  }

  @Test func `a table matches a pattern`() throws {
    try inLibrary { db throws in
      let pattern = FTS5Pattern(matchingAllTokensIn: "a")
      #expect(
        try sql(db, Note.matching(pattern)) == #"SELECT * FROM "note" WHERE "note" MATCH 'a'"#)
      #expect(
        try Note.matching(pattern).order(Column.rank).fetchAll(db).map { $0.content }
          == ["a a a", "a b"])
      #expect(try Note.all().matching(pattern).fetchCount(db) == 2)
      let none: FTS5Pattern? = nil
      #expect(try Note.matching(none).fetchCount(db) == 0)
      let three: FTS3Pattern? = FTS3Pattern(matchingPhrase: "a b")
      #expect(try Note.all().matching(three).fetchCount(db) == 1)
      let alias = TableAlias<Note>(name: "n")
      #expect(
        try sql(db, Note.all().aliased(alias).matching(pattern))
          == #"SELECT "n".* FROM "note" "n" WHERE "n"."note" MATCH 'a'"#)
      #expect(try Note.all().aliased(alias).matching(pattern).fetchCount(db) == 2)
      #expect(try Note.matching(pattern).deleteAll(db) == 2)
    }
  }

  @Test func `a column matches a pattern`() throws {
    try inLibrary { db throws in
      let pattern = try FTS5Pattern(rawPattern: "a NOT b")
      let request = Note.filter(Column("content").match(pattern))
      #expect(try sql(db, request) == #"SELECT * FROM "note" WHERE "content" MATCH 'a NOT b'"#)
      #expect(try request.fetchCount(db) == 1)
      #expect(try Note.filter(Column("note").match(pattern)).fetchCount(db) == 1)
      try db.create(virtualTable: "old", using: FTS4()) { $0.column("content") }
      try db.execute(sql: "INSERT INTO old VALUES ('a')")
      let one = FTS3Pattern(matchingAnyTokenIn: "a")
      let none: FTS3Pattern? = nil
      #expect(try Table("old").filter(Column("content").match(one)).fetchCount(db) == 1)
      #expect(try Table("old").filter(Column("content").match(none)).fetchCount(db) == 0)
    }
  }

  @Test func `a joined table matches a pattern`() throws {
    try inLibrary { db throws in
      let pattern = FTS5Pattern(matchingAnyTokenIn: "mars")
      let request = Book.joining(required: Book.toText.matching(pattern)).order(Column("id").desc)
      #expect(
        try sql(db, request) == """
          SELECT "book".* FROM "book" JOIN "bookText" ON ("bookText"."rowid" = "book"."id") \
          AND ("bookText" MATCH 'mars') ORDER BY "book"."id" DESC
          """)
      #expect(try request.fetchAll(db).map { $0.title } == ["Green Mars", "Red Mars"])
    }
  }
}
