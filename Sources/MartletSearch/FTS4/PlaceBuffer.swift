import MartletEngine

/// Places of a row, in memory that the next row uses again.
struct PlaceBuffer: ~Copyable {
  private var memory: UnsafeMutablePointer<Place>?
  private var capacity = 0
  private(set) var count = 0

  deinit { MemoryUse.free(memory) }

  /// Good until others are read.
  var places: UnsafeBufferPointer<Place> {
    @inline(__always) get { UnsafeBufferPointer(start: memory, count: count) }
  }

  mutating func removeAll() { count = 0 }

  /// Reads a position list.
  mutating func read(_ list: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    count = 0
    // A place takes a byte at least.
    try reserve(list.count)
    guard let memory else { return }
    var reader = PlaceReader(list), found = 0
    while true {
      let place = reader.next()
      if place < 0 { break }
      memory[found] = place
      found &+= 1
    }
    count = found
  }

  /// Leaves those places only that have one of `other` near enough; all of them, and says false,
  /// if none has.
  mutating func keep(
    near other: UnsafeBufferPointer<Place>, before: Int, behind: Int
  ) -> Bool {
    guard let memory else { return false }
    let left = PositionList.near(
      memory, count: count, other, before: Int64(before), behind: Int64(behind))
    if left == 0 { return false }
    count = left
    return true
  }

  @inline(__always)
  private mutating func reserve(_ wanted: Int) throws(SQLError) {
    if wanted > capacity { try grow(to: max(2 * wanted, 32)) }
  }

  @inline(never)
  private mutating func grow(to wanted: Int) throws(SQLError) {
    guard let larger = MemoryUse.reallocate(memory, wanted * MemoryLayout<Place>.stride) else {
      throw SQLError(.outOfMemory)
    }
    memory = larger.assumingMemoryBound(to: Place.self)
    capacity = wanted
  }
}
