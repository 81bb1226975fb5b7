import Testing

@testable import MartletEngine

struct StatementSyntaxTests {
  @Test func `statements are parsed one by one`() throws {
    let text = try makeText(" ;; SELECT 1 ; -- c\n BEGIN;;")
    let first = try #require(try Parser.parse(text))
    #expect(text.string(first.range) == "SELECT 1")
    let second = try #require(try Parser.parse(text, from: first.endOffset))
    guard case .begin(.deferred) = second.statement else {
      Issue.record("not BEGIN")
      return
    }
    #expect(try Parser.parse(text, from: second.endOffset) == nil)
  }

  @Test(arguments: [
    ("create table main . \"z y\" ( a , b  ) ", "\"z y\" ( a , b  )"),
    ("create table z(a int primary key)  without  rowid  ;",
      "z(a int primary key)  without  rowid  "),
    ("create index if not exists main.i on t(a) where a  ;", "i on t(a) where a  "),
    ("create view v as select 1 -- c\n ;", "v as select 1 -- c"),
    ("create temp trigger r after insert on t begin select 1; end ;",
      "r after insert on t begin select 1; end"),
    ("create virtual table v using fts5(a , b)  ;", "v using fts5(a , b)"),
  ])
  func `stored text begins with the name and ends where SQLite's does`(
    sql: String, stored: String
  ) throws {
    let parsed = try #require(try parse(sql))
    let range: ByteRange? =
      switch parsed.statement {
      case .createTable(let create): create.storedRange
      case .createIndex(let create): create.storedRange
      case .createView(let create): create.storedRange
      case .createTrigger(let create): create.storedRange
      case .createVirtualTable(let create): create.storedRange
      default: nil
      }
    #expect(parsed.text.string(try #require(range)) == stored)
  }

  @Test(arguments: [
    ("a", nil), ("a int", "int"), ("a double  precision(1, -2)", "double  precision(1, -2)"),
    ("a int generated always as (1)", "int"), ("a generated always as (1)", nil),
    ("a \"my type\"", "my type"), ("a int generated", "int generated"),
  ] as [(String, String?)])
  func `a column's type is its words without GENERATED ALWAYS`(
    column: String, type: String?
  ) throws {
    let parsed = try #require(try parse("CREATE TABLE t(\(column))"))
    guard case .createTable(let create) = parsed.statement,
      case .definitions(let columns, _) = create.content
    else {
      Issue.record("no columns")
      return
    }
    #expect(columns[0].type?.string == type)
  }

  @Test func `constraints keep their order, names and ranges`() throws {
    let sql = """
      CREATE TABLE t(a INT CONSTRAINT p PRIMARY KEY DESC ON CONFLICT FAIL DEFAULT -5 \
      REFERENCES u(x) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, \
      CONSTRAINT q CHECK (a > 0) UNIQUE (a))
      """
    let parsed = try #require(try parse(sql))
    guard case .createTable(let create) = parsed.statement,
      case .definitions(let columns, let constraints) = create.content
    else {
      Issue.record("no columns")
      return
    }
    let written = columns[0].constraints.map { parsed.text.string($0.range) }
    #expect(
      written == [
        "CONSTRAINT p PRIMARY KEY DESC ON CONFLICT FAIL", "DEFAULT -5",
        "REFERENCES u(x) ON DELETE CASCADE",
      ])
    guard case .references(let clause) = columns[0].constraints[2].kind else {
      Issue.record("no foreign key")
      return
    }
    #expect(clause.isInitiallyDeferred && clause.onDelete == .cascade)
    let atEnd = constraints.map { parsed.text.string($0.range) }
    #expect(atEnd == ["CONSTRAINT q CHECK (a > 0)", "UNIQUE (a)"])
    #expect(constraints[1].name?.string == "q")
  }

  @Test func `parentheses around the first tables of FROM leave no trace`() throws {
    func aliases(_ from: String) throws -> [String?] {
      guard let parsed = try parse("SELECT * FROM " + from),
        case .select(let select) = parsed.statement, case .select(let core) = select.cores[0]
      else { return [] }
      return withExtendedLifetime(parsed) { core.from.map { $0.alias?.string } }
    }
    #expect(try aliases("((t, u)) JOIN v").count == 3)
    #expect(try aliases("t JOIN (u JOIN v)").count == 2)
    #expect(try aliases("t, (u AS a) AS b")[1] == "b")
  }

  @Test(arguments: [
    ("SELECT 1;", true), ("SELECT 1", false), ("SELECT ';", false), ("-- ;", false), (";", true),
    ("CREATE TRIGGER a BEGIN SELECT 1;", false), ("CREATE TRIGGER a BEGIN x; END;", true),
    ("EXPLAIN CREATE TEMP TRIGGER a BEGIN x; END", false), ("SELECT 1; /* c */ ", true),
  ])
  func `a statement is complete when its last semicolon has come`(
    sql: String, expected: Bool
  ) throws {
    #expect(CompleteStatement.isComplete(try makeText(sql)) == expected)
  }

  @Test func `names are quoted where they would not be read back`() {
    #expect(Quoting.identifierIfNeeded("abc_1") == "abc_1")
    #expect(Quoting.identifierIfNeeded("Order") == "\"Order\"")
    #expect(Quoting.identifierIfNeeded("a\"b") == "\"a\"\"b\"")
    #expect(Quoting.identifierIfNeeded("1a") == "\"1a\"")
    #expect(Quoting.string("it's") == "'it''s'")
  }
}
