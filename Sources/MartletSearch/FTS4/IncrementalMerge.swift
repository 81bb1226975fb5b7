// Merging in small steps (fts3 §7.3): some leaves of the oldest segments of a level go to a
// segment of the next level, which is appended to; the terms that were moved are cut off the front
// of the old segments. `%_stat` has a hint where the next step goes on: pairs of a level and a
// number of segments, of which the last counts.
import MartletEngine

extension FTS4Index {
  /// `merge=amount,segments`
  func mergeIncrementally(_ text: [UInt8]) throws(SQLError) {
    var rest = text[...]
    let amount = FTS4Index.readNumber(&rest)
    var least = FTS4Index.mergeCount / 2
    if rest.first == UInt8(ascii: ","), rest.count > 1 {
      rest.removeFirst()
      least = FTS4Index.readNumber(&rest)
    }
    guard rest.isEmpty, least >= 2 else { throw SQLError(.error) }
    if !hasStat {
      try shadow.makeStatTable()
      hasStat = true
    }
    try mergeIncrementally(amount: Int64(amount), leastSegments: least)
  }

  static func readNumber(_ text: inout ArraySlice<UInt8>) -> Int {
    var number = 0
    while let digit = text.first, digit &- 0x30 < 10, number < 214_748_363 {
      number = number * 10 + Int(digit & 15)
      text.removeFirst()
    }
    return number
  }

  /// Merges until so many leaves are written, or nothing is left to do.
  ///
  /// - Parameter leastSegments: A level with fewer segments is left alone.
  func mergeIncrementally(amount: Int64, leastSegments: Int) throws(SQLError) {
    var hint = try MergeHint(shadow.bytes(.readStat, FTS4Stat.mergeHint) ?? [])
    var remaining = amount, isHintChanged = false
    while remaining > 0 {
      guard let work = try nextWork(leastSegments, &hint, &isHintChanged) else { break }
      let most = (Self.levelCount &* Int64(prefixLengths.count)) << 32
      guard work.level >= 0, work.level <= most else { throw .searchCorrupt }
      let (isDone, written, rest) = try mergeStep(work, remaining)
      // Rows of segments that are damaged may be counted and not found, time and again.
      guard isDone else { if work.isContinued { continue } else { break } }
      remaining -= 1 + written
      if rest > 0 {
        isHintChanged = true
        hint.push(work.level, rest)
      }
    }
    if isHintChanged { try shadow.write(.writeStat, FTS4Stat.mergeHint, hint.bytes) }
  }

  /// What a step works on.
  private struct MergeWork {
    let level: Int64
    let segmentCount: Int
    /// An earlier step has begun the segment of the next level.
    let isContinued: Bool
  }

  private func nextWork(
    _ leastSegments: Int, _ hint: inout MergeHint, _ isHintChanged: inout Bool
  ) throws(SQLError) -> MergeWork? {
    var fullest: (level: Int64, count: Int)?
    try shadow.forEach(.fullestLevel, [Int64(max(2, leastSegments))]) {
      statement throws(SQLError) in
      fullest = (statement.columnInt64(0), Int(statement.columnInt64(1)))
    }
    guard !hint.isEmpty else {
      return fullest.map { MergeWork(level: $0.level, segmentCount: $0.count, isContinued: false) }
    }
    let (level, count, before) = try hint.last()
    let modulus = Self.levelCount * Int64(prefixLengths.count)
    guard fullest.map({ $0.level % modulus >= level % modulus }) ?? true else {
      return fullest.map { MergeWork(level: $0.level, segmentCount: $0.count, isContinued: false) }
    }
    hint = before
    isHintChanged = true
    let segmentCount = min(max(leastSegments, fullest?.count ?? -1), count)
    guard segmentCount > 0 else { return nil }
    return MergeWork(level: level, segmentCount: segmentCount, isContinued: true)
  }

