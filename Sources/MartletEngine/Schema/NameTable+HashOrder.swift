// The order in which SQLite walks over the tables of a schema, which shows in PRAGMA table_list and
// integrity_check.
//
// SQLite keeps objects in one linked list and, once there are five, in buckets that point into it.
// A new object comes before the newest one of its bucket, or at the head of the list. What is taken
// away leaves the others where they are, and as many buckets as there were.

/// SQLite's hash table, as far as its order goes.
///
/// The list is sorted when it is asked for: by when a bucket got its first object, then by when an
/// object came, the newest first.
struct HashWalk {
  private var hashes: [UInt32] = []
  /// When each object was put into the list.
  private var stamps: [Int32] = []
  private var clock: Int32 = 0
  private var bucketCount = 0
  /// For each bucket, how many objects it has, and when it got the first of them.
  private var counts: [Int32] = []
  private var bucketStamps: [Int32] = []

  /// A bucket table of SQLite is at most one allocation of 1,024 bytes.
  private static let maximumBucketCount = 64

  static func hash(_ name: Name) -> UInt32 {
    var hash: UInt32 = 0
    for offset in 0..<Int(name.count) {
      hash = (hash &+ UInt32(name.start[offset] & 0xdf)) &* 0x9e37_79b1
    }
    return hash
  }

  /// Positions of the objects, in the order of the list.
  var order: [Int] {
    hashes.indices.sorted { left, right in
      let first = bucketStamp(of: left), second = bucketStamp(of: right)
      return first != second ? first > second : stamps[left] > stamps[right]
    }
  }

  mutating func insert(_ hash: UInt32) {
    // After so many objects that came and went, the stamps begin anew.
    if clock == .max { restamp() }
    hashes.append(hash)
    stamps.append(0)
    let count = hashes.count
    if count >= 5 && count > 2 * bucketCount { grow(to: count * 3) }
    place(count - 1)
  }

  /// Those behind the position move up by one.
  mutating func remove(_ position: Int) {
    if bucketCount > 0 { counts[bucket(of: position)] -= 1 }
    hashes.remove(at: position)
    stamps.remove(at: position)
    if hashes.isEmpty { self = HashWalk() }
  }

  /// The same walk where the object at position i stands at `positions[i]`.
  func moved(to positions: [Int]) -> HashWalk {
    var result = self
    for (old, new) in positions.enumerated() {
      result.hashes[new] = hashes[old]
      result.stamps[new] = stamps[old]
    }
    return result
  }

  private func bucket(of position: Int) -> Int { Int(hashes[position] % UInt32(bucketCount)) }

  private func bucketStamp(of position: Int) -> Int32 {
    bucketCount > 0 ? bucketStamps[bucket(of: position)] : 0
  }

  /// Puts the objects into more buckets, in the order of the list; the last one is not in it yet.
  private mutating func grow(to wanted: Int) {
    let wanted = min(wanted, HashWalk.maximumBucketCount)
    guard wanted != bucketCount else { return }
    let newest = hashes.count - 1, old = order.filter { $0 != newest }
    bucketCount = wanted
    counts = Array(repeating: 0, count: wanted)
    bucketStamps = Array(repeating: 0, count: wanted)
    for position in old { place(position) }
  }

  private mutating func place(_ position: Int) {
    clock += 1
    stamps[position] = clock
    guard bucketCount > 0 else { return }
    let bucket = bucket(of: position)
    if counts[bucket] == 0 { bucketStamps[bucket] = clock }
    counts[bucket] += 1
  }

  /// Stamps the objects and buckets from 1 on, in the order that they have.
  private mutating func restamp() {
    let old = order
    clock = 0
    for position in old.reversed() {
      let bucket = bucketCount > 0 ? bucket(of: position) : 0
      let isNew = bucketCount > 0 && bucketStamps[bucket] > 0
      clock += 1
      stamps[position] = clock
      // Negative while the others still have old stamps.
      if isNew { bucketStamps[bucket] = -clock }
    }
    for bucket in bucketStamps.indices { bucketStamps[bucket] = -min(0, bucketStamps[bucket]) }
  }
}
