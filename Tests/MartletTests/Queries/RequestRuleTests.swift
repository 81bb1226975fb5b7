import Martlet
import Testing

/// What requests promise: how they are built, counted, changed and fetched.
@Suite struct RequestRuleTests {
  private let name = Column("name"), age = Column("age"), id = Column("id")

  private func expression(_ expression: some SQLSpecificExpressible) throws -> String {
    let text = try sql(Reader.select(expression.sqlExpression))
    return String(text.dropFirst(7).dropLast(15))
  }

  // MARK: Building

  @Test func `conditions add up, selections and orders replace each other`() throws {
    #expect(
      try sql(Reader.filter(age > 1).filter(age < 9).filter(sql: "1"))
        == #"SELECT * FROM "readers" WHERE ("age" > 1) AND ("age" < 9) AND (1)"#)
    #expect(
      try sql(Reader.select(age).group(name).having(count(id) > 1).having(sql: "1"))
        == #"SELECT "age" FROM "readers" GROUP BY "name" HAVING (COUNT("id") > 1) AND (1)"#)
    #expect(
      try sql(Reader.select(age).select(sql: "name, ?", arguments: [1]))
        == #"SELECT name, 1 FROM "readers""#)
    #expect(
      try sql(Reader.order(age).order(sql: "name DESC")) == #"SELECT * FROM "readers" ORDER BY name DESC"#)
    #expect(
      try sql(Reader.select(id).annotated(with: age).annotated(with: [name.forKey("n")]))
        == #"SELECT "id", "age", "name" AS "n" FROM "readers""#)
  }

  @Test func `literals stand wherever expressions do`() throws {
    let limit = 30, prefix = "A%"
    #expect(
      try sql(Reader.filter(literal: "age > \(limit) AND name LIKE \(prefix)"))
        == #"SELECT * FROM "readers" WHERE age > 30 AND name LIKE 'A%'"#)
    #expect(
      try sql(Reader.select(literal: "\(self.name), \(limit) AS l"))
        == #"SELECT "name", 30 AS l FROM "readers""#)
    #expect(
      try sql(Reader.order(literal: "ABS(age - \(limit))"))
        == #"SELECT * FROM "readers" ORDER BY ABS(age - 30)"#)
    #expect(
      try sql(
        Reader.select(name).group(literal: "\(age) / \(10)").having(literal: "COUNT(*) > \(0)"))
        == #"SELECT "name" FROM "readers" GROUP BY "age" / 10 HAVING COUNT(*) > 0"#)
    #expect(
      try sql(Reader.annotated(with: SQL("\(age) * \(2)").forKey("double")))
        == #"SELECT *, "age" * 2 AS "double" FROM "readers""#)
  }

