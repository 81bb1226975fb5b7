import Martlet
import Testing

extension Library {
  @Suite struct AssociationDecodingTests {
    private func inLibrary(_ body: (Database) throws -> Void) throws {
      try inEmptyDatabase { db throws in
        try Library.make(db)
        try body(db)
      }
    }

    // MARK: Rows

    @Test func `columns of joined tables are scopes`() throws {
      try inLibrary { db throws in
        let request = Book.filter(key: 1).including(
          required: Book.author.including(optional: Author.country))
        let row = try #require(try Row.fetchOne(db, request))
        #expect(row.count == 6)
        #expect(row.unadapted.count == 11)
        #expect(row.scopes.names == ["author"])
        let author: Row = ["id": 1, "name": "Melville", "countryCode": "US"]
        #expect(row.scopes["author"]?.unscoped == author)
        #expect(row.scopesTree.names == ["author", "country"])
        #expect(row.scopesTree["country"] == ["code": "US", "name": "United States"])
        #expect(row.scopes["country"] == nil)
        #expect((row["author"] as Author).name == "Melville")
        #expect((row["country"] as Country?)?.code == "US")
      }
    }

    @Test func `a row that is missing is nil`() throws {
      try inLibrary { db throws in
        let request = Book.filter(key: 4).including(optional: Book.author)
        let row = try #require(try Row.fetchOne(db, request))
        #expect(row.scopes["author"]?.containsNonNullValue == false)
        #expect(row["author"] as Author? == nil)
      }
    }

    @Test func `joined tables whose columns are not selected are no scopes`() throws {
      try inLibrary { db throws in
        let plain = try #require(try Row.fetchOne(db, Book.joining(required: Book.author)))
        #expect(plain.scopes.isEmpty)
        // The author stands between, so that its scope has no columns.
        let row = try #require(try Row.fetchOne(db, Book.including(required: Book.country)))
        #expect(row.scopes.names == ["author"])
        #expect(row.scopes["author"]?.count == 0)
        #expect((row["country"] as Country).code == "US")
      }
    }

    @Test func `a cursor has scopes too`() throws {
      try inLibrary { db throws in
        let request = Book.order(Column("id")).including(optional: Book.author)
        let names = try Array(
          Row.fetchCursor(db, request).map { ($0["author"] as Author?)?.name })
        #expect(names == ["Melville", "Melville", "Proust", nil])
      }
    }

    @Test func `rows of many are found by the association's key`() throws {
      try inLibrary { db throws in
        let rows = try Row.fetchAll(
          db, Author.order(Column("id")).including(all: Author.books.order(Column("id"))))
        #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 1, 0, 0])
        #expect(rows[0].prefetchedRows.keys == ["books"])
        #expect(rows[0].prefetchedRows["books"]?[0]["title"] == "Moby-Dick")
        #expect(rows[0].prefetchedRows["books"]?[0]["grdb_authorId"] == 1)
        #expect((rows[0]["books"] as [Book]).map { $0.id } == [1, 2])
        #expect((rows[1]["books"] as Set<Book>).count == 1)
        #expect(rows[0].prefetchedRows["chapters"] == nil)
      }
    }

    @Test func `rows of many of a joined row belong to its scope`() throws {
      try inLibrary { db throws in
        let request = Book.order(Column("id")).including(
          optional: Book.author.including(all: Author.books.order(Column("id"))))
        let rows = try Row.fetchAll(db, request)
        #expect(rows[0].prefetchedRows["books"]?.count == 2)
        #expect(rows[0].scopes["author"]?.prefetchedRows["books"]?.count == 2)
        #expect(rows[2].scopes["author"]?.prefetchedRows["books"]?.count == 1)
        #expect(rows[3].scopes["author"]?.prefetchedRows["books"]?.isEmpty == true)
      }
    }

    @Test func `rows of many have rows of many`() throws {
      try inLibrary { db throws in
        let request = Country.order(Column("code")).including(
          all: Country.authors.order(Column("id")).including(all: Author.books))
        let rows = try Row.fetchAll(db, request)
        let authors = try #require(rows[2].prefetchedRows["authors"])
        #expect(authors.map { $0["name"] as String } == ["Melville", "Twain"])
        #expect(authors.map { $0.prefetchedRows["books"]?.count } == [2, 0])
      }
    }

    @Test func `rows with equal scopes and prefetched rows are equal`() throws {
      try inLibrary { db throws in
        let request = Author.including(optional: Author.country).including(all: Author.books)
        #expect(try Row.fetchAll(db, request) == Row.fetchAll(db, request))
        let other = Author.including(optional: Author.country).including(all: Author.novels)
        #expect(try Row.fetchAll(db, request) != Row.fetchAll(db, other))
      }
    }

    @Test func `a copy keeps scopes, and unscoped drops them`() throws {
      try inLibrary { db throws in
        let request = Author.including(optional: Author.country).including(all: Author.books)
        let row = try #require(try Row.fetchOne(db, request))
        #expect(row.copy() == row)
        #expect(row.unscoped.scopes.isEmpty)
        #expect(row.unscoped.prefetchedRows.isEmpty)
      }
    }

