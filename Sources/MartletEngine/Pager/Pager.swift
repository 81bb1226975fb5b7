/// Gives out the pages of one database, keeps its locks, and makes changes atomic (SQLite's Pager).
///
/// Pages may be asked for between `beginRead` and `endRead`, which nest: the first takes the shared
/// lock and looks whether somebody else has changed the file, the last drops the lock and keeps the
/// cache. Inside a read, `beginWrite` begins changes, which `commit` or `rollback` end.
/// docs/pager.md has the states.
///
/// Invariants: (1) while reading, `pageCount` is the size of the image and every page in the cache
/// has its content. (2) Every page in the cache has a number from 1 to `pageCount`, but for those
/// that only a savepoint needs. (3) No page is written to the file before its original is safe in
/// the journal, and none without the exclusive lock. (4) A page that is not dirty is the same in
/// the file.
final class Pager {
  enum State {
    /// No lock but in exclusive locking mode; what is cached may be stale.
    case idle
    /// At least a shared lock: the file does not change.
    case reading
    /// The reserved lock is held, nothing is changed yet.
    case reserved
    /// The journal is open and pages are changed in memory.
    case changed
    /// The exclusive lock is held and pages were written to the file.
    case writing
    /// The file is complete; when the journal is gone, the transaction is committed.
    case finished
    /// A write or a rollback failed half-way; nothing is read until all reads have ended.
    case failed
  }

  @exclusivity(unchecked) private(set) var file: any File { didSet { traits = file.traits } }
  /// Those of the file.
  @exclusivity(unchecked) private(set) var traits: FileTraits
  let vfs: any VFS
  let name: DatabaseFileName
  /// Absolute name of the database; empty when it has none.
  let path: String
  let journalPath: String
  let walPath: String
  let cache: PageCache

  @exclusivity(unchecked) var state = State.idle
  /// The header as it was read, or as the last commit, rollback or `updateHeader` left it.
  @exclusivity(unchecked) var header = DatabaseHeader()
  /// Pages of the database; numbers above are corrupt.
  @exclusivity(unchecked) var pageCount: UInt32 = 0
  /// Pages that the file has, which may be more or, before a commit, less.
  var filePageCount: UInt32 = 0
  /// The size that the file was told to expect.
  var hintedPageCount: UInt32 = 0
  /// Changes whenever another connection has changed the database (pragma, data_version).
  var dataVersion: UInt32 = 1
  /// Write transactions that this pager has committed.
  var commitCount: UInt32 = 0
  /// Changes whenever a rollback has replaced the content of pages.
  @exclusivity(unchecked) var rollbackGeneration: UInt32 = 0
  var cacheSize: Int

  // Settings; see Pager+Settings.
  var journalMode = JournalMode.delete
  var synchronous = SynchronousMode.full
  /// Syncs go beyond the caches of the medium, or those of checkpoints do (pragma, fullfsync).
  var syncsFully = false
  var syncsCheckpointsFully = false
  var lockingMode = LockingMode.normal
  /// Bytes that a journal which is kept may have; negative is no limit (journal_size_limit).
  var journalSizeLimit: Int64 = -1
  /// Whether dirty pages may be written before the commit (pragma, cache_spill).
  var spillsDirtyPages = true
  /// Bound of the size of the image (pragma, max_page_count).
  var maximumPageCount = Pager.largestPageCount
  /// The most pages that a database can have (limits §12): the number of a page and one is no
  /// overflow.
  static let largestPageCount: UInt32 = 0xffff_fffe
  weak var busyHandler: (any BusyHandler)?
  /// Whether the last connection to a write-ahead log copies it into the file
  /// (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE).
  var checkpointsOnClose = true
  /// What a power failure in the middle of a write may damage around it (psow §2).
  let sectorSize: Int

