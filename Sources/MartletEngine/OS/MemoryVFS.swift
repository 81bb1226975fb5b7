import Synchronization

/// Databases in memory (SQLite's "memdb"): what `:memory:` and `mode=memory` open.
///
/// What was opened with `sharedCache` is one store for all connections of the process, gone when the
/// last of them closes (inmemorydb §2), and so is a name that begins with `/` or `\` where this
/// VFS is asked for by its own. Everything else is a store of its own.
final class MemoryVFS: VFS {
  let name = "memdb"

  private struct Entry {
    let store: MemoryStore
    var userCount: Int
  }

  /// By the bytes of the name: Strings are also equal where only their normal forms are.
  private let table = Mutex<[[UInt8]: Entry]>([:])

  init() {}

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    let isShared = flags.contains(.sharedCache)
      || !flags.contains(.memory) && MemoryVFS.namesShared(path)
    let isReadOnly = flags.contains(.readOnly)
    var traits: FileTraits = isReadOnly ? [.inMemory, .readOnly] : [.inMemory]
    // `:memory:` has no limit, what is asked of this VFS by its name has one.
    let isLimited = !flags.contains(.memory) && path != ":memory:"
    if isLimited { traits.insert(.isLimited) }
    let byteLimit = isLimited
      ? MemoryStore.newByteLimit.load(ordering: .relaxed) : .max
    guard isShared, !path.isEmpty else {
      traits.insert(.isPrivate)
      return MemoryFile(MemoryStore(byteLimit: byteLimit), traits, onClose: nil)
    }
    let key = path.fileNameBytes
    // It is made where there is none, whatever the flags say, as in SQLite.
    let store = table.withLock { table in
      if let entry = table[key] {
        table[key]?.userCount += 1
        return entry.store
      }
      let store = MemoryStore(byteLimit: byteLimit)
      table[key] = Entry(store: store, userCount: 1)
      return store
    }
    return MemoryFile(store, traits, onClose: { [self] in release(key) })
  }

  private static func namesShared(_ path: String) -> Bool {
    path.utf8.count > 1
      && (path.utf8.first == UInt8(ascii: "/") || path.utf8.first == UInt8(ascii: "\\"))
  }

  private func release(_ key: [UInt8]) {
    table.withLock { table in
      guard var entry = table[key] else { return }
      entry.userCount -= 1
      table[key] = entry.userCount == 0 ? nil : entry
    }
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    let store = MemoryStore(byteLimit: .max)
    return MemoryFile(store, [.inMemory, .isPrivate], onClose: nil)
  }

  /// A file of its own that is the bytes of a database.
  ///
  /// - Parameters:
  ///   - capacity: Bytes that there is memory for, if it is more than those.
  ///   - promised: How long the file may become in any case.
  ///   - mayGrow: Whether it may become longer than that.
  ///   - freesContent: Whether the memory, which is `Memory`'s, goes with the file.
  func open(
    _ content: UnsafeMutableRawBufferPointer, capacity: Int, promised: Int, mayGrow: Bool,
    freesContent: Bool
  ) -> any File {
    let store = MemoryStore(
      content, capacity: capacity, promised: promised, mayGrow: mayGrow,
      freesContent: freesContent)
    return MemoryFile(store, [.inMemory, .isPrivate, .isLimited], onClose: nil)
  }

  @discardableResult
  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool { false }

  func status(of path: String) throws(SQLError) -> FileStatus? {
    let store = table.withLock { $0[path.fileNameBytes]?.store }
    return store.map { FileStatus(byteCount: $0.byteCount(), modificationTime: 0) }
  }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String { path }

  /// The system's, as the program has changed it.
  private var system: any VFS { VFSRegistry.all.first { $0.name == "unix" } ?? PosixVFS() }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { system.fillRandom(bytes) }
  func sleep(microseconds: Int) { system.sleep(microseconds: microseconds) }
  func currentJulianMilliseconds() -> Int64 { system.currentJulianMilliseconds() }
}

/// The bytes and locks of a database in memory, used by connections on any thread.
final class MemoryStore: Sendable {
  /// Owns `bytes`, which nobody touches but under the mutex: that makes it safe to share.
  struct State: @unchecked Sendable {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    var capacity = 0
    /// The strongest lock that any connection holds, and how many hold at least `shared`.
    var level = LockLevel.none
    var sharedCount = 0
    var byteLimit: Int
    /// Bytes that the program has promised room for, whatever the limit is; whether there may be
    /// more.
    var promisedCount = 0
    var mayGrow = true
    /// Whether the memory goes with the store.
    var isOwner = true
  }

  /// How long stores of this VFS that are made from now on may become
  /// (`SQLITE_CONFIG_MEMDB_MAXSIZE`). It is not about `:memory:`, as in SQLite.
  static let newByteLimit = Atomic<Int>(1 << 30)

  let state: Mutex<State>

  init(byteLimit: Int) { state = Mutex(State(byteLimit: byteLimit)) }