    // MARK: Records

    private struct BookInfo: Decodable, FetchableRecord, Equatable {
      var book: Book
      var author: Author?
      var country: Country?
    }

    @Test func `properties are decoded from the row, its scopes, and theirs`() throws {
      try inLibrary { db throws in
        let request = Book.order(Column("id")).including(
          optional: Book.author.including(optional: Author.country))
        let infos = try BookInfo.fetchAll(db, request)
        #expect(infos.map { $0.book.id } == [1, 2, 3, 4])
        #expect(infos.map { $0.author?.name } == ["Melville", "Melville", "Proust", nil])
        #expect(infos.map { $0.country?.code } == ["US", "US", "FR", nil])
        #expect(try request.asRequest(of: BookInfo.self).fetchOne(db) == infos[0])
        #expect(try Array(BookInfo.fetchCursor(db, request)) == infos)
      }
    }

    private struct AuthorInfo: Decodable, FetchableRecord, Equatable {
      struct Work: Decodable, FetchableRecord, Hashable {
        var title: String
      }

      var author: Author
      var books: [Book]
      var works: Set<Work>
      var novels: [Book]?
    }

    @Test func `arrays and sets are decoded from rows of many`() throws {
      try inLibrary { db throws in
        let books = Author.books.order(Column("id"))
        let request = Author.order(Column("id")).including(all: books)
          .including(all: books.forKey("works"))
        let infos = try AuthorInfo.fetchAll(db, request)
        #expect(infos.map { $0.author.id } == [1, 2, 3, 4])
        #expect(infos.map { $0.books.map { $0.id } } == [[1, 2], [3], [], []])
        #expect(infos[0].works == [.init(title: "Moby-Dick"), .init(title: "Battle-Pieces")])
        #expect(infos[0].novels == nil)
        let withNovels = try AuthorInfo.fetchOne(db, request.including(all: Author.novels))
        #expect(withNovels?.novels?.map { $0.id } == [1])
      }
    }

    private struct Annotated: Decodable, FetchableRecord, Equatable {
      var author: Author
      var bookCount: Int
      var maxBookYear: Int?
      var hasNoNovel: Bool
    }

    @Test func `aggregates are columns of the row`() throws {
      try inLibrary { db throws in
        let request = Author.order(Column("id")).annotated(
          with: Author.books.count, Author.books.max(Book.Columns.year), Author.novels.isEmpty)
        let rows = try Annotated.fetchAll(db, request)
        #expect(rows.map { $0.bookCount } == [2, 1, 0, 0])
        #expect(rows.map { $0.maxBookYear } == [1_866, 1_913, nil, nil])
        #expect(rows.map { $0.hasNoNovel } == [false, false, true, true])
      }
    }

    private struct Nested: Decodable, FetchableRecord {
      struct AuthorPart: Decodable {
        var name: String
        var country: Country?
        var books: [Book]
      }

      var title: String
      var author: AuthorPart?
    }

    @Test func `types without conformance are decoded from scopes`() throws {
      try inLibrary { db throws in
        let request = Book.order(Column("id")).including(
          optional: Book.author.including(optional: Author.country).including(all: Author.books))
        let books = try Nested.fetchAll(db, request)
        #expect(books.map { $0.title } == ["Moby-Dick", "Battle-Pieces", "Swann", "Edda"])
        #expect(books[0].author?.country?.name == "United States")
        #expect(books[0].author?.books.count == 2)
        #expect(books[3].author == nil)
      }
    }

    private struct ByHand: FetchableRecord {
      var title: String
      var author: Author?
      var reviews: [Review]

      init(row: Row) throws {
        title = try row.decode(forColumn: "title")
        author = try row.decodeIfPresent(forKey: "author")
        reviews = try row.decode(forKey: "reviews")
      }
    }

    @Test func `init(row:) reads scopes and rows of many`() throws {
      try inLibrary { db throws in
        let request = Book.order(Column("id")).including(optional: Book.author)
          .including(all: Book.reviews)
        let books = try ByHand.fetchAll(db, request)
        #expect(books.map { $0.reviews.count } == [2, 0, 1, 0])
        #expect(books.map { $0.author?.id } == [1, 1, 2, nil])
        #expect(throws: RowDecodingError.self) {
          try ByHand.fetchAll(db, Book.including(optional: Book.author))
        }
      }
    }

    @Test func `rows through others belong to their origin`() throws {
      try inLibrary { db throws in
        let request = Country.order(Column("code")).including(
          all: Country.citizens.order(Column("id")))
        let rows = try Row.fetchAll(db, request)
        let names = rows.map { ($0["citizens"] as [Citizen]).map { $0.name } }
        #expect(names == [["Arthur", "Barbara"], [], ["Barbara"]])
      }
    }

