import Foundation
import MartletTyped
import Testing

@Suite struct FunctionSQLTests {
  let double = Columns.double, doubleOptional = Columns.doubleOptional
  let int = Columns.int, intOptional = Columns.intOptional
  let string = Columns.string, stringOptional = Columns.stringOptional
  let date = Columns.date, dateOptional = Columns.dateOptional

  @Test func `functions of numbers`() {
    expectSQL("abs(\"int\")", int.absoluteValue)
    expectSQL("abs(\"doubleOptional\")", doubleOptional.absoluteValue)
    expectSQL("round(\"double\")", double.round())
    expectSQL("round(\"doubleOptional\", 2)", doubleOptional.round(2))
    expectSQL("random()", Expression<Int>.random())
    expectSQL("random()", Expression<Int64>.random())
    expectSQL("randomblob(8)", Expression<Blob>.random(8))
    expectSQL("zeroblob(8)", Expression<Data>.allZeros(8))
  }

  @Test func `functions of texts`() {
    expectSQL("length(\"string\")", string.length)
    expectSQL("length(\"dataOptional\")", Expression<Data?>("dataOptional").length)
    expectSQL("lower(\"string\")", string.lowercaseString)
    expectSQL("upper(\"stringOptional\")", stringOptional.uppercaseString)
    expectSQL("ltrim(\"string\")", string.ltrim())
    expectSQL("ltrim(\"string\", ' ')", string.ltrim([" "]))
    expectSQL("rtrim(\"stringOptional\")", stringOptional.rtrim())
    expectSQL("trim(\"string\", '\t ')", string.trim([" ", "\t"]))
    expectSQL("replace(\"string\", '@old', '@new')", string.replace("@old", with: "@new"))
    expectSQL("substr(\"string\", 1)", string.substring(1))
    expectSQL("substr(\"stringOptional\", 1, 2)", stringOptional.substring(1, length: 2))
    expectSQL("substr(\"string\", 1, 2)", string[1..<3])
    expectSQL("(\"string\" COLLATE BINARY)", string.collate(.binary))
    expectSQL("(\"string\" COLLATE NOCASE)", string.collate(.nocase))
    expectSQL("(\"stringOptional\" COLLATE RTRIM)", stringOptional.collate(.rtrim))
    expectSQL("(\"string\" COLLATE \"NODIACRITIC\")", string.collate(.custom("NODIACRITIC")))
  }

  @Test func `patterns`() {
    expectSQL("(\"string\" LIKE 'a%')", string.like("a%"))
    expectSQL("(\"stringOptional\" LIKE 'b%')", stringOptional.like("b%"))
    expectSQL("(\"string\" LIKE '\\%' ESCAPE '\\')", string.like("\\%", escape: "\\"))
    expectSQL("(\"string\" LIKE \"string\")", string.like(string))
    expectSQL("('abc' LIKE \"string\" ESCAPE '\\')", "abc".like(string, escape: "\\"))
    expectSQL("(\"string\" GLOB 'a*')", string.glob("a*"))
    expectSQL("(\"stringOptional\" MATCH 'a*')", stringOptional.match("a*"))
    expectSQL("(\"string\" REGEXP '^a?')", string.regexp("^a?"))
  }

  @Test func `membership, NULL and casts`() {
    expectSQL("(\"int\" IN (1, 2, 3))", [1, 2, 3].contains(int))
    expectSQL("(\"intOptional\" IN ())", [Int]().contains(intOptional))
    expectSQL("(\"string\" IN ('a', 'b'))", Set(["a"]).union(["b"]).sorted().contains(string))
    let query = Table("t").select(int)
    expectSQL("(\"int\" IN (SELECT \"int\" FROM \"t\"))", query.contains(int))
    expectSQL("ifnull(\"intOptional\", 1)", intOptional ?? 1)
    expectSQL("ifnull(\"intOptional\", \"int\")", intOptional ?? int)
    expectSQL("ifnull(\"intOptional\", \"intOptional\")", intOptional ?? intOptional)
    let text: Expression<String> = int.cast()
    expectSQL("CAST (\"int\" AS TEXT)", text)
    let optional: Expression<Double?> = stringOptional.cast()
    expectSQL("CAST (\"stringOptional\" AS REAL)", optional)
    expectSQL("NULL", Expression<Int?>.null)
    expectSQL("5", Expression<Int>(value: 5))
    expectSQL("NULL", Expression<Int?>(value: nil))
    expectSQL("a + 1", Expression<Int>("a + ?", [1]))
    expectSQL(
      "'?' || \"?\" || [?] || `?` || 1", Expression<String>("'?' || \"?\" || [?] || `?` || ?", [1]))
    expectSQL("x = 9e999", Expression<Bool>("x = ?", [Double.infinity]))
    expectSQL("x = NULL", Expression<Bool>("x = ?", [Double.nan]))
  }

  @Test func `aggregates`() {
    expectSQL("count(\"intOptional\")", intOptional.count)
    expectSQL("count(DISTINCT \"int\")", int.distinct.count)
    expectSQL("count(*)", count(*))
    expectSQL("max(\"int\")", int.max)
    expectSQL("min(\"stringOptional\")", stringOptional.min)
    expectSQL("avg(\"int\")", int.average)
    expectSQL("sum(DISTINCT \"doubleOptional\")", doubleOptional.distinct.sum)
    expectSQL("total(\"double\")", double.total)
    let largest: Expression<Int?> = intOptional.max
    expectSQL("max(\"intOptional\")", largest)
    expectSQL("\"ROWID\"", rowid)
  }