  /// A store that is the bytes of a database, which it changes where they are.
  convenience init(
    _ content: UnsafeMutableRawBufferPointer, capacity: Int, promised: Int, mayGrow: Bool,
    freesContent: Bool
  ) {
    let byteLimit = MemoryStore.newByteLimit.load(ordering: .relaxed)
    self.init(byteLimit: max(byteLimit, content.count))
    state.withLock { state in
      state.bytes = content.baseAddress
      state.count = content.count
      state.capacity = max(capacity, content.count)
      state.promisedCount = max(promised, content.count)
      state.mayGrow = mayGrow
      state.isOwner = freesContent
    }
  }

  deinit { state.withLock { if $0.isOwner { Memory.free($0.bytes) } } }

  /// Where the bytes lie until the store is changed.
  func content() -> UnsafeMutableRawBufferPointer {
    state.withLock { UnsafeMutableRawBufferPointer(start: $0.bytes, count: $0.count) }
  }

  func byteCount() -> Int64 { state.withLock { Int64($0.count) } }

  /// Sets how long the store may become, but not to less than it has; less than 0 asks.
  func limit(to byteLimit: Int64) -> Int64 {
    state.withLock { state in
      if byteLimit >= 0 { state.byteLimit = max(Int(clamping: byteLimit), state.count) }
      return Int64(state.byteLimit)
    }
  }
}

extension MemoryStore.State {
  /// From so many bytes on, memory counts for more than the moving of it.
  private static let largeSize = 16 << 20

  mutating func reserve(_ newCapacity: Int) throws(SQLError) {
    bytes = try Memory.reallocate(bytes, newCapacity)
    capacity = newCapacity
  }

  /// Makes the store `newCount` bytes long; new bytes are zero.
  mutating func resize(to newCount: Int) throws(SQLError) {
    if newCount > promisedCount {
      guard mayGrow, newCount <= byteLimit else { throw SQLError(.full) }
    }
    if newCount > capacity {
      // Where moving is only a matter of the page table, twice the memory is more than is worth it.
      let growth = capacity < Self.largeSize ? capacity : capacity / 8
      try reserve(max(newCount, min(capacity + growth, byteLimit)))
    } else if isOwner, capacity >= Self.largeSize, newCount < capacity / 4 {
      // Else a transaction that is undone keeps its memory. Where there is none for moving, the
      // store stays as it is.
      do { try reserve(max(newCount, 1)) } catch {}
    }
    if newCount > count, let bytes {
      (bytes + count).initializeMemory(as: UInt8.self, repeating: 0, count: newCount - count)
    }
    count = newCount
  }
}

/// A connection's view of a `MemoryStore`.
final class MemoryFile: File {
  let traits: FileTraits
  private(set) var lockLevel = LockLevel.none
  let store: MemoryStore
  private var onClose: (() -> Void)?

  init(_ store: MemoryStore, _ traits: FileTraits, onClose: (() -> Void)?) {
    self.store = store
    self.traits = traits
    self.onClose = onClose
  }

  deinit { close() }

  func close() {
    unlock(to: .none)
    onClose?()
    onClose = nil
  }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    store.state.withLock { state in
      let start = Int(clamping: offset)
      let count = max(0, min(byteCount, state.count - start))
      if count > 0, let bytes = state.bytes {
        Memory.copy(from: bytes + start, to: target, count)
      }
      (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - count)
      return count
    }
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    guard !traits.contains(.readOnly) else { throw SQLError(.readOnly) }
    guard offset >= 0, offset < 1 << 46 else { throw SQLError(.full) }
    try store.state.withLock { state throws(SQLError) in
      let end = Int(offset) + byteCount
      if end > state.count { try state.resize(to: end) }
      if let bytes = state.bytes { Memory.copy(from: source, to: bytes + Int(offset), byteCount) }
    }
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    guard byteCount >= 0 else { throw SQLError(.ioErrorTruncate) }
    try store.state.withLock { state throws(SQLError) in
      try state.resize(to: Int(clamping: byteCount))
    }
  }

  func sync(dataOnly: Bool) throws(SQLError) {}

  func byteCount() throws(SQLError) -> Int64 { store.byteCount() }

  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    switch request {
    case .vfsName: .text("memdb")
    case .sizeLimit(let limit): .number(store.limit(to: limit))
    default: nil
    }
  }
}

extension MemoryFile {
  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    assert(level == .shared || lockLevel >= .shared, "a writer is a reader first")
    if lockLevel >= level { return true }
    if level > .shared, traits.contains(.readOnly) { throw SQLError(.readOnly) }
    return store.state.withLock { state in
      if state.level != lockLevel && (state.level >= .pending || level > .shared) {
        // More readers than this one are no obstacle to `reserved`, only to `exclusive`.
        return false
      }
      if level == .shared {
        state.sharedCount += 1
        if state.level == .none { state.level = .shared }
      } else if level == .exclusive && state.sharedCount > 1 {
        if lockLevel == .reserved {
          lockLevel = .pending
          state.level = .pending
        }
        return false
      } else {
        state.level = level
      }
      lockLevel = level
      return true
    }
  }

  func unlock(to level: LockLevel) {
    assert(level <= .shared)
    if lockLevel <= level { return }
    store.state.withLock { state in
      if lockLevel > .shared { state.level = .shared }
      if level == .none {
        state.sharedCount -= 1
        if state.sharedCount == 0 { state.level = .none }
      }
    }
    lockLevel = level
  }

  func isReserved() throws(SQLError) -> Bool { store.state.withLock { $0.level > .shared } }
}
