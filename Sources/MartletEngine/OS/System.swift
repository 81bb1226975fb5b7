// Every system call of the engine is made here, so that a fault injector has one place to sit.
//
// The functions return what the call returns, retried while a signal interrupts it; `lastError`
// says why it failed. They know nothing of SQLite: meaning is given by their callers. Names of files
// become bytes here, and bytes names (FileNameBytes).

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

enum System {
  /// The `errno` of the last call that failed on this thread.
  static var lastError: Int32 { errno }

  enum Failure {
    static let accessDenied = EACCES
    static let exists = EEXIST
    static let isDirectory = EISDIR
    static let noEntry = ENOENT
    static let noSpace = ENOSPC
    static let notADirectory = ENOTDIR
    static let notPermitted = EPERM

    /// The errors of a lock request that mean "somebody else has it".
    static func isLockConflict(_ code: Int32) -> Bool {
      code == EACCES || code == EAGAIN || code == EBUSY || code == EINTR || code == ENOLCK
        || code == ETIMEDOUT
    }
  }

  struct OpenMode: OptionSet {
    let rawValue: Int32
    static let readWrite = OpenMode(rawValue: 1)
    static let create = OpenMode(rawValue: 2)
    static let mustNotExist = OpenMode(rawValue: 4)
    static let noFollow = OpenMode(rawValue: 8)
  }

  struct Status {
    var device: UInt64
    var inode: UInt64
    var byteCount: Int64
    var modificationTime: Int64
    var access: Access
    var isSymbolicLink: Bool
    var isDirectory: Bool
    var isRegularFile: Bool
  }

  /// Who may do what with a file.
  struct Access {
    var permissions: UInt32
    var user: uid_t
    var group: gid_t
  }

  /// What two lock requests exclude.
  enum LockKind { case read, write, none }

  static func openFile(_ path: String, _ mode: OpenMode, permissions: UInt32) -> Int32 {
    var flags = mode.contains(.readWrite) ? O_RDWR : O_RDONLY
    if mode.contains(.create) { flags |= O_CREAT }
    if mode.contains(.mustNotExist) { flags |= O_EXCL }
    if mode.contains(.noFollow) { flags |= O_NOFOLLOW }
    flags |= O_CLOEXEC
    return path.withFileName { name in
      retrying {
        let permissions = Int32(truncatingIfNeeded: permissions)
        if let call = SystemCalls.open { return call(name, flags, permissions) }
        return open(name, flags, permissions: permissions)
      }
    }
  }

  /// The call as it is.
  static func open(_ name: UnsafePointer<CChar>, _ flags: Int32, permissions: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(name, flags, mode_t(truncatingIfNeeded: permissions))
    #elseif canImport(Musl)
      Musl.open(name, flags, mode_t(truncatingIfNeeded: permissions))
    #elseif canImport(Android)
      Android.open(name, flags, mode_t(truncatingIfNeeded: permissions))
    #elseif canImport(WASILibc)
      WASILibc.open(name, flags, mode_t(truncatingIfNeeded: permissions))
    #else
      Darwin.open(name, flags, mode_t(truncatingIfNeeded: permissions))
    #endif
  }

  /// Not retried: after an interrupted close the descriptor may already belong to somebody else.
  @discardableResult
  static func closeFile(_ descriptor: Int32) -> Bool {
    if let call = SystemCalls.close { return call(descriptor) == 0 }
    return close(descriptor) == 0
  }

