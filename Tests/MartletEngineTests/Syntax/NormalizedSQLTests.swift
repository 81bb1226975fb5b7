import Testing

@testable import MartletEngine

@Suite struct NormalizedSQLTests {
  @Test(arguments: [
    ("select 1", "SELECT?;"),
    ("SELECT a, 'x', ?2, 1.5, x'00' FROM T where B=:b ;", "SELECT a,?,?,?,?FROM t WHERE b=?;"),
    ("select /* c */ a -- d\n from t", "SELECT a FROM t;"),
    ("select * from t where a in (1,2, 3)", "SELECT*FROM t WHERE a IN(?,?,?);"),
    ("select * from t where a in (1) and b in ('x','y')",
      "SELECT*FROM t WHERE a IN(?,?,?)AND b IN(?,?,?);"),
    ("select * from t where a in (select b from u)", "SELECT*FROM t WHERE a IN(SELECT b FROM u);"),
    ("select * from t where a is null or b is not null or c=null",
      "SELECT*FROM t WHERE a IS NULL OR b IS NOT NULL OR c=?;"),
    (#"select "A b", [Cd], `select`, "plain" from t"#,
      #"SELECT"a b",cd,"select",plain FROM t;"#),
    ("", ""),
  ])
  func `a normalized text has no literals, comments or needless blanks`(
    sql: String, normalized: String
  ) throws {
    let bytes = Array(sql.utf8)
    let result = try bytes.withUnsafeBufferPointer { text throws(SQLError) in
      try NormalizedSQL.bytes(of: text)
    }
    #expect(String(decoding: result, as: UTF8.self) == normalized)
  }
}
