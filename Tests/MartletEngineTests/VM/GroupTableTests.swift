import Testing

@testable import MartletEngine

struct GroupTableTests {
  /// The test's own: the next one runs on another thread.
  private let host: FunctionHost

  init() throws { host = try FunctionHost() }

  private static func function(_ name: String, _ argumentCount: Int) throws -> AggregateFunction {
    guard
      case .aggregate(let function) = FunctionRegistry.builtIn.find(
        name, argumentCount: argumentCount)
    else { throw SQLError.sql("no aggregate \(name)") }
    return function
  }

  /// Input rows are: keys, value, filter, bare column. Groups are: keys, bare column, count of all,
  /// sum where filtered, max, count of distinct values.
  private static func plan(_ keyInfo: KeyInfo) throws -> GroupPlan {
    let width = keyInfo.columns.count
    let value = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    func aggregate(
      _ name: String, _ count: Int, filter: Int = -1, distinct: KeyInfo? = nil
    ) throws -> GroupPlan.Aggregate {
      GroupPlan.Aggregate(
        function: try function(name, count), collation: .binary, argumentOffset: width,
        argumentCount: count, filterOffset: filter, distinct: distinct)
    }
    return GroupPlan(
      keyInfo: keyInfo,
      aggregates: [
        try aggregate("count", 0), try aggregate("total", 1, filter: width + 1),
        try aggregate("max", 1), try aggregate("count", 1, distinct: value),
      ],
      bareColumnOffset: width + 2, bareColumnCount: 1, bareAggregate: 2)
  }

  private static func expected(
    _ rows: [[TestValue]], _ keyInfo: KeyInfo
  ) throws -> [[TestValue]] {
    let width = keyInfo.columns.count
    let value = KeyInfo(columns: [TestRows.column()], encoding: .utf8)
    var groups: [[[TestValue]]] = []
    for row in try TestRows.sorted(rows, by: keyInfo) {
      if let last = groups.last, try TestRows.compare(last[0], row, keyInfo) == 0 {
        groups[groups.count - 1].append(row)
      } else {
        groups.append([row])
      }
    }
    return try groups.map { group in
      var total = 0.0, best: [TestValue]? = nil, bare = group[0], distinct: [[TestValue]] = []
      for row in group {
        if row[width + 1] == .integer(1) {
          if case .integer(let number) = row[width] { total += Double(number) }
        }
        let argument = [row[width]]
        if argument == [.null] {
          if best == nil { bare = row }
          continue
        }
        if try best.map({ try TestRows.compare(argument, $0, value) > 0 }) ?? true {
          best = argument
          bare = row
        }
        if try !distinct.contains(where: { try TestRows.compare($0, argument, value) == 0 }) {
          distinct.append(argument)
        }
      }
      return Array(group[0][..<width]) + [
        bare[width + 2], .integer(Int64(group.count)), .real(total), best?[0] ?? .null,
        .integer(Int64(distinct.count)),
      ]
    }
  }

  @Test(arguments: SorterTests.orders.indices, [WorkMemory.defaultLimit, 30_000, 3_000])
  func `groups are what a sorted list gives, also when they outgrow their memory`(
    order: Int, limit: Int
  ) throws {
    let keyInfo = KeyInfo(columns: SorterTests.orders[order], encoding: .utf8)
    let width = keyInfo.columns.count
    var generator = SeededGenerator(seed: UInt64(order))
    let rows = TestRows.rows(900, width: width, seed: UInt64(order)).enumerated().map { row in
      row.element + [
        Bool.random(using: &generator)
          ? .null : .integer(Int64.random(in: 0...9, using: &generator)),
        .integer(Int64.random(in: 0...1, using: &generator)), .integer(Int64(row.offset)),
      ]
    }
    let frame = CallFrame(host: host, encoding: .utf8)
    let memory = TestRows.memory(limit: limit)
    let table = try GroupTable(plan: Self.plan(keyInfo), frame: frame, budget: memory)
    for row in rows { try TestRows.with(row) { try table.insert($0) } }
    var groups: [[TestValue]] = []
    try TestRows.with(Array(repeating: .null, count: width + 5)) { output in
      var hasGroup = try table.first(into: output)
      while hasGroup {
        groups.append((0..<(width + 5)).map { TestValue(output[$0]) })
        hasGroup = try table.next(into: output)
      }
    }
    #expect(try groups == Self.expected(rows, keyInfo))
  }

  @Test(arguments: [WorkMemory.defaultLimit, 60_000, 8_000])
  func `texts of groups that outgrow their memory go on in the order of their rows`(
    limit: Int
  ) throws {
    let memory = TestRows.memory(limit: limit)
    let plan = GroupPlan(
      keyInfo: KeyInfo(columns: [TestRows.column()], encoding: .utf8),
      aggregates: [
        GroupPlan.Aggregate(
          function: try Self.function("group_concat", 1), collation: .binary, argumentOffset: 1,
          argumentCount: 1, filterOffset: -1, distinct: nil)
      ],
      bareColumnOffset: 1, bareColumnCount: 1, bareAggregate: -1)
    var expected: [Int64: [String]] = [:], groups: [[TestValue]] = []
    do {
      let frame = CallFrame(host: host, encoding: .utf8)
      let table = try GroupTable(plan: plan, frame: frame, budget: memory)
      for number in 0..<6_000 {
        // Some groups come late.
        let group = Int64(number * 7 % (20 + number / 100)), text = "value \(number)"
        expected[group, default: []].append(text)
        try TestRows.with([.integer(group), .text(text)]) { try table.insert($0) }
      }
      try TestRows.with([.null, .null, .null]) { output in
        var hasGroup = try table.first(into: output)
        while hasGroup {
          groups.append((0..<3).map { TestValue(output[$0]) })
          hasGroup = try table.next(into: output)
        }
      }
    }
    #expect(
      groups
        == expected.sorted { $0.key < $1.key }.map {
          [.integer($0.key), .text($0.value[0]), .text($0.value.joined(separator: ","))]
        })
    #expect(memory.used == 0)
  }
}
