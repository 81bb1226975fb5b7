/// Gives out the pages of one database and keeps its locks (SQLite's Pager).
///
/// Pages may be asked for between `beginRead` and `endRead`, which nest: the first takes the shared
/// lock and looks whether somebody else has changed the file, the last drops the lock and keeps the
/// cache. docs/pager.md has the states.
///
/// Invariants: (1) in state `reading`, `header` and `pageCount` are those of the file, and every
/// page in the cache has its content. (2) Every page in the cache has a number from 1 to
/// `pageCount`.
final class Pager {
  enum State {
    /// No lock; what is cached may be stale.
    case idle
    /// At least a shared lock: the file does not change.
    case reading
  }

  let file: any File
  let vfs: any VFS
  /// Absolute name of the database; empty when it has none.
  let path: String
  private let journalPath: String
  private let walPath: String
  let cache: PageCache

  private(set) var state = State.idle
  private(set) var header = DatabaseHeader()
  /// Pages of the database; numbers above are corrupt.
  private(set) var pageCount: UInt32 = 0
  /// Changes whenever another connection has changed the database (pragma, data_version).
  private(set) var dataVersion: UInt32 = 1
  private(set) var cacheSize: Int

  private let isImmutable: Bool
  private let usesLocks: Bool
  private var source: any PageSource
  private var readerCount = 0
  /// Two headers of 100 bytes: the one that `header` was decoded from, and one just read.
  private let headerBytes: UnsafeMutableRawPointer
  private var isHeaderKnown = false
  /// What the file of a WAL database was when its pages were cached.
  private var fileStatus: FileStatus?

  static let defaultCacheSize = -2000

  /// - Parameters:
  ///   - path: as `VFS.fullPath` gave it; the journal and the WAL are looked for beside it.
  ///   - isImmutable: nobody can change the file: no locks, no checks for changes or journals.
  ///   - usesLocks: false with the URI parameter `nolock`.
  init(
    file: any File, vfs: any VFS, path: String, cacheSize: Int = Pager.defaultCacheSize,
    isImmutable: Bool = false, usesLocks: Bool = true
  ) throws(SQLError) {
    self.file = file
    self.vfs = vfs
    self.path = path
    journalPath = path + "-journal"
    walPath = path + "-wal"
    self.cacheSize = cacheSize
    self.isImmutable = isImmutable
    self.usesLocks = usesLocks && !isImmutable && !file.traits.contains(.isPrivate)
    source = DatabaseFileSource(file)
    cache = try PageCache(pageSize: header.pageSize, cacheSize: cacheSize)
    headerBytes = try Memory.allocateZeroed(2 * DatabaseHeader.byteCount)
  }

  deinit { Memory.free(headerBytes) }

  var pageSize: Int { header.pageSize }
  var usableSize: Int { header.usableSize }

  /// Whether the database may not be written, because of its file, name or format.
  var isReadOnly: Bool {
    isImmutable || file.traits.contains(.readOnly) || header.isReadOnly
  }

  /// Sets the bound of the cache: pages, or negative, KiB (pragma, cache_size).
  func setCacheSize(_ newSize: Int) {
    cacheSize = newSize
    cache.setLimit(cacheSize: newSize)
  }

  /// Nothing may be called afterwards.
  func close() {
    assert(readerCount == 0, "statements end before their connection")
    file.close()
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
    assert(state == .reading)
    guard number.rawValue != 0, number.rawValue <= pageCount else {
      throw .corrupt("page number out of range")
    }
    // The page with the lock bytes is never used (fileformat2 §1.4).
    guard Int64(number.rawValue &- 1) != LockByte.pending / Int64(pageSize) else {
      throw .corrupt("lock-byte page")
    }
    let frame = try cache.makeFrame(number)
    do {
      try source.read(number, into: frame.pointee.data, pageSize: pageSize)
    } catch {
      cache.discard(frame)
      unpin(frame)
      throw error
    }
    return frame
  }
}

extension Pager {
  /// Makes the database readable and unchanging until `endRead`.
  ///
  /// Throws `busy` when a writer is in the way (then nothing has changed, and it may be tried
  /// again), `notADatabase` and `corrupt` for what the header says, `cannotOpen` when a journal or
  /// WAL would have to be read too.
  func beginRead() throws(SQLError) {
    guard readerCount == 0 else {
      readerCount += 1
      return
    }
    assert(cache.pinnedCount == 0, "pages are not kept from one read to the next")
    if usesLocks {
      guard try file.lock(.shared) else { throw SQLError(.busy) }
    }
    do {
      try checkForChanges()
    } catch {
      dropLock()
      throw error
    }
    readerCount = 1
    state = .reading
  }

  func endRead() {
    assert(readerCount > 0)
    readerCount -= 1
    guard readerCount == 0 else { return }
    state = .idle
    if cache.frameCount > cache.limit { cache.shrink() }
    dropLock()
  }

