// Keys on file in the order of their hashes: what a set or join table becomes that outgrows its
// memory.
//
//     entry: | hash (8) | word (8) | key size (4) | row size, kind (4) | key, padded to 8 | row |
//     block: entries, 512 bytes or a little more; memory has the hash and the place of its first one
//
// The lowest 3 bits of the row size, which is a multiple of 8, hold the key's kind. Entries of one
// hash are in the order in which they were appended, whatever their keys.
//
// What is looked for costs the reading of a block and the way through half of it, so that blocks are
// small. Where that makes too many for the memory, each two become one, and those that follow are
// twice as large.
//
// A filter says of most keys that are not there that they are not, without reading: a word of 64
// bits is chosen by the hash, and four bits in it.

/// An entry on file.
struct KeyRunEntry {
  let memory: UnsafeRawPointer

  static let headerSize = 24

  @inline(__always) var hash: UInt64 { memory.load(as: UInt64.self) }
  @inline(__always) private var word: UInt64 { memory.load(fromByteOffset: 8, as: UInt64.self) }
  @inline(__always) private var keySize: Int {
    Int(memory.load(fromByteOffset: 16, as: UInt32.self))
  }
  @inline(__always) private var rowField: UInt32 {
    memory.load(fromByteOffset: 20, as: UInt32.self)
  }
  @inline(__always) private var rowOffset: Int { KeyRunEntry.headerSize &+ (keySize &+ 7) & ~7 }
  @inline(__always) var row: UnsafeRawPointer { memory + rowOffset }
  @inline(__always) var byteCount: Int { rowOffset &+ Int(rowField & ~7) }

  @inline(__always)
  func hasKey(_ key: CanonicalKey) -> Bool {
    guard word == key.word, keySize == Int(key.byteCount),
      rowField & 7 == UInt32(key.kind.rawValue)
    else { return false }
    if key.byteCount == 0 { return true }
    return KeyTable.isEqual(
      memory + KeyRunEntry.headerSize, key.bytes.unsafelyUnwrapped, Int(key.byteCount))
  }

  @inline(__always)
  static func writeHeader(
    _ key: CanonicalKey, hash: UInt64, rowSize: Int, to target: UnsafeMutableRawPointer
  ) {
    assert(rowSize & 7 == 0 && rowSize <= Int(Int32.max), "as stored rows are")
    target.storeBytes(of: hash, as: UInt64.self)
    target.storeBytes(of: key.word, toByteOffset: 8, as: UInt64.self)
    target.storeBytes(of: key.byteCount, toByteOffset: 16, as: UInt32.self)
    target.storeBytes(
      of: UInt32(truncatingIfNeeded: rowSize) | UInt32(key.kind.rawValue), toByteOffset: 20,
      as: UInt32.self)
  }
}

final class KeyRun {
  private struct Block {
    let hash: UInt64
    let offset: Int64
  }

  private static let smallestBlock = 512
  private static let filterBitsPerKey = 10

  let file: SpillFile
  private let start: Int64
  @exclusivity(unchecked) private(set) var end: Int64
  @exclusivity(unchecked) private(set) var entryCount = 0
  @exclusivity(unchecked) private var blocks = PlainArray<Block>()
  private let blockLimit: Int
  @exclusivity(unchecked) private var blockSize = KeyRun.smallestBlock
  @exclusivity(unchecked) private var filter: UnsafeMutablePointer<UInt64>?
  private let filterWordCount: Int
  /// Blocks that were read: a block is in the slot of its number modulo the number of slots.
  private struct Slot {
    var block = -1
    var byteCount = 0
    var capacity = 0
    var memory: UnsafeMutableRawPointer?
  }

  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<Slot>
  @exclusivity(unchecked) private var slotCount = 1
  /// Bytes of the slots' memory, and the most that more than one may have.
  @exclusivity(unchecked) private var keptCount = 0
  @exclusivity(unchecked) private var keptLimit = 0
  /// The block that is read, and a place in it.
  @exclusivity(unchecked) private var loadedBlock = -1
  @exclusivity(unchecked) private var loadedCount = 0
  @exclusivity(unchecked) private var buffer: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var position = 0