  @inline(__always)
  static func readBytes(
    _ descriptor: Int32, _ target: UnsafeMutableRawPointer, _ byteCount: Int, _ offset: Int64
  ) -> Int {
    while true {
      let count =
        if let call = SystemCalls.pread {
          call(descriptor, target, byteCount, off_t(offset))
        } else {
          pread(descriptor, target, byteCount, off_t(offset))
        }
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Fills pieces of `byteCount` bytes with what lies in one piece in the file; gives how many
  /// bytes came, and none where that cannot be done in one call.
  static func readPieces(
    _ descriptor: Int32, _ targets: UnsafeBufferPointer<UnsafeMutableRawPointer>, _ byteCount: Int,
    _ offset: Int64
  ) -> Int {
    #if canImport(WASILibc)
      return 0
    #else
      // Who has replaced the call wants to see all that is read.
      guard SystemCalls.pread == nil else { return 0 }
      return withUnsafeTemporaryAllocation(of: iovec.self, capacity: targets.count) { pieces in
        for (index, target) in targets.enumerated() {
          pieces[index] = iovec(iov_base: target, iov_len: byteCount)
        }
        return preadv(descriptor, pieces.baseAddress, Int32(targets.count), off_t(offset))
      }
    #endif
  }

  static func writeBytes(
    _ descriptor: Int32, _ source: UnsafeRawPointer, _ byteCount: Int, _ offset: Int64
  ) -> Int {
    while true {
      let count =
        if let call = SystemCalls.pwrite {
          call(descriptor, source, byteCount, off_t(offset))
        } else {
          pwrite(descriptor, source, byteCount, off_t(offset))
        }
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Whether a file has those permissions now; the mask of the process does not count.
  static func setPermissions(_ descriptor: Int32, _ permissions: UInt32) -> Bool {
    #if os(WASI)
      return false
    #else
      let mode = mode_t(truncatingIfNeeded: permissions)
      if let call = SystemCalls.fchmod { return call(descriptor, mode) == 0 }
      return fchmod(descriptor, mode) == 0
    #endif
  }

  /// Gives a file to somebody else, which only the superuser can; for anybody else nothing happens.
  static func setOwner(_ descriptor: Int32, _ user: uid_t, _ group: gid_t) {
    #if !os(WASI)
      guard (SystemCalls.geteuid?() ?? geteuid()) == 0 else { return }
      if let call = SystemCalls.fchown {
        _ = call(descriptor, user, group)
      } else {
        _ = fchown(descriptor, user, group)
      }
    #endif
  }

  static func truncateFile(_ descriptor: Int32, _ byteCount: Int64) -> Bool {
    retrying {
      if let call = SystemCalls.ftruncate { return call(descriptor, off_t(byteCount)) }
      return ftruncate(descriptor, off_t(byteCount))
    } == 0
  }

  /// Makes a file longer, with room for all of it on the medium.
  static func reserve(_ descriptor: Int32, from start: Int64, to end: Int64) -> Bool {
    #if os(Linux)
      let result = posix_fallocate(descriptor, off_t(start), off_t(end - start))
      if result != EINVAL && result != EOPNOTSUPP {
        errno = result
        return result == 0
      }
    #endif
    return truncateFile(descriptor, end)
  }

  #if os(WASI)
    static let memoryPageSize = 1 << 16

    static func map(
      _ descriptor: Int32, from offset: Int64, byteCount: Int, isWritable: Bool
    ) -> UnsafeMutableRawPointer? { nil }

    static func unmap(_ memory: UnsafeMutableRawPointer, byteCount: Int) {}
  #else
    static let memoryPageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// A part of a file as memory that all who map it share.
    static func map(
      _ descriptor: Int32, from offset: Int64, byteCount: Int, isWritable: Bool
    ) -> UnsafeMutableRawPointer? {
      let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
      if let call = SystemCalls.mmap {
        let memory = call(nil, byteCount, protection, MAP_SHARED, descriptor, off_t(offset))
        return memory == MAP_FAILED ? nil : memory
      }
      let memory = mmap(nil, byteCount, protection, MAP_SHARED, descriptor, off_t(offset))
      return memory == MAP_FAILED ? nil : memory
    }

    static func unmap(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
      if let call = SystemCalls.munmap {
        _ = call(memory, byteCount)
      } else {
        munmap(memory, byteCount)
      }
    }
  #endif

  static func makeDirectory(_ path: String) -> Bool {
    path.withFileName { name in
      if let call = SystemCalls.mkdir { return call(name, 0o777) == 0 }
      return mkdir(name, 0o777) == 0
    }
  }

  static func removeDirectory(_ path: String) -> Bool {
    path.withFileName { name in
      if let call = SystemCalls.rmdir { return call(name) == 0 }
      return rmdir(name) == 0
    }
  }

  static func syncFile(_ descriptor: Int32, dataOnly: Bool) -> Bool {
    #if os(Linux) || os(Android)
      if dataOnly { return retrying { fdatasync(descriptor) } == 0 }
    #endif
    return retrying { fsync(descriptor) } == 0
  }

  /// The same with what the medium has in a cache of its own, on the systems that tell the two apart.
  static func syncFileFully(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      // Not every file system knows of it.
      if retrying({ fcntl(descriptor, F_FULLFSYNC) }) == 0 { return true }
    #endif
    return syncFile(descriptor, dataOnly: true)
  }

  /// Makes the names in a directory survive a power failure. Not every file system can. Nothing is
  /// done where it cannot be opened: it need not be readable, and what was to be made durable is done.
  static func syncDirectory(_ path: String) -> Bool {
    let descriptor = openFile(path, [], permissions: 0)
    guard descriptor >= 0 else { return true }
    defer { closeFile(descriptor) }
    return syncFile(descriptor, dataOnly: false)
  }

  static func deleteFile(_ path: String) -> Bool {
    path.withFileName { name in
      if let call = SystemCalls.unlink { return call(name) == 0 }
      return unlink(name) == 0
    }
  }

  @inline(__always)
  static func fileStatus(_ descriptor: Int32) -> Status? {
    var buffer = stat()
    if let call = SystemCalls.fstat {
      return call(descriptor, &buffer) == 0 ? Status(buffer) : nil
    }
    guard fstat(descriptor, &buffer) == 0 else { return nil }
    return Status(buffer)
  }

  static func pathStatus(_ path: String, followingLinks: Bool = true) -> Status? {
    var buffer = stat()
    let result = path.withFileName { name in
      if let call = followingLinks ? SystemCalls.stat : SystemCalls.lstat {
        return call(name, &buffer)
      }
      return followingLinks ? stat(name, &buffer) : lstat(name, &buffer)
    }
    return result == 0 ? Status(buffer) : nil
  }

  static func mayUse(_ path: String, writing: Bool) -> Bool {
    mayAccess(path, writing ? W_OK | R_OK : R_OK)
  }

  private static func mayAccess(_ path: String, _ mode: Int32) -> Bool {
    path.withFileName { name in
      if let call = SystemCalls.access { return call(name, mode) == 0 }
      return access(name, mode) == 0
    }
  }

  static func isWritableDirectory(_ path: String) -> Bool {
    guard let status = pathStatus(path), status.isDirectory else { return false }
    return mayAccess(path, W_OK | X_OK)
  }

  /// What a symbolic link points to; nil when it cannot be read or is longer than any path.
  static func linkTarget(_ path: String) -> String? {
    let capacity = 4096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = path.withFileName { name in
        if let call = SystemCalls.readlink { return call(name, base, capacity) }
        return readlink(name, base, capacity)
      }
      guard count > 0, count < capacity else { return nil }
      return String(fileNameBytes: UnsafeRawBufferPointer(start: base, count: count))
    }
  }

  static func currentDirectory() -> String? {
    let capacity = 4096
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
      guard let base = buffer.baseAddress else { return nil }
      if let call = SystemCalls.getcwd {
        return call(base, capacity) == nil ? nil : String(fileName: base)
      }
      guard getcwd(base, capacity) != nil else { return nil }
      return String(fileName: base)
    }
  }

  static func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(fileName: value)
  }

  static func sleep(microseconds: Int) {
    var request = timespec()
    request.tv_sec = time_t(microseconds / 1_000_000)
    request.tv_nsec = microseconds % 1_000_000 * 1_000
    _ = nanosleep(&request, nil)
  }

  /// Nanoseconds since 1970 by the wall clock.
  static func currentTime() -> Int64 {
    var time = timespec()
    #if canImport(WASILibc)
      _ = timespec_get(&time, TIME_UTC)
    #else
      _ = clock_gettime(CLOCK_REALTIME, &time)
    #endif
    return nanoseconds(time)
  }

  /// Nanoseconds since some moment; setting the wall clock does not change them.
  static func monotonicTime() -> Int64 {
    #if canImport(WASILibc)
      return currentTime()
    #else
      var time = timespec()
      _ = clock_gettime(CLOCK_MONOTONIC, &time)
      return nanoseconds(time)
    #endif
  }

  @inline(__always)
  private static func retrying(_ call: () -> Int32) -> Int32 {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  fileprivate static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension System {
  #if os(WASI)
    // One process per file system view: nobody is there to exclude.
    static func setLock(
      _ descriptor: Int32, _ kind: LockKind, from start: Int64, count: Int64
    ) -> Bool { true }

    static func isLocked(
      _ descriptor: Int32, against kind: LockKind, from start: Int64, count: Int64
    ) -> Bool? { false }
  #else
    /// Sets or drops a lock of this process on a range; 0 bytes from 0 is the whole file.
    @inline(__always)
    static func setLock(
      _ descriptor: Int32, _ kind: LockKind, from start: Int64, count: Int64
    ) -> Bool {
      var request = lockRequest(kind, start, count)
      if let call = SystemCalls.fcntl { return call(descriptor, F_SETLK, &request) >= 0 }
      return fcntl(descriptor, F_SETLK, &request) >= 0
    }

    /// Whether another process has a lock that excludes `kind`; nil when the call fails.
    @inline(__always)
    static func isLocked(
      _ descriptor: Int32, against kind: LockKind, from start: Int64, count: Int64
    ) -> Bool? {
      var request = lockRequest(kind, start, count)
      let result =
        if let call = SystemCalls.fcntl {
          call(descriptor, F_GETLK, &request)
        } else {
          fcntl(descriptor, F_GETLK, &request)
        }
      guard result >= 0 else { return nil }
      return Int32(request.l_type) != Int32(F_UNLCK)
    }

    @inline(__always)
    private static func lockRequest(_ kind: LockKind, _ start: Int64, _ count: Int64) -> flock {
      var request = flock()
      switch kind {
      case .read: request.l_type = numericCast(F_RDLCK)
      case .write: request.l_type = numericCast(F_WRLCK)
      case .none: request.l_type = numericCast(F_UNLCK)
      }
      request.l_whence = Int16(SEEK_SET)
      request.l_start = off_t(start)
      request.l_len = off_t(count)
      return request
    }
  #endif
}

extension System.Status {
  @inline(__always)
  fileprivate init(_ buffer: stat) {
    device = UInt64(truncatingIfNeeded: buffer.st_dev)
    inode = UInt64(truncatingIfNeeded: buffer.st_ino)
    byteCount = Int64(buffer.st_size)
    #if canImport(Darwin)
      modificationTime = System.nanoseconds(buffer.st_mtimespec)
    #else
      modificationTime = System.nanoseconds(buffer.st_mtim)
    #endif
    let mode = UInt32(truncatingIfNeeded: buffer.st_mode)
    access = System.Access(
      permissions: mode & 0o777, user: buffer.st_uid, group: buffer.st_gid)
    isSymbolicLink = mode & 0o170000 == 0o120000
    isDirectory = mode & 0o170000 == 0o040000
    isRegularFile = mode & 0o170000 == 0o100000
  }
}
