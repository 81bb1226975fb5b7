extension Aggregates {
  /// Integers from here on are summed in two parts, as they may not be exact as reals.
  private static let largeInteger: Int64 = 4_503_599_627_370_496

  /// sum, total and avg take a value in; texts that are numbers count as such.
  static func sumStep(_ call: FunctionContext) {
    let state = call.accumulator
    if sumFast(state, call.arguments) { return }
    let (tag, number) = call.numeric(0)
    if tag == .null { return }
    if state.pointee.isNull {
      state.pointee.setInteger(0)
      state[1].setReal(0)
      state[2].setInteger(0)
    }
    state[2].bits &+= 1
    if state.pointee.tag == .integer {
      if tag == .integer {
        let (sum, overflow) = state.pointee.integer.addingReportingOverflow(number.integer)
        if !overflow { return state.pointee.integer = sum }
        state[2].subtype = 1
        becomeReal(state)
        return add(integer: number.integer, state)
      }
      becomeReal(state)
    }
    if tag == .integer { return add(integer: number.integer, state) }
    // With a real among the values, an overflow of the integers is no error.
    state[2].subtype = 0
    add(number.real, state)
  }

  /// Goes from the exact integer sum to a real one with its error.
  private static func becomeReal(_ state: Cell) {
    let sum = state.pointee.integer
    if sum > -largeInteger && sum < largeInteger {
      state.pointee.setReal(Double(sum))
      state[1].setReal(0)
    } else {
      let small = sum % 16384
      state.pointee.setReal(Double(sum - small))
      state[1].setReal(Double(small))
    }
  }

  private static func add(integer value: Int64, _ state: Cell) {
    if value > -largeInteger && value < largeInteger { return add(Double(value), state) }
    let small = value % 16384
    add(Double(value - small), state)
    add(Double(small), state)
  }

  /// Takes a value out again (window frames).
  static func sumInverse(_ call: FunctionContext) {
    let state = call.accumulator
    let (tag, number) = call.numeric(0)
    if tag == .null { return }
    state[2].bits &-= 1
    if state.pointee.tag == .integer {
      let (sum, overflow) = state.pointee.integer.subtractingReportingOverflow(number.integer)
      if !overflow { return state.pointee.integer = sum }
      state[2].subtype = 1
      becomeReal(state)
    }
    if tag != .integer { return add(-number.real, state) }
    if number.integer == .min {
      add(integer: .max, state)
      add(integer: 1, state)
    } else {
      add(integer: -number.integer, state)
    }
  }

  /// The sum as a real. An error term that overflowed tells nothing.
  static func realSum(_ state: Cell) -> Double {
    if state.pointee.tag == .integer { return Double(state.pointee.integer) }
    return state[1].real.isFinite ? state.pointee.real + state[1].real : state.pointee.real
  }

  static func valueCount(_ state: Cell) -> Int64 {
    state.pointee.tag == .null ? 0 : state[2].integer
  }
}

extension BuiltInFunctions {
  static let summing: [AggregateFunction] = [
    AggregateFunction(
      "sum", .exactly(1), kind: .sum, width: 3, step: Aggregates.sumStep,
      inverse: Aggregates.sumInverse, value: sumValue),
    AggregateFunction(
      "total", .exactly(1), kind: .total, width: 3, step: Aggregates.sumStep,
      inverse: Aggregates.sumInverse,
      value: {
        let state = $0.accumulator
        $0.setReal(state.pointee.tag == .null ? 0 : Aggregates.realSum(state))
      }),
    AggregateFunction(
      "avg", .exactly(1), kind: .average, width: 3, step: Aggregates.sumStep,
      inverse: Aggregates.sumInverse,
      value: {
        let count = Aggregates.valueCount($0.accumulator)
        if count == 0 { return $0.setNull() }
        $0.setReal(Aggregates.realSum($0.accumulator) / Double(count))
      }),
  ]

  @Sendable private static func sumValue(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator
    if Aggregates.valueCount(state) == 0 { return call.setNull() }
    if state.pointee.tag == .integer { return call.setInteger(state.pointee.integer) }
    if state[2].subtype != 0 { throw .sql("integer overflow") }
    call.setReal(Aggregates.realSum(state))
  }
}