  /// Pages with this number in `writeEpoch` are ready to be changed.
  @exclusivity(unchecked) var writeEpoch: UInt64 = 1
  @exclusivity(unchecked) var transaction: WriteTransaction?
  /// What a transaction has left for the next.
  @exclusivity(unchecked) var spareTransaction: WriteTransaction?
  /// The journal on disk while it stays open from one transaction to the next.
  var openJournalFile: (any File)?
  /// The journal of a database in memory between two transactions.
  @exclusivity(unchecked) var spareJournal: RollbackJournal?
  @exclusivity(unchecked) private var spareBuffer: UnsafeMutableRawPointer?
  private var journalSeeds: SplitMix?
  /// Why the state is `failed`.
  @exclusivity(unchecked) var failure: SQLError?
  /// What a private database, or one with its journal in memory, has still to undo then, and the
  /// state that it was in.
  var unfinished: (transaction: WriteTransaction, state: State)?
  /// Giving back the locks of a transaction that was not undone has failed: the file may have them
  /// yet (SQLite's UNKNOWN_LOCK).
  var isLockUnknown = false
  /// Pages that were written to the file, and those of them that went before the commit.
  var writtenPageCount = 0
  var spilledPageCount = 0
  /// Whether nothing may be spilled, as a savepoint is being restored or a sector saved.
  var isHoldingPages = false
  /// Whether the change counter needs no further change, since nobody else could read in between.
  @exclusivity(unchecked) var hasCountedChange = false

  let isImmutable: Bool
  let usesLocks: Bool
  /// The cache is the database, in memory and of this connection alone (inmemorydb §1). The file
  /// stays empty: a commit leaves the changed pages in the cache, where nothing pushes them out.
  let isResident: Bool
  /// Where pages are that are not in the cache.
  var source: any PageSource
  /// What makes transactions atomic where it is not the rollback journal: a write-ahead log.
  @exclusivity(unchecked) var logging: WALJournaling?
  /// Whether changed pages are written to the database file itself, under the exclusive lock.
  var writesInPlace: Bool { logging == nil }
  var readerCount = 0
  /// The frames of the write-ahead log after a commit, until somebody has asked.
  var committedFrameCount: UInt32 = 0
  /// How pages are being read.
  var readAhead = ReadAhead()
  /// The mode is being changed from WAL: the header does not say so yet.
  var isLeavingWAL = false
  /// There was a write-ahead log beside the file when its header was read.
  var hasLogBeside = false
  /// Three headers of 100 bytes: that of the file as `isHeaderKnown` says, one just read, and the
  /// one that the transaction has written.
  let headerBytes: UnsafeMutableRawPointer
  var isHeaderKnown = false
  /// Whether page 1 is that of a database with pages of this size. Statements may write what they
  /// like into it (`sqlite_dbpage`); pages keep their size until the header is read again.
  var isFirstPageSound = true
  /// Whether a header was ever adopted.
  var hasBeenRead = false
  /// Page size and reserved bytes for a database that does not exist yet.
  var newDatabaseHeader = DatabaseHeader()
  /// The database is in memory, made of the bytes of a file. In WAL mode it is refused: there can be
  /// no log beside it (c3ref deserialize).
  var isMadeOfBytes = false
  /// The file shall be emptied, whatever it holds: reading may begin without a header.
  var isBeingReset = false

  static let defaultCacheSize = -2000

  /// - Parameters:
  ///   - name: the journal and the WAL are looked for beside it.
  ///   - isImmutable: nobody can change the file: no locks, no checks for changes or journals.
  ///   - usesLocks: false with the URI parameter `nolock`.
  ///   - sectorSize: in place of what the file says.
  init(
    file: any File, vfs: any VFS, name: DatabaseFileName,
    cacheSize: Int = Pager.defaultCacheSize, isImmutable: Bool = false, usesLocks: Bool = true,
    sectorSize: Int? = nil
  ) throws(SQLError) {
    self.file = file
    traits = file.traits
    self.vfs = vfs
    self.name = name
    path = name.path
    journalPath = name.journalPath
    walPath = name.writeAheadLogPath
    self.cacheSize = cacheSize
    self.isImmutable = isImmutable
    self.sectorSize = sectorSize ?? Pager.sectorSize(of: file)
    self.usesLocks = usesLocks && !isImmutable && !file.traits.contains(.isPrivate)
    source = DatabaseFileSource(file)
    isResident =
      file.traits.isSuperset(of: [.isPrivate, .inMemory]) && !file.traits.contains(.isLimited)
    cache = try PageCache(
      pageSize: header.pageSize, cacheSize: cacheSize, keepsAll: isResident)
    headerBytes = try Memory.allocateZeroed(3 * DatabaseHeader.byteCount)
    if file.traits.contains(.inMemory) { journalMode = .memory }
  }

  convenience init(
    file: any File, vfs: any VFS, path: String, cacheSize: Int = Pager.defaultCacheSize,
    sectorSize: Int? = nil
  ) throws(SQLError) {
    try self.init(
      file: file, vfs: vfs, name: DatabaseFileName(path: path), cacheSize: cacheSize,
      sectorSize: sectorSize)
  }

