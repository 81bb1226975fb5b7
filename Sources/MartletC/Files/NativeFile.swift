// The engine's files, offered to programs as `sqlite3_file` (c3ref/io_methods).
import CSQLite3
import MartletEngine

/// What a `sqlite3_file` of the engine's VFSs points to.
struct NativeFile {
  var base: sqlite3_file
  private var box: Unmanaged<Box>?
  /// That it was opened by: the structure, or a copy with another name.
  private(set) var vfs: UnsafeMutablePointer<sqlite3_vfs>?

  private final class Box {
    let file: any File
    init(_ file: any File) { self.file = file }
  }

  /// Fills in a file that is open.
  static func initialize(
    _ structure: UnsafeMutablePointer<sqlite3_file>, _ file: any File,
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?
  ) {
    let target = UnsafeMutableRawPointer(structure).assumingMemoryBound(to: NativeFile.self)
    target.initialize(
      to: NativeFile(
        base: sqlite3_file(pMethods: methods), box: .passRetained(Box(file)), vfs: vfs))
  }

  /// The engine's file behind a structure; nil when it is closed.
  @inline(__always)
  static func file(_ structure: UnsafeMutablePointer<sqlite3_file>?) -> (any File)? {
    guard let structure else { return nil }
    let file = UnsafeMutableRawPointer(structure).assumingMemoryBound(to: NativeFile.self)
    return file.pointee.box?._withUnsafeGuaranteedRef { $0.file }
  }

  static func vfs(
    _ structure: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_vfs>? {
    UnsafeMutableRawPointer(structure).assumingMemoryBound(to: NativeFile.self).pointee.vfs
  }

  /// Gives up the engine's file.
  static func forget(_ structure: UnsafeMutablePointer<sqlite3_file>) {
    let file = UnsafeMutableRawPointer(structure).assumingMemoryBound(to: NativeFile.self)
    file.pointee.box?.release()
    file.pointee.box = nil
  }

  nonisolated(unsafe) static let methods = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 3
    addContentMethods(&methods)
    addLockMethods(&methods)
    addControlMethods(&methods)
    addMemoryMethods(&methods)
    let memory = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    memory.initialize(to: methods)
    return UnsafePointer(memory)
  }()
}

extension NativeFile {
  private static func addContentMethods(_ methods: inout sqlite3_io_methods) {
    methods.xClose = { structure in
      guard let structure else { return SQLITE_MISUSE }
      NativeFile.file(structure)?.close()
      NativeFile.forget(structure)
      return SQLITE_OK
    }
    methods.xRead = { structure, target, byteCount, offset in
      guard let target, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      var count = 0
      let code = resultCode { () throws(SQLError) in
        count = try file.read(into: target, byteCount: Int(byteCount), at: offset)
      }
      return code == SQLITE_OK && count < Int(byteCount) ? shortRead : code
    }
    methods.xWrite = { structure, source, byteCount, offset in
      guard let source, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in
        try file.write(from: source, byteCount: Int(byteCount), at: offset)
      }
    }
    methods.xTruncate = { structure, byteCount in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in try file.truncate(to: byteCount) }
    }
    methods.xSync = { structure, _ in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in try file.sync(dataOnly: true) }
    }
    methods.xFileSize = { structure, result in
      guard let result, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in result.pointee = try file.byteCount() }
    }
  }

  private static func addLockMethods(_ methods: inout sqlite3_io_methods) {
    methods.xLock = { structure, level in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      guard let wanted = LockLevel(rawValue: UInt8(clamping: level)), wanted != .none,
        wanted != .pending
      else { return SQLITE_MISUSE }
      if file.lockLevel >= wanted { return SQLITE_OK }
      // From nothing only the shared lock can be had.
      guard wanted == .shared || file.lockLevel >= .shared else { return SQLITE_MISUSE }
      var isLocked = false
      let code = resultCode { () throws(SQLError) in
        isLocked = try file.lock(wanted)
      }
      return code == SQLITE_OK && !isLocked ? SQLITE_BUSY : code
    }
    methods.xUnlock = { structure, level in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in
        try file.unlock(to: level >= SQLITE_LOCK_SHARED ? .shared : .none)
      }
    }
    methods.xCheckReservedLock = { structure, result in
      guard let result, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in
        result.pointee = try file.isReserved() ? 1 : 0
      }
    }
  }

  private static func addControlMethods(_ methods: inout sqlite3_io_methods) {
    methods.xFileControl = { structure, code, argument in
      guard let structure, let file = NativeFile.file(structure) else { return SQLITE_NOTFOUND }
      return NativeFile.control(file, structure, code, argument)
    }
    methods.xSectorSize = { structure in
      Int32(clamping: NativeFile.file(structure)?.sectorSize ?? 4096)
    }
    methods.xDeviceCharacteristics = { structure in
      NativeFile.file(structure)?.deviceCharacteristics.rawValue ?? 0
    }
  }

  /// There is no shared memory, and no file is mapped.
  private static func addMemoryMethods(_ methods: inout sqlite3_io_methods) {
    methods.xShmMap = { _, _, _, _, result in
      result?.pointee = nil
      return SQLITE_IOERR | 21 << 8  // SQLITE_IOERR_SHMMAP
    }
    methods.xShmLock = { _, _, _, _ in SQLITE_IOERR | 20 << 8 /* SQLITE_IOERR_SHMLOCK */ }
    methods.xShmBarrier = { _ in }
    methods.xShmUnmap = { _, _ in SQLITE_OK }
    methods.xFetch = { _, _, _, result in
      result?.pointee = nil
      return SQLITE_OK
    }
    methods.xUnfetch = { _, _, _ in SQLITE_OK }
  }
}
