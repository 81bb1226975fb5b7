// The engine's VFSs, offered to programs as `sqlite3_vfs` (c3ref/vfs).
import CSQLite3
import MartletEngine

/// The structures that stand for the engine's VFSs, and what is behind them.
enum NativeVFS {
  /// What `pAppData` of such a structure points to. A program may copy the structure and give the
  /// copy a `pAppData` of its own: then the default VFS of the system is meant.
  private final class Behind {
    let vfs: any VFS
    init(_ vfs: any VFS) { self.vfs = vfs }
  }

  /// They are never freed, like what they stand for.
  nonisolated(unsafe) private static let behind = VFSRegistry.all.map {
    Unmanaged.passRetained(Behind($0))
  }

  /// One for each VFS of the engine, in the registry's order.
  nonisolated(unsafe) static let structures = behind.map { behind in
    let vfs = behind.takeUnretainedValue().vfs
    let structure = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    structure.initialize(to: methods)
    structure.pointee.zName = strdup(vfs.name).map { UnsafePointer($0) }
    structure.pointee.pAppData = behind.toOpaque()
    if vfs.name == "memdb" {
      structure.pointee.iVersion = 2
      structure.pointee.mxPathname = 1024
      structure.pointee.xDelete = nil
      structure.pointee.xCurrentTime = nil
    }
    return structure
  }

  static func vfs(of structure: UnsafeMutablePointer<sqlite3_vfs>?) -> any VFS {
    let data = structure?.pointee.pAppData
    let found = behind.first { $0.toOpaque() == data } ?? behind[0]
    return found.takeUnretainedValue().vfs
  }

  /// Everything but name and data.
  nonisolated(unsafe) static let methods = {
    var vfs = sqlite3_vfs()
    vfs.iVersion = 3
    vfs.szOsFile = Int32(MemoryLayout<NativeFile>.size)
    vfs.mxPathname = 512
    addFileMethods(&vfs)
    addLibraryMethods(&vfs)
    addOtherMethods(&vfs)
    return vfs
  }()
}

extension NativeVFS {
  private static func addFileMethods(_ methods: inout sqlite3_vfs) {
    methods.xOpen = { structure, name, file, flags, result in
      guard let structure, let file else { return SQLITE_MISUSE }
      return NativeVFS.open(structure, name, file, OpenFlags(rawValue: flags), result)
    }
    methods.xDelete = { structure, name, syncs in
      guard let name else { return SQLITE_MISUSE }
      var isThere = false
      let code = resultCode { () throws(SQLError) in
        isThere = try NativeVFS.vfs(of: structure).delete(
          String(fileName: name), syncingDirectory: syncs & 1 != 0)
      }
      return code == SQLITE_OK && !isThere ? ioErrorDeleteNoEntry : code
    }
    methods.xAccess = { structure, name, access, result in
      guard let name, let result else { return SQLITE_MISUSE }
      return resultCode { () throws(SQLError) in
        let access = FileAccess(rawValue: access) ?? .exists
        let isAllowed = try NativeVFS.vfs(of: structure).allows(
          access, to: String(fileName: name))
        result.pointee = isAllowed ? 1 : 0
      }
    }
    methods.xFullPathname = { structure, name, size, result in
      guard let name, let result, size > 0 else { return SQLITE_MISUSE }
      return NativeVFS.fullPath(NativeVFS.vfs(of: structure), String(fileName: name), size, result)
    }
  }

  private static func open(
    _ structure: UnsafeMutablePointer<sqlite3_vfs>, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: OpenFlags,
    _ result: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    let vfs = vfs(of: structure)
    var opened: (any File)?
    let code = resultCode { () throws(SQLError) in
      guard let name else {
        opened = try vfs.openTemporary(flags)
        return
      }
      let path = String(fileName: name)
      var parameters: [URIParameter] = []
      // Only then is there anything behind the name.
      if flags.contains(.mainDatabase), flags.contains(.uri) {
        parameters = FileNames.parameters(of: name).map {
          URIParameter(key: String(fileName: $0.key), value: String(fileName: $0.value))
        }
      }
      opened = try vfs.open(
        path, flags, of: DatabaseFileName(path: path, parameters: parameters))
    }
    guard let opened else { return code }
    NativeFile.initialize(file, opened, structure)
    var resultFlags = flags
    if opened.traits.contains(.readOnly) {
      resultFlags.subtract([.readWrite, .create])
      resultFlags.insert(.readOnly)
    }
    result?.pointee = resultFlags.rawValue
    return SQLITE_OK
  }

