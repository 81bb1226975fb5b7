// What GRDB 7.10 executes for the cases.

extension Library {
  static let aliasesSQL: [String: [String]] = [
    "an alias names a table": [
      """
      SELECT "book".*, "a".* FROM "book" JOIN "author" "a" ON "a"."id" = "book"."authorId"
      """,
    ],
    "an alias in conditions of another table": [
      """
      SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE \
      "author"."id" > "book"."year" ORDER BY "author"."name", "book"."title"
      """,
    ],
    "aliases of one table are one": [
      """
      SELECT "x".*, "person".* FROM "person" "x" LEFT JOIN "person" ON "person"."id" = \
      "x"."parentId" WHERE "x"."id" > 1
      """,
    ],
    "aliases are merged": [
      """
      SELECT "person".* FROM "person" LEFT JOIN "person" "p" ON "p"."id" = \
      "person"."parentId" WHERE ("p"."id" > 1) AND ("p"."id" < 9)
      """,
    ],
    "the name that was given stays, and others get numbers": [
      """
      SELECT "person1".* FROM "person" "person1" LEFT JOIN "person" ON "person"."id" = \
      "person1"."parentId"
      """,
    ],
    "numbers avoid names": [
      """
      SELECT "person2".* FROM "person" "person2" LEFT JOIN "person" "person1" ON \
      "person1"."id" = "person2"."parentId" LEFT JOIN "person" "person3" ON \
      "person3"."parentId" = "person2"."id"
      """,
    ],
    "whether there is a row": [
      """
      SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
      WHERE "author"."id" IS NOT NULL
      """,
      """
      SELECT "book".* FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
      WHERE "author"."id" IS NULL
      """,
      """
      SELECT "book".* FROM "book" LEFT JOIN "tagging" ON "tagging"."bookId" = "book"."id" \
      LEFT JOIN "tag" ON "tag"."uuid" = "tagging"."tagUuid" WHERE ("tag"."uuid" IS NOT \
      NULL) AND ("book"."id" > 0)
      """,
      """
      SELECT "book".* FROM "book" LEFT JOIN "oldBook" ON "oldBook"."id" = "book"."id" \
      WHERE ("oldBook"."id" IS NULL) AND ("oldBook"."authorId" IS NULL) AND \
      ("oldBook"."title" IS NULL) AND ("oldBook"."year" IS NULL) AND ("oldBook"."price" IS \
      NULL) AND ("oldBook"."kind" IS NULL)
      """,
    ],
    "subqueries speak of the outer table": [
      """
      SELECT * FROM "author" WHERE EXISTS (SELECT * FROM "book" WHERE "authorId" = \
      "author"."id")
      """,
      """
      SELECT *, (SELECT COUNT("id") FROM "book" WHERE "authorId" = "author"."id") AS "n" \
      FROM "author"
      """,
    ],
    "subqueries with joins": [
      """
      SELECT "b".*, "author".* FROM "book" "b" JOIN "author" ON "author"."id" = \
      "b"."authorId" WHERE EXISTS (SELECT "review".* FROM "review" JOIN "book" ON \
      "book"."id" = "review"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" \
      WHERE "review"."bookId" = "b"."id")
      """,
    ],
    "selections and orderings by alias": [
      """
      SELECT "book"."title", "author"."name" AS "n", "author".* FROM "book" JOIN "author" \
      ON "author"."id" = "book"."authorId" GROUP BY "author"."id", "book"."title" ORDER BY \
      "author"."name" DESC
      """,
    ],
  ]
}
