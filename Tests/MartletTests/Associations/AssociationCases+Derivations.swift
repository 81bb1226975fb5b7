import Martlet

extension Library {
  static var derivations: [AssociationCase] {
    [
      .init(
        "filters",
        Book.filter(Column("year") > 1_800).including(
          required: Book.author.filter(Column("name") == "x"))),
      .init(
        "filters of an association stand in ON",
        Book.including(optional: Book.author.filter(Column("name") == "x").filter(Column("id") > 0))
      ),
      .init(
        "closures",
        Book.filter { $0.year > 1_800 }.joining(required: Book.author.filter { $0.name == "x" })),
      .init("filters by key", Book.joining(required: Book.author.filter(key: 1))),
      .init(
        "SQL", Book.joining(required: Book.author.filter(sql: "author.name = ?", arguments: ["x"]))),
      .init(
        "literals see the association's table",
        Book.joining(required: Book.author.filter(literal: "\(Column("name")) = \("x")"))),
      .init(
        "selections",
        Book.select(Column("title"), Column("year").forKey("y")).including(
          required: Book.author.select(Column("name")))),
      .init(
        "an association without columns",
        Book.including(required: Book.author.select([any SQLSelectable]()))),
      .init(
        "annotations",
        Book.including(required: Book.author.annotated(with: (Column("id") + 1).forKey("next")))),
      .init(
        "columns but some",
        Book.including(required: Book.author.select(.allColumns(excluding: ["name"])))),
      .init(
        "the order of all",
        Book.order(Column("title")).including(
          required: Book.author.order(Column("name").desc, Column("id")))),
      .init(
        "the order of an association alone",
        Book.including(optional: Book.author.order(Column("name")))),
      .init(
        "the order turned",
        Book.order(Column("title")).including(required: Book.author.order(Column("name").desc))
          .reversed()),
      .init(
        "the order of an association turned",
        Book.order(Column("title")).including(
          required: Book.author.order(Column("name").desc).reversed())),
      .init(
        "the order turned twice",
        Book.including(required: Book.author.order(Column("name")).reversed()).reversed()),
      .init(
        "without order",
        Book.order(Column("title")).including(required: Book.author.order(Column("name")))
          .unordered()),
      .init(
        "stable order",
        Book.order(Column("title")).including(required: Book.author).withStableOrder()),
      .init("stable order turned", Book.order(Column("title")).reversed().withStableOrder()),
      .init("limit", Book.including(required: Book.author).limit(2, offset: 1)),
      .init("distinct", Book.select(Column("title")).joining(required: Book.reviews).distinct()),
      .init(
        "group and having",
        Book.joining(required: Book.reviews).group(Column("id")).having(count(Column("id")) > 1)),
      .init("one row of a join is limited") { db in
        _ = try Row.fetchOne(db, Book.filter(key: 1).including(required: Book.author))
      },
      .init("other rows") { db in
        _ = try Row.fetchOne(db, Book.including(required: Book.author).asRequest(of: Row.self))
      },
      .init("the rows of a record") { db in
        let author = Author(id: 1, name: "", countryCode: "US")
        _ = try author.request(for: Author.books).fetchAll(db)
        _ = try author.request(for: Author.country).fetchOne(db)
        _ = try author.request(for: Author.novels.order(Column("year"))).fetchAll(db)
        _ = try author.request(for: Author.profile).fetchOne(db)
        _ = try author.request(for: Author.reviews).fetchAll(db)
      },
      .init("the rows of a record through others") { db in
        let country = Country(code: "FR", name: "")
        _ = try country.request(for: Country.citizens).fetchAll(db)
        _ = try country.request(for: Country.books.filter(Column("year") > 1)).fetchCount(db)
        _ = try Book(id: 1, authorId: 1, title: "", year: 0, price: nil, kind: "").request(
          for: Book.country
        ).fetchAll(db)
      },
      .init("NULL refers to nothing") { db in
        _ = try Author(id: 1, name: "", countryCode: nil).request(for: Author.country).fetchOne(db)
        _ = try Box(id: 4, room: "hall", number: nil).request(for: Box.shelf).fetchOne(db)
        _ = try Shelf(room: "hall", number: 1).request(for: Shelf.boxes).fetchAll(db)
      },
      .init("the rows of a record with joins") { db in
        let author = Author(id: 1, name: "", countryCode: "US")
        _ = try author.request(for: Author.books.including(required: Book.author)).fetchAll(db)
        _ = try author.request(for: Author.books).including(all: Book.reviews).fetchAll(db)
        _ = try author.request(for: Author.reviews.including(required: Review.book)).fetchAll(db)
      },
    ]
  }

  static var deeds: [AssociationCase] {
    [
      .init("counting joined rows") { db in
        _ = try Book.including(required: Book.author).fetchCount(db)
        _ = try Book.joining(optional: Book.author).fetchCount(db)
        _ = try Book.including(all: Book.reviews).fetchCount(db)
        _ = try Book.order(Column("title")).including(required: Book.author.order(Column("name")))
          .fetchCount(db)
        _ = try Author.annotated(with: Author.books.count).fetchCount(db)
        _ = try Book.limit(3).order(Column("title")).fetchCount(db)
      },
      .init("counting rows of common tables") { db in
        let old = CommonTableExpression<Row>(
          named: "old", request: Book.filter(Column("year") < 1_900))
        _ = try old.all().with(old).fetchCount(db)
      },
      .init("whether there are rows") { db in
        _ = try Book.joining(required: Book.author).isEmpty(db)
      },
      .init("deleting joined rows") { db in
        try db.inSavepoint {
          try Review.joining(required: Review.book.filter(Column("year") > 2_000)).deleteAll(db)
          try Tagging.joining(required: Tagging.tag.filter(Column("label") == "x")).deleteAll(db)
          try Tag.having(Tag.taggings.isEmpty).deleteAll(db)
          try Author.having(Author.books.isEmpty).order(Column("id")).filter(Column("id") > 99)
            .deleteAll(db)
          try Book.including(required: Book.author).including(all: Book.reviews).filter(
            Column("year") > 9_999
          ).deleteAll(db)
          return .rollback
        }
      },
      .init("updating joined rows") { db in
        try db.inSavepoint {
          try Book.joining(required: Book.author.filter(Column("name") == "x")).updateAll(
            db, Column("year") += 1)
          try Book.joining(optional: Book.reviews).updateAll(
            db, onConflict: .ignore,
            [Column("price").set(to: 1), Column("title").set(to: Column("kind"))])
          try Author.having(Author.books.count > 1).updateAll(db, Column("name").set(to: "many"))
          return .rollback
        }
      },
      .init(
        "primary keys of joined rows",
        Book.joining(required: Book.author).selectPrimaryKey(as: Int64.self)),
    ]
  }
}
