import Testing

@testable import MartletEngine

struct ExpressionSyntaxTests {
  @Test(arguments: [
    ("a OR b AND c", "(a or (b and c))"),
    ("NOT a = b", "(not (a equal b))"),
    ("a = NOT b = c", "(a equal (not (b equal c)))"),
    ("a = b < c", "(a equal (b less c))"),
    ("a < b = c", "((a less b) equal c)"),
    ("a = b = c", "((a equal b) equal c)"),
    ("a IS NOT b = c", "((a isNot b) equal c)"),
    ("a IS NOT DISTINCT FROM b", "(a isNotDistinctFrom b)"),
    ("a + b * c - d", "((a add (b multiply c)) subtract d)"),
    ("a || b -> c * d", "(((a concat b) extractJSON c) multiply d)"),
    ("a << b + c & d", "((a shiftLeft (b add c)) bitAnd d)"),
    ("- a COLLATE x", "((minus a) collate x)"),
    ("a || b COLLATE x", "(a concat (b collate x))"),
    ("- ~ + a * b", "((minus (bitNot (plus a))) multiply b)"),
    ("a = b ISNULL", "((a equal b) isnull)"),
    ("NOT a NOTNULL", "(not (a notnull))"),
    ("NOT a NOT NULL", "(not (a notnull))"),
    ("a AND b NOT NULL", "(a and (b notnull))"),
    ("a BETWEEN b AND c AND d", "((a between b and c) and d)"),
    ("a BETWEEN b = c AND d < e", "(a between (b equal c) and (d less e))"),
    ("a LIKE b ESCAPE c = d", "((a like b escape c) equal d)"),
    ("a LIKE b < c ESCAPE d", "(a like (b less c) escape d)"),
    ("a NOT GLOB b OR c", "((a not glob b) or c)"),
    ("a = b IN (1, 2)", "((a equal b) in [1,2])"),
    ("a NOT IN () + 1", "((a not in []) add 1)"),
    ("(a, b) < (1, (2, 3))", "(row(a,b) less row(1,row(2,3)))"),
    ("((a + b)) * c", "((a add b) multiply c)"),
  ])
  func `operators bind as in SQLite`(sql: String, expected: String) throws {
    #expect(try tree(of: sql) == expected)
  }

  @Test func `an expression's range includes parentheses inside it but not around it`() throws {
    let parsed = try #require(try parse("SELECT ((a) + (b)) * 2"))
    guard case .select(let select) = parsed.statement, case .select(let core) = select.cores[0],
      case .expression(let node, _, let written) = core.columns[0],
      case .binary(.multiply, let sum, _) = node.kind
    else {
      Issue.record("no product")
      return
    }
    #expect(parsed.text.string(sum.range) == "(a) + (b)")
    #expect(parsed.text.string(written) == "((a) + (b)) * 2")
  }

  @Test func `a column's text ends before the blanks, not before the comment, that follow it`()
    throws
  {
    let parsed = try #require(try parse("SELECT 1 +1 /* c */  , 2"))
    guard case .select(let select) = parsed.statement, case .select(let core) = select.cores[0],
      case .expression(_, _, let written) = core.columns[0]
    else {
      Issue.record("no column")
      return
    }
    #expect(parsed.text.string(written) == "1 +1 /* c */")
  }

  @Test func `parameters are numbered as they come, names and numbers once`() throws {
    let parsed = try #require(try parse("SELECT ?, :a, ?5, ?, :a, @b, $c::d(e), ?5"))
    #expect(parsed.parameterCount == 8)
    let names = parsed.parameterNames.map { "\($0.number)\($0.name.string)" }
    #expect(names == ["2:a", "5?5", "7@b", "8$c::d(e)"])
  }

  @Test func `names lose their quotes and doubled quotes`() throws {
    let parsed = try #require(try parse("SELECT \"a\"\"b\" AS [c d], `e``f`, 'g''h'"))
    guard case .select(let select) = parsed.statement, case .select(let core) = select.cores[0],
      case .expression(let first, let alias, _) = core.columns[0],
      case .identifier(let name) = first.kind,
      case .expression(let third, _, _) = core.columns[2], case .string(let value) = third.kind
    else {
      Issue.record("no names")
      return
    }
    #expect(name.string == "a\"b" && name.quote == UInt8(ascii: "\""))
    #expect(alias?.string == "c d")
    #expect(value.string == "g'h")
  }
}