  /// A run that is written to the end of a file.
  ///
  /// - Parameters:
  ///   - keyCount: about how many keys will be added.
  ///   - filterLimit: the most bytes that the filter may have; the places of blocks get half of it.
  init(_ file: SpillFile, keyCount: Int, filterLimit: Int) throws(SQLError) {
    self.file = file
    start = file.endOffset
    end = start
    blockLimit = max(64, filterLimit / 2 / MemoryLayout<Block>.stride)
    slots = try Memory.allocate(MemoryLayout<Slot>.stride).bindMemory(to: Slot.self, capacity: 1)
    slots.initialize(to: Slot())
    let words = min(keyCount * KeyRun.filterBitsPerKey / 64 + 1, filterLimit / 8)
    // With two bits for a key, most answers would be "perhaps".
    filterWordCount = words * 32 >= keyCount ? words : 0
    guard filterWordCount > 0 else { return }
    filter = try Memory.allocateZeroed(filterWordCount * 8)
      .bindMemory(to: UInt64.self, capacity: filterWordCount)
  }

  deinit {
    blocks.deallocate()
    Memory.free(filter)
    freeSlots()
    Memory.free(slots)
  }

  /// Bytes of memory that the run takes, without a block that is read.
  var memoryCount: Int { filterWordCount * 8 + blocks.byteCount }

  // MARK: Writing

  /// Says that an entry with this hash, not less than those before, is appended to the file next.
  @inline(__always)
  func willAppend(hash: UInt64) throws(SQLError) {
    let offset = file.endOffset
    if blocks.count == 0 || offset &- blocks[blocks.count &- 1].offset >= Int64(blockSize) {
      if blocks.count >= blockLimit {
        blocks.removeEverySecond()
        blockSize &*= 2
      }
      try blocks.append(Block(hash: hash, offset: offset))
    }
    if let filter { filter[filterWord(hash)] |= KeyRun.filterBits(hash) }
    entryCount &+= 1
  }

  /// All entries were appended.
  func finish() { end = file.endOffset }

  /// Keeps blocks that were read in at most so many bytes of memory.
  func keepBlocks(within byteCount: Int) throws(SQLError) {
    let count = min(blocks.count, byteCount / (blockSize + MemoryLayout<Slot>.stride))
    guard count > 1 else { return }
    let memory = try Memory.allocate(count * MemoryLayout<Slot>.stride)
    freeSlots()
    Memory.free(slots)
    slots = memory.bindMemory(to: Slot.self, capacity: count)
    slots.initialize(repeating: Slot(), count: count)
    slotCount = count
    keptLimit = byteCount
  }

  private func freeSlots() {
    for index in 0..<slotCount {
      Memory.free(slots[index].memory)
      slots[index] = Slot()
    }
    keptCount = 0
    buffer = nil
  }

  // MARK: Finding

  @inline(__always)
  private func filterWord(_ hash: UInt64) -> Int {
    let product = (hash &* 0x9e37_79b9_7f4a_7c15)
      .multipliedFullWidth(by: UInt64(filterWordCount))
    return Int(truncatingIfNeeded: product.high)
  }

  @inline(__always)
  private static func filterBits(_ hash: UInt64) -> UInt64 {
    // The lowest two bits of a hash are always set.
    let first: UInt64 = 1 &<< (hash &>> 2), second: UInt64 = 1 &<< (hash &>> 8)
    let third: UInt64 = 1 &<< (hash &>> 14), fourth: UInt64 = 1 &<< (hash &>> 20)
    return first | second | third | fourth
  }

  /// The first entry with the key, or nil. It is valid until the next call.
  func find(_ key: CanonicalKey, hash: UInt64) throws(SQLError) -> KeyRunEntry? {
    if let filter {
      let bits = KeyRun.filterBits(hash)
      if filter[filterWord(hash)] & bits != bits { return nil }
    }
    guard entryCount > 0 else { return nil }
    try load(lastBlock(before: hash))
    position = 0
    return try findHere(key, hash: hash)
  }

