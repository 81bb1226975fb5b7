// VFSs of C, as the engine sees them (c3ref/vfs).
import CSQLite3
import MartletEngine

/// An engine's VFS over a `sqlite3_vfs`, of the program or our own.
///
/// A method that is our own (NativeVFS) is not called through C: the engine's VFS behind it is
/// asked directly. That is decided for each call, so a method that the program replaces in the
/// structure takes effect at once.
final class AdaptedVFS: VFS, @unchecked Sendable {
  let structure: UnsafeMutablePointer<sqlite3_vfs>

  init(_ structure: UnsafeMutablePointer<sqlite3_vfs>) { self.structure = structure }

  var name: String { string(structure.pointee.zName) ?? "" }

  /// The engine's VFS, if a method is our own.
  @inline(__always)
  private func native<Method>(_ method: Method, _ own: Method) -> (any VFS)? {
    address(of: method) == address(of: own) ? NativeVFS.vfs(of: structure) : nil
  }

  /// Our own methods.
  private var own: sqlite3_vfs { @inline(__always) get { NativeVFS.methods } }

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    try open(path, flags, of: DatabaseFileName(path: path))
  }

  func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File {
    if let native = native(structure.pointee.xOpen, own.xOpen) {
      return try native.open(path, flags, of: database)
    }
    let block = try FileNameBlock.of(database)
    let file = try AdaptedFile(structure, block.pointer(to: path), flags)
    file.nameBlock = block
    if flags.contains(.mainDatabase) {
      FileNames.file(of: block.database).pointee = file.structure
    }
    return file
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    if let native = native(structure.pointee.xOpen, own.xOpen) {
      return try native.openTemporary(kind)
    }
    let flags = kind.union([.readWrite, .create, .exclusive, .deleteOnClose])
    return try AdaptedFile(structure, nil, flags)
  }

  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    if let native = native(structure.pointee.xDelete, own.xDelete) {
      return try native.delete(path, syncingDirectory: syncingDirectory)
    }
    guard let method = structure.pointee.xDelete else { return false }
    let code = try withName(path) { method(structure, $0, syncingDirectory ? 1 : 0) }
    if code == ioErrorDeleteNoEntry { return false }
    try check(code)
    return true
  }

  func allows(_ access: FileAccess, to path: String) throws(SQLError) -> Bool {
    if let native = native(structure.pointee.xAccess, own.xAccess) {
      return try native.allows(access, to: path)
    }
    guard let method = structure.pointee.xAccess else { return false }
    var result: Int32 = 0
    try check(try withName(path) { method(structure, $0, access.rawValue, &result) })
    return result != 0
  }

  func status(of path: String) throws(SQLError) -> FileStatus? {
    if let native = native(structure.pointee.xAccess, own.xAccess) {
      return try native.status(of: path)
    }
    // There is no method that says more.
    let isThere = try allows(.exists, to: path)
    return isThere ? FileStatus(byteCount: 1, modificationTime: 0) : nil
  }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    if let native = native(structure.pointee.xFullPathname, own.xFullPathname) {
      return try native.fullPath(of: path, flags)
    }
    guard let method = structure.pointee.xFullPathname else { return path }
    let limit = min(Int(structure.pointee.mxPathname), longestPath)
    guard limit > 0, let buffer = calloc(1, limit + 1) else { throw SQLError(.outOfMemory) }
    defer { free(buffer) }
    let result = buffer.assumingMemoryBound(to: CChar.self)
    let code = path.withFileName { method(structure, $0, Int32(limit + 1), result) }
    // The name is that of a symbolic link.
    if code == SQLITE_OK | 2 << 8 {
      if flags.contains(.noFollow) { throw SQLError(.cannotOpenSymlink) }
    } else {
      try check(code)
    }
    // There must be room for the journal's name.
    guard strnlen(result, limit + 1) + 8 <= limit else { throw SQLError(.cannotOpen) }
    return String(fileName: result)
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) {
    if let native = native(structure.pointee.xRandomness, own.xRandomness) {
      return native.fillRandom(bytes)
    }
    let target = bytes.bindMemory(to: CChar.self).baseAddress
    _ = structure.pointee.xRandomness?(structure, Int32(clamping: bytes.count), target)
  }

  func sleep(microseconds: Int) {
    if let native = native(structure.pointee.xSleep, own.xSleep) {
      return native.sleep(microseconds: microseconds)
    }
    _ = structure.pointee.xSleep?(structure, Int32(clamping: microseconds))
  }

  func currentJulianMilliseconds() -> Int64 {
    if structure.pointee.iVersion >= 2, let method = structure.pointee.xCurrentTimeInt64 {
      if let native = native(structure.pointee.xCurrentTimeInt64, own.xCurrentTimeInt64) {
        return native.currentJulianMilliseconds()
      }
      var now: sqlite3_int64 = 0
      return method(structure, &now) == SQLITE_OK ? now : 0
    }
    var now = 0.0
    guard let method = structure.pointee.xCurrentTime, method(structure, &now) == SQLITE_OK else {
      return 0
    }
    return Int64(exactly: (now * 86_400_000).rounded(.towardZero)) ?? 0
  }

  var lastError: Int32 {
    if let native = native(structure.pointee.xGetLastError, own.xGetLastError) {
      return native.lastError
    }
    return structure.pointee.xGetLastError?(structure, 0, nil) ?? 0
  }

  /// Lends a name in the format that VFSs expect.
  private func withName(
    _ path: String, _ body: (UnsafePointer<CChar>) -> Int32
  ) throws(SQLError) -> Int32 {
    let block = try FileNameBlock(DatabaseFileName(path: path))
    return withExtendedLifetime(block) { body(block.database) }
  }
}

/// A VFS may say that its paths are longer; that many bytes are asked for all the same.
private let longestPath = 1 << 20

func check(_ code: Int32) throws(SQLError) {
  if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
}

/// Where a function of C is, 0 for none.
@inline(__always)
func address<Method>(of method: Method) -> Int { unsafeBitCast(method, to: Int.self) }
