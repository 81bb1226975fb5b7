import MartletEngine

/// Terms of rows that were changed in a transaction, and what the index will say of them once they
/// are written: doclists in order of the docids (fts3 §9.2).
///
/// A table of hashes, whose keys stand one behind the other in memory.
final class PendingTerms {
  private struct Entry {
    let keyStart: Int
    let keyCount: Int
    let hash: UInt32
    let doclist = ByteBlock()
    var docid: Int64 = 0
    var column = -1
    var position = 0
  }

  @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) private(set) var count = 0
  private let keys = ByteBlock()
  /// One more than the index of an entry; 0 where there is none.
  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<UInt32>?
  @exclusivity(unchecked) private var slotCount = 0

  /// What C counts for an entry beside its bytes, which decides when terms are written.
  private static let entryOverhead = 40

  deinit {
    entries?.deinitialize(count: count)
    MemoryUse.free(entries)
    MemoryUse.free(slots)
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  private func entry(_ index: Int) -> UnsafeMutablePointer<Entry> {
    assert(index >= 0 && index < count)
    return entries.unsafelyUnwrapped + index
  }

  /// Adds a place of a term; column -1 stands for none at all, of a row that is deleted. Returns
  /// by how much the terms have grown.
  ///
  /// - Throws: `outOfMemory`, and has added nothing.
  func add(
    _ term: UnsafeRawBufferPointer, docid: Int64, column: Int, position: Int
  ) throws(SQLError) -> Int {
    let entry = entry(try findOrAdd(term))
    let doclist = entry.pointee.doclist
    let before = doclist.count
    do throws(SQLError) {
      try PendingTerms.write(entry, docid: docid, column: column, position: position)
    } catch {
      doclist.shrink(to: before)
      throw error
    }
    return doclist.count - before + (before == 0 ? term.count + Self.entryOverhead : 0)
  }

  @inline(__always)
  private static func write(
    _ entry: UnsafeMutablePointer<Entry>, docid: Int64, column: Int, position: Int
  ) throws(SQLError) {
    let doclist = entry.pointee.doclist, isNew = doclist.count == 0
    var lastColumn = entry.pointee.column, lastPosition = entry.pointee.position
    if isNew || entry.pointee.docid != docid {
      // The first docid stands for itself.
      if !isNew { try doclist.append(0) }
      let previous = isNew ? 0 : UInt64(bitPattern: entry.pointee.docid)
      try doclist.append(number: UInt64(bitPattern: docid) &- previous)
      lastColumn = -1
      lastPosition = 0
    }
    if column > 0 && lastColumn != column {
      try doclist.append(1)
      try doclist.append(number: UInt64(column))
      lastColumn = column
      lastPosition = 0
    }
    if column >= 0 {
      let distance = 2 &+ position &- lastPosition
      try doclist.append(number: UInt64(bitPattern: Int64(distance)))
      lastPosition = position
    }
    entry.pointee.docid = docid
    entry.pointee.column = lastColumn
    entry.pointee.position = lastPosition
  }

  /// Indexes of the terms in their order, of all or of those that begin with `prefix`, or of that
  /// only.
  func indexes(
    startingWith prefix: [UInt8] = [], isExact: Bool = false
  ) throws(SQLError) -> [Int] {
    if isExact {
      return prefix.withUnsafeBytes { find($0, PendingTerms.hash($0)).index }.map { [$0] } ?? []
    }
    // Half of it for the sorting.
    try MemoryUse.requireRoom(forArrayOf: (count + count / 2 + 64) * MemoryLayout<Int>.stride)
    var found = Array(0..<count)
    if !prefix.isEmpty { found.removeAll { !key($0).starts(with: prefix) } }
    found.sort { isBefore($0, $1) }
    return found
  }

  func key(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let entry = entry(index)
    return UnsafeBufferPointer(
      start: keys.start + entry.pointee.keyStart, count: entry.pointee.keyCount)
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    let one = key(left), other = key(right)
    let shared = min(one.count, other.count)
    var index = 0
    while index < shared {
      if one[index] != other[index] { return one[index] < other[index] }
      index &+= 1
    }
    return one.count < other.count
  }

  /// The doclist of a term, in falling order of docids if so asked.
  func doclist(_ index: Int, isDescending: Bool) throws(SQLError) -> Doclist {
    let rising = try ByteBlock(entry(index).pointee.doclist.contents)
    try rising.append(0)
    guard isDescending else { return Doclist(rising) }
    var rows: [(docid: Int64, list: UnsafeBufferPointer<UInt8>)] = []
    var reader = DoclistReader(Doclist(rising), isDescending: false)
    while !reader.isAtEnd {
      try rows.makeRoom()
      rows.append((reader.docid, reader.list))
      reader.advance()
    }
    let falling = try ByteBlock(capacity: rising.count)
    var previous: UInt64 = 0
    for (number, row) in rows.reversed().enumerated() {
      let docid = UInt64(bitPattern: row.docid)
      try falling.append(number: number == 0 ? docid : previous &- docid)
      if let start = row.list.baseAddress { try falling.append(start, row.list.count) }
      try falling.append(0)
      previous = docid
    }
    return withExtendedLifetime(rising) { Doclist(falling) }
  }

  // MARK: Hashes

  private static func hash(_ term: UnsafeRawBufferPointer) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in term { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
  }

  /// The entry of a term, and its slot, or the free one where it would be.
  private func find(_ term: UnsafeRawBufferPointer, _ hash: UInt32) -> (index: Int?, slot: Int) {
    guard let slots else { return (nil, 0) }
    let mask = slotCount - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entry(index).pointee.hash == hash && isKey(index, term) { return (index, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private func findOrAdd(_ term: UnsafeRawBufferPointer) throws(SQLError) -> Int {
    if count * 2 >= slotCount { try growSlots() }
    let hash = PendingTerms.hash(term)
    let (known, slot) = find(term, hash)
    if let known { return known }
    if count == capacity { try growEntries() }
    // For its doclist, an object of that size.
    try MemoryUse.requireRoom(forArrayOf: MemoryLayout<Int>.size)
    let keyStart = keys.count
    if let start = term.baseAddress {
      try keys.append(start.assumingMemoryBound(to: UInt8.self), term.count)
    }
    (entries.unsafelyUnwrapped + count).initialize(
      to: Entry(keyStart: keyStart, keyCount: term.count, hash: hash))
    count += 1
    slots?[slot] = UInt32(count)
    return count - 1
  }

  private func isKey(_ index: Int, _ term: UnsafeRawBufferPointer) -> Bool {
    let key = key(index)
    guard key.count == term.count else { return false }
    var offset = 0
    while offset < key.count {
      if key[offset] != term[offset] { return false }
      offset &+= 1
    }
    return true
  }

  private static func allocate<Element>(
    _ count: Int
  ) throws(SQLError) -> UnsafeMutablePointer<Element> {
    guard let memory = MemoryUse.allocate(count * MemoryLayout<Element>.stride) else {
      throw SQLError(.outOfMemory)
    }
    return memory.bindMemory(to: Element.self, capacity: count)
  }

  private func growEntries() throws(SQLError) {
    let newCapacity = max(2 * capacity, 64)
    let larger: UnsafeMutablePointer<Entry> = try PendingTerms.allocate(newCapacity)
    if let entries { larger.moveInitialize(from: entries, count: count) }
    MemoryUse.free(entries)
    entries = larger
    capacity = newCapacity
  }

  private func growSlots() throws(SQLError) {
    let newCount = max(2 * slotCount, 256)
    let larger: UnsafeMutablePointer<UInt32> = try PendingTerms.allocate(newCount)
    larger.initialize(repeating: 0, count: newCount)
    let mask = newCount - 1
    for index in 0..<count {
      var slot = Int(entry(index).pointee.hash) & mask
      while larger[slot] != 0 { slot = (slot + 1) & mask }
      larger[slot] = UInt32(index + 1)
    }
    MemoryUse.free(slots)
    slots = larger
    slotCount = newCount
  }
}
