import Foundation
import TestSupport
import Testing

@testable import MartletEngine

private func loadSchema(_ path: String) throws -> Schema {
  let location = try DatabaseLocation.parse(path, flags: OpenFlags(rawValue: 1))
  let pager = try Pager.open(location)
  try pager.beginRead()
  defer { pager.endRead() }
  return try SchemaLoader.load(BTree(pager: pager), databaseIndex: 0, databaseName: "main")
}

/// Tables, columns and indexes in one text, as PRAGMA table_list, table_xinfo, index_list and
/// index_xinfo tell them.
private func describe(_ schema: Schema) -> String {
  var lines: [String] = []
  for table in schema.tables.objects
  where table.view == nil && table.virtual == nil && table.rootPage != PageNumber(1) {
    let name = table.name.string
    lines.append("\(name)|\(table.rootPage.rawValue)|\(table.isWithoutRowid ? 1 : 0)")
    for (position, column) in table.columns.enumerated() {
      let hidden =
        switch column.generated {
        case nil: 0
        case .virtual: 2
        case .stored: 3
        }
      let flags = "\(column.isNotNull ? 1 : 0)|\(column.isPrimaryKey ? 1 : 0)|\(hidden)"
      lines.append(
        "\(name)|\(position)|\(column.name.string)|\(column.declaredType ?? "")|\(flags)")
    }
    for index in table.indexes {
      let origin =
        switch index.origin {
        case .createIndex: "c"
        case .uniqueConstraint: "u"
        case .primaryKey: "pk"
        }
      let isPartial = index.partialWhere == nil ? 0 : 1
      lines.append("\(index.name.string)|\(index.isUnique ? 1 : 0)|\(origin)|\(isPartial)")
      for (position, column) in index.columns.enumerated() {
        let key = position < index.keyColumnCount ? 1 : 0
        let collation = column.collation?.string ?? "BINARY"
        lines.append(
          """
          \(index.name.string)|\(position)|\(column.tableColumn)|\
          \(column.isDescending ? 1 : 0)|\(collation)|\(key)
          """)
      }
    }
  }
  return lines.sorted().joined(separator: "\n")
}

/// The same, as the oracle tells it.
private let descriptionQuery = """
  WITH t AS (SELECT name, rootpage FROM sqlite_schema
    WHERE type = 'table' AND sql NOT LIKE 'create virtual%'),
  i AS (SELECT t.name AS tbl, l.* FROM t, pragma_index_list(t.name) l)
  SELECT line FROM (
    SELECT t.name || '|' || rootpage || '|' || wr AS line
      FROM t JOIN pragma_table_list(t.name) l
    UNION ALL
    SELECT t.name || '|' || cid || '|' || x.name || '|' || x.type || '|' || "notnull" || '|'
      || (pk > 0) || '|' || hidden FROM t, pragma_table_xinfo(t.name) x
    UNION ALL
    SELECT name || '|' || "unique" || '|' || origin || '|' || partial FROM i
    UNION ALL
    SELECT i.name || '|' || seqno || '|' || cid || '|' || "desc" || '|' || coll || '|' || key
      FROM i, pragma_index_xinfo(i.name));
  """

private let variedDefinitions = """
  CREATE TABLE k1(a primary key desc, b unique, c int, unique(b,c),
    unique(c collate nocase, a desc) on conflict replace);
  CREATE TABLE k2(id integer primary key desc, b varchar(100), c char(3000), d blob(40), e clob,
    f nvarchar(9), g "float", h 'xint y', i [decimal](10,2), j);
  CREATE TABLE k3(id integer, b, primary key(id desc));
  CREATE TABLE k4(a,b,c,d, primary key(b desc, a, b collate nocase, b), unique(c), unique(d,b))
    WITHOUT ROWID;
  CREATE TABLE k5(a int, b any, c text not null) STRICT;
  CREATE TABLE k6(id integer primary key, a, b) WITHOUT ROWID;
  CREATE TABLE k7(a int unique, b unique, unique(a), unique(b, a), primary key(b));
  CREATE TABLE g(a int, b text as (a||'x'), c int as (a+1) stored, d int as (c*2) virtual, e);
  CREATE INDEX k4i ON k4(d, a desc);
  CREATE INDEX k1e ON k1(a+1, lower(b), c desc) WHERE c>1;
  CREATE UNIQUE INDEX k1u ON k1(c);
  CREATE UNIQUE INDEX k6u ON k6(a);
  CREATE INDEX k2r ON k2(rowid, b COLLATE nocase);
  CREATE INDEX gi ON g(d, e);
  CREATE VIEW v AS SELECT * FROM k1;
  CREATE TRIGGER tr AFTER INSERT ON k1 BEGIN SELECT 1; END;
  CREATE VIRTUAL TABLE f USING fts5(x);
  """

