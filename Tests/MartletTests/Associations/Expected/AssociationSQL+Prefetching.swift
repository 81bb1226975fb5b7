// What GRDB 7.10 executes for the cases.

extension Library {
  static let prefetchingSQL: [String: [String]] = [
    "rows of many are fetched by one more statement": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3, 4)
      """,
    ],
    "one row has one key": [
      """
      SELECT * FROM "author" WHERE "id" = 1
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
      """,
    ],
    "no row needs no statement": [
      """
      SELECT * FROM "author" WHERE 0
      """,
    ],
    "rows of many with conditions and order": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("kind" = 'novel') AND \
      ("authorId" IN (1, 2, 3, 4)) ORDER BY "year" DESC
      """,
    ],
    "two associations to many": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3, 4)
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("kind" = 'novel') AND \
      ("authorId" IN (1, 2, 3, 4))
      """,
    ],
    "associations to many are merged": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE ("year" > 1) AND \
      ("authorId" IN (1, 2, 3, 4)) ORDER BY "id"
      """,
    ],
    "rows through others": [
      """
      SELECT * FROM "country"
      """,
      """
      SELECT "citizen".*, "passport"."countryCode" AS "grdb_countryCode" FROM "citizen" \
      JOIN "passport" ON ("passport"."citizenId" = "citizen"."id") AND \
      ("passport"."countryCode" IN ('FR', 'IS', 'US'))
      """,
    ],
    "rows through others with conditions": [
      """
      SELECT * FROM "country"
      """,
      """
      SELECT "citizen".*, "passport"."countryCode" AS "grdb_countryCode" FROM "citizen" \
      JOIN "passport" ON ("passport"."citizenId" = "citizen"."id") AND \
      ("passport"."countryCode" IN ('FR', 'IS', 'US')) WHERE "citizen"."name" > 'A' ORDER \
      BY "citizen"."name"
      """,
    ],
    "rows through rows of many": [
      """
      SELECT * FROM "country" ORDER BY "code"
      """,
      """
      SELECT "book".*, "author"."countryCode" AS "grdb_countryCode" FROM "book" JOIN \
      "author" ON ("author"."id" = "book"."authorId") AND ("author"."countryCode" IN \
      ('FR', 'IS', 'US'))
      """,
    ],
    "rows through three": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT "tag".*, "book"."authorId" AS "grdb_authorId" FROM "tag" JOIN "tagging" ON \
      "tagging"."tagUuid" = "tag"."uuid" JOIN "book" ON ("book"."id" = "tagging"."bookId") \
      AND ("book"."authorId" IN (1, 2, 3, 4))
      """,
    ],
    "two ways with one first step": [
      """
      SELECT * FROM "country"
      """,
      """
      SELECT "book".*, "author"."countryCode" AS "grdb_countryCode" FROM "book" JOIN \
      "author" ON ("author"."id" = "book"."authorId") AND ("author"."countryCode" IN \
      ('FR', 'IS', 'US'))
      """,
      """
      SELECT "profile".*, "author"."countryCode" AS "grdb_countryCode" FROM "profile" JOIN \
      "author" ON ("author"."id" = "profile"."authorId") AND ("author"."countryCode" IN \
      ('FR', 'IS', 'US'))
      """,
    ],
    "many of many": [
      """
      SELECT * FROM "country"
      """,
      """
      SELECT *, "countryCode" AS "grdb_countryCode" FROM "author" WHERE "countryCode" IN \
      ('FR', 'IS', 'US')
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 4)
      """,
      """
      SELECT *, "bookId" AS "grdb_bookId" FROM "review" WHERE "bookId" IN (1, 2, 3)
      """,
    ],
    "many of a joined row": [
      """
      SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
      """
      SELECT "book".*, "author"."id" AS "grdb_id" FROM "book" JOIN "author" ON \
      ("author"."id" = "book"."authorId") AND ("author"."id" IN (1, 2))
      """,
    ],
    "many of a row that may be missing": [
      """
      SELECT "book".*, "author".* FROM "book" LEFT JOIN "author" ON "author"."id" = \
      "book"."authorId"
      """,
      """
      SELECT "book".*, "author"."id" AS "grdb_id" FROM "book" JOIN "author" ON \
      ("author"."id" = "book"."authorId") AND ("author"."id" IN (1, 2))
      """,
    ],
    "many of two joined rows": [
      """
      SELECT "review".*, "book".*, "author".* FROM "review" JOIN "book" ON "book"."id" = \
      "review"."bookId" JOIN "author" ON "author"."id" = "book"."authorId"
      """,
      """
      SELECT "book1".*, "book2"."id" AS "grdb_id" FROM "book" "book1" JOIN "author" ON \
      "author"."id" = "book1"."authorId" JOIN "book" "book2" ON ("book2"."authorId" = \
      "author"."id") AND ("book2"."id" IN (1, 3))
      """,
      """
      SELECT "review".*, "book"."id" AS "grdb_id" FROM "review" JOIN "book" ON \
      ("book"."id" = "review"."bookId") AND ("book"."id" IN (1, 3)) JOIN "author" ON \
      "author"."id" = "book"."authorId"
      """,
    ],
    "one of many": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT "book".*, "book"."authorId" AS "grdb_authorId" FROM "book" JOIN "review" ON \
      "review"."bookId" = "book"."id" WHERE "book"."authorId" IN (1, 2, 3, 4)
      """,
      """
      SELECT *, "bookId" AS "grdb_bookId" FROM "review" WHERE "bookId" IN (1, 3)
      """,
    ],
    "many with a joined row": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT "book".*, "book"."authorId" AS "grdb_authorId", "author".* FROM "book" LEFT \
      JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."authorId" IN (1, 2, \
      3, 4)
      """,
    ],
    "keys of two columns": [
      """
      SELECT * FROM "shelf" ORDER BY "number"
      """,
      """
      WITH "grdb_base" AS (SELECT "room", "number" FROM "shelf") SELECT *, "room" AS \
      "grdb_room", "number" AS "grdb_number" FROM "box" WHERE ("room", "number") IN \
      "grdb_base"
      """,
    ],
    "keys of two columns, limited": [
      """
      SELECT * FROM "shelf" ORDER BY "number" LIMIT 2
      """,
      """
      WITH "grdb_base" AS (SELECT "room", "number" FROM "shelf" ORDER BY "number" LIMIT 2) \
      SELECT *, "room" AS "grdb_room", "number" AS "grdb_number" FROM "box" WHERE ("room", \
      "number") IN "grdb_base" ORDER BY "id"
      """,
    ],
    "keys of two columns in rows of one": [
      """
      SELECT * FROM "shelf"
      """,
      """
      WITH "grdb_base" AS (SELECT "room", "number" FROM "shelf") SELECT *, "room" AS \
      "grdb_room", "number" AS "grdb_number" FROM "box" WHERE ("room", "number") IN \
      "grdb_base"
      """,
      """
      SELECT *, "boxId" AS "grdb_boxId" FROM "coin" WHERE "boxId" IN (1, 2, 3)
      """,
    ],
    "rows through keys of two columns": [
      """
      SELECT * FROM "shelf" WHERE "room" = 'hall'
      """,
      """
      WITH "grdb_base" AS (SELECT "room", "number" FROM "shelf" WHERE "room" = 'hall') \
      SELECT "coin".*, "box"."room" AS "grdb_room", "box"."number" AS "grdb_number" FROM \
      "coin" JOIN "box" ON ("box"."id" = "coin"."boxId") AND (("box"."room", \
      "box"."number") IN "grdb_base")
      """,
    ],
    "keys of two columns of a joined row": [
      """
      SELECT "coin".*, "box".*, "shelf".* FROM "coin" JOIN "box" ON "box"."id" = \
      "coin"."boxId" JOIN "shelf" ON ("shelf"."room" = "box"."room") AND ("shelf"."number" \
      = "box"."number")
      """,
      """
      SELECT "box1".*, "box2"."id" AS "grdb_id" FROM "box" "box1" JOIN "shelf" ON \
      ("shelf"."room" = "box1"."room") AND ("shelf"."number" = "box1"."number") JOIN "box" \
      "box2" ON ("box2"."room" = "shelf"."room") AND ("box2"."number" = "shelf"."number") \
      AND ("box2"."id" IN (1, 3))
      """,
    ],
    "many of itself": [
      """
      SELECT * FROM "person"
      """,
      """
      SELECT *, "parentId" AS "grdb_parentId" FROM "person" WHERE "parentId" IN (1, 2, 3, \
      4)
      """,
    ],
    "many of itself, twice": [
      """
      SELECT * FROM "person" WHERE "parentId" IS NULL
      """,
      """
      SELECT *, "parentId" AS "grdb_parentId" FROM "person" WHERE "parentId" = 1
      """,
      """
      SELECT *, "parentId" AS "grdb_parentId" FROM "person" WHERE "parentId" = 2
      """,
    ],
    "limits of many": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT DISTINCT "kind", "authorId", "authorId" AS "grdb_authorId" FROM "book" WHERE \
      "authorId" IN (1, 2, 3, 4)
      """,
    ],
    "groups of many": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3, 4) \
      GROUP BY "kind" HAVING COUNT("id") > 0
      """,
    ],
    "many under another name": [
      """
      SELECT * FROM "author"
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3, 4)
      """,
    ],
    "one row with many": [
      """
      SELECT * FROM "author" LIMIT 1
      """,
      """
      SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" = 1
      """,
    ],
    "aggregates in rows of many": [
      """
      SELECT * FROM "country"
      """,
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount", \
      "author"."countryCode" AS "grdb_countryCode" FROM "author" LEFT JOIN "book" ON \
      "book"."authorId" = "author"."id" WHERE "author"."countryCode" IN ('FR', 'IS', 'US') \
      GROUP BY "author"."id"
      """,
    ],
  ]
}
