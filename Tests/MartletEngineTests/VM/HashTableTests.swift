import Testing

@testable import MartletEngine

/// Sets and join tables against lists that compare value by value.
struct HashTableTests {
  private func keyInfo(_ order: Int) -> KeyInfo {
    KeyInfo(columns: SorterTests.orders[order], encoding: .utf8)
  }

  @Test(arguments: SorterTests.orders.indices)
  func `a set holds the first of equal keys and is walked sorted in both directions`(
    order: Int
  ) throws {
    let keyInfo = keyInfo(order), width = keyInfo.columns.count
    let set = try HashSet(keyInfo: keyInfo, keepsValues: true, budget: TestRows.memory())
    var kept: [[TestValue]] = []
    for row in TestRows.rows(400, width: width, seed: UInt64(order)) {
      let isKnown = try kept.contains { try TestRows.compare($0, row, keyInfo) == 0 }
      #expect(try TestRows.with(row) { try set.contains($0) } == isKnown)
      #expect(try TestRows.with(row) { try set.insert($0) } != isKnown)
      if !isKnown { kept.append(row) }
    }
    #expect(set.count == kept.count)
    #expect(set.hasNull == kept.contains { $0.contains(.null) })
    let sorted = try TestRows.sorted(kept, by: keyInfo)
    #expect(try walk(set, width, backward: false) == sorted)
    #expect(try walk(set, width, backward: true) == sorted.reversed())
  }

  private func walk(_ set: HashSet, _ width: Int, backward: Bool) throws -> [[TestValue]] {
    var rows: [[TestValue]] = []
    var next = try set.rewind(toLast: backward)
    while let row = next {
      rows.append(TestRows.values(row, width))
      next = set.next(backward: backward)
    }
    return rows
  }

  @Test func `removed keys are gone and can come again`() throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let set = try HashSet(keyInfo: keyInfo, keepsValues: true, budget: TestRows.memory())
    for _ in 0..<20 {
      for number in 0..<200 {
        #expect(try TestRows.with([.integer(Int64(number))]) { try set.insert($0) })
      }
      for number in 0..<200 {
        try TestRows.with([.real(Double(number))]) { try set.remove($0) }
      }
      #expect(set.count == 0)
    }
    #expect(try TestRows.with([.integer(5)]) { try set.insert($0) })
    #expect(try TestRows.with([.real(5)]) { try set.contains($0) })
    #expect(try !TestRows.with([.integer(6)]) { try set.contains($0) })
    #expect(try walk(set, 1, backward: false) == [[.integer(5)]])
  }

  @Test(arguments: SorterTests.orders.indices)
  func `matches of a join come sorted by the data columns`(order: Int) throws {
    let keyInfo = keyInfo(order), width = keyInfo.columns.count
    let join = try JoinTable(
      keyInfo: keyInfo, dataColumnCount: 2, keepsInsertionOrder: false, budget: TestRows.memory())
    let rows = TestRows.rows(300, width: width + 1, seed: UInt64(order)).enumerated().map {
      $0.element + [.integer(Int64($0.offset))]
    }
    for row in rows {
      try TestRows.with(row) {
        try join.insert(keys: $0, data: $0 + width, acceptsNull: false)
      }
    }
    let data = KeyInfo(columns: [TestRows.column(), TestRows.column()], encoding: .utf8)
    for key in TestRows.rows(60, width: width, seed: 77) {
      let matching = try rows.filter { row in
        if row[..<width].contains(.null) { return false }
        return try TestRows.compare(row, key, keyInfo) == 0
      }
      let expected = try TestRows.sorted(matching.map { Array($0[width...]) }, by: data)
      var found: [[TestValue]] = []
      var next = try TestRows.with(key) { try join.seek($0) }
      while let row = next {
        found.append(TestRows.values(row, 2))
        next = join.next()
      }
      #expect(found == expected)
    }
  }

  @Test func `a join may keep the order of insertion`() throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let join = try JoinTable(
      keyInfo: keyInfo, dataColumnCount: 1, keepsInsertionOrder: true, budget: TestRows.memory())
    for number in [3, 1, 2] as [Int64] {
      try TestRows.with([.integer(9), .integer(number)]) {
        try join.insert(keys: $0, data: $0 + 1, acceptsNull: false)
      }
    }
    let first = try #require(try TestRows.with([.real(9)]) { try join.seek($0) })
    #expect(TestRows.values(first, 1) == [.integer(3)])
    #expect(join.next().map { TestRows.values($0, 1) } == [.integer(1)])
    #expect(join.next().map { TestRows.values($0, 1) } == [.integer(2)])
    #expect(join.next() == nil)
  }
}
