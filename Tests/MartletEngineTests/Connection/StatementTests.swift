import Testing

@testable import MartletEngine

@Suite struct StatementTests {
  private func connection() throws -> Connection { try Connection(path: ":memory:") }

  @Test func `a statement steps through its rows and runs again after its end`() throws {
    let statement = try connection().prepare("VALUES (1), (2)")
    for _ in 0..<2 {
      #expect(try statement.step())
      #expect(statement.columnInt64(0) == 1)
      #expect(try statement.step())
      #expect(statement.columnInt64(0) == 2)
      #expect(try !statement.step())
    }
  }

  @Test func `bound values keep their storage class`() throws {
    let statement = try connection().prepare(
      "SELECT typeof(?1), typeof(?2), typeof(?3), typeof(?4), typeof(?5), ?3 || ?6")
    try statement.bind(Int64(7), at: 1)
    try statement.bind(1.5, at: 2)
    try statement.bind(text: "é", at: 3)
    try [UInt8]([0, 255]).withUnsafeBytes { try statement.bind(blob: $0, at: 4) }
    try statement.bindNull(at: 5)
    try statement.bind(text: "", at: 6)
    #expect(try statement.step())
    #expect((0..<5).map(statement.columnText) == ["integer", "real", "text", "blob", "null"])
    #expect(statement.columnText(5) == "é")
  }

  @Test func `bindings outlive a reset until they are cleared`() throws {
    let statement = try connection().prepare("SELECT :a")
    try statement.bind(text: "kept", at: try #require(statement.parameterIndex(named: ":a")))
    _ = try statement.step()
    try statement.reset()
    #expect(try statement.step())
    #expect(statement.columnText(0) == "kept")
    try statement.reset()
    statement.clearBindings()
    #expect(try statement.step())
    #expect(statement.columnType(0) == .null)
  }

  @Test func `binding is refused out of range and while the statement runs`() throws {
    let statement = try connection().prepare("SELECT ?1")
    #expect(throws: SQLError(.range)) { try statement.bindNull(at: 2) }
    #expect(throws: SQLError(.range)) { try statement.bindNull(at: 0) }
    _ = try statement.step()
    #expect { try statement.bindNull(at: 1) } throws: { ($0 as? SQLError)?.code == .misuse }
  }

  @Test func `a column that is not there is NULL`() throws {
    let statement = try connection().prepare("SELECT 1")
    #expect(statement.columnType(0) == .null)
    _ = try statement.step()
    #expect(statement.columnType(1) == .null && statement.columnType(-1) == .null)
    #expect(statement.columnText(1) == "")
  }

  @Test(arguments: [
    ("SELECT 12", "12"), ("SELECT 1.0", "1.0"), ("SELECT 1e300*1e10", "Inf"),
    ("SELECT x'41'", "A"), ("SELECT NULL", ""),
  ])
  func `any value can be read as text`(sql: String, text: String) throws {
    let statement = try connection().prepare(sql)
    _ = try statement.step()
    #expect(statement.columnText(0) == text)
  }

  @Test func `statements of one text are prepared one after the other`() throws {
    let connection = try connection()
    var rest = Array("SELECT 1; -- one\n ; SELECT 2 ;".utf8)
    var values: [Int64] = []
    while !rest.isEmpty {
      let (statement, consumed) = try rest.withUnsafeBufferPointer { try connection.prepare($0) }
      rest.removeFirst(consumed)
      guard let statement else { break }
      _ = try statement.step()
      values.append(statement.columnInt64(0))
    }
    #expect(values == [1, 2])
  }

  @Test func `equal texts share a program but neither rows nor bindings`() throws {
    let connection = try connection()
    let once = try connection.prepare("SELECT ?1 + 1")
    let first = try connection.prepare("SELECT ?1 + 1")
    let second = try connection.prepare("SELECT ?1 + 1")
    #expect(once.program !== first.program && first.program === second.program)
    try first.bind(Int64(1), at: 1)
    try second.bind(Int64(10), at: 1)
    #expect(try first.step())
    #expect(try second.step())
    #expect(first.columnInt64(0) == 2 && second.columnInt64(0) == 11)
  }

  @Test func `a text that goes on behind the statement is kept with its end`() throws {
    let connection = try connection()
    let text = Array("SELECT 1; SELECT 2".utf8)
    for _ in 0..<4 {
      let (statement, consumed) = try text.withUnsafeBufferPointer { try connection.prepare($0) }
      #expect(consumed == 9)
      _ = try statement?.step()
      #expect(statement?.columnInt64(0) == 1)
    }
  }
}
