import Testing

@testable import MartletEngine

struct SorterTests {
  static let orders: [[KeyInfo.Column]] = [
    [TestRows.column()],
    [TestRows.column(descending: true)],
    [TestRows.column(bigNulls: true), TestRows.column(.noCase)],
    [TestRows.column(.noCase, descending: true, bigNulls: true), TestRows.column()],
    [TestRows.column(.rightTrim), TestRows.column(descending: true)],
    [TestRows.column(TestRows.byLength), TestRows.column()],
  ]

  private func sort(
    _ rows: [[TestValue]], by keyInfo: KeyInfo, limit: Int64? = nil, memory: WorkMemory
  ) throws -> [[TestValue]] {
    let width = rows.first?.count ?? 1
    let sorter = Sorter(
      keyInfo: keyInfo, dataColumnCount: width, rowLimit: limit, budget: memory)
    for row in rows {
      try TestRows.with(row) { try sorter.insert(keys: $0, data: $0) }
    }
    var result: [[TestValue]] = []
    var next = try sorter.sort()
    while let row = next {
      result.append(TestRows.values(row, width))
      next = try sorter.next()
    }
    return result
  }

  @Test(arguments: orders.indices, [0, 1, 15, 400, 3_000])
  func `rows come in the order of their keys, equal ones as they were inserted`(
    order: Int, count: Int
  ) throws {
    let keyInfo = KeyInfo(columns: Self.orders[order], encoding: .utf8)
    // The last column tells equal rows apart.
    let rows = TestRows.rows(count, width: 2, seed: UInt64(order + count)).enumerated().map {
      $0.element + [.integer(Int64($0.offset))]
    }
    let sorted = try sort(rows, by: keyInfo, memory: TestRows.memory())
    #expect(try sorted == TestRows.sorted(rows, by: keyInfo))
  }

  @Test(arguments: orders.indices, [3_000, 40_000])
  func `rows that are spilled to files come in the same order`(order: Int, limit: Int) throws {
    let keyInfo = KeyInfo(columns: Self.orders[order], encoding: .utf8)
    let rows = TestRows.rows(3_000, width: 2, seed: UInt64(order)).enumerated().map {
      $0.element + [.integer(Int64($0.offset))]
    }
    let memory = TestRows.memory(limit: limit)
    let sorted = try sort(rows, by: keyInfo, memory: memory)
    #expect(try sorted == TestRows.sorted(rows, by: keyInfo))
    #expect(memory.used == 0)
  }

  @Test(arguments: [nil, 5] as [Int64?], [3_000, 1 << 20])
  func `a sorter that is emptied sorts the next group, and gives its memory back at the end`(
    limit: Int64?, budget: Int
  ) throws {
    let memory = TestRows.memory(limit: budget)
    do {
      let keyInfo = KeyInfo(columns: Self.orders[4], encoding: .utf8)
      let sorter = Sorter(keyInfo: keyInfo, dataColumnCount: 2, rowLimit: limit, budget: memory)
      for count in [3, 0, 400, 1, 30, 2_000, 2] {
        let rows = TestRows.rows(count, width: 2, seed: UInt64(count))
        for row in rows { try TestRows.with(row) { try sorter.insert(keys: $0, data: $0) } }
        var result: [[TestValue]] = []
        var next = try sorter.sort()
        while let row = next {
          result.append(TestRows.values(row, 2))
          next = try sorter.next()
        }
        let expected = try TestRows.sorted(rows, by: keyInfo)
        #expect(result == Array(expected.prefix(limit.map(Int.init) ?? count)))
        sorter.removeRows()
      }
    }
    #expect(memory.used == 0)
  }

  @Test(arguments: [0, 1, 7, 300, 5_000])
  func `with a limit the first rows of the whole order are kept`(limit: Int) throws {
    for (index, columns) in Self.orders.enumerated() {
      let keyInfo = KeyInfo(columns: columns, encoding: .utf8)
      let rows = TestRows.rows(600, width: 2, seed: UInt64(index)).enumerated().map {
        $0.element + [.integer(Int64($0.offset))]
      }
      let first = try sort(rows, by: keyInfo, limit: Int64(limit), memory: TestRows.memory())
      #expect(try first == Array(TestRows.sorted(rows, by: keyInfo).prefix(limit)))
    }
  }

  @Test func `keys with long common beginnings, each a little longer, are sorted`() throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let lengths = (0..<600).map { ($0 * 331) % 600 }
    let rows = lengths.map { [TestValue.text(String(repeating: "x", count: $0))] }
    let sorted = try sort(rows, by: keyInfo, memory: TestRows.memory())
    #expect(sorted == (0..<600).map { [TestValue.text(String(repeating: "x", count: $0))] })
  }
}
