// Hash aggregation: GROUP BY without an index.
//
//     insert… → first → next…
//
//     payload of a group: | keys, as a row (8) | bare columns, as a row (8) | ordinal (8)
//                         | capacity of the bare row (8) | the group before (8)
//                         | whether bare columns followed the last row (8)
//                         | accumulators (registers) … |
//
// Groups come out sorted, as from SQLite's sorter. When memory runs out, rows of known groups are
// still taken in, and rows of new groups go to a sorter as they are; that sorter's rows are then
// aggregated group by group (`StreamedGroups`), and both sequences are merged. Where the
// accumulators of known groups take too much, their rows go to the sorter, too, and are taken in
// when the group is put out.

final class GroupTable {
  let plan: GroupPlan
  let layout: GroupLayout
  private let frame: CallFrame
  private let budget: WorkMemory
  private let table: KeyTable
  @exclusivity(unchecked) var nextOrdinal: Int64 = 0
  /// Groups are linked from the newest to the oldest: walking them as they lie in memory is many
  /// times faster than by their hashes.
  @exclusivity(unchecked) private var newestGroup: UnsafeMutableRawPointer?
  private let distinctSets: [HashSet]
  /// Group ordinal and value, to look up in a distinct set.
  private let distinctKey: RegisterBlock
  @exclusivity(unchecked) private var overflow: Sorter? {
    didSet { lentOverflow = overflow.map { Unmanaged.passUnretained($0) } }
  }
  /// `overflow`, for each row.
  @exclusivity(unchecked) private var lentOverflow: Unmanaged<Sorter>?
  /// All rows go to `overflow`.
  @exclusivity(unchecked) private var divertsAll = false
  /// Bytes of accumulators, where they are counted.
  @exclusivity(unchecked) private var keptByteCount = 0
  @exclusivity(unchecked) private var output: GroupOutput? {
    didSet { lentOutput = output.map { Unmanaged.passUnretained($0) } }
  }
  /// `output`, for each group.
  @exclusivity(unchecked) private var lentOutput: Unmanaged<GroupOutput>?

  private static let bareRowOffset = 8
  private static let ordinalOffset = 16
  private static let bareCapacityOffset = 24
  private static let previousGroupOffset = 32
  private static let followsOffset = 40
  private static let accumulatorsOffset = 48

  init(plan: GroupPlan, frame: CallFrame, budget: WorkMemory) throws(SQLError) {
    let distinctKey = try RegisterBlock(count: 2)
    let layout = GroupLayout(plan, frame.encoding)
    do {
      distinctSets = try GroupTable.makeDistinctSets(plan, budget)
      table = try KeyTable(
        keyInfo: plan.keyInfo,
        payloadSize: GroupTable.accumulatorsOffset
          + layout.accumulatorCount * MemoryLayout<Register>.stride,
        budget: budget)
    } catch {
      distinctKey.deallocate()
      layout.deallocate()
      throw error
    }
    self.plan = plan
    self.layout = layout
    self.frame = frame
    self.budget = budget
    self.distinctKey = distinctKey
  }

  /// For each DISTINCT aggregate, a set of pairs of a group's ordinal and a value.
  private static func makeDistinctSets(
    _ plan: GroupPlan, _ budget: WorkMemory
  ) throws(SQLError) -> [HashSet] {
    let ordinal = KeyInfo.Column(collation: .binary, isDescending: false, hasBigNulls: false)
    var sets: [HashSet] = []
    for aggregate in plan.aggregates {
      guard let keyInfo = aggregate.distinct else { continue }
      let pair = KeyInfo(columns: [ordinal, keyInfo.columns[0]], encoding: keyInfo.encoding)
      sets.append(try HashSet(keyInfo: pair, keepsValues: false, budget: budget))
    }
    return sets
  }

  deinit {
    forEachGroup { clear(accumulators(of: $0)) }
    budget.giveBack(keptByteCount)
    distinctKey.deallocate()
    layout.deallocate()
  }

