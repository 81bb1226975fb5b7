extension BuiltInFunctions {
  /// The functions that are nothing without a window (windowfunctions §3).
  ///
  /// The windows of first_value(), nth_value(), lead() and lag() find the row themselves, unless
  /// EXCLUDE makes them step over all rows of the frame: the bodies here are for that.
  static let windowing: [AggregateFunction] = [
    windowFunction("row_number", 0, .rowNumber, step: count, value: total),
    windowFunction("rank", 0, .rank, width: 2, step: Ranking.step, value: Ranking.rank),
    windowFunction("dense_rank", 0, .rank, width: 2, step: Ranking.step, value: Ranking.dense),
    windowFunction(
      "percent_rank", 0, .percentRank, width: 2, step: count, inverse: leave,
      value: Distribution.percentRank),
    windowFunction(
      "cume_dist", 0, .cumulativeDistribution, width: 2, step: count, inverse: leave,
      value: Distribution.cumulative),
    windowFunction(
      "ntile", 1, .ntile, width: 3, step: Tiles.step, inverse: leave, value: Tiles.value),
    windowFunction("first_value", 1, .firstValue, width: 2, step: firstStep, value: kept),
    windowFunction("nth_value", 2, .nthValue, width: 2, step: nthStep, value: kept),
    windowFunction(
      "last_value", 1, .other, width: 2, step: lastStep, inverse: lastInverse, value: kept),
    windowFunction("lead", 1, .lead, width: 1), windowFunction("lead", 2, .lead, width: 1),
    windowFunction("lead", 3, .lead, width: 1), windowFunction("lag", 1, .lag, width: 1),
    windowFunction("lag", 2, .lag, width: 1), windowFunction("lag", 3, .lag, width: 1),
  ]

  private static func windowFunction(
    _ name: String, _ argumentCount: Int, _ kind: AggregateFunction.Kind, width: Int = 1,
    step: @escaping AggregateFunction.Body = { _ in },
    inverse: @escaping AggregateFunction.Body = { _ in },
    value: @escaping AggregateFunction.Body = { $0.setNull() }
  ) -> AggregateFunction {
    // All but ntile() give back what they get.
    let flags: FunctionFlags = kind == .ntile ? [] : .anyEncoding
    return AggregateFunction(
      name, .exactly(argumentCount), [.innocuous, .windowOnly, flags], kind: kind, width: width,
      step: step, inverse: inverse, value: value)
  }

  /// A row more, in register 0.
  @Sendable private static func count(_ call: FunctionContext) {
    Aggregates.count(call.accumulator)
  }

  @Sendable private static func total(_ call: FunctionContext) {
    call.setInteger(number(call.accumulator))
  }

  /// A row that has left the frame, in register 1.
  @Sendable private static func leave(_ call: FunctionContext) {
    Aggregates.count(call.accumulator + 1)
  }

  fileprivate static func number(_ register: UnsafeMutablePointer<Register>) -> Int64 {
    register.pointee.tag == .integer ? register.pointee.integer : 0
  }

  // MARK: One value of the frame: register 0, with a count of rows in register 1

  @Sendable private static func kept(_ call: FunctionContext) throws(SQLError) {
    try call.result.pointee.assign(from: call.accumulator.pointee)
  }

  @Sendable private static func firstStep(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    if state[1].isNull { try state.pointee.assign(from: call.arguments.pointee) }
    Aggregates.count(state + 1)
  }

  @Sendable private static func nthStep(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    let place = try nthPlace(call.arguments + 1, call.encoding)
    Aggregates.count(state + 1)
    if number(state + 1) == place { try state.pointee.assign(from: call.arguments.pointee) }
  }

  /// Which row of the frame nth_value() wants: an integer above 0, or a real or a text that
  /// is one.
  static func nthPlace(
    _ argument: UnsafePointer<Register>, _ encoding: TextEncoding
  ) throws(SQLError) -> Int64 {
    var place: Int64 = 0
    switch argument.pointee.tag {
    case .integer: place = argument.pointee.integer
    case .real: place = Int64(exactly: argument.pointee.real) ?? 0
    case .text:
      let text = Cast.numericText(argument, encoding)
      guard text.isComplete else { break }
      place = text.isInteger ? text.integer : Int64(exactly: text.real) ?? 0
    default: break
    }
    guard place > 0 else {
      throw .sql("second argument to nth_value must be a positive integer")
    }
    return place
  }

  @Sendable private static func lastStep(_ call: FunctionContext) throws(SQLError) {
    try call.accumulator.pointee.assign(from: call.arguments.pointee)
    Aggregates.count(call.accumulator + 1)
  }

  /// A frame without rows has no last value.
  @Sendable private static func lastInverse(_ call: FunctionContext) {
    let state = call.accumulator
    guard !state[1].isNull else { return }
    state[1].integer &-= 1
    if state[1].integer == 0 { state.pointee.setNull() }
  }

  // MARK: Ranks

  /// State: register 0 the rank that the last row got, register 1 the rows so far; for
  /// dense_rank(), whether there were rows since.
  private enum Ranking {
    @Sendable static func step(_ call: FunctionContext) { Aggregates.count(call.accumulator + 1) }

    /// The rows of peers are stepped together: the first of them has the rank of all.
    @Sendable static func rank(_ call: FunctionContext) {
      let state = call.accumulator
      let ranked = number(state), rows = number(state + 1)
      call.setInteger(ranked + 1)
      state.pointee.setInteger(rows)
    }

    @Sendable static func dense(_ call: FunctionContext) {
      let state = call.accumulator
      if !state[1].isNull {
        state.pointee.setInteger(number(state) + 1)
        state[1].setNull()
      }
      call.setInteger(number(state))
    }
  }

  /// State: register 0 the rows of the partition, register 1 those that have left the frame.
  private enum Distribution {
    @Sendable static func percentRank(_ call: FunctionContext) {
      let rows = number(call.accumulator), before = number(call.accumulator + 1)
      call.setReal(rows > 1 ? Double(before) / Double(rows - 1) : 0)
    }

    @Sendable static func cumulative(_ call: FunctionContext) {
      let rows = number(call.accumulator), until = number(call.accumulator + 1)
      call.setReal(Double(until) / Double(rows))
    }
  }

  /// State: registers 0 and 1 as above, register 2 the number of tiles.
  private enum Tiles {
    @Sendable static func step(_ call: FunctionContext) throws(SQLError) {
      let state = call.accumulator
      if state.pointee.isNull {
        let tiles = call.integer(0)
        guard tiles > 0 else { throw .sql("argument of ntile must be a positive integer") }
        state[2].setInteger(tiles)
      }
      Aggregates.count(state)
    }

    /// The first tiles have one row more than the others, where the rows do not divide.
    @Sendable static func value(_ call: FunctionContext) {
      let rows = number(call.accumulator), row = number(call.accumulator + 1)
      let tiles = number(call.accumulator + 2)
      guard tiles > 0 else { return call.setNull() }
      let size = rows / tiles, largeCount = rows % tiles
      let largeRows = largeCount * (size + 1)
      if row < largeRows || size == 0 {
        call.setInteger(1 + row / (size + 1))
      } else {
        call.setInteger(1 + largeCount + (row - largeRows) / size)
      }
    }
  }
}
