// Secure deletion (fts5 §6.12): what is deleted is taken out of the pages that have it, instead of
// being marked in newer ones.
import MartletEngine

extension FTS5Index {
  /// Writes the pending entries of a term, but takes out of older segments what they delete.
  func writeSecurely(
    _ term: UnsafePointer<UInt8>, _ termCount: Int, _ list: GrowingBytes, _ writer: EntryWriter
  ) throws(SQLError) {
    let key = UnsafeRawBufferPointer(start: term, count: termCount)
    let output = PendingListWriter(writer, detail)
    var offset = 0, isTermWritten = false
    var rowid: Int64 = 0, previous: Int64 = 0
    while offset < list.count {
      var distance: UInt64 = 0
      offset += Varint.read(list.start + offset, &distance)
      rowid = rowid &+ Int64(bitPattern: distance)
      if try removes(list, &offset, key, rowid) { continue }
      if !isTermWritten {
        try writer.append(term: term, termCount)
        isTermWritten = true
      }
      try output.write(rowid, behind: previous)
      previous = rowid
      if detail == .none {
        offset += try output.writeDeletion(list.start + offset, list.count - offset)
        continue
      }
      var size = 0
      let sizeSize = Varint.readSmall(list.start + offset, &size)
      guard size & 1 != 0 else {
        offset += try output.writePositions(list.start + offset)
        continue
      }
      // The mark is not needed any more.
      offset += sizeSize
      try writer.page.append(varint: size & ~1)
      try output.write(positions: list.start + offset, size >> 1)
      offset += size >> 1
    }
  }

  /// Takes out an entry that a pending one deletes. Whether there was one or not, the pending entry
  /// needs no mark any more.
  ///
  /// - Returns: Nothing is left to be written of the pending entry, which is passed over.
  private func removes(
    _ list: GrowingBytes, _ offset: inout Int, _ key: UnsafeRawBufferPointer, _ rowid: Int64
  ) throws(SQLError) -> Bool {
    if detail == .none {
      guard offset < list.count, list.start[offset] == 0 else { return false }
      try remove(key, rowid)
      offset += 1
      guard offset < list.count, list.start[offset] == 0 else { return true }
      offset += 1
      return false
    }
    guard list.start[offset] & 1 != 0 else { return false }
    try remove(key, rowid)
    guard list.start[offset] == 1 else { return false }
    offset += 1
    return true
  }

  /// Files that rows were deleted from securely have another version, which old releases refuse.
  private func noticeSecureDelete() throws(SQLError) {
    guard settings.version != FTS5Settings.secureDeleteVersion else { return }
    let name = ShadowName.table(tables.database, tables.table, "config")
    do throws(SQLError) {
      try configuration.connection.execute(
        withNames: "REPLACE INTO \(name) VALUES('version', \(FTS5Settings.secureDeleteVersion))")
    } catch {
      throw SQLError(error.code)
    }
    settings.version = FTS5Settings.secureDeleteVersion
    settings.cookie &+= 1
  }

  /// Takes the entry of a row out of the newest segment that has it. Of one that also deletes an
  /// older one, the mark of that stays.
  private func remove(_ key: UnsafeRawBufferPointer, _ rowid: Int64) throws(SQLError) {
    try noticeSecureDelete()
    let entries = try EntryMerger(
      try readers(ofTerm: key, withPending: false), isOneTerm: true, skipsDeletions: false)
    if let first = entries.current, first.rowid < rowid { try entries.advance(to: rowid) }
    guard let entry = entries.current, entry.rowid == rowid else { return }
    var removal = try EntryRemoval(self, entry)
    try removal.run()
  }
}

/// Takes one entry out of its page (SQLite's fts5DoSecureDelete).
private struct EntryRemoval {
  private let index: FTS5Index
  private let entry: EntryReader
  private let segment: IndexSegment
  private let page: IndexPage
  private let bytes: UnsafeMutablePointer<UInt8>
  private let content: Int
  /// Offsets of the terms on the page.
  private var terms: [Int] = []
  /// Where the entry begins, and where what follows it does.
  private var start = 0
  private var next = 0
  /// Where what follows goes to.
  private var target = 0
  private var distance: UInt64 = 0
  private var isLast = false
  /// The term that goes; -1 where none does.
  private var removedTerm = -1

