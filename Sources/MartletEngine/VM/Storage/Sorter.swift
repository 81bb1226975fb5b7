// ORDER BY, and GROUP BY that outgrows its memory (SQLite's VdbeSorter).
//
//     insert… → sort → next…
//
// A row is a key to sort by and data columns to read back. Rows with equal keys keep their input
// order. In memory rows are `SortEntry`s; past the budget they are sorted and written to a
// temporary file as a run, and runs are merged while they are read. When few rows are wanted, a
// heap keeps the best ones, and most rows are dropped by looking at the first 8 bytes of their key
// (`TopRows`).

final class Sorter {
  private let keyInfo: KeyInfo
  private let dataColumnCount: Int
  private let budget: WorkMemory
  private let order: SortKeyOrder
  /// How the first column of a normalized key is ordered.
  private let firstOrder: ColumnOrder?
  @exclusivity(unchecked) private var key: SortKeyBuffer
  @exclusivity(unchecked) private var arena: Arena
  @exclusivity(unchecked) private var entries: UnsafeMutablePointer<SortEntry>?
  @exclusivity(unchecked) private var entryCount = 0
  @exclusivity(unchecked) private var entryCapacity = 0
  /// Rows that went to files.
  private var spilledCount = 0
  @exclusivity(unchecked) private var longestKey = 0
  @exclusivity(unchecked) private var nextEntry = 0
  /// Used instead of `entries` if `keepsTop`.
  @exclusivity(unchecked) private var top: TopRows
  private let keepsTop: Bool
  @exclusivity(unchecked) private var runs: SortedRuns? {
    didSet { lentRuns = runs.map { Unmanaged.passUnretained($0) } }
  }
  /// `runs`, for each row that is read.
  @exclusivity(unchecked) private var lentRuns: Unmanaged<SortedRuns>?
  private let findsDuplicates: Bool
  @exclusivity(unchecked) private var duplicates: DuplicateFinder

  /// - Parameters:
  ///   - rowLimit: only that many rows will be read; nil: all.
  ///   - wish: which rows `isDuplicate` is to find.
  init(
    keyInfo: KeyInfo, dataColumnCount: Int, rowLimit: Int64?,
    finding wish: DuplicateFinder.Wish = .nothing, budget: WorkMemory
  ) {
    findsDuplicates = wish != .nothing
    duplicates = DuplicateFinder(wish)
    self.keyInfo = keyInfo
    self.dataColumnCount = dataColumnCount
    self.budget = budget
    key = SortKeyBuffer(keyInfo: keyInfo)
    order = SortKeyOrder(isNormalized: key.isNormalized, keyInfo: keyInfo)
    firstOrder = key.isNormalized && keyInfo.keyColumnCount > 0 ? keyInfo.orders[0] : nil
    arena = Arena(budget: budget)
    let limit = rowLimit ?? -1
    keepsTop = limit >= 0 && limit <= TopRows.largestLimit
    top = TopRows(limit: keepsTop ? Int(limit) : 0, order: order, budget: budget)
  }

  deinit { removeAll() }

  func removeAll() {
    removeEntries()
    top.removeAll()
    runs = nil
    key.deallocate()
    duplicates.deallocate()
  }

  /// Begins again, with the memory that is there.
  func removeRows() {
    arena.reuse()
    top.removeAll()
    runs = nil
    entryCount = 0
    spilledCount = 0
    longestKey = 0
    nextEntry = 0
    duplicates.restart()
  }

  private func removeEntries() {
    arena.removeAll()
    Memory.freeLarge(entries, entryCapacity * MemoryLayout<SortEntry>.stride)
    budget.giveBack(entryCapacity * Sorter.entrySize)
    entries = nil
    entryCapacity = 0
    entryCount = 0
  }

  // MARK: Adding

  /// How many rows were inserted, where all are kept.
  var insertedCount: Int { spilledCount + entryCount }

  /// Whether a row with these keys would be dropped.
  @inline(__always)
  func rejects(_ keys: UnsafePointer<Register>) throws(SQLError) -> Bool {
    guard keepsTop, top.isFull else { return false }
    if let firstOrder, let prefix = SortKey.prefix(ofColumn: keys, firstOrder),
      let isAmong = top.accepts(prefix: prefix)
    {
      return !isAmong
    }
    try key.encode(keys)
    return try !top.accepts(key)
  }

  func insert(
    keys: UnsafePointer<Register>, data: UnsafePointer<Register>
  ) throws(SQLError) {
    try key.encode(keys)
    if keepsTop { return try insertIntoTop(data) }
    if findsDuplicates { try duplicates.tellNullsApart(keys, keyInfo, &key) }
    if budget.shouldSpill(holding: heldCount), entryCount > 1 { try spill() }
    if entryCount == entryCapacity { try growEntries() }
    let rowSize = try StoredRow.byteCount(of: data, dataColumnCount)
    let memory = try arena.allocate(SortEntry.headerSize &+ key.paddedCount &+ rowSize)
    writeEntry(to: memory, data, rowSize)
    let entry = entries.unsafelyUnwrapped + entryCount
    entry.initialize(to: SortEntry(prefix: key.prefix, memory: memory))
    entryCount &+= 1
    if key.count > longestKey { longestKey = key.count }
  }

