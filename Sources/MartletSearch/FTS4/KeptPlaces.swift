import MartletEngine

/// What is left of the places of some rows, found by docid. There may be more of it than there is
/// memory.
struct KeptPlaces: ~Copyable {
  private struct Row: BitwiseCopyable {
    let docid: Int64
    let start: Int
    let count: Int
  }

  private var places = RowList<Place>()
  /// The newest of a docid counts.
  private var rows = RowList<Row>()
  /// Numbers of rows, counted from 1, by hash; 0 where there is none, as in half of them at least.
  private var slots: UnsafeMutablePointer<Int>?
  private var slotCount = 0
  private var usedCount = 0

  deinit { MemoryUse.free(slots) }

  var isEmpty: Bool { rows.count == 0 }

  /// Keeps these of a row, instead of others.
  mutating func set(
    _ docid: Int64, _ newPlaces: UnsafeBufferPointer<Place>
  ) throws(SQLError) {
    if 2 * usedCount >= slotCount { try grow() }
    let start = places.count
    for place in newPlaces { try places.append(place) }
    try rows.append(Row(docid: docid, start: start, count: newPlaces.count))
    place(rows.count)
  }

  /// Puts a row into the slot of its docid.
  private mutating func place(_ number: Int) {
    guard let slots else { return }
    let slot = slot(of: rows[number - 1].docid)
    if slots[slot] == 0 { usedCount += 1 }
    slots[slot] = number
  }

  /// Where the docid is, or would be.
  private func slot(of docid: Int64) -> Int {
    guard let slots else { return 0 }
    let hash = UInt64(bitPattern: docid) &* 0x9e37_79b9_7f4a_7c15
    var slot = Int(truncatingIfNeeded: hash >> 32) & (slotCount - 1)
    while slots[slot] != 0, rows[slots[slot] - 1].docid != docid {
      slot = (slot + 1) & (slotCount - 1)
    }
    return slot
  }

  private mutating func grow() throws(SQLError) {
    let newCount = max(16, 2 * slotCount)
    guard let memory = MemoryUse.allocate(newCount * MemoryLayout<Int>.stride) else {
      throw SQLError(.outOfMemory)
    }
    MemoryUse.free(slots)
    slots = memory.bindMemory(to: Int.self, capacity: newCount)
    slots?.initialize(repeating: 0, count: newCount)
    slotCount = newCount
    usedCount = 0
    for number in 0..<rows.count { place(number + 1) }
  }

  /// What is kept of a row; false where nothing is.
  func read(_ docid: Int64, into buffer: inout PlaceBuffer) throws(SQLError) -> Bool {
    guard let slots, slots[slot(of: docid)] != 0 else { return false }
    let row = rows[slots[slot(of: docid)] - 1]
    buffer.removeAll()
    for index in row.start..<row.start + row.count { try buffer.append(places[index]) }
    return true
  }
}