@Suite(.enabled(if: OracleShell.isAvailable, "MARTLET_ORACLE does not name the oracle's folder"))
struct SchemaLoaderOracleTests {
  private func expected(_ path: String) throws -> String {
    let shell = try OracleShell(path)
    let lines = try shell.run(descriptionQuery).split(separator: "\n").map(String.init)
    return lines.sorted().joined(separator: "\n")
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `tables and indexes are as SQLite describes them`(encoding: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    try OracleShell(path).run("PRAGMA encoding = '\(encoding)';\n" + variedDefinitions)
    let wanted = try expected(path)
    let schema = try loadSchema(path)
    #expect(wanted.split(separator: "\n").count > 80)
    #expect(describe(schema) == wanted)
    #expect(schema.tables[Name("V")]?.view != nil)
    #expect(schema.tables[Name("f")]?.virtual?.moduleName == "fts5")
    #expect(schema.triggers[Name("tr")] != nil)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/proj/proj.db")))
  func `the schema of a real database is as SQLite describes it`() throws {
    let path = "/usr/share/proj/proj.db"
    #expect(try describe(loadSchema(path)) == expected(path))
  }

  @Test func `indexes stand in the order in which SQLite considers them`() throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    try OracleShell(path).run(variedDefinitions)
    let schema = try loadSchema(path)
    for table in schema.tables.objects where table.view == nil && table.virtual == nil {
      let names = table.indexes.map { $0.name.string }.joined(separator: "\n")
      let shell = try OracleShell(path)
      let wanted = try shell.run("SELECT name FROM pragma_index_list('\(table.name.string)');")
      #expect(names == wanted.trimmingCharacters(in: .newlines))
    }
  }

  @Test(arguments: [
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE a(b' WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE a(b, B)' WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'DROP TABLE a' WHERE name = 'a'",
    "UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'a'",
    "UPDATE sqlite_schema SET rootpage = NULL WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON nosuch(b)' WHERE name = 'i'",
    "UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON a(nosuch)' WHERE name = 'i'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 'i'",
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE a(b) WITHOUT ROWID' WHERE name = 'a'",
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE a(b x) STRICT' WHERE name = 'a'",
    "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'sqlite_autoindex_a_1'",
  ])
  func `a malformed schema is refused in SQLite's words`(damage: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    try OracleShell(path).run(
      """
      CREATE TABLE a(b UNIQUE, c); CREATE INDEX i ON a(c);
      .dbconfig defensive off
      PRAGMA writable_schema = ON;
      \(damage);
      """)
    let printed = try OracleShell(path).run("SELECT count(*) FROM sqlite_schema WHERE name='a';")
    let error = #expect(throws: SQLError.self) { try loadSchema(path) }
    let message = try #require(error).message
    #expect(message.hasPrefix("malformed database schema"))
    #expect(printed.contains(message), "SQLite says \(printed)")
  }

  @Test func `statistics are taken over`() throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    try OracleShell(path).run(
      """
      CREATE TABLE a(b, c); CREATE INDEX i ON a(b, c); CREATE TABLE d(e);
      ANALYZE; DELETE FROM sqlite_stat1;
      INSERT INTO sqlite_stat1 VALUES('a', 'i', '1000 10 1 unordered sz=100 noskipscan');
      INSERT INTO sqlite_stat1 VALUES('d', NULL, '7'), ('gone', 'x', '1'), ('a', 'gone', '1');
      """)
    let schema = try loadSchema(path)
    let index = try #require(schema.indexes[Name("i")])
    #expect(index.rowEstimates == [99, 33, 0])
    #expect(index.isUnordered && !index.allowsSkipScan && index.hasStatistics)
    #expect(index.rowSizeEstimate == LogEst(count: 100))
    #expect(index.table.rowEstimate == 99)
    #expect(schema.tables[Name("d")]?.rowEstimate == LogEst(count: 7))
  }
}

struct SchemaBuilderTests {
  @Test(arguments: [
    ("varchar(100)", Affinity.text, 26), ("char(3000)", .text, 255), ("blob(40)", .blob, 11),
    ("clob", .text, 5), ("TEXT", .text, 5), ("int", .integer, 1), ("decimal(10,5)", .numeric, 1),
    ("any", .numeric, 1), ("double", .real, 1), ("blob", .blob, 5), ("nchar", .text, 1),
  ])
  func `a declared type gives affinity and size`(
    type: String, affinity: Affinity, size: Int
  ) throws {
    let schema = try TestSchema(["CREATE TABLE t(a \(type))"])
    let column = try #require(schema.catalog.table(named: Name("t"))).columns[0]
    #expect(column.affinity == affinity)
    #expect(column.sizeEstimate == UInt8(size))
  }

  @Test func `without statistics the first columns are guessed to be the most selective`() throws {
    let schema = try TestSchema([
      "CREATE TABLE t(a, b, c)", "CREATE INDEX i ON t(a, b, c)", "CREATE UNIQUE INDEX u ON t(a, b)",
      "CREATE INDEX p ON t(a) WHERE b",
    ])
    let estimates = ["i", "u", "p"].map { schema.catalog.index(named: name($0))?.rowEstimates }
    #expect(estimates == [[200, 33, 32, 30], [200, 33, 0], [190, 33]])
  }

  private func name(_ text: String) -> Name {
    switch text {
    case "i": Name("i")
    case "u": Name("u")
    default: Name("p")
    }
  }

  @Test func `names are found whatever their case`() throws {
    let schema = try TestSchema((0..<100).map { "CREATE TABLE Table\($0)(a)" })
    #expect(schema.catalog.table(named: Name("TABLE57"))?.name.string == "Table57")
    #expect(schema.catalog.table(named: Name("table100")) == nil)
    #expect(schema.catalog.table(named: Name("SQLITE_SCHEMA"))?.rootPage == PageNumber(1))
    #expect(schema.catalog.table(named: Name("table5"), schema: Name("temp")) == nil)
  }

  @Test func `a row of a WITHOUT ROWID table begins with its primary key`() throws {
    let schema = try TestSchema([
      "CREATE TABLE t(a, b, c AS (a), d, PRIMARY KEY(d, b, d)) WITHOUT ROWID",
      "CREATE INDEX i ON t(b, c)",
    ])
    let table = try #require(schema.catalog.table(named: Name("t")))
    #expect(table.storagePositions == [2, 1, -1, 0])
    #expect(table.primaryKeyIndex?.columns.map(\.tableColumn) == [3, 1, 0])
    #expect(table.indexes.first?.columns.map(\.tableColumn) == [1, 2, 3])
  }
}
