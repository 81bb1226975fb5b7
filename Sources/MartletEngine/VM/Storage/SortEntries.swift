// Sorting keys in memory: {8 bytes of the key, place of the rest}, equal keys in input order.
//
// Normalized keys are sorted by a stable radix pass over the highest bits in which the prefixes
// differ, then the buckets in the same way; small ones by insertion. When the prefixes of a bucket
// are all equal, the next 8 bytes of its keys become the prefixes, so that a comparison rarely has
// to look behind them. Buckets inside too many others, which only odd data gives, and keys that
// have no normalized form are merged instead.
//
//     key of an entry:  | key size (4) | row size (4) | key, padded with zeros to 8 | row |

struct SortEntry {
  var prefix: UInt64
  let memory: UnsafeMutableRawPointer

  static let headerSize = 8

  @inline(__always) var keySize: Int { Int(memory.load(as: UInt32.self)) }
  @inline(__always) var rowSize: Int { Int(memory.load(fromByteOffset: 4, as: UInt32.self)) }
  @inline(__always) var key: UnsafeRawPointer { UnsafeRawPointer(memory + SortEntry.headerSize) }
  /// Size of the whole.
  @inline(__always) var byteCount: Int { SortEntry.headerSize &+ paddedKeySize &+ rowSize }
  @inline(__always) private var paddedKeySize: Int { (keySize &+ 7) & ~7 }
  @inline(__always) var row: UnsafeRawPointer {
    UnsafeRawPointer(memory + (SortEntry.headerSize &+ paddedKeySize))
  }

  /// The 8 bytes of the key at `offset`, zeros behind its end.
  @inline(__always)
  func prefix(at offset: Int) -> UInt64 {
    guard offset < keySize else { return 0 }
    return key.bigEndianUInt64(at: offset)
  }
}

/// How two keys compare: as bytes, or as rows by a key info.
struct SortKeyOrder {
  /// The keys are normalized; otherwise they are rows of the key columns.
  let isNormalized: Bool
  let keyInfo: KeyInfo

  @inline(__always)
  func compare(
    _ left: UnsafeRawPointer, _ leftSize: Int, _ right: UnsafeRawPointer, _ rightSize: Int
  ) throws(SQLError) -> Int {
    if isNormalized {
      let order = Memory.compare(left, right, min(leftSize, rightSize))
      return order != 0 ? order : leftSize &- rightSize
    }
    return try KeyOrder.compare(rows: left, right, by: keyInfo)
  }

  @inline(__always)
  func compare(_ left: SortEntry, _ right: SortEntry) throws(SQLError) -> Int {
    if isNormalized && left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    return try compare(left.key, left.keySize, right.key, right.keySize)
  }
}

/// The sorting itself, over memory that the caller lends.
struct EntrySort {
  typealias Entries = UnsafeMutablePointer<SortEntry>

  let order: SortKeyOrder
  /// Size of the longest key.
  let longestKey: Int
  private let spare: Entries

  private static let insertionSize = 20
  private static let deepest = 24

  /// Sorts `count` entries whose prefixes are the first 8 bytes of their keys. Afterwards the
  /// prefixes mean nothing.
  static func sort(
    _ entries: Entries, count: Int, order: SortKeyOrder, longestKey: Int
  ) throws(SQLError) {
    if count <= insertionSize {
      // No memory is needed.
      let sort = EntrySort(order: order, longestKey: longestKey, spare: entries)
      return try sort.insertionSort(entries, count, keyOffset: 0)
    }
    let byteCount = count * MemoryLayout<SortEntry>.stride
    let memory = try Memory.allocateLarge(byteCount)
    defer { Memory.freeLarge(memory, byteCount) }
    let sort = EntrySort(
      order: order, longestKey: longestKey,
      spare: memory.bindMemory(to: SortEntry.self, capacity: count))
    if order.isNormalized {
      try sort.radixSort(entries, count, keyOffset: 0, depth: 0)
    } else {
      try sort.mergeSort(entries, count, keyOffset: 0)
    }
  }

