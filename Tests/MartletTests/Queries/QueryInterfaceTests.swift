import Foundation
import Martlet
import Testing

@Suite struct QueryInterfaceTests {
  private let name = Column("name"), age = Column("age"), id = Column("id")

  private func expect(_ predicate: SQLExpression, _ text: String) throws {
    #expect(try sql(Reader.filter(predicate)) == "SELECT * FROM \"readers\" WHERE \(text)")
  }

  @Test func `comparisons are written as SQL has them`() throws {
    try expect(age == 10, "\"age\" = 10")
    try expect(10 == age, "10 = \"age\"")
    try expect(age != 10, "\"age\" <> 10")
    try expect(age == nil, "\"age\" IS NULL")
    try expect(age != nil, "\"age\" IS NOT NULL")
    try expect(age === 10, "\"age\" IS 10")
    try expect(age !== nil, "\"age\" IS NOT NULL")
    try expect(age == true, "\"age\" = 1")
    try expect(age == false, "\"age\" = 0")
    try expect(!(age == 10), "\"age\" <> 10")
    try expect(!(age > 10), "NOT (\"age\" > 10)")
    try expect(age > 10 && age <= 20, "(\"age\" > 10) AND (\"age\" <= 20)")
    try expect(age < 1 || age >= 3 || name == "x", "(\"age\" < 1) OR (\"age\" >= 3) OR (\"name\" = 'x')")
    try expect(!age, "NOT \"age\"")
    try expect(name.like("%a%", escape: "\\"), "\"name\" LIKE '%a%' ESCAPE '\\'")
    try expect(!name.like("a"), "\"name\" NOT LIKE 'a'")
  }

  @Test func `membership is IN, = or nothing`() throws {
    try expect([1, 2, 3].contains(id), "\"id\" IN (1, 2, 3)")
    try expect(![1, 2, 3].contains(id), "\"id\" NOT IN (1, 2, 3)")
    try expect([1].contains(id), "\"id\" = 1")
    try expect([Int]().contains(id), "0")
    try expect(![Int]().contains(id), "1")
    try expect((1..<10).contains(id), "(\"id\" >= 1) AND (\"id\" < 10)")
    try expect((1...10).contains(id), "\"id\" BETWEEN 1 AND 10")
    try expect(!(1...10).contains(id), "\"id\" NOT BETWEEN 1 AND 10")
    try expect(("A"..."z").contains(name.collating(.nocase)), "\"name\" BETWEEN 'A' AND 'z' COLLATE NOCASE")
    try expect(["a", "b"].contains(name.collating(.nocase)), "(\"name\" COLLATE NOCASE) IN ('a', 'b')")
    try expect(name.collating(.nocase) == "x", "\"name\" = 'x' COLLATE NOCASE")
    let ages = Reader.select(age).filter(name != nil).distinct()
    try expect(
      ages.contains(age), "\"age\" IN (SELECT DISTINCT \"age\" FROM \"readers\" WHERE \"name\" IS NOT NULL)")
  }

  @Test func `arithmetic keeps its parentheses`() throws {
    try expect(age + 1 + 2 > 3, "((\"age\" + 1) + 2) > 3")
    try expect(age * (age - 1) == 2, "(\"age\" * (\"age\" - 1)) = 2")
    try expect(-age == 1, "(-\"age\") = 1")
    try expect(age / 2 == 1, "(\"age\" / 2) = 1")
    try expect((age & 2) == (age | 4), "(\"age\" & 2) = (\"age\" | 4)")
    try expect((age << 2) == ~age, "(\"age\" << 2) = (~\"age\")")
    try expect([age, id].joined(operator: .add) > 1, "(\"age\" + \"id\") > 1")
    try expect((age ?? 3) == 1, "IFNULL(\"age\", 3) = 1")
  }

