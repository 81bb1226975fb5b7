/// Where a hash aggregation finds arguments in its input rows and accumulators in its groups: a
/// group plan as plain data.
struct GroupLayout {
  struct Aggregate {
    let argumentOffset: Int
    /// Offset of the register of FILTER, or -1.
    let filterOffset: Int
    /// Offset of the accumulator in a group's registers.
    let accumulatorOffset: Int
    /// Which distinct set belongs to the aggregate, or -1.
    let distinctIndex: Int
    /// A min() or max(), which bare columns follow.
    let isExtreme: Bool
  }

  let keyCount: Int
  let aggregateCount: Int
  let aggregates: UnsafePointer<Aggregate>
  /// What is called for each aggregate. The plan keeps alive what is in them.
  let calls: UnsafePointer<AggregateCall>
  /// Registers of all accumulators of a group.
  let accumulatorCount: Int
  /// Registers of an input row.
  let rowWidth: Int
  /// Some accumulators have more than a number: their memory is counted.
  let keepsBytes: Bool
  /// Every row counts in every aggregate, and nothing else of a row is kept.
  let isPlain: Bool

  init(_ plan: GroupPlan, _ encoding: TextEncoding) {
    keyCount = plan.keyCount
    aggregateCount = plan.aggregates.count
    let aggregates = UnsafeMutablePointer<Aggregate>.allocate(capacity: max(1, aggregateCount))
    let calls = UnsafeMutablePointer<AggregateCall>.allocate(capacity: max(1, aggregateCount))
    var accumulatorCount = 0, distinctCount = 0, keepsBytes = false
    var rowWidth = max(plan.keyCount, plan.bareColumnOffset + plan.bareColumnCount)
    for (index, aggregate) in plan.aggregates.enumerated() {
      let call = AggregateCall(
        aggregate.function, aggregate.collation, aggregate.argumentCount, encoding)
      (calls + index).initialize(to: call)
      (aggregates + index).initialize(
        to: Aggregate(
          argumentOffset: aggregate.argumentOffset, filterOffset: aggregate.filterOffset,
          accumulatorOffset: accumulatorCount,
          distinctIndex: aggregate.distinct == nil ? -1 : distinctCount,
          isExtreme: call.kind == .minimum || call.kind == .maximum))
      distinctCount += aggregate.distinct == nil ? 0 : 1
      accumulatorCount += call.width
      switch call.kind {
      case .count, .sum, .total, .average: break
      default: keepsBytes = true
      }
      rowWidth = max(
        rowWidth, aggregate.argumentOffset + aggregate.argumentCount, aggregate.filterOffset + 1)
    }
    self.aggregates = UnsafePointer(aggregates)
    self.calls = UnsafePointer(calls)
    self.accumulatorCount = accumulatorCount
    self.rowWidth = rowWidth
    self.keepsBytes = keepsBytes
    isPlain =
      !keepsBytes && plan.bareColumnCount == 0
      && plan.aggregates.allSatisfy { $0.filterOffset < 0 && $0.distinct == nil }
  }

  func deallocate() {
    aggregates.deallocate()
    calls.deallocate()
  }
}
