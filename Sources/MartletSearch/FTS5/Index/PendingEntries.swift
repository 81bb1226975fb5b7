import MartletEngine

/// The doclists of terms that were written and are not yet in a segment: a hash table with open
/// addressing, whose keys and lists lie in an arena (SQLite's Fts5Hash).
final class PendingEntries {
  struct Entry {
    var key: UnsafeMutablePointer<UInt8>
    var keyCount: Int
    var list: UnsafeMutablePointer<UInt8>
    var count: Int
    var capacity: Int
    /// Where the size of the last position list goes.
    var sizeOffset: Int
    var rowid: Int64
    var column: Int
    var position: Int
    var hash: UInt32
    var isDelete: Bool
    var hasContent: Bool
  }

  let detail: Detail
  /// What decides when the terms become a segment, counted as C does: the size of its entries.
  @exclusivity(unchecked) private(set) var byteCount = 0
  @exclusivity(unchecked) private var entries = PendingEntries.nothing(of: Entry.self)
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var capacity = 0
  /// Indexes of entries plus one, 0 where a slot is empty; twice as many as there may be entries.
  @exclusivity(unchecked) private var slots = PendingEntries.nothing(of: Int32.self)
  @exclusivity(unchecked) private var arena = ByteArena()
  /// Entries in the order of their keys, once somebody asked for it.
  @exclusivity(unchecked) private var sorted: [Int32]?

  private static let entrySize = 48
  private static let leastCapacity = 512

  init(_ detail: Detail) { self.detail = detail }

  deinit {
    arena.deallocate()
    guard capacity > 0 else { return }
    MemoryUse.free(entries)
    MemoryUse.free(slots)
  }

  /// Where memory is while there is none; nothing is read or written there.
  private static func nothing<Element>(of type: Element.Type) -> UnsafeMutablePointer<Element> {
    UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped
  }

  var isEmpty: Bool { count == 0 }

  func removeAll() {
    byteCount = 0
    sorted = nil
    if count == 0 { return }
    count = 0
    slots.update(repeating: 0, count: capacity * 2)
    arena.removeAll()
  }

  // MARK: Writing

  /// Adds an instance of a token.
  ///
  /// - Parameter column: -1 where the row's entry of this term is deleted.
  func write(
    rowid: Int64, column: Int, position: Int, prefix: UInt8, _ token: UnsafePointer<UInt8>,
    _ tokenCount: Int
  ) throws(SQLError) {
    let hash = PendingEntries.hash(prefix, token, tokenCount)
    var added = 0
    let found = find(hash, prefix, token, tokenCount)
    let index: Int
    if found >= 0 {
      index = found
    } else {
      index = try insert(hash, rowid, prefix, token, tokenCount)
      added = PendingEntries.entrySize + tokenCount + 1
    }
    let before = found >= 0 ? entries[index].count : 0
    try append(rowid, column, position, isNew: found < 0, to: &entries[index])
    byteCount += added + entries[index].count - before
  }

  private func append(
    _ rowid: Int64, _ column: Int, _ position: Int, isNew: Bool, to entry: inout Entry
  ) throws(SQLError) {
    if entry.capacity - entry.count < 24 { try grow(&entry) }
    var position = position
    // With detail=column, a column is written once.
    var isWritten = detail == .full
    if rowid != entry.rowid && !isNew {
      PendingEntries.finish(&entry, detail)
      let distance = UInt64(bitPattern: rowid &- entry.rowid)
      entry.count += Varint.put(distance, entry.list + entry.count)
      beginRow(rowid, &entry)
      isWritten = true
    }
    guard column >= 0 else {
      entry.isDelete = true
      return
    }
    if detail == .none {
      entry.hasContent = true
      return
    }
    if column != entry.column {
      if detail == .full {
        entry.list[entry.count] = 1
        entry.count += 1 + Varint.put(UInt64(column), entry.list + entry.count + 1)
        entry.position = 0
      } else {
        isWritten = true
        position = column
      }
      entry.column = column
    }
    if isWritten {
      let distance = UInt64(truncatingIfNeeded: position - entry.position + 2)
      entry.count += Varint.put(distance, entry.list + entry.count)
      entry.position = position
    }
  }

