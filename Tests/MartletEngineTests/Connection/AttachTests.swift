import Testing

@testable import MartletEngine

@Suite struct AttachTests {
  @Test func `the temp database is opened when a statement uses it`() throws {
    let connection = try Connection(path: ":memory:")
    #expect(connection.databases[1].tree == nil)
    try connection.execute("SELECT * FROM sqlite_temp_schema")
    #expect(connection.databases[1].tree != nil)
    #expect(connection.readingDatabases == 0)
  }
}
