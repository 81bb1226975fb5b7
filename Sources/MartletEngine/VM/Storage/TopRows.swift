// The first rows of an order (ORDER BY … LIMIT): a heap with the worst of the kept rows on top.
//
// Invariants: (1) no row is worse than the one above it in the heap; (2) of rows with equal keys,
// the later one is worse, so that those kept are the earliest; (3) the memory of a row that is
// pushed out is used again for the next one.

struct TopRows {
  /// For more rows than this, sorting all is as good.
  static let largestLimit: Int64 = 20_000

  private struct Item {
    var prefix: UInt64
    var sequence: UInt64
    var memory: UnsafeMutableRawPointer
    var capacity: Int

    var entry: SortEntry { SortEntry(prefix: prefix, memory: memory) }
  }

  private let limit: Int
  private let order: SortKeyOrder
  private let budget: WorkMemory
  private var items: [Item] = []
  /// Prefix of the worst row, at hand without looking into `items`.
  private var worstPrefix: UInt64 = 0
  private var nextSequence: UInt64 = 0
  /// Memory of the row that is being added.
  private var room: (memory: UnsafeMutableRawPointer, capacity: Int)?

  init(limit: Int, order: SortKeyOrder, budget: WorkMemory) {
    self.limit = limit
    isFull = limit == 0
    self.order = order
    self.budget = budget
  }

  mutating func removeAll() {
    for item in items { release(item.memory, item.capacity) }
    items.removeAll()
    if let room { release(room.memory, room.capacity) }
    room = nil
    isFull = limit == 0
  }

  private func release(_ memory: UnsafeMutableRawPointer, _ capacity: Int) {
    Memory.free(memory)
    budget.giveBack(capacity)
  }

  /// Enough rows are kept, so that a row may be dropped.
  private(set) var isFull: Bool

  /// Whether a row with this key is among the best so far.
  @inline(__always)
  func accepts(_ key: borrowing SortKeyBuffer) throws(SQLError) -> Bool {
    if !isFull { return true }
    if limit == 0 { return false }
    if order.isNormalized, let isAmong = accepts(prefix: key.prefix) { return isAmong }
    let worst = items[0]
    return try order.compare(key.bytes, key.count, worst.entry.key, worst.entry.keySize) < 0
  }

  /// The same for a row whose normalized key begins so, when all places are taken; nil: the rest of
  /// the key decides.
  @inline(__always)
  func accepts(prefix: UInt64) -> Bool? {
    if limit == 0 { return false }
    return prefix == worstPrefix ? nil : prefix < worstPrefix
  }

  /// Memory for a row that was accepted.
  mutating func makeRoom(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    if let room, room.capacity >= byteCount { return room.memory }
    if let room { release(room.memory, room.capacity) }
    room = nil
    let capacity = (byteCount + 63) & ~63
    let memory = try Memory.allocate(capacity)
    budget.take(capacity)
    room = (memory, capacity)
    return memory
  }

  /// Adds the row that was written to the room. When all places are taken, it gets that of the worst
  /// row, whose memory is the room for the next.
  mutating func add(prefix: UInt64) throws(SQLError) {
    guard let room else { return }
    let item = Item(
      prefix: prefix, sequence: nextSequence, memory: room.memory, capacity: room.capacity)
    nextSequence += 1
    if items.count == limit {
      self.room = (items[0].memory, items[0].capacity)
      items[0] = item
      try siftDown(count: items.count)
      worstPrefix = items[0].prefix
      return
    }
    self.room = nil
    items.append(item)
    var index = items.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard try isWorse(items[index], items[parent]) else { break }
      items.swapAt(index, parent)
      index = parent
    }
    worstPrefix = items[0].prefix
    isFull = items.count >= limit
  }

  private mutating func siftDown(count: Int) throws(SQLError) {
    var index = 0
    while true {
      var worst = index
      let child = 2 * index + 1
      if child < count, try isWorse(items[child], items[worst]) { worst = child }
      if child + 1 < count, try isWorse(items[child + 1], items[worst]) { worst = child + 1 }
      if worst == index { return }
      items.swapAt(index, worst)
      index = worst
    }
  }

  private func isWorse(_ left: Item, _ right: Item) throws(SQLError) -> Bool {
    let order = try order.compare(left.entry, right.entry)
    return order != 0 ? order > 0 : left.sequence > right.sequence
  }

  /// Sorts the rows, best first. Returns how many there are; no row can be added any more.
  mutating func sort() throws(SQLError) -> Int {
    var count = items.count
    while count > 1 {
      count -= 1
      items.swapAt(0, count)
      try siftDown(count: count)
    }
    return items.count
  }

  func row(at index: Int) -> UnsafeRawPointer { items[index].entry.row }
}
