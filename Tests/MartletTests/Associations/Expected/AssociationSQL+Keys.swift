// What GRDB 7.10 executes for the cases.

extension Library {
  static let keysSQL: [String: [String]] = [
    "a foreign key that is given needs no schema": [
      """
      SELECT "book".* FROM "book" JOIN "person" ON "person"."parentId" = "book"."authorId"
      """,
    ],
    "columns alone refer to the primary key": [
      """
      SELECT "book".* FROM "book" JOIN "person" ON "person"."id" = "book"."year"
      """,
    ],
    "a view needs columns": [
      """
      SELECT "oldBook".* FROM "oldBook" JOIN "author" ON "author"."id" = \
      "oldBook"."authorId"
      """,
    ],
    "a table has associations": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "a table has many": [
      """
      SELECT "author".* FROM "author" JOIN "book" ON ("book"."authorId" = "author"."id") \
      AND ("book"."year" > 1900)
      """,
    ],
    "a table has one": [
      """
      SELECT "author".*, "profile".* FROM "author" LEFT JOIN "profile" ON \
      "profile"."authorId" = "author"."id"
      """,
    ],
    "a record belongs to a table": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "a common table is joined on a condition": [
      """
      WITH "best" AS (SELECT bookId, MAX(stars) AS stars FROM review GROUP BY bookId) \
      SELECT "book".*, "best".* FROM "book" LEFT JOIN "best" ON "best"."bookId" = \
      "book"."id"
      """,
    ],
    "a common table is joined without condition": [
      """
      WITH "pair"("a") AS (VALUES (1), (2)) SELECT "book".*, "pair".* FROM "book" JOIN \
      "pair" ORDER BY "pair"."a" DESC
      """,
    ],
    "an association brings its common table": [
      """
      WITH "best" AS (SELECT "bookId" FROM "review" WHERE "stars" > 3) SELECT "book".* \
      FROM "book" JOIN "best" ON "best"."bookId" = "book"."id"
      """,
    ],
    "a common table has associations": [
      """
      WITH "old" AS (SELECT * FROM "book" WHERE "year" < 1900) SELECT "author".* FROM \
      "author" LEFT JOIN "old" ON "old"."authorId" = "author"."id"
      """,
    ],
  ]
}
