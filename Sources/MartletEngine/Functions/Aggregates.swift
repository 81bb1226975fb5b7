/// The built-in aggregates (lang_aggfunc).
///
/// State in registers, NULL at first:
///
///     count          0: the count
///     sum, total,    0: the sum: INTEGER while it is exact, REAL from the first real on
///     avg            1: the error term of the real sum
///                    2: the count of values; subtype 1 if integers overflowed
///     min, max       0: the best value
///
/// The `…Fast` steps take care of the frequent cases where instructions are run, and say whether
/// they did; the complete steps are the functions' own.
enum Aggregates {
  typealias Cell = UnsafeMutablePointer<Register>

  /// count(*), or count(X) for a value that is not NULL.
  @inline(__always)
  static func count(_ state: Cell) {
    if state.pointee.tag == .null { state.pointee.setInteger(0) }
    state.pointee.bits &+= 1
  }

  @inline(__always)
  static func sumFast(_ state: Cell, _ value: Cell) -> Bool {
    if value.pointee.tag == .integer && state.pointee.tag == .integer {
      let (sum, overflow) = state.pointee.integer.addingReportingOverflow(value.pointee.integer)
      if overflow { return false }
      state.pointee.integer = sum
      state[2].bits &+= 1
      return true
    }
    if value.pointee.tag == .real && state.pointee.tag == .real {
      state[2].bits &+= 1
      state[2].subtype = 0
      add(value.pointee.real, state)
      return true
    }
    return value.pointee.tag == .null
  }

  /// One step of Kahan and Babuška's summation: the error term takes what rounding loses.
  @inline(__always)
  static func add(_ value: Double, _ state: Cell) {
    let sum = state.pointee.real, total = sum + value
    let lost = sum.magnitude > value.magnitude ? (sum - total) + value : (value - total) + sum
    state[1].real += lost
    state.pointee.real = total
  }

  /// Better values replace worse ones; of equal ones the first stays.
  @inline(__always)
  static func extremeFast(_ state: Cell, _ value: Cell, isMaximum: Bool) -> Bool {
    if value.pointee.tag == .null { return true }
    if value.pointee.tag == .integer && state.pointee.tag == .integer {
      let isBetter = isMaximum
        ? value.pointee.integer > state.pointee.integer
        : value.pointee.integer < state.pointee.integer
      if isBetter { state.pointee.bits = value.pointee.bits }
      return true
    }
    guard value.pointee.tag == .real && state.pointee.tag == .real else { return false }
    let isBetter = isMaximum
      ? value.pointee.real > state.pointee.real : value.pointee.real < state.pointee.real
    if isBetter { state.pointee.bits = value.pointee.bits }
    return true
  }
}

extension BuiltInFunctions {
  static let counting: [AggregateFunction] = [
    AggregateFunction(
      "count", .exactly(0), [.innocuous, .count], kind: .count, width: 1,
      step: { Aggregates.count($0.accumulator) },
      inverse: { $0.accumulator.pointee.bits &-= 1 }, value: countValue),
    AggregateFunction(
      "count", .exactly(1), kind: .count, width: 1,
      step: { if !$0.isNull(0) { Aggregates.count($0.accumulator) } },
      inverse: { if !$0.isNull(0) { $0.accumulator.pointee.bits &-= 1 } }, value: countValue),
  ]

  static let extremes: [AggregateFunction] = [
    AggregateFunction(
      "min", .exactly(1), [.innocuous, .needsCollation, .minMax, .window], kind: .minimum,
      width: 1,
      step: { call throws(SQLError) in try extremeStep(call, isMaximum: false) },
      value: extremeValue),
    AggregateFunction(
      "max", .exactly(1), [.innocuous, .needsCollation, .minMax, .window], kind: .maximum,
      width: 1,
      step: { call throws(SQLError) in try extremeStep(call, isMaximum: true) },
      value: extremeValue),
  ]

  @Sendable private static func countValue(_ call: FunctionContext) {
    call.setInteger(call.accumulator.pointee.isNull ? 0 : call.accumulator.pointee.integer)
  }

  private static func extremeStep(_ call: FunctionContext, isMaximum: Bool) throws(SQLError) {
    let best = call.accumulator, value = call.arguments
    if value.pointee.isNull { return }
    if !best.pointee.isNull {
      let order = try Comparison.compare(best, value, call.collation, call.encoding)
      if isMaximum ? order >= 0 : order <= 0 { return }
    }
    try best.pointee.assign(from: value.pointee)
  }

  @Sendable private static func extremeValue(_ call: FunctionContext) throws(SQLError) {
    try call.result.pointee.assign(from: call.accumulator.pointee)
  }
}
