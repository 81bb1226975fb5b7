import Testing

@testable import MartletEngine

struct FunctionSetTests {
  private static let first = FunctionSet { set throws(SQLError) in
    try set.createFunction("one", argumentCount: 0) { $0.setResult(1) }
    try set.createFunction("both", argumentCount: 0) { $0.setResult(1) }
  }
  private static let second = FunctionSet { set throws(SQLError) in
    try set.createFunction("two", argumentCount: 0) { $0.setResult(2) }
    try set.createFunction("both", argumentCount: 0) { $0.setResult(2) }
    try set.overloadFunction("one", argumentCount: 0)
  }

  private func answer(_ sql: String, _ connection: Connection) throws -> Int64 {
    let statement = try connection.prepare("SELECT \(sql)")
    _ = try statement.step()
    return statement.columnInt64(0)
  }

  @Test func `connections share sets, and what one adds to them is its own`() throws {
    let plain = try Connection(path: ":memory:")
    let one = try Connection(path: ":memory:"), other = try Connection(path: ":memory:")
    for connection in [one, other] {
      try connection.createFunctions(FunctionSetTests.first)
      try connection.createFunctions(FunctionSetTests.second)
    }
    try one.createFunction("both", argumentCount: 0) { $0.setResult(3) }
    #expect(try answer("one() * 100 + two() * 10 + both()", one) == 123)
    #expect(try answer("one() * 100 + two() * 10 + both()", other) == 122)
    #expect(throws: SQLError.self) { try answer("one()", plain) }
    // The other order is another pair.
    try plain.createFunctions(FunctionSetTests.second)
    try plain.createFunctions(FunctionSetTests.first)
    #expect(try answer("one() * 100 + two() * 10 + both()", plain) == 121)
  }

  @Test func `a connection with functions of its own takes sets one by one`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.createFunction("mine", argumentCount: 0) { $0.setResult(4) }
    try connection.createFunctions(FunctionSetTests.first)
    try connection.createFunctions(FunctionSetTests.second)
    #expect(try answer("mine() * 100 + one() * 10 + both()", connection) == 412)
  }
}
