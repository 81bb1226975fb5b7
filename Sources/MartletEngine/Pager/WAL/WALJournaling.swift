/// Journal mode WAL: changed pages are appended to a log, and the file is written by checkpoints.
///
/// The shared lock of the database file is held as long as the log is open, so that nobody removes
/// it (walformat §2.3.1).
///
/// The pager knows what pages are changed; this decides where they go, what others see of them, and
/// how they are taken back. Its methods are called in the states that docs/pager.md has, and change
/// them. They are handed the pager, whose reference would be counted if they kept it.
final class WALJournaling {
  let log: WriteAheadLog

  init(_ log: WriteAheadLog) { self.log = log }

  /// Takes the lock of a reader, and makes header and cache those of the last commit.
  ///
  /// - Throws: `busy`; after an error nothing is locked that was not before.
  func beginRead(_ pager: Pager) throws(SQLError) {
    log.sizeLimit = pager.journalSizeLimit
    var hasChanged = false
    do {
      try log.beginRead(&hasChanged)
    } catch {
      // The log knows the new state: the pages of the old one must go when it is read.
      if hasChanged { pager.isHeaderKnown = false }
      throw error
    }
    guard hasChanged || !pager.isHeaderKnown else { return }
    do {
      pager.isHeaderKnown = pager.isHeaderKnown && !hasChanged
      try pager.adoptChangedImage()
    } catch {
      log.endRead()
      throw error
    }
  }

  func endRead(_ pager: Pager) {
    letOthersIn(pager)
    log.endRead()
  }

  /// How many pages the image that is read has, if the log says so: else 0, and the file says.
  var statedPageCount: UInt32 { log.header.pageCount }
  /// The size of the pages that the log has of the image; nil where it has none.
  var statedPageSize: Int? { log.header.frameCount > 0 ? log.header.pageSize : nil }

  /// Takes the lock of the only writer.
  func lockForWriting(_ pager: Pager, exclusive: Bool) throws(SQLError) {
    if pager.lockingMode == .exclusive, log.index.sharing == .shared {
      guard try pager.file.lockOutOthers() else { throw SQLError(.busy) }
      log.lockOutOthers()
    }
    guard try log.beginWrite() else { throw SQLError(.busy) }
  }

  /// Gives the writer's lock back.
  func endTransaction(_ pager: Pager) {
    log.endWrite()
    letOthersIn(pager)
  }

  /// Where the locking mode was exclusive and is not any more.
  private func letOthersIn(_ pager: Pager) {
    guard pager.lockingMode == .normal, log.index.sharing == .exclusive else { return }
    do {
      if log.letOthersIn() { try pager.file.unlock(to: .shared) }
    } catch {
      pager.fail(error)
    }
  }

  /// Writes dirty pages that nobody has pinned before the commit, to make room in the cache.
  ///
  /// The log keeps no frames for a savepoint, so what is in them is saved before they are written.
  func writeEarly(
    _ pager: Pager, _ pages: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    pager.state = .writing
    var written: [PagePointer] = []
    for page in pages {
      if !transaction.savepoints.isEmpty { try pager.saveForSavepoints(page, transaction) }
      if pager.isToBeWritten(page, pager.pageCount) {
        written.append(page)
      } else {
        pager.dropDirty(page)
      }
    }
    try append(pager, written, transaction, endingWith: nil)
    pager.spilledPageCount &+= written.count
    for page in written { pager.cache.markClean(page, isCold: true) }
  }

  /// Where the transaction is, for a savepoint.
  var mark: WriteAheadLog.Mark? { log.mark }

  /// Gives all pages, in the cache, the content that they had at a savepoint.
  func restore(
    _ pager: Pager, _ savepoint: Savepoint, _ transaction: WriteTransaction
  ) throws(SQLError) {
    guard let mark = savepoint.logMark else {
      return try undo(pager, transaction)
    }
    try pager.restore(savepoint, transaction)
    try log.forgetFrames(since: mark)
  }

  /// Writes all changes; afterwards the state is `finished`.
  func commitPhaseOne(
    _ pager: Pager, _ transaction: WriteTransaction, superJournal: String?
  ) throws(SQLError) {
    if pager.pageCount > 0 { try pager.prepareChangedSize() }
    var pages = try pager.cache.sortedDirtyPages()
    pages.removeAll { page in
      if pager.isToBeWritten(page, pager.pageCount) { return false }
      pager.dropDirty(page)
      return true
    }
    if pager.sectorSize > pager.pageSize { try appendNeighbours(pager, of: pages, transaction) }
    if pages.isEmpty, pager.pageCount > 0 {
      // Something has to say where the transaction ends.
      let first = try pager.page(PageNumber(1))
      defer { pager.unpin(first) }
      try append(pager, [first], transaction, endingWith: pager.pageCount)
    } else {
      try append(pager, pages, transaction, endingWith: pager.pageCount)
    }
    for page in pages { pager.cache.markClean(page) }
    pager.state = .finished
  }

