extension WriteAheadLog {
  /// Lets the connection append to the log. False when another one does.
  ///
  /// - Throws: `busySnapshot` when what the connection reads is not what was committed last.
  func beginWrite() throws(SQLError) -> Bool {
    assert(reader != nil)
    guard !mayOnlyRead else { throw SQLError(.readOnly) }
    if isWriting { return true }
    guard try index.lock(WALIndex.Slot.write, .exclusive) else { return false }
    isWriting = true
    index.mayExtend = true
    if index.liveHeader != header {
      endWrite()
      throw SQLError(.busySnapshot)
    }
    return true
  }

  func endWrite() {
    guard isWriting else { return }
    isWriting = false
    index.mayExtend = false
    index.unlock(WALIndex.Slot.write, .exclusive)
    firstStaleChecksum = 0
    mayCut = false
  }

  /// A place in the transaction that can be returned to.
  struct Mark {
    let frameCount: UInt32
    let checksum: WALChecksum
    let startCount: UInt32
  }

  var mark: Mark {
    Mark(frameCount: header.frameCount, checksum: header.frameChecksum, startCount: startCount)
  }

  /// Forgets the frames that were appended since.
  func forgetFrames(since mark: Mark) throws(SQLError) {
    // Where the log was started again meanwhile, all of its frames are newer.
    let count = mark.startCount == startCount ? mark.frameCount : 0
    guard count < header.frameCount else { return }
    header.frameCount = count
    header.frameChecksum = mark.startCount == startCount ? mark.checksum : WALChecksum()
    try index.forget(after: count)
    if firstStaleChecksum > count { firstStaleChecksum = 0 }
  }

  /// Forgets what the transaction has appended; calls `body` with each page that it was.
  func forgetTransaction(
    _ body: (PageNumber) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard isWriting else { return }
    let last = header.frameCount
    try forEachPageOfTransaction(body)
    header = index.liveHeader
    if last > header.frameCount { try index.forget(after: header.frameCount) }
    firstStaleChecksum = 0
  }

  /// Calls `body` with each page that the transaction has appended.
  func forEachPageOfTransaction(
    _ body: (PageNumber) throws(SQLError) -> Void
  ) throws(SQLError) {
    assert(isWriting)
    let committedCount = index.liveHeader.frameCount
    guard header.frameCount > committedCount else { return }
    try index.forEachPage(from: committedCount + 1, through: header.frameCount) {
      (_, page) throws(SQLError) in
      try body(PageNumber(page))
    }
  }
}

extension WriteAheadLog {
  /// A page that is to be appended.
  struct Page {
    let number: PageNumber
    let content: UnsafePointer<UInt8>
  }

  /// How the file is made safe.
  struct Syncing {
    /// After a commit.
    let commits: Bool
    /// Around checkpoints, and when the log is started again.
    let checkpoints: Bool
    /// Beyond the caches of the medium.
    let commitsFully, checkpointsFully: Bool
    /// The smallest piece that can be written without touching its neighbours; 0 where nothing else
    /// is touched.
    let sectorSize: Int
  }

