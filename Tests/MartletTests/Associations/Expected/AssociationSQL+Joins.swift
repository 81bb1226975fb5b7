// What GRDB 7.10 executes for the cases.

extension Library {
  static let joinsSQL: [String: [String]] = [
    "including(required:) joins the row and selects it": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "including(optional:) joins from the left": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "joining(required:) selects nothing": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
      """,
    ],
    "joining(optional:) selects nothing": [
      """
      SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"
      """,
    ],
    "a row that refers is joined": [
      """
      SELECT "author".*, "profile".* FROM "author" LEFT JOIN "profile" ON \
      "profile"."authorId" = "author"."id"
      """,
    ],
    "rows that refer are joined": [
      """
      SELECT "author".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id"
      """,
    ],
    "rows that refer are included one by one": [
      """
      SELECT "author".*, "book".* FROM "author" JOIN "book" ON "book"."authorId" = \
      "author"."id"
      """,
    ],
    "joins are nested": [
      """
      SELECT "book".*, "author".*, "country".* FROM "book" JOIN "author" ON "author"."id" \
      = "book"."authorId" LEFT JOIN "country" ON "country"."code" = "author"."countryCode"
      """,
    ],
    "joins are nested deeper": [
      """
      SELECT "review".*, "book".*, "author".* FROM "review" JOIN "book" ON "book"."id" = \
      "review"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" JOIN "country" \
      ON "country"."code" = "author"."countryCode"
      """,
    ],
    "a row is joined through another": [
      """
      SELECT "book".*, "country".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" JOIN "country" ON "country"."code" = "author"."countryCode"
      """,
    ],
    "a row is joined through another from the left": [
      """
      SELECT "book".*, "country".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId" LEFT JOIN "country" ON "country"."code" = "author"."countryCode"
      """,
    ],
    "a row is joined through another without its columns": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" JOIN \
      "country" ON "country"."code" = "author"."countryCode"
      """,
    ],
    "rows are joined through others": [
      """
      SELECT "country".* FROM "country" JOIN "passport" ON "passport"."countryCode" = \
      "country"."code" JOIN "citizen" ON "citizen"."id" = "passport"."citizenId"
      """,
    ],
    "rows are included through others": [
      """
      SELECT "country".*, "citizen".* FROM "country" JOIN "passport" ON \
      "passport"."countryCode" = "country"."code" JOIN "citizen" ON "citizen"."id" = \
      "passport"."citizenId"
      """,
    ],
    "a way and its first step are merged": [
      """
      SELECT "book".*, "author".*, "country".* FROM "book" JOIN "author" ON "author"."id" \
      = "book"."authorId" JOIN "country" ON "country"."code" = "author"."countryCode"
      """,
    ],
    "two ways with one first step are merged": [
      """
      SELECT "book".*, "country".*, "profile".* FROM "book" LEFT JOIN "author" ON \
      "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = \
      "author"."countryCode" LEFT JOIN "profile" ON "profile"."authorId" = "author"."id"
      """,
    ],
    "the same association twice is one join": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "required wins over optional": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "optional does not weaken required": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "merged conditions must all be true": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
      ("author"."name" = 'a') AND ("author"."id" > 1) AND ("author"."id" < 9)
      """,
    ],
    "the selection of the last merged association stays": [
      """
      SELECT "book".*, "author"."id" FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "a merged association without columns keeps the selection": [
      """
      SELECT "book".*, "author"."name" FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "the order of the last merged association stays": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "author"."id" DESC
      """,
    ],
    "a merged association goes behind the others": [
      """
      SELECT "letter".*, "person1".*, "person2".* FROM "letter" JOIN "person" "person1" ON \
      "person1"."id" = "letter"."receiverId" JOIN "person" "person2" ON ("person2"."id" = \
      "letter"."senderId") AND ("person2"."name" <> 'x')
      """,
    ],
    "nested joins are merged": [
      """
      SELECT "book".*, "author".*, "country".* FROM "book" JOIN "author" ON "author"."id" \
      = "book"."authorId" LEFT JOIN "country" ON "country"."code" = "author"."countryCode" \
      JOIN "profile" ON "profile"."authorId" = "author"."id"
      """,
    ],
    "a table is joined with itself": [
      """
      SELECT "person1".*, "person2".* FROM "person" "person1" LEFT JOIN "person" "person2" \
      ON "person2"."id" = "person1"."parentId"
      """,
    ],
    "a table is joined with itself the other way": [
      """
      SELECT "person1".* FROM "person" "person1" JOIN "person" "person2" ON \
      "person2"."parentId" = "person1"."id"
      """,
    ],
    "a table is joined with itself twice": [
      """
      SELECT "person1".*, "person2".*, "person3".* FROM "person" "person1" LEFT JOIN \
      "person" "person2" ON "person2"."id" = "person1"."parentId" LEFT JOIN "person" \
      "person3" ON "person3"."id" = "person2"."parentId"
      """,
    ],
    "two foreign keys to one table make two joins": [
      """
      SELECT "letter".*, "person1".*, "person2".* FROM "letter" JOIN "person" "person1" ON \
      "person1"."id" = "letter"."senderId" LEFT JOIN "person" "person2" ON "person2"."id" \
      = "letter"."receiverId"
      """,
    ],
    "one association under two keys makes two joins": [
      """
      SELECT "book".*, "author1".*, "author2".* FROM "book" LEFT JOIN "author" "author1" \
      ON "author1"."id" = "book"."authorId" LEFT JOIN "author" "author2" ON "author2"."id" \
      = "book"."authorId"
      """,
    ],
    "keys of two columns are joined": [
      """
      SELECT "box".*, "shelf".* FROM "box" LEFT JOIN "shelf" ON ("shelf"."room" = \
      "box"."room") AND ("shelf"."number" = "box"."number")
      """,
    ],
    "keys of two columns are joined the other way": [
      """
      SELECT "shelf".* FROM "shelf" JOIN "box" ON ("box"."room" = "shelf"."room") AND \
      ("box"."number" = "shelf"."number")
      """,
    ],
    "annotated(withRequired:) selects among the row's columns": [
      """
      SELECT "book".*, "author"."name", "author"."id" AS "x" FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId"
      """,
    ],
    "annotated(withOptional:) selects among the row's columns": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "annotations of a way": [
      """
      SELECT "book".*, "country"."name" AS "countryName" FROM "book" LEFT JOIN "author" ON \
      "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = \
      "author"."countryCode"
      """,
    ],
    "annotations stand behind other selections": [
      """
      SELECT "book"."title", "author"."name", "country".* FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = \
      "author"."countryCode"
      """,
    ],
  ]
}
