import MartletEngine
import Testing

/// carray (carray): values of the program as a table.
@Suite struct ArrayTableTests {
  private func connection() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name); INSERT INTO t VALUES(1,'a'),(2,'b'),(3,'c')")
    return connection
  }

  @Test func `rows are searched by the values of an array`() throws {
    let statement = try connection().prepare("SELECT name FROM t WHERE id IN carray(?1)")
    var found: [[String]] = []
    for values in [[1, 3, 9], [], [2]] as [[Int64]] {
      try statement.bind(array: values.map { .integer($0) }, at: 1)
      var names: [String] = []
      while try statement.step() { names.append(statement.columnText(0)) }
      try statement.reset()
      found.append(names)
    }
    #expect(found == [["a", "c"], [], ["b"]])
  }

  @Test func `values keep their types`() throws {
    let statement = try connection().prepare("SELECT value, count FROM carray(?)")
    let values: [Value] = [.integer(.max), .real(1.5), .text("é"), .blob([0, 1]), .null]
    try statement.bind(array: values, at: 1)
    var types: [StorageClass] = [], texts: [String] = []
    while try statement.step() {
      types.append(statement.columnType(0))
      texts.append(statement.columnText(0))
      #expect(statement.columnInt64(1) == 5)
    }
    #expect(types == [.integer, .real, .text, .blob, .null])
    #expect(texts == ["9223372036854775807", "1.5", "é", "\0\u{1}", ""])
  }

  @Test func `what is not bound has no rows`() throws {
    #expect(try connection().rows("SELECT count(*) FROM carray(NULL)") == ["0"])
    #expect(try connection().rows("SELECT count(*) FROM carray") == ["0"])
    #expect(try connection().rows("SELECT count(*) FROM carray('x', 5)") == ["0"])
  }
}
