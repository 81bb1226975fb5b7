// The groups of a hash aggregation whose rows did not fit into memory.

/// Aggregates the rows of the overflow sorter, whose groups follow one another.
final class StreamedGroups {
  private let table: Unmanaged<GroupTable>
  private let sorter: Sorter
  /// The current row of the sorter, and whether there is one.
  private let row: RegisterBlock
  private var hasRow = false
  /// Keys, bare columns and accumulators of the group that is next.
  private let group: RegisterBlock
  private(set) var isValid = false

  init(table: GroupTable, sorter: Sorter, rowWidth: Int) throws(SQLError) {
    self.table = .passUnretained(table)
    self.sorter = sorter
    row = try RegisterBlock(count: rowWidth)
    do {
      group = try RegisterBlock(count: table.streamedGroupWidth)
    } catch {
      row.deallocate()
      throw error
    }
    read(try sorter.sort())
    try prepare(table)
  }

  deinit {
    row.deallocate()
    group.deallocate()
  }

  /// The keys of the group that is next.
  var keys: UnsafeMutablePointer<Register> { group.base }

  private func read(_ stored: UnsafeRawPointer?) {
    hasRow = stored != nil
    if let stored { StoredRow.read(stored, columnCount: row.count, into: row.base) }
  }

  /// Makes the current row's group the next one.
  private func prepare(_ table: GroupTable) throws(SQLError) {
    isValid = hasRow
    guard hasRow else { return }
    for index in 0..<table.plan.keyCount { try group.base[index].assign(from: row.base[index]) }
  }

  /// Visits the rows of the group, and prepares the next one.
  private func forEachRow(
    _ table: GroupTable, _ body: (UnsafeMutablePointer<Register>) throws(SQLError) -> Void
  ) throws(SQLError) {
    repeat {
      try body(row.base)
      read(try sorter.next())
    } while try isRowOfGroup(table.plan)
  }

  private func isRowOfGroup(_ plan: GroupPlan) throws(SQLError) -> Bool {
    guard hasRow else { return false }
    return try KeyOrder.compare(keys, row.base, count: plan.keyCount, by: plan.keyInfo) == 0
  }

  /// Puts the group out and goes on to the next one.
  func put(into target: UnsafeMutablePointer<Register>) throws(SQLError) {
    try table.lend { (table) throws(SQLError) in
      try table.startStreamed(group.base, row.base)
      var isFirst = true, follows = false
      try forEachRow(table) { (row) throws(SQLError) in
        try table.stepStreamed(group.base, row, isFirst: isFirst, &follows)
        isFirst = false
      }
      let shown = table.plan.keyCount + table.plan.bareColumnCount
      for index in 0..<shown { try target[index].assign(from: group.base[index]) }
      try table.putResults(of: group.base + shown, into: target + shown)
      try prepare(table)
    }
  }

  /// Takes the rows into a group of the table, which has the same keys, and goes on to the next.
  func add(to stored: UnsafeRawPointer) throws(SQLError) {
    try table.lend { (table) throws(SQLError) in
      let target = UnsafeMutableRawPointer(mutating: stored)
      try forEachRow(table) { (row) throws(SQLError) in
        try table.step(target, row, isFirst: false)
      }
      try prepare(table)
    }
  }
}

extension GroupTable {
  fileprivate var streamedGroupWidth: Int {
    layout.keyCount + plan.bareColumnCount + layout.accumulatorCount
  }

  fileprivate func startStreamed(
    _ group: UnsafeMutablePointer<Register>, _ row: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    try storeStreamedBareColumns(group, row)
    let accumulators = group + layout.keyCount + plan.bareColumnCount
    for index in 0..<layout.accumulatorCount { accumulators[index].clearAccumulator() }
    nextOrdinal += 1
  }

  fileprivate func stepStreamed(
    _ group: UnsafeMutablePointer<Register>, _ row: UnsafeMutablePointer<Register>,
    isFirst: Bool, _ follows: inout Bool
  ) throws(SQLError) {
    let accumulators = group + layout.keyCount + plan.bareColumnCount
    try step(accumulators, row, ordinal: nextOrdinal, isFirst: isFirst, &follows)
    if follows { try storeStreamedBareColumns(group, row) }
  }

  private func storeStreamedBareColumns(
    _ group: UnsafeMutablePointer<Register>, _ row: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    for index in 0..<plan.bareColumnCount {
      try group[layout.keyCount + index].assign(from: row[plan.bareColumnOffset + index])
    }
  }
}
