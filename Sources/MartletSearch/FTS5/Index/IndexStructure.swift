// The structure record (fts5 §9.2.2), row 10 of `%_data`:
//
//     | cookie u32 | version 2 only: ff 00 00 01 | level count | segment count | write counter |
//     for each level:    | segments that are being merged | segments |
//       for each segment: | id | first page | last page |
//         version 2 only: | oldest origin | newest origin | tombstone pages | tombstones | rows |
import MartletEngine

/// A segment of the index.
struct IndexSegment: Equatable {
  var id = 0
  var firstPage = 0
  var lastPage = 0
  var oldestOrigin: UInt64 = 0
  var newestOrigin: UInt64 = 0
  var tombstonePageCount = 0
  var tombstoneCount: UInt64 = 0
  var entryCount: UInt64 = 0

  var pageCount: Int { 1 + lastPage - firstPage }
}

/// Segments that are merged with each other, the oldest first.
struct IndexLevel: Equatable {
  /// How many of the first segments a merge has begun to read.
  var mergedCount = 0
  var segments: [IndexSegment] = []
}

/// Which segments there are (SQLite's Fts5Structure).
struct IndexStructure: Equatable {
  /// Level 0 has the newest segments.
  var levels: [IndexLevel] = []
  /// Pages that were written to level 0.
  var writeCounter: UInt64 = 0
  /// The origin of the next segment; 0 for tables without contentless_delete.
  var nextOrigin: UInt64 = 0

  var segmentCount: Int { levels.reduce(0) { $0 + $1.segments.count } }

  static let versionTwo: [UInt8] = [0xff, 0, 0, 1]

  // MARK: Reading

