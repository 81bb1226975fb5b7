/// Copies a database into another connection's, page by page (`sqlite3_backup_init` and its kin).
///
/// The source is read-locked only while a step runs; when it has changed between steps, the copying
/// starts again. What is copied in more than one step is gathered in a temporary file first, so the
/// target keeps its content until the last step, but it is locked for others from the first step on.
/// The target's connection must not be used in between.
public final class Backup: @unchecked Sendable {
  private let source: Connection, target: Connection
  /// Not their numbers, which DETACH changes.
  private let sourceTree: BTree, targetTree: BTree
  private let image: SpillingFile
  /// The first page that is not copied yet.
  private var nextPage: UInt32 = 1
  private var isTargetLocked = false
  private var isDone = false
  /// Between a complete `init` and `finish`.
  private var isOpen = false
  /// What the source was when the copying began.
  private var version: SourceVersion?

  /// Pages of the source when the last step ended.
  public private(set) var pageCount = 0
  /// Pages that were still to be copied then.
  public private(set) var remainingPageCount = 0

  private struct SourceVersion: Equatable {
    /// Changes of other connections.
    let data: UInt32
    /// Transactions of the connection itself.
    let writes: UInt64
    let pageCount: UInt32
  }

  /// Prepares a backup; nothing is copied yet.
  ///
  /// - Throws: an error if the connections are the same, if a database does not exist, or if the
  ///   target's is being read or written.
  public init(
    from source: Connection, database sourceName: String = "main", to target: Connection,
    database targetName: String = "main"
  ) throws(SQLError) {
    guard source !== target else { throw .sql("source and destination must be distinct") }
    self.source = source
    self.target = target
    Backup.lock(source, target)
    defer { Backup.unlock(source, target) }
    sourceTree = try source.tree(forBackup: sourceName)
    targetTree = try target.tree(forBackup: targetName)
    image = SpillingFile(source.temporaryVFS, kind: .temporaryDatabase)
    guard let index = target.index(of: targetTree),
      target.readingDatabases & (1 << UInt64(index)) == 0,
      // Another backup has begun to fill it.
      targetTree.pager.readerCount == 0
    else { throw .sql("destination database is in use") }
    sourceTree.backupCount += 1
    targetTree.backupCount += 1
    isOpen = true
  }

  deinit { finish() }

  private static func lock(_ source: Connection, _ target: Connection) {
    source.lock.lock()
    target.lock.lock()
  }

  private static func unlock(_ source: Connection, _ target: Connection) {
    target.lock.unlock()
    source.lock.unlock()
  }

  /// Copies so many pages, or all that are left if the number is negative.
  ///
  /// - Returns: true when everything is copied and the target has the source's content.
  /// - Throws: `busy` while the source's connection writes, or other connections are in the way: the
  ///   step may be tried again.
  public func step(pageCount wanted: Int) throws(SQLError) -> Bool {
    Backup.lock(source, target)
    defer { Backup.unlock(source, target) }
    if isDone { return true }
    guard isOpen, let sourceIndex = source.index(of: sourceTree),
      let targetIndex = target.index(of: targetTree)
    else { throw SQLError(.misuse, "the backup has ended") }
    let bit: UInt64 = 1 << UInt64(sourceIndex)
    guard source.writingDatabases & bit == 0 else { throw SQLError(.busy) }
    let pager = sourceTree.pager
    try lockTarget()
    try pager.beginRead()
    defer { pager.endRead() }
    try checkPageSize(pager)
    pageCount = Int(pager.pageCount)
    if pageCount > 0, wanted < 0 || wanted >= pageCount {
      remainingPageCount = 0
      try replaceTarget(byAllOf: pager)
    } else {
      try copy(from: pager, wanted)
      remainingPageCount = pageCount - Int(nextPage) + 1
      guard remainingPageCount <= 0 else { return false }
      try replaceTarget(likeImageOf: pager)
    }
    unlockTarget()
    target.forgetSchema(targetIndex)
    target.expireStatements()
    isDone = true
    return true
  }

  private func lockTarget() throws(SQLError) {
    guard !isTargetLocked else { return }
    target.busyWaiter.startOver()
    try targetTree.pager.beginReadAndWrite(exclusive: true)
    isTargetLocked = true
  }

