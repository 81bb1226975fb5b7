import Testing

@testable import MartletEngine

/// What the statements of these tests are about.
private let bindTestDefinitions = [
  "CREATE TABLE t1(a,b text collate nocase,c int, d real)",
  "CREATE TABLE t2(a int,x,y varchar(10))",
  "CREATE TABLE t3(id integer primary key,Foo,z collate rtrim)",
  "CREATE VIEW v as select a,b from t1", "CREATE VIEW w(p,q) as select x,y from t2",
  "CREATE VIEW bad as select nosuch from t1", "CREATE VIEW bad2 as select * from missing",
  "CREATE TABLE \"T 4\"(\"A b\")", "CREATE INDEX i1 on t1(a)",
  "CREATE TABLE wr(k text, n int, v blob, primary key(k,n)) without rowid",
  "CREATE TABLE g(a int, b text as (a||'x'), c int as (a+1) stored, d int as (c*2) virtual)",
  "CREATE VIEW vv as select v.a as aa, count(*) c, true, max(b) from v group by 1",
  "CREATE VIEW vu as select a from t1 union all select x from t2",
  "CREATE TABLE tt(true, false, \"select\", rowid)",
]

@Suite(.enabled(if: BindOracle.folder != nil, "MARTLET_ORACLE does not name the oracle's folder"))
struct BinderOracleTests {
  @Test(arguments: [
    BindStatements.names, BindStatements.joins, BindStatements.aggregates,
    BindStatements.compounds, BindStatements.rowValues, BindStatements.commonTables,
    BindStatements.ordering, BindStatements.stars, BindStatements.expressions,
  ])
  func `a statement has the columns or the error that it has in SQLite`(
    _ statements: [String]
  ) throws {
    let oracle = try #require(BindOracle(":memory:"))
    for definition in bindTestDefinitions { oracle.run(definition) }
    let schema = try TestSchema(bindTestDefinitions)
    #expect(statements.count > 5)
    for statement in statements {
      #expect(schema.answer(statement) == oracle.answer(statement), "\(statement)")
    }
  }
}

struct BinderTests {
  let schema: TestSchema

  init() throws { schema = try TestSchema(bindTestDefinitions) }

  private func condition(_ sql: String) throws -> BoundExpression {
    let select = try schema.bindSelect("SELECT 1 FROM t1, t2, t3 WHERE " + sql)
    guard case .simple(let simple) = select.body else { throw SQLError(.misuse) }
    return try #require(simple.whereClause)
  }

  @Test(arguments: [
    ("t1.a = 1", Affinity.blob, "BINARY"), ("t1.b = 1", .text, "NOCASE"),
    ("1 = t1.b", .text, "NOCASE"), ("t1.a = t1.b", .blob, "BINARY"),
    ("t1.b = t1.a", .blob, "NOCASE"), ("t1.c = t1.b", .numeric, "BINARY"),
    ("t1.b = t1.a COLLATE rtrim", .blob, "RTRIM"), ("+t1.b = 1", .none, "NOCASE"),
    ("CAST(t1.b AS int) = 'x'", .integer, "NOCASE"), ("t1.b || '' = 'x'", .none, "BINARY"),
    ("t3.id = 'x'", .integer, "BINARY"), ("t3.z = t1.b", .blob, "RTRIM"),
    ("t1.b COLLATE binary || '' = t3.z", .blob, "BINARY"),
    ("(SELECT c FROM t1) = '1'", .integer, "BINARY"), ("1 = 2", .none, "BINARY"),
  ])
  func `a comparison takes affinity and collation from its operands`(
    sql: String, affinity: Affinity, collation: String
  ) throws {
    guard case .comparison(let comparison, _, _) = try condition(sql).kind else {
      Issue.record("no comparison")
      return
    }
    #expect(comparison.affinity == affinity)
    #expect(comparison.collation.name == collation)
  }

  @Test func `the integer primary key is the rowid, and no column is read for it`() throws {
    let select = try schema.bindSelect("SELECT z FROM t3 WHERE id = ?")
    guard case .simple(let simple) = select.body,
      case .comparison(_, let left, _) = simple.whereClause?.kind,
      case .column(_, let column) = left.kind
    else {
      Issue.record("other shape")
      return
    }
    #expect(column == -1)
    #expect(simple.sources[0].usedColumns == 0b100)
    #expect(simple.sources[0].usesRowid)
  }

  @Test func `equal aggregates are one, others are not`() throws {
    let select = try schema.bindSelect(
      "SELECT sum(c), sum(c)+1, sum(t1.c), sum(d), sum(DISTINCT c) FROM t1 ORDER BY sum(c)")
    guard case .simple(let simple) = select.body else { return }
    #expect(simple.aggregates.count == 3)
    #expect(simple.aggregates.map(\.index) == [0, 1, 2])
  }

