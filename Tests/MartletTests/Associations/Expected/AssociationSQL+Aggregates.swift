// What GRDB 7.10 executes for the cases.

extension Library {
  static let aggregatesSQL: [String: [String]] = [
    "count": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" LEFT \
      JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "count under a name": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "n" FROM "author" LEFT JOIN "book" \
      ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "isEmpty": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") = 0 AS "hasNoBook" FROM "author" LEFT \
      JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "min, max, average, sum and total": [
      """
      SELECT "author".*, MIN("book"."year") AS "minBookYear", MAX("book"."year") AS \
      "maxBookYear", AVG("book"."price") AS "averageBookPrice", SUM("book"."price") AS \
      "bookPriceSum", TOTAL("book"."price") AS "bookPriceSum" FROM "author" LEFT JOIN \
      "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "closures of aggregates": [
      """
      SELECT "author".*, MIN("book"."year") AS "minBookYear", TOTAL("book"."price" * 2) \
      FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY \
      "author"."id"
      """,
    ],
    "aggregates of expressions": [
      """
      SELECT "author".*, MAX("book"."year" * 2), SUM("book"."price" + "book"."year") AS \
      "s" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY \
      "author"."id"
      """,
    ],
    "aggregates of some rows": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "novelCount" FROM "author" LEFT \
      JOIN "book" ON ("book"."authorId" = "author"."id") AND ("book"."kind" = 'novel') \
      GROUP BY "author"."id"
      """,
    ],
    "aggregates of different associations": [
      """
      SELECT "author".*, COUNT(DISTINCT "book2"."id") AS "bookCount", COUNT(DISTINCT \
      "book1"."id") AS "novelCount", COUNT(DISTINCT "review"."id") AS "reviewCount" FROM \
      "author" LEFT JOIN "book" "book1" ON ("book1"."authorId" = "author"."id") AND \
      ("book1"."kind" = 'novel') LEFT JOIN "book" "book2" ON "book2"."authorId" = \
      "author"."id" LEFT JOIN "review" ON "review"."bookId" = "book2"."id" GROUP BY \
      "author"."id"
      """,
    ],
    "aggregates through others": [
      """
      SELECT "country".*, COUNT(DISTINCT "citizen"."id") AS "citizenCount", \
      MAX("book"."year") AS "maxBookYear" FROM "country" LEFT JOIN "passport" ON \
      "passport"."countryCode" = "country"."code" LEFT JOIN "citizen" ON "citizen"."id" = \
      "passport"."citizenId" LEFT JOIN "author" ON "author"."countryCode" = \
      "country"."code" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY \
      "country"."rowid"
      """,
    ],
    "aggregates of a table without rowid": [
      """
      SELECT "book".*, COUNT(DISTINCT "tag"."uuid") AS "tagCount" FROM "book" LEFT JOIN \
      "tagging" ON "tagging"."bookId" = "book"."id" LEFT JOIN "tag" ON "tag"."uuid" = \
      "tagging"."tagUuid" GROUP BY "book"."id"
      """,
    ],
    "aggregates for a table with a text key": [
      """
      SELECT "country".*, COUNT(DISTINCT "author"."id") AS "authorCount" FROM "country" \
      LEFT JOIN "author" ON "author"."countryCode" = "country"."code" GROUP BY \
      "country"."rowid"
      """,
    ],
    "aggregates of a table with a key of two columns": [
      """
      SELECT "citizen".*, COUNT(DISTINCT "passport"."rowid") AS "passportCount" FROM \
      "citizen" LEFT JOIN "passport" ON "passport"."citizenId" = "citizen"."id" GROUP BY \
      "citizen"."id"
      """,
    ],
    "aggregates of itself": [
      """
      SELECT "person1".*, COUNT(DISTINCT "person2"."id") AS "childCount" FROM "person" \
      "person1" LEFT JOIN "person" "person2" ON "person2"."parentId" = "person1"."id" \
      GROUP BY "person1"."id"
      """,
    ],
    "having": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") > 1
      """,
    ],
    "having isEmpty": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") = 0
      """,
    ],
    "having not isEmpty": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") > 0
      """,
    ],
    "having isEmpty compared": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" "book1" ON "book1"."authorId" = \
      "author"."id" LEFT JOIN "book" "book2" ON ("book2"."authorId" = "author"."id") AND \
      ("book2"."kind" = 'novel') GROUP BY "author"."id" HAVING (COUNT(DISTINCT \
      "book1"."id") > 0) AND (COUNT(DISTINCT "book2"."id") = 0)
      """,
    ],
    "having differently": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING COUNT(DISTINCT "book"."id") > 0
      """,
    ],
    "having two": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" "book1" ON ("book1"."authorId" = \
      "author"."id") AND ("book1"."kind" = 'novel') LEFT JOIN "book" "book2" ON \
      "book2"."authorId" = "author"."id" GROUP BY "author"."id" HAVING ((COUNT(DISTINCT \
      "book2"."id") > 1) AND (COUNT(DISTINCT "book1"."id") = 1)) OR (MAX("book2"."year") > \
      1900)
      """,
    ],
    "having twice": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING (COUNT(DISTINCT "book"."id") > 1) AND \
      (MIN("book"."year") < 1900)
      """,
    ],
    "having and annotated": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount" FROM "author" LEFT \
      JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" HAVING \
      COUNT(DISTINCT "book"."id") >= 2 ORDER BY "bookCount"
      """,
    ],
    "comparisons": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING (MIN("book"."year") = \
      MAX("book"."year")) AND (MAX("book"."price") IS NOT NULL) AND (MAX("book"."price") \
      IS NULL) AND (COUNT(DISTINCT "book"."id") IS NOT 3)
      """,
    ],
    "comparisons from the left": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING (1 < COUNT(DISTINCT "book"."id")) AND (2 \
      >= COUNT(DISTINCT "book"."id")) AND (3 = COUNT(DISTINCT "book"."id"))
      """,
    ],
    "comparisons of two": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" "book1" ON "book1"."authorId" = \
      "author"."id" LEFT JOIN "book" "book2" ON ("book2"."authorId" = "author"."id") AND \
      ("book2"."kind" = 'novel') AND ("book2"."kind" = 'novel') AND ("book2"."kind" = \
      'novel') GROUP BY "author"."id" HAVING (COUNT(DISTINCT "book1"."id") < \
      COUNT(DISTINCT "book2"."id")) AND (COUNT(DISTINCT "book1"."id") <= COUNT(DISTINCT \
      "book2"."id")) AND (COUNT(DISTINCT "book1"."id") <> COUNT(DISTINCT "book2"."id"))
      """,
    ],
    "arithmetic": [
      """
      SELECT "author".*, (MAX("book"."year") - MIN("book"."year")) + 1 AS "span", \
      -COUNT(DISTINCT "book"."id"), (COUNT(DISTINCT "book"."id") * 2) / 3 FROM "author" \
      LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "?? keeps the name": [
      """
      SELECT "author".*, IFNULL(MAX("book"."price"), 0) AS "maxBookPrice" FROM "author" \
      LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "functions": [
      """
      SELECT "author".*, CAST(SUM("book"."price") AS INTEGER) AS "bookPriceSum", \
      ABS(MIN("book"."year")), LENGTH(MAX("book"."title")) FROM "author" LEFT JOIN "book" \
      ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
      """,
    ],
    "not": [
      """
      SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = \
      "author"."id" GROUP BY "author"."id" HAVING NOT (COUNT(DISTINCT "book"."id") > 1)
      """,
    ],
    "aggregates with other joins": [
      """
      SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount", "country".* FROM \
      "author" LEFT JOIN "country" ON "country"."code" = "author"."countryCode" LEFT JOIN \
      "book" ON "book"."authorId" = "author"."id" WHERE "author"."id" > 0 GROUP BY \
      "author"."id"
      """,
    ],
    "aggregates over joined rows": [
      """
      SELECT "country".*, COUNT(DISTINCT "author"."id") AS "authorCount" FROM "country" \
      LEFT JOIN "author" ON "author"."countryCode" = "country"."code" LEFT JOIN "book" ON \
      "book"."authorId" = "author"."id" GROUP BY "country"."rowid"
      """,
    ],
  ]
}
