import Foundation
import Martlet
import Testing

/// A stream whose text can be looked at.
private final class Output: TextOutputStream {
  var text = ""
  func write(_ string: String) { text += string }
}

@Suite struct DumpTests {
  private func dump(_ body: (Database, Output) throws -> Void) throws -> String {
    let output = Output()
    try inEmptyDatabase { db in
      try db.execute(
        sql: """
          CREATE TABLE team(id TEXT PRIMARY KEY, name TEXT);
          CREATE TABLE player(id INTEGER PRIMARY KEY, teamId TEXT, score DOUBLE, data BLOB);
          CREATE INDEX player_on_teamId ON player(teamId);
          INSERT INTO team VALUES ('FRA', 'France'), ('ENG', 'England');
          INSERT INTO player VALUES (1, 'FRA', 1.5, x'6162'), (2, NULL, -1, x'80'), (3, 'it''s', 1e999, x'')
          """)
      try body(db, output)
    }
    return output.text
  }

  @Test func `rows are lines, blobs that are text are shown as such`() throws {
    #expect(
      try dump { try $0.dumpTables(["player"], to: $1) }
        == "1|FRA|1.5|ab\n2||-1.0|X'80'\n3|it's|inf|\n")
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT id, teamId FROM player ORDER BY id", format: .debug(header: true, separator: ";", nullValue: "-"), to: output)
      } == "id;teamId\n1;FRA\n2;-\n3;it's\n")
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT 1; SELECT NULL WHERE NULL; SELECT 2", format: .list(), to: output)
      } == "1\n2\n")
  }

  @Test func `rows are literals of SQL`() throws {
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT teamId, data FROM player", format: .quote(header: true), to: output)
      } == "'teamId','data'\n'FRA',X'6162'\nNULL,X'80'\n'it''s',X''\n")
  }

  @Test func `rows are named lines`() throws {
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT id, teamId FROM player ORDER BY id LIMIT 2", format: .line(nullValue: "-"), to: output)
      } == "    id = 1\nteamId = FRA\n\n    id = 2\nteamId = -\n")
  }

  @Test func `rows are JSON`() throws {
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT id, teamId, score, data FROM player", format: .json(), to: output)
      } == """
        [{"id":1,"teamId":"FRA","score":1.5,"data":"YWI="},
        {"id":2,"teamId":null,"score":-1,"data":"gA=="},
        {"id":3,"teamId":"it's","score":"inf","data":""}]

        """)
    #expect(try dump { try $0.dumpSQL("SELECT 1 WHERE 0", format: .json(), to: $1) } == "[]\n")
    #expect(try dump { try $0.dumpSQL("CREATE TABLE x(a)", format: .json(), to: $1) } == "")
    let encoder = JSONDumpFormat.defaultEncoder
    encoder.outputFormatting = .prettyPrinted
    #expect(
      try dump { db, output throws in
        try db.dumpSQL("SELECT 1 AS a, 'x' AS b", format: .json(encoder: encoder), to: output)
      } == "[\n  {\n    \"a\":1,\n    \"b\":\"x\"\n  }\n]\n")
  }

  @Test func `several tables have headers, and are in the order of their keys`() throws {
    #expect(
      try dump { try $0.dumpTables(["team", "player"], format: .list(), to: $1) }
        .hasPrefix("team\nENG|England\nFRA|France\n\nplayer\n1|FRA"))
    #expect(
      try dump { try $0.dumpTables(["team"], tableHeader: .always, to: $1) }.hasPrefix("team\nENG"))
    #expect(try dump { try $0.dumpRequest(Table("team").select(Column("id")).order(Column("id").desc), to: $1) } == "FRA\nENG\n")
  }

  @Test func `content and schema are dumped without internal tables`() throws {
    let schema = """
      CREATE TABLE player(id INTEGER PRIMARY KEY, teamId TEXT, score DOUBLE, data BLOB);
      CREATE INDEX player_on_teamId ON player(teamId);
      CREATE TABLE team(id TEXT PRIMARY KEY, name TEXT);

      """
    #expect(
      try dump { db, output throws in
        try db.execute(sql: "CREATE TABLE grdb_migrations(a)")
        try db.dumpSchema(to: output)
      } == "sqlite_master\n" + schema)
    #expect(
      try dump { try $0.dumpContent(to: $1) } == "sqlite_master\n" + schema
        + "\nplayer\n1|FRA|1.5|ab\n2||-1.0|X'80'\n3|it's|inf|\n\nteam\nENG|England\nFRA|France\n")
  }
}