  /// A name that led through symbolic links has a code of its own.
  private static func fullPath(
    _ vfs: any VFS, _ name: String, _ size: Int32, _ result: UnsafeMutablePointer<CChar>
  ) -> Int32 {
    var path = "", isLink = false
    let code = resultCode { () throws(SQLError) in
      do throws(SQLError) {
        path = try vfs.fullPath(of: name, .noFollow)
      } catch {
        guard error.code == .cannotOpenSymlink else { throw error }
        isLink = true
        path = try vfs.fullPath(of: name, [])
      }
    }
    guard code == SQLITE_OK else { return code }
    return path.withFileName { path in
      guard strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return isLink ? SQLITE_OK | 2 << 8 : SQLITE_OK
    }
  }

  private static func addLibraryMethods(_ methods: inout sqlite3_vfs) {
    methods.xDlOpen = { _, name in dlopen(name, RTLD_NOW | RTLD_GLOBAL) }
    methods.xDlError = { _, size, result in
      guard let result, size > 0, let message = dlerror() else { return }
      strncpy(result, message, Int(size) - 1)
      result[Int(size) - 1] = 0
    }
    methods.xDlSym = { _, library, name in
      guard let name, let symbol = dlsym(library, name) else { return nil }
      return unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)
    }
    methods.xDlClose = { _, library in
      if let library { dlclose(library) }
    }
  }

  private static func addOtherMethods(_ methods: inout sqlite3_vfs) {
    methods.xRandomness = { structure, size, result in
      guard let result, size > 0 else { return 0 }
      NativeVFS.vfs(of: structure).fillRandom(
        UnsafeMutableRawBufferPointer(start: result, count: Int(size)))
      return size
    }
    methods.xSleep = { structure, microseconds in
      NativeVFS.vfs(of: structure).sleep(microseconds: Int(max(0, microseconds)))
      return microseconds
    }
    methods.xCurrentTime = { structure, result in
      let now = NativeVFS.vfs(of: structure).currentJulianMilliseconds()
      result?.pointee = Double(now) / 86_400_000
      return SQLITE_OK
    }
    methods.xCurrentTimeInt64 = { structure, result in
      result?.pointee = NativeVFS.vfs(of: structure).currentJulianMilliseconds()
      return SQLITE_OK
    }
    methods.xGetLastError = { structure, _, _ in NativeVFS.vfs(of: structure).lastError }
    addSystemCalls(&methods)
  }

  /// For tests that want calls of the system to fail.
  private static func addSystemCalls(_ methods: inout sqlite3_vfs) {
    methods.xSetSystemCall = { _, name, function in
      guard let name else {
        SystemCalls.restoreAll()
        return SQLITE_OK
      }
      let pointer = unsafeBitCast(function, to: UnsafeMutableRawPointer?.self)
      return SystemCalls.replace(String(cString: name), with: pointer) ? SQLITE_OK : SQLITE_NOTFOUND
    }
    methods.xGetSystemCall = { _, name in
      guard let name, let pointer = SystemCalls.current(String(cString: name)) else { return nil }
      return unsafeBitCast(pointer, to: (@convention(c) () -> Void).self)
    }
    methods.xNextSystemCall = { _, name in
      let names = NativeVFS.systemCallNames
      guard let name else { return names.first.map { UnsafePointer($0) } ?? nil }
      guard let place = names.firstIndex(where: { strcmp($0, name) == 0 }),
        place + 1 < names.count
      else { return nil }
      return UnsafePointer(names[place + 1])
    }
  }

  /// In memory that stays.
  nonisolated(unsafe) private static let systemCallNames = SystemCalls.names.compactMap {
    strdup($0)
  }
}

/// SQLITE_IOERR_DELETE_NOENT
let ioErrorDeleteNoEntry = SQLITE_IOERR | 23 << 8

/// Runs what may fail; the result is the code of how it went.
func resultCode(_ body: () throws(SQLError) -> Void) -> Int32 {
  do throws(SQLError) {
    try body()
    return SQLITE_OK
  } catch {
    return error.code.rawValue
  }
}
