import Martlet
import Testing

extension Library {
  /// Where GRDB stops the program, requests fail with an error that says the same.
  @Suite struct AssociationMistakeTests {
    private func message<T>(_ request: QueryInterfaceRequest<T>) throws -> String? {
      try inEmptyDatabase { db throws in
        try Library.make(db)
        return databaseError { try Row.fetchAll(db, request) }?.message
      }
    }

    @Test func `several foreign keys need an explicit one`() throws {
      #expect(
        try message(Letter.including(required: Letter.anyone)) == """
          Ambiguous foreign key from 'letter' to 'person'. To fix this error, provide an explicit \
          `ForeignKey` in the association definition.
          """)
    }

    @Test func `no foreign key is an error`() throws {
      let unknown = """
        Could not infer foreign key from 'book' to 'person'. To fix this error, provide an explicit \
        `ForeignKey` in the association definition.
        """
      #expect(try message(Book.joining(required: Book.belongsTo(Person.self))) == unknown)
      #expect(
        try message(
          Book.joining(required: Book.belongsTo(Person.self, using: ForeignKey(["year", "id"]))))
          == unknown)
    }

    @Test func `a view has no foreign keys`() throws {
      let view = Table("oldBook")
      #expect(
        try message(view.joining(required: view.belongsTo(Author.self)))?
          .hasPrefix("Could not infer foreign key from 'oldBook' to 'author'.") == true)
      let toView = Book.belongsTo(view, using: ForeignKey(["id"]))
      #expect(
        try message(Book.joining(required: toView))?
          .hasSuffix("with both origin and destination columns.") == true)
    }

    @Test func `a missing table is an error`() throws {
      let missing = Book.hasMany(Table("chapter"))
      #expect(try message(Book.joining(required: missing)) == "no such table: chapter")
    }

    @Test func `columns of both tables must be as many`() throws {
      let key = ForeignKey(["id", "year"], to: ["id"])
      let association = Book.belongsTo(Person.self, using: key)
      #expect(try message(Book.joining(required: association)) == "Number of columns don't match")
    }

    @Test func `different associations cannot have one key`() throws {
      let request = Letter.including(required: Letter.sender)
        .including(required: Letter.receiver.forKey("sender"))
      #expect(
        try message(request) == """
          The association key "sender" is ambiguous. Use the Association.forKey(_:) method in order \
          to disambiguate.
          """)
    }

    @Test func `an alias is that of one table`() throws {
      let alias = TableAlias()
      #expect(
        try message(Book.aliased(alias).joining(required: Book.author.aliased(alias)))
          == "A TableAlias must not be used to refer to multiple tables")
      let twice = TableAlias(name: "x"), again = TableAlias(name: "x")
      #expect(
        try message(
          Letter.joining(required: Letter.sender.aliased(twice))
            .joining(required: Letter.receiver.aliased(again))) == "ambiguous alias: x")
    }

    @Test(arguments: [
      ("an association that selects DISTINCT rows", Book.author.distinct()),
      ("an association with a GROUP BY clause", Book.author.group(Column("name"))),
      ("an association with a GROUP BY clause", Book.author.annotated(with: Author.books.count)),
    ])
    func `joined rows are not grouped`(
      _ what: String, _ association: BelongsToAssociation<Book, Author>
    ) throws {
      #expect(
        try message(Book.joining(required: association)) == "Not implemented: join \(what)")
    }

    @Test func `nothing is required behind what is optional`() throws {
      let request = Book.including(optional: Book.author.including(required: Author.country))
      #expect(
        try message(request)
          == "Not implemented: chaining a required association behind an optional association")
    }

    @Test func `rows of many and rows through them are different keys`() throws {
      let request = Country.including(all: Country.books).including(all: Country.authors)
      #expect(
        try message(request) == """
          Not implemented: merging a direct association and an indirect one with including(all:)
          """)
    }

    @Test func `keys of rows of many must be selected`() throws {
      let request = Author.select(Column("name")).including(all: Author.books)
      #expect(try message(request) == "Column id is not selected")
    }

    @Test func `a literal selection has no known width`() throws {
      let request = Book.select(sql: "title").including(required: Book.author)
      #expect(try message(request)?.hasPrefix("Selection literals don't know") == true)
    }

    @Test func `a cursor has no rows of many`() throws {
      try inEmptyDatabase { db throws in
        try Library.make(db)
        let request = Author.including(all: Author.books)
        #expect(databaseError { try Row.fetchCursor(db, request) }?.resultCode == .SQLITE_MISUSE)
      }
    }

    @Test func `a condition that is no foreign key has no request`() throws {
      try inEmptyDatabase { db throws in
        try Library.make(db)
        let table = CommonTableExpression<Row>(named: "t", sql: "SELECT 1 AS a")
        let author = Author(id: 1, name: "", countryCode: nil)
        let request = author.request(for: Author.association(to: table) { $1["a"] == $0["id"] })
        #expect(
          databaseError { try Row.fetchAll(db, request) }?.message
            == "Not implemented: request association without any foreign key")
      }
    }

    @Test func `an unknown number of rows cannot be deleted in groups`() throws {
      try inEmptyDatabase { db throws in
        try Library.make(db)
        let request = Book.all().group(Column("kind"))
        #expect(
          databaseError { try request.deleteAll(db) }?.message
            == "Can't delete query with GROUP BY clause")
        #expect(
          databaseError { try request.updateAll(db, Column("year").set(to: 1)) }?.message
            == "Can't update query with GROUP BY clause")
      }
    }
  }
}
