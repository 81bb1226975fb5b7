/// Sorts things of a hash table by a row of key columns that belongs to each. The things stay where
/// they are: an entry holds an address in place of a row.
final class RowSort {
  private let valuesOffset: Int
  private let order: SortKeyOrder
  @exclusivity(unchecked) private var key: SortKeyBuffer
  @exclusivity(unchecked) private var arena: Arena
  private let columns: RegisterBlock
  private var entries: UnsafeMutablePointer<SortEntry>
  private let capacity: Int
  private(set) var count = 0
  private var longestKey = 0

  /// - Parameters:
  ///   - columnCount: how many columns the rows have; the key's come first.
  ///   - capacity: how many rows will be added at most.
  init(
    keyInfo: KeyInfo, columnCount: Int, capacity: Int, budget: WorkMemory
  ) throws(SQLError) {
    self.capacity = capacity
    valuesOffset = StoredRow.valuesOffset(columnCount)
    key = SortKeyBuffer(keyInfo: keyInfo)
    order = SortKeyOrder(isNormalized: key.isNormalized, keyInfo: keyInfo)
    arena = Arena(budget: budget)
    columns = try RegisterBlock(count: keyInfo.keyColumnCount)
    let stride = MemoryLayout<SortEntry>.stride
    do {
      entries = try Memory.allocateLarge(max(1, capacity) * stride)
        .bindMemory(to: SortEntry.self, capacity: max(1, capacity))
    } catch {
      columns.deallocate()
      throw error
    }
  }

  deinit {
    arena.removeAll()
    columns.deallocate()
    key.deallocate()
    Memory.freeLarge(entries, max(1, capacity) * MemoryLayout<SortEntry>.stride)
  }

  /// Adds something by its row of keys, which is copied.
  func add(_ row: UnsafeRawPointer, _ thing: UnsafeRawPointer) throws(SQLError) {
    assert(count < capacity, "the capacity counts all rows")
    for column in 0..<columns.count {
      StoredRow.read(column, of: row, valuesOffset: valuesOffset, into: columns.base + column)
    }
    try key.encode(columns.base)
    let memory = try arena.allocate(SortEntry.headerSize + key.paddedCount + 8)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: key.count), as: UInt32.self)
    memory.storeBytes(of: 8, toByteOffset: 4, as: UInt32.self)
    key.copy(to: memory + SortEntry.headerSize)
    (memory + SortEntry.headerSize + key.paddedCount).storeBytes(
      of: thing, as: UnsafeRawPointer.self)
    (entries + count).initialize(to: SortEntry(prefix: key.prefix, memory: memory))
    count += 1
    longestKey = max(longestKey, key.count)
  }

  func sort() throws(SQLError) {
    try EntrySort.sort(entries, count: count, order: order, longestKey: longestKey)
  }

  /// Brings entries into the processor's cache; gives a number that depends on them.
  func touch(_ range: Range<Int>) -> Int {
    var sum = 0
    for index in range { sum &+= entries[index].keySize }
    return sum
  }

  /// The thing at a place of the order.
  subscript(index: Int) -> UnsafeRawPointer {
    assert(index < count, "the caller compares with count first")
    return entries[index].row.load(as: UnsafeRawPointer.self)
  }
}