  @Test func `functions are called`() throws {
    try expect(abs(age) == 1, "ABS(\"age\") = 1")
    try expect(length(name) == 1, "LENGTH(\"name\") = 1")
    try expect(cast(age, as: .text) == "1", "CAST(\"age\" AS TEXT) = '1'")
    try expect(coalesce([age, id]) == 1, "COALESCE(\"age\", \"id\") = 1")
    try expect(max(age, 3) == 1, "MAX(\"age\", 3) = 1")
    try expect(name.uppercased == "A", "swiftUppercaseString(\"name\") = 'A'")
    try expect(julianDay(name, .day(1)) > 0, "JULIANDAY(\"name\", '1 days') > 0")
    #expect(
      try sql(Reader.select(max(age), min(age, filter: age > 1), count(distinct: name), average(age), sum(age)))
        == "SELECT MAX(\"age\"), MIN(\"age\") FILTER (WHERE \"age\" > 1), COUNT(DISTINCT \"name\"), "
        + "AVG(\"age\"), SUM(\"age\") FROM \"readers\"")
    let double = DatabaseFunction("double", argumentCount: 1) { Int.fromDatabaseValue($0[0]).map { $0 * 2 } }
    try inReaders { db throws in
      db.add(function: double)
      #expect(try Reader.select(double(Column("age")), as: Int?.self).fetchAll(db) == [84, 72, nil])
    }
  }

  @Test func `requests are built in any order of calls`() throws {
    #expect(try sql(Reader.all()) == "SELECT * FROM \"readers\"")
    #expect(try sql(Reader.none()) == "SELECT * FROM \"readers\" WHERE 0")
    #expect(try sql(Reader.select(age).select(name)) == "SELECT \"name\" FROM \"readers\"")
    #expect(try sql(Reader.annotated(with: age + 1)) == "SELECT *, \"age\" + 1 FROM \"readers\"")
    #expect(
      try sql(Reader.select(name.forKey("nom"), (age + 1).forKey("next")))
        == "SELECT \"name\" AS \"nom\", \"age\" + 1 AS \"next\" FROM \"readers\"")
    #expect(
      try sql(Reader.order { $0.name }.order { [$0.age.desc, $0.id] })
        == "SELECT * FROM \"readers\" ORDER BY \"age\" DESC, \"id\"")
    #expect(
      try sql(Reader.order(age, name.desc).reversed())
        == "SELECT * FROM \"readers\" ORDER BY \"age\" DESC, \"name\" ASC")
    #expect(try sql(Reader.all().reversed()) == "SELECT * FROM \"readers\"")
    #expect(
      try sql(Reader.order(age.ascNullsLast).withStableOrder())
        == "SELECT * FROM \"readers\" ORDER BY \"age\" ASC NULLS LAST, \"id\"")
    #expect(try sql(Reader.orderByPrimaryKey()) == "SELECT * FROM \"readers\" ORDER BY \"id\"")
    #expect(
      try sql(Reader.filter { $0.age > 1 }.filter(sql: "id <> ?", arguments: [1]))
        == "SELECT * FROM \"readers\" WHERE (\"age\" > 1) AND (id <> 1)")
    #expect(
      try sql(Reader.select(name, count(id)).all().group(name).having(count(id) > 1).having(max(age) > 2))
        == "SELECT \"name\", COUNT(\"id\") FROM \"readers\" GROUP BY \"name\" "
        + "HAVING (COUNT(\"id\") > 1) AND (MAX(\"age\") > 2)")
    #expect(try sql(Reader.limit(1, offset: 2)) == "SELECT * FROM \"readers\" LIMIT 1 OFFSET 2")
    #expect(try sql(Reader.select { $0.name }.distinct()) == "SELECT DISTINCT \"name\" FROM \"readers\"")
    #expect(
      try sql(Reader.select(.allColumns(excluding: ["age"])))
        == "SELECT \"id\", \"name\" FROM \"readers\"")
  }

  @Test func `one row is limited unless the key says so`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        _ = try Reader.fetchOne(db)
        _ = try Reader.filter { $0.age == 1 }.fetchOne(db)
        _ = try Reader.filter { $0.id == 1 }.fetchOne(db)
        _ = try Reader.filter { $0.id == 1 && $0.age > 3 }.fetchOne(db)
      }
      #expect(
        texts.filter { !$0.hasPrefix("PRAGMA") && !$0.contains("sqlite_") } == [
          "SELECT * FROM \"readers\" LIMIT 1", "SELECT * FROM \"readers\" WHERE \"age\" = 1 LIMIT 1",
          "SELECT * FROM \"readers\" WHERE \"id\" = 1",
          "SELECT * FROM \"readers\" WHERE (\"id\" = 1) AND (\"age\" > 3)",
        ])
    }
  }

  @Test func `counting drops what does not matter`() throws {
    try inReaders { db throws in
      func counting<T>(_ request: QueryInterfaceRequest<T>) throws -> String {
        try executedSQL(db) { _ = try request.fetchCount(db) }.last ?? ""
      }
      #expect(try counting(Reader.order(name)) == "SELECT COUNT(*) FROM \"readers\"")
      #expect(try counting(Reader.limit(10)) == "SELECT COUNT(*) FROM (SELECT * FROM \"readers\" LIMIT 10)")
      #expect(
        try counting(Reader.all().distinct()) == "SELECT COUNT(*) FROM (SELECT DISTINCT * FROM \"readers\")")
      #expect(
        try counting(Reader.select(name).distinct()) == "SELECT COUNT(DISTINCT \"name\") FROM \"readers\"")
      #expect(
        try counting(Reader.select(name, age).distinct())
          == "SELECT COUNT(*) FROM (SELECT DISTINCT \"name\", \"age\" FROM \"readers\")")
      #expect(
        try counting(Reader.select(max(age)).group(name))
          == "SELECT COUNT(*) FROM (SELECT MAX(\"age\") FROM \"readers\" GROUP BY \"name\")")
      #expect(try Reader.fetchCount(db) == 3)
      #expect(try Reader.filter { $0.age > 100 }.isEmpty(db))
    }
  }

  @Test func `rows are deleted and updated together`() throws {
    try inReaders { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Reader.filter { $0.age == nil }.updateAll(db) { $0.age.set(to: 1) } == 1)
        #expect(try Reader.updateAll(db) { [$0.age += 1, $0.name.set(to: $0.name)] } == 3)
        #expect(try Reader.order { $0.name }.limit(1).deleteAll(db) == 1)
        #expect(try Reader.filter { $0.id == 2 }.deleteAndFetchAll(db).map { $0.name } == ["Barbara"])
        #expect(try Reader.all().updateAndFetchAll(db) { [$0.age -= 2] }.map { $0.age } == [0])
      }
      #expect(
        texts.filter { !$0.hasPrefix("PRAGMA") && !$0.contains("sqlite_") } == [
          "UPDATE \"readers\" SET \"age\" = 1 WHERE \"age\" IS NULL",
          "UPDATE \"readers\" SET \"age\" = \"age\" + 1, \"name\" = \"name\"",
          "DELETE FROM \"readers\" ORDER BY \"name\" LIMIT 1",
          "DELETE FROM \"readers\" WHERE \"id\" = 2 RETURNING *",
          "UPDATE \"readers\" SET \"age\" = \"age\" - 2 RETURNING *",
        ])
    }
  }

  @Test func `inner queries speak of tables of outer ones`() throws {
    let alias = TableAlias(name: "r")
    let older = Reader.filter(age > alias[age])
    #expect(
      try sql(Reader.all().aliased(alias).filter(!older.exists()))
        == "SELECT \"r\".* FROM \"readers\" \"r\" WHERE NOT EXISTS "
        + "(SELECT * FROM \"readers\" WHERE \"age\" > \"r\".\"age\")")
    let reader = TableAlias<Reader>(name: "x")
    #expect(
      try sql(Reader.aliased(reader).filter(reader.age > 3).order(reader.name.desc))
        == "SELECT \"x\".* FROM \"readers\" \"x\" WHERE \"x\".\"age\" > 3 ORDER BY \"x\".\"name\" DESC")
    let maximum = Reader.select(max(age))
    try expect(age == maximum, "\"age\" = (SELECT MAX(\"age\") FROM \"readers\")")
  }

  @Test func `common table expressions are read like tables`() throws {
    let cte = CommonTableExpression<Row>(named: "c", columns: ["n"], sql: "VALUES (?)", arguments: [42])
    #expect(try sql(cte.all().with(cte)) == "WITH \"c\"(\"n\") AS (VALUES (42)) SELECT * FROM \"c\"")
    #expect(
      try sql(Reader.filter(cte.contains(age)).with(cte))
        == "WITH \"c\"(\"n\") AS (VALUES (42)) SELECT * FROM \"readers\" WHERE \"age\" IN \"c\"")
  }

  @Test func `tables without records are read too`() throws {
    try inReaders { db throws in
      let table = Table("readers")
      #expect(try table.fetchCount(db) == 3)
      #expect(try table.filter(Column("age") > 40).fetchAll(db).map { $0["name"] as String } == ["Arthur"])
      #expect(try Table<Reader>("readers").fetchOne(db, key: 2)?.name == "Barbara")
      #expect(try table.select(Column("name"), as: String.self).fetchSet(db) == ["Arthur", "Barbara", "Craig"])
      #expect(try table.deleteAll(db) == 3)
    }
  }
}
