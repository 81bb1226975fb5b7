// Rows in the order in which they were added (SQLite's ephemeral tables with increasing rowids).
//
// Rows are `StoredRow`s behind an 8-byte size, packed into chunks. When a chunk is full and memory
// is short, it goes to a temporary file; the last chunk always stays in memory.
//
// Invariants: (1) a row lies in one chunk; (2) only the last chunk grows; (3) a reader loads at
// most one chunk that is on file, into its `window`; (4) a store is shared only after its last row
// was added, so that no chunk leaves memory under another reader.

final class RowStore {
  let columnCount: Int
  private let storage: RowChunks
  private var window: UnsafeMutableRawPointer?
  private var windowCapacity = 0
  private var windowChunk = -1
  // The next row to read.
  @exclusivity(unchecked) private var readChunk = 0
  @exclusivity(unchecked) private var readOffset = 0

  init(columnCount: Int, budget: WorkMemory) {
    self.columnCount = columnCount
    storage = RowChunks(budget: budget)
  }

  /// A reader with a place of its own in the rows of another store.
  init(sharing store: RowStore) {
    columnCount = store.columnCount
    storage = store.storage
  }

  deinit {
    Memory.free(window)
    storage.budget.giveBack(windowCapacity)
  }

  /// Adds a row behind all others.
  func append(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let rowSize = try StoredRow.byteCount(of: registers, columnCount)
    let place = try storage.allocate(rowSize + RowChunks.sizeFieldSize, readChunk: readChunk)
    place.storeBytes(of: rowSize, as: Int.self)
    StoredRow.write(registers, columnCount, to: place + RowChunks.sizeFieldSize)
  }

  /// The first row, or nil. Reading starts again from there.
  func first() throws(SQLError) -> UnsafeRawPointer? {
    readChunk = 0
    readOffset = 0
    return try next()
  }

  /// The row after the one read last, or nil. It stays valid until the next call.
  func next() throws(SQLError) -> UnsafeRawPointer? {
    while readChunk < storage.chunks.count {
      if readOffset < storage.chunks[readChunk].byteCount {
        let place = try content(of: readChunk) + readOffset
        readOffset += RowChunks.sizeFieldSize + place.load(as: Int.self)
        return place + RowChunks.sizeFieldSize
      }
      // More may be added to the last chunk: stay in it.
      if readChunk == storage.chunks.count - 1 { return nil }
      readChunk += 1
      readOffset = 0
    }
    return nil
  }

  /// The oldest row, which leaves the store, or nil. It stays valid until the next call.
  func take() throws(SQLError) -> UnsafeRawPointer? {
    let firstChunk = readChunk
    let row = try next()
    // Chunks that are read to their end are not needed any more.
    for index in firstChunk..<readChunk { storage.release(index) }
    return row
  }

  private func content(of index: Int) throws(SQLError) -> UnsafeRawPointer {
    if let memory = storage.chunks[index].memory { return UnsafeRawPointer(memory) }
    if windowChunk != index {
      windowChunk = -1
      try storage.load(index, into: reserveWindow(storage.chunks[index].byteCount))
      windowChunk = index
    }
    return UnsafeRawPointer(window.unsafelyUnwrapped)
  }

  private func reserveWindow(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    if let window, windowCapacity >= byteCount { return window }
    let larger = try Memory.reallocate(window, byteCount)
    storage.budget.take(byteCount - windowCapacity)
    window = larger
    windowCapacity = byteCount
    return larger
  }
}