  /// Appends pages, at least one. Where `pageCount` is not nil they end a transaction, after which
  /// the image has that many pages: when this returns, it is committed.
  ///
  /// - Parameter buffer: of `JournalFile.bufferByteCount`, for what is written in one piece.
  /// - Returns: how many frames the log has then.
  @discardableResult
  func append(
    _ pages: [Page], pageSize: Int, endingWith pageCount: UInt32?, _ syncing: Syncing,
    buffer: UnsafeMutableRawPointer
  ) throws(SQLError) -> UInt32 {
    assert(isWriting && !pages.isEmpty)
    let live = index.liveHeader
    // Frames from here on are the transaction's own, and may be written again.
    let firstOwnFrame = live == header ? 0 : live.frameCount &+ 1
    try startAgainIfPossible()
    if header.frameCount == 0 {
      try writeHeader(pageSize: pageSize, syncing)
    } else {
      // Not without the index: nothing is written behind frames that there are not.
      _ = try index.page(ofFrame: header.frameCount)
    }
    guard self.pageSize == pageSize else {
      throw .corrupt("write-ahead log of another page size")
    }
    var output = WALOutput(log, buffer: buffer, header: header, pageSize: pageSize)
    var appended: [PageNumber] = []
    appended.reserveCapacity(pages.count)
    for (place, page) in pages.enumerated() {
      let isCommit = pageCount != nil && place == pages.count - 1
      if firstOwnFrame != 0, !isCommit,
        let frame = try index.frame(
          of: page.number.rawValue, first: max(firstOwnFrame, 1), last: header.frameCount)
      {
        try output.flush()
        try log.write(
          from: page.content, byteCount: pageSize,
          at: offset(ofFrame: frame) + Int64(WALFormat.frameHeaderByteCount))
        if firstStaleChecksum == 0 || frame < firstStaleChecksum { firstStaleChecksum = frame }
        continue
      }
      try output.append(page.number, page.content, pageCount: isCommit ? pageCount ?? 0 : 0)
      appended.append(page.number)
    }
    try output.flush()
    if pageCount != nil {
      if firstStaleChecksum != 0 { try remakeChecksums(&output) }
      try syncCommit(&output, pages[pages.count - 1], pageCount ?? 0, syncing, &appended)
      if mayCut, sizeLimit >= 0 {
        cut(to: max(sizeLimit, offset(ofFrame: output.frame + 1)))
        mayCut = false
      }
    }
    for (place, page) in appended.enumerated() {
      try index.append(header.frameCount + 1 + UInt32(place), page: page.rawValue)
    }
    header.frameCount = output.frame
    header.frameChecksum = output.checksum
    if let pageCount {
      header.change &+= 1
      header.pageCount = pageCount
      index.publish(&header)
    }
    return header.frameCount
  }

  /// Where a write may damage what is beside it, the next commit must begin in a sector of its own:
  /// the last frame is repeated up to there. SQLite does so when it syncs commits; but a checkpoint
  /// syncs the log, too, and what it has begun to copy must not be damaged by what is appended then.
  private func syncCommit(
    _ output: inout WALOutput, _ last: Page, _ pageCount: UInt32, _ syncing: Syncing,
    _ appended: inout [PageNumber]
  ) throws(SQLError) {
    if syncing.sectorSize > 0, syncing.commits || syncing.checkpoints {
      let end = JournalFormat.alignedUp(
        offset(ofFrame: output.frame + 1), to: syncing.sectorSize)
      while offset(ofFrame: output.frame + 1) < end {
        try output.append(last.number, last.content, pageCount: pageCount)
        appended.append(last.number)
      }
      try output.flush()
    }
    if syncing.commits { try log.sync(fully: syncing.commitsFully) }
  }

  func cut(to byteCount: Int64) {
    // A log that is longer than wanted does no harm.
    do { if try log.byteCount() > byteCount { try log.truncate(to: byteCount) } } catch {}
  }

  private func writeHeader(pageSize: Int, _ syncing: Syncing) throws(SQLError) {
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    if startCount == 0 {
      header.salt = (randomSalt(), randomSalt())
    }
    let isBigEndian = UInt32(bigEndian: 1) == 1
    var sum = WALChecksum()
    try withUnsafeMutableBytes(of: &bytes) { bytes throws(SQLError) in
      guard let start = bytes.baseAddress else { return }
      start.storeBigEndian(WALFormat.magic | (isBigEndian ? 1 : 0))
      start.storeBigEndian(WALFormat.version, at: 4)
      start.storeBigEndian(UInt32(pageSize), at: 8)
      start.storeBigEndian(startCount, at: 12)
      start.storeBytes(of: header.salt.0, toByteOffset: 16, as: UInt32.self)
      start.storeBytes(of: header.salt.1, toByteOffset: 20, as: UInt32.self)
      sum.add(start, 24, isBigEndian: isBigEndian)
      start.storeBigEndian(sum.first, at: 24)
      start.storeBigEndian(sum.second, at: 28)
      try log.write(from: start, byteCount: WALFormat.headerByteCount, at: 0)
    }
    header.pageSize = pageSize
    header.hasBigEndianChecksums = isBigEndian
    header.frameChecksum = sum
    mayCut = true
    // Else a power failure could leave the old header before new frames.
    if syncing.checkpoints { try log.sync(fully: syncing.checkpointsFully) }
  }

