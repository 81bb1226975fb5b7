import MartletEngine
import Testing

/// Virtual columns that are computed from each other.
struct VirtualColumnTests {
  /// A table whose column `c0` is computed from `c1`, that from `c2` and so on, or the other way.
  private func definition(_ count: Int, isReversed: Bool) -> String {
    let columns = (0..<count).map { index in
      let other = isReversed ? index + 1 : index - 1
      return "c\(index) AS (\(other < 0 ? "a" : other == count ? "a" : "c\(other)") + 1)"
    }
    return "CREATE TABLE g(a, \(columns.joined(separator: ", ")))"
  }

  private func failure(_ sql: String, _ connection: Connection) -> String? {
    do { try connection.execute(sql) } catch { return error.message }
    return nil
  }

  @Test(arguments: [false, true])
  func `two hundred lead to each other`(isReversed: Bool) throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(definition(200, isReversed: isReversed))
    try connection.execute("INSERT INTO g VALUES (1)")
    let statement = try connection.prepare("SELECT c0 + c199 FROM g")
    #expect(try statement.step())
    #expect(statement.columnInt64(0) == 203)
  }

  @Test(arguments: [201, 1_000, 1_900])
  func `more are an error where the stack would end`(count: Int) throws {
    let connection = try Connection(path: ":memory:")
    let message = "virtual columns are computed from each other too deep (maximum depth 200)"
    #expect(failure(definition(count, isReversed: true), connection) == message)
    _ = failure(definition(count, isReversed: false), connection)
    _ = failure("INSERT INTO g VALUES (1)", connection)
    #expect(failure("SELECT c\(count - 1) FROM g", connection) != nil)
  }

  /// There are 2^60 ways from the first to the last of them.
  @Test func `a loop behind many ways is found at once`() throws {
    let connection = try Connection(path: ":memory:")
    let columns = (0..<60).map { "c\($0) AS (c\($0 + 1) + c\($0 + 1))" }.joined(separator: ", ")
    #expect(
      failure("CREATE TABLE g(a, \(columns), c60 AS (c60))", connection)
        == "generated column loop on \"c60\"")
  }

  /// Each is twice the one before: their program doubles with each.
  private func doubling(_ count: Int) throws -> Connection {
    let connection = try Connection(path: ":memory:")
    let columns = (1...count).map { "c\($0) AS (c\($0 - 1) + c\($0 - 1))" }
    try connection.execute("CREATE TABLE g(c0, \(columns.joined(separator: ", ")))")
    try connection.execute("INSERT INTO g(c0) VALUES (1)")
    return connection
  }

  @Test func `an interrupt and a progress handler end the making of a long program`() throws {
    let connection = try doubling(100)
    connection.setProgressHandler(every: 100) { true }
    #expect(failure("SELECT c100 FROM g", connection) == "interrupted")
    #expect(failure("UPDATE g SET c0 = 2 WHERE c100 > 1", connection) == "interrupted")
    connection.setProgressHandler(every: 100) {
      connection.interrupt()
      return false
    }
    #expect(failure("SELECT c100 FROM g", connection) == "interrupted")
  }

  @Test func `a program has no more instructions than its connection allows`() throws {
    let connection = try doubling(100)
    connection.setLimit(.programLength, to: 42 * 64)
    #expect(failure("SELECT c100 FROM g", connection) == "out of memory")
    let statement = try connection.prepare("SELECT c9 FROM g")
    #expect(try statement.step() && statement.columnInt64(0) == 512)
    connection.setLimit(.programLength, to: 41)
    #expect(failure("SELECT 1", connection) == "out of memory")
    connection.setLimit(.programLength, to: 42)
    #expect(failure("SELECT 1", connection) == nil)
  }
}
