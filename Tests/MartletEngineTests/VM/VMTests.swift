import Testing

@testable import MartletEngine

struct VMTests {
  /// One row of a program that computes it into consecutive registers.
  private func row(_ build: (TestMachine) throws -> (base: Int32, count: Int32)) throws
    -> [TestValue]
  {
    let machine = try TestMachine()
    let result = try build(machine)
    machine.builder.emit(.resultRow, result.base, result.count)
    let rows = try machine.rows()
    #expect(try machine.rows() == rows, "a second execution gives the same")
    return try #require(rows.first)
  }

  @Test(arguments: [
    (Opcode.add, TestValue.integer(2), TestValue.integer(3), TestValue.integer(5)),
    (.add, .integer(.max), .integer(1), .real(9_223_372_036_854_775_808)),
    (.add, .integer(1), .real(0.5), .real(1.5)),
    (.subtract, .integer(2), .integer(3), .integer(-1)),
    (.multiply, .text("4"), .integer(3), .integer(12)),
    (.divide, .integer(7), .integer(0), .null),
    (.divide, .integer(.min), .integer(-1), .real(9_223_372_036_854_775_808)),
    (.remainder, .integer(.min), .integer(-1), .integer(0)),
    (.concat, .integer(1), .text("a"), .text("1a")),
    (.and, .null, .integer(0), .integer(0)), (.and, .null, .integer(1), .null),
    (.or, .null, .integer(1), .integer(1)), (.or, .null, .integer(0), .null),
    (.shiftLeft, .integer(1), .integer(4), .integer(16)),
  ])
  func `operators read P1 and P2 and write P3`(
    opcode: Opcode, left: TestValue, right: TestValue, result: TestValue
  ) throws {
    #expect(
      try row { machine in
        let first = try machine.constant(left), second = try machine.constant(right)
        let target = machine.register()
        machine.builder.emit(opcode, first, second, target)
        return (target, 1)
      } == [result])
  }

  /// Values, affinity, and the result of `<`: nil is NULL.
  @Test(arguments: [
    (TestValue.integer(1), TestValue.integer(2), Affinity.none, true as Bool?),
    (.integer(2), .real(1.5), .none, false),
    (.integer(10), .text("9"), .none, true), (.integer(10), .text("9"), .numeric, false),
    (.integer(10), .text("9"), .text, true), (.text("10"), .integer(9), .text, true),
    (.text("a"), .text("b"), .none, true), (.text("10"), .text("9"), .numeric, false),
    (.text("b"), .blob([0]), .none, true), (.null, .integer(1), .none, nil),
    (.integer(9_007_199_254_740_993), .real(9_007_199_254_740_992), .none, false),
  ])
  func `comparisons apply their affinity and keep their operands`(
    left: TestValue, right: TestValue, affinity: Affinity, isLess: Bool?
  ) throws {
    let flags = affinity.rawValue & ComparisonFlags.affinityMask
    let result = try row { machine in
      let builder = machine.builder
      let first = try machine.constant(left), second = try machine.constant(right)
      let base = machine.registers(5)
      builder.emit(.lessValue, first, base, second, p5: flags)
      builder.emit(.integer, 1, base + 1)
      let taken = builder.newLabel(), jumpsOnNull = ComparisonFlags.jumpIfNull.rawValue
      builder.emit(.less, first, taken.operand, second, p5: flags | jumpsOnNull)
      builder.emit(.integer, 0, base + 1)
      builder.place(taken)
      builder.emit(
        .equalValue, first, base + 2, second, p5: flags | ComparisonFlags.nullsAreEqual.rawValue)
      builder.emit(.copy, first, base + 3)
      builder.emit(.copy, second, base + 4)
      return (base, 5)
    }
    #expect(result[0] == (isLess.map { .integer($0 ? 1 : 0) } ?? .null))
    #expect(result[1] == .integer(isLess ?? true ? 1 : 0))
    #expect(result[2] == .integer(0))
    #expect(Array(result[3...]) == [left, right])
  }

  @Test func `a co-routine and its caller take turns until it ends`() throws {
    let machine = try TestMachine()
    let builder = machine.builder
    let place = machine.register(), value = machine.register()
    let entry = builder.newLabel(), main = builder.newLabel()
    builder.emit(.initCoroutine, place, main.operand, entry.operand)
    builder.place(entry)
    for number in 1...3 as ClosedRange<Int32> {
      builder.emit(.integer, number, value)
      builder.emit(.yield, place)
    }
    builder.emit(.endCoroutine, place)
    builder.place(main)
    let end = builder.newLabel()
    let again = builder.placeNewLabel()
    builder.emit(.yield, place, end.operand)
    builder.emit(.resultRow, value, 1)
    builder.emit(.goto, 0, again.operand)
    builder.place(end)
    // An ended co-routine stays ended.
    let twice = builder.newLabel()
    builder.emit(.yield, place, twice.operand)
    builder.emit(.resultRow, value, 1)
    builder.place(twice)
    #expect(try machine.rows() == [[.integer(1)], [.integer(2)], [.integer(3)]])
    #expect(try machine.rows().count == 3)
  }

  @Test func `once runs its code the first time only, in every execution`() throws {
    let machine = try TestMachine()
    let builder = machine.builder
    let count = machine.register(), rounds = machine.register(), one = machine.register()
    builder.emit(.integer, 3, rounds)
    builder.emit(.integer, 0, count)
    builder.emit(.integer, 1, one)
    let loop = builder.placeNewLabel()
    let known = builder.newLabel()
    builder.emit(.once, 0, known.operand)
    builder.emit(.add, count, one, count)
    builder.place(known)
    let end = builder.newLabel()
    builder.emit(.decrementJumpZero, rounds, end.operand)
    builder.emit(.goto, 0, loop.operand)
    builder.place(end)
    builder.emit(.resultRow, count, 1)
    #expect(try machine.rows() == [[.integer(1)]])
    #expect(try machine.rows() == [[.integer(1)]])
  }

  @Test func `move leaves NULL behind and owns what it moved`() throws {
    let result = try row { machine in
      let text = try machine.constant(.text("a text that is borrowed"))
      let base = machine.registers(2)
      machine.builder.emit(.shallowCopy, text, base)
      machine.builder.emit(.move, base, base + 1, 1)
      return (base, 2)
    }
    #expect(result == [.null, .text("a text that is borrowed")])
  }

  @Test func `a loop ends when attention is raised`() throws {
    let machine = try TestMachine()
    let loop = machine.builder.placeNewLabel()
    machine.builder.emit(.goto, 0, loop.operand)
    machine.host.attention.raise(.interrupt)
    #expect(throws: SQLError(.interrupt)) { try machine.rows() }
  }

  @Test func `a stale schema cookie and halt end with their errors`() throws {
    let stale = try TestMachine()
    stale.builder.emit(.transaction, 0, 0, 7)
    #expect(throws: SQLError(.schema)) { try stale.rows() }
    let failing = try TestMachine()
    failing.builder.emit(
      .halt, ResultCode.constraint.rawValue, p4: failing.builder.addText("no such luck"))
    #expect(throws: SQLError(.constraint, "no such luck")) { try failing.rows() }
  }

  @Test func `aggregates step inline and say which row min or max took`() throws {
    let machine = try TestMachine()
    let builder = machine.builder
    guard case .aggregate(let maximum) = FunctionRegistry.builtIn.find("max", argumentCount: 1)
    else { throw SQLError.sql("no max") }
    builder.tables.aggregateCalls.append(
      AggregateCallInfo(function: maximum, argumentCount: 1, collation: .binary))
    let state = machine.registers(maximum.accumulatorWidth), isBest = machine.register()
    builder.emit(.aggregateStart, 0, 0, state, p4: 0)
    for value in [TestValue.null, .integer(3), .integer(2), .text("x"), .text("x")] {
      let argument = try machine.constant(value)
      builder.emit(.aggregateStep, isBest, argument, state, p4: 0)
      builder.emit(.resultRow, isBest, 1)
    }
    let result = machine.register()
    builder.emit(.aggregateFinal, state, result, p4: 0)
    builder.emit(.resultRow, result, 1)
    let expected: [TestValue] = [
      .integer(1), .integer(1), .integer(0), .integer(1), .integer(0), .text("x"),
    ]
    #expect(try machine.rows() == expected.map { [$0] })
  }

  @Test func `the recursive queue gives every row that its rows add`() throws {
    // Numbers from 1 on; each below 50 adds its successor.
    let machine = try TestMachine()
    let builder = machine.builder
    let queue = builder.newCursor().rawValue, value = machine.register()
    let one = try machine.constant(.integer(1)), limit = try machine.constant(.integer(50))
    builder.emit(.rowsOpen, queue, 1)
    builder.emit(.rowsInsert, queue, one, 1)
    let end = builder.newLabel()
    let loop = builder.placeNewLabel()
    builder.emit(.rowsTake, queue, value, end.operand)
    builder.emit(.resultRow, value, 1)
    builder.emit(.greaterOrEqual, value, loop.operand, limit)
    builder.emit(.add, value, one, value)
    builder.emit(.rowsInsert, queue, value, 1)
    builder.emit(.goto, 0, loop.operand)
    builder.place(end)
    #expect(try machine.rows() == (1...50).map { [.integer($0)] })
  }

  @Test func `a sorter with a limit rejects keys that cannot be among its rows`() throws {
    let machine = try TestMachine()
    let builder = machine.builder
    let sorter = builder.newCursor().rawValue, limit = try machine.constant(.integer(2))
    let keyInfo = builder.addKeyInfo(KeyInfo(columns: [TestRows.column()], encoding: .utf8))
    builder.emit(.sorterOpen, sorter, 1, limit, p4: keyInfo)
    for number in [5, 3, 4, 9, 1] as [Int64] {
      let key = try machine.constant(.integer(number)), skip = builder.newLabel()
      builder.emit(.sorterRejects, sorter, skip.operand, key)
      builder.emit(.resultRow, key, 1)
      builder.emit(.sorterInsert, sorter, key, key)
      builder.place(skip)
    }
    let end = builder.newLabel(), value = machine.register()
    builder.emit(.sorterSort, sorter, end.operand)
    let loop = builder.placeNewLabel()
    builder.emit(.rowColumn, sorter, 0, value)
    builder.emit(.resultRow, value, 1)
    builder.emit(.sorterNext, sorter, loop.operand)
    builder.place(end)
    #expect(try machine.rows() == [5, 3, 4, 1, 1, 3].map { [.integer($0)] })
  }

  @Test func `functions see UTF-8 in a database of UTF-16 and their results are converted`() throws {
    guard case .scalar(let function) = FunctionRegistry.builtIn.find("upper", argumentCount: 1)
    else { throw SQLError.sql("no upper") }
    let host = try FunctionHost()
    let frame = CallFrame(host: host, encoding: .utf16LittleEndian)
    let info = FunctionCallInfo(function: function, argumentCount: 1, collation: .binary)
    var call = ScalarCall(info, .utf16LittleEndian)
    let result = TestRegisters(count: 2)
    try result.setBytes(0, .text, [0x61, 0, 0xe9, 0])
    try withExtendedLifetime((host, info, result)) {
      try frame.call(&call, result.pointer, into: result.pointer + 1)
      #expect(Array(result.pointer[1].byteBuffer) == [0x41, 0, 0xe9, 0])
      #expect(Array(result.pointer[0].byteBuffer) == [0x61, 0, 0xe9, 0])
    }
  }
}
