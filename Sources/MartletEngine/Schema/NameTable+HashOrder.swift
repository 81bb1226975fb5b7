// The order in which SQLite walks over the tables of a schema, which shows in PRAGMA table_list and
// integrity_check.
//
// SQLite keeps objects in one linked list and, once there are five, in buckets that point into it.
// A new object comes before the newest one of its bucket, or at the head of the list. What is taken
// away leaves the others where they are, and as many buckets as there were.

/// SQLite's hash table, as far as its order goes.
struct HashWalk {
  /// Positions of the objects, in the order of the list.
  private(set) var order: [Int] = []
  private var hashes: [UInt32] = []
  private var bucketCount = 0
  /// For each bucket, how many objects it has.
  private var counts: [Int] = []

  /// A bucket table of SQLite is at most one allocation of 1,024 bytes.
  private static let maximumBucketCount = 64

  static func hash(_ name: Name) -> UInt32 {
    var hash: UInt32 = 0
    for offset in 0..<Int(name.count) {
      hash = (hash &+ UInt32(name.start[offset] & 0xdf)) &* 0x9e37_79b1
    }
    return hash
  }

  mutating func insert(_ hash: UInt32) {
    hashes.append(hash)
    let count = hashes.count
    if count >= 5 && count > 2 * bucketCount { grow(to: count * 3) }
    place(count - 1)
  }

  /// Those behind the position move up by one.
  mutating func remove(_ position: Int) {
    if bucketCount > 0 { counts[bucket(of: position)] -= 1 }
    hashes.remove(at: position)
    order.removeAll { $0 == position }
    for index in order.indices where order[index] > position { order[index] -= 1 }
    if hashes.isEmpty { self = HashWalk() }
  }

  /// The same walk where the object at position i stands at `positions[i]`.
  func moved(to positions: [Int]) -> HashWalk {
    var result = self
    for (old, new) in positions.enumerated() { result.hashes[new] = hashes[old] }
    result.order = order.map { positions[$0] }
    return result
  }

  private func bucket(of position: Int) -> Int { Int(hashes[position] % UInt32(bucketCount)) }

  private mutating func grow(to wanted: Int) {
    let wanted = min(wanted, HashWalk.maximumBucketCount)
    guard wanted != bucketCount else { return }
    bucketCount = wanted
    counts = Array(repeating: 0, count: wanted)
    let old = order
    order = []
    for position in old { place(position) }
  }

  /// Objects of one bucket stand together, the newest first.
  private mutating func place(_ position: Int) {
    var index = 0
    if bucketCount > 0 {
      let bucket = bucket(of: position)
      if counts[bucket] > 0 {
        index = order.firstIndex { self.bucket(of: $0) == bucket } ?? 0
      }
      counts[bucket] += 1
    }
    order.insert(position, at: index)
  }
}