  /// - Returns: The structure, and the cookie of the configuration that it was written with.
  ///   nil for a damaged record.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> (IndexStructure, cookie: Int)? {
    guard bytes.count >= 4, let start = bytes.baseAddress else { return nil }
    var reader = StructureReader(
      start.assumingMemoryBound(to: UInt8.self), bytes.count)
    let cookie = reader.cookie()
    let isSecond = reader.takeVersionTwo()
    guard let levelCount = reader.number(), let segmentCount = reader.number(),
      levelCount <= IndexFormat.mostLevels, segmentCount <= IndexFormat.mostSegments,
      let counter = reader.wide()
    else { return nil }
    var structure = IndexStructure()
    structure.writeCounter = counter
    var rest = segmentCount, newest: UInt64 = 0
    for index in 0..<levelCount {
      guard let merged = reader.number(), let count = reader.number(), merged <= count,
        count <= rest
      else { return nil }
      // What is merged goes to a level that there is.
      if merged > 0 && index == levelCount - 1 { return nil }
      rest -= count
      var level = IndexLevel(mergedCount: merged)
      for _ in 0..<count {
        guard let segment = reader.segment(isSecond) else { return nil }
        newest = max(newest, segment.newestOrigin)
        level.segments.append(segment)
      }
      // A merge has begun to fill the newest segment of this level.
      if index > 0, structure.levels[index - 1].mergedCount > 0, count == 0 { return nil }
      structure.levels.append(level)
    }
    guard rest == 0, structure.hasSoundSegments else { return nil }
    if isSecond { structure.nextOrigin = newest &+ 1 }
    return (structure, cookie)
  }

  /// Each number is that of one segment, and one that a segment can have.
  private var hasSoundSegments: Bool {
    var seen: Set<Int> = []
    return levels.allSatisfy { level in
      level.segments.allSatisfy { (1...0xffff).contains($0.id) && seen.insert($0.id).inserted }
    }
  }

  // MARK: Writing

  func encode(cookie: Int, to bytes: GrowingBytes) throws(SQLError) {
    bytes.removeAll()
    for shift in [24, 16, 8, 0] { try bytes.append(UInt8(truncatingIfNeeded: cookie >> shift)) }
    if nextOrigin > 0 {
      for byte in IndexStructure.versionTwo { try bytes.append(byte) }
    }
    try bytes.append(varint: levels.count)
    try bytes.append(varint: segmentCount)
    try bytes.append(varint: writeCounter)
    for level in levels {
      assert(level.mergedCount <= level.segments.count, "a level merges its own segments")
      try bytes.append(varint: level.mergedCount)
      try bytes.append(varint: level.segments.count)
      for segment in level.segments {
        try bytes.append(varint: segment.id)
        try bytes.append(varint: segment.firstPage)
        try bytes.append(varint: segment.lastPage)
        guard nextOrigin > 0 else { continue }
        try bytes.append(varint: segment.oldestOrigin)
        try bytes.append(varint: segment.newestOrigin)
        try bytes.append(varint: segment.tombstonePageCount)
        try bytes.append(varint: segment.tombstoneCount)
        try bytes.append(varint: segment.entryCount)
      }
    }
  }

  // MARK: Changing

  /// The lowest number that no segment has.
  ///
  /// - Throws: `full` where there are too many segments.
  func unusedSegment() throws(SQLError) -> Int {
    guard segmentCount < IndexFormat.mostSegments else { throw SQLError(.full) }
    var used = [Bool](repeating: false, count: IndexFormat.mostSegments + 2)
    for level in levels {
      for segment in level.segments where segment.id < used.count { used[segment.id] = true }
    }
    return used.dropFirst().firstIndex(of: false) ?? 1
  }

  /// Leaves out levels without segments where there are more levels than can be read. The others
  /// stay in order, and what a merge has begun goes to the level that follows.
  ///
  /// Each OPTIMIZE of a table with contentless_delete that has one segment adds a level.
  mutating func limitLevels() {
    guard levels.count > IndexFormat.mostLevels else { return }
    let hasNoNewest = levels[0].segments.isEmpty
    levels.removeAll { $0.segments.isEmpty }
    // New segments are not put to those of another size.
    if hasNoNewest && levels.count < IndexFormat.mostLevels { levels.insert(IndexLevel(), at: 0) }
  }

  /// Segments that are not larger than the one that was just written to a level are moved to where
  /// they are merged with others of their size (SQLite's fts5StructurePromote).
  mutating func promote(level index: Int) {
    guard let newest = levels[index].segments.last else { return }
    if let below = levels[..<index].lastIndex(where: { !$0.segments.isEmpty }) {
      let largest = levels[below].segments.map(\.pageCount).max() ?? 0
      if largest >= newest.pageCount { return promote(to: below, pageCount: largest) }
    }
    promote(to: index, pageCount: newest.pageCount)
  }

  private mutating func promote(to target: Int, pageCount: Int) {
    guard levels[target].mergedCount == 0 else { return }
    for index in levels.indices.dropFirst(target + 1) {
      if levels[index].mergedCount > 0 { return }
      while let newest = levels[index].segments.last {
        if newest.pageCount > pageCount { return }
        levels[target].segments.insert(newest, at: 0)
        levels[index].segments.removeLast()
      }
    }
  }
}

private struct StructureReader {
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private var offset = 4

  init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    self.bytes = bytes
    self.count = count
  }

  func cookie() -> Int {
    Int(bytes[0]) << 24 | Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
  }

  mutating func takeVersionTwo() -> Bool {
    guard count >= 8,
      IndexStructure.versionTwo.enumerated().allSatisfy({ bytes[4 + $0] == $1 })
    else { return false }
    offset = 8
    return true
  }

  /// The block has zeros behind it.
  mutating func wide() -> UInt64? {
    guard offset < count else { return nil }
    var value: UInt64 = 0
    offset += Varint.read(bytes + offset, &value)
    return value
  }

  mutating func number() -> Int? { wide().map { Int($0 & 0x7fff_ffff) } }

  mutating func segment(_ isSecond: Bool) -> IndexSegment? {
    guard let id = number(), let first = number(), let last = number(), last >= first else {
      return nil
    }
    var segment = IndexSegment(id: id, firstPage: first, lastPage: last)
    guard isSecond else { return segment }
    guard let oldest = wide(), let newest = wide(), let pages = number(),
      let tombstones = wide(), let entries = wide()
    else { return nil }
    segment.oldestOrigin = oldest
    segment.newestOrigin = newest
    segment.tombstonePageCount = pages
    segment.tombstoneCount = tombstones
    segment.entryCount = entries
    return segment
  }
}