  deinit {
    Memory.free(headerBytes)
    Memory.free(spareBuffer)
  }

  /// Where writes are safe for what is beside them, the smallest sector will do.
  private static func sectorSize(of file: any File) -> Int {
    let smallest = 512, largest = 65536
    if file.traits.contains(.isPrivate) { return smallest }
    if file.deviceCharacteristics.contains(.powersafeOverwrite) { return smallest }
    let size = file.sectorSize
    return size < 32 || size & (size - 1) != 0 ? smallest : min(size, largest)
  }

  var pageSize: Int { header.pageSize }
  var usableSize: Int { header.usableSize }

  /// Whether the database may not be written, because of its file, name or format.
  var isReadOnly: Bool {
    // What a later version has written may be emptied all the same.
    isImmutable || traits.contains(.readOnly) || header.isReadOnly && !isBeingReset
  }

  /// Nobody else can have the file open, and nobody will recover it.
  var isPrivate: Bool { traits.contains(.isPrivate) }

  /// Whether writes have to be durable.
  var isSyncing: Bool { synchronous > .off && !isPrivate }

  /// Sets the bound of the cache: pages, or negative, KiB (pragma, cache_size).
  func setCacheSize(_ newSize: Int) {
    cacheSize = newSize
    cache.setLimit(cacheSize: newSize)
  }

  /// Lets another object stand for the same file from now on.
  func replaceFile(by other: any File) {
    file = other
    if source is DatabaseFileSource { source = DatabaseFileSource(other) }
    writeAheadLog?.replaceDatabaseFile(by: other)
  }

  /// Nothing may be called afterwards.
  func close() {
    assert(readerCount == 0, "statements end before their connection")
    removeEndedJournal()
    logging?.close(self)
    forgetJournalFile()
    file.close()
  }

  /// Memory for what is written in one piece, kept for the next transaction.
  func writeBuffer() throws(SQLError) -> UnsafeMutableRawPointer {
    if let spareBuffer { return spareBuffer }
    let buffer = try Memory.allocate(JournalFile.bufferByteCount)
    spareBuffer = buffer
    return buffer
  }

  /// What the nonces of a journal begin with.
  func seedForJournal() -> UInt64 {
    if let seed = journalSeeds?.next() { return seed }
    var seed: UInt64 = 0
    withUnsafeMutableBytes(of: &seed) { vfs.fillRandom($0) }
    journalSeeds = SplitMix(seed)
    return seed
  }
}

extension Pager {
  /// The page, pinned: it stays until `unpin`. Throws `corrupt` when there is no such page.
  @inline(__always)
  func page(_ number: PageNumber) throws(SQLError) -> PagePointer {
    if let frame = cache.pinnedFrame(number) { return frame }
    return try loadPage(number)
  }

  @inline(__always)
  func pin(_ page: PagePointer) { page.pointee.pinCount &+= 1 }

  @inline(__always)
  func unpin(_ page: PagePointer) {
    assert(page.pointee.pinCount > 0)
    page.pointee.pinCount &-= 1
  }

  @inline(never)
  private func loadPage(_ number: PageNumber) throws(SQLError) -> PagePointer {
    if let failure { throw failure }
    assert(state != .idle)
    guard number.rawValue != 0, number.rawValue <= pageCount else {
      throw .corrupt("page number out of range")
    }
    // The page with the lock bytes is never used (fileformat2 §1.4).
    guard number != lockBytePage else { throw .corrupt("lock-byte page") }
    let frame = try makeFrame(number)
    let runLength = readAhead.pageCount(from: number.rawValue, pageSize, cache.limit)
    if runLength > 1, readRun(frame, runLength) { return frame }
    do {
      try source.read(number, into: frame.pointee.data, pageSize: pageSize)
    } catch {
      cache.discard(frame)
      unpin(frame)
      throw error
    }
    return frame
  }

  /// A frame for a page that is not in the cache, after room was made for it.
  func makeFrame(_ number: PageNumber) throws(SQLError) -> PagePointer {
    if cache.isCrowded { try spill() }
    return try cache.makeFrame(number)
  }

  /// The page, pinned, whatever its content is: for callers that replace it.
  func frame(_ number: PageNumber) throws(SQLError) -> PagePointer {
    if let frame = cache.pinnedFrame(number) { return frame }
    return try makeFrame(number)
  }

  /// The page that no file uses: it has the lock bytes (fileformat2 §1.4).
  var lockBytePage: PageNumber { JournalFormat.lockBytePage(pageSize: pageSize) }
}
