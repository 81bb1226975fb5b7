// The functions of one window over the rows of one partition after the other (windowfunctions).
//
// Rows come sorted. Three places walk over them: `current`, the row whose results are put out next,
// and `start` and `end`, the first row of its frame and the one behind the last. The program says
// when which of them moves (Emit+Window); it does so in SQLite's order, on which the last digits of
// real sums depend. Places move by rows, or in RANGE and GROUPS frames by groups of peers, rows
// with equal ORDER BY terms.
//
// Functions whose frames begin at a moving place take rows out again by their inverses. min() and
// max() have none: they keep the rows that can still be the best (`WindowExtremes`). first_value(),
// nth_value(), lead() and lag() look their row up. With EXCLUDE, each row's frame is gone through
// from its beginning.

final class WindowBuffer {
  let plan: WindowPlan
  let frame: CallFrame
  let rows: RowSequence
  /// Offsets of accumulators and of what calls need, as plain data.
  let calls: UnsafeMutablePointer<Call>
  let callCount: Int
  let accumulators: RegisterBlock
  let results: RegisterBlock
  /// Arguments of the call that is being made; behind them, two values to compare.
  let scratch: RegisterBlock
  let extremes: [WindowExtremes?]
  /// One reader for each place, and one for each call that looks rows up.
  let currentReader: SequenceReader, startReader: SequenceReader, endReader: SequenceReader
  let lookUps: [SequenceReader]
  private let previousOrder: RegisterBlock
  private let newOrder: RegisterBlock
  @exclusivity(unchecked) private var newestGroup = 0
  /// The newest row is a peer of the one before it.
  @exclusivity(unchecked) private(set) var newestIsPeer = false
  @exclusivity(unchecked) var current = 0
  @exclusivity(unchecked) var start = 0
  @exclusivity(unchecked) var end = 0

  /// How a call comes to its result.
  enum Method: UInt8 { case accumulate, extreme, firstValue, nthValue, lead, lag }

  struct Call {
    let aggregate: AggregateCall
    let method: Method
    /// Columns of the arguments, then of their subtypes; owned by the buffer.
    let columns: UnsafeMutablePointer<Int>
    let subtypeCount: Int
    let filter: Int
    let accumulator: Int
  }

  init(plan: WindowPlan, frame: CallFrame, budget: WorkMemory) throws(SQLError) {
    self.plan = plan
    self.frame = frame
    let rows = RowSequence(columnCount: plan.columnCount, budget: budget)
    self.rows = rows
    currentReader = SequenceReader(rows)
    startReader = SequenceReader(rows)
    endReader = SequenceReader(rows)
    lookUps = plan.calls.map { _ in SequenceReader(rows) }
    callCount = plan.calls.count
    extremes = plan.calls.map { call in
      guard WindowBuffer.method(of: call, plan) == .extreme else { return nil }
      return WindowExtremes(
        isMaximum: call.function.kind == .maximum, column: call.arguments[0], rows)
    }
    let most = plan.calls.map { $0.arguments.count }.max() ?? 0
    let width = plan.calls.reduce(0) { $0 + $1.function.accumulatorWidth }
    let orderCount = plan.orderColumns.count
    let registers = try RegisterBlock(count: most + 2 + width + callCount + 2 * orderCount)
    let base = registers.base
    func block(_ offset: Int, _ count: Int) -> RegisterBlock {
      RegisterBlock(borrowing: base + offset, count: count)
    }
    self.registers = registers
    scratch = block(0, most + 2)
    accumulators = block(most + 2, width)
    results = block(most + 2 + width, callCount)
    previousOrder = block(most + 2 + width + callCount, orderCount)
    newOrder = block(most + 2 + width + callCount + orderCount, orderCount)
    calls = UnsafeMutablePointer<Call>.allocate(capacity: max(1, callCount))
    var accumulator = 0
    for (index, call) in plan.calls.enumerated() {
      let columns = call.arguments + call.subtypes
      let copy = UnsafeMutablePointer<Int>.allocate(capacity: max(1, columns.count))
      copy.initialize(from: columns, count: columns.count)
      let aggregate = AggregateCall(
        call.function, call.collation, call.arguments.count, frame.encoding)
      (calls + index).initialize(
        to: Call(
          aggregate: aggregate, method: WindowBuffer.method(of: call, plan), columns: copy,
          subtypeCount: call.subtypes.count, filter: call.filter, accumulator: accumulator))
      accumulator += aggregate.width
    }
  }

