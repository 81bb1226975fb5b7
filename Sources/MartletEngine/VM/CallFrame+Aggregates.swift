// Steps of aggregates without a call where the function is one of the frequent ones.

extension CallFrame {
  /// Takes a row into an accumulator. Returns whether the row is the one that the bare columns of
  /// the query follow: for min() and max(), the row with the value so far, and rows before the
  /// first that is not NULL (lang_select §2.5).
  @inline(__always)
  func stepInline(
    _ call: UnsafePointer<AggregateCall>, _ arguments: UnsafeMutablePointer<Register>,
    _ accumulator: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    switch call.pointee.kind {
    case .count:
      if call.pointee.argumentCount == 0 || arguments.pointee.tag != .null {
        Aggregates.count(accumulator)
      }
    case .sum, .total, .average:
      if !Aggregates.sumFast(accumulator, arguments) { try step(call, arguments, accumulator) }
    case .minimum: return try stepExtreme(call, arguments, accumulator, isMaximum: false)
    case .maximum: return try stepExtreme(call, arguments, accumulator, isMaximum: true)
    default: try step(call, arguments, accumulator)
    }
    return false
  }

  @inline(__always)
  private func stepExtreme(
    _ call: UnsafePointer<AggregateCall>, _ value: UnsafeMutablePointer<Register>,
    _ best: UnsafeMutablePointer<Register>, isMaximum: Bool
  ) throws(SQLError) -> Bool {
    if value.pointee.tag == .integer && best.pointee.tag == .integer {
      let number = value.pointee.integer
      guard isMaximum ? number > best.pointee.integer : number < best.pointee.integer else {
        return false
      }
      best.pointee.integer = number
      return true
    }
    return try stepExtremeSlow(call, value, best, isMaximum: isMaximum)
  }

  @inline(never)
  private func stepExtremeSlow(
    _ call: UnsafePointer<AggregateCall>, _ value: UnsafeMutablePointer<Register>,
    _ best: UnsafeMutablePointer<Register>, isMaximum: Bool
  ) throws(SQLError) -> Bool {
    if value.pointee.isNull { return best.pointee.isNull }
    if !best.pointee.isNull {
      let order = try Comparison.compare(value, best, call.pointee.collation, encoding)
      guard isMaximum ? order > 0 : order < 0 else { return false }
    }
    try best.pointee.assign(from: value.pointee)
    return true
  }
}
