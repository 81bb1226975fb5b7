import Martlet

extension Library {
  static var joins: [AssociationCase] {
    [
      .init(
        "including(required:) joins the row and selects it", Book.including(required: Book.author)),
      .init("including(optional:) joins from the left", Book.including(optional: Book.author)),
      .init("joining(required:) selects nothing", Book.joining(required: Book.author)),
      .init("joining(optional:) selects nothing", Book.joining(optional: Book.author)),
      .init("a row that refers is joined", Author.including(optional: Author.profile)),
      .init("rows that refer are joined", Author.joining(required: Author.books)),
      .init("rows that refer are included one by one", Author.including(required: Author.books)),
      .init(
        "joins are nested",
        Book.including(required: Book.author.including(optional: Author.country))),
      .init(
        "joins are nested deeper",
        Review.including(
          required: Review.book.including(
            required: Book.author.joining(required: Author.country)))),
      .init("a row is joined through another", Book.including(required: Book.country)),
      .init(
        "a row is joined through another from the left", Book.including(optional: Book.country)),
      .init(
        "a row is joined through another without its columns", Book.joining(required: Book.country)),
      .init("rows are joined through others", Country.joining(required: Country.citizens)),
      .init("rows are included through others", Country.including(required: Country.citizens)),
      .init(
        "a way and its first step are merged",
        Book.including(required: Book.author).including(required: Book.country)),
      .init(
        "two ways with one first step are merged",
        Book.including(optional: Book.country).including(optional: Book.profile)),
      .init(
        "the same association twice is one join",
        Book.including(required: Book.author).including(required: Book.author)),
      .init(
        "required wins over optional",
        Book.including(optional: Book.author).joining(required: Book.author)),
      .init(
        "optional does not weaken required",
        Book.joining(required: Book.author).including(optional: Book.author)),
      .init(
        "merged conditions must all be true",
        Book.joining(required: Book.author.filter(Column("name") == "a"))
          .joining(required: Book.author.filter(Column("id") > 1 && Column("id") < 9))),
      .init(
        "the selection of the last merged association stays",
        Book.including(required: Book.author.select(Column("name")))
          .including(required: Book.author.select(Column("id")))),
      .init(
        "a merged association without columns keeps the selection",
        Book.including(required: Book.author.select(Column("name"))).joining(optional: Book.author)),
      .init(
        "the order of the last merged association stays",
        Book.including(required: Book.author.order(Column("name")))
          .including(required: Book.author.order(Column("id").desc))),
      .init(
        "a merged association goes behind the others",
        Letter.including(required: Letter.sender).including(required: Letter.receiver)
          .including(required: Letter.sender.filter(Column("name") != "x"))),
      .init(
        "nested joins are merged",
        Book.including(required: Book.author.including(optional: Author.country))
          .including(required: Book.author.joining(required: Author.profile))),
      .init("a table is joined with itself", Person.including(optional: Person.parent)),
      .init(
        "a table is joined with itself the other way", Person.joining(required: Person.children)),
      .init(
        "a table is joined with itself twice",
        Person.including(optional: Person.parent.including(optional: Person.parent))),
      .init(
        "two foreign keys to one table make two joins",
        Letter.including(required: Letter.sender).including(optional: Letter.receiver)),
      .init(
        "one association under two keys makes two joins",
        Book.including(optional: Book.author.forKey("a")).including(
          optional: Book.author.forKey("b"))),
      .init("keys of two columns are joined", Box.including(optional: Box.shelf)),
      .init("keys of two columns are joined the other way", Shelf.joining(required: Shelf.boxes)),
      .init(
        "annotated(withRequired:) selects among the row's columns",
        Book.annotated(withRequired: Book.author.select(Column("name"), Column("id").forKey("x")))),
      .init(
        "annotated(withOptional:) selects among the row's columns",
        Book.annotated(withOptional: Book.author)),
      .init(
        "annotations of a way",
        Book.annotated(withOptional: Book.country.select(Column("name").forKey("countryName")))),
      .init(
        "annotations stand behind other selections",
        Book.select(Column("title")).annotated(withRequired: Book.author.select(Column("name")))
          .including(optional: Book.country)),
    ]
  }
}