  /// - Returns: false where there was nothing to do after all; how many leaves were written; how
  ///   many segments are left.
  private func mergeStep(
    _ work: MergeWork, _ remaining: Int64
  ) throws(SQLError) -> (isDone: Bool, written: Int64, rest: Int) {
    let next = try shadow.number(.nextIndex, work.level + 1) ?? 0
    var ignoresEmpty = false
    if next == 0 || work.isContinued && next == 1 {
      ignoresEmpty = try isHighest(work.level + 1)
    }
    let all = try readers(inLevels: work.level...work.level, term: nil)
    guard all.count >= work.segmentCount else { return (false, 0, 0) }
    let readers = Array(all[..<work.segmentCount])
    let scan = TermScan(readers, shadow, isDescending: isDescending)
    try scan.start(TermFilter(ignoresEmpty: ignoresEmpty))
    var hasTerm = try scan.step()
    var writer: IncrementalWriter?
    if work.isContinued && next > 0 {
      writer = try IncrementalWriter.resumed(
        self, level: work.level, position: next - 1, nextTerm: hasTerm ? scan.term : [])
    } else {
      writer = try IncrementalWriter(
        self, level: work.level, position: next, segmentCount: readers.count)
    }
    guard var writer else { return (false, 0, work.segmentCount) }
    while hasTerm {
      try writer.append(scan.term, scan.doclist)
      hasTerm = try scan.step()
      if writer.writtenCount >= remaining { break }
    }
    let rest = try cutOff(readers, work.level)
    try writer.finish(isComplete: rest == 0)
    if rest == 0 && writer.knowsByteCount {
      try promoteSegments(to: work.level + 1, byteCount: writer.byteCount)
    }
    return (true, writer.writtenCount, rest)
  }
}

// MARK: - The segments that were read

extension FTS4Index {
  /// No segment of the same language and index is above a level.
  private func isHighest(_ level: Int64) throws(SQLError) -> Bool {
    let last = (level / Self.levelCount + 1) * Self.levelCount
    return try shadow.number(.maximumLevel, level + 1, last) == nil
  }

  /// Removes what was moved from the segments, and gives how many are left.
  private func cutOff(_ readers: [SegmentReader], _ level: Int64) throws(SQLError) -> Int {
    var rest = 0
    for (position, reader) in readers.enumerated().reversed() {
      if reader.isAtEnd {
        try deleteBlocks(of: [reader])
        try shadow.run(.deleteSegment, level, Int64(position))
      } else {
        try cutOff(reader.term, level, Int64(position))
        rest += 1
      }
    }
    if rest != readers.count { try renumber(level) }
    return rest
  }

  /// Gives the segments of a level numbers from 0 on.
  private func renumber(_ level: Int64) throws(SQLError) {
    var positions: [Int64] = []
    try shadow.forEach(.segmentIndexes, [level]) { statement throws(SQLError) in
      positions.append(statement.columnInt64(0))
    }
    for (new, old) in positions.enumerated() where old != Int64(new) {
      try shadow.run(.updateIndex, Int64(new), level, old)
    }
  }

  /// Removes the terms before one from a segment, node by node on the way to its leaf.
  private func cutOff(_ term: [UInt8], _ level: Int64, _ position: Int64) throws(SQLError) {
    var root: [UInt8] = [], oldStart: Int64 = 0, block: Int64 = 0
    var isFound = false
    try shadow.forEach(.selectSegment, [level, position]) { statement throws(SQLError) in
      isFound = true
      oldStart = statement.columnInt64(1)
      (root, block) = try SegmentNode.cutOff(term, Array(statement.columnBytes(4)))
    }
    guard isFound else { throw .searchCorrupt }
    var newStart: Int64 = 0
    while block != 0 {
      newStart = block
      let (node, child) = try SegmentNode.cutOff(term, shadow.readBlock(block))
      // Leaves are below all other nodes, so that there is an end.
      if child == block { throw .searchCorrupt }
      try shadow.write(.writeBlock, newStart, node)
      block = child
    }
    if newStart != 0 { try shadow.run(.deleteBlocks, oldStart, newStart - 1) }
    let statement = try shadow.statement(.updateRoot)
    try statement.bind(newStart, at: 1)
    try root.withBytes { bytes throws(SQLError) in try statement.bind(blob: bytes, at: 2) }
    try statement.bind(level, at: 3)
    try statement.bind(position, at: 4)
    try shadow.run(statement)
  }
}

/// Where merging goes on: pairs of a level and how many segments of it are not done.
struct MergeHint {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func push(_ level: Int64, _ segmentCount: Int) {
    bytes.append(number: UInt64(bitPattern: level))
    bytes.append(number: segmentCount)
  }

  /// The last pair, and what is before it.
  func last() throws(SQLError) -> (level: Int64, segmentCount: Int, before: MergeHint) {
    var start = bytes.count - 1
    guard bytes[start] < 0x80 else { throw .searchCorrupt }
    while start > 0, bytes[start - 1] >= 0x80 { start -= 1 }
    guard start > 0 else { throw .searchCorrupt }
    start -= 1
    while start > 0, bytes[start - 1] >= 0x80 { start -= 1 }
    return try bytes.withBytes { all throws(SQLError) in
      var reader = ByteReader(all)
      reader.offset = start
      let level = Int64(bitPattern: reader.number())
      let count = reader.smallNumber()
      guard reader.offset == all.count else { throw .searchCorrupt }
      return (level, count, MergeHint(Array(bytes[..<start])))
    }
  }
}
