import Martlet

extension Library {
  static var prefetching: [AssociationCase] {
    [
      .init("rows of many are fetched by one more statement", Author.including(all: Author.books)),
      .init("one row has one key", Author.filter(key: 1).including(all: Author.books)),
      .init("no row needs no statement", Author.none().including(all: Author.books)),
      .init(
        "rows of many with conditions and order",
        Author.including(all: Author.novels.order(Column("year").desc))),
      .init(
        "two associations to many",
        Author.including(all: Author.books).including(all: Author.novels)),
      .init(
        "associations to many are merged",
        Author.including(all: Author.books.filter(Column("year") > 1)).including(
          all: Author.books.order(Column("id")))),
      .init("rows through others", Country.including(all: Country.citizens)),
      .init(
        "rows through others with conditions",
        Country.including(all: Country.citizens.filter(Column("name") > "A").order(Column("name")))),
      .init(
        "rows through rows of many", Country.order(Column("code")).including(all: Country.books)),
      .init(
        "rows through three",
        Author.including(all: Author.hasMany(Tag.self, through: Author.books, using: Book.tags))),
      .init(
        "two ways with one first step",
        Country.including(all: Country.books).including(
          all: Country.hasMany(
            Profile.self, through: Country.authors, using: Author.profile, key: "profiles"))),
      .init(
        "many of many",
        Country.including(
          all: Country.authors.including(all: Author.books.including(all: Book.reviews)))),
      .init(
        "many of a joined row", Book.including(required: Book.author.including(all: Author.books))),
      .init(
        "many of a row that may be missing",
        Book.including(optional: Book.author.including(all: Author.books))),
      .init(
        "many of two joined rows",
        Review.including(
          required: Review.book.including(required: Book.author.including(all: Author.books))
            .including(all: Book.reviews))),
      .init(
        "one of many",
        Author.including(
          all: Author.books.including(all: Book.reviews).joining(required: Book.reviews))),
      .init(
        "many with a joined row",
        Author.including(all: Author.books.including(optional: Book.author))),
      .init("keys of two columns", Shelf.order(Column("number")).including(all: Shelf.boxes)),
      .init(
        "keys of two columns, limited",
        Shelf.order(Column("number")).limit(2).including(all: Shelf.boxes.order(Column("id")))),
      .init(
        "keys of two columns in rows of one",
        Shelf.including(all: Shelf.boxes.including(all: Box.coins))),
      .init(
        "rows through keys of two columns",
        Shelf.filter(Column("room") == "hall").including(
          all: Shelf.hasMany(Coin.self, through: Shelf.boxes, using: Box.coins))),
      .init(
        "keys of two columns of a joined row",
        Coin.including(
          required: Coin.box.including(required: Box.shelf.including(all: Shelf.boxes)))),
      .init("many of itself", Person.including(all: Person.children)),
      .init(
        "many of itself, twice",
        Person.including(all: Person.children.including(all: Person.children)).filter(
          Column("parentId") == nil)),
      .init(
        "limits of many",
        Author.including(all: Author.books.distinct().select(Column("kind"), Column("authorId")))),
      .init(
        "groups of many",
        Author.including(all: Author.books.group(Column("kind")).having(count(Column("id")) > 0))),
      .init("many under another name", Author.including(all: Author.books.forKey("works"))),
      .init("one row with many") { db in
        _ = try Author.including(all: Author.books).asRequest(of: Row.self).fetchOne(db)
      },
      .init(
        "aggregates in rows of many",
        Country.including(all: Country.authors.annotated(with: Author.books.count))),
    ]
  }

  static var aggregates: [AssociationCase] {
    let year = Column("year"), price = Column("price")
    return [
      .init("count", Author.annotated(with: Author.books.count)),
      .init("count under a name", Author.annotated(with: Author.books.count.forKey("n"))),
      .init("isEmpty", Author.annotated(with: Author.books.isEmpty)),
      .init(
        "min, max, average, sum and total",
        Author.annotated(
          with: Author.books.min(year), Author.books.max(year), Author.books.average(price),
          Author.books.sum(price), Author.books.total(price))),
      .init(
        "closures of aggregates",
        Author.annotated(with: [Author.books.min { $0.year }, Author.books.total { $0.price * 2 }])),
      .init(
        "aggregates of expressions",
        Author.annotated(
          with: Author.books.max(year * 2), Author.books.sum(price + year).forKey("s"))),
      .init("aggregates of some rows", Author.annotated(with: Author.novels.count)),
      .init(
        "aggregates of different associations",
        Author.annotated(with: Author.books.count, Author.novels.count, Author.reviews.count)),
      .init(
        "aggregates through others",
        Country.annotated(with: Country.citizens.count, Country.books.max(year))),
      .init("aggregates of a table without rowid", Book.annotated(with: Book.tags.count)),
      .init(
        "aggregates for a table with a text key", Country.annotated(with: Country.authors.count)),
      .init(
        "aggregates of a table with a key of two columns",
        Citizen.annotated(with: Citizen.passports.count)),
      .init("aggregates of itself", Person.annotated(with: Person.children.count)),
      .init("having", Author.having(Author.books.count > 1)),
      .init("having isEmpty", Author.having(Author.books.isEmpty)),
      .init("having not isEmpty", Author.having(!Author.books.isEmpty)),
      .init(
        "having isEmpty compared",
        Author.having(Author.books.isEmpty == false).having(Author.novels.isEmpty == true)),
      .init("having differently", Author.having(Author.books.isEmpty != true)),
      .init(
        "having two",
        Author.having(
          Author.books.count > 1 && Author.novels.count == 1 || Author.books.max(year) > 1_900)),
      .init(
        "having twice", Author.having(Author.books.count > 1).having(Author.books.min(year) < 1_900)
      ),
      .init(
        "having and annotated",
        Author.annotated(with: Author.books.count).having(Author.books.count >= 2).order(
          Column("bookCount").detached)),
      .init(
        "comparisons",
        Author.having(Author.books.min(year) == Author.books.max(year)).having(
          Author.books.max(price) != nil
        ).having(Author.books.max(price) === nil).having(Author.books.count !== 3)),
      .init(
        "comparisons from the left",
        Author.having(1 < Author.books.count).having(2 >= Author.books.count).having(
          3 == Author.books.count)),
      .init(
        "comparisons of two",
        Author.having(Author.books.count < Author.novels.count).having(
          Author.books.count <= Author.novels.count
        ).having(Author.books.count != Author.novels.count)),
      .init(
        "arithmetic",
        Author.annotated(
          with: (Author.books.max(year) - Author.books.min(year) + 1).forKey("span"),
          -Author.books.count, Author.books.count * 2 / 3)),
      .init("?? keeps the name", Author.annotated(with: Author.books.max(price) ?? 0)),
      .init(
        "functions",
        Author.annotated(
          with: cast(Author.books.sum(price), as: .integer), abs(Author.books.min(year)),
          length(Author.books.max(Column("title"))))),
      .init("not", Author.having(!(Author.books.count > 1))),
      .init(
        "aggregates with other joins",
        Author.including(optional: Author.country).annotated(with: Author.books.count).filter(
          Column("id") > 0)),
      .init(
        "aggregates over joined rows",
        Country.annotated(with: Country.authors.joining(optional: Author.books).count)),
    ]
  }
}
