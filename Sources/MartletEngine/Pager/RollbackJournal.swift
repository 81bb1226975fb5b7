/// The journal of one write transaction, as it is being written (JournalFormat has the layout).
///
/// It remembers where its records are, so that undoing needs no headers, and which of them are
/// safe: a page may be written to the database when its record is.
final class RollbackJournal {
  /// Records behind one header.
  struct Segment {
    var firstRecordOffset: Int64
    var recordCount: UInt32 = 0
  }

  /// A place between two records.
  struct Position {
    var segment: Int
    var record: UInt32
  }

  let output: JournalFile
  /// The file, if it is in memory or temporary.
  let memory: SpillingFile?
  private var random: SplitMix
  let pageSize: Int
  let sectorSize: Int
  private(set) var originalPageCount: UInt32
  /// False when nothing is ever synced: then the header counts as complete from the start, and
  /// its records go to the end of the file.
  let isSynced: Bool
  private(set) var nonce: UInt32 = 0
  @exclusivity(unchecked) private(set) var segments: [Segment] = []
  /// Segments of which every record may be needed after a crash.
  private(set) var safeSegmentCount = 0
  private var headerOffset: Int64 = 0
  /// Whether the name of a super-journal was written and not synced.
  private var hasUnsafeName = false

  init(
    _ output: JournalFile, memory: SpillingFile?, seed: UInt64, pageSize: Int, sectorSize: Int,
    originalPageCount: UInt32, isSynced: Bool
  ) {
    self.output = output
    self.memory = memory
    random = SplitMix(seed)
    self.pageSize = pageSize
    self.sectorSize = sectorSize
    self.originalPageCount = originalPageCount
    self.isSynced = isSynced
  }

  /// Begins anew, for another transaction, in a file that was emptied.
  func startAgain(originalPageCount: UInt32) {
    assert(!isSynced)
    self.originalPageCount = originalPageCount
    output.restart()
    segments.removeAll(keepingCapacity: true)
    safeSegmentCount = 0
  }

  var position: Position {
    Position(segment: segments.count - 1, record: segments.last?.recordCount ?? 0)
  }

  /// Appends a header at the next sector. SQLite repeats it where a sector is larger than a page.
  ///
  /// - Parameter chosenNonce: in place of a random one, by which old records in the file of a
  ///   journal are known not to belong to it.
  func appendHeader(nonce chosenNonce: UInt32? = nil) throws(SQLError) {
    nonce = chosenNonce ?? UInt32(truncatingIfNeeded: random.next())
    try output.skip(to: JournalFormat.alignedUp(output.endOffset, to: sectorSize))
    headerOffset = output.endOffset
    var header = JournalHeader(
      nonce: nonce, originalPageCount: originalPageCount, sectorSize: sectorSize,
      pageSize: pageSize)
    header.recordCount = JournalFormat.uncounted
    let room = try output.append(sectorSize)
    room.initializeMemory(as: UInt8.self, repeating: 0, count: sectorSize)
    for offset in stride(from: 0, to: sectorSize, by: min(pageSize, sectorSize)) {
      header.encode(into: room + offset, isComplete: !isSynced)
    }
    segments.append(Segment(firstRecordOffset: output.endOffset))
  }

  func append(_ number: PageNumber, _ page: UnsafePointer<UInt8>) throws(SQLError) {
    // Behind a header that is complete comes another one.
    if isSynced && safeSegmentCount == segments.count { try appendHeader() }
    let sum = JournalFormat.checksum(of: page, pageSize: pageSize, nonce: nonce)
    let room = try output.append(JournalFormat.recordByteCount(pageSize: pageSize))
    room.storeBigEndian(number.rawValue)
    Memory.copy(from: page, to: room + 4, pageSize)
    room.storeBigEndian(sum, at: 4 + pageSize)
    segments[segments.count - 1].recordCount += 1
  }

  /// Makes all records safe: afterwards their pages may be written to the database.
  ///
  /// - Parameter syncingTwice: sync the records before the header that counts them, so that it
  ///   never counts what is not there (`synchronous=FULL`).
  /// - Parameter fully: beyond the caches of the medium (`fullfsync`).
  func makeSafe(syncingTwice: Bool, fully: Bool = false) throws(SQLError) {
    try output.flush()
    if isSynced, safeSegmentCount < segments.count, let last = segments.last {
      try hideStaleHeader()
      if syncingTwice { try output.file.sync(fully: fully) }
      try completeHeader(recordCount: last.recordCount)
      try output.file.sync(fully: fully)
    } else if isSynced && hasUnsafeName {
      // Without the name the journal would be rolled back alone.
      try output.file.sync(fully: fully)
    }
    hasUnsafeName = false
    safeSegmentCount = segments.count
  }

