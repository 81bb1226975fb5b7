import MartletEngine

/// The inverted index of a table: segments in the shadow tables, and terms that wait in memory
/// until the transaction ends, or until they are many (fts3 §9.2).
final class FTS4Index {
  let shadow: FTS4Shadow
  /// Bytes of a node, but for terms or doclists that are longer.
  let nodeSize: Int
  let isDescending: Bool
  /// Lengths of the prefixes that have an index of their own; the first is 0, for whole terms.
  let prefixLengths: [Int]
  /// `%_stat` is there.
  var hasStat = false
  /// Leaves that were written in this transaction.
  var addedLeafCount: Int64 = 0
  /// `automerge`; nil before it was looked for.
  var automerge: Int?

  private var pending: [PendingTerms]
  private var pendingByteCount = 0
  private(set) var pendingDocid: Int64 = 0
  private(set) var pendingLanguage: Int64 = 0
  private var pendingIsDeletion = false

  /// Segments of a level are merged when there are so many.
  static let mergeCount = 16
  /// Levels of a language and an index.
  static let levelCount: Int64 = 1_024
  private static let deepestMerge: Int64 = 64
  private static let mostPendingBytes = 1 << 20

  init(
    _ shadow: FTS4Shadow, nodeSize: Int, isDescending: Bool, prefixLengths: [Int]
  ) {
    self.shadow = shadow
    self.nodeSize = nodeSize
    self.isDescending = isDescending
    self.prefixLengths = prefixLengths
    pending = prefixLengths.map { _ in PendingTerms() }
  }

  /// The level of a language and an index in `%_segdir`.
  func absoluteLevel(_ language: Int64, _ index: Int, _ level: Int64) -> Int64 {
    (language &* Int64(prefixLengths.count) &+ Int64(index)) &* Self.levelCount &+ level
  }

  // MARK: Terms that wait

  var hasPendingTerms: Bool { !pending[0].isEmpty }

  /// No write lock is held on their account.
  var isIdle: Bool { pendingByteCount == 0 }

  /// Terms of a row come next.
  func beginRow(
    _ docid: Int64, language: Int64, isDeletion: Bool
  ) throws(SQLError) {
    if docid < pendingDocid || docid == pendingDocid && !pendingIsDeletion
      || pendingLanguage != language || pendingByteCount > Self.mostPendingBytes
    {
      try flush()
    }
    pendingDocid = docid
    pendingLanguage = language
    pendingIsDeletion = isDeletion
  }

  /// Adds a token of the row; column -1 for a row that is deleted.
  func add(_ token: UnsafeRawBufferPointer, column: Int, position: Int) throws(SQLError) {
    pendingByteCount += try pending[0].add(
      token, docid: pendingDocid, column: column, position: position)
    for index in 1..<max(1, prefixLengths.count) where token.count >= prefixLengths[index] {
      pendingByteCount += try pending[index].add(
        UnsafeRawBufferPointer(rebasing: token[..<prefixLengths[index]]), docid: pendingDocid,
        column: column, position: position)
    }
  }

  func dropPending() {
    if pendingByteCount == 0 { return }
    // Scans may still read those that were.
    pending = prefixLengths.map { _ in PendingTerms() }
    pendingByteCount = 0
  }

  /// Terms are being written: statements on the shadow tables may open savepoints of their own.
  private(set) var isFlushing = false

  /// Writes the terms that wait.
  func flush() throws(SQLError) {
    isFlushing = true
    defer { isFlushing = false }
    for index in prefixLengths.indices { try writePending(index) }
    if hasStat && automerge == nil && addedLeafCount > 0 {
      let known = try shadow.number(.readStat, FTS4Stat.automerge)
      automerge = known.map { $0 == 1 ? 8 : Int(truncatingIfNeeded: $0) } ?? 0
    }
    dropPending()
  }

  private func writePending(_ index: Int) throws(SQLError) {
    guard let reader = try pendingReader(index) else { return }
    let scan = TermScan([reader], shadow, isDescending: isDescending)
    let level = absoluteLevel(pendingLanguage, index, 0)
    let position = try allocatePosition(pendingLanguage, index, 0)
    var writer = try SegmentWriter(self)
    try scan.start(TermFilter())
    while try scan.step() { try writer.add(scan.term, scan.doclist) }
    try writer.finish(level: level, position: position)
    try promoteSegments(to: level, byteCount: writer.leafByteCount)
  }

