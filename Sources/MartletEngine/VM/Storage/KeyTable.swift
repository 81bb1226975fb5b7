// The hash table under sets, join tables and hash aggregation: keys of one or more columns, equal
// as their collations and datatype3 §4 say, found by open addressing.
//
//     slot:  | hash (8) | entry (8) |            linear probing, a power of two of them
//     entry: | word (8) | byte count (4) | kind (1) | … | payload | key bytes |
//
// Equal keys have equal canonical forms, so that finding compares bytes and calls no collation. A
// key of one column is kept without encoding: a number in `word`, a text as it is if its collation
// is BINARY. The hash is seeded by an address: its order is never seen.

/// A key in canonical form. `bytes` belongs to a register or to the table's scratch memory.
struct CanonicalKey {
  enum Kind: UInt8 { case null, integer, real, text, blob, collationClass, several }

  var kind: Kind
  var word: UInt64 = 0
  var bytes: UnsafeRawPointer? = nil
  var byteCount: UInt32 = 0
  var hasNull = false
}

final class KeyTable {
  struct Slot {
    var hash: UInt64
    var entry: UnsafeMutableRawPointer?
  }

  static let headerSize = 16

  let keyInfo: KeyInfo
  let payloadSize: Int
  private let budget: WorkMemory
  @exclusivity(unchecked) var arena: Arena
  @exclusivity(unchecked) private(set) var slots: UnsafeMutablePointer<Slot>
  @exclusivity(unchecked) private var mask = 0
  @exclusivity(unchecked) private(set) var entryCount = 0
  private let seed: UInt64
  /// Where keys of several columns and folded texts are put together.
  @exclusivity(unchecked) var scratch: UnsafeMutableRawPointer?
  @exclusivity(unchecked) var scratchCapacity = 0
  /// For each key column with a collation of the application: its classes of equal texts.
  let classes: [CollationClasses?]
  private let singleKind: Collation.Kind?

  init(keyInfo: KeyInfo, payloadSize: Int, budget: WorkMemory) throws(SQLError) {
    assert(payloadSize % 8 == 0, "key bytes follow aligned")
    slots = try KeyTable.allocateSlots(16)
    self.keyInfo = keyInfo
    self.payloadSize = payloadSize
    self.budget = budget
    arena = Arena(budget: budget)
    budget.take(16 * MemoryLayout<Slot>.stride)
    mask = 15
    seed = UInt64(UInt(bitPattern: slots)) &* 0x9e37_79b9_7f4a_7c15
    classes = keyInfo.columns.prefix(keyInfo.keyColumnCount).map {
      $0.collation.kind == .custom ? CollationClasses($0.collation, keyInfo.encoding) : nil
    }
    singleKind = keyInfo.keyColumnCount == 1 ? keyInfo.columns[0].collation.kind : nil
  }

  deinit {
    arena.removeAll()
    let slotBytes = (mask + 1) * MemoryLayout<Slot>.stride
    Memory.freeLarge(slots, slotBytes)
    budget.giveBack(slotBytes)
    Memory.free(scratch)
  }

  private static func allocateSlots(_ count: Int) throws(SQLError) -> UnsafeMutablePointer<Slot> {
    try Memory.allocateLarge(count * MemoryLayout<Slot>.stride, isZeroed: true)
      .bindMemory(to: Slot.self, capacity: count)
  }

  // MARK: Finding

  /// The canonical form of the key in `registers`. It is valid until the next call.
  ///
  /// - Parameter isAdding: the key may be added. Otherwise a text that no key has in a column with
  ///   a collation of the application gets a class that no key has.
  @inline(__always)
  func canonicalKey(
    _ registers: UnsafePointer<Register>, isAdding: Bool
  ) throws(SQLError) -> CanonicalKey {
    if let singleKind {
      switch registers.pointee.tag {
      case .integer: return CanonicalKey(kind: .integer, word: registers.pointee.bits)
      case .null: return CanonicalKey(kind: .null, hasNull: true)
      case .text where singleKind == .binary:
        return CanonicalKey(
          kind: .text, bytes: registers.pointee.bytes.map { UnsafeRawPointer($0) },
          byteCount: UInt32(truncatingIfNeeded: registers.pointee.byteCount))
      default: break
      }
    }
    return try encodedKey(registers, isAdding: isAdding)
  }