  /// Pages that were written again have changed the checksums of all frames behind them.
  private func remakeChecksums(_ output: inout WALOutput) throws(SQLError) {
    let byteCount = WALFormat.frameByteCount(pageSize: pageSize)
    let frameBuffer = try Memory.allocate(byteCount)
    defer { Memory.free(frameBuffer) }
    var sum = WALChecksum()
    if firstStaleChecksum == 1 {
      var bytes: UInt64 = 0
      try withUnsafeMutableBytes(of: &bytes) { bytes throws(SQLError) in
        guard let start = bytes.baseAddress else { return }
        try log.readFully(into: start, byteCount: 8, at: 24)
        sum.first = UnsafeRawPointer(start).bigEndianUInt32(at: 0)
        sum.second = UnsafeRawPointer(start).bigEndianUInt32(at: 4)
      }
    } else {
      try log.readFully(
        into: frameBuffer, byteCount: WALFormat.frameHeaderByteCount,
        at: offset(ofFrame: firstStaleChecksum - 1))
      sum.first = UnsafeRawPointer(frameBuffer).bigEndianUInt32(at: 16)
      sum.second = UnsafeRawPointer(frameBuffer).bigEndianUInt32(at: 20)
    }
    var frame = firstStaleChecksum
    while frame <= output.frame {
      try log.readFully(into: frameBuffer, byteCount: byteCount, at: offset(ofFrame: frame))
      sum.add(frameBuffer, 8, isBigEndian: header.hasBigEndianChecksums)
      sum.add(
        frameBuffer + WALFormat.frameHeaderByteCount, pageSize,
        isBigEndian: header.hasBigEndianChecksums)
      frameBuffer.storeBytes(of: header.salt.0, toByteOffset: 8, as: UInt32.self)
      frameBuffer.storeBytes(of: header.salt.1, toByteOffset: 12, as: UInt32.self)
      frameBuffer.storeBigEndian(sum.first, at: 16)
      frameBuffer.storeBigEndian(sum.second, at: 20)
      try log.write(
        from: frameBuffer, byteCount: WALFormat.frameHeaderByteCount, at: offset(ofFrame: frame))
      frame += 1
    }
    output.checksum = sum
    firstStaleChecksum = 0
  }
}

extension WriteAheadLog {
  /// Starts the log again where all of it is in the file and nobody reads it. Who begins to write
  /// without using the log finds out; if somebody reads it, the log goes on.
  private func startAgainIfPossible() throws(SQLError) {
    guard reader == 0 else { return }
    if index.backfillCount > 0 {
      let salt = randomSalt()
      if try index.lock(WALIndex.Slot.allReadersOfLog, .exclusive) {
        startAgain(salt: salt)
        index.unlock(WALIndex.Slot.allReadersOfLog, .exclusive)
      }
    }
    // A reader without the log does not see what is appended to it.
    index.unlock(WALIndex.Slot.reader(0), .shared)
    reader = nil
    try readAgainUsingLog()
  }

  func randomSalt() -> UInt32 {
    var generator = salts ?? SplitMix(0)
    if salts == nil {
      var seed: UInt64 = 0
      withUnsafeMutableBytes(of: &seed) { vfs.fillRandom($0) }
      generator = SplitMix(seed)
    }
    defer { salts = generator }
    return UInt32(truncatingIfNeeded: generator.next())
  }

