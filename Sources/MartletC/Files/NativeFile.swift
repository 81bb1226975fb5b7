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
        base: sqlite3_file(pMethods: file.hasSharedMemory ? methods : methodsWithoutSharing),
        box: .passRetained(Box(file)), vfs: vfs))
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

  nonisolated(unsafe) private static let methods = makeMethods(sharingMemory: true)
  nonisolated(unsafe) private static let methodsWithoutSharing = makeMethods(sharingMemory: false)

  /// Whether the methods of a structure are ours.
  static func isNative(_ structure: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    let found = structure.pointee.pMethods
    return found == methods || found == methodsWithoutSharing
  }

  private static func makeMethods(sharingMemory: Bool) -> UnsafePointer<sqlite3_io_methods> {
    var methods = sqlite3_io_methods()
    methods.iVersion = 3
    addContentMethods(&methods)
    addLockMethods(&methods)
    addControlMethods(&methods)
    addMemoryMethods(&methods)
    addSharedMemoryMethods(&methods)
    // By this alone is it seen; a VFS over ours may call the other methods all the same.
    if !sharingMemory { methods.xShmMap = nil }
    let memory = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    memory.initialize(to: methods)
    return UnsafePointer(memory)
  }
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
      guard let target, byteCount >= 0, offset >= 0, let file = NativeFile.file(structure) else {
        return SQLITE_IOERR
      }
      var count = 0
      let code = resultCode { () throws(SQLError) in
        count = try file.read(into: target, byteCount: Int(byteCount), at: offset)
      }
      return code == SQLITE_OK && count < Int(byteCount) ? shortRead : code
    }
    methods.xWrite = { structure, source, byteCount, offset in
      guard let source, byteCount >= 0, offset >= 0, let file = NativeFile.file(structure) else {
        return SQLITE_IOERR
      }
      return resultCode { () throws(SQLError) in
        try file.write(from: source, byteCount: Int(byteCount), at: offset)
      }
    }
    methods.xTruncate = { structure, byteCount in
      guard byteCount >= 0, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in try file.truncate(to: byteCount) }
    }
    methods.xSync = { structure, flags in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      return resultCode { () throws(SQLError) in
        if flags & 0x0f == SQLITE_SYNC_FULL {
          try file.syncFully()
        } else {
          try file.sync(dataOnly: true)
        }
      }
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

  /// No file is mapped.
  private static func addMemoryMethods(_ methods: inout sqlite3_io_methods) {
    methods.xFetch = { _, _, _, result in
      result?.pointee = nil
      return SQLITE_OK
    }
    methods.xUnfetch = { _, _, _ in SQLITE_OK }
  }

  /// The index of a write-ahead log (c3ref/io_methods, xShmMap).
  private static func addSharedMemoryMethods(_ methods: inout sqlite3_io_methods) {
    methods.xShmMap = { structure, region, byteCount, extends, result in
      result?.pointee = nil
      guard let result, let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      guard region >= 0, Int(byteCount) == SharedMemory.regionByteCount else {
        return SQLITE_MISUSE
      }
      let code = resultCode { () throws(SQLError) in
        result.pointee = try file.sharedMemory(
          region: Int(region), extending: extends != 0)
      }
      return code == SQLITE_OK && file.isSharedMemoryReadOnly ? SQLITE_READONLY : code
    }
    methods.xShmLock = { structure, offset, count, flags in
      guard let file = NativeFile.file(structure) else { return SQLITE_IOERR }
      guard offset >= 0, count > 0, Int(offset) + Int(count) <= SharedMemory.slotCount else {
        return SQLITE_MISUSE
      }
      let slots = Int(offset)..<Int(offset) + Int(count)
      let kind: SharedMemory.Lock = flags & SQLITE_SHM_SHARED != 0 ? .shared : .exclusive
      if flags & SQLITE_SHM_UNLOCK != 0 {
        return resultCode { () throws(SQLError) in try file.unlockSharedMemory(slots, kind) }
      }
      var isLocked = false
      let code = resultCode { () throws(SQLError) in
        isLocked = try file.lockSharedMemory(slots, kind)
      }
      return code == SQLITE_OK && !isLocked ? SQLITE_BUSY : code
    }
    methods.xShmBarrier = { structure in NativeFile.file(structure)?.sharedMemoryBarrier() }
    methods.xShmUnmap = { structure, deletes in
      guard let file = NativeFile.file(structure) else { return SQLITE_OK }
      return resultCode { () throws(SQLError) in
        try file.closeSharedMemory(deleting: deletes != 0)
      }
    }
  }
}