  @inline(__always)
  func hash(of key: CanonicalKey) -> UInt64 {
    if key.byteCount == 0 { return KeyTable.mix(key.word ^ UInt64(key.kind.rawValue), seed) }
    return KeyTable.hash(key.bytes.unsafelyUnwrapped, Int(key.byteCount), seed)
  }

  /// The payload of the entry with this key, or nil.
  @inline(__always)
  func find(_ key: CanonicalKey, hash: UInt64) -> UnsafeMutableRawPointer? {
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots + index
      guard let entry = slot.pointee.entry else { return nil }
      if slot.pointee.hash == hash && isEqual(entry, key) { return entry + KeyTable.headerSize }
      index = (index &+ 1) & mask
    }
  }

  @inline(__always)
  private func isEqual(_ entry: UnsafeMutableRawPointer, _ key: CanonicalKey) -> Bool {
    guard entry.load(as: UInt64.self) == key.word,
      entry.load(fromByteOffset: 8, as: UInt32.self) == key.byteCount,
      entry.load(fromByteOffset: 12, as: CanonicalKey.Kind.self) == key.kind
    else { return false }
    if key.byteCount == 0 { return true }
    return KeyTable.isEqual(
      entry + KeyTable.headerSize + payloadSize, key.bytes.unsafelyUnwrapped, Int(key.byteCount))
  }

  // MARK: Changing

  /// Adds a key that is not there. Returns its payload, which is not initialized.
  func add(_ key: CanonicalKey, hash: UInt64) throws(SQLError) -> UnsafeMutableRawPointer {
    if growsNext { try grow() }
    let entry = try arena.allocate(KeyTable.headerSize &+ payloadSize &+ Int(key.byteCount))
    entry.storeBytes(of: key.word, as: UInt64.self)
    entry.storeBytes(of: key.byteCount, toByteOffset: 8, as: UInt32.self)
    entry.storeBytes(of: key.kind, toByteOffset: 12, as: CanonicalKey.Kind.self)
    if key.byteCount > 0 {
      let target = entry + KeyTable.headerSize + payloadSize
      Memory.copy(from: key.bytes.unsafelyUnwrapped, to: target, Int(key.byteCount))
    }
    place(Slot(hash: hash, entry: entry))
    entryCount &+= 1
    return entry + KeyTable.headerSize
  }

  var slotByteCount: Int { (mask &+ 1) &* MemoryLayout<Slot>.stride }

  /// The same as far as keys are there: an empty table has its slots, and nothing to put out.
  @inline(__always)
  var filledSlotByteCount: Int { min(slotByteCount, entryCount &* 2 &* MemoryLayout<Slot>.stride) }

  /// The next key makes the slots more.
  var growsNext: Bool { entryCount &* 8 >= (mask &+ 1) &* 5 }

  // MARK: Taking all out

  /// All entries with their hashes. They stand in place of the slots until `removeAll`.
  func takeEntries() -> UnsafeMutablePointer<SortEntry> {
    var count = 0
    for index in 0...mask where slots[index].entry != nil {
      slots[count] = slots[index]
      count &+= 1
    }
    assert(count == entryCount, "each entry has a slot")
    // A slot with an entry is laid out as a sort entry is.
    return UnsafeMutableRawPointer(slots).bindMemory(to: SortEntry.self, capacity: count)
  }

  /// The key of an entry, which lends its bytes.
  @inline(__always)
  func key(of entry: UnsafeMutableRawPointer) -> CanonicalKey {
    CanonicalKey(
      kind: entry.load(fromByteOffset: 12, as: CanonicalKey.Kind.self),
      word: entry.load(as: UInt64.self),
      bytes: UnsafeRawPointer(entry + KeyTable.headerSize + payloadSize),
      byteCount: entry.load(fromByteOffset: 8, as: UInt32.self))
  }

  /// Forgets all keys, and gives back the memory of the slots, too.
  func giveBackAll() throws(SQLError) {
    let few = try KeyTable.allocateSlots(16)
    arena.removeAll()
    Memory.freeLarge(slots, (mask + 1) * MemoryLayout<Slot>.stride)
    budget.giveBack((mask - 15) * MemoryLayout<Slot>.stride)
    slots = few
    mask = 15
    entryCount = 0
  }

  /// Forgets all keys, and keeps a little memory for those to come. False for a table that remembers
  /// what the application's collations take as equal.
  func reuse() throws(SQLError) -> Bool {
    if classes.contains(where: { $0 != nil }) { return false }
    guard mask < 256 else {
      try giveBackAll()
      return true
    }
    arena.reuse()
    if entryCount > 0 { clearSlots() }
    return true
  }

  /// Forgets all keys and all that the arena has.
  func removeAll() {
    arena.removeAll()
    clearSlots()
  }

  private func clearSlots() {
    let slotCount = mask + 1
    slots = UnsafeMutableRawPointer(slots).bindMemory(to: Slot.self, capacity: slotCount)
    slots.initialize(repeating: Slot(hash: 0, entry: nil), count: slotCount)
    entryCount = 0
  }

  private func place(_ slot: Slot) {
    var index = Int(truncatingIfNeeded: slot.hash) & mask
    while slots[index].entry != nil { index = (index &+ 1) & mask }
    slots[index] = slot
  }

  @inline(never)
  private func grow() throws(SQLError) {
    let oldSlots = slots, oldCount = mask + 1
    let newCount = oldCount * 2
    slots = try KeyTable.allocateSlots(newCount)
    budget.take((newCount - oldCount) * MemoryLayout<Slot>.stride)
    mask = newCount - 1
    for index in 0..<oldCount where oldSlots[index].entry != nil { place(oldSlots[index]) }
    Memory.freeLarge(oldSlots, oldCount * MemoryLayout<Slot>.stride)
  }

  // MARK: Hashing

  @inline(__always)
  static func mix(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    let product = (value ^ seed).multipliedFullWidth(by: 0x9fb2_1c65_1e98_df25)
    // The filters of runs rely on the lowest two bits (`KeyRun`).
    return (product.high ^ product.low) &<< 1 | 3
  }

  static func hash(_ bytes: UnsafeRawPointer, _ byteCount: Int, _ seed: UInt64) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: byteCount)
    var offset = 0
    while offset &+ 8 <= byteCount {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let product = (state ^ word).multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
      state = product.high ^ product.low
      offset &+= 8
    }
    return mix(state ^ lastWord(bytes + offset, byteCount &- offset), seed)
  }

  /// The last 0 to 7 bytes as a number, without reading behind them.
  @inline(__always)
  private static func lastWord(_ bytes: UnsafeRawPointer, _ byteCount: Int) -> UInt64 {
    if byteCount >= 4 {
      let low = UInt64(bytes.loadUnaligned(as: UInt32.self))
      let high = bytes.loadUnaligned(fromByteOffset: byteCount &- 4, as: UInt32.self)
      return low | UInt64(high) &<< 32
    }
    guard byteCount > 0 else { return 0 }
    let first = UInt64(bytes.load(as: UInt8.self))
    let middle = UInt64(bytes.load(fromByteOffset: byteCount &>> 1, as: UInt8.self))
    let last = UInt64(bytes.load(fromByteOffset: byteCount &- 1, as: UInt8.self))
    return first | middle &<< 8 | last &<< 16
  }

  @inline(__always)
  static func isEqual(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int
  ) -> Bool {
    if byteCount > 32 { return Memory.compare(left, right, byteCount) == 0 }
    var offset = 0
    while offset &+ 8 <= byteCount {
      if left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset &+= 8
    }
    return lastWord(left + offset, byteCount &- offset)
      == lastWord(right + offset, byteCount &- offset)
  }
}
