/// Reads a journal that somebody else has written and perhaps not finished: nothing in it is
/// believed before it is checked.
struct JournalReader {
  private let file: any File
  let byteCount: Int64
  private var offset: Int64 = 0
  /// The size that headers have before the first one says it.
  private(set) var sectorSize = 512
  private(set) var pageSize: Int
  private var nonce: UInt32 = 0
  private var isAtStart = true

  /// - Parameter databasePageSize: that of the database: the first journals did not say theirs.
  init(_ file: any File, databasePageSize: Int) throws(SQLError) {
    self.file = file
    pageSize = databasePageSize
    byteCount = try file.byteCount()
  }

  /// The header at the next sector, or nil where the journal ends.
  mutating func nextHeader() throws(SQLError) -> JournalHeader? {
    offset = JournalFormat.alignedUp(offset, to: sectorSize)
    guard offset + Int64(sectorSize) <= byteCount else { return nil }
    var bytes: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)
    let position = offset
    let file = file
    let header = try withUnsafeMutableBytes(of: &bytes) { bytes throws(SQLError) in
      guard let start = bytes.baseAddress else { return nil as JournalHeader? }
      try file.readFully(
        into: start, byteCount: JournalFormat.headerByteCount, at: position)
      return JournalHeader(decoding: start)
    }
    guard var header else { return nil }
    if isAtStart {
      if header.pageSize == 0 { header.pageSize = pageSize }
      guard header.hasPossibleSizes else { return nil }
      sectorSize = header.sectorSize
      pageSize = header.pageSize
      isAtStart = false
    }
    nonce = header.nonce
    offset += Int64(sectorSize)
    return header
  }

  /// How many records a header announces.
  func recordCount(of header: JournalHeader) -> UInt32 {
    guard header.recordCount == JournalFormat.uncounted else { return header.recordCount }
    let room = max(0, byteCount - Int64(sectorSize))
    return UInt32(clamping: room / Int64(JournalFormat.recordByteCount(pageSize: pageSize)))
  }

  /// The next record: its page's number, and its content in `buffer`. Nil where the writer was
  /// interrupted: nothing behind that is of any use.
  ///
  /// - Parameter pageCount: Of a page behind so many nobody wants the content, nor asks, as SQLite,
  ///   whether it is sound: the records that follow are still good.
  mutating func nextRecord(
    into buffer: UnsafeMutablePointer<UInt8>, pageCount: UInt32
  ) throws(SQLError) -> PageNumber? {
    let recordByteCount = Int64(JournalFormat.recordByteCount(pageSize: pageSize))
    guard offset + recordByteCount <= byteCount else { return nil }
    var number: UInt32 = 0
    var sum: UInt32 = 0
    try file.readFully(into: &number, byteCount: 4, at: offset)
    try file.readFully(into: buffer, byteCount: pageSize, at: offset + 4)
    try file.readFully(into: &sum, byteCount: 4, at: offset + 4 + Int64(pageSize))
    let page = PageNumber(UInt32(bigEndian: number))
    guard page.rawValue != 0, page != JournalFormat.lockBytePage(pageSize: pageSize),
      page.rawValue > pageCount
        || JournalFormat.checksum(of: buffer, pageSize: pageSize, nonce: nonce)
          == UInt32(bigEndian: sum)
    else { return nil }
    offset += recordByteCount
    return page
  }
}
