/// What makes the transactions of one database atomic, and keeps them apart: the rollback journal
/// or a write-ahead log. The pager knows what pages are changed; this decides where they go, what
/// others see of them, and how they are taken back.
///
/// Its methods are called in the states that docs/pager.md has, and change them. They are handed the
/// pager, whose reference would be counted if they kept it.
protocol Journaling: AnyObject {
  /// Whether changed pages are written to the database file itself, under the exclusive lock.
  var writesInPlace: Bool { get }

  /// Takes the lock of a reader, and makes header and cache those of the last commit.
  ///
  /// - Throws: `busy`; after an error nothing is locked that was not before.
  func beginRead(_ pager: Pager) throws(SQLError)
  func endRead(_ pager: Pager, hasFailed: Bool)
  /// How many pages the image that is read has, if the journal says so: else 0, and the file says.
  var statedPageCount: UInt32 { get }
  /// The size of the pages that the journal has of the image; nil where it has none.
  var statedPageSize: Int? { get }

  /// Takes the lock of the only writer.
  func lockForWriting(_ pager: Pager, exclusive: Bool) throws(SQLError)
  /// The first page is about to be changed.
  func beginChanges(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError)
  /// Writes dirty pages that nobody has pinned before the commit, to make room in the cache.
  func writeEarly(
    _ pager: Pager, _ pages: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError)

  /// Where the transaction is, for a savepoint.
  var mark: WriteAheadLog.Mark? { get }
  /// Gives all pages, in the cache, the content that they had at a savepoint.
  func restore(
    _ pager: Pager, _ savepoint: Savepoint, _ transaction: WriteTransaction
  ) throws(SQLError)

  /// Writes all changes; afterwards the state is `finished`.
  func commitPhaseOne(
    _ pager: Pager, _ transaction: WriteTransaction, superJournal: String?
  ) throws(SQLError)
  /// Makes the commit final.
  func finishCommit(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError)
  /// Replaces the whole image and commits.
  func replaceImage(
    _ pager: Pager, by other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError)
  /// Takes all changes back. False when nothing says what was there before.
  func undo(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) -> Bool
  /// Gives the writer's lock back, if `unlocking`.
  func endTransaction(_ pager: Pager, unlocking: Bool)

  /// The pager is about to close its file.
  func close(_ pager: Pager)
}

/// A journal beside the file, or in memory, or none: changed pages are written to the file, and what
/// they were before is in the journal.
final class RollbackJournaling: Journaling {
  var writesInPlace: Bool { true }

  func beginRead(_ pager: Pager) throws(SQLError) { try pager.lockAndCheckForChanges() }

  func endRead(_ pager: Pager, hasFailed: Bool) {
    // What is still to be undone is in the journal.
    guard pager.unfinished == nil, pager.lockingMode == .normal || hasFailed else { return }
    if !hasFailed { pager.removeEndedJournal() }
    pager.endJournalFile()
    pager.dropLock(hasFailed: hasFailed)
  }

  var statedPageCount: UInt32 { 0 }
  var statedPageSize: Int? { nil }

  func lockForWriting(_ pager: Pager, exclusive: Bool) throws(SQLError) {
    try pager.reserve(exclusive: exclusive)
  }

  func beginChanges(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) {
    try pager.openJournal(transaction)
  }

  func writeEarly(
    _ pager: Pager, _ pages: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    try pager.writeSafely(pages, transaction)
  }

  var mark: WriteAheadLog.Mark? { nil }

  func restore(
    _ pager: Pager, _ savepoint: Savepoint, _ transaction: WriteTransaction
  ) throws(SQLError) {
    try pager.restore(savepoint, transaction)
  }

  func commitPhaseOne(
    _ pager: Pager, _ transaction: WriteTransaction, superJournal: String?
  ) throws(SQLError) {
    try pager.writeImage(transaction, superJournal: superJournal)
  }

  func finishCommit(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) {
    try pager.finishImage(transaction)
  }

  func replaceImage(
    _ pager: Pager, by other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError) {
    try pager.replaceFileContent(by: other, transaction)
  }

  func undo(_ pager: Pager, _ transaction: WriteTransaction) throws(SQLError) -> Bool {
    try pager.restoreFromFile(transaction)
  }

  func endTransaction(_ pager: Pager, unlocking: Bool) {
    if unlocking { pager.lowerLock() }
  }

  func close(_ pager: Pager) {}
}