  private func forEachGroup<Failure: Error>(
    _ body: (UnsafeMutableRawPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var next = newestGroup
    while let group = next {
      next = group.load(
        fromByteOffset: GroupTable.previousGroupOffset, as: UnsafeMutableRawPointer?.self)
      try body(group)
    }
  }

  private func clear(_ accumulators: UnsafeMutablePointer<Register>) {
    for index in 0..<layout.accumulatorCount { accumulators[index].deinitialize() }
  }

  @inline(__always)
  private func accumulators(
    of group: UnsafeMutableRawPointer
  ) -> UnsafeMutablePointer<Register> {
    (group + GroupTable.accumulatorsOffset).assumingMemoryBound(to: Register.self)
  }

  // MARK: Taking rows in

  func insert(_ row: UnsafeMutablePointer<Register>) throws(SQLError) {
    let key = try table.canonicalKey(row, isAdding: true)
    let hash = table.hash(of: key)
    if let group = table.find(key, hash: hash), !divertsAll {
      if layout.isPlain { return try stepPlain(accumulators(of: group), row) }
      try step(group, row, isFirst: false)
      if layout.keepsBytes && budget.shouldSpill(holding: keptByteCount) { divertsAll = true }
      return
    }
    if overflow != nil || divertsAll
      || budget.shouldSpill(holding: heldCount, neededLater: heldCount &>> 1)
    {
      return try overflowing().lend { (sorter) throws(SQLError) in
        try sorter.insert(keys: row, data: row)
      }
    }
    let group = try table.add(key, hash: hash)
    try start(group, row)
    try step(group, row, isFirst: true)
  }

  @inline(__always) private var heldCount: Int {
    table.arena.reservedCount &+ table.filledSlotByteCount
  }

  private func overflowing() -> Unmanaged<Sorter> {
    if let lentOverflow { return lentOverflow }
    let sorter = Sorter(
      keyInfo: plan.keyInfo, dataColumnCount: layout.rowWidth, rowLimit: nil, budget: budget)
    overflow = sorter
    return .passUnretained(sorter)
  }

  /// Makes a new group of its first row.
  private func start(
    _ group: UnsafeMutableRawPointer, _ row: UnsafePointer<Register>
  ) throws(SQLError) {
    accumulators(of: group).initialize(repeating: Register(), count: layout.accumulatorCount)
    group.storeBytes(of: nextOrdinal, toByteOffset: GroupTable.ordinalOffset, as: Int64.self)
    nextOrdinal += 1
    // Linked as soon as its accumulators are registers, which `deinit` looks at.
    group.storeBytes(
      of: newestGroup, toByteOffset: GroupTable.previousGroupOffset,
      as: UnsafeMutableRawPointer?.self)
    newestGroup = group
    let keyRow = try table.arena.allocate(try StoredRow.byteCount(of: row, layout.keyCount))
    StoredRow.write(row, layout.keyCount, to: keyRow)
    group.storeBytes(of: keyRow, as: UnsafeMutableRawPointer.self)
    group.storeBytes(of: 0, toByteOffset: GroupTable.bareCapacityOffset, as: Int.self)
    group.storeBytes(of: false, toByteOffset: GroupTable.followsOffset, as: Bool.self)
  }

  /// Keeps the row's bare columns as the group's.
  private func storeBareColumns(
    _ group: UnsafeMutableRawPointer, _ row: UnsafePointer<Register>
  ) throws(SQLError) {
    let values = row + plan.bareColumnOffset, count = plan.bareColumnCount
    let size = try StoredRow.byteCount(of: values, count)
    let capacity = group.load(fromByteOffset: GroupTable.bareCapacityOffset, as: Int.self)
    if size > capacity {
      // Twice the size, so that ever longer rows do not fill the arena.
      let memory = try table.arena.allocate(capacity == 0 ? size : size * 2)
      group.storeBytes(
        of: memory, toByteOffset: GroupTable.bareRowOffset, as: UnsafeMutableRawPointer.self)
      group.storeBytes(
        of: capacity == 0 ? size : size * 2, toByteOffset: GroupTable.bareCapacityOffset,
        as: Int.self)
    }
    let place = group.load(
      fromByteOffset: GroupTable.bareRowOffset, as: UnsafeMutableRawPointer.self)
    StoredRow.write(values, count, to: place)
  }

  @inline(__always)
  func step(
    _ group: UnsafeMutableRawPointer, _ row: UnsafeMutablePointer<Register>, isFirst: Bool
  ) throws(SQLError) {
    let ordinal = group.load(fromByteOffset: GroupTable.ordinalOffset, as: Int64.self)
    var follows = group.load(fromByteOffset: GroupTable.followsOffset, as: Bool.self)
    let keptBefore = layout.keepsBytes ? byteCount(of: accumulators(of: group)) : 0
    try step(accumulators(of: group), row, ordinal: ordinal, isFirst: isFirst, &follows)
    if layout.keepsBytes { count(byteCount(of: accumulators(of: group)) &- keptBefore) }
    guard plan.bareColumnCount > 0 else { return }
    group.storeBytes(of: follows, toByteOffset: GroupTable.followsOffset, as: Bool.self)
    if isFirst || follows { try storeBareColumns(group, row) }
  }

  /// Takes a row into the accumulators of a known group, where nothing decides about it.
  @inline(__always)
  private func stepPlain(
    _ accumulators: UnsafeMutablePointer<Register>, _ row: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    var aggregate = layout.aggregates, call = layout.calls
    let end = aggregate + layout.aggregateCount
    while aggregate < end {
      let accumulator = accumulators + aggregate.pointee.accumulatorOffset
      let arguments = row + aggregate.pointee.argumentOffset
      _ = try frame.stepInline(call, arguments, accumulator)
      aggregate += 1
      call += 1
    }
  }

  private func byteCount(of accumulators: UnsafeMutablePointer<Register>) -> Int {
    var total = 0
    for index in 0..<layout.accumulatorCount { total &+= Int(accumulators[index].capacity) }
    return total
  }

  /// Tells the budget that accumulators have become larger, or smaller.
  private func count(_ change: Int) {
    guard change != 0 else { return }
    keptByteCount &+= change
    budget.take(change)
  }

  /// Takes a row into accumulators.
  ///
  /// `follows` becomes what the last min() or max() that takes the row says of it: whether the bare
  /// columns follow this row. Where all leave the row out as a repeated one it stays as it was for
  /// the row before, and a FILTER that leaves a row out lets only the first row be followed.
  @inline(__always)
  func step(
    _ accumulators: UnsafeMutablePointer<Register>, _ row: UnsafeMutablePointer<Register>,
    ordinal: Int64, isFirst: Bool, _ follows: inout Bool
  ) throws(SQLError) {
    for index in 0..<layout.aggregateCount {
      let aggregate = layout.aggregates + index
      if aggregate.pointee.isExtreme && aggregate.pointee.filterOffset >= 0 { follows = isFirst }
      if aggregate.pointee.filterOffset >= 0 || aggregate.pointee.distinctIndex >= 0,
        try !counts(aggregate, row, ordinal: ordinal)
      {
        continue
      }
      let isBest = try frame.stepInline(
        layout.calls + index, row + aggregate.pointee.argumentOffset,
        accumulators + aggregate.pointee.accumulatorOffset)
      if aggregate.pointee.isExtreme { follows = isBest }
    }
  }

  /// Whether FILTER and DISTINCT let the row through.
  private func counts(
    _ aggregate: UnsafePointer<GroupLayout.Aggregate>, _ row: UnsafeMutablePointer<Register>,
    ordinal: Int64
  ) throws(SQLError) -> Bool {
    let filter = aggregate.pointee.filterOffset
    if filter >= 0, Cast.truth(of: row + filter, frame.encoding) != true { return false }
    guard aggregate.pointee.distinctIndex >= 0 else { return true }
    distinctKey.base[0].setInteger(ordinal)
    distinctKey.base[1].borrow(from: row[aggregate.pointee.argumentOffset])
    return try distinctSets[aggregate.pointee.distinctIndex].insert(distinctKey.base)
  }
}

// MARK: - Output

extension GroupTable {
  /// Sorts the groups and puts the first out. False if there is none.
  func first(into target: UnsafeMutablePointer<Register>) throws(SQLError) -> Bool {
    let sort = try RowSort(
      keyInfo: plan.keyInfo, columnCount: layout.keyCount, capacity: table.entryCount,
      budget: budget)
    try forEachGroup { (group) throws(SQLError) in
      try sort.add(group.load(as: UnsafeRawPointer.self), UnsafeRawPointer(group))
    }
    try sort.sort()
    let streamed = try overflow.map { sorter throws(SQLError) in
      try StreamedGroups(table: self, sorter: sorter, rowWidth: layout.rowWidth)
    }
    output = GroupOutput(sort: sort, streamed: streamed)
    return try next(into: target)
  }