  /// To be called with the locks of all that read the log. The frames stay where they are; as their
  /// salts are old, they count no more.
  func startAgain(salt: UInt32) {
    startCount &+= 1
    header.frameCount = 0
    let old = UInt32(bigEndian: header.salt.0)
    header.salt = ((old &+ 1).bigEndian, salt)
    index.publish(&header)
    index.backfillCount = 0
    index.backfillAttempted = 0
    index.setReadMark(1, to: 0)
    for number in 2..<WALIndex.Slot.readerCount {
      index.setReadMark(number, to: WALIndex.unusedMark)
    }
  }
}

/// Frames that are written at the end of a log, many by one call.
struct WALOutput {
  private let log: any File
  private let buffer: UnsafeMutableRawPointer
  private let pageSize: Int
  private let isBigEndian: Bool
  private let salt: (UInt32, UInt32)
  private let writesParts: Bool
  private var bufferedCount = 0
  /// The last frame.
  private(set) var frame: UInt32
  var checksum: WALChecksum

  init(
    _ log: any File, buffer: UnsafeMutableRawPointer, header: WALIndexHeader, pageSize: Int
  ) {
    self.log = log
    self.buffer = buffer
    self.pageSize = pageSize
    isBigEndian = header.hasBigEndianChecksums
    salt = header.salt
    writesParts = log.traits.contains(.writesSinglePages)
    frame = header.frameCount
    checksum = header.frameChecksum
  }

  mutating func append(
    _ number: PageNumber, _ content: UnsafePointer<UInt8>, pageCount: UInt32
  ) throws(SQLError) {
    let byteCount = WALFormat.frameByteCount(pageSize: pageSize)
    if bufferedCount + byteCount > JournalFile.bufferByteCount { try flush() }
    guard frame < UInt32.max - 1 else { throw SQLError(.full) }
    let room = buffer + bufferedCount
    room.storeBigEndian(number.rawValue)
    room.storeBigEndian(pageCount, at: 4)
    room.storeBytes(of: salt.0, toByteOffset: 8, as: UInt32.self)
    room.storeBytes(of: salt.1, toByteOffset: 12, as: UInt32.self)
    Memory.copy(from: content, to: room + WALFormat.frameHeaderByteCount, pageSize)
    checksum.add(room, 8, isBigEndian: isBigEndian)
    checksum.add(room + WALFormat.frameHeaderByteCount, pageSize, isBigEndian: isBigEndian)
    room.storeBigEndian(checksum.first, at: 16)
    room.storeBigEndian(checksum.second, at: 20)
    bufferedCount += byteCount
    frame += 1
  }

  mutating func flush() throws(SQLError) {
    guard bufferedCount > 0 else { return }
    let byteCount = WALFormat.frameByteCount(pageSize: pageSize)
    let first = frame - UInt32(bufferedCount / byteCount) + 1
    if writesParts { return try writeParts(from: first) }
    try log.write(
      from: buffer, byteCount: bufferedCount,
      at: WALFormat.offset(ofFrame: first, pageSize: pageSize))
    bufferedCount = 0
  }

  /// Headers and pages one by one, as SQLite does.
  private mutating func writeParts(from first: UInt32) throws(SQLError) {
    let headerByteCount = WALFormat.frameHeaderByteCount
    let byteCount = WALFormat.frameByteCount(pageSize: pageSize)
    for number in first...frame {
      let bytes = buffer + Int(number - first) * byteCount
      let offset = WALFormat.offset(ofFrame: number, pageSize: pageSize)
      try log.write(from: bytes, byteCount: headerByteCount, at: offset)
      try log.write(
        from: bytes + headerByteCount, byteCount: pageSize, at: offset + Int64(headerByteCount))
    }
    bufferedCount = 0
  }
}
