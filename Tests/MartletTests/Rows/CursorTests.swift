import Martlet
import Testing

@Suite struct CursorTests {
  private func numbers(_ count: Int) -> AnyCursor<Int> { AnyCursor(1...count) }

  @Test func `operators give what those of sequences give`() throws {
    #expect(try Array(numbers(4).map { $0 * 2 }) == [2, 4, 6, 8])
    #expect(try Array(numbers(4).filter { $0 > 2 }) == [3, 4])
    #expect(try Array(numbers(4).compactMap { $0 > 2 ? "\($0)" : nil }) == ["3", "4"])
    #expect(try Array(numbers(4).dropFirst()) == [2, 3, 4])
    #expect(try Array(numbers(2).dropFirst(5)).isEmpty)
    #expect(try Array(numbers(4).drop { $0 < 3 }) == [3, 4])
    #expect(try numbers(4).dropLast(2) == [1, 2])
    #expect(try Array(numbers(4).prefix(2)) == [1, 2])
    #expect(try Array(numbers(4).prefix { $0 < 3 }) == [1, 2])
    #expect(try numbers(4).suffix(2) == [3, 4])
    #expect(try Array(numbers(2).enumerated()).map { $0.0 } == [0, 1])
    #expect(try Array(numbers(3).flatMap { Array(repeating: $0, count: $0) }) == [1, 2, 2, 3, 3, 3])
    #expect(try Array(numbers(2).flatMap { self.numbers($0) }) == [1, 1, 2])
    #expect(try Array([1, 2].flatMap { self.numbers($0) }) == [1, 1, 2])
    #expect(try numbers(3).map { "\($0)" }.joined(separator: ",") == "1,2,3")
    #expect(try numbers(4).reduce(0, +) == 10)
    #expect(try numbers(4).reduce(into: 0) { $0 += $1 } == 10)
    #expect(try numbers(4).max() == 4 && numbers(4).min() == 1)
    #expect(try numbers(4).contains(3) && !numbers(4).contains(5))
    #expect(try numbers(4).first { $0 > 2 } == 3)
    #expect(try numbers(1).isEmpty == false)
    #expect(try AnyCursor<Int>([]).isEmpty)
  }

  @Test func `collections are made of cursors`() throws {
    #expect(try Set(numbers(3)) == [1, 2, 3])
    #expect(try Dictionary(grouping: numbers(4)) { $0 % 2 } == [0: [2, 4], 1: [1, 3]])
    #expect(try Dictionary(uniqueKeysWithValues: numbers(2).map { ($0, "\($0)") }) == [1: "1", 2: "2"])
    #expect(try Set([1]).union(numbers(2)) == [1, 2])
    #expect(try Set([1, 9]).intersection(numbers(2)) == [1])
    var list = [0]
    try list.append(contentsOf: numbers(2))
    #expect(list == [0, 1, 2])
  }

  @Test func `a cursor stays at its end`() throws {
    try inEmptyDatabase { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
      #expect(try cursor.next() == 1)
      #expect(try cursor.next() == 2)
      #expect(try cursor.next() == nil)
      #expect(try cursor.next() == nil)
      #expect(cursor.columnCount == 1 && cursor.sql == "SELECT 1 UNION ALL SELECT 2")
    }
  }

  @Test func `errors of statements come out of the cursor each time`() throws {
    try inEmptyDatabase { db throws in
      let cursor = try Int.fetchCursor(db, sql: "SELECT abs(-9223372036854775808)")
      #expect(databaseError { try cursor.next() }?.message == "integer overflow")
      #expect(databaseError { try cursor.next() }?.message == "integer overflow")
    }
  }

  @Test func `a statement can be fetched from inside its own cursor`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
      let request = SQLRequest<Int>(sql: "SELECT a FROM t ORDER BY a", cached: true)
      let outer = try request.fetchCursor(db)
      var sums: [Int] = []
      while let value = try outer.next() { sums.append(value + (try request.fetchAll(db).count)) }
      #expect(sums == [4, 5, 6])
    }
  }

  @Test func `elements that are all wanted are gone through by the base`() throws {
    /// Gives nothing one by one.
    final class Whole: Cursor {
      func next() -> Int? { nil }
      func forEach(_ body: (Int) throws -> Void) throws { for n in 5...7 { try body(n) } }
    }
    var pairs: [String] = []
    try Whole().enumerated().forEach { pairs.append("\($0.0):\($0.1)") }
    #expect(pairs == ["0:5", "1:6", "2:7"])
    #expect(try Array(Whole().filter { $0 != 6 }) == [5, 7])
    #expect(try Array(Whole().map { $0 * 2 }) == [10, 12, 14])
  }
}
