import Martlet

extension Library {
  static var keys: [AssociationCase] {
    [
      .init(
        "a foreign key that is given needs no schema",
        Book.joining(
          required: Book.belongsTo(Person.self, using: ForeignKey(["authorId"], to: ["parentId"])))),
      .init(
        "columns alone refer to the primary key",
        Book.joining(required: Book.belongsTo(Person.self, using: ForeignKey(["year"])))),
      .init(
        "a view needs columns",
        Table("oldBook").joining(
          required: Table("oldBook").belongsTo(Author.self, using: ForeignKey(["authorId"])))),
      .init(
        "a table has associations",
        Table("book").including(required: Table("book").belongsTo(Table("author")))),
      .init(
        "a table has many",
        Table("author").joining(
          required: Table("author").hasMany(Table("book")).filter(Column("year") > 1_900))),
      .init(
        "a table has one", Table("author").including(optional: Table("author").hasOne(Profile.self))
      ),
      .init(
        "a record belongs to a table",
        Book.including(optional: Book.belongsTo(Table("author"), key: "writer"))),
      .init("a common table is joined on a condition") { db in
        let best = CommonTableExpression<Row>(
          named: "best", sql: "SELECT bookId, MAX(stars) AS stars FROM review GROUP BY bookId")
        let association = Book.association(to: best) { book, best in best["bookId"] == book["id"] }
        _ = try Row.fetchAll(db, Book.with(best).including(optional: association))
      },
      .init("a common table is joined without condition") { db in
        let pair = CommonTableExpression<Row>(
          named: "pair", columns: ["a"], literal: "VALUES (\(1)), (\(2))")
        let association = Book.association(to: pair)
        _ = try Row.fetchAll(
          db, Book.with(pair).including(required: association.order(Column("a").desc)))
      },
      .init("an association brings its common table") { db in
        let best = CommonTableExpression<Row>(
          named: "best", request: Review.filter(Column("stars") > 3).select(Column("bookId")))
        let reviewed = Book.joining(
          required: Book.association(to: best) { $1["bookId"] == $0["id"] }.with(best))
        _ = try Row.fetchAll(db, reviewed)
      },
      .init("a common table has associations") { db in
        let old = CommonTableExpression<Row>(
          named: "old", request: Book.filter(Column("year") < 1_900))
        let request = Author.with(old).joining(
          optional: Author.association(to: old) { author, book in
            book[Column("authorId")] == author[Column("id")]
          })
        _ = try Row.fetchAll(db, request)
      },
    ]
  }

  static var aliases: [AssociationCase] {
    [
      .init("an alias names a table") {
        db in
        let author = TableAlias(name: "a")
        _ = try Row.fetchAll(db, Book.including(required: Book.author.aliased(author)))
      },
      .init("an alias in conditions of another table") { db in
        let author = TableAlias<Author>()
        _ = try Row.fetchAll(
          db,
          Book.joining(required: Book.author.aliased(author)).filter(
            author[Column("id")] > Column("year")
          )
          .order(author.name, Column("title")))
      },
      .init("aliases of one table are one") { db in
        let one = TableAlias(name: "x"), two = TableAlias()
        _ = try Row.fetchAll(
          db,
          Person.aliased(one).aliased(two).including(optional: Person.parent).filter(two["id"] > 1))
      },
      .init("aliases are merged") { db in
        let one = TableAlias(), two = TableAlias(name: "p")
        _ = try Row.fetchAll(
          db,
          Person.joining(optional: Person.parent.aliased(one)).joining(
            optional: Person.parent.aliased(two)
          )
          .filter(one["id"] > 1 && two["id"] < 9))
      },
      .init("the name that was given stays, and others get numbers") { db in
        let parent = TableAlias(name: "person")
        _ = try Row.fetchAll(db, Person.joining(optional: Person.parent.aliased(parent)))
      },
      .init("numbers avoid names") { db in
        let alias = TableAlias(name: "person1")
        _ = try Row.fetchAll(
          db,
          Person.joining(optional: Person.parent.aliased(alias)).joining(optional: Person.children))
      },
      .init("whether there is a row") { db in
        let author = TableAlias(), tag = TableAlias(), book = TableAlias()
        _ = try Row.fetchAll(
          db, Book.joining(optional: Book.author.aliased(author)).filter(author.exists))
        _ = try Row.fetchAll(
          db, Book.joining(optional: Book.author.aliased(author)).filter(!author.exists))
        _ = try Row.fetchAll(
          db, Book.joining(optional: Book.tags.aliased(tag)).filter(tag.exists && Column("id") > 0))
        _ = try Row.fetchAll(
          db,
          Book.joining(
            optional: Book.hasOne(Table("oldBook"), using: ForeignKey(["id"], to: ["id"])).aliased(
              book)
          ).filter(!book.exists))
      },
      .init("subqueries speak of the outer table") { db in
        let author = TableAlias()
        let books = Book.filter(Column("authorId") == author["id"])
        _ = try Row.fetchAll(db, Author.aliased(author).filter(books.exists()))
        _ = try Row.fetchAll(
          db, Author.aliased(author).annotated(with: books.select(count(Column("id"))).forKey("n")))
      },
      .init("subqueries with joins") { db in
        let book = TableAlias(name: "b")
        let inner = Review.joining(required: Review.book.joining(required: Book.author)).filter(
          Column("bookId") == book["id"])
        _ = try Row.fetchAll(
          db, Book.aliased(book).filter(inner.exists()).including(required: Book.author))
      },
      .init("selections and orderings by alias") { db in
        let author = TableAlias<Author>()
        _ = try Row.fetchAll(
          db,
          Book.joining(required: Book.author.aliased(author)).select(
            Column("title"), author[Column("name")].forKey("n"), author[.allColumns]
          )
          .order(author[Column("name").desc]).group(author["id"], Column("title")))
      },
    ]
  }
}