  @Test func `an aggregate runs over the SELECT whose columns it uses`() throws {
    let select = try schema.bindSelect("SELECT (SELECT sum(t1.c) FROM t2), count(*) FROM t1")
    guard case .simple(let simple) = select.body,
      case .scalarSubquery(let inner) = select.columns[0].expression.kind,
      case .simple(let innerSimple) = inner.body
    else { return }
    #expect(simple.aggregates.map(\.selectID) == [select.id, select.id])
    #expect(!innerSimple.isAggregate)
    #expect(inner.isCorrelated)
  }

  @Test(arguments: [
    ("SELECT (SELECT x FROM t2) FROM t1", false),
    ("SELECT (SELECT x FROM t2 WHERE y = c) FROM t1", true),
    ("SELECT (SELECT x FROM (SELECT x FROM t2 WHERE y = c)) FROM t1", true),
    ("SELECT (SELECT x FROM t2 WHERE t2.a IN (SELECT a FROM t3 WHERE x = 1)) FROM t1", false),
  ])
  func `a subquery is correlated when it uses what is around it`(
    sql: String, isCorrelated: Bool
  ) throws {
    let select = try schema.bindSelect(sql)
    guard case .scalarSubquery(let inner) = select.columns[0].expression.kind else {
      Issue.record("no subquery")
      return
    }
    #expect(inner.isCorrelated == isCorrelated)
  }

  @Test func `expressions are the same when they are written the same`() throws {
    let select = try schema.bindSelect(
      """
      SELECT a+1, t1.A + 1, a+2, abs(a), ABS(a), a COLLATE nocase, ?1, ?2, c BETWEEN 1 AND 2
      FROM t1
      """)
    let items = select.columns.map(\.expression)
    #expect(items[0].isSame(as: items[1]))
    #expect(!items[0].isSame(as: items[2]))
    #expect(items[3].isSame(as: items[4]))
    #expect(!items[5].isSame(as: items[5].withoutCollate))
    #expect(items[5].isSame(as: items[5].withoutCollate, ignoringCollate: true))
    #expect(!items[6].isSame(as: items[7]))
    #expect(items[8].isSame(as: items[8].mapColumns { _, _ in nil }))
  }

  @Test func `columns are replaced wherever they stand, in subqueries too`() throws {
    let select = try schema.bindSelect(
      """
      SELECT a + (SELECT x FROM t2 WHERE y = t1.a AND EXISTS(SELECT 1 FROM t3 WHERE t1.a))
      FROM t1
      """)
    guard case .simple(let simple) = select.body else { return }
    let id = simple.sources[0].id
    let memory = select.columns[0].expression.memory
    let seven = BoundExpression(.integer(7), affinity: .none, traits: [], in: memory)
    let mapped = select.columns[0].expression.mapColumns { source, _ in
      source == id ? seven : nil
    }
    var remaining = 0
    mapped.forEachSource { if $0 == id { remaining += 1 } }
    var before = 0
    select.columns[0].expression.forEachSource { if $0 == id { before += 1 } }
    #expect(before == 3)
    #expect(remaining == 0)
  }

  @Test(arguments: [
    "SELECT " + String(repeating: "(1+", count: 400) + "1" + String(repeating: ")", count: 400),
    "SELECT 1" + String(repeating: " AND a", count: 990) + " FROM t1",
    String(repeating: "SELECT 1 FROM (", count: 190) + "SELECT 1"
      + String(repeating: ")", count: 190),
    "SELECT " + String(repeating: "(SELECT ", count: 43) + "1" + String(repeating: ")", count: 43),
  ])
  func `deep statements are bound`(sql: String) throws {
    let select = try schema.bindSelect(sql)
    #expect(select.columns.count == 1)
  }

  @Test func `SELECTs nest up to a limit`() {
    let sql =
      String(repeating: "SELECT 1 FROM (", count: 4_000) + "SELECT 1"
      + String(repeating: ")", count: 4_000)
    #expect(schema.answer(sql) == "error: Recursion limit")
  }

  /// In expressions, what is around them counts: 45 + 44 + … + 1 levels.
  @Test func `expressions in subqueries are as deep as those around them let them be`() {
    let sql = "SELECT " + String(repeating: "(SELECT ", count: 44) + "1"
      + String(repeating: ")", count: 44)
    #expect(
      schema.answer(sql) == "error: Expression tree is too large (maximum depth 1000)")
  }

  @Test func `an unknown collation is an error only where it is used`() {
    #expect(schema.answer("SELECT 'a' COLLATE x") == "'a' COLLATE x")
    let error = "error: no such collation sequence: x"
    #expect(schema.answer("SELECT 'a' COLLATE x = 'b'") == error)
    #expect(schema.answer("SELECT a FROM t1 ORDER BY a COLLATE x") == error)
  }
}
