import Testing

@testable import MartletEngine

struct RowStoreTests {
  @Test(arguments: [WorkMemory.defaultLimit, 4_000])
  func `rows come back in the order in which they were added, as often as wanted`(
    limit: Int
  ) throws {
    let memory = TestRows.memory(limit: limit)
    let rows = TestRows.rows(3_000, width: 3, seed: 1)
    let store = RowStore(columnCount: 3, budget: memory)
    for row in rows { try TestRows.with(row) { try store.append($0) } }
    let second = RowStore(sharing: store)
    for reader in [store, second, store] {
      var read: [[TestValue]] = []
      var next = try reader.first()
      while let row = next {
        read.append(TestRows.values(row, 3))
        next = try reader.next()
      }
      #expect(read == rows)
    }
  }

  @Test(arguments: [WorkMemory.defaultLimit, 4_000])
  func `a queue gives the oldest row while rows are added`(limit: Int) throws {
    let store = RowStore(columnCount: 2, budget: TestRows.memory(limit: limit))
    let rows = TestRows.rows(6_000, width: 2, seed: 2)
    var added = 0, taken: [[TestValue]] = []
    while taken.count < rows.count {
      for _ in 0..<3 where added < rows.count {
        try TestRows.with(rows[added]) { try store.append($0) }
        added += 1
      }
      if let row = try store.take() { taken.append(TestRows.values(row, 2)) }
    }
    #expect(taken == rows)
    #expect(try store.take() == nil)
  }

  @Test func `a blob's trailing zeros are stored as bytes`() throws {
    let store = RowStore(columnCount: 1, budget: TestRows.memory())
    try TestRows.with([.blob([1, 2])]) {
      $0.pointee.zeroCount = 3
      try store.append($0)
    }
    let row = try #require(try store.first())
    #expect(TestRows.values(row, 1) == [.blob([1, 2, 0, 0, 0])])
  }
}
