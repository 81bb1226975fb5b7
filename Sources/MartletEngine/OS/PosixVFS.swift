/// The file system of Unix-like systems (SQLite's "unix").
final class PosixVFS: VFS {
  let name: String
  private let locking: Locking
  private let chosenTemporaryDirectory: String?

  /// How connections keep each other out (vfs §3.1).
  enum Locking {
    /// By locks on bytes: "unix".
    case bytes
    /// The same; other processes are kept out altogether: "unix-excl".
    case process
    /// By a directory with `.lock` behind the name: "unix-dotfile".
    case directory
    /// Not at all: "unix-none", where the application keeps writers apart.
    case none
  }

  /// - Parameter temporaryDirectory: where temporary files go, in place of what the environment
  ///   says.
  init(name: String = "unix", locking: Locking = .bytes, temporaryDirectory: String? = nil) {
    self.name = name
    self.locking = locking
    chosenTemporaryDirectory = temporaryDirectory
  }

  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    try open(path, flags, parameters: [])
  }

  func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File {
    try open(path, flags, parameters: database.parameters)
  }

  private func open(
    _ path: String, _ flags: OpenFlags, parameters: [URIParameter]
  ) throws(SQLError) -> any File {
    let isPowersafe = parameters.boolean("psow", default: true)
    var mode: System.OpenMode = [.noFollow]
    if flags.contains(.readWrite) { mode.insert(.readWrite) }
    if flags.contains(.create) { mode.insert(.create) }
    if flags.contains(.exclusive) { mode.insert(.mustNotExist) }
    var traits: FileTraits = flags.contains(.readWrite) ? [] : [.readOnly]
    let access = try Self.accessOfModel(path, flags, parameters)
    let permissions = flags.contains(.deleteOnClose) ? 0o600 : access?.permissions
    let isMain = flags.contains(.mainDatabase)
    var descriptor = Self.openDescriptor(path, mode, permissions, reusing: isMain)
    if descriptor < 0, Self.isJournal(flags), flags.contains(.create),
      System.lastError == System.Failure.accessDenied, System.pathStatus(path) == nil
    {
      throw SQLError(.readOnlyDirectory)
    }
    if descriptor < 0, flags.contains(.readWrite), Self.mayRetryReadOnly(flags) {
      descriptor = Self.openDescriptor(path, [.noFollow], nil, reusing: isMain)
      traits.insert(.readOnly)
    }
    guard descriptor >= 0 else { throw SQLError(.cannotOpen) }
    if Self.isOfDatabase(flags), let access {
      System.setOwner(descriptor, access.user, access.group)
    }
    if flags.contains(.deleteOnClose) { _ = System.deleteFile(path) }
    guard isMain else {
      return PosixFile(
        self, descriptor: descriptor, traits: traits,
        unsyncedDirectory: Self.directoryToSync(path, flags), isPowersafe: isPowersafe)
    }
    return PosixFile(
      self, descriptor: descriptor, traits: traits,
      locking: try locks(for: descriptor, path, isReadOnly: traits.contains(.readOnly)),
      path: path, isPowersafe: isPowersafe,
      hasReadOnlySharedMemory: parameters.boolean("readonly_shm", default: false))
  }

  /// Closes the descriptor if it fails.
  private func locks(
    for descriptor: Int32, _ path: String, isReadOnly: Bool
  ) throws(SQLError) -> PosixFile.Locking {
    switch locking {
    case .none: return .none
    case .directory: return .directory(path + ".lock")
    case .bytes, .process: break
    }
    guard let status = System.fileStatus(descriptor) else {
      System.closeFile(descriptor)
      throw SQLError(.ioErrorFstat)
    }
    let identity = InodeLocks.Identity(device: status.device, inode: status.inode)
    let locks = InodeLocks.acquire(identity)
    // A file that may only be read cannot be locked against others; who reads keeps nobody out.
    if case .process = locking, !isReadOnly { return .process(locks) }
    return .bytes(locks)
  }

  private static func directoryToSync(_ path: String, _ flags: OpenFlags) -> String? {
    isJournal(flags) && flags.contains(.create) ? directory(of: path) : nil
  }

  private static func isJournal(_ flags: OpenFlags) -> Bool {
    !flags.isDisjoint(with: [.mainJournal, .superJournal, .writeAheadLog])
  }

  private static func directory(of path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What may be read but not written opens read-only: also a journal that is there, which may have
  /// to be rolled back.
  private static func mayRetryReadOnly(_ flags: OpenFlags) -> Bool {
    System.lastError != System.Failure.isDirectory && !flags.contains(.exclusive)
  }

  private static func isOfDatabase(_ flags: OpenFlags) -> Bool {
    !flags.isDisjoint(with: [.mainJournal, .writeAheadLog])
  }

  /// What a new file takes over, of the file that it is made like.
  ///
  /// Journals and WAL files are made like their database, so that everybody who may write the one
  /// may recover from the other; a database like the file that the parameter `modeof` names
  /// (uri §3.3).
  private static func accessOfModel(
    _ path: String, _ flags: OpenFlags, _ parameters: [URIParameter]
  ) throws(SQLError) -> System.Access? {
    let model: String
    if isOfDatabase(flags) {
      // Not what was a suffix of three letters once: such a name says nothing of the database's.
      let end = path.utf8.lastIndex { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
      guard let end, path.utf8[end] == UInt8(ascii: "-") else { return nil }
      model = String(path[..<end])
    } else {
      guard let name = parameters.value(of: "modeof") else { return nil }
      model = name
    }
    guard let status = System.pathStatus(model) else { throw SQLError(.ioErrorFstat) }
    return status.access
  }

  private static let usualPermissions: UInt32 = 0o644

  /// Opens a file on a descriptor above 2: a database on a standard descriptor would be written to
  /// by whoever prints an error message (howtocorrupt §2.1).
  ///
  /// - Parameters:
  ///   - permissions: what an empty file gets, whatever the mask of the process; nil for the usual
  ///     ones under that mask.
  ///   - reusing: a descriptor of the file that only waits to be closed will do.
  static func openDescriptor(
    _ path: String, _ mode: System.OpenMode, _ permissions: UInt32?, reusing: Bool = false
  ) -> Int32 {
    if reusing, !mode.contains(.mustNotExist),
      let waiting = InodeLocks.takeDeferred(of: path, isReadOnly: !mode.contains(.readWrite))
    {
      return waiting
    }
    while true {
      let descriptor = System.openFile(path, mode, permissions: permissions ?? usualPermissions)
      if descriptor < 0 { return descriptor }
      if descriptor > 2 {
        if let permissions { setPermissions(of: descriptor, permissions) }
        return descriptor
      }
      if mode.contains(.mustNotExist) { _ = System.deleteFile(path) }
      System.closeFile(descriptor)
      if System.openFile("/dev/null", [], permissions: 0) < 0 { return -1 }
    }
  }

  private static func setPermissions(of descriptor: Int32, _ permissions: UInt32) {
    guard let status = System.fileStatus(descriptor), status.byteCount == 0,
      status.access.permissions != permissions
    else { return }
    _ = System.setPermissions(descriptor, permissions)
  }
}

extension PosixVFS {
  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    // The name is random; a second try is for the file that somebody else has by the same name.
    for _ in 0..<10 {
      let path = try temporaryFileName()
      let mode: System.OpenMode = [.readWrite, .create, .mustNotExist, .noFollow]
      let descriptor = Self.openDescriptor(path, mode, 0o600)
      guard descriptor >= 0 else { continue }
      _ = System.deleteFile(path)
      return PosixFile(self, descriptor: descriptor, traits: .isPrivate)
    }
    throw SQLError(.cannotOpen)
  }

  func temporaryFileName() throws(SQLError) -> String {
    guard let directory = chosenTemporaryDirectory ?? Self.temporaryDirectory() else {
      throw SQLError(.ioErrorGetTempPath)
    }
    let suffix = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(directory)/martlet_\(suffix)"
  }

  /// The first directory that can be written, in SQLite's order (tempfiles §5).
  private static func temporaryDirectory() -> String? {
    if let path = VFSRegistry.temporaryDirectory?(), System.isWritableDirectory(path) {
      return path
    }
    for variable in ["SQLITE_TMPDIR", "TMPDIR"] {
      if let path = System.environmentVariable(variable), System.isWritableDirectory(path) {
        return path
      }
    }
    return ["/var/tmp", "/usr/tmp", "/tmp", "."].first(where: System.isWritableDirectory)
  }

  @discardableResult
  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    guard System.deleteFile(path) else {
      if System.lastError == System.Failure.noEntry { return false }
      throw SQLError(.ioErrorDelete)
    }
    if syncingDirectory, let directory = Self.directory(of: path) {
      guard System.syncDirectory(directory) else { throw SQLError(.ioErrorDirectoryFsync) }
    }
    return true
  }

  func status(of path: String) throws(SQLError) -> FileStatus? {
    if let status = System.pathStatus(path) {
      return FileStatus(
        byteCount: status.byteCount, modificationTime: status.modificationTime)
    }
    let failure = System.lastError
    if failure == System.Failure.noEntry || failure == System.Failure.notADirectory { return nil }
    throw SQLError(.ioErrorAccess)
  }

  /// A file without content is as good as none; a directory is there.
  func allows(_ access: FileAccess, to path: String) throws(SQLError) -> Bool {
    switch access {
    case .exists:
      guard let status = System.pathStatus(path) else { return false }
      return status.byteCount > 0 || !status.isRegularFile
    case .readWrite: return System.mayUse(path, writing: true)
    case .read: return System.mayUse(path, writing: false)
    }
  }

  var lastError: Int32 { System.lastError }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) {
    var generator = SystemRandomNumberGenerator()
    var word: UInt64 = 0
    for index in bytes.indices {
      if index % 8 == 0 { word = generator.next() }
      bytes[index] = UInt8(truncatingIfNeeded: word)
      word >>= 8
    }
  }

  func sleep(microseconds: Int) { System.sleep(microseconds: microseconds) }

  func currentJulianMilliseconds() -> Int64 {
    let millisecondsAtUnixEpoch: Int64 = 210_866_760_000_000
    return millisecondsAtUnixEpoch + System.currentTime() / 1_000_000
  }
}

