// The queue of a recursive query with ORDER BY: the first row of the order comes out next, of equal
// ones the oldest (lang_with §3).
//
// A heap that outgrows its memory is written to a file as a sorted run; what comes out next is the
// first of the heap and of all runs.
//
// Invariants: (1) no row comes before the one above it in the heap; (2) the memory of the row that
// was taken last lives until the next one is taken; (3) rows in the heap are newer than those in
// runs.

final class RowQueue {
  private struct Item {
    let entry: SortEntry
    let sequence: UInt64
    let byteCount: Int
  }

  /// What an item takes besides its row.
  private static let itemSize = MemoryLayout<Item>.stride + 2 * MemoryLayout<SortEntry>.stride

  let columnCount: Int
  private let budget: WorkMemory
  private let order: SortKeyOrder
  @exclusivity(unchecked) private var key: SortKeyBuffer
  @exclusivity(unchecked) private var items: [Item] = []
  @exclusivity(unchecked) private var taken: Item?
  @exclusivity(unchecked) private var nextSequence: UInt64 = 0
  @exclusivity(unchecked) private var heldCount = 0
  @exclusivity(unchecked) private var longestKey = 0
  @exclusivity(unchecked) private var runs: SortedRuns?

  init(keyInfo: KeyInfo, columnCount: Int, budget: WorkMemory) {
    self.columnCount = columnCount
    self.budget = budget
    key = SortKeyBuffer(keyInfo: keyInfo)
    order = SortKeyOrder(isNormalized: key.isNormalized, keyInfo: keyInfo)
  }

  deinit {
    for item in items { release(item) }
    if let taken { release(taken) }
    key.deallocate()
  }

  private func release(_ item: Item) {
    Memory.free(item.entry.memory)
    budget.giveBack(item.byteCount + RowQueue.itemSize)
    heldCount -= item.byteCount + RowQueue.itemSize
  }

  func insert(
    keys: UnsafePointer<Register>, row: UnsafePointer<Register>
  ) throws(SQLError) {
    try key.encode(keys)
    if budget.shouldSpill(holding: heldCount), items.count > 1 { try spill() }
    let rowSize = try StoredRow.byteCount(of: row, columnCount)
    let byteCount = SortEntry.headerSize + key.paddedCount + rowSize
    let memory = try Memory.allocate(byteCount)
    budget.take(byteCount + RowQueue.itemSize)
    heldCount += byteCount + RowQueue.itemSize
    longestKey = max(longestKey, key.count)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: key.count), as: UInt32.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: rowSize), toByteOffset: 4, as: UInt32.self)
    let keyPlace = memory + SortEntry.headerSize
    key.copy(to: keyPlace)
    StoredRow.write(row, columnCount, to: keyPlace + key.paddedCount)
    items.append(
      Item(
        entry: SortEntry(prefix: key.prefix, memory: memory), sequence: nextSequence,
        byteCount: byteCount))
    nextSequence &+= 1
    try siftUp()
  }

  /// Takes the first row out, or gives nil.
  func take() throws(SQLError) -> UnsafeRawPointer? {
    if let taken { release(taken) }
    taken = nil
    if let runs, let first = runs.first, try comesBeforeHeap(first) { return try take(first, runs) }
    guard let first = items.first else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    taken = first
    try siftDown()
    return first.entry.row
  }

  // MARK: Files

  /// Of equal rows the one on file is older.
  private func comesBeforeHeap(_ entry: SortEntry) throws(SQLError) -> Bool {
    guard let first = items.first else { return true }
    return try order.compare(entry, first.entry) <= 0
  }

  /// Takes the first row of the runs. It is copied: they may be merged while it is used.
  private func take(_ first: SortEntry, _ runs: SortedRuns) throws(SQLError) -> UnsafeRawPointer {
    let byteCount = first.byteCount
    let memory = try Memory.allocate(byteCount)
    Memory.copy(from: first.memory, to: memory, byteCount)
    let copy = SortEntry(prefix: first.prefix, memory: memory)
    taken = Item(entry: copy, sequence: 0, byteCount: byteCount)
    budget.take(byteCount + RowQueue.itemSize)
    heldCount += byteCount + RowQueue.itemSize
    try runs.removeFirst()
    return copy.row
  }

  /// Writes the whole heap to a file.
  @inline(never)
  private func spill() throws(SQLError) {
    guard let vfs = budget.vfs else { return }
    let runs = self.runs ?? SortedRuns(order: order, vfs: vfs)
    self.runs = runs
    // The sort is stable, and sorting by age is cheaper than a heap with a second key.
    items.sort { $0.sequence < $1.sequence }
    let byteCount = items.count * MemoryLayout<SortEntry>.stride
    let memory = try Memory.allocateLarge(byteCount)
    defer { Memory.freeLarge(memory, byteCount) }
    let entries = memory.bindMemory(to: SortEntry.self, capacity: items.count)
    for index in items.indices { entries[index] = items[index].entry }
    try EntrySort.sort(entries, count: items.count, order: order, longestKey: longestKey)
    try runs.addToMerge(entries, count: items.count)
    for item in items { release(item) }
    items.removeAll()
    longestKey = 0
  }

  private func siftUp() throws(SQLError) {
    var index = items.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard try comesBefore(items[index], items[parent]) else { return }
      items.swapAt(index, parent)
      index = parent
    }
  }

  private func siftDown() throws(SQLError) {
    var index = 0
    while true {
      var first = index
      for child in [2 * index + 1, 2 * index + 2] where child < items.count {
        if try comesBefore(items[child], items[first]) { first = child }
      }
      if first == index { return }
      items.swapAt(index, first)
      index = first
    }
  }

  private func comesBefore(_ left: Item, _ right: Item) throws(SQLError) -> Bool {
    let order = try order.compare(left.entry, right.entry)
    return order != 0 ? order < 0 : left.sequence < right.sequence
  }
}
