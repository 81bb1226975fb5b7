// The order in which SQLite walks over the tables of a schema, which shows in PRAGMA table_list and
// integrity_check.
//
// SQLite keeps objects in one linked list and, once there are ten, in buckets that point into it. A
// new object comes before the newest one of its bucket, or at the head of the list.

extension NameTable {
  var inHashOrder: [Object] {
    var walk = HashWalk()
    for object in objects { walk.insert(HashWalk.hash(object.name)) }
    return walk.order.map { objects[$0] }
  }
}

private struct HashWalk {
  /// Positions of the objects, in the order of the list.
  private(set) var order: [Int] = []
  private var hashes: [UInt32] = []
  private var bucketCount = 0
  /// For each bucket, the position of its newest object.
  private var newest: [Int?] = []

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

  private mutating func grow(to wanted: Int) {
    let wanted = min(wanted, HashWalk.maximumBucketCount)
    guard wanted != bucketCount else { return }
    bucketCount = wanted
    newest = Array(repeating: nil, count: wanted)
    let old = order
    order = []
    for position in old { place(position) }
  }

  private mutating func place(_ position: Int) {
    var index = 0
    if bucketCount > 0 {
      let bucket = Int(hashes[position] % UInt32(bucketCount))
      if let head = newest[bucket], let found = order.firstIndex(of: head) { index = found }
      newest[bucket] = position
    }
    order.insert(position, at: index)
  }
}