  /// Puts the next group out. False after the last.
  func next(into target: UnsafeMutablePointer<Register>) throws(SQLError) -> Bool {
    guard let lentOutput else { return false }
    return try lentOutput.lend { (output) throws(SQLError) in try next(output, into: target) }
  }

  private func next(
    _ output: GroupOutput, into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    if let streamed = output.lentStreamed {
      forget(output)
      let isNext = try streamed.lend { (streamed) throws(SQLError) in
        try putStreamed(streamed, output, into: target)
      }
      if isNext { return true }
    }
    guard output.position < output.sort.count else { return false }
    if output.position & (GroupTable.aheadCount - 1) == 0 { readAhead(output) }
    let group = UnsafeMutableRawPointer(mutating: output.sort[output.position])
    output.position += 1
    StoredRow.read(
      group.load(as: UnsafeRawPointer.self), columnCount: layout.keyCount, into: target)
    if plan.bareColumnCount > 0 {
      let row = group.load(fromByteOffset: GroupTable.bareRowOffset, as: UnsafeRawPointer.self)
      StoredRow.read(row, columnCount: plan.bareColumnCount, into: target + layout.keyCount)
    }
    try putResults(
      of: accumulators(of: group), into: target + layout.keyCount + plan.bareColumnCount)
    return true
  }