  @inline(__always)
  private func writeEntry(
    to memory: UnsafeMutableRawPointer, _ data: UnsafePointer<Register>, _ rowSize: Int
  ) {
    memory.storeBytes(of: UInt32(truncatingIfNeeded: key.count), as: UInt32.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: rowSize), toByteOffset: 4, as: UInt32.self)
    let keyPlace = memory + SortEntry.headerSize
    key.copy(to: keyPlace)
    StoredRow.write(data, dataColumnCount, to: keyPlace + key.paddedCount)
  }

  private func insertIntoTop(_ data: UnsafePointer<Register>) throws(SQLError) {
    guard try top.accepts(key) else { return }
    let rowSize = try StoredRow.byteCount(of: data, dataColumnCount)
    let memory = try top.makeRoom(
      SortEntry.headerSize &+ key.paddedCount &+ rowSize)
    writeEntry(to: memory, data, rowSize)
    try top.add(prefix: key.prefix)
  }

  @inline(never)
  private func growEntries() throws(SQLError) {
    let capacity = max(64, entryCapacity * 2)
    let stride = MemoryLayout<SortEntry>.stride
    let memory = try Memory.allocateLarge(capacity * stride)
    if let entries { Memory.copy(from: entries, to: memory, entryCount * stride) }
    Memory.freeLarge(entries, entryCapacity * stride)
    budget.take((capacity - entryCapacity) * Sorter.entrySize)
    entries = memory.bindMemory(to: SortEntry.self, capacity: capacity)
    entryCapacity = capacity
  }

  /// What the budget counts for an entry: its place, and one more for sorting.
  private static let entrySize = 2 * MemoryLayout<SortEntry>.stride

  @inline(__always) private var heldCount: Int {
    arena.reservedCount &+ entryCapacity &* Sorter.entrySize
  }

  /// Writes what is in memory to a file, and gives the memory back.
  func spillAll() throws(SQLError) {
    try spill()
    if runs != nil { removeEntries() }
  }

  /// Writes what is in memory to a file as a sorted run.
  @inline(never)
  private func spill() throws(SQLError) {
    guard let entries, entryCount > 0, let vfs = budget.vfs else { return }
    try EntrySort.sort(entries, count: entryCount, order: order, longestKey: longestKey)
    let runs = self.runs ?? SortedRuns(order: order, vfs: vfs)
    self.runs = runs
    try runs.add(entries, count: entryCount)
    spilledCount += entryCount
    arena.removeAll()
    entryCount = 0
    longestKey = 0
  }

  // MARK: Reading

  /// Keeps `readAhead` from being optimized away.
  @exclusivity(unchecked) private var touched = 0

  /// Sorts, and moves to the first row; nil if there is none.
  func sort() throws(SQLError) -> UnsafeRawPointer? {
    nextEntry = 0
    if keepsTop {
      entryCount = try top.sort()
      return try next()
    }
    if let runs {
      try spillAll()
      try runs.startMerging()
      duplicates.restart()
      return try next()
    }
    if let entries {
      try EntrySort.sort(entries, count: entryCount, order: order, longestKey: longestKey)
    }
    return try next()
  }

  /// Moves to the next row; nil at the end. The row is valid until the next call.
  func next() throws(SQLError) -> UnsafeRawPointer? {
    if let lentRuns {
      let entry = try lentRuns.lend { (runs) throws(SQLError) in try runs.next() }
      guard let entry else { return nil }
      if findsDuplicates { try duplicates.look(at: entry, order) }
      return entry.row
    }
    guard nextEntry < entryCount else { return nil }
    if nextEntry & (Sorter.aheadCount - 1) == 0 && !keepsTop { readAhead() }
    let row =
      keepsTop
      ? top.row(at: nextEntry)
      : entries.unsafelyUnwrapped[nextEntry].row
    nextEntry &+= 1
    return row
  }

  /// Whether the current row has the keys of the row before it.
  func isDuplicate() throws(SQLError) -> Bool {
    if runs != nil { return duplicates.isEqual }
    guard let entries, nextEntry > 1 else { return false }
    return try duplicates.isEqual(entries[nextEntry - 2], entries[nextEntry - 1], order)
  }

  /// How many rows are fetched ahead; a power of 2.
  private static let aheadCount = 16

  /// Sorted rows lie anywhere in memory. Touching the next ones together lets the processor wait
  /// for all of them at once instead of one after the other.
  @inline(never)
  private func readAhead() {
    guard let entries else { return }
    let end = min(nextEntry &+ Sorter.aheadCount, entryCount)
    var sum = 0
    for index in nextEntry..<end { sum &+= entries[index].keySize }
    for index in nextEntry..<end {
      sum &+= Int(entries[index].row.load(as: UInt8.self))
    }
    touched &+= sum
  }
}
