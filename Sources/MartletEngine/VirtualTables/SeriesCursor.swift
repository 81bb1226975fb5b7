/// The integers of generate_series.
final class SeriesCursor: VirtualTableCursor {
  private typealias Plan = SeriesTable.Plan

  // As they are given, for the hidden columns.
  @exclusivity(unchecked) private var start: Int64 = 0
  @exclusivity(unchecked) private var stop: Int64 = 0
  @exclusivity(unchecked) private var step: Int64 = 1
  // What is left of the series.
  @exclusivity(unchecked) private var value: Int64 = 0
  @exclusivity(unchecked) private var last: Int64 = 0
  /// The step's size, and whether values go down.
  @exclusivity(unchecked) private var stride: UInt64 = 1
  @exclusivity(unchecked) private var goesDown = false

  private static let defaultStop: Int64 = 0xffff_ffff

  override func start(
    _ scan: VirtualScan, _ arguments: UnsafeMutablePointer<Register>,
    _ surroundings: ScanSurroundings
  ) throws(SQLError) -> Bool {
    let plan = Plan(rawValue: scan.number)
    for position in 0..<scan.argumentCount where arguments[position].isNull { return false }
    var next = arguments
    func integer() -> Int64 {
      defer { next += 1 }
      return Cast.integer(of: next, surroundings.encoding)
    }
    start = plan.contains(.start) ? integer() : 0
    stop = plan.contains(.stop) ? integer() : SeriesCursor.defaultStop
    step = plan.contains(.step) ? integer() : 1
    if step == 0 { step = 1 }
    // Without an end of its own, the series is as long as what is asked of `value`.
    if plan.isDisjoint(with: [.start, .step]), !plan.isDisjoint(with: [.equal, .lowerBound]) {
      start = .min
    }
    if plan.isDisjoint(with: [.stop, .step]), !plan.isDisjoint(with: [.equal, .upperBound]) {
      stop = .max
    }
    goesDown = step < 0
    stride = step.magnitude
    value = start
    last = stop
    if goesDown ? value < last : value > last { return false }
    let limit = plan.contains(.limit) ? integer() : -1
    let offset = plan.isSuperset(of: [.limit, .offset]) ? integer() : 0
    if !plan.isDisjoint(with: .onValue) {
      guard let range = bounds(plan, next, surroundings.encoding), shorten(to: range) else {
        return false
      }
    }
    if goesDown ? value < last : value > last { return false }
    let distance = stride(rest: span)
    last = goesDown ? value &- distance : value &+ distance
    let isTurned = plan.contains(goesDown ? .ascending : .descending)
    if isTurned {
      swap(&value, &last)
      goesDown.toggle()
    }
    return shorten(offset: offset, limit: plan.contains(.limit) ? limit : -1)
  }

  /// From the first to the last value.
  private var span: UInt64 {
    UInt64(bitPattern: goesDown ? value &- last : last &- value)
  }

  /// The longest way in whole steps that is no longer than `span`.
  private func stride(rest span: UInt64) -> Int64 { Int64(bitPattern: span - span % stride) }

  // MARK: What is asked of the value

  /// The values that `value` may have; nil for none.
  private func bounds(
    _ plan: Plan, _ arguments: UnsafeMutablePointer<Register>, _ encoding: TextEncoding
  ) -> ClosedRange<Int64>? {
    var next = arguments
    func number() -> Cast.Number {
      defer { next += 1 }
      return Cast.number(of: next, encoding)
    }
    if plan.contains(.equal) {
      let wanted = number()
      guard wanted.tag == .real else { return wanted.integer...wanted.integer }
      guard let exact = Int64(exactly: wanted.real) else { return nil }
      return exact...exact
    }
    var lower = Int64.min, upper = Int64.max
    if !plan.isDisjoint(with: .lowerBound) {
      guard let bound = SeriesCursor.lowest(number(), isOpen: plan.contains(.above)) else {
        return nil
      }
      lower = bound
    }
    if !plan.isDisjoint(with: .upperBound) {
      guard let bound = SeriesCursor.highest(number(), isOpen: plan.contains(.below)) else {
        return nil
      }
      upper = bound
    }
    return lower <= upper ? lower...upper : nil
  }

  private static func lowest(_ bound: Cast.Number, isOpen: Bool) -> Int64? {
    var lowest = bound.integer
    if bound.tag == .real {
      if bound.real < -0x1p63 { return .min }
      let rounded = bound.real.rounded(.up)
      guard let whole = Int64(exactly: rounded) else { return nil }
      if rounded != bound.real { return whole }
      lowest = whole
    }
    if !isOpen { return lowest }
    return lowest == .max ? nil : lowest + 1
  }

  private static func highest(_ bound: Cast.Number, isOpen: Bool) -> Int64? {
    var highest = bound.integer
    if bound.tag == .real {
      if bound.real >= 0x1p63 { return .max }
      let rounded = bound.real.rounded(.down)
      guard let whole = Int64(exactly: rounded) else { return nil }
      if rounded != bound.real { return whole }
      highest = whole
    }
    if !isOpen { return highest }
    return highest == .min ? nil : highest - 1
  }

  /// Leaves only values in `range`. False if there may be none.
  private func shorten(to range: ClosedRange<Int64>) -> Bool {
    if goesDown {
      if value > range.upperBound {
        let gap = UInt64(bitPattern: value &- range.upperBound)
        guard let first = skip(gap) else { return false }
        value = first
      }
      last = max(last, range.lowerBound)
    } else {
      if value < range.lowerBound {
        let gap = UInt64(bitPattern: range.lowerBound &- value)
        guard let first = skip(gap) else { return false }
        value = first
      }
      last = min(last, range.upperBound)
    }
    return true
  }

  /// The first value at least that far away; nil if it is behind the end.
  private func skip(_ gap: UInt64) -> Int64? {
    let rest = gap % stride
    let (distance, overflow) = gap.addingReportingOverflow(rest == 0 ? 0 : stride - rest)
    guard !overflow, distance <= span else { return nil }
    let signed = Int64(bitPattern: distance)
    return goesDown ? value &- signed : value &+ signed
  }

  // MARK: LIMIT and OFFSET

  private func shorten(offset: Int64, limit: Int64) -> Bool {
    if offset > 0 {
      let count = span / stride
      if UInt64(offset) > count { return false }
      let distance = Int64(bitPattern: UInt64(offset) * stride)
      value = goesDown ? value &- distance : value &+ distance
    }
    if limit >= 0, span / stride >= UInt64(limit) {
      // LIMIT 0 never comes here: the statement ends before.
      if limit == 0 { return false }
      let distance = Int64(bitPattern: UInt64(limit - 1) * stride)
      last = goesDown ? value &- distance : value &+ distance
    }
    return true
  }

  // MARK: Rows

  override func next() throws(SQLError) -> Bool {
    if value == last { return false }
    let distance = Int64(bitPattern: stride)
    value = goesDown ? value &- distance : value &+ distance
    return true
  }

  override func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>, _ encoding: TextEncoding,
    isUnchanged: Bool
  ) throws(SQLError) {
    switch column {
    case 1: target.pointee.setInteger(start)
    case 2: target.pointee.setInteger(stop)
    case 3: target.pointee.setInteger(step)
    default: target.pointee.setInteger(value)
    }
  }
}
