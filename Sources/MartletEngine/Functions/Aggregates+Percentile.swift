extension BuiltInFunctions {
  static let percentiles: [AggregateFunction] = [
    Percentile(name: "median", maximum: 1).function,
    Percentile(name: "percentile", maximum: 100).function,
    Percentile(name: "percentile_cont", maximum: 1).function,
    Percentile(name: "percentile_disc", maximum: 1, isDiscrete: true).function,
  ]
}

/// median, percentile, percentile_cont and percentile_disc (percentile).
///
/// State: register 0 the values as 64-bit reals, in any order; register 1 the fraction that is
/// asked for, 0 to 1. The one or two values that matter are selected, which needs no sorting.
private struct Percentile {
  let name: String
  /// What the fraction counts to: a whole is 1, or 100.
  let maximum: Double
  /// The result is one of the values, never between two.
  var isDiscrete = false

  var function: AggregateFunction {
    AggregateFunction(
      name, .exactly(name == "median" ? 1 : 2), [], width: 2,
      step: { call throws(SQLError) in try step(call) },
      inverse: { call throws(SQLError) in remove(call) },
      value: { call throws(SQLError) in value(call) })
  }

  private func step(_ call: FunctionContext) throws(SQLError) {
    let state = call.accumulator, fraction = try fraction(call)
    if state[1].isNull {
      state[1].setReal(fraction)
    } else if (state[1].real - fraction).magnitude > 0.001 {
      throw .sql("the fraction argument to \(name)() is not the same for all input rows")
    }
    if call.isNull(0) { return }
    guard call.tag(0) == .integer || call.tag(0) == .real else {
      throw .sql("input to \(name)() is not numeric")
    }
    var number = call.real(0)
    if number.isInfinite { throw .sql("Inf input to \(name)()") }
    if state.pointee.isNull { state.pointee.setBorrowed(.blob, Register.emptyBytes, 0) }
    try withUnsafeBytes(of: &number) { (raw) throws(SQLError) in
      try state.pointee.append(raw.bindMemory(to: UInt8.self), limit: Int(Int32.max) - 64)
    }
  }

  private func fraction(_ call: FunctionContext) throws(SQLError) -> Double {
    if call.count == 1 { return 0.5 }
    let (tag, number) = call.numeric(1)
    if tag == .integer || tag == .real {
      let fraction = number.real / maximum
      if fraction >= 0 && fraction <= 1 { return fraction }
    }
    throw .sql(
      "the fraction argument to \(name)() is not between 0.0 and \(maximum == 1 ? "1.0" : "100.0")")
  }

  private func values(_ call: FunctionContext) -> UnsafeMutableBufferPointer<Double> {
    let state = call.accumulator
    guard state.pointee.tag == .blob, let buffer = state.pointee.buffer else {
      return UnsafeMutableBufferPointer(start: nil, count: 0)
    }
    let count = Int(state.pointee.byteCount) / 8
    return UnsafeMutableBufferPointer(
      start: UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: Double.self), count: count)
  }

  private func remove(_ call: FunctionContext) {
    guard call.tag(0) == .integer || call.tag(0) == .real else { return }
    let values = values(call), number = call.real(0)
    guard let position = values.firstIndex(of: number) else { return }
    values[position] = values[values.count - 1]
    call.accumulator.pointee.byteCount -= 8
  }

  private func value(_ call: FunctionContext) {
    let values = values(call)
    guard !values.isEmpty else { return call.setNull() }
    let place = call.accumulator[1].real * Double(values.count - 1)
    let rank = min(values.count - 1, Int(place))
    let lower = Percentile.select(rank, values)
    guard !isDiscrete, place != Double(rank), rank + 1 < values.count else {
      return call.setReal(lower)
    }
    var upper = values[rank + 1]
    for index in (rank + 1)..<values.count where values[index] < upper { upper = values[index] }
    call.setReal(lower + (upper - lower) * (place - Double(rank)))
  }

  /// Puts the value of that rank to its place, the smaller ones before it and the larger behind.
  private static func select(
    _ rank: Int, _ values: UnsafeMutableBufferPointer<Double>
  ) -> Double {
    var low = 0, high = values.count - 1
    var random = SplitMix(UInt64(values.count))
    while low < high {
      let pivot = values[low + Int(random.next() % UInt64(high - low + 1))]
      var left = low, right = high
      while left <= right {
        while values[left] < pivot { left += 1 }
        while values[right] > pivot { right -= 1 }
        if left <= right {
          values.swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if rank <= right {
        high = right
      } else if rank >= left {
        low = left
      } else {
        break
      }
    }
    return values[rank]
  }
}
