extension WriteAheadLog {
  /// Makes the index from the log (walformat §3). To be called with the write lock. False where a
  /// checkpoint is in the way.
  func recover() throws(SQLError) -> Bool {
    assert(isWriting || isIndexUnreliable)
    let first = isCheckpointing ? WALIndex.Slot.recover : WALIndex.Slot.checkpoint
    let slots = first..<WALIndex.Slot.reader(0)
    guard try index.lock(slots, .exclusive) else { return false }
    defer { index.unlock(slots, .exclusive) }
    // Memory of its own is not there yet.
    guard try index.open() else { throw SQLError(.ioErrorSharedMemoryMap) }
    header = WALIndexHeader()
    var reader = WALReader(log, byteCount: try log.byteCount())
    if try reader.readHeader() { try enterFrames(&reader) }
    index.publish(&header)
    index.backfillCount = 0
    index.backfillAttempted = header.frameCount
    index.setReadMark(0, to: 0)
    for number in 1..<WALIndex.Slot.readerCount {
      let slot = WALIndex.Slot.reader(number)
      // Somebody reads by it, and knows what he sees.
      guard try index.lock(slot, .exclusive) else { continue }
      let isFirst = number == 1 && header.frameCount > 0
      index.setReadMark(number, to: isFirst ? header.frameCount : WALIndex.unusedMark)
      index.unlock(slot, .exclusive)
    }
    // Who may not write the shared memory reads the log for himself alone.
    if header.pageCount > 0, !isIndexUnreliable {
      Notices.tell(
        .noticeRecoverWAL, "recovered \(header.frameCount) frames from WAL file \(path)")
    }
    return true
  }

  private func enterFrames(_ reader: inout WALReader) throws(SQLError) {
    startCount = reader.startCount
    header.hasBigEndianChecksums = reader.isBigEndian
    header.salt = reader.salt
    header.pageSize = reader.pageSize
    header.frameChecksum = reader.checksum
    let buffer = try Memory.allocate(reader.frameByteCount)
    defer { Memory.free(buffer) }
    let fresh = WALIndex(databaseFile, .private)
    while let frame = try reader.next(buffer) {
      try fresh.append(reader.frame, page: frame.page)
      if frame.pageCount != 0 {
        header.frameCount = reader.frame
        header.pageCount = frame.pageCount
        header.frameChecksum = reader.checksum
      }
    }
    // What comes behind the last commit belongs to a transaction that never ended.
    if reader.frame > header.frameCount { try fresh.forget(after: header.frameCount) }
    try index.copyFrames(of: fresh, through: header.frameCount)
  }
}