  private func pendingReader(
    _ index: Int, term: [UInt8] = [], isExact: Bool = false
  ) throws(SQLError) -> SegmentReader? {
    let indexes = try pending[index].indexes(startingWith: term, isExact: isExact)
    guard !indexes.isEmpty else { return nil }
    return SegmentReader(
      pending: .init(terms: pending[index], indexes: indexes, isDescending: isDescending))
  }

  // MARK: Merging

  /// The next free place in a level, whose segments are merged if it is full.
  private func allocatePosition(
    _ language: Int64, _ index: Int, _ level: Int64
  ) throws(SQLError) -> Int64 {
    let next = try shadow.number(.nextIndex, absoluteLevel(language, index, level)) ?? 0
    guard next >= Self.mergeCount else { return next }
    try merge(language, index, level)
    return 0
  }

  private func maximumLevel(_ language: Int64, _ index: Int) throws(SQLError) -> Int64 {
    try shadow.number(
      .maximumLevel, absoluteLevel(language, index, 0),
      absoluteLevel(language, index, Self.levelCount - 1)) ?? 0
  }

  /// Merges all segments of a level into one of the next.
  private func merge(_ language: Int64, _ index: Int, _ level: Int64) throws(SQLError) {
    // Sixteen segments of each level make one of the next: no index has so many.
    guard level < Self.deepestMerge else { throw .searchCorrupt }
    let source = absoluteLevel(language, index, level)
    let readers = try self.readers(inLevels: source...source, term: nil)
    guard !readers.isEmpty else { return }
    let highest = try maximumLevel(language, index)
    let target = absoluteLevel(language, index, level + 1)
    let position = try allocatePosition(language, index, level + 1)
    let writer = try write(readers, ignoresEmpty: target > highest)
    try deleteBlocks(of: readers)
    try shadow.run(.deleteLevel, source)
    guard var writer else { return }
    try writer.finish(level: target, position: position)
    if target < highest { try promoteSegments(to: target, byteCount: writer.leafByteCount) }
  }

  /// Merges all segments of a language and an index into one segment.
  ///
  /// - Returns: false where there is one segment only.
  private func mergeAll(_ language: Int64, _ index: Int) throws(SQLError) -> Bool {
    let levels =
      absoluteLevel(language, index, 0)...absoluteLevel(language, index, Self.levelCount - 1)
    let readers = try self.readers(inLevels: levels, term: nil)
    if readers.count == 1 { return false }
    guard !readers.isEmpty else { return true }
    let highest = try maximumLevel(language, index)
    let writer = try write(readers, ignoresEmpty: true)
    try deleteBlocks(of: readers)
    try shadow.run(.deleteLevels, levels.lowerBound, levels.upperBound)
    guard var writer else { return true }
    try writer.finish(level: highest, position: 0)
    return true
  }

  private func write(
    _ readers: [SegmentReader], ignoresEmpty: Bool
  ) throws(SQLError) -> SegmentWriter? {
    let scan = TermScan(readers, shadow, isDescending: isDescending)
    var writer: SegmentWriter?
    try scan.start(TermFilter(ignoresEmpty: ignoresEmpty))
    while try scan.step() {
      if writer == nil { writer = try SegmentWriter(self) }
      try writer?.add(scan.term, scan.doclist)
    }
    return writer
  }

  func deleteBlocks(of readers: [SegmentReader]) throws(SQLError) {
    for reader in readers where reader.startBlock != 0 {
      try shadow.run(.deleteBlocks, reader.startBlock, reader.endBlock)
    }
  }

  /// `optimize`: one segment for each language and index.
  ///
  /// - Returns: false where there was nothing to merge.
  func optimize() throws(SQLError) -> Bool {
    try flush()
    var languages: [Int64] = []
    try shadow.forEach(.languages, [pendingLanguage, Int64(prefixLengths.count)]) {
      statement throws(SQLError) in
      languages.append(Int64(Int32(truncatingIfNeeded: statement.columnInt64(0))))
    }
    var isMerged = true
    for language in languages {
      for index in prefixLengths.indices where try !mergeAll(language, index) { isMerged = false }
    }
    return isMerged
  }

