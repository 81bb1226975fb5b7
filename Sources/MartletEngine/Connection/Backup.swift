/// Copies a database into another connection's, page by page (`sqlite3_backup_init` and its kin).
///
/// The source is read-locked only while a step runs; when it has changed between steps, the copying
/// starts again. The pages are gathered in a temporary file first, so the target keeps its content
/// until the last step, but it is locked for others from the first step on. The target's connection
/// must not be used in between.
public final class Backup: @unchecked Sendable {
  private let source: Connection, target: Connection
  private let sourceIndex: Int, targetIndex: Int
  private let image: SpillingFile
  /// The first page that is not copied yet.
  private var nextPage: UInt32 = 1
  private var isTargetLocked = false
  private var isDone = false
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
    sourceIndex = try source.databaseIndex(forBackup: sourceName)
    targetIndex = try target.databaseIndex(forBackup: targetName)
    image = SpillingFile(source.temporaryVFS, kind: .temporaryDatabase)
    guard target.locked({ target.readingDatabases & (1 << UInt64(targetIndex)) == 0 }) else {
      throw .sql("destination database is in use")
    }
  }

  deinit { finish() }

  /// Copies so many pages, or all that are left if the number is negative.
  ///
  /// - Returns: true when everything is copied and the target has the source's content.
  /// - Throws: `busy` while the source's connection writes, or other connections are in the way: the
  ///   step may be tried again.
  public func step(pageCount wanted: Int) throws(SQLError) -> Bool {
    source.lock.lock()
    target.lock.lock()
    defer {
      target.lock.unlock()
      source.lock.unlock()
    }
    if isDone { return true }
    let bit: UInt64 = 1 << UInt64(sourceIndex)
    guard source.writingDatabases & bit == 0 else { throw SQLError(.busy) }
    let pager = try source.tree(ofDatabase: sourceIndex).pager
    try lockTarget(pageSize: pager.pageSize)
    try pager.beginRead()
    defer { pager.endRead() }
    try copy(from: pager, wanted)
    pageCount = Int(pager.pageCount)
    remainingPageCount = pageCount - Int(nextPage) + 1
    guard remainingPageCount <= 0 else { return false }
    try replaceTarget(by: pager)
    isDone = true
    return true
  }

  private func lockTarget(pageSize: Int) throws(SQLError) {
    guard !isTargetLocked else { return }
    let pager = try target.tree(ofDatabase: targetIndex).pager
    target.busyWaiter.startOver()
    try pager.beginReadAndWrite(exclusive: true)
    isTargetLocked = true
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
  private func replaceTarget(by pager: Pager) throws(SQLError) {
    let targetPager = try target.tree(ofDatabase: targetIndex).pager
    let copy = try Pager(file: image, vfs: VFSRegistry.memory, path: "")
    let tree = BTree(pager: copy)
    if pager.pageCount == 0 { try copy.setPageSize(pager.pageSize, reserved: 0) }
    try copy.beginReadAndWrite(exclusive: false)
    defer { copy.endRead() }
    try tree.beginWrite()
    let cookie = targetPager.header.schemaCookie &+ 1
    try tree.updateMeta(.schemaCookie, to: cookie)
    if targetPager.file.traits.contains(.inMemory), targetPager.pageCount > 0,
      targetPager.pageSize != copy.pageSize
    {
      throw SQLError(.readOnly)
    }
    try targetPager.commitReplacement(by: copy)
    unlockTarget()
    target.forgetSchema(targetIndex)
    target.expireStatements()
  }

  private func unlockTarget() {
    guard isTargetLocked else { return }
    isTargetLocked = false
    target.databases[targetIndex].tree?.pager.endRead()
  }

  /// Gives up what is not finished, and unlocks the target.
  public func finish() {
    target.locked { unlockTarget() }
    image.close()
  }
}

extension Connection {
  fileprivate func databaseIndex(forBackup name: String) throws(SQLError) -> Int {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }) else {
      throw .sql("unknown database \(name)")
    }
    if index == 1 { try openTemporaryDatabase() }
    return index
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
