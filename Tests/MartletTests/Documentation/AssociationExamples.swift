import Martlet
import Testing

/// The code of the article "Associations".
@Suite struct AssociationExamples {
  struct Author: Codable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)
    var id: Int64
    var name: String
  }

  struct Book: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)
    var id: Int64
    var authorId: Int64?
    var title: String
    var year: Int
  }

  struct BookInfo: Decodable, FetchableRecord {
    var book: Book
    var author: Author?
  }

  struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
  }

  @Test func `rows of several tables are fetched together`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT NOT NULL,
            year INTEGER NOT NULL);
          INSERT INTO author VALUES (1, 'Melville'), (2, 'Proust');
          INSERT INTO book VALUES
            (1, 1, 'Moby-Dick', 1851), (2, 1, 'Typee', 1846), (3, NULL, 'Edda', 1220);
          """)
      let infos = try Book.order { $0.title }
        .including(optional: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(infos.map { $0.author?.name } == [nil, "Melville", "Melville"])

      let novels = try Book
        .joining(required: Book.author.filter { $0.name == "Melville" })
        .fetchAll(db)
      #expect(novels.count == 2)

      let authors = try Author
        .including(all: Author.books.order { $0.year })
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
      #expect(authors.map { $0.books.map { $0.title } } == [["Typee", "Moby-Dick"], []])

      let author = try Author.find(db, key: 1)
      let books = try author.request(for: Author.books).fetchAll(db)
      #expect(books.count == 2)

      let busy = try Author
        .annotated(with: Author.books.count)
        .having(Author.books.max { $0.year } > 1_850)
        .fetchAll(db)
      #expect(busy.map { $0.id } == [1])

      let other = TableAlias<Author>()
      let request = Book
        .joining(optional: Book.author.forKey("writer").aliased(other))
        .filter { other.name != $0.title }
      #expect(try request.fetchCount(db) == 2)
    }
  }
}

extension AssociationExamples.Author {
  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
  }
}

extension AssociationExamples.Book {
  enum Columns {
    static let title = Column("title")
    static let year = Column("year")
  }
}