  private func completeHeader(recordCount: UInt32) throws(SQLError) {
    let bytes: (UInt64, UInt32) = (JournalFormat.magic.bigEndian, recordCount.bigEndian)
    try withUnsafeBytes(of: bytes) { bytes throws(SQLError) in
      guard let start = bytes.baseAddress else { return }
      try output.file.write(from: start, byteCount: 12, at: headerOffset)
    }
  }

  /// A file of `journal_mode=PERSIST` may have an old header just where ours ends, and recovery
  /// would go on with it.
  private func hideStaleHeader() throws(SQLError) {
    let offset = JournalFormat.alignedUp(output.endOffset, to: sectorSize)
    var magic: UInt64 = 0
    _ = try withUnsafeMutableBytes(of: &magic) { bytes throws(SQLError) in
      guard let start = bytes.baseAddress else { return }
      _ = try output.file.read(into: start, byteCount: 8, at: offset)
    }
    guard UInt64(bigEndian: magic) == JournalFormat.magic else { return }
    var zero: UInt8 = 0
    try output.file.write(from: &zero, byteCount: 1, at: offset)
  }
}

extension RollbackJournal {
  /// Calls `body` for the records from `position` on, of the first `segmentCount` segments.
  ///
  /// - Parameter buffer: a page, where the content is put.
  func forEachRecord(
    from position: Position, segmentCount: Int, buffer: UnsafeMutablePointer<UInt8>,
    _ body: (PageNumber, UnsafePointer<UInt8>) throws(SQLError) -> Void
  ) throws(SQLError) {
    let byteCount = Int64(JournalFormat.recordByteCount(pageSize: pageSize))
    for index in position.segment..<max(segmentCount, position.segment) {
      let segment = segments[index]
      let first = index == position.segment ? position.record : 0
      for record in first..<max(segment.recordCount, first) {
        let offset = segment.firstRecordOffset + Int64(record) * byteCount
        var number: UInt32 = 0
        try output.read(into: &number, byteCount: 4, at: offset)
        try output.read(into: buffer, byteCount: pageSize, at: offset + 4)
        try body(PageNumber(UInt32(bigEndian: number)), buffer)
      }
    }
  }

  /// Calls `body` for the records from the last to the first behind `position`, with what reads the
  /// content into a page.
  func forEachRecordBackwards(
    to position: Position,
    _ body: (
      PageNumber, (UnsafeMutablePointer<UInt8>) throws(SQLError) -> Void
    ) throws(SQLError) -> Void
  ) throws(SQLError) {
    let byteCount = Int64(JournalFormat.recordByteCount(pageSize: pageSize))
    for index in (position.segment..<max(segments.count, position.segment)).reversed() {
      let segment = segments[index]
      let first = index == position.segment ? position.record : 0
      for record in (first..<max(segment.recordCount, first)).reversed() {
        let offset = segment.firstRecordOffset + Int64(record) * byteCount
        var number: UInt32 = 0
        try output.read(into: &number, byteCount: 4, at: offset)
        try body(PageNumber(UInt32(bigEndian: number))) { page throws(SQLError) in
          try output.read(into: page, byteCount: pageSize, at: offset + 4)
        }
      }
    }
  }

  /// Appends the name of a super-journal, which makes the file end there. It is durable after
  /// `makeSafe`.
  func appendSuperJournal(_ name: [UInt8], alignsToSector: Bool) throws(SQLError) {
    if alignsToSector {
      try output.skip(to: JournalFormat.alignedUp(output.endOffset, to: sectorSize))
    }
    hasUnsafeName = true
    let room = try output.append(name.count + JournalFormat.superJournalOverhead)
    room.storeBigEndian(JournalFormat.lockBytePage(pageSize: pageSize).rawValue)
    name.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { Memory.copy(from: start, to: room + 4, bytes.count) }
    }
    room.storeBigEndian(UInt32(name.count), at: 4 + name.count)
    room.storeBigEndian(JournalFormat.checksum(ofName: name), at: 8 + name.count)
    room.storeBigEndian(JournalFormat.magic, at: 12 + name.count)
    try output.flush()
    if try output.file.byteCount() > output.endOffset {
      try output.file.truncate(to: output.endOffset)
    }
  }
}