  /// All registers of the buffer.
  private let registers: RegisterBlock

  deinit {
    for index in 0..<callCount { calls[index].columns.deallocate() }
    calls.deallocate()
    registers.deallocate()
  }

  private static func method(of call: WindowPlan.Call, _ plan: WindowPlan) -> Method {
    guard plan.exclusion == .none else { return .accumulate }
    switch call.function.kind {
    case .minimum, .maximum: return plan.start == .unbounded ? .accumulate : .extreme
    case .firstValue: return .firstValue
    case .nthValue: return .nthValue
    case .lead: return .lead
    case .lag: return .lag
    default: return .accumulate
    }
  }

  // MARK: Rows

  var isEmpty: Bool { rows.count == 0 }

  /// Adds a row. Returns whether it is the partition's first.
  func insert(_ row: UnsafeMutablePointer<Register>) throws(SQLError) -> Bool {
    let isFirst = rows.count == 0
    newestIsPeer = !isFirst
    if plan.unit != .rows || plan.exclusion != .none {
      for (index, column) in plan.orderColumns.enumerated() {
        newOrder.base[index].borrow(from: row[column])
      }
      if !isFirst {
        newestIsPeer =
          try KeyOrder.compare(
            previousOrder.base, newOrder.base, count: plan.orderColumns.count, by: plan.order)
          == 0
      }
      if !newestIsPeer {
        newestGroup += 1
        for index in plan.orderColumns.indices {
          try previousOrder.base[index].assign(from: newOrder.base[index])
        }
      }
    }
    try rows.append(row, group: newestGroup)
    return isFirst
  }

  /// The partition ends: rows are forgotten, and functions start anew.
  func reset() throws(SQLError) {
    rows.removeAll()
    currentReader.reset()
    startReader.reset()
    endReader.reset()
    for reader in lookUps { reader.reset() }
    for extreme in extremes { extreme?.removeAll() }
    current = 0
    start = 0
    end = 0
    resetAccumulators()
  }

  /// Functions of the application hear of the end of what they have begun. What they say of it is
  /// not asked for, nor that it failed: the rows have their values.
  func resetAccumulators() {
    for index in 0..<callCount where calls[index].aggregate.isApplication {
      let accumulator = accumulators.base + calls[index].accumulator
      guard !accumulator.pointee.isNull || accumulator.pointee.flags != .none else { continue }
      do throws(SQLError) {
        try frame.value(callPointer(index), of: accumulator, into: scratch.base)
      } catch {
        scratch.base.pointee.setNull()
      }
    }
    for index in 0..<accumulators.count { accumulators.base[index].setNull() }
  }

  func callPointer(_ index: Int) -> UnsafePointer<AggregateCall> {
    UnsafeRawPointer(calls + index).assumingMemoryBound(to: AggregateCall.self)
  }

  /// Rows before this one are in no frame any more, and were put out.
  func dropRows() {
    guard !keepsRows else { return }
    var first = min(current, end)
    if plan.start != .unbounded || plan.exclusion != .none { first = min(first, start) }
    rows.drop(before: first)
  }

  /// A call may look any row up.
  private lazy var keepsRows = plan.calls.indices.contains {
    switch calls[$0].method {
    case .lead, .lag: true
    case .firstValue, .nthValue: plan.start == .unbounded
    case .accumulate, .extreme: false
    }
  }
}
