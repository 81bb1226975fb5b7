// The queue of a recursive query with ORDER BY: the first row of the order comes out next, of equal
// ones the oldest (lang_with §3).
//
// Invariants: (1) no row comes before the one above it in the heap; (2) the memory of the row that
// was taken last lives until the next one is taken. The rows stay in memory: the heap is entered
// anywhere, so that files would serve it badly.

final class RowQueue {
  private struct Item {
    let entry: SortEntry
    let sequence: UInt64
    let byteCount: Int
  }

  let columnCount: Int
  private let budget: WorkMemory
  private let order: SortKeyOrder
  @exclusivity(unchecked) private var key: SortKeyBuffer
  @exclusivity(unchecked) private var items: [Item] = []
  @exclusivity(unchecked) private var taken: Item?
  @exclusivity(unchecked) private var nextSequence: UInt64 = 0

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
    budget.giveBack(item.byteCount)
  }

  func insert(
    keys: UnsafePointer<Register>, row: UnsafePointer<Register>
  ) throws(SQLError) {
    try key.encode(keys)
    let rowSize = try StoredRow.byteCount(of: row, columnCount)
    let byteCount = SortEntry.headerSize + key.paddedCount + rowSize
    let memory = try Memory.allocate(byteCount)
    budget.take(byteCount)
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
    guard let first = items.first else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    taken = first
    try siftDown()
    return first.entry.row
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
