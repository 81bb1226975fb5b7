import MartletEngine

/// What is compared and asked of an entry, where nobody counts references to get it.
struct EntryState {
  var rowid: Int64 = 0
  /// Bytes of positions; they may go on behind the page.
  var positionSize = 0
  var term: UnsafePointer<UInt8>
  var termCount = 0
  var isDelete = false
  var isAtEnd = true
}

/// Walks over the entries of a segment, term by term and row by row (SQLite's Fts5SegIter), or over
/// those that are not yet in a segment.
///
/// An entry is a term, a rowid, whether it deletes what older segments have of them, and positions.
final class EntryReader {
  let index: FTS5Index
  /// nil for the pending terms.
  let segment: IndexSegment?
  /// Keys of pending terms that are still to come.
  @exclusivity(unchecked) private var pendingKeys: ArraySlice<Int32> = []
  /// nil at the end.
  @exclusivity(unchecked) private(set) var page: IndexPage?
  /// Of the page.
  @exclusivity(unchecked) private(set) var bytes: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private(set) var content = 0
  let state: UnsafeMutablePointer<EntryState>
  @exclusivity(unchecked) private(set) var pageNumber = 0
  /// Of the positions of the entry.
  @exclusivity(unchecked) private(set) var offset = 0
  let term = GrowingBytes()
  /// Where the doclist of the term begins.
  @exclusivity(unchecked) private(set) var termPage = 0
  @exclusivity(unchecked) private(set) var termOffset = 0
  /// Where the offsets of terms on the page are read next.
  @exclusivity(unchecked) private(set) var nextTermOffsetPlace = 0
  /// Where the doclist ends on this page; behind the page where no other term follows.
  @exclusivity(unchecked) private(set) var doclistEnd = 0
  /// It ends with the term.
  @exclusivity(unchecked) private var isOneTerm = false
  @exclusivity(unchecked) private var doclistIndex: DoclistIndexReader?
  /// Rows that were deleted from the segment (contentless_delete).
  @exclusivity(unchecked) private var tombstones: TombstoneReader?
  private let detail: Detail

  private init(_ index: FTS5Index, _ segment: IndexSegment?) {
    self.index = index
    self.segment = segment
    detail = index.detail
    bytes = term.start
    state = .allocate(capacity: 1)
    state.initialize(to: EntryState(term: term.start))
  }

  deinit { state.deallocate() }

  @inline(__always)
  var rowid: Int64 { state.pointee.rowid }

  @inline(__always)
  var positionSize: Int { state.pointee.positionSize }

  @inline(__always)
  var isDelete: Bool { state.pointee.isDelete }

  /// At the first entry of a segment.
  convenience init(_ index: FTS5Index, firstOf segment: IndexSegment) throws(SQLError) {
    self.init(index, segment)
    // A merge has taken all of it.
    guard segment.firstPage > 0 else { return }
    pageNumber = segment.firstPage - 1
    repeat { try readNextPage() } while page.map { !$0.hasTerms } ?? false
    guard page != nil else { return }
    offset = IndexFormat.headerSize
    try readTerm(keeping: 0)
    try readPositionSize()
  }

  /// At the first entry of a term, at the end where there is none. With `orGreater`, at the first
  /// term that is not less.
  convenience init(
    _ index: FTS5Index, _ segment: IndexSegment, term: UnsafeRawBufferPointer, orGreater: Bool
  ) throws(SQLError) {
    self.init(index, segment)
    guard segment.firstPage > 0 else { return }
    let found = try index.tables.findPage(segment.id, term: term) ?? 0
    var number = Int(truncatingIfNeeded: found >> 1), hasIndex = found & 1 != 0
    if number < segment.firstPage {
      number = segment.firstPage
      hasIndex = false
    }
    pageNumber = number - 1
    try readNextPage()
    guard page != nil else { return }
    try seek(term, orGreater: orGreater)
    guard page != nil, !orGreater else { return }
    isOneTerm = true
    if hasIndex && (termPage != pageNumber || doclistEnd >= (page?.contentSize ?? 0)) {
      doclistIndex = try DoclistIndexReader(index, segment, page: termPage)
    }
  }

  /// The pending entries of a term; nil where there are none.
  static func pending(
    _ index: FTS5Index, term: UnsafeRawBufferPointer
  ) throws(SQLError) -> EntryReader? {
    let list = GrowingBytes()
    guard try index.pending.copyList(ofKey: term, to: list) else { return nil }
    let reader = EntryReader(index, nil)
    reader.isOneTerm = true
    try reader.term.append(term)
    try reader.readPendingList(list)
    return reader
  }

