import MartletEngine

/// Terms of rows that were changed in a transaction, and what the index will say of them once they
/// are written: doclists in order of the docids (fts3 §9.2).
///
/// A table of hashes, whose keys stand one behind the other in memory.
struct PendingTerms {
  private struct Entry {
    var keyStart: Int
    var keyCount: Int
    var hash: UInt32
    var doclist: [UInt8] = []
    var docid: Int64 = 0
    var column = -1
    var position = 0
  }

  private var entries: [Entry] = []
  private var keys: [UInt8] = []
  /// One more than the index of an entry; 0 where there is none.
  private var slots: [UInt32] = []

  /// What C counts for an entry beside its bytes, which decides when terms are written.
  private static let entryOverhead = 40

  var isEmpty: Bool { entries.isEmpty }

  mutating func removeAll() {
    entries.removeAll()
    keys.removeAll()
    slots.removeAll()
  }

  /// Adds a place of a term; column -1 stands for none at all, of a row that is deleted. Returns
  /// by how much the terms have grown.
  mutating func add(
    _ term: UnsafeRawBufferPointer, docid: Int64, column: Int, position: Int
  ) -> Int {
    let (index, isNew) = findOrAdd(term)
    let before = isNew ? 0 : entries[index].doclist.count + term.count + Self.entryOverhead
    if isNew || entries[index].docid != docid {
      // The first docid stands for itself.
      let delta = UInt64(bitPattern: docid) &- UInt64(bitPattern: isNew ? 0 : entries[index].docid)
      if !isNew { entries[index].doclist.append(0) }
      entries[index].doclist.append(number: delta)
      entries[index].column = -1
      entries[index].position = 0
      entries[index].docid = docid
    }
    if column > 0 && entries[index].column != column {
      entries[index].doclist.append(1)
      entries[index].doclist.append(number: column)
      entries[index].column = column
      entries[index].position = 0
    }
    if column >= 0 {
      entries[index].doclist.append(number: 2 &+ position &- entries[index].position)
      entries[index].position = position
    }
    return entries[index].doclist.count + term.count + Self.entryOverhead - before
  }

  /// Terms in order, or those that begin with `prefix`, or only that.
  func terms(startingWith prefix: [UInt8] = [], isExact: Bool = false) -> [(key: [UInt8], index: Int)]
  {
    if isExact {
      guard let index = prefix.withUnsafeBytes({ find($0, PendingTerms.hash($0)).index }) else { return [] }
      return [(prefix, index)]
    }
    var found: [(key: [UInt8], index: Int)] = []
    for (index, entry) in entries.enumerated() {
      let key = keys[entry.keyStart..<entry.keyStart + entry.keyCount]
      if prefix.isEmpty || key.starts(with: prefix) { found.append((Array(key), index)) }
    }
    found.sort { [UInt8].compare($0.key, $1.key) < 0 }
    return found
  }

  /// The doclist of a term, in falling order of docids if so asked.
  func doclist(_ index: Int, isDescending: Bool) -> [UInt8] {
    let plain = entries[index].doclist + [0]
    guard isDescending else { return plain }
    var documents: [(docid: UInt64, list: Range<Int>)] = []
    plain.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      var docid: UInt64 = 0
      while !reader.isAtEnd {
        docid &+= reader.number()
        let start = reader.offset
        documents.append((docid, start..<reader.skipPositions(ofColumn: false)))
        reader.offset += 1
      }
    }
    var reversed: [UInt8] = []
    var previous: UInt64 = 0
    for (index, document) in documents.reversed().enumerated() {
      reversed.append(
        number: index == 0 ? document.docid : previous &- document.docid)
      reversed += plain[document.list]
      reversed.append(0)
      previous = document.docid
    }
    return reversed
  }

  // MARK: Hashes

  private static func hash(_ term: UnsafeRawBufferPointer) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in term { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return hash
  }

  /// The entry of a term, and its slot, or the free one where it would be.
  private func find(_ term: UnsafeRawBufferPointer, _ hash: UInt32) -> (index: Int?, slot: Int) {
    if slots.isEmpty { return (nil, 0) }
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash && isKey(index, term) { return (index, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private mutating func findOrAdd(_ term: UnsafeRawBufferPointer) -> (index: Int, isNew: Bool) {
    if slots.isEmpty { slots = Array(repeating: 0, count: 256) }
    let hash = PendingTerms.hash(term)
    let (known, slot) = find(term, hash)
    if let known { return (known, false) }
    entries.append(Entry(keyStart: keys.count, keyCount: term.count, hash: hash))
    keys.append(contentsOf: term)
    slots[slot] = UInt32(entries.count)
    if entries.count * 2 > slots.count { grow() }
    return (entries.count - 1, true)
  }

  private func isKey(_ index: Int, _ term: UnsafeRawBufferPointer) -> Bool {
    let entry = entries[index]
    guard entry.keyCount == term.count else { return false }
    for offset in 0..<term.count where keys[entry.keyStart + offset] != term[offset] {
      return false
    }
    return true
  }

  private mutating func grow() {
    let mask = slots.count * 2 - 1
    slots = Array(repeating: 0, count: mask + 1)
    for (index, entry) in entries.enumerated() {
      var slot = Int(entry.hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = UInt32(index + 1)
    }
  }
}