  private func radixSort(
    _ entries: Entries, _ count: Int, keyOffset: Int, depth: Int
  ) throws(SQLError) {
    var keyOffset = keyOffset
    while true {
      if count <= EntrySort.insertionSize {
        return try insertionSort(entries, count, keyOffset: keyOffset)
      }
      let differing = EntrySort.differingBits(entries, count)
      if differing != 0 {
        if depth >= EntrySort.deepest {
          return try mergeSort(entries, count, keyOffset: keyOffset)
        }
        return try distribute(entries, count, differing, keyOffset: keyOffset, depth: depth)
      }
      keyOffset &+= 8
      if keyOffset >= longestKey { return }
      for index in 0..<count { entries[index].prefix = entries[index].prefix(at: keyOffset) }
    }
  }

  /// The bits in which the prefixes are not all the same.
  private static func differingBits(_ entries: Entries, _ count: Int) -> UInt64 {
    let first = entries.pointee.prefix
    var differing: UInt64 = 0
    for index in 1..<count { differing |= entries[index].prefix ^ first }
    return differing
  }

  /// Puts the entries into buckets by the highest differing bits and sorts each bucket.
  private func distribute(
    _ entries: Entries, _ count: Int, _ differing: UInt64, keyOffset: Int, depth: Int
  ) throws(SQLError) {
    let wantedBits = max(3, min(11, count.bitWidth - count.leadingZeroBitCount - 3))
    let highestBit = 63 - differing.leadingZeroBitCount
    let shift = UInt64(max(0, highestBit - wantedBits + 1))
    let bucketCount = 1 << min(wantedBits, highestBit + 1)
    let mask = UInt64(bucketCount - 1)
    let memory = try Memory.allocate(bucketCount * MemoryLayout<Int>.stride)
    defer { Memory.free(memory) }
    let ends = memory.bindMemory(to: Int.self, capacity: bucketCount)
    ends.initialize(repeating: 0, count: bucketCount)
    for index in 0..<count { ends[Int((entries[index].prefix &>> shift) & mask)] &+= 1 }
    var total = 0
    for bucket in 0..<bucketCount {
      let size = ends[bucket]
      ends[bucket] = total
      total &+= size
    }
    for index in 0..<count {
      let bucket = Int((entries[index].prefix &>> shift) & mask)
      spare[ends[bucket]] = entries[index]
      ends[bucket] &+= 1
    }
    entries.update(from: spare, count: count)
    var start = 0
    for bucket in 0..<bucketCount {
      let size = ends[bucket] &- start
      if size > 1 {
        try radixSort(entries + start, size, keyOffset: keyOffset, depth: depth &+ 1)
      }
      start = ends[bucket]
    }
  }

  private func insertionSort(
    _ entries: Entries, _ count: Int, keyOffset: Int
  ) throws(SQLError) {
    for index in 1..<max(1, count) {
      let entry = entries[index]
      var place = index
      while place > 0, try isLess(entry, entries[place &- 1], keyOffset) {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
    }
  }

  /// Prefixes are those at `keyOffset`, and all before it is equal.
  @inline(__always)
  private func isLess(
    _ left: SortEntry, _ right: SortEntry, _ keyOffset: Int
  ) throws(SQLError) -> Bool {
    if order.isNormalized {
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      if keyOffset &+ 8 >= longestKey { return false }
    }
    return try order.compare(left.key, left.keySize, right.key, right.keySize) < 0
  }

  /// Bottom-up merge sort: stable, and never worse than n·log n comparisons.
  private func mergeSort(
    _ entries: Entries, _ count: Int, keyOffset: Int
  ) throws(SQLError) {
    let runSize = EntrySort.insertionSize
    var start = 0
    while start < count {
      try insertionSort(entries + start, min(runSize, count - start), keyOffset: keyOffset)
      start += runSize
    }
    var width = runSize
    var source = entries, target = spare
    while width < count {
      var low = 0
      while low < count {
        let middle = min(low + width, count), high = min(low + 2 * width, count)
        try merge(source, low, middle, high, into: target, keyOffset)
        low = high
      }
      swap(&source, &target)
      width *= 2
    }
    if source != entries { entries.update(from: source, count: count) }
  }

  private func merge(
    _ source: Entries, _ low: Int, _ middle: Int, _ high: Int, into target: Entries,
    _ keyOffset: Int
  ) throws(SQLError) {
    var left = low, right = middle, place = low
    while left < middle && right < high {
      if try isLess(source[right], source[left], keyOffset) {
        target[place] = source[right]
        right &+= 1
      } else {
        target[place] = source[left]
        left &+= 1
      }
      place &+= 1
    }
    (target + place).update(from: source + left, count: middle - left)
    (target + place + middle - left).update(from: source + right, count: high - right)
  }
}
