import Foundation
import Martlet
import Testing

final class NumberWords: FTS5WrapperTokenizer {
  static let name = "numbers"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = try db.makeTokenizer(.unicode61())
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
    tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    try tokenCallback(token, flags)
    if token == "1st", tokenization.contains(.document) {
      try tokenCallback("first", flags.union(.colocated))
    }
  }
}

/// The code of the article "Full-Text Search".
@Suite struct FullTextSearchExamples {
  private struct Note: Codable, FetchableRecord, TableRecord {
    var title: String
    var body: String
  }

  private struct Book: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var title: String
    var author: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  @Test func `notes are found by their words`() throws {
    try inEmptyDatabase { db throws in
      try db.create(virtualTable: "note", using: FTS5()) { t in
        t.tokenizer = .unicode61()
        t.column("title")
        t.column("body")
      }
      try db.execute(
        sql: "INSERT INTO note VALUES (?, ?)", arguments: ["Engines", "Databases in pure Swift"])
      let typed = "swift data"
      let pattern = FTS5Pattern(matchingAllPrefixesIn: typed)
      let notes = try Note.matching(pattern).order(Column.rank).fetchAll(db)
      #expect(notes.map { $0.title } == ["Engines"])
      let inTitles = try db.makeFTS5Pattern(rawPattern: "title : swift", forTable: "note")
      let inBodies = Note.filter(Column("body").match(inTitles))
      #expect(try inBodies.fetchCount(db) == 0)
      let snippets = try String.fetchAll(
        db,
        sql: "SELECT snippet(note, -1, '<b>', '</b>', '…', 8) FROM note WHERE note MATCH ?",
        arguments: [pattern])
      #expect(snippets == ["<b>Databases</b> in pure <b>Swift</b>"])
    }
  }

  @Test func `an index follows another table`() throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "book") { t in
        t.primaryKey("id", .integer)
        t.column("title", .text)
        t.column("author", .text)
      }
      try db.create(virtualTable: "book_ft", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
        t.column("title")
        t.column("author")
      }
      var book = Book(title: "Red Mars", author: "Kim Stanley Robinson")
      try book.insert(db)
      struct BookText: TableRecord {
        static let databaseTableName = "book_ft"
      }
      let text = Book.hasOne(BookText.self, using: ForeignKey(["rowid"], to: ["id"]))
      let books =
        try Book
        .joining(required: text.matching(FTS5Pattern(matchingAllTokensIn: "mars")))
        .fetchAll(db)
      #expect(books.map { $0.title } == ["Red Mars"])
      try db.drop(table: "book_ft")
      try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
      #expect(try book.delete(db))
    }
  }

  @Test func `a tokenizer says synonyms`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(tokenizer: NumberWords.self)
    }
    try emptyDatabase(configuration).inDatabase { db throws in
      let numbers = try db.makeTokenizer(NumberWords.tokenizerDescriptor())
      let words = try numbers.tokenize(document: "1st").map(\.token)
      #expect(words == ["1st", "first"])
    }
  }
}