extension PosixVFS {
  private static let pathLimit = 4096
  private static let linkLimit = 200

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    guard let start = path.utf8.first == UInt8(ascii: "/") ? "" : System.currentDirectory() else {
      throw SQLError(.cannotOpen)
    }
    var resolution = PathResolution(start == "/" ? "" : start)
    try resolution.append(path, refusingLinks: flags.contains(.noFollow))
    return resolution.path.isEmpty ? "/" : resolution.path
  }

  /// An absolute path that grows by one component at a time, links replaced as they come.
  private struct PathResolution {
    var path: String
    private var linkCount = 0

    init(_ path: String) { self.path = path }

    mutating func append(_ more: String, refusingLinks: Bool) throws(SQLError) {
      for component in more.utf8.split(separator: UInt8(ascii: "/")) {
        try append(component: String(Substring(component)), refusingLinks: refusingLinks)
      }
    }

    private mutating func append(component: String, refusingLinks: Bool) throws(SQLError) {
      if component == "." { return }
      let parent = path
      if component == ".." {
        path = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
        return
      }
      path += "/" + component
      guard path.utf8.count < PosixVFS.pathLimit else { throw SQLError(.cannotOpen) }
      guard let status = System.pathStatus(path, followingLinks: false) else {
        // What does not exist yet may be created.
        if System.lastError == System.Failure.noEntry { return }
        throw SQLError(.cannotOpen)
      }
      guard status.isSymbolicLink else { return }
      if refusingLinks { throw SQLError(.cannotOpenSymlink) }
      linkCount += 1
      guard linkCount <= PosixVFS.linkLimit, let target = System.linkTarget(path) else {
        throw SQLError(.cannotOpen)
      }
      path = target.utf8.first == UInt8(ascii: "/") ? "" : parent
      try append(target, refusingLinks: false)
    }
  }
}