  private func beginRow(_ rowid: Int64, _ entry: inout Entry) {
    entry.rowid = rowid
    entry.sizeOffset = entry.count
    if detail != .none {
      entry.count += 1
      entry.column = detail == .full ? 0 : -1
      entry.position = 0
    }
  }

  private func insert(
    _ hash: UInt32, _ rowid: Int64, _ prefix: UInt8, _ token: UnsafePointer<UInt8>,
    _ tokenCount: Int
  ) throws(SQLError) -> Int {
    if count == capacity { try grow() }
    let listCapacity = 64
    let memory = try arena.allocate(tokenCount + 1 + listCapacity)
    memory[0] = prefix
    (memory + 1).update(from: token, count: tokenCount)
    var entry = Entry(
      key: memory, keyCount: tokenCount + 1, list: memory + tokenCount + 1, count: 0,
      capacity: listCapacity, sizeOffset: 0, rowid: rowid, column: 0, position: 0, hash: hash,
      isDelete: false, hasContent: false)
    entry.count = Varint.put(UInt64(bitPattern: rowid), entry.list)
    beginRow(rowid, &entry)
    (entries + count).initialize(to: entry)
    place(count, hash)
    count += 1
    sorted = nil
    return count - 1
  }

  private func grow(_ entry: inout Entry) throws(SQLError) {
    let capacity = entry.capacity * 2
    let memory = try arena.allocate(capacity)
    memory.update(from: entry.list, count: entry.count)
    entry.list = memory
    entry.capacity = capacity
  }

  /// Writes the size of the last position list, which ends.
  @inline(__always)
  private static func finish(_ entry: inout Entry, _ detail: Detail) {
    entry.count = finish(entry, detail, in: entry.list)
    entry.isDelete = false
    entry.hasContent = false
  }

  /// Writes the size of the last position list into the list or a copy of it, and gives the count
  /// of bytes then.
  private static func finish(
    _ entry: Entry, _ detail: Detail, in list: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var count = entry.count
    if detail == .none {
      if entry.isDelete {
        list[count] = 0
        count += 1
        if entry.hasContent {
          list[count] = 0
          count += 1
        }
      }
      return count
    }
    let byteCount = entry.count - entry.sizeOffset - 1
    let size = UInt64(byteCount * 2 + (entry.isDelete ? 1 : 0))
    if size <= 127 {
      list[entry.sizeOffset] = UInt8(size)
      return count
    }
    let sizeSize = Varint.size(of: size)
    let content = UnsafeMutableRawPointer(list + entry.sizeOffset)
    (content + sizeSize).copyMemory(from: content + 1, byteCount: byteCount)
    _ = Varint.put(size, list + entry.sizeOffset)
    return count + sizeSize - 1
  }

  // MARK: The table

  @inline(__always)
  private static func hash(
    _ prefix: UInt8, _ token: UnsafePointer<UInt8>, _ count: Int
  ) -> UInt32 {
    var hash = 0x811c_9dc5 ^ UInt32(prefix)
    for index in 0..<count { hash = (hash ^ UInt32(token[index])) &* 0x0100_0193 }
    return hash ^ hash >> 15
  }

