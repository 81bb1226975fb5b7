// Merging segments: automatically as pages are written, in a crisis when a level has too many, and
// by the commands `merge` and `optimize` (fts5 §6.1, §6.2, §6.8, §6.9). What is merged when decides
// which bytes a database has: it is C's.
import MartletEngine

extension FTS5Index {
  func mergeAutomatically(
    _ structure: inout IndexStructure, writtenPageCount: Int
  ) throws(SQLError) {
    guard settings.automerge > 0 else { return }
    let unit = UInt64(IndexFormat.workUnit), before = structure.writeCounter
    let after = before &+ UInt64(writtenPageCount)
    structure.writeCounter = after
    let quanta = Int(truncatingIfNeeded: after / unit &- before / unit)
    let rest = IndexFormat.workUnit * max(quanta, 0) * structure.levels.count
    _ = try merge(&structure, pageCount: rest, minimum: settings.automerge)
  }

  func mergeInCrisis(_ structure: inout IndexStructure) throws(SQLError) {
    var level = 0
    while level < structure.levels.count,
      structure.levels[level].segments.count >= settings.crisisMerge
    {
      try merge(level: level, of: &structure, limit: nil)
      structure.promote(level: level + 1)
      level += 1
    }
  }

  /// Merges until so many pages are written, or there is nothing to merge.
  ///
  /// - Parameter minimum: Levels of fewer segments are left alone, unless a merge has begun.
  /// - Returns: Whether anything was merged.
  func merge(
    _ structure: inout IndexStructure, pageCount: Int, minimum: Int
  ) throws(SQLError) -> Bool {
    var rest = pageCount, minimum = minimum, hasMerged = false
    while rest > 0 {
      guard let level = bestLevel(structure, minimum) else { break }
      hasMerged = true
      rest -= try merge(level: level, of: &structure, limit: rest)
      if structure.levels[level].mergedCount == 0 { structure.promote(level: level + 1) }
      if minimum == 1 { minimum = 2 }
    }
    return hasMerged
  }

  private func bestLevel(_ structure: IndexStructure, _ minimum: Int) -> Int? {
    var best = 0, bestCount = 0
    for (index, level) in structure.levels.enumerated() {
      if level.mergedCount > 0 {
        if level.mergedCount > bestCount {
          best = index
          bestCount = minimum
        }
        break
      }
      if level.segments.count > bestCount {
        bestCount = level.segments.count
        best = index
      }
    }
    return bestCount < minimum ? levelOfDeletions(structure) : best
  }

  /// The level that has the largest part of deleted rows (fts5 §6.5).
  private func levelOfDeletions(_ structure: IndexStructure) -> Int? {
    guard configuration.hasContentlessDelete, settings.deleteMerge > 0 else { return nil }
    var best: Int?, bestPercentage = 0
    for (index, level) in structure.levels.enumerated() {
      var entries: UInt64 = 0, tombstones: UInt64 = 0
      for segment in level.segments {
        entries &+= segment.entryCount
        tombstones &+= segment.tombstoneCount
      }
      if entries > 0 {
        let percentage = Int(truncatingIfNeeded: (tombstones &* 100) / entries)
        if percentage >= settings.deleteMerge && percentage > bestPercentage {
          best = index
          bestPercentage = percentage
        }
      }
      if level.mergedCount > 0 { break }
    }
    return best
  }

  // MARK: One level

  /// Merges the segments of a level into one of the next.
  ///
  /// - Parameter limit: Pages after which a merge ends with the next term, to go on another time.
  /// - Returns: Pages that were written.
  @discardableResult
  func merge(
    level: Int, of structure: inout IndexStructure, limit: Int?
  ) throws(SQLError) -> Int {
    let isResumed = structure.levels[level].mergedCount > 0
    if !isResumed { try beginMerge(level, &structure) }
    let inputCount =
      isResumed ? structure.levels[level].mergedCount : structure.levels[level].segments.count
    let output = structure.levels[level + 1].segments.count - 1
    guard output >= 0 else { throw corruptIndex }
    let target = structure.levels[level + 1].segments[output]
    let writer = try EntryWriter(tables, segment: target.id, pageSize: settings.pageSize)
    if isResumed { writer.resume(behind: target.lastPage) }
    var readers: [EntryReader] = []
    for segment in structure.levels[level].segments[..<inputCount].reversed() {
      readers.append(try EntryReader(self, firstOf: segment))
    }
    let merger = try EntryMerger(readers, isOneTerm: false, skipsDeletions: false)
    let isOldest = output == 0 && structure.levels.count == level + 2
    try write(merger, to: writer, limit: limit, isOldest: isOldest)
    structure.levels[level + 1].segments[output].lastPage = try writer.finish()
    if merger.isAtEnd {
      try finishMerge(level, inputCount, output, &structure)
    } else {
      try trim(readers, level, &structure)
      structure.levels[level].mergedCount = inputCount
    }
    return writer.writtenPageCount
  }

