import MartletEngine

/// Writes a segment page by page (fts5 §9.2.4; SQLite's Fts5SegWriter). What goes where is C's to
/// the byte.
final class EntryWriter {
  let tables: IndexTables
  let segment: Int
  let pageSize: Int
  /// The page that is being filled, and its number.
  let page = GrowingBytes()
  @exclusivity(unchecked) var pageNumber = 1
  /// Offsets of the terms on the page.
  let termOffsets = GrowingBytes()
  @exclusivity(unchecked) private var previousTermOffset = 0
  private let previousTerm = GrowingBytes()
  @exclusivity(unchecked) private var previousRowid: Int64 = 0
  @exclusivity(unchecked) private var isFirstRowidInDoclist = false
  @exclusivity(unchecked) var isFirstRowidInPage = false
  @exclusivity(unchecked) private var isFirstTermInPage = true
  @exclusivity(unchecked) private(set) var writtenPageCount = 0
  /// Pages without a term behind the last one that has some.
  @exclusivity(unchecked) private var termlessPageCount = 0
  private let doclistIndex: DoclistIndexWriter
  /// What `%_idx` will have of the last page with terms; its number is 0 where there is none.
  private let boundaryTerm = GrowingBytes()
  @exclusivity(unchecked) private var boundaryPage = 1

  init(_ tables: IndexTables, segment: Int, pageSize: Int) throws(SQLError) {
    self.tables = tables
    self.segment = segment
    self.pageSize = pageSize
    doclistIndex = DoclistIndexWriter(tables, segment: segment, pageSize: pageSize)
    try beginPage()
  }

  /// Goes on behind the last page of a segment that an earlier merge has begun.
  func resume(behind lastPage: Int) {
    pageNumber = lastPage + 1
    boundaryPage = 0
  }

  private func beginPage() throws(SQLError) {
    page.removeAll()
    termOffsets.removeAll()
    for _ in 0..<IndexFormat.headerSize { try page.append(0) }
  }

  /// Bytes of the page as it would be written now.
  @inline(__always)
  var pageCount: Int { page.count &+ termOffsets.count }

  // MARK: Pages

  func flushPage() throws(SQLError) {
    page.putUInt16(page.count, at: 2)
    if isFirstTermInPage {
      assert(termOffsets.isEmpty, "a page without terms has no offsets of terms")
      if isFirstRowidInPage { try doclistIndex.appendEmptyPage() }
      termlessPageCount += 1
    } else {
      try page.append(termOffsets.start, termOffsets.count)
    }
    try tables.write(IndexFormat.segmentRow(segment, page: pageNumber), page.buffer)
    try beginPage()
    previousTermOffset = 0
    pageNumber += 1
    writtenPageCount += 1
    isFirstTermInPage = true
    isFirstRowidInPage = true
  }

  /// Ends the segment.
  ///
  /// - Returns: The number of its last page, 0 where nothing was written.
  func finish() throws(SQLError) -> Int {
    if page.count > IndexFormat.headerSize { try flushPage() }
    if pageNumber > 1 { try flushBoundary() }
    return pageNumber - 1
  }

  private func flushBoundary() throws(SQLError) {
    guard boundaryPage > 0 else { return }
    let hasIndex =
      !doclistIndex.isEmpty && termlessPageCount >= IndexFormat.fewestPagesForDoclistIndex
    try doclistIndex.finish(isWritten: hasIndex)
    termlessPageCount = 0
    try tables.insertPage(
      segment, term: boundaryTerm.buffer, page: Int64(boundaryPage) << 1 + (hasIndex ? 1 : 0))
    boundaryPage = 0
  }

  // MARK: Terms

  func append(term: UnsafePointer<UInt8>, _ termCount: Int) throws(SQLError) {
    if pageCount + termCount + 2 >= pageSize && page.count > IndexFormat.headerSize {
      try flushPage()
    }
    try termOffsets.append(varint: page.count - previousTermOffset)
    previousTermOffset = page.count
    let limit = min(previousTerm.count, termCount)
    var prefix = 0
    if isFirstTermInPage {
      if pageNumber != 1 {
        // The shortest prefix that tells this term from the last one of the page before. Where a
        // merge goes on, that one is not known.
        var count = termCount
        if !previousTerm.isEmpty {
          count = 1 + ByteOrder.commonPrefix(previousTerm.start, term, limit: limit)
        }
        try flushBoundary()
        try boundaryTerm.set(term, min(count, termCount))
        boundaryPage = pageNumber
      }
    } else {
      prefix = ByteOrder.commonPrefix(previousTerm.start, term, limit: limit)
      try page.append(varint: prefix)
    }
    try page.append(varint: termCount - prefix)
    try page.append(term + prefix, termCount - prefix)
    try previousTerm.set(term, termCount)
    isFirstTermInPage = false
    isFirstRowidInPage = false
    isFirstRowidInDoclist = true
    doclistIndex.firstPage = pageNumber
  }

  // MARK: Rows

  /// The next rowid is written as its distance from the one before.
  @inline(__always)
  var isInDoclist: Bool { !isFirstRowidInPage && !isFirstRowidInDoclist }

  /// Bytes that may be written without asking whether the page ends.
  @inline(__always)
  var room: Int { pageSize &- pageCount &- 1 }

  /// Appends entries as they stand behind the one that was written last, within `room`.
  @inline(__always)
  func append(run: UnsafeBufferPointer<UInt8>, last rowid: Int64) throws(SQLError) {
    assert(isInDoclist && run.count <= room, "the page has a rowid before it and room")
    guard let start = run.baseAddress else { return }
    try page.append(start, run.count)
    previousRowid = rowid
  }

  func append(rowid: Int64) throws(SQLError) {
    if pageCount >= pageSize { try flushPage() }
    if isFirstRowidInPage { try beginRowids(with: rowid) }
    if isFirstRowidInDoclist || isFirstRowidInPage {
      try page.append(varint: UInt64(bitPattern: rowid))
    } else {
      try page.append(varint: UInt64(bitPattern: rowid &- previousRowid))
    }
    previousRowid = rowid
    isFirstRowidInDoclist = false
    isFirstRowidInPage = false
  }

  /// The page's first rowid goes to where its content ends now.
  private func beginRowids(with rowid: Int64) throws(SQLError) {
    page.putUInt16(page.count, at: 0)
    try appendToDoclistIndex(rowid)
  }

  /// A page of the doclist begins with a rowid.
  func appendToDoclistIndex(_ rowid: Int64) throws(SQLError) {
    try doclistIndex.append(rowid, page: pageNumber)
  }

  /// Appends a piece of a position list. Pages end behind a varint.
  func append(positions: UnsafePointer<UInt8>, _ byteCount: Int) throws(SQLError) {
    var place = positions, rest = byteCount
    while pageCount + rest >= pageSize {
      let wanted = pageSize - pageCount
      var taken = 0
      var value: UInt64 = 0
      while taken < wanted && taken < rest { taken += Varint.read(place + taken, &value) }
      taken = min(taken, rest)
      try page.append(place, taken)
      place += taken
      rest -= taken
      try flushPage()
    }
    if rest > 0 { try page.append(place, rest) }
  }
}