  init(_ index: FTS5Index, _ entry: EntryReader) throws(SQLError) {
    guard let segment = entry.segment, let page = entry.page else { throw index.corruptIndex }
    self.index = index
    self.entry = entry
    self.segment = segment
    self.page = page
    bytes = page.bytes
    content = page.contentSize
    var place = content, offset = 0
    while place < page.count {
      var step = 0
      place += Varint.readSmall(bytes + place, &step)
      offset += step
      terms.append(offset)
    }
  }

  mutating func run() throws(SQLError) {
    try findExtent()
    target = start
    if next >= content {
      try removeOverflow()
      next = content
    }
    if !entry.isDelete {
      if next != content && terms.contains(next) { isLast = true }
      if page.firstRowidOffset == start && (isLast || next == content) { setHeader(0, 0) }
    }
    if entry.isDelete {
      target += Varint.put(distance, bytes + target)
      bytes[target] = index.detail == .none ? 0 : 1
      target += 1
    } else if !isLast {
      joinDistances()
    } else if entry.pageNumber == entry.termPage && start == entry.termOffset {
      try removeTerm()
    } else if start == IndexFormat.headerSize {
      try removeTermOfEarlierPage()
    }
    try write()
  }

  private func setHeader(_ place: Int, _ value: Int) {
    bytes[place] = UInt8(truncatingIfNeeded: value >> 8)
    bytes[place + 1] = UInt8(truncatingIfNeeded: value)
  }

  /// Goes through the entries of the page to the one that is removed.
  private mutating func findExtent() throws(SQLError) {
    start = entry.pageNumber == entry.termPage ? entry.termOffset : page.firstRowidOffset
    guard start >= IndexFormat.headerSize, start < content else { throw index.corruptIndex }
    if index.detail == .none {
      next = start
      repeat {
        start = next
        next += Varint.read(bytes + start, &distance)
        for _ in 0..<2 where next < min(entry.doclistEnd, content) && bytes[next] == 0 { next += 1 }
      } while next < entry.offset
      guard next == entry.offset else { throw index.corruptIndex }
      return
    }
    var place = start + Varint.read(bytes + start, &distance)
    var size = 0
    place += Varint.readSmall(bytes + place, &size)
    while place < entry.offset {
      start = place + size / 2
      guard start < content else { throw index.corruptIndex }
      place = start + Varint.read(bytes + start, &distance)
      place += Varint.readSmall(bytes + place, &size)
    }
    guard place == entry.offset else { throw index.corruptIndex }
    next = place + entry.positionSize
  }

  private mutating func joinDistances() {
    guard next != content else { return }
    var behind: UInt64 = 0
    next += Varint.read(bytes + next, &behind)
    target += Varint.put(distance &+ behind, bytes + target)
  }

  /// The entry is the only one of its term: the next term takes its place.
  private mutating func removeTerm() throws(SQLError) {
    guard let number = terms.lastIndex(where: { $0 <= start }) else { throw index.corruptIndex }
    var old = terms[number]
    removedTerm = old
    target = old
    guard next != content else { return }
    removedTerm = next
    var kept = 0, added = 0, ownKept = 0, ownAdded = 0
    next += Varint.readSmall(bytes + next, &kept)
    next += Varint.readSmall(bytes + next, &added)
    if number > 0 { old += Varint.readSmall(bytes + old, &ownKept) }
    old += Varint.readSmall(bytes + old, &ownAdded)
    let prefix = min(ownKept, kept), suffix = kept + added - prefix
    guard old + suffix <= content, next + added <= content, kept <= entry.term.count else {
      throw index.corruptIndex
    }
    if number > 0 { target += Varint.put(UInt64(prefix), bytes + target) }
    target += Varint.put(UInt64(suffix), bytes + target)
    if kept > prefix {
      (bytes + target).update(from: entry.term.start + prefix, count: kept - prefix)
      target += kept - prefix
    }
    UnsafeMutableRawPointer(bytes + target).copyMemory(from: bytes + next, byteCount: added)
    target += added
    next += added
  }