  /// Adds the segment that is to be written.
  private func beginMerge(
    _ level: Int, _ structure: inout IndexStructure
  ) throws(SQLError) {
    let id = try structure.unusedSegment()
    if level == structure.levels.count - 1 { structure.levels.append(IndexLevel()) }
    var segment = IndexSegment(id: id, firstPage: 1)
    let inputs = structure.levels[level].segments
    if structure.nextOrigin > 0, let oldest = inputs.first, let newest = inputs.last {
      segment.oldestOrigin = oldest.oldestOrigin
      segment.newestOrigin = newest.newestOrigin
    }
    structure.levels[level + 1].segments.append(segment)
  }

  private func write(
    _ merger: EntryMerger, to writer: EntryWriter, limit: Int?, isOldest: Bool
  ) throws(SQLError) {
    let term = GrowingBytes()
    var isTermWritten = false
    while let entry = merger.entry {
      if merger.mayBeNewTerm,
        !ByteOrder.areEqual(
          entry.pointee.term, entry.pointee.termCount, term.start, term.count)
      {
        if let limit, writer.writtenPageCount > limit { return }
        try term.set(entry.pointee.term, entry.pointee.termCount)
        isTermWritten = false
      }
      // What deletes nothing that is older is dropped.
      if entry.pointee.positionSize > 0 || entry.pointee.isDelete && !isOldest {
        if !isTermWritten {
          try writer.append(term: term.start, term.count)
          isTermWritten = true
        }
        try write(entry, merger, to: writer)
        // What follows it is written as it is, up to where the page might end.
        if writer.isInDoclist, let run = merger.takeRun(room: writer.room) {
          try writer.append(run: run, last: entry.pointee.rowid)
        }
      }
      try merger.advance()
    }
  }

  private func write(
    _ entry: UnsafeMutablePointer<EntryState>, _ merger: EntryMerger,
    to writer: EntryWriter
  ) throws(SQLError) {
    let size = entry.pointee.positionSize, isDelete = entry.pointee.isDelete
    try writer.append(rowid: entry.pointee.rowid)
    if detail == .none {
      guard isDelete else { return }
      try writer.page.append(0)
      if size > 0 { try writer.page.append(0) }
      return
    }
    try writer.page.append(varint: size * 2 + (isDelete ? 1 : 0))
    if let chunk = merger.positionsOfPage {
      return try writer.append(positions: chunk, size)
    }
    // Pages of the input decide where pages of the output end.
    try merger.current?.forEachChunk { bytes, count throws(SQLError) in
      try writer.append(positions: bytes, count)
    }
  }

  private func finishMerge(
    _ level: Int, _ inputCount: Int, _ output: Int, _ structure: inout IndexStructure
  ) throws(SQLError) {
    var entryCount: UInt64 = 0
    for segment in structure.levels[level].segments[..<inputCount] {
      entryCount = entryCount &+ segment.entryCount &- segment.tombstoneCount
      try remove(segment)
    }
    structure.levels[level + 1].segments[output].entryCount = entryCount
    structure.levels[level].segments.removeFirst(inputCount)
    structure.levels[level].mergedCount = 0
    if structure.levels[level + 1].segments[output].lastPage == 0 {
      structure.levels[level + 1].segments.remove(at: output)
    }
  }

  func remove(_ segment: IndexSegment) throws(SQLError) {
    let first = IndexFormat.segmentRow(segment.id, page: 0)
    let last = IndexFormat.segmentRow(segment.id + 1, page: 0) &- 1
    try tables.delete(from: first, through: last)
    if segment.tombstonePageCount > 0 {
      try tables.delete(
        from: IndexFormat.tombstoneRow(segment.id, page: 0),
        through: IndexFormat.tombstoneRow(segment.id, page: segment.tombstonePageCount - 1))
    }
    try tables.deletePages(segment.id)
  }

