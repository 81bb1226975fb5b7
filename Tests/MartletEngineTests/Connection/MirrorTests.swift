import Testing

@testable import MartletEngine

/// What debuggers and failed expectations show of the engine's objects. They walk through all that a
/// mirror has, while other threads work, and memory is not always what its declaration says.
@Suite struct MirrorTests {
  @Test func objectsShowNothingOfTheirInsides() throws {
    let connection = try Connection(path: "")
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB); CREATE INDEX i ON t(a);
      INSERT INTO t VALUES (1, 'one'), (2, zeroblob(5000)), (3, NULL);
      """)
    let statement = try connection.prepare("SELECT a FROM t ORDER BY a")
    #expect(try statement.step())
    let blob = try connection.openBlob(table: "t", column: "a", rowID: 2)
    for object in [connection, statement, statement.currentRow, blob] as [Any] {
      #expect(reach(object) == 1)
    }
  }

  /// How many values a walk meets.
  private func reach(_ value: Any, depth: Int = 0) -> Int {
    guard depth < 10 else { return 1 }
    return Mirror(reflecting: value).children.reduce(1) { $0 + reach($1.value, depth: depth + 1) }
  }
}
