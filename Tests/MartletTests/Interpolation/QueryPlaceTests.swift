import Martlet
import Testing

/// Queries in literals, with parentheses where SQL wants some.
@Suite struct QueryPlaceTests {
  private static let one: SQLRequest<Int> = "SELECT 1"

  private static let literals: [(literal: SQL, sql: String)] = [
    ("SELECT (\(one))", "SELECT (SELECT 1)"),
    ("SELECT ( \(one) )", "SELECT ( SELECT 1 )"),
    ("SELECT \(one)", "SELECT (SELECT 1)"),
    ("SELECT * FROM t WHERE a = \(one)", "SELECT * FROM t WHERE a = (SELECT 1)"),
    ("SELECT * FROM t WHERE a IN \(one)", "SELECT * FROM t WHERE a IN (SELECT 1)"),
    ("SELECT * FROM t WHERE a in (\(one))", "SELECT * FROM t WHERE a in (SELECT 1)"),
    ("SELECT COALESCE(\(one), 2)", "SELECT COALESCE((SELECT 1), 2)"),
    ("SELECT MAX(2, \(one))", "SELECT MAX(2, (SELECT 1))"),
    ("SELECT COUNT(*) FROM \(one)", "SELECT COUNT(*) FROM (SELECT 1)"),
    ("SELECT 2 UNION ALL \(one)", "SELECT 2 UNION ALL SELECT 1"),
    ("SELECT * FROM (\(one) UNION SELECT 2)", "SELECT * FROM (SELECT 1 UNION SELECT 2)"),
    ("WITH c AS (SELECT 3) \(one)", "WITH c AS (SELECT 3) SELECT 1"),
    ("WITH c AS (\(one)) SELECT * FROM c", "WITH c AS (SELECT 1) SELECT * FROM c"),
    ("WITH c AS \(one) SELECT * FROM c", "WITH c AS (SELECT 1) SELECT * FROM c"),
    ("EXPLAIN \(one)", "EXPLAIN SELECT 1"),
    ("\(one)", "SELECT 1"),
    ("SELECT 2; \(one)", "SELECT 2; SELECT 1"),
  ]

  @Test(arguments: 0..<17) func `a query has the parentheses that it needs`(index: Int) throws {
    let (literal, sql) = Self.literals[index]
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      #expect(try literal.build(db).sql == sql)
      try db.execute(literal: literal)
    }
  }

  @Test func `definitions take queries without parentheses`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(literal: "CREATE VIEW v AS \(Self.one)")
      try db.execute(literal: "CREATE TABLE t(a); INSERT INTO t \(Self.one); INSERT INTO t(a) \(Self.one)")
      #expect(try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t") == 2)
      #expect(try Int.fetchOne(db, sql: "SELECT * FROM v") == 1)
    }
  }

  @Test func `statements of literals get their arguments later`() throws {
    try inEmptyDatabase { db throws in
      let statement = try db.makeStatement(literal: "SELECT ?")
      #expect(try Int.fetchOne(statement, arguments: [3]) == 3)
      let cached = try db.cachedStatement(literal: "SELECT :a")
      #expect(try Int.fetchOne(cached, arguments: ["a": 4]) == 4)
      #expect(databaseError { try db.makeStatement(sql: "SELECT 1;x") }?.resultCode == .SQLITE_MISUSE)
      #expect(try Int.fetchOne(db.makeStatement(sql: "SELECT 1; -- end")) == 1)
    }
  }

  @Test func `comparisons in definitions are SQL, also those of two columns`() throws {
    enum Columns: String, ColumnExpression { case a, b }
    try inEmptyDatabase { db throws in
      try db.create(table: "t") { t in
        t.column("a", .integer)
        t.column("b", .integer).check { $0 != Column("a") }
        t.column("c", .integer).check { $0 == Column("a") }
        t.column("d", .integer).check { [Column("a"), Column("b")].contains($0) }
        t.column("e", .integer).check { _ in Columns.a == Columns.b }
        t.check(Column("a") == Column("b"))
      }
      let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master") ?? ""
      for condition in [
        #"CHECK ("b" <> "a")"#, #"CHECK ("c" = "a")"#, #"CHECK ("d" IN ("a", "b"))"#,
        #"CHECK ("a" = "b")"#,
      ] {
        #expect(sql.contains(condition), "\(sql)")
      }
    }
  }

  @Test func `membership compares by the collation that is asked for`() throws {
    struct Player: TableRecord {}
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(name TEXT); INSERT INTO player VALUES ('Arthur')")
      let names = ["arthur", "barbara"]
      #expect(
        try Player.filter(names.contains(Column("name")).collating(.nocase)).fetchCount(db) == 1)
      #expect(
        try Player.filter(names.contains(Column("name").collating(.nocase))).fetchCount(db) == 1)
      let outside = !names.contains(Column("name")).collating(.nocase)
      #expect(try Player.filter(outside).fetchCount(db) == 0)
      #expect(
        try Player.filter([String]().contains(Column("name").collating(.nocase))).fetchCount(db)
          == 0)
    }
  }

  @Test func `NULL is a value where the type has one`() throws {
    try inEmptyDatabase { db throws in
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT NULL") == .some(.null))
      let optional: Int?? = try Int?.fetchOne(db, sql: "SELECT NULL")
      #expect(optional == .some(nil))
      let missing: Int?? = try Int?.fetchOne(db, sql: "SELECT NULL WHERE 0")
      #expect(missing == .none)
      #expect(try Int.fetchOne(db, sql: "SELECT NULL") == nil)
    }
  }

  @Test func `a cursor that has failed fails again`() throws {
    try inEmptyDatabase { db throws in
      db.add(function: DatabaseFunction("fail") { _ in throw DatabaseError(message: "no") })
      let cursor = try Int.fetchCursor(db, sql: "SELECT fail()")
      #expect(databaseError { try cursor.next() }?.message == "no")
      #expect(databaseError { try cursor.next() }?.message == "no")
    }
  }

  @Test func `what is known of a schema goes with its database`() throws {
    try withTemporaryPath { path in
      try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
      try inEmptyDatabase { db throws in
        try db.execute(sql: "ATTACH ? AS other", arguments: [path])
        #expect(try db.columns(in: "t").count == 1)
        try db.execute(sql: "DETACH other")
        #expect(databaseError { try db.columns(in: "t") }?.message == "no such table: t")
      }
    }
  }
}
