import MartletEngine

/// A database at the end of another file (the VFS `apndvfs`).
///
///     | content of the other file | 0 … to a multiple of 4096 | database | mark |
///     mark | "Start-Of-SQLite3-" | where the database begins, u64 big-endian |
///
/// The mark follows the last page; it is written anew, before the page, when the database grows.
final class AppendedFile: File {
  static let markText = Array("Start-Of-SQLite3-".utf8)
  static let markSize = 25
  private static let alignment: Int64 = 4096

  private let base: any File
  private let start: Int64
  /// Where the mark is; nil while there is none.
  private var markPosition: Int64?

  init(_ base: any File) throws(SQLError) {
    self.base = base
    let size = try base.byteCount()
    if let found = try Self.mark(in: base, size) {
      start = found
      markPosition = size - Int64(Self.markSize)
    } else {
      start = (size + Self.alignment - 1) / Self.alignment * Self.alignment
    }
  }

  private static func mark(in base: any File, _ size: Int64) throws(SQLError) -> Int64? {
    guard size >= Int64(markSize) else { return nil }
    var bytes = [UInt8](repeating: 0, count: markSize)
    let outcome = bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SQLError) in
        try base.read(
          into: bytes.baseAddress.unsafelyUnwrapped, byteCount: markSize, at: size - Int64(markSize)
        )
      }
    }
    guard try outcome.get() == markSize, bytes.starts(with: markText) else { return nil }
    let start = bytes[markText.count...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let isInside = start >= 0 && start <= size - Int64(markSize) && start % 512 == 0
    return isInside ? start : nil
  }

  private func writeMark(at position: Int64) throws(SQLError) {
    let bytes = Self.markText + (0..<8).map { UInt8(truncatingIfNeeded: start >> (56 - 8 * $0)) }
    try bytes.withBytes { bytes throws(SQLError) in
      try base.write(
        from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count, at: position)
    }
    markPosition = position
  }

  // MARK: Content

  var traits: FileTraits { base.traits }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    // The mark is no part of the database.
    let rest = Int(clamping: (try self.byteCount()) - offset)
    let wanted = min(byteCount, max(rest, 0))
    return wanted == 0 ? 0 : try base.read(into: target, byteCount: wanted, at: start + offset)
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    let end = start + offset + Int64(byteCount)
    if end > markPosition ?? 0 { try writeMark(at: end) }
    try base.write(from: source, byteCount: byteCount, at: start + offset)
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    try writeMark(at: start + byteCount)
    try base.truncate(to: start + byteCount + Int64(Self.markSize))
  }

  func byteCount() throws(SQLError) -> Int64 { markPosition.map { $0 - start } ?? 0 }

  func sync(dataOnly: Bool) throws(SQLError) { try base.sync(dataOnly: dataOnly) }
  func syncFully() throws(SQLError) { try base.syncFully() }
  func close() { base.close() }

  // MARK: Locks

  var lockLevel: LockLevel { base.lockLevel }

  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    let wasUnlocked = base.lockLevel == .none
    guard try base.lock(level) else { return false }
    // Others may have changed the length.
    if wasUnlocked {
      let size = try base.byteCount()
      let found = try Self.mark(in: base, size)
      markPosition = found == start ? size - Int64(Self.markSize) : nil
    }
    return true
  }

  func unlock(to level: LockLevel) throws(SQLError) { try base.unlock(to: level) }
  func isReserved() throws(SQLError) -> Bool { try base.isReserved() }
  var hasMoved: Bool { base.hasMoved }
  var sectorSize: Int { base.sectorSize }
  var deviceCharacteristics: DeviceCharacteristics { base.deviceCharacteristics }
}

/// Opens databases at the end of other files; what belongs to a database is of the usual VFS.
final class AppendVFS: VFS {
  static let registeredName = "apndvfs"
  private let base: any VFS

  private init(_ base: any VFS) { self.base = base }

  /// Its name, once it is there.
  static func register() throws(SQLError) -> String {
    if !VFSRegistry.all.contains(where: { $0.name == registeredName }) {
      VFSRegistry.register(AppendVFS(try VFSRegistry.find()))
    }
    return registeredName
  }

  var name: String { Self.registeredName }

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    let file = try base.open(path, flags)
    return flags.contains(.mainDatabase) ? try Self.wrap(file) : file
  }

  func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File {
    let file = try base.open(path, flags, of: database)
    return flags.contains(.mainDatabase) ? try Self.wrap(file) : file
  }

  /// A database of its own stays one.
  private static func wrap(_ file: any File) throws(SQLError) -> any File {
    let header = Array("SQLite format 3\0".utf8)
    var bytes = [UInt8](repeating: 0, count: header.count)
    let outcome = bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SQLError) in
        try file.read(into: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count, at: 0)
      }
    }
    let count = try outcome.get()
    return count == header.count && bytes == header ? file : try AppendedFile(file)
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    try base.openTemporary(kind)
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    try base.delete(path, syncingDirectory: syncingDirectory)
  }

  func status(of path: String) throws(SQLError) -> FileStatus? { try base.status(of: path) }

  func allows(_ access: FileAccess, to path: String) throws(SQLError) -> Bool {
    try base.allows(access, to: path)
  }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    try base.fullPath(of: path, flags)
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) { base.fillRandom(bytes) }
  func sleep(microseconds: Int) { base.sleep(microseconds: microseconds) }
  func currentJulianMilliseconds() -> Int64 { base.currentJulianMilliseconds() }
  var lastError: Int32 { base.lastError }
}
