// What GRDB 7.10 executes for the cases.

extension Library {
  static let deedsSQL: [String: [String]] = [
    "counting joined rows": [
      """
      SELECT COUNT(*) FROM (SELECT "book".*, "author".* FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId")
      """,
      """
      SELECT COUNT(*) FROM (SELECT "book".* FROM "book" LEFT JOIN "author" ON \
      "author"."id" = "book"."authorId")
      """,
      """
      SELECT COUNT(*) FROM "book"
      """,
      """
      SELECT COUNT(*) FROM (SELECT "book".*, "author".* FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId")
      """,
      """
      SELECT COUNT(*) FROM (SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" \
      FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY \
      "author"."id")
      """,
      """
      SELECT COUNT(*) FROM (SELECT * FROM "book" LIMIT 3)
      """,
    ],
    "counting rows of common tables": [
      """
      SELECT COUNT(*) FROM (WITH "old" AS (SELECT * FROM "book" WHERE "year" < 1900) \
      SELECT * FROM "old")
      """,
    ],
    "whether there are rows": [
      """
      SELECT EXISTS (SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId")
      """,
    ],
    "deleting joined rows": [
      """
      DELETE FROM "review" WHERE "id" IN (SELECT "review"."id" FROM "review" JOIN "book" \
      ON ("book"."id" = "review"."bookId") AND ("book"."year" > 2000))
      """,
      """
      DELETE FROM "tagging" WHERE "rowid" IN (SELECT "tagging"."rowid" FROM "tagging" JOIN \
      "tag" ON ("tag"."uuid" = "tagging"."tagUuid") AND ("tag"."label" = 'x'))
      """,
      """
      DELETE FROM "tag" WHERE "uuid" IN (SELECT "tag"."uuid" FROM "tag" LEFT JOIN \
      "tagging" ON "tagging"."tagUuid" = "tag"."uuid" GROUP BY "tag"."uuid" HAVING \
      COUNT(DISTINCT "tagging"."rowid") = 0)
      """,
      """
      DELETE FROM "author" WHERE "id" IN (SELECT "author"."id" FROM "author" LEFT JOIN \
      "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" > 99 GROUP BY \
      "author"."id" HAVING COUNT(DISTINCT "book"."id") = 0 ORDER BY "author"."id")
      """,
      """
      DELETE FROM "book" WHERE "id" IN (SELECT "book"."id" FROM "book" JOIN "author" ON \
      "author"."id" = "book"."authorId" WHERE "book"."year" > 9999)
      """,
    ],
    "updating joined rows": [
      """
      UPDATE "book" SET "year" = "year" + 1 WHERE "id" IN (SELECT "book"."id" FROM "book" \
      JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."name" = 'x'))
      """,
      """
      UPDATE OR IGNORE "book" SET "price" = 1, "title" = "kind" WHERE "id" IN (SELECT \
      "book"."id" FROM "book" LEFT JOIN "review" ON "review"."bookId" = "book"."id")
      """,
      """
      UPDATE "author" SET "name" = 'many' WHERE "id" IN (SELECT "author"."id" FROM \
      "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY \
      "author"."id" HAVING COUNT(DISTINCT "book"."id") > 1)
      """,
    ],
    "primary keys of joined rows": [
      """
      SELECT "book"."id" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
      """,
    ],
  ]
}