  /// Where writing a page may damage the whole sector, the log has to have all pages of it before a
  /// checkpoint writes one: appends those in the sectors of the transaction's pages that it has not
  /// changed.
  private func appendNeighbours(
    _ pager: Pager, of pages: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    let pageSize = pager.pageSize
    let pagesPerSector = UInt32(pager.sectorSize / pageSize)
    let present = PageSet()
    var sectors: Set<UInt32> = []
    func add(_ number: PageNumber) throws(SQLError) {
      guard number.rawValue <= pager.pageCount else { return }
      try present.insert(number)
      sectors.insert((number.rawValue - 1) / pagesPerSector)
    }
    if pages.isEmpty { try add(PageNumber(1)) }
    for page in pages { try add(page.pointee.number) }
    try log.forEachPageOfTransaction(add)
    let copies = try Memory.allocate(pager.sectorSize)
      .bindMemory(to: UInt8.self, capacity: pager.sectorSize)
    defer { Memory.free(copies) }
    for sector in sectors.sorted() {
      var neighbours: [WriteAheadLog.Page] = []
      for place in 0..<pagesPerSector {
        let number = PageNumber(sector * pagesPerSector + place + 1)
        guard number.rawValue <= pager.pageCount, number != pager.lockBytePage,
          !present.contains(number)
        else { continue }
        let copy = copies + Int(place) * pageSize
        // The cache has nothing newer, or the page would be among those that are written.
        try log.read(number, into: copy, pageSize: pageSize)
        neighbours.append(WriteAheadLog.Page(number: number, content: UnsafePointer(copy)))
      }
      guard !neighbours.isEmpty else { continue }
      try log.append(
        neighbours, pageSize: pageSize, endingWith: nil, pager.logSyncing,
        buffer: try pager.writeBuffer())
    }
  }

  private func append(
    _ pager: Pager, _ pages: [PagePointer], _ transaction: WriteTransaction,
    endingWith pageCount: UInt32?
  ) throws(SQLError) {
    guard !pages.isEmpty else { return }
    if let first = pages.first, first.pointee.number.rawValue == 1 {
      pager.stampHeader(first.pointee.data, pageCount: pager.pageCount, transaction)
    }
    pager.writtenPageCount &+= pages.count
    // Some at a time: a list of them all would be as long as the transaction.
    var rest = pages[...]
    while !rest.isEmpty {
      let some = rest.prefix(WALJournaling.pagesAtATime)
      rest = rest.dropFirst(some.count)
      try log.append(
        some.map {
          WriteAheadLog.Page(number: $0.pointee.number, content: UnsafePointer($0.pointee.data))
        },
        pageSize: pager.pageSize, endingWith: rest.isEmpty ? pageCount : nil, pager.logSyncing,
        buffer: try pager.writeBuffer())
    }
  }

  private static let pagesAtATime = 4_096

  /// Makes the commit final.
  func finishCommit(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) {
    pager.committedFrameCount = log.header.frameCount
    try pager.updateHeader()
    if transaction.hasWrittenHeader { pager.keepWrittenHeader() }
    pager.filePageCount = pager.pageCount
    if transaction.hasCutImage { pager.cache.discardPages(after: pager.pageCount) }
  }

  /// Takes all changes back.
  func undo(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) {
    pager.pageCount = transaction.originalPageCount
    let undone = PageSet()
    try log.forgetTransaction { number throws(SQLError) in try undone.insert(number) }
    try pager.restoreCache(transaction) { undone.contains($0) }
  }

  /// Replaces the whole image and commits.
  ///
  /// The pages go by the cache, which may well be smaller than the image.
  func replaceImage(
    _ pager: Pager, by other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let pageSize = pager.pageSize
    guard other.pageSize == pageSize else { throw SQLError(.readOnly) }
    pager.state = .writing
    pager.pageCount = other.pageCount
    pager.cache.discardAll()
    let capacity = max(1, JournalFile.bufferByteCount / pageSize)
    let copies = try Memory.allocate(capacity * pageSize)
      .bindMemory(to: UInt8.self, capacity: capacity * pageSize)
    defer { Memory.free(copies) }
    var pages: [WriteAheadLog.Page] = []
    for number in 1..<max(other.pageCount &+ 1, 1) {
      let number = PageNumber(number)
      if number != other.lockBytePage {
        let copy = copies + pages.count * pageSize
        try copyPage(pager, number, of: other, to: copy, transaction)
        pages.append(WriteAheadLog.Page(number: number, content: UnsafePointer(copy)))
      }
      let isLast = number.rawValue == other.pageCount
      guard isLast || pages.count == capacity else { continue }
      try log.append(
        pages, pageSize: pageSize, endingWith: isLast ? other.pageCount : nil, pager.logSyncing,
        buffer: try pager.writeBuffer())
      pages.removeAll(keepingCapacity: true)
    }
    pager.commitCount &+= 1
    try finishCommit(pager, transaction)
    pager.rollbackGeneration &+= 1
  }

  private func copyPage(
    _ pager: Pager, _ number: PageNumber, of other: Pager,
    to copy: UnsafeMutablePointer<UInt8>, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let page = try other.page(number)
    defer { other.unpin(page) }
    Memory.copy(from: page.pointee.data, to: copy, pager.pageSize)
    guard number.rawValue == 1 else { return }
    // The database stays in WAL mode.
    copy[18] = 2
    copy[19] = 2
    pager.stampHeader(copy, pageCount: other.pageCount, transaction)
  }

  /// The pager is about to close its file.
  func close(_ pager: Pager) {
    // A file without its name has no log by it that it could be parted from.
    let copies = pager.checkpointsOnClose && !pager.file.hasMoved
    // The database is whole without what fails here; the next connection does it.
    do {
      try log.close(copies ? pager.checkpointContext(isInterrupted: { false }) : nil)
    } catch {}
  }
}

extension WriteAheadLog {
  /// Nobody else can be there: no more locks in the shared memory.
  func lockOutOthers() {
    guard index.sharing == .shared else { return }
    if let reader { index.unlock(WALIndex.Slot.reader(reader), .shared) }
    index.sharing = .exclusive
  }

  /// False where that is not possible now: the mode stays, and the next transaction tries again.
  func letOthersIn() -> Bool {
    guard index.sharing == .exclusive else { return false }
    index.sharing = .shared
    var isLocked = reader == nil
    if let reader {
      do { isLocked = try index.lock(WALIndex.Slot.reader(reader), .shared) } catch {}
    }
    if !isLocked { index.sharing = .exclusive }
    return isLocked
  }
}