    @Test func `keys of two columns find their rows`() throws {
      try inLibrary { db throws in
        let shelves = try Row.fetchAll(
          db, Shelf.order(Column("room"), Column("number")).including(all: Shelf.boxes))
        #expect(shelves.map { ($0["boxes"] as [Box]).map { $0.id } } == [[3], [1, 2], []])
        let boxes = try Row.fetchAll(db, Box.order(Column("id")).including(optional: Box.shelf))
        #expect(boxes.map { ($0["shelf"] as Shelf?)?.room } == ["hall", "hall", "attic", nil])
      }
    }

    @Test func `a request of a record gives its rows`() throws {
      try inLibrary { db throws in
        let author = try Author.find(db, key: 1)
        #expect(try author.request(for: Author.books).fetchCount(db) == 2)
        #expect(try author.request(for: Author.country).fetchOne(db)?.code == "US")
        #expect(try author.request(for: Author.reviews).fetchAll(db).map { $0.id } == [1, 2])
        let nobody = Author(id: 9, name: "", countryCode: nil)
        #expect(try nobody.request(for: Author.country).fetchOne(db) == nil)
        #expect(try nobody.request(for: Author.books).fetchAll(db).isEmpty)
      }
    }

    @Test func `joined rows are deleted and updated by their keys`() throws {
      try inLibrary { db throws in
        let good = Review.joining(required: Review.book.filter { $0.kind == "novel" })
        #expect(try good.updateAll(db, Review.Columns.stars += 1) == 3)
        #expect(try Review.joining(required: Review.book.filter { $0.id == 1 }).deleteAll(db) == 2)
        #expect(try Review.fetchAll(db) == [Review(id: 3, bookId: 3, stars: 5)])
        #expect(try Author.having(Author.books.isEmpty).deleteAll(db) == 2)
      }
    }

    @Test func `rows of an alias are updated and deleted`() throws {
      try inLibrary { db throws in
        let alias = TableAlias(name: "b")
        let old = Book.aliased(alias).filter(alias["year"] < 1_900)
        let texts = try executedSQL(db) { () throws in
          #expect(try old.updateAll(db, Column("year").set(to: Column("year") + 1)) == 3)
          #expect(try old.filter(Column("id") == 9).deleteAll(db) == 0)
        }
        #expect(
          texts == [
            #"UPDATE "book" AS "b" SET "year" = "year" + 1 WHERE "b"."year" < 1900"#,
            #"DELETE FROM "book" AS "b" WHERE ("b"."year" < 1900) AND ("b"."id" = 9)"#,
          ])
      }
    }

    private final class Output: TextOutputStream {
      var text = ""
      func write(_ string: String) { text += string }
    }

    @Test func `a dump shows the rows that are fetched beside others`() throws {
      try inLibrary { db throws in
        let output = Output()
        let request = Country.order(Column("code")).including(all: Country.citizens)
          .including(all: Country.authors.including(all: Author.books))
        try db.dumpRequest(request, to: output)
        #expect(
          output.text == """
            FR|France
            IS|Iceland
            US|United States

            passports.citizens
            1|Arthur
            2|Barbara
            2|Barbara

            authors
            1|Melville|US
            2|Proust|FR
            4|Twain|US

            books
            1|1|Moby-Dick|1851|10.5|novel
            2|1|Battle-Pieces|1866||poems
            3|2|Swann|1913|12.0|novel

            """)
      }
    }

    @Test func `columns of a common table are scopes`() throws {
      try inLibrary { db throws in
        let best = CommonTableExpression<Row>(
          named: "best", sql: "SELECT bookId, MAX(stars) AS stars FROM review GROUP BY bookId")
        let association = Book.association(to: best) { $1["bookId"] == $0["id"] }
        let rows = try Row.fetchAll(
          db, Book.with(best).order(Column("id")).including(optional: association))
        #expect(rows.map { $0.scopes["best"]?["stars"] as Int? } == [5, nil, 4, nil])
      }
    }

    @Test func `more parents than a statement has arguments have their children`() throws {
      try inLibrary { db throws in
        let count = db.maximumStatementArgumentCount / 2 + 2
        try db.execute(
          sql: """
            DELETE FROM tagging; DELETE FROM review; DELETE FROM book; DELETE FROM profile;
            DELETE FROM author;
            INSERT INTO author (id, name)
              WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
              SELECT i, 'a' FROM n;
            INSERT INTO book (authorId, title, year, kind) SELECT id, 't', 0, 'novel' FROM author;
            """, arguments: [count])
        let request = Author.order(Column("id")).including(all: Author.books)
        let rows = try Row.fetchAll(db, request)
        #expect(rows.count == count)
        #expect(
          rows.allSatisfy { row in
            let books = row.prefetchedRows["books"] ?? []
            return books.count == 1 && (books[0]["authorId"] as Int) == (row["id"] as Int)
          })
        // A part of the rows, and their children only.
        let last = try Row.fetchAll(db, request.reversed().limit(count - 1))
        #expect(last.last?["id"] == 2)
        #expect(last.allSatisfy { $0.prefetchedRows["books"]?.count == 1 })
      }
    }
  }
}