  /// All pending entries whose terms are not less; nil where there are none.
  static func pending(
    _ index: FTS5Index, from term: UnsafeRawBufferPointer?
  ) throws(SQLError) -> EntryReader? {
    guard !index.pending.isEmpty else { return nil }
    let reader = EntryReader(index, nil)
    var keys = try index.pending.sortedEntries()[...]
    if let term, let start = term.baseAddress?.assumingMemoryBound(to: UInt8.self) {
      keys = keys.drop { entry in
        let key = index.pending.key(ofEntry: Int(entry))
        guard let keyStart = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
          return true
        }
        return ByteOrder.compare(keyStart, key.count, start, term.count) < 0
      }
    }
    reader.pendingKeys = keys
    try reader.readNextPendingTerm()
    return reader.page == nil ? nil : reader
  }

  @inline(__always)
  var isAtEnd: Bool { state.pointee.isAtEnd }

  func stop() {
    page = nil
    content = 0
    state.pointee.isAtEnd = true
  }

  private func enter(_ page: IndexPage) {
    self.page = page
    bytes = page.bytes
    content = page.contentSize
    state.pointee.isAtEnd = false
  }

  /// The term has changed.
  private func keepTerm() {
    state.pointee.term = UnsafePointer(term.start)
    state.pointee.termCount = term.count
  }

  /// The entry is of a row that was deleted from the segment.
  func isDeletedRow() throws(SQLError) -> Bool {
    guard let segment, segment.tombstonePageCount > 0 else { return false }
    let reader = tombstones ?? TombstoneReader(index, segment)
    tombstones = reader
    return try reader.contains(rowid)
  }

  // MARK: Moving

  /// Moves to the next entry.
  ///
  /// - Returns: It is one of another term.
  func next() throws(SQLError) -> Bool {
    if detail == .none { return try nextWithoutPositions() }
    guard !isAtEnd else { return false }
    var place = offset &+ state.pointee.positionSize
    var isNewTerm = false, kept = 0
    if place < content {
      if place >= doclistEnd {
        isNewTerm = true
        if place != page?.firstTermOffset {
          place &+= Varint.readSmall(bytes + place, &kept)
        }
      } else {
        var distance: UInt64 = 0
        place &+= Varint.read(bytes + place, &distance)
        state.pointee.rowid = state.pointee.rowid &+ Int64(bitPattern: distance)
      }
      offset = place
    } else if segment == nil {
      try readNextPendingTerm()
      return !isAtEnd
    } else {
      isNewTerm = try moveToNextPage()
      if isAtEnd { return false }
    }
    if isNewTerm {
      if isOneTerm {
        stop()
        return false
      }
      try readTerm(keeping: kept)
    }
    try readPositionSize()
    return isNewTerm
  }

  /// Goes on where a position list has filled the page.
  private func moveToNextPage() throws(SQLError) -> Bool {
    while true {
      try readNextPage()
      guard let page else { return false }
      let first = page.firstRowidOffset
      if first > 0 && first < page.contentSize {
        var value: UInt64 = 0
        offset = first + Varint.read(page.bytes + first, &value)
        state.pointee.rowid = Int64(bitPattern: value)
        return false
      }
      if page.hasTerms {
        let term = page.firstTermOffset
        guard term >= IndexFormat.headerSize, term < page.contentSize else { throw corruptPage() }
        offset = term
        doclistEnd = term
        return true
      }
    }
  }

  private func nextWithoutPositions() throws(SQLError) -> Bool {
    while segment != nil, let page, offset >= page.contentSize {
      try readNextPage()
      if isAtEnd { return false }
      state.pointee.rowid = 0
      offset = IndexFormat.headerSize
    }
    guard let page else { return false }
    var isNewTerm = false
    if offset < min(doclistEnd, page.contentSize) {
      var distance: UInt64 = 0
      offset &+= Varint.read(page.bytes + offset, &distance)
      state.pointee.rowid = rowid &+ Int64(bitPattern: distance)
    } else if isOneTerm {
      stop()
      return false
    } else if segment == nil {
      try readNextPendingTerm()
      return !isAtEnd
    } else {
      var kept = 0
      if offset != page.firstTermOffset { offset += Varint.readSmall(page.bytes + offset, &kept) }
      try readTerm(keeping: kept)
      isNewTerm = true
    }
    try readPositionSize()
    return isNewTerm
  }

  /// Moves to the first entry of the term whose rowid is not less.
  func advance(to target: Int64) throws(SQLError) {
    if let doclistIndex, rowid < target {
      let number = try doclistIndex.page(before: target, from: pageNumber)
      if number > pageNumber {
        pageNumber = number - 1
        // The index does not know of rows that were deleted securely: the term may be over there.
        if try moveToNextPage() { stop() }
        if !isAtEnd { try readPositionSize() }
      }
    }
    if detail != .none { passOver(below: target) }
    while !isAtEnd && rowid < target {
      _ = try next()
      if detail != .none { passOver(below: target) }
    }
  }

  /// Moves on as long as entries are less and whole on the page.
  private func passOver(below target: Int64) {
    let bytes = bytes, end = min(content, doclistEnd)
    var rowid = state.pointee.rowid, size = state.pointee.positionSize, place = offset
    var flag = state.pointee.isDelete ? 1 : 0
    while rowid < target {
      var at = place &+ size
      guard at < end else { break }
      var distance: UInt64 = 0, number = 0
      at &+= Varint.read(bytes + at, &distance)
      at &+= Varint.readSmall(bytes + at, &number)
      guard at <= content else { break }
      rowid = rowid &+ Int64(bitPattern: distance)
      flag = number & 1
      size = number >> 1
      place = at
    }
    state.pointee.rowid = rowid
    state.pointee.positionSize = size
    state.pointee.isDelete = flag != 0
    offset = place
  }

  /// Passes over the entries of the term that follow, as long as they are less, have positions, and
  /// are whole on the page.
  ///
  /// - Returns: Their bytes, at most so many; nil where there are none.
  func takeRun(below bound: Int64, room: Int) -> UnsafeBufferPointer<UInt8>? {
    guard detail != .none, !isAtEnd else { return nil }
    let first = offset &+ state.pointee.positionSize
    let end = min(content, doclistEnd, first &+ room)
    var last = first
    while last < end {
      var at = last, distance: UInt64 = 0, number = 0
      at &+= Varint.read(bytes + at, &distance)
      at &+= Varint.readSmall(bytes + at, &number)
      let rowid = state.pointee.rowid &+ Int64(bitPattern: distance), size = number >> 1
      guard rowid < bound, size > 0, at &+ size <= end else { break }
      state.pointee.rowid = rowid
      state.pointee.positionSize = size
      state.pointee.isDelete = number & 1 != 0
      offset = at
      last = at &+ size
    }
    return last > first ? UnsafeBufferPointer(start: bytes + first, count: last - first) : nil
  }

  // MARK: Reading

  private func readNextPage() throws(SQLError) {
    guard let segment else { return stop() }
    pageNumber += 1
    guard pageNumber <= segment.lastPage else { return stop() }
    let read = try index.readPage(segment.id, pageNumber)
    enter(read)
    nextTermOffsetPlace = read.contentSize
    if read.hasTerms {
      nextTermOffsetPlace += Varint.readSmall(read.bytes + nextTermOffsetPlace, &doclistEnd)
    } else {
      doclistEnd = read.count + 1
    }
  }

  private func readTerm(keeping kept: Int) throws(SQLError) {
    guard let page, offset < page.contentSize else { throw corruptPage() }
    var added = 0
    offset &+= Varint.readSmall(page.bytes + offset, &added)
    guard added > 0, kept <= term.count, offset &+ added <= page.contentSize else {
      throw corruptPage()
    }
    term.count = kept
    try term.append(page.bytes + offset, added)
    keepTerm()
    offset &+= added
    try beginDoclist()
  }

  /// The term is read; its doclist follows.
  private func beginDoclist() throws(SQLError) {
    guard let page else { throw corruptPage() }
    termOffset = offset
    termPage = pageNumber
    if nextTermOffsetPlace >= page.count {
      doclistEnd = page.count + 1
    } else {
      var distance = 0
      nextTermOffsetPlace &+= Varint.readSmall(page.bytes + nextTermOffsetPlace, &distance)
      doclistEnd &+= distance
    }
    while let page = self.page, offset >= page.contentSize {
      try readNextPage()
      guard self.page != nil else { throw corruptPage() }
      offset = IndexFormat.headerSize
    }
    guard let page = self.page else { throw corruptPage() }
    var value: UInt64 = 0
    offset &+= Varint.read(page.bytes + offset, &value)
    state.pointee.rowid = Int64(bitPattern: value)
  }

  @inline(__always)
  private func readPositionSize() throws(SQLError) {
    // The page may end with the rowid: behind it there are zeros.
    guard !isAtEnd, offset <= content &+ Varint.maximumSize else { throw corruptPage() }
    if detail == .none {
      if let page { readDeletion(page) }
      return
    }
    var size = 0
    offset &+= Varint.readSmall(bytes + offset, &size)
    state.pointee.isDelete = size & 1 != 0
    state.pointee.positionSize = size >> 1
  }

  /// Without positions, zeros behind a rowid say that it is deleted, and that it is there again.
  private func readDeletion(_ page: IndexPage) {
    let end = min(doclistEnd, page.contentSize)
    state.pointee.isDelete = false
    state.pointee.positionSize = 1
    guard offset < end, page.bytes[offset] == 0 else { return }
    state.pointee.isDelete = true
    offset += 1
    if offset < end, page.bytes[offset] == 0 {
      offset += 1
    } else {
      state.pointee.positionSize = 0
    }
  }

  private func readPendingList(_ list: GrowingBytes) throws(SQLError) {
    let made = try IndexPage(doclist: list.buffer)
    enter(made)
    keepTerm()
    doclistEnd = made.count + 1
    var value: UInt64 = 0
    offset = Varint.read(made.bytes, &value)
    state.pointee.rowid = Int64(bitPattern: value)
    try readPositionSize()
  }

  private func readNextPendingTerm() throws(SQLError) {
    guard !isOneTerm, let entry = pendingKeys.popFirst() else { return stop() }
    let list = GrowingBytes()
    try index.pending.copyList(ofEntry: Int(entry), to: list)
    term.removeAll()
    try term.append(index.pending.key(ofEntry: Int(entry)))
    try readPendingList(list)
  }

  func corruptPage() -> SQLError {
    index.corruptPage(pageNumber, ofSegment: segment?.id ?? 0)
  }

  // MARK: Searching

  /// Looks for a term on the page. Terms have a prefix in common with the one before: as long as
  /// that is longer than what the sought one has in common, they are all less.
  private func seek(
    _ target: UnsafeRawBufferPointer, orGreater: Bool
  ) throws(SQLError) {
    guard let page, let sought = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return stop()
    }
    // Where there are no terms on the page, they were deleted securely.
    var place = page.contentSize, termPlace = 0, matched = 0
    var isFirst = true
    while place < page.count {
      var distance = 0
      place &+= Varint.readSmall(page.bytes + place, &distance)
      termPlace &+= distance
      var at = termPlace, kept = 0, added = 0
      guard at < page.contentSize else { throw corruptPage() }
      if !isFirst { at &+= Varint.readSmall(page.bytes + at, &kept) }
      at &+= Varint.readSmall(page.bytes + at, &added)
      guard at &+ added <= page.contentSize else { throw corruptPage() }
      isFirst = false
      if kept > matched { continue }
      var isGreater = kept < matched
      if !isGreater {
        let limit = min(added, target.count &- matched)
        let common = ByteOrder.commonPrefix(page.bytes + at, sought + matched, limit: limit)
        matched &+= common
        if matched == target.count && common == added {
          return try found(sought, kept, at, added, place, termPlace)
        }
        isGreater =
          matched == target.count || common < added && page.bytes[at &+ common] > sought[matched]
      }
      guard isGreater else { continue }
      guard orGreater else { return stop() }
      return try found(sought, kept, at, added, place, termPlace)
    }
    guard orGreater else { return stop() }
    try seekFirstOfNextPages()
  }

  private func found(
    _ sought: UnsafePointer<UInt8>, _ kept: Int, _ place: Int, _ added: Int, _ next: Int,
    _ termPlace: Int
  ) throws(SQLError) {
    guard let page else { return }
    term.removeAll()
    try term.append(sought, kept)
    try term.append(page.bytes + place, added)
    keepTerm()
    offset = place &+ added
    nextTermOffsetPlace = next
    doclistEnd = termPlace
    try beginDoclist()
    try readPositionSize()
  }

  private func seekFirstOfNextPages() throws(SQLError) {
    repeat { try readNextPage() } while page.map { !$0.hasTerms } ?? false
    guard let page else { return }
    offset = page.firstTermOffset
    guard offset >= IndexFormat.headerSize else { throw corruptPage() }
    try readTerm(keeping: 0)
    try readPositionSize()
  }
}