  /// Pages in memory, in a temporary file or in a log keep their size.
  private func checkPageSize(_ source: Pager) throws(SQLError) {
    let target = targetTree.pager
    let keepsSize =
      target.isPrivate || target.file.traits.contains(.inMemory) || target.journalMode == .wal
    if keepsSize, target.pageCount > 0, target.pageSize != source.pageSize {
      throw SQLError(.readOnly)
    }
  }

  private func copy(from pager: Pager, _ wanted: Int) throws(SQLError) {
    let now = SourceVersion(
      data: pager.dataVersion, writes: pager.writeEpoch, pageCount: pager.pageCount)
    if now != version {
      nextPage = 1
      try image.truncate(to: 0)
      version = now
    }
    let pageSize = pager.pageSize, capacity = max(1, Backup.chunkSize / pageSize)
    let chunk = try Memory.allocate(capacity * pageSize)
    defer { Memory.free(chunk) }
    var left = wanted < 0 ? Int(pager.pageCount) : wanted
    while left > 0, nextPage <= pager.pageCount {
      let count = min(left, capacity, Int(pager.pageCount - nextPage) + 1)
      for index in 0..<count {
        let number = PageNumber(nextPage + UInt32(index)), target = chunk + index * pageSize
        // Nothing is ever read from that page.
        if number == pager.lockBytePage {
          target.initializeMemory(as: UInt8.self, repeating: 0, count: pageSize)
          continue
        }
        let page = try pager.page(number)
        Memory.copy(from: page.pointee.data, to: target, pageSize)
        pager.unpin(page)
      }
      try image.write(
        from: chunk, byteCount: count * pageSize, at: Int64(nextPage - 1) * Int64(pageSize))
      nextPage += UInt32(count)
      left -= count
    }
  }

  /// Bytes that are written to the temporary file at a time.
  private static let chunkSize = 64 << 10

  /// The target's schema counts as changed, so that its other connections read it again.
  private var newSchemaCookie: UInt32 { targetTree.pager.header.schemaCookie &+ 1 }

  private func replaceTarget(byAllOf pager: Pager) throws(SQLError) {
    try targetTree.pager.commitReplacement(by: pager, schemaCookie: newSchemaCookie)
  }

  private func replaceTarget(likeImageOf pager: Pager) throws(SQLError) {
    let targetPager = targetTree.pager
    let copy = try Pager(file: image, vfs: VFSRegistry.memory, path: "")
    let tree = BTree(pager: copy)
    let isTargetNew = targetPager.pageCount == 0
    // An empty source leaves an empty database with pages of the size that it has.
    if pager.pageCount == 0 {
      try copy.setPageSize(isTargetNew ? pager.pageSize : targetPager.pageSize, reserved: 0)
    }
    try copy.beginReadAndWrite(exclusive: false)
    defer { copy.endRead() }
    try tree.beginWrite()
    try tree.updateMeta(.schemaCookie, to: newSchemaCookie)
    try targetPager.commitReplacement(by: copy)
  }

  private func unlockTarget() {
    guard isTargetLocked else { return }
    isTargetLocked = false
    if target.index(of: targetTree) != nil { targetTree.pager.endRead() }
  }

  /// Gives up what is not finished, and unlocks the target.
  public func finish() {
    Backup.lock(source, target)
    defer { Backup.unlock(source, target) }
    guard isOpen else { return }
    isOpen = false
    unlockTarget()
    sourceTree.backupCount -= 1
    targetTree.backupCount -= 1
    image.close()
  }
}

extension Connection {
  /// The lock is held.
  fileprivate func tree(forBackup name: String) throws(SQLError) -> BTree {
    guard !isClosed else { throw SQLError(.misuse, "the connection is closed") }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }) else {
      throw .sql("unknown database \(name)")
    }
    if index == 1 { try openTemporaryDatabase() }
    return try tree(ofDatabase: index)
  }

  /// Which database it is now, if it is one of this open connection's still.
  fileprivate func index(of tree: BTree) -> Int? {
    isClosed ? nil : databases.firstIndex { $0.tree === tree }
  }

  /// Copies a whole database into another connection's, in one step.
  public func backup(
    database: String = "main", to target: Connection, database targetName: String = "main"
  ) throws(SQLError) {
    let backup = try Backup(from: self, database: database, to: target, database: targetName)
    defer { backup.finish() }
    _ = try backup.step(pageCount: -1)
  }
}
