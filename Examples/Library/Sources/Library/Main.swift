import Martlet

struct Author: Codable, FetchableRecord, PersistableRecord {
  static let books = hasMany(Book.self)
  var name: String
}

struct Book: Codable, FetchableRecord, PersistableRecord {
  var title: String
  var summary: String
  var authorName: String

  enum Columns {
    static let title = Column("title")
  }
}

/// A row of the full-text table, as a search shows it.
struct Hit: Decodable, FetchableRecord, TableRecord {
  static let databaseTableName = "bookText"
  var title: String
  var passage: String
}

let novels = [
  ("Herman Melville", "Moby-Dick", "A captain hunts one white whale over every sea."),
  ("Jane Austen", "Persuasion", "A captain of the navy comes back to a love of old."),
  ("Jules Verne", "The Mysterious Island", "Five men who fell from the sky live on an island."),
  ("Jules Verne", "Under the Seas", "A captain who left the land shows a guest the depths."),
  ("R. L. Stevenson", "Treasure Island", "A boy sails with pirates, and only he knows it."),
]

@main
struct Main {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else { return print("usage: Library FILE") }
    let pool = try DatabasePool(path: CommandLine.arguments[1])
    try migrator.migrate(pool)
    try await pool.write { db in _ = try Author.deleteAll(db) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { try await browse(pool) } }
      try await fillShelves(pool)
      try await group.waitForAll()
    }
    for words in ["captain", "seas", "island sailing", "island"] { try search(words, in: pool) }
    try await pool.write { db in
      try Book.filter { $0.title == "Treasure Island" }
        .updateAll(db) { $0.title.set(to: "The Sea Cook") }
      try Author.deleteOne(db, key: "Jane Austen")
    }
    print("after a new title and without Jane Austen:")
    for words in ["navy", "seas", "island"] { try search(words, in: pool) }
  }

  /// The full-text table keeps no text: triggers tell it of every change in the books.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("authors, books and their words") { db in
      try db.create(table: "author") { t in
        t.primaryKey("name", .text)
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text).notNull()
        t.column("summary", .text).notNull()
        t.belongsTo("author", onDelete: .cascade).notNull()
      }
      try db.create(virtualTable: "bookText", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.tokenizer = .porter(wrapping: .unicode61())
        t.column("title")
        t.column("summary")
      }
    }
    return migrator
  }

  /// Adds a novel each time that the observation has shown the one before.
  static func fillShelves(_ pool: DatabasePool) async throws {
    let shelves = ValueObservation.tracking { db in
      (try Book.fetchCount(db), try Author.orderByPrimaryKey().fetchAll(db).map(\.name))
    }
    for try await (bookCount, names) in shelves.values(in: pool) {
      print("books: \(bookCount), authors: \(names)")
      guard bookCount < novels.count else { break }
      let (name, title, summary) = novels[bookCount]
      try await pool.write { db in
        try Author(name: name).insert(db, onConflict: .ignore)
        try Book(title: title, summary: summary, authorName: name).insert(db)
      }
    }
  }

  /// Reads beside the writer until all novels are there, and never sees half a transaction.
  static func browse(_ pool: DatabasePool) async throws {
    var bookCount = 0
    while bookCount < novels.count {
      bookCount = try await pool.read { db in
        guard try Author.having(Author.books.isEmpty).isEmpty(db) else {
          throw DatabaseError(message: "a reader has met an author without a book")
        }
        return try Book.fetchCount(db)
      }
    }
  }

  /// Prints the books that have all these words, the best first, with the words in brackets.
  static func search(_ words: String, in pool: DatabasePool) throws {
    let passage = SQL("snippet(bookText, -1, '[', ']', '…', 6)")
    let hits = try pool.read { db in
      try Hit.matching(FTS5Pattern(matchingAllTokensIn: words))
        .select(Column("title"), passage.forKey("passage"))
        .order(Column.rank, Column.rowID)
        .fetchAll(db)
    }
    print("\(words):\(hits.isEmpty ? " nothing" : "")")
    for hit in hits { print("  \(hit.title): \(hit.passage)") }
  }
}
