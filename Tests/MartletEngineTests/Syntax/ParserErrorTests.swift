import Testing

@testable import MartletEngine

struct ParserErrorTests {
  @Test(arguments: [
    ("SELECT a b c", "near \"c\": syntax error", 11),
    ("SELECT", "incomplete input", -1),
    ("SELECT 1 /* c", "", -1),
    ("SELECT 12ab", "unrecognized token: \"12ab\"", 7),
    ("SELECT 'abc", "unrecognized token: \"'abc\"", 7),
    ("SELECT x'1'", "unrecognized token: \"x'1'\"", 7),
    ("SELECT 1__0", "unrecognized token: \"1__0\"", -1),
    ("SELECT 1_0.0_1e1_0", "", -1),
    ("SELECT a ! b", "unrecognized token: \"!\"", 9),
    ("SELECT #1", "near \"#1\": syntax error", 7),
    ("SELECT ?0", "variable number must be between ?1 and ?32766", 7),
    ("SELECT ?32767", "variable number must be between ?1 and ?32766", 7),
    ("SELECT main.t.* FROM t", "near \"*\": syntax error", 14),
    ("SELECT cast.* FROM t", "near \".\": syntax error", 11),
    ("SELECT a ESCAPE b", "near \"ESCAPE\": syntax error", 9),
    ("SELECT 1 BETWEEN 2 OR 3 AND 4", "incomplete input", -1),
    ("SELECT * FROM t LEFT foo JOIN u", "unknown join type: LEFT foo", 16),
    ("SELECT * FROM t INNER LEFT JOIN", "incomplete input", -1),
    ("SELECT * FROM t NATURAL LEFT OUTER JOIN u", "", -1),
    ("SELECT * FROM t ON 1", "a JOIN clause is required before ON", -1),
    ("SELECT 1 ORDER BY 1 UNION ALL SELECT 2",
      "ORDER BY clause should come after UNION ALL not before", -1),
    ("SELECT 1 LIMIT 1 EXCEPT SELECT 2", "LIMIT clause should come after EXCEPT not before", -1),
    ("VALUES(1),(2,3)", "all VALUES must have the same number of terms", -1),
    ("VALUES(1),(2,3) x", "near \"x\": syntax error", 16),
    ("VALUES(1) ORDER BY 1", "near \"ORDER\": syntax error", 10),
    ("WITH x AS (SELECT 1), x AS (SELECT 2) SELECT 1", "duplicate WITH table name: x", -1),
    ("WITH x(a DESC) AS (SELECT 1) SELECT 1", "syntax error after column name \"a\"", -1),
    ("SELECT sum(a) OVER (ROWS 1 FOLLOWING)", "unsupported frame specification", -1),
    ("UPDATE t SET (a, b) = (1, 2, 3)", "2 columns assigned 3 values", -1),
    ("INSERT INTO t SELECT * FROM t ON CONFLICT DO NOTHING", "near \"DO\": syntax error", 42),
    ("CREATE TABLE z(a) foo", "unknown table option: foo", -1),
    ("CREATE INDEX i ON t(a NULLS LAST)", "unsupported use of NULLS LAST", -1),
    ("CREATE TABLE z(a AS (1) foo)", "error in generated column \"a\"", -1),
    ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1 END", "incomplete input", -1),
    ("EXPLAIN EXPLAIN SELECT 1", "near \"EXPLAIN\": syntax error", 8),
    ("PRAGMA a(b c)", "near \"c\": syntax error", 11),
  ])
  func `mistakes have SQLite's message and offset`(sql: String, message: String, offset: Int32) {
    let error = parseError(sql)
    #expect(error?.message ?? "" == message)
    #expect(error?.offset ?? -1 == offset)
  }

  @Test func `an expression may be 1000 high and no higher`() {
    func chain(_ count: Int) -> String { "SELECT 1" + String(repeating: "+1", count: count - 1) }
    #expect(parseError(chain(1_000)) == nil)
    let message = "Expression tree is too large (maximum depth 1000)"
    #expect(parseError(chain(1_001))?.message == message)
  }

  @Test func `a compound has at most 500 parts but any number of VALUES rows`() {
    func compound(_ count: Int) -> String {
      "SELECT 1" + String(repeating: " UNION ALL SELECT 1", count: count - 1)
    }
    #expect(parseError(compound(500)) == nil)
    #expect(parseError(compound(501))?.message == "too many terms in compound SELECT")
    #expect(parseError("VALUES(1)" + String(repeating: ",(1)", count: 2_000)) == nil)
  }
}
