/// A private file that begins in memory and moves to a temporary file when it grows.
///
/// Journals that nobody recovers live here: of statements, of temporary databases, and of
/// `journal_mode=MEMORY`, which never move.
final class SpillingFile: File {
  let traits: FileTraits
  private(set) var lockLevel = LockLevel.none

  private let vfs: (any VFS)?
  private let kind: OpenFlags
  private let memoryLimit: Int
  private var bytes: UnsafeMutableRawPointer?
  private var count = 0
  private var capacity = 0
  private var spilled: (any File)?

  /// SQLite's default for statement journals (compile, STMTJRNL_SPILL).
  static let defaultMemoryLimit = 64 << 10

  /// - Parameters:
  ///   - vfs: where to move to; nil for a file that stays in memory.
  ///   - kind: what the file is for, as `VFS.openTemporary` is told.
  ///   - isReadOnly: nobody may write, so that it stays empty.
  init(
    _ vfs: (any VFS)?, kind: OpenFlags, memoryLimit: Int = SpillingFile.defaultMemoryLimit,
    isReadOnly: Bool = false
  ) {
    traits = isReadOnly ? [.isPrivate, .readOnly] : .isPrivate
    self.vfs = vfs
    self.kind = kind
    self.memoryLimit = memoryLimit
  }

  deinit { close() }

  var isInMemory: Bool { spilled == nil }

  func close() {
    spilled?.close()
    spilled = nil
    Memory.free(bytes)
    bytes = nil
    count = 0
    capacity = 0
  }

  /// Makes the file empty, in memory that is used again unless it is much.
  func empty() {
    if spilled == nil, capacity <= SpillingFile.defaultMemoryLimit { count = 0 } else { close() }
  }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    if let spilled {
      return try spilled.read(into: target, byteCount: byteCount, at: offset)
    }
    let start = Int(clamping: offset)
    let available = max(0, min(byteCount, count - start))
    if available > 0, let bytes { Memory.copy(from: bytes + start, to: target, available) }
    (target + available).initializeMemory(
      as: UInt8.self, repeating: 0, count: byteCount - available)
    return available
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    if let spilled { return try spilled.write(from: source, byteCount: byteCount, at: offset) }
    guard offset >= 0, offset < 1 << 46 else { throw SQLError(.full) }
    let end = Int(offset) + byteCount
    if end > memoryLimit, vfs != nil {
      let file = try moveToFile()
      return try file.write(from: source, byteCount: byteCount, at: offset)
    }
    if end > count { try resize(to: end) }
    if let bytes { Memory.copy(from: source, to: bytes + Int(offset), byteCount) }
  }

  private func moveToFile() throws(SQLError) -> any File {
    guard let vfs else { throw SQLError(.internal) }
    let file = try vfs.openTemporary(kind)
    if let bytes, count > 0 {
      do { try file.write(from: bytes, byteCount: count, at: 0) } catch {
        file.close()
        throw error
      }
    }
    Memory.free(bytes)
    bytes = nil
    count = 0
    capacity = 0
    spilled = file
    return file
  }

  private func resize(to newCount: Int) throws(SQLError) {
    if newCount > capacity {
      let newCapacity = max(newCount, capacity * 2, 4096)
      bytes = try Memory.reallocate(bytes, newCapacity)
      capacity = newCapacity
    }
    if newCount > count, let bytes {
      (bytes + count).initializeMemory(as: UInt8.self, repeating: 0, count: newCount - count)
    }
    count = newCount
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    if let spilled { return try spilled.truncate(to: byteCount) }
    guard byteCount >= 0, byteCount < 1 << 46 else { throw SQLError(.ioErrorTruncate) }
    try resize(to: Int(byteCount))
  }

  func byteCount() throws(SQLError) -> Int64 {
    if let spilled { return try spilled.byteCount() }
    return Int64(count)
  }

  func sync(dataOnly: Bool) throws(SQLError) {}

  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    lockLevel = level
    return true
  }

  func unlock(to level: LockLevel) throws(SQLError) { lockLevel = level }

  func isReserved() throws(SQLError) -> Bool { lockLevel > .shared }
}