  @Test func `dates`() {
    let start = Date(timeIntervalSince1970: 0)
    expectSQL("date('now')", DateFunctions.date("now"))
    expectSQL("date('now', 'localtime')", DateFunctions.date("now", "localtime"))
    expectSQL("time('now')", DateFunctions.time("now"))
    expectSQL("datetime('now', '+1 day')", DateFunctions.datetime("now", "+1 day"))
    expectSQL("julianday('now')", DateFunctions.julianday("now"))
    expectSQL("strftime('%Y', 'now')", DateFunctions.strftime("%Y", "now"))
    expectSQL("date('1970-01-01T00:00:00.000')", start.date)
    expectSQL("time('1970-01-01T00:00:00.000')", start.time)
    expectSQL("datetime('1970-01-01T00:00:00.000')", start.datetime)
    expectSQL("julianday('1970-01-01T00:00:00.000')", start.julianday)
    expectSQL("date(\"date\")", date.date)
    expectSQL("datetime(\"dateOptional\")", dateOptional.datetime)
    expectSQL("(\"date\" <= '1970-01-01T00:00:00.000')", date <= start)
  }

  @Test func `window functions`() {
    expectSQL("ntile(1) OVER (ORDER BY \"int\" DESC)", ntile(1, int.desc))
    expectSQL("row_number() OVER (ORDER BY \"int\")", rowNumber(int))
    expectSQL("rank() OVER (ORDER BY \"int\")", rank(int))
    expectSQL("dense_rank() OVER (ORDER BY \"int\" ASC)", denseRank(int.asc))
    expectSQL("percent_rank() OVER (ORDER BY \"int\")", percentRank(int))
    expectSQL("cume_dist() OVER (ORDER BY \"int\")", cumeDist(int))
    expectSQL("lag(\"int\", 0) OVER (ORDER BY \"int\")", int.lag(int))
    expectSQL("lead(\"int\", 2, 3) OVER (ORDER BY \"int\")", int.lead(offset: 2, default: 3, int))
    expectSQL("first_value(\"int\") OVER (ORDER BY \"int\")", int.firstValue(int))
    expectSQL("last_value(\"int\") OVER (ORDER BY \"int\")", int.lastValue(int))
    expectSQL("nth_value(\"int\", 3) OVER (ORDER BY \"int\")", int.value(3, int))
    let window = Window(partitionBy: [string, int % 2], orderBy: [int.desc])
    expectSQL(
      "rank() OVER (PARTITION BY \"string\", (\"int\" % 2) ORDER BY \"int\" DESC)",
      rank(over: window))
    expectSQL(
      "sum(\"int\") OVER (ORDER BY \"int\" ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING "
        + "EXCLUDE TIES)",
      int.sum.over(
        Window(orderBy: [int])
          .frame(.rows, from: .preceding(1), to: .unbounded, excluding: .ties)))
    expectSQL("count(*) OVER ()", count(*).over(Window()))
  }

  @Test func `setters`() {
    expectSQL("\"int\" = 1", int <- 1)
    expectSQL("\"int\" = \"int\"", int <- int)
    expectSQL("\"intOptional\" = \"int\"", intOptional <- int)
    expectSQL("\"intOptional\" = NULL", intOptional <- nil)
    expectSQL("\"string\" = (\"string\" || 'x')", string += "x")
    expectSQL("\"stringOptional\" = (\"stringOptional\" || \"string\")", stringOptional += string)
    expectSQL("\"int\" = (\"int\" + 1)", int += 1)
    expectSQL("\"double\" = (\"double\" - 1.0)", double -= 1)
    expectSQL("\"double\" = (\"double\" * \"double\")", double *= double)
    expectSQL("\"doubleOptional\" = (\"doubleOptional\" / \"double\")", doubleOptional /= double)
    expectSQL("\"int\" = (\"int\" % 1)", int %= 1)
    expectSQL("\"int\" = (\"int\" << 1)", int <<= 1)
    expectSQL("\"int\" = (\"int\" >> \"int\")", int >>= int)
    expectSQL("\"int\" = (\"int\" & 1)", int &= 1)
    expectSQL("\"int\" = (\"int\" | 1)", int |= 1)
    expectSQL("\"int\" = (~((\"int\" & 1)) & (\"int\" | 1))", int ^= 1)
    expectSQL("\"int\" = (\"int\" + 1)", int++)
    expectSQL("\"intOptional\" = (\"intOptional\" - 1)", intOptional--)
  }

  @Test func `functions give their values`() throws {
    let db = try Connection()
    func value<V: Value>(_ expression: Expression<V>) throws -> V {
      try db.scalar(Select<V>("SELECT " + expression.template, expression.bindings))
    }
    let text = Expression<String>(value: " Hello ")
    #expect(try value(text.trim().uppercaseString) == "HELLO")
    #expect(try value(text.length) == 7)
    #expect(try value(text.replace("l", with: "L")) == " HeLLo ")
    #expect(try value(Expression<String>(value: "abcdef")[2..<4]) == "bc")
    #expect(try value(Expression<Int>(value: 6) ^ 3) == 5)
    #expect(try value(~Expression<Int>(value: 6)) == -7)
    #expect(try value(-Expression<Double>(value: 2.5)) == -2.5)
    #expect(try value(Expression<Int?>(value: nil) ?? 7) == 7)
    #expect(try value(Expression<Data>.allZeros(3)) == Data([0, 0, 0]))
    #expect(try value(Expression<Blob>.random(5)).bytes.count == 5)
    #expect(try value([1, 2].contains(Expression<Int>(value: 2))))
    #expect(try value("100%".like(Expression<String>(value: "100\\%"), escape: "\\")))
  }
}
