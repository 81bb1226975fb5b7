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
    let doclist = ByteBlock(capacity: 16)
    var docid: Int64 = 0
    var column = -1
    var position = 0
  }

  @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
  @exclusivity(unchecked) private var capacity = 64
  @exclusivity(unchecked) private(set) var count = 0
  private let keys = ByteBlock(capacity: 1_024)
  /// One more than the index of an entry; 0 where there is none.
  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<UInt32>
  @exclusivity(unchecked) private var slotCount = 256

  /// What C counts for an entry beside its bytes, which decides when terms are written.
  private static let entryOverhead = 40

  init() {
    entries = .allocate(capacity: capacity)
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
    slots.deallocate()
  }

  var isEmpty: Bool { count == 0 }

  /// Adds a place of a term; column -1 stands for none at all, of a row that is deleted. Returns
  /// by how much the terms have grown.
  func add(
    _ term: UnsafeRawBufferPointer, docid: Int64, column: Int, position: Int
  ) -> Int {
    let known = count
    let index = findOrAdd(term)
    // A new entry may have moved them all.
    let entry = entries + index
    let isNew = count > known
    let doclist = entry.pointee.doclist
    let before = doclist.count
    if isNew || entry.pointee.docid != docid {
      // The first docid stands for itself.
      if !isNew { doclist.append(0) }
      let previous = UInt64(bitPattern: entry.pointee.docid)
      doclist.append(number: UInt64(bitPattern: docid) &- previous)
      entry.pointee.column = -1
      entry.pointee.position = 0
      entry.pointee.docid = docid
    }
    if column > 0 && entry.pointee.column != column {
      doclist.append(1)
      doclist.append(number: UInt64(column))
      entry.pointee.column = column
      entry.pointee.position = 0
    }
    if column >= 0 {
      let distance = 2 &+ position &- entry.pointee.position
      doclist.append(number: UInt64(bitPattern: Int64(distance)))
      entry.pointee.position = position
    }
    return doclist.count - before + (isNew ? term.count + Self.entryOverhead : 0)
  }

  /// Indexes of the terms in their order, of all or of those that begin with `prefix`, or of that
  /// only.
  func indexes(startingWith prefix: [UInt8] = [], isExact: Bool = false) -> [Int] {
    if isExact {
      return prefix.withUnsafeBytes { find($0, PendingTerms.hash($0)).index }.map { [$0] } ?? []
    }
    var found = Array(0..<count)
    if !prefix.isEmpty { found.removeAll { !key($0).starts(with: prefix) } }
    found.sort { isBefore($0, $1) }
    return found
  }

  func key(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: keys.start + entries[index].keyStart, count: entries[index].keyCount)
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
  func doclist(_ index: Int, isDescending: Bool) -> Doclist {
    let rising = ByteBlock(entries[index].doclist.contents)
    rising.append(0)
    guard isDescending else { return Doclist(rising) }
    var rows: [(docid: Int64, list: UnsafeBufferPointer<UInt8>)] = []
    var reader = DoclistReader(Doclist(rising), isDescending: false)
    while !reader.isAtEnd {
      rows.append((reader.docid, reader.list))
      reader.advance()
    }
    let falling = ByteBlock(capacity: rising.count)
    var previous: UInt64 = 0
    for (number, row) in rows.reversed().enumerated() {
      let docid = UInt64(bitPattern: row.docid)
      falling.append(number: number == 0 ? docid : previous &- docid)
      if let start = row.list.baseAddress { falling.append(start, row.list.count) }
      falling.append(0)
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
    let mask = slotCount - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash && isKey(index, term) { return (index, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private func findOrAdd(_ term: UnsafeRawBufferPointer) -> Int {
    let hash = PendingTerms.hash(term)
    let (known, slot) = find(term, hash)
    if let known { return known }
    if count == capacity { growEntries() }
    (entries + count).initialize(
      to: Entry(keyStart: keys.count, keyCount: term.count, hash: hash))
    if let start = term.baseAddress {
      keys.append(start.assumingMemoryBound(to: UInt8.self), term.count)
    }
    count += 1
    slots[slot] = UInt32(count)
    if count * 2 > slotCount { growSlots() }
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

  private func growEntries() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: entries, count: count)
    entries.deallocate()
    entries = larger
    capacity *= 2
  }

  private func growSlots() {
    slots.deallocate()
    slotCount *= 2
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: 0, count: slotCount)
    let mask = slotCount - 1
    for index in 0..<count {
      var slot = Int(entries[index].hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(index + 1)
    }
  }
}