  @Test func `closures are given the columns of the type`() throws {
    #expect(
      try sql(
        Reader.select { [$0.name, $0.age] }.filter { $0.age > 1 && $0.name != "x" }
          .group { [$0.name] }.having { max($0.age) > 2 }.order { [$0.name, $0.age.desc] })
        == #"""
          SELECT "name", "age" FROM "readers" WHERE ("age" > 1) AND ("name" <> 'x') \#
          GROUP BY "name" HAVING MAX("age") > 2 ORDER BY "name", "age" DESC
          """#)
    #expect(
      try sql(Reader.all().annotated { $0.age + 1 }) == #"SELECT *, "age" + 1 FROM "readers""#)
    #expect(
      try sql(Reader.select({ $0.name }, as: String.self)) == #"SELECT "name" FROM "readers""#)
  }

  @Test func `columns are ordered with and without NULL at an end`() throws {
    #expect(
      try sql(Reader.order(age.asc, age.desc, age.ascNullsLast, age.descNullsFirst))
        == #"""
          SELECT * FROM "readers" ORDER BY "age" ASC, "age" DESC, "age" ASC NULLS LAST, \#
          "age" DESC NULLS FIRST
          """#)
    #expect(
      try sql(Reader.order(age.ascNullsLast, age.descNullsFirst, name.collating(.nocase)).reversed())
        == #"""
          SELECT * FROM "readers" ORDER BY "age" DESC NULLS FIRST, "age" ASC NULLS LAST, \#
          "name" COLLATE NOCASE DESC
          """#)
    #expect(try sql(Reader.order(age).unordered()) == #"SELECT * FROM "readers""#)
    #expect(
      try sql(Reader.order(age).reversed().reversed()) == #"SELECT * FROM "readers" ORDER BY "age""#)
  }

  @Test func `primary keys are selected, grouped and ordered by`() throws {
    #expect(try sql(Reader.selectPrimaryKey(as: Int64.self)) == #"SELECT "id" FROM "readers""#)
    #expect(try sql(Reader.selectID()) == #"SELECT "id" FROM "readers""#)
    #expect(
      try sql(Reader.select(count(age)).groupByPrimaryKey().orderByPrimaryKey())
        == #"SELECT COUNT("age") FROM "readers" GROUP BY "id" ORDER BY "id""#)
    #expect(
      try sql(Reader.select(Column.rowID).filter(Column.rowID == 1))
        == #"SELECT "rowid" FROM "readers" WHERE "rowid" = 1"#)
    #expect(
      try sql(Reader.filter(key: 1)) == #"SELECT * FROM "readers" WHERE "id" = 1"#)
    #expect(
      try sql(Reader.filter(ids: [1, 2])) == #"SELECT * FROM "readers" WHERE "id" IN (1, 2)"#)
    #expect(
      try sql(Reader.filter(key: nil as Int?)) == #"SELECT * FROM "readers" WHERE 0"#)
  }

  @Test func `all columns stand beside others, and without some`() throws {
    #expect(
      try sql(Reader.select(AllColumns(), Column.rowID)) == #"SELECT *, "rowid" FROM "readers""#)
    #expect(
      try sql(Reader.select(.allColumns, .rowID)) == #"SELECT *, "rowid" FROM "readers""#)
    #expect(
      try sql(Reader.select(.allColumns(excluding: ["AGE"])))
        == #"SELECT "id", "name" FROM "readers""#)
    #expect(
      try sql(Reader.select { _ in .allColumns(excluding: [Column("id"), Column("age")]) })
        == #"SELECT "name" FROM "readers""#)
  }

  @Test func `a detached column does not belong to a table`() throws {
    let alias = TableAlias(name: "r")
    #expect(
      try sql(
        Reader.aliased(alias).select((age + 1).forKey("next")).order(Column("next").detached))
        == #"SELECT "r"."age" + 1 AS "next" FROM "readers" "r" ORDER BY "next""#)
  }

  @Test func `an enum of columns is a type of columns`() throws {
    enum Columns: String, ColumnExpression { case name, age }
    #expect(
      try sql(Reader.select(Columns.name).filter(Columns.age > 1).order(Columns.name.desc))
        == #"SELECT "name" FROM "readers" WHERE "age" > 1 ORDER BY "name" DESC"#)
  }

  // MARK: Expressions

  @Test func `associative operators join any number of operands`() throws {
    #expect(try expression([age, id, 1.sqlExpression].joined(operator: .add)) == #""age" + "id" + 1"#)
    #expect(try expression([age, id].joined(operator: .multiply)) == #""age" * "id""#)
    #expect(
      try expression([age > 1, id > 1].joined(operator: .or)) == #"("age" > 1) OR ("id" > 1)"#)
    #expect(
      try expression([age > 1, id > 1].joined(operator: .and)) == #"("age" > 1) AND ("id" > 1)"#)
    #expect(
      try expression([name, " ".sqlExpression, name].joined(operator: .concat))
        == #""name" || ' ' || "name""#)
    #expect(try expression([age, id].joined(operator: .bitwiseAnd)) == #""age" & "id""#)
    #expect(try expression([age, id].joined(operator: .bitwiseOr)) == #""age" | "id""#)
    #expect(try expression([Column]().joined(operator: .add)) == "0")
    #expect(try expression([Column]().joined(operator: .multiply)) == "1")
    #expect(try expression([Column]().joined(operator: .and)) == "1")
    #expect(try expression([Column]().joined(operator: .or)) == "0")
    #expect(try expression([Column]().joined(operator: .concat)) == "''")
    #expect(try expression([age].joined(operator: .add)) == #""age""#)
  }

  @Test func `aggregates and functions are called with their filters`() throws {
    #expect(try expression(average(age, filter: age > 1)) == #"AVG("age") FILTER (WHERE "age" > 1)"#)
    #expect(try expression(count(age)) == #"COUNT("age")"#)
    #expect(try expression(count(distinct: age)) == #"COUNT(DISTINCT "age")"#)
    #expect(try expression(sum(age, filter: age > 1)) == #"SUM("age") FILTER (WHERE "age" > 1)"#)
    #expect(try expression(total(age)) == #"TOTAL("age")"#)
    #expect(try expression(max(age, filter: id > 1)) == #"MAX("age") FILTER (WHERE "id" > 1)"#)
    #expect(try expression(min(age, id, 3)) == #"MIN("age", "id", 3)"#)
    #expect(try expression(cast(age, as: .real)) == #"CAST("age" AS REAL)"#)
    #expect(try expression(name.capitalized) == #"swiftCapitalizedString("name")"#)
    #expect(try expression(name.lowercased) == #"swiftLowercaseString("name")"#)
    #expect(try expression(name.localizedUppercased) == #"swiftLocalizedUppercaseString("name")"#)
    #expect(try expression(length(name)) == #"LENGTH("name")"#)
    #expect(try expression(coalesce([age.sqlExpression, 1.sqlExpression])) == #"COALESCE("age", 1)"#)
    #expect(
      try expression(dateTime(name, .startOfMonth, .month(1), .day(-1)))
        == #"DATETIME("name", 'start of month', '1 months', '-1 days')"#)
  }

  // MARK: Fetching and counting

  @Test func `requests and subqueries tell whether there are rows`() throws {
    try inReaders { db throws in
      #expect(try !Reader.all().isEmpty(db))
      #expect(try Reader.filter(age > 100).isEmpty(db))
      let older = Reader.filter(age > 40)
      #expect(try Reader.filter(older.exists()).fetchCount(db) == 3)
      #expect(try Reader.filter(!older.exists()).fetchCount(db) == 0)
      #expect(try Reader.filter(older.select(id).contains(id)).fetchAll(db).map { $0.id } == [1])
      let one: SQLRequest<Int> = "SELECT \(1)"
      #expect(try Reader.filter(one.contains(id)).fetchCount(db) == 1)
      #expect(try Reader.filter(id == one).fetchCount(db) == 1)
    }
  }

  @Test func `a limit is kept when one row is fetched`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Reader.order(id).limit(2, offset: 1).fetchOne(db)?.id == 2)
        #expect(try Reader.filter(id == 2).limit(5).fetchOne(db)?.id == 2)
      }
      #expect(
        texts == [
          #"SELECT * FROM "readers" ORDER BY "id" LIMIT 2 OFFSET 1"#,
          #"SELECT * FROM "readers" WHERE "id" = 2 LIMIT 5"#,
        ])
    }
  }

  @Test func `no limit is added where the condition is a unique key's value`() throws {
    try inReaders { db throws in
      let one = #"SELECT * FROM "readers" WHERE "#
      for (predicate, text) in [
        (id == 1, "\"id\" = 1"), (1 == id, "1 = \"id\""), (id === 1, "\"id\" IS 1"),
        (Column.rowID == 1, "\"rowid\" = 1"), (age == 1, "\"age\" = 1 LIMIT 1"),
        (id > 1, "\"id\" > 1 LIMIT 1"), (true == age, "\"age\" = 1 LIMIT 1"),
        (id == nil, "\"id\" IS NULL"), (age == nil, "\"age\" IS NULL LIMIT 1"),
      ] {
        let texts = try executedSQL(db) { _ = try Reader.filter(predicate).fetchOne(db) }
        #expect(texts == [one + text])
      }
    }
  }

  @Test func `where no key is given, nothing is executed`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Reader.fetchOne(db, key: nil as Int?) == nil)
        #expect(try Reader.fetchAll(db, keys: [Int]()).isEmpty)
        #expect(try Reader.fetchAll(db, ids: []).isEmpty)
        #expect(try Reader.deleteAll(db, keys: [Int]()) == 0)
      }
      #expect(texts.isEmpty)
    }
  }

  @Test func `a request is decoded as rows, values and other records`() throws {
    struct Name: Decodable, FetchableRecord, Equatable { var name: String }
    try inReaders { db throws in
      let request = Reader.select(name).order(id)
      #expect(try request.asRequest(of: String.self).fetchAll(db) == ["Arthur", "Barbara", "Craig"])
      #expect(try request.asRequest(of: Name.self).fetchOne(db) == Name(name: "Arthur"))
      #expect(try Row.fetchOne(db, request) == ["name": "Arthur"])
      #expect(try Reader.select(age, as: Int?.self).order(id).fetchAll(db) == [42, 36, nil])
      #expect(try Reader.select(max(age), as: Int.self).fetchOne(db) == 42)
      #expect(try Reader.all().fetchSet(db).count == 3)
    }
  }

  // MARK: Changing

  @Test func `deleted rows are fetched in every form`() throws {
    func deleting<T>(_ body: (Database, QueryInterfaceRequest<Reader>) throws -> T) throws -> (T, [String]) {
      var result: T?
      var texts: [String] = []
      try inReaders { db throws in
        texts = try executedSQL(db) { result = try body(db, Reader.filter(age > 0)) }
        #expect(try Reader.fetchCount(db) == 1)
      }
      return (try #require(result), texts)
    }
    let all = [Reader(id: 1, name: "Arthur", age: 42), Reader(id: 2, name: "Barbara", age: 36)]
    let text = #"DELETE FROM "readers" WHERE "age" > 0 RETURNING "#
    #expect(try deleting { try $1.deleteAndFetchAll($0) } == (all, [text + "*"]))
    #expect(try deleting { try $1.deleteAndFetchSet($0) } == (Set(all), [text + "*"]))
    #expect(try deleting { try $1.deleteAndFetchIds($0) } == ([1, 2], [text + #""id""#]))
    #expect(try deleting { try Array($1.deleteAndFetchCursor($0)) } == (all, [text + "*"]))
    #expect(
      try deleting { db, request in
        try Int.fetchAll(request.deleteAndFetchStatement(db, selection: [self.age]))
      } == ([42, 36], [text + #""age""#]))
    #expect(
      try deleting { db, request in
        try Int.fetchAll(request.deleteAndFetchStatement(db, select: { [$0.age + 1] }))
      } == ([43, 37], [text + #""age" + 1"#]))
  }

  @Test func `updated rows are fetched in every form`() throws {
    try inReaders { db throws in
      let request = Reader.filter(age > 0)
      let assignments = [age += 1]
      var texts = try executedSQL(db) { () throws in
        #expect(try request.updateAndFetchAll(db, assignments).map { $0.age } == [43, 37])
        #expect(try request.updateAndFetchSet(db, assignments).count == 2)
        #expect(try Array(request.updateAndFetchCursor(db, assignments)).map { $0.age } == [45, 39])
        let statement = try request.updateAndFetchStatement(db, assignments, selection: [age])
        #expect(try Int.fetchAll(statement) == [46, 40])
        #expect(try request.updateAndFetchAll(db) { [$0.age.set(to: nil)] }.map { $0.age } == [nil, nil])
      }
      let text = #"UPDATE "readers" SET "age" = "age" + 1 WHERE "age" > 0 RETURNING "#
      let expected: [String] = [text + "*", text + "*", text + "*", text + "\"age\""]
      #expect(Array(texts.prefix(4)) == expected)
      texts = try executedSQL(db) { () throws in
        #expect(try Reader.all().updateAll(db, []) == 0)
      }
      #expect(texts.isEmpty)
    }
  }

  @Test func `columns are assigned with operators`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        _ = try Reader.updateAll(
          db, age += 1, age -= 2, age *= 3, age /= 4, age &= 5, age |= 6, age <<= 1, age >>= 2)
        _ = try Reader.updateAll(db, name.set(to: name.uppercased), age.set(to: nil))
        _ = try Reader.updateAll(db, onConflict: .ignore, age.set(to: 1))
      }
      #expect(
        texts == [
          #"""
            UPDATE "readers" SET "age" = "age" + 1, "age" = "age" - 2, "age" = "age" * 3, \#
            "age" = "age" / 4, "age" = "age" & 5, "age" = "age" | 6, "age" = "age" << 1, \#
            "age" = "age" >> 2
            """#,
          #"UPDATE "readers" SET "name" = swiftUppercaseString("name"), "age" = NULL"#,
          #"UPDATE OR IGNORE "readers" SET "age" = 1"#,
        ])
    }
  }

  @Test func `a limited request changes so many rows, a grouped one none`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Reader.order(age.desc).limit(1).updateAll(db, age.set(to: 1)) == 1)
      }
      #expect(texts == [#"UPDATE "readers" SET "age" = 1 ORDER BY "age" DESC LIMIT 1"#])
      let grouped = Reader.select(name).group(name)
      #expect(databaseError { try grouped.deleteAll(db) }?.resultCode == .SQLITE_MISUSE)
      #expect(try Reader.fetchCount(db) == 3)
    }
  }

  // MARK: Common table expressions and aliases

  @Test func `a common table expression may be recursive, and made of a request or a literal`() throws {
    let counter = CommonTableExpression<Row>(
      recursive: true, named: "counter", columns: ["n"],
      literal: "VALUES (\(1)) UNION ALL SELECT n + 1 FROM counter WHERE n < \(3)")
    try inReaders { db throws in
      let numbers = counter.all().with(counter)
      #expect(try Int.fetchAll(db, numbers) == [1, 2, 3])
      #expect(
        try executedSQL(db) { _ = try Row.fetchAll(db, numbers) } == [
          #"""
            WITH RECURSIVE "counter"("n") AS \#
            (VALUES (1) UNION ALL SELECT n + 1 FROM counter WHERE n < 3) SELECT * FROM "counter"
            """#
        ])
      let old = CommonTableExpression<Reader>(named: "old", request: Reader.filter(age > 40))
      #expect(try old.all().with(old).fetchAll(db).map { $0.name } == ["Arthur"])
      #expect(old.tableName == "old")
      #expect(try Reader.all().with(old).filter(old.all().exists()).fetchCount(db) == 3)
    }
  }

  @Test func `an alias names a table in its query and in inner ones`() throws {
    let reader = TableAlias<Reader>(name: "r")
    #expect(
      try sql(Reader.aliased(reader).select(reader.name, reader[age + 1]).group(reader.age))
        == #"SELECT "r"."name", "r"."age" + 1 FROM "readers" "r" GROUP BY "r"."age""#)
    #expect(
      try sql(Reader.aliased(reader).filter(reader.exists))
        == #"SELECT "r".* FROM "readers" "r" WHERE "r"."id" IS NOT NULL"#)
    #expect(
      try sql(Reader.aliased(reader).filter(reader["age"] > 1).order(reader[age.desc]))
        == #"SELECT "r".* FROM "readers" "r" WHERE "r"."age" > 1 ORDER BY "r"."age" DESC"#)
    let younger = Reader.filter(age < reader.age)
    try inReaders { db throws in
      #expect(try Reader.aliased(reader).filter(younger.exists()).fetchAll(db).map { $0.id } == [1])
    }
  }

  @Test func `a common table of no named columns has those of its query`() throws {
    let one = CommonTableExpression<Row>(named: "one", columns: [], literal: "SELECT \(1) AS n")
    try inReaders { db throws in
      #expect(try Int.fetchOne(db, SQLRequest<Int>("WITH \(definitionFor: one) \(one.all())")) == 1)
      #expect(try one.all().with(one).fetchAll(db) == [["n": 1]])
    }
  }

  @Test func `a collation of a range is that of its comparisons`() throws {
    try inReaders { db throws in
      try db.execute(sql: "INSERT INTO readers(name) VALUES ('bob')")
      let names = Reader.filter(("B"..<"C").contains(name).collating(.nocase))
      #expect(
        try sql(names) == #"""
          SELECT * FROM "readers" WHERE ("name" >= 'B' COLLATE NOCASE) \#
          AND ("name" < 'C' COLLATE NOCASE)
          """#)
      #expect(try names.fetchAll(db).map { $0.name }.contains("bob"))
    }
  }
}