  /// A merge stops: what it has read is taken out of its inputs. The first page that is left
  /// begins with the term that comes next.
  private func trim(
    _ readers: [EntryReader], _ level: Int, _ structure: inout IndexStructure
  ) throws(SQLError) {
    for (age, reader) in readers.enumerated() {
      let position = readers.count - 1 - age
      guard let segment = reader.segment else { continue }
      if reader.isAtEnd {
        structure.levels[level].segments[position].firstPage = 0
        structure.levels[level].segments[position].lastPage = 0
        continue
      }
      let row = IndexFormat.segmentRow(segment.id, page: reader.termPage)
      guard let page = try tables.read(row), reader.termOffset <= page.contentSize, page.isSound
      else { throw corruptBlock(row) }
      let bytes = try IndexPageTrimmer.trimmed(page, reader)
      structure.levels[level].segments[position].firstPage = reader.termPage
      try tables.delete(from: IndexFormat.segmentRow(segment.id, page: 1), through: row)
      try tables.write(row, bytes.buffer)
    }
  }
}

/// Writes a page anew that begins with the term at which a reader stands.
private enum IndexPageTrimmer {
  static func trimmed(
    _ page: IndexPage, _ reader: EntryReader
  ) throws(SQLError) -> GrowingBytes {
    let bytes = GrowingBytes()
    for _ in 0..<IndexFormat.headerSize { try bytes.append(0) }
    try bytes.append(varint: reader.term.count)
    try bytes.append(reader.term.buffer)
    try bytes.append(page.bytes + reader.termOffset, page.contentSize - reader.termOffset)
    bytes.putUInt16(bytes.count, at: 2)
    try bytes.append(varint: IndexFormat.headerSize)
    let next = reader.nextTermOffsetPlace
    if reader.pageNumber == reader.termPage, reader.doclistEnd < page.contentSize,
      next <= page.count
    {
      let behind = page.contentSize - reader.doclistEnd
      try bytes.append(varint: bytes.count - 1 - behind - IndexFormat.headerSize)
      try bytes.append(page.bytes + next, page.count - next)
    }
    return bytes
  }
}

// MARK: - Commands

extension FTS5Index {
  /// Merges everything into one segment (fts5 §6.9).
  func optimize() throws(SQLError) {
    try flush()
    var structure = try structure()
    guard FTS5Index.prepareOptimizing(&structure),
      let level = structure.levels.firstIndex(where: { !$0.segments.isEmpty })
    else { return }
    while !structure.levels[level].segments.isEmpty {
      try merge(level: level, of: &structure, limit: IndexFormat.optimizeUnit)
    }
    try write(structure)
  }

  /// Merges about so many pages; a negative number begins with all segments (fts5 §6.8).
  func merge(pageCount: Int) throws(SQLError) {
    try flush()
    var structure = try structure()
    var minimum = settings.userMerge
    if pageCount < 0 {
      guard FTS5Index.prepareOptimizing(&structure) else { return }
      minimum = 1
    }
    guard !structure.levels.isEmpty else { return }
    if try merge(&structure, pageCount: abs(pageCount), minimum: minimum) { try write(structure) }
  }

  /// Puts all segments on one level, unless they are, or all but one are being merged already.
  ///
  /// - Returns: false where nothing is to be done.
  private static func prepareOptimizing(_ structure: inout IndexStructure) -> Bool {
    let count = structure.segmentCount
    if count == 0 { return false }
    for level in structure.levels where !level.segments.isEmpty {
      let own = level.segments.count
      guard own == count || own == count - 1 && level.mergedCount == own else { continue }
      return !(count == 1 && level.segments[0].tombstonePageCount == 0)
    }
    var all = IndexLevel()
    for level in structure.levels.reversed() { all.segments += level.segments }
    let levelCount = min(structure.levels.count + 1, IndexFormat.mostOptimizedLevels)
    structure.levels = Array(repeating: IndexLevel(), count: levelCount)
    structure.levels[levelCount - 1] = all
    return true
  }
}