  /// The entry after the one that was found last with the same key, or nil.
  func findNext(_ key: CanonicalKey, hash: UInt64) throws(SQLError) -> KeyRunEntry? {
    guard let last = try current() else { return nil }
    position &+= last.byteCount
    return try findHere(key, hash: hash)
  }

  /// The first entry with the key from the place on, or nil.
  @inline(__always)
  private func findHere(_ key: CanonicalKey, hash: UInt64) throws(SQLError) -> KeyRunEntry? {
    while let entry = try current() {
      if entry.hash >= hash {
        if entry.hash > hash { return nil }
        if entry.hasKey(key) { return entry }
      }
      position &+= entry.byteCount
    }
    return nil
  }

  /// The entry at the place, which goes on to the next block behind the last entry of one.
  @inline(__always)
  private func current() throws(SQLError) -> KeyRunEntry? {
    if position >= loadedCount {
      guard loadedBlock &+ 1 < blocks.count else { return nil }
      try load(loadedBlock &+ 1)
      position = 0
    }
    return KeyRunEntry(memory: UnsafeRawPointer(buffer.unsafelyUnwrapped) + position)
  }

  /// The last block that begins with a smaller hash, or the first one.
  ///
  /// Hashes are spread evenly, so that a block's number is nearly known: it is looked for from there,
  /// in steps that double, and then between the last two.
  private func lastBlock(before hash: UInt64) -> Int {
    let count = blocks.count
    var low = Int(
      truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
    var high = low &+ 1
    var step = 1
    if blocks[low].hash < hash {
      while high < count, blocks[high].hash < hash {
        low = high
        high = min(count, high &+ step)
        step &*= 2
      }
    } else {
      repeat {
        high = low
        low = max(0, low &- step)
        step &*= 2
      } while low > 0 && blocks[low].hash >= hash
    }
    while high &- low > 1 {
      let middle = (low &+ high) &>> 1
      if blocks[middle].hash < hash { low = middle } else { high = middle }
    }
    return low
  }

  private func load(_ index: Int) throws(SQLError) {
    if index == loadedBlock { return }
    loadedBlock = -1
    let slot = slots + index % slotCount
    if slot.pointee.block != index { try read(index, into: slot) }
    loadedBlock = index
    loadedCount = slot.pointee.byteCount
    buffer = slot.pointee.memory
  }

  @inline(never)
  private func read(_ index: Int, into slot: UnsafeMutablePointer<Slot>) throws(SQLError) {
    let blockEnd = index + 1 < blocks.count ? blocks[index + 1].offset : end
    let byteCount = Int(blockEnd - blocks[index].offset)
    slot.pointee.block = -1
    if byteCount > slot.pointee.capacity {
      if keptCount + byteCount > keptLimit { freeSlots() }
      let memory = try Memory.reallocate(slot.pointee.memory, byteCount)
      keptCount += byteCount - slot.pointee.capacity
      slot.pointee.memory = memory
      slot.pointee.capacity = byteCount
    }
    guard let memory = slot.pointee.memory else { throw SQLError(.internal) }
    try file.read(into: memory, byteCount, at: blocks[index].offset)
    slot.pointee.block = index
    slot.pointee.byteCount = byteCount
  }

  // MARK: Reading all

  func reader() throws(SQLError) -> KeyRunReader {
    try KeyRunReader(SpillReader(file, start: start, end: end))
  }
}

/// Reads the entries of a run one after the other.
final class KeyRunReader {
  private let bytes: SpillReader
  @exclusivity(unchecked) private(set) var entry: KeyRunEntry?

  init(_ bytes: SpillReader) throws(SQLError) {
    self.bytes = bytes
    try advance()
  }

  func advance() throws(SQLError) {
    if let entry { bytes.skip(entry.byteCount) }
    entry = nil
    guard let header = try bytes.peek(KeyRunEntry.headerSize) else { return }
    let size = KeyRunEntry(memory: UnsafeRawPointer(header)).byteCount
    guard let memory = try bytes.peek(size) else { throw SQLError(.corrupt) }
    entry = KeyRunEntry(memory: UnsafeRawPointer(memory))
  }
}