  @inline(__always)
  private func find(
    _ hash: UInt32, _ prefix: UInt8, _ token: UnsafePointer<UInt8>, _ count: Int
  ) -> Int {
    if self.count == 0 { return -1 }
    let mask = capacity &* 2 &- 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) &- 1
      let entry = entries + index
      if entry.pointee.hash == hash, entry.pointee.keyCount == count &+ 1,
        entry.pointee.key[0] == prefix,
        ByteOrder.commonPrefix(entry.pointee.key + 1, token, limit: count) == count
      {
        return index
      }
      slot = (slot &+ 1) & mask
    }
    return -1
  }

  private func place(_ index: Int, _ hash: UInt32) {
    let mask = capacity * 2 - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = Int32(index + 1)
  }

  private func grow() throws(SQLError) {
    let larger = max(capacity * 2, PendingEntries.leastCapacity)
    guard let newSlots = MemoryUse.allocate(2 * larger * MemoryLayout<Int32>.stride) else {
      throw SQLError(.outOfMemory)
    }
    let newEntries = MemoryUse.reallocate(
      capacity > 0 ? entries : nil, larger * MemoryLayout<Entry>.stride)
    guard let newEntries else {
      MemoryUse.free(newSlots)
      throw SQLError(.outOfMemory)
    }
    if capacity > 0 { MemoryUse.free(slots) }
    entries = newEntries.bindMemory(to: Entry.self, capacity: larger)
    slots = newSlots.bindMemory(to: Int32.self, capacity: 2 * larger)
    slots.initialize(repeating: 0, count: 2 * larger)
    capacity = larger
    for index in 0..<count { place(index, entries[index].hash) }
  }

  // MARK: Reading

  /// The doclist of a key, copied; false where there is none.
  func copyList(
    ofKey key: UnsafeRawBufferPointer, to bytes: GrowingBytes
  ) throws(SQLError) -> Bool {
    guard let start = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    let count = key.count - 1
    let index = find(
      PendingEntries.hash(start[0], start + 1, count), start[0], start + 1, count)
    if index < 0 { return false }
    try copyList(ofEntry: index, to: bytes)
    return true
  }

  func copyList(ofEntry index: Int, to bytes: GrowingBytes) throws(SQLError) {
    let entry = entries[index]
    bytes.removeAll()
    try bytes.append(entry.list, entry.count)
    try bytes.reserve(16)
    bytes.count = PendingEntries.finish(entry, detail, in: bytes.start)
  }

  func key(ofEntry index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: entries[index].key, count: entries[index].keyCount)
  }

  /// The entries in the order of their keys.
  func sortedEntries() throws(SQLError) -> [Int32] {
    if let sorted { return sorted }
    // With half of it for the sorting, and the order.
    try MemoryUse.requireRoom(forArrayOf: 2 * count * MemoryLayout<SortKey>.stride)
    var keys: [SortKey] = []
    keys.reserveCapacity(count)
    for index in 0..<count {
      let entry = entries + index
      keys.append(
        SortKey(
          beginning: PendingEntries.beginning(of: entry.pointee), key: entry.pointee.key,
          count: entry.pointee.keyCount, index: Int32(index)))
    }
    keys.sort { $0.isLess(than: $1) }
    let order = keys.map(\.index)
    sorted = order
    return order
  }

  private struct SortKey {
    let beginning: UInt64
    let key: UnsafeMutablePointer<UInt8>
    let count: Int
    let index: Int32

    func isLess(than other: SortKey) -> Bool {
      if beginning != other.beginning { return beginning < other.beginning }
      return ByteOrder.compare(key, count, other.key, other.count) < 0
    }
  }

  /// The first eight bytes of a key, as a number that compares like them.
  private static func beginning(of entry: Entry) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<8 {
      value = value << 8 | (index < entry.keyCount ? UInt64(entry.key[index]) : 0)
    }
    return value
  }
}

/// Memory that is given back all at once.
struct ByteArena {
  private static let chunkSize = 1 << 18

  private var chunks: [UnsafeMutableRawPointer] = []
  /// Those of more than a chunk's size.
  private var large: [UnsafeMutableRawPointer] = []
  private var used = 0
  private var current = -1

  mutating func allocate(_ byteCount: Int) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    if byteCount > ByteArena.chunkSize / 4 {
      guard let memory = MemoryUse.allocate(byteCount) else { throw SQLError(.outOfMemory) }
      large.append(memory)
      return memory.assumingMemoryBound(to: UInt8.self)
    }
    if current < 0 || used + byteCount > ByteArena.chunkSize {
      if current + 1 == chunks.count {
        guard let memory = MemoryUse.allocate(ByteArena.chunkSize) else {
          throw SQLError(.outOfMemory)
        }
        chunks.append(memory)
      }
      current += 1
      used = 0
    }
    let memory = chunks[current] + used
    used += byteCount
    return memory.assumingMemoryBound(to: UInt8.self)
  }

  /// Chunks stay for the next use.
  mutating func removeAll() {
    for memory in large { MemoryUse.free(memory) }
    large.removeAll()
    current = -1
    used = 0
  }

  mutating func deallocate() {
    removeAll()
    for memory in chunks { MemoryUse.free(memory) }
    chunks.removeAll()
  }
}
