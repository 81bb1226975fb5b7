// What GRDB 7.10 executes for the cases.

extension Library {
  static let derivationsSQL: [String: [String]] = [
    "filters": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON ("author"."id" = \
      "book"."authorId") AND ("author"."name" = 'x') WHERE "book"."year" > 1800
      """,
    ],
    "filters of an association stand in ON": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON ("author"."id" = \
      "book"."authorId") AND ("author"."name" = 'x') AND ("author"."id" > 0)
      """,
    ],
    "closures": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
      ("author"."name" = 'x') WHERE "book"."year" > 1800
      """,
    ],
    "filters by key": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
      ("author"."id" = 1)
      """,
    ],
    "SQL": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
      (author.name = 'x')
      """,
    ],
    "literals see the association's table": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND \
      ("author"."name" = 'x')
      """,
    ],
    "selections": [
      """
      SELECT "book"."title", "book"."year" AS "y", "author"."name" FROM "book" JOIN \
      "author" ON "author"."id" = "book"."authorId"
      """,
    ],
    "an association without columns": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
      """,
    ],
    "annotations": [
      """
      SELECT "book".*, "author".*, "author"."id" + 1 AS "next" FROM "book" JOIN "author" \
      ON "author"."id" = "book"."authorId"
      """,
    ],
    "columns but some": [
      """
      SELECT "book".*, "author"."id", "author"."countryCode" FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId"
      """,
    ],
    "the order of all": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "book"."title", "author"."name" DESC, "author"."id"
      """,
    ],
    "the order of an association alone": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "author"."name"
      """,
    ],
    "the order turned": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "book"."title" DESC, "author"."name" ASC
      """,
    ],
    "the order of an association turned": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "book"."title", "author"."name" ASC
      """,
    ],
    "the order turned twice": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "author"."name"
      """,
    ],
    "without order": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
    ],
    "stable order": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" ORDER BY "book"."title", "book"."id", "author"."id"
      """,
    ],
    "stable order turned": [
      """
      SELECT * FROM "book" ORDER BY "title" DESC, "id" DESC
      """,
    ],
    "limit": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" LIMIT 2 OFFSET 1
      """,
    ],
    "distinct": [
      """
      SELECT DISTINCT "book"."title" FROM "book" JOIN "review" ON "review"."bookId" = \
      "book"."id"
      """,
    ],
    "group and having": [
      """
      SELECT "book".* FROM "book" JOIN "review" ON "review"."bookId" = "book"."id" GROUP \
      BY "book"."id" HAVING COUNT("book"."id") > 1
      """,
    ],
    "one row of a join is limited": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" WHERE "book"."id" = 1 LIMIT 1
      """,
    ],
    "other rows": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" LIMIT 1
      """,
    ],
    "the rows of a record": [
      """
      SELECT * FROM "book" WHERE "authorId" = 1
      """,
      """
      SELECT * FROM "country" WHERE "code" = 'US'
      """,
      """
      SELECT * FROM "book" WHERE ("kind" = 'novel') AND ("authorId" = 1) ORDER BY "year"
      """,
      """
      SELECT * FROM "profile" WHERE "authorId" = 1
      """,
      """
      SELECT "review".* FROM "review" JOIN "book" ON ("book"."id" = "review"."bookId") AND \
      ("book"."authorId" = 1)
      """,
    ],
    "the rows of a record through others": [
      """
      SELECT "citizen".* FROM "citizen" JOIN "passport" ON ("passport"."citizenId" = \
      "citizen"."id") AND ("passport"."countryCode" = 'FR')
      """,
      """
      SELECT COUNT(*) FROM (SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = \
      "book"."authorId") AND ("author"."countryCode" = 'FR') WHERE "book"."year" > 1)
      """,
      """
      SELECT "country".* FROM "country" JOIN "author" ON ("author"."countryCode" = \
      "country"."code") AND ("author"."id" = 1)
      """,
    ],
    "NULL refers to nothing": [
      """
      SELECT * FROM "country" WHERE 0 LIMIT 1
      """,
      """
      SELECT * FROM "shelf" WHERE 0 LIMIT 1
      """,
      """
      SELECT * FROM "box" WHERE ("room" = 'hall') AND ("number" = 1)
      """,
    ],
    "the rows of a record with joins": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId" WHERE "book"."authorId" = 1
      """,
      """
      SELECT * FROM "book" WHERE "authorId" = 1
      """,
      """
      SELECT *, "bookId" AS "grdb_bookId" FROM "review" WHERE "bookId" IN (1, 2)
      """,
      """
      SELECT "review".*, "book1".* FROM "review" JOIN "book" "book1" ON "book1"."id" = \
      "review"."bookId" JOIN "book" "book2" ON ("book2"."id" = "review"."bookId") AND \
      ("book2"."authorId" = 1)
      """,
    ],
  ]
}
