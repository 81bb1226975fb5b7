/// What a pager knows while it writes.
final class WriteTransaction {
  /// Size of the image when the transaction began.
  @exclusivity(unchecked) private(set) var originalPageCount: UInt32 = 0
  /// Size of the file then, which may have more pages than the header states.
  @exclusivity(unchecked) private(set) var originalFilePageCount: UInt32 = 0
  /// Whether the cache had pages of earlier transactions that are not in the file.
  @exclusivity(unchecked) private(set) var hadDirtyPages = false
  /// Nil before the first change, and with `journal_mode=OFF` always.
  @exclusivity(unchecked) var journal: RollbackJournal?
  /// Pages up to `originalFilePageCount` whose original is in the journal, or of no worth.
  let journaled = PageSet()
  /// Whether page 1 has been written to the file in this transaction.
  @exclusivity(unchecked) var hasWrittenHeader = false
  /// What the header is to say when page 1 is written, in place of what page 1 says.
  @exclusivity(unchecked) var schemaCookie: UInt32?
  /// Whether the image was made shorter at some time, so that pages beyond it may be in the cache.
  @exclusivity(unchecked) var hasCutImage = false
  /// Whether pages that must not be written before a sync are no longer in the cache to say so.
  @exclusivity(unchecked) var mustSync = false
  /// The super-journal that the journal names.
  @exclusivity(unchecked) var superJournal: String?

  @exclusivity(unchecked) private(set) var savepoints: [Savepoint] = []
  /// An empty set that a savepoint has left: each statement in a transaction may have one.
  @exclusivity(unchecked) private var spareSet: PageSet?
  @exclusivity(unchecked) var statementJournal: StatementJournal?

  /// Begins, after `end` or for the first time.
  func begin(originalPageCount: UInt32, originalFilePageCount: UInt32, hadDirtyPages: Bool) {
    self.originalPageCount = originalPageCount
    self.originalFilePageCount = originalFilePageCount
    self.hadDirtyPages = hadDirtyPages
  }

  /// Forgets everything; the memory is for the next transaction.
  func end() {
    journal = nil
    journaled.empty()
    hasWrittenHeader = false
    schemaCookie = nil
    hasCutImage = false
    mustSync = false
    superJournal = nil
    endSavepoints(from: 0)
    statementJournal = nil
  }

  func openSavepoint(pageCount: UInt32, logMark: WriteAheadLog.Mark?) {
    savepoints.append(
      Savepoint(
        pageCount: pageCount, position: journal?.position, logMark: logMark,
        recordIndex: statementJournal?.recordCount ?? 0, saved: spareSet ?? PageSet()))
    spareSet = nil
  }

  func endSavepoints(from depth: Int) {
    while savepoints.count > depth, let ended = savepoints.popLast() {
      ended.saved.empty()
      spareSet = ended.saved
    }
  }

  /// The outermost of the savepoints that do not have the page: who saves it saves it for all that are
  /// open, so that they are the innermost ones.
  private func firstWithout(_ number: PageNumber) -> Int {
    var index = savepoints.count
    while index > 0, !savepoints[index - 1].saved.contains(number) { index -= 1 }
    return index
  }

  /// The outermost of the savepoints that could not be returned to without what the page has now.
  private func firstInNeed(_ number: PageNumber) -> Int? {
    var index = firstWithout(number)
    while index < savepoints.count, number.rawValue > savepoints[index].pageCount { index += 1 }
    return index < savepoints.count ? index : nil
  }

  /// Whether what the page is now has to be kept for some savepoint. Those inside it share it.
  func needsSaving(_ number: PageNumber) -> Bool {
    guard let outermost = firstInNeed(number) else { return false }
    for index in outermost + 1..<savepoints.count { savepoints[index].sharesRecords = true }
    return true
  }

  /// The page's content at all savepoints is in a journal.
  func noteSaved(_ number: PageNumber) throws(SQLError) {
    for index in firstWithout(number)..<savepoints.count
    where number.rawValue <= savepoints[index].pageCount {
      try savepoints[index].saved.insert(number)
    }
  }

  /// Whether some savepoint could not be returned to without what the page has now.
  func savepointsNeed(_ number: PageNumber) -> Bool { firstInNeed(number) != nil }

  /// Pages beyond the image, up to here, still mean something: the image has become shorter since
  /// some savepoint.
  var largestSavepoint: UInt32 { savepoints.reduce(0) { max($0, $1.pageCount) } }
}

/// A state of the image inside a write transaction that can be returned to.
struct Savepoint {
  /// Size of the image at the savepoint.
  let pageCount: UInt32
  /// Records of the rollback journal from here on have pages as they were at the savepoint.
  let position: RollbackJournal.Position?
  /// Frames of the write-ahead log from here on have been written since.
  var logMark: WriteAheadLog.Mark?
  /// Likewise of the statement journal; the first record of a page counts.
  let recordIndex: Int
  /// Pages that are in one of the two.
  var saved = PageSet()
  /// Whether savepoints outside this one need records that were made since this one.
  var sharesRecords = false
}

/// Pages as they were at savepoints (SQLite's sub-journal): records of a number and a page.
final class StatementJournal {
  private let file: SpillingFile
  private let pageSize: Int
  @exclusivity(unchecked) private(set) var recordCount = 0

  init(_ file: SpillingFile, pageSize: Int) {
    self.file = file
    self.pageSize = pageSize
  }

  func append(_ number: PageNumber, _ page: UnsafePointer<UInt8>) throws(SQLError) {
    var bytes = number.rawValue
    let offset = self.offset(recordCount)
    try file.write(from: &bytes, byteCount: 4, at: offset)
    try file.write(from: page, byteCount: pageSize, at: offset + 4)
    recordCount += 1
  }

  func number(_ index: Int) throws(SQLError) -> PageNumber {
    var bytes: UInt32 = 0
    try file.readFully(into: &bytes, byteCount: 4, at: offset(index))
    return PageNumber(bytes)
  }

  func read(_ index: Int, into page: UnsafeMutablePointer<UInt8>) throws(SQLError) {
    try file.readFully(into: page, byteCount: pageSize, at: offset(index) + 4)
  }

  /// Forgets the records from `count` on.
  func truncate(to count: Int) { recordCount = min(recordCount, count) }

  private func offset(_ index: Int) -> Int64 { Int64(index) * Int64(pageSize + 4) }
}