  /// The term may stand at the end of an earlier page, and have nothing left.
  private func removeTermOfEarlierPage() throws(SQLError) {
    var number = entry.pageNumber - 1
    while number > entry.termPage {
      let row = IndexFormat.segmentRow(segment.id, page: number)
      guard let page = try index.tables.read(row), page.count == IndexFormat.headerSize else {
        return
      }
      number -= 1
    }
    let row = IndexFormat.segmentRow(segment.id, page: entry.termPage)
    guard number == entry.termPage, let page = try index.tables.read(row), page.isSound,
      page.contentSize == entry.termOffset
    else { return }
    var place = page.contentSize, offset = 0, last = place
    while place < page.count {
      last = place
      var step = 0
      place += Varint.readSmall(page.bytes + place, &step)
      offset += step
    }
    guard offset >= IndexFormat.headerSize, offset <= page.contentSize else {
      throw index.corruptIndex
    }
    let indexCount = last - page.contentSize
    UnsafeMutableRawPointer(page.bytes + offset)
      .copyMemory(from: page.bytes + page.contentSize, byteCount: indexCount)
    page.bytes[2] = UInt8(truncatingIfNeeded: offset >> 8)
    page.bytes[3] = UInt8(truncatingIfNeeded: offset)
    try index.tables.write(
      row, UnsafeRawBufferPointer(start: page.bytes, count: offset + indexCount))
    if indexCount == 0 { try forgetPage(entry.termPage) }
  }

  private func forgetPage(_ number: Int) throws(SQLError) {
    if number != 1 { try index.tables.deletePage(segment.id, page: number) }
  }

  /// Moves what follows, and writes the page.
  private func write() throws(SQLError) {
    guard next <= content, target <= next || entry.isDelete else { throw index.corruptIndex }
    let shift = next - target
    let output = GrowingBytes()
    try output.append(bytes, target)
    try output.append(bytes + next, content - next)
    output.putUInt16(output.count, at: 2)
    let contentSize = output.count
    var previous = 0
    for term in terms where term != removedTerm {
      let moved = term - (term > target ? shift : 0)
      try output.append(varint: moved - previous)
      previous = moved
    }
    if contentSize == output.count && !terms.isEmpty { try forgetPage(entry.pageNumber) }
    try index.tables.write(
      IndexFormat.segmentRow(segment.id, page: entry.pageNumber), output.buffer)
  }

  /// The positions go on behind the page: they go there, too.
  private mutating func removeOverflow() throws(SQLError) {
    isLast = true
    var number = entry.pageNumber + 1
    while number <= segment.lastPage {
      let row = IndexFormat.segmentRow(segment.id, page: number)
      guard let page = try index.tables.read(row), page.isSound else {
        throw index.corruptBlock(row)
      }
      var first = page.firstRowidOffset
      if first != 0 { isLast = false }
      if first == 0 { first = page.firstTermOffset }
      if first == 0 {
        if index.detail != .none {
          let empty: [UInt8] = [0, 0, 0, 4]
          try empty.withUnsafeBytes { buffer in
            Result { () throws(SQLError) in try index.tables.write(row, buffer) }
          }.get()
        }
        number += 1
        continue
      }
      if index.detail == .none { return }
      guard first >= IndexFormat.headerSize, first < page.contentSize else {
        throw index.corruptBlock(row)
      }
      return try dropBeginning(of: page, row, until: first)
    }
  }

  private func dropBeginning(
    of page: IndexPage, _ row: Int64, until first: Int
  ) throws(SQLError) {
    let shift = first - IndexFormat.headerSize
    let output = GrowingBytes()
    try output.append(page.bytes, IndexFormat.headerSize)
    try output.append(page.bytes + first, page.contentSize - first)
    output.putUInt16(output.count, at: 2)
    if page.firstRowidOffset != 0 { output.putUInt16(IndexFormat.headerSize, at: 0) }
    if page.hasTerms {
      var term = 0
      let place = page.contentSize + Varint.readSmall(page.bytes + page.contentSize, &term)
      guard term >= first, place <= page.count else { throw index.corruptBlock(row) }
      try output.append(varint: term - shift)
      try output.append(page.bytes + place, page.count - place)
    }
    try index.tables.write(row, output.buffer)
  }
}
