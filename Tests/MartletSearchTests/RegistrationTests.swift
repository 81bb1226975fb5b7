import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Connections share the functions that full-text search brings.
struct RegistrationTests {
  private static let table = """
    CREATE VIRTUAL TABLE mail USING fts5(body);
    INSERT INTO mail VALUES('one two three');
    """

  @Test func `what one connection defines anew stays its own`() throws {
    let first = try Connection(path: ":memory:"), second = try Connection(path: ":memory:")
    try first.registerSearch()
    try second.registerSearch()
    try first.createFunction("fts5_source_id", argumentCount: 0) { call throws(SQLError) in
      try call.setResult(text: "mine")
    }
    try first.removeFunction("highlight")
    #expect(try first.printed("SELECT fts5_source_id()") == "mine\n")
    #expect(try second.printed("SELECT fts5_source_id() LIKE 'fts5: %'") == "1\n")
    try second.execute(Self.table)
    let marked = "SELECT highlight(mail, 0, '<', '>') FROM mail('two')"
    #expect(try second.printed(marked) == "one <two> three\n")
    try first.execute(Self.table)
    #expect(throws: SQLError.self) { try first.printed(marked) }
  }

  @Test func `a connection keeps a function that only a name would replace`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.createFunction("snippet", argumentCount: 2) { call throws(SQLError) in
      try call.setResult(text: "two")
    }
    try connection.createFunction("optimize", argumentCount: 1) { call throws(SQLError) in
      try call.setResult(text: "kept")
    }
    try connection.registerSearch()
    #expect(try connection.printed("SELECT optimize(1), snippet(1, 2)") == "kept|two\n")
    #expect(throws: SQLError.self) { try connection.printed("SELECT snippet(1)") }
  }

  @Test func `functions are not replaced under a statement that runs`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.registerSearch()
    let statement = try connection.prepare("SELECT fts5_source_id() UNION ALL SELECT 'end'")
    #expect(try statement.step())
    let failure = #expect(throws: SQLError.self) { try connection.registerSearch() }
    #expect(failure?.code == .busy)
    #expect(try statement.step())
  }
}