  private func dropLock() {
    guard usesLocks else { return }
    // Nothing is to be done about a failure: reading is over, and the file counts as unlocked.
    do { try file.unlock(to: .none) } catch {}
  }

  /// A file that only we can change is looked at once.
  private var isUnchanging: Bool { isImmutable || file.traits.contains(.isPrivate) }

  /// Brings `header` and the cache up to date with the file.
  private func checkForChanges() throws(SQLError) {
    if isUnchanging && isHeaderKnown { return }
    let hasNeighbours = !isUnchanging && !file.traits.contains(.inMemory)
    if hasNeighbours { try checkForHotJournal() }
    let fresh = try readHeader()
    if !isSameVersion(fresh) {
      let wasEmpty = isHeaderKnown && pageCount == 0
      try adoptHeader(fresh)
      if !(wasEmpty && pageCount == 0) { dataVersion &+= 1 }
    }
    if hasNeighbours && header.isWAL { try beginQuietWAL() }
  }

  /// Zeros stand for what the file does not have.
  private func readHeader() throws(SQLError) -> UnsafeRawPointer {
    let fresh = headerBytes + DatabaseHeader.byteCount
    _ = try file.read(into: fresh, byteCount: DatabaseHeader.byteCount, at: 0)
    return UnsafeRawPointer(fresh)
  }

  /// Every commit in rollback mode changes these bytes (fileformat2 §1.3.6).
  private func isSameVersion(_ fresh: UnsafeRawPointer) -> Bool {
    isHeaderKnown && pageCount > 0
      && Memory.compare(
        headerBytes + DatabaseHeader.versionOffset, fresh + DatabaseHeader.versionOffset,
        DatabaseHeader.versionByteCount) == 0
  }

  /// Takes over a changed header: nothing that was cached under the old one is good any more.
  private func adoptHeader(_ fresh: UnsafeRawPointer) throws(SQLError) {
    isHeaderKnown = false
    cache.discardAll()
    let fileByteCount = try file.byteCount()
    var newHeader = DatabaseHeader()
    var newPageCount: UInt32 = 0
    if fileByteCount > 0 {
      newHeader = try DatabaseHeader(decoding: fresh)
      let size = Int64(newHeader.pageSize)
      // A last page that is cut off counts; its missing bytes read as zeros.
      let filePageCount = UInt32(clamping: fileByteCount / size + (fileByteCount % size).signum())
      newPageCount = newHeader.pageCount == 0 ? filePageCount : newHeader.pageCount
      guard newPageCount <= filePageCount else { throw .corrupt("file shorter than it says") }
    }
    if newHeader.pageSize != cache.pageSize {
      cache.changePageSize(newHeader.pageSize, cacheSize: cacheSize)
    }
    header = newHeader
    pageCount = newPageCount
    source = DatabaseFileSource(file)
    Memory.copy(from: fresh, to: headerBytes, DatabaseHeader.byteCount)
    isHeaderKnown = true
  }

  /// Reads a WAL database without a WAL. Transactions in WAL mode need not change the header, so
  /// what was cached for an earlier read proves nothing, and the header is read again now that the
  /// WAL is watched.
  private func beginQuietWAL() throws(SQLError) {
    let status = try vfs.status(of: path)
    if status != fileStatus { dataVersion &+= 1 }
    fileStatus = status
    let quietSource = try QuietWALSource(file, vfs, walPath: walPath)
    try adoptHeader(try readHeader())
    try quietSource.checkQuiet()
    source = quietSource
  }

  /// A journal that a crash has left must be rolled back before anything is read (lockingv3 §4.1).
  private func checkForHotJournal() throws(SQLError) {
    guard let status = try vfs.status(of: journalPath), status.byteCount > 0 else { return }
    // The journal of a writer at work is no business of readers.
    if try file.isReserved() { return }
    // What a journal of an empty file could restore is nothing.
    if try file.byteCount() == 0 { return }
    guard try isJournalIntact() else { return }
    throw SQLError(
      file.traits.contains(.readOnly) ? .readOnlyRollback : .cannotOpen,
      "unable to open database file: hot journal \(journalPath) must be rolled back")
  }

  /// Whether a journal's header is not zeroed, which is how `journal_mode=PERSIST` ends a journal.
  private func isJournalIntact() throws(SQLError) -> Bool {
    let journal: any File
    do {
      journal = try vfs.open(journalPath, [.readOnly, .mainJournal])
    } catch {
      // Its writer may have removed it meanwhile. If not, it may well be hot.
      return try vfs.status(of: journalPath) != nil
    }
    defer { journal.close() }
    var firstByte: UInt8 = 0
    _ = try journal.read(into: &firstByte, byteCount: 1, at: 0)
    return firstByte != 0
  }
}