  /// Moves segments of higher levels down that are small beside a new one, so that they are merged
  /// with it.
  func promoteSegments(to level: Int64, byteCount: Int64) throws(SQLError) {
    let last = (level / Self.levelCount + 1) * Self.levelCount - 1
    let limit = byteCount &* 3 / 2
    var isSmall: Bool?
    try shadow.forEach(.selectSizes, [level + 1, last]) { statement throws(SQLError) in
      if isSmall == false { return }
      let size = SegmentRow.readEnd(statement.columnBytes(2)).byteCount
      isSmall = size > 0 && size <= limit
    }
    guard isSmall == true else { return }
    var places: [(level: Int64, position: Int64)] = []
    try shadow.forEach(.selectSizes, [level, last]) { statement throws(SQLError) in
      places.append((statement.columnInt64(0), statement.columnInt64(1)))
    }
    for (index, place) in places.enumerated() {
      try shadow.run(.moveAside, Int64(index), place.level, place.position)
    }
    try shadow.run(.moveBack, level)
  }

  // MARK: Reading

  /// Readers of the segments in some levels, the oldest first; of those leaves only that may have a
  /// term or terms that begin with it.
  func readers(
    inLevels levels: ClosedRange<Int64>, term: [UInt8]?, isExact: Bool = false, firstAge: Int = 1
  ) throws(SQLError) -> [SegmentReader] {
    let isOne = levels.count == 1
    var rows: [(start: Int64, lastLeaf: Int64, end: Int64, root: ByteBlock)] = []
    let numbers = isOne ? [levels.lowerBound] : [levels.lowerBound, levels.upperBound]
    try shadow.forEach(isOne ? .selectLevel : .selectLevels, numbers) {
      statement throws(SQLError) in
      rows.append(
        (
          statement.columnInt64(1), statement.columnInt64(2),
          SegmentRow.readEnd(statement.columnBytes(3)).block,
          try ByteBlock(statement.columnBytes(4))
        ))
    }
    var readers: [SegmentReader] = []
    for row in rows {
      var first = row.start, last = row.lastLeaf
      if first != 0, let term {
        first = try SegmentTree.leaf(for: term, under: row.root, shadow)
        if isExact { last = first }
      }
      readers.append(
        try SegmentReader(
          age: firstAge + readers.count, startBlock: row.start, firstLeaf: first, lastLeaf: last,
          endBlock: row.end, root: row.root))
    }
    return readers
  }

  /// A scan of all terms of an index, or of those from one on, that has begun.
  func scanAll(
    _ number: Int, language: Int64, from term: [UInt8] = []
  ) throws(SQLError) -> TermScan {
    let levels =
      absoluteLevel(language, number, 0)...absoluteLevel(language, number, Self.levelCount - 1)
    var readers = try self.readers(inLevels: levels, term: term.isEmpty ? nil : term)
    if language == pendingLanguage, let waiting = try pendingReader(number) {
      readers.append(waiting)
    }
    let scan = TermScan(readers, shadow, isDescending: isDescending)
    try scan.start(TermFilter(term: term, isScan: true, ignoresEmpty: true))
    return scan
  }

  /// A scan of all that is known of a term, or of those that begin with it.
  func scan(
    for term: [UInt8], isPrefix: Bool, language: Int64
  ) throws(SQLError) -> TermScan {
    var readers: [SegmentReader] = []
    func add(_ index: Int, isExact: Bool) throws(SQLError) {
      let levels =
        absoluteLevel(language, index, 0)...absoluteLevel(language, index, Self.levelCount - 1)
      let new = try self.readers(
        inLevels: levels, term: term, isExact: isExact, firstAge: readers.count + 1)
      for reader in new { reader.isLookUp = isExact }
      readers += new
      if language == pendingLanguage,
        let waiting = try pendingReader(index, term: term, isExact: isExact)
      {
        waiting.isLookUp = isExact
        readers.append(waiting)
      }
    }
    if !isPrefix {
      try add(0, isExact: true)
    } else if let index = prefixLengths.dropFirst().firstIndex(of: term.count) {
      try add(index, isExact: true)
    } else if let index = prefixLengths.dropFirst().firstIndex(of: term.count + 1) {
      try add(index, isExact: false)
      try add(0, isExact: true)
    } else {
      try add(0, isExact: false)
    }
    return TermScan(readers, shadow, isDescending: isDescending)
  }
}

/// Rows of `%_stat`.
enum FTS4Stat {
  static let totals: Int64 = 0
  static let mergeHint: Int64 = 1
  static let automerge: Int64 = 2
}