  /// Puts the next streamed group out, if it comes before the next stored one; takes it into that
  /// one if it is the same.
  private func putStreamed(
    _ streamed: StreamedGroups, _ output: GroupOutput,
    into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Bool {
    guard streamed.isValid else { return false }
    let hasStored = output.position < output.sort.count
    let order = hasStored ? try compare(streamed, output, target) : -1
    if order < 0 {
      try streamed.put(into: target)
      return true
    }
    if order == 0 { try streamed.add(to: output.sort[output.position]) }
    return false
  }

  /// Compares the next streamed group with the next stored one, using `target` for its keys.
  private func compare(
    _ streamed: StreamedGroups, _ output: GroupOutput, _ target: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> Int {
    StoredRow.read(
      output.sort[output.position].load(as: UnsafeRawPointer.self),
      columnCount: layout.keyCount, into: target)
    return try KeyOrder.compare(streamed.keys, target, count: layout.keyCount, by: plan.keyInfo)
  }

  /// Lets go what the accumulators of the group have that was put out last.
  private func forget(_ output: GroupOutput) {
    guard layout.keepsBytes, output.forgottenCount < output.position else { return }
    let group = UnsafeMutableRawPointer(mutating: output.sort[output.position - 1])
    output.forgottenCount = output.position
    let accumulators = accumulators(of: group)
    count(-byteCount(of: accumulators))
    clear(accumulators)
    accumulators.initialize(repeating: Register(), count: layout.accumulatorCount)
  }

  private static let aheadCount = 16

  /// Touches the next groups, which lie anywhere in memory, together: see `Sorter`.
  @inline(never)
  private func readAhead(_ output: GroupOutput) {
    let end = min(output.position + GroupTable.aheadCount, output.sort.count)
    var sum = output.sort.touch(output.position..<end)
    for index in output.position..<end {
      sum &+= output.sort[index].load(fromByteOffset: GroupTable.ordinalOffset, as: Int.self)
    }
    for index in output.position..<end {
      let keyRow = output.sort[index].load(as: UnsafeRawPointer.self)
      sum &+= Int(keyRow.load(as: UInt8.self))
    }
    output.touched &+= sum
  }

  func putResults(
    of accumulators: UnsafeMutablePointer<Register>, into target: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    for index in 0..<layout.aggregateCount {
      let aggregate = layout.aggregates + index
      try frame.value(
        layout.calls + index, of: accumulators + aggregate.pointee.accumulatorOffset,
        into: target + index)
    }
  }
}

/// Where the output is.
private final class GroupOutput {
  let sort: RowSort
  private let streamed: StreamedGroups?
  /// `streamed`, for each group.
  let lentStreamed: Unmanaged<StreamedGroups>?
  @exclusivity(unchecked) var position = 0
  /// Groups before this place have nothing in their accumulators any more.
  var forgottenCount = 0
  /// Keeps `readAhead` from being optimized away.
  @exclusivity(unchecked) var touched = 0

  init(sort: RowSort, streamed: StreamedGroups?) {
    self.sort = sort
    self.streamed = streamed
    lentStreamed = streamed.map { Unmanaged.passUnretained($0) }
  }
}
