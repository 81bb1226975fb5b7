import Testing

@testable import MartletEngine

/// Sets and join tables against lists that compare value by value.
struct HashTableTests {
  private func keyInfo(_ order: Int) -> KeyInfo {
    KeyInfo(columns: SorterTests.orders[order], encoding: .utf8)
  }

  /// Bytes of memory; with the smaller ones, keys go to files after a few.
  private static let limits = [WorkMemory.defaultLimit, 60_000, 5_000]

  @Test(arguments: SorterTests.orders.indices, limits)
  func `a set holds the first of equal keys and is walked sorted in both directions`(
    order: Int, limit: Int
  ) throws {
    let keyInfo = keyInfo(order), width = keyInfo.columns.count
    let memory = TestRows.memory(limit: limit)
    let set = try HashSet(keyInfo: keyInfo, keepsValues: true, budget: memory)
    var kept: [[TestValue]] = []
    for row in TestRows.rows(600, width: width, seed: UInt64(order)) {
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

  @Test func `a set beside another one that uses up the memory does not write key by key`() throws {
    let vfs = FaultVFS(MemoryVFS()), limit = 1 << 20
    let memory = WorkMemory(limit: limit, vfs: vfs)
    memory.take(limit)
    defer { memory.giveBack(limit) }
    let set = try HashSet(keyInfo: keyInfo(0), keepsValues: false, budget: memory)
    for number in 0..<40_000 {
      #expect(try TestRows.with([.integer(Int64(number))]) { try set.insert($0) })
    }
    #expect(set.count == 40_000)
    #expect((1..<500).contains(vfs.count(of: .write)))
  }

  @Test(arguments: SorterTests.orders.indices, limits)
  func `a set that is only walked has the first of equal keys, with or without the marked ones`(
    order: Int, limit: Int
  ) throws {
    let keyInfo = keyInfo(order), width = keyInfo.columns.count
    let memory = TestRows.memory(limit: limit)
    for use in [SetUse.union, .except, .intersect] {
      let set = try HashSet(keyInfo: keyInfo, keepsValues: true, use: use, budget: memory)
      var kept: [[TestValue]] = []
      #expect(set.isEmpty)
      for row in TestRows.rows(800, width: width, seed: UInt64(order)) {
        _ = try TestRows.with(row) { try set.insert($0) }
        if try !kept.contains(where: { try TestRows.compare($0, row, keyInfo) == 0 }) {
          kept.append(row)
        }
      }
      #expect(!set.isEmpty)
      let marked = TestRows.rows(200, width: width, seed: UInt64(order) + 1)
      for row in marked { try TestRows.with(row) { try set.mark($0) } }
      let shown = try kept.filter { row in
        use.shows(
          isMarked: try marked.contains { try TestRows.compare($0, row, keyInfo) == 0 })
      }
      let sorted = try TestRows.sorted(shown, by: keyInfo)
      for _ in 0..<2 { #expect(try walk(set, width, backward: false) == sorted) }
    }
    #expect(memory.used == 0)
  }

  @Test func `a set in files that has one key has it in each walk`() throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let set = try WalkedSet(keyInfo: keyInfo, .union, budget: TestRows.memory(limit: 5_000))
    try TestRows.with([.integer(5)]) { registers in
      let row = UnsafeMutableRawPointer.allocate(
        byteCount: try StoredRow.byteCount(of: registers, 1), alignment: 8)
      defer { row.deallocate() }
      StoredRow.write(registers, 1, to: row)
      for _ in 0..<3 { try set.add(row) }
    }
    try set.finishAdding()
    for _ in 0..<2 {
      let first = try #require(try set.rewind())
      #expect(TestRows.values(first, 1) == [.integer(5)])
      #expect(try set.next() == nil)
    }
  }

  @Test(arguments: [20_000, 200_000])
  func `a set in files has every key once, whatever came when`(limit: Int) throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let memory = TestRows.memory(limit: limit)
    let most: Int
    do {
      let set = try HashSet(keyInfo: keyInfo, keepsValues: false, budget: memory)
      var known: Set<Int64> = []
      var generator = SeededGenerator(seed: 4), highest = 0
      for _ in 0..<30_000 {
        let number = Int64.random(in: 0..<20_000, using: &generator)
        let isNew = known.insert(number).inserted
        #expect(try TestRows.with([.integer(number)]) { try set.insert($0) } == isNew)
        highest = max(highest, memory.used)
      }
      #expect(set.count == known.count)
      most = highest
    }
    // Slots double in one step, and filters take a byte or two a key.
    #expect(most < 2 * limit + 30_000)
    #expect(memory.used == 0)
  }

  private func walk(_ set: HashSet, _ width: Int, backward: Bool) throws -> [[TestValue]] {
    var rows: [[TestValue]] = []
    var next = try set.rewind(toLast: backward)
    while let row = next {
      rows.append(TestRows.values(row, width))
      next = try set.next(backward: backward)
    }
    return rows
  }

  @Test(arguments: SorterTests.orders.indices, limits)
  func `matches of a join come sorted by the data columns`(order: Int, limit: Int) throws {
    let keyInfo = keyInfo(order), width = keyInfo.columns.count
    let join = try JoinTable(
      keyInfo: keyInfo, dataColumnCount: 2, keepsInsertionOrder: false,
      budget: TestRows.memory(limit: limit))
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
        next = try join.next()
      }
      #expect(found == expected)
      // An outer join asks again after a search that has found nothing.
      #expect(try join.next() == nil)
    }
  }

  @Test(arguments: limits)
  func `a join may keep the order of insertion`(limit: Int) throws {
    let keyInfo = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    let join = try JoinTable(
      keyInfo: keyInfo, dataColumnCount: 1, keepsInsertionOrder: true,
      budget: TestRows.memory(limit: limit))
    let numbers = (0..<500).map { Int64($0 * 331 % 500) }
    for number in numbers {
      try TestRows.with([.integer(number % 3), .integer(number)]) {
        try join.insert(keys: $0, data: $0 + 1, acceptsNull: false)
      }
    }
    for key in 0..<3 {
      var found: [[TestValue]] = []
      var next = try TestRows.with([.real(Double(key))]) { try join.seek($0) }
      while let row = next {
        found.append(TestRows.values(row, 1))
        next = try join.next()
      }
      #expect(found == numbers.filter { $0 % 3 == key }.map { [.integer($0)] })
    }
    #expect(try TestRows.with([.integer(3)]) { try join.seek($0) } == nil)
  }

  @Test(arguments: SorterTests.orders.indices, [WorkMemory.defaultLimit, 3_000])
  func `a queue gives the first of its rows, of equal ones the oldest`(
    order: Int, limit: Int
  ) throws {
    let keyInfo = keyInfo(order), memory = TestRows.memory(limit: limit)
    let rows = TestRows.rows(400, width: 2, seed: UInt64(order)).enumerated().map {
      $0.element + [.integer(Int64($0.offset))]
    }
    do {
      let queue = RowQueue(keyInfo: keyInfo, columnCount: 3, budget: memory)
      var model: [[TestValue]] = []
      for (index, row) in rows.enumerated() {
        try TestRows.with(row) { try queue.insert(keys: $0, row: $0) }
        let place = try model.firstIndex { try TestRows.compare($0, row, keyInfo) > 0 }
        model.insert(row, at: place ?? model.count)
        // Every third row is taken while others come, and all at the end.
        if index % 3 != 0 { continue }
        #expect(try queue.take().map { TestRows.values($0, 3) } == model.removeFirst())
      }
      while !model.isEmpty {
        #expect(try queue.take().map { TestRows.values($0, 3) } == model.removeFirst())
      }
      #expect(try queue.take() == nil)
    }
    #expect(memory.used == 0)
  }
}
