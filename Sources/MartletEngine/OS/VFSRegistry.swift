import Synchronization

/// The VFSs of the process, by name (`sqlite3_vfs_find` and its family).
public enum VFSRegistry {
  /// The default comes first.
  private static let list = Mutex<[any VFS]>([
    PosixVFS(), memory, PosixVFS(name: "unix-excl", locking: .process),
    PosixVFS(name: "unix-dotfile", locking: .directory),
    PosixVFS(name: "unix-none", locking: .none),
  ])

  /// What `:memory:` and `mode=memory` open, whatever the default is.
  static let memory = MemoryVFS()

  /// How long databases in memory that are made from now on may become, in bytes
  /// (`SQLITE_CONFIG_MEMDB_MAXSIZE`).
  public static func setMemoryByteLimit(_ limit: Int) {
    MemoryStore.newByteLimit.store(max(0, limit), ordering: .relaxed)
  }

  private static let directory = Mutex<(@Sendable () -> String?)?>(nil)

  /// Where the built-in VFSs make temporary files, if it is a directory that can be written; nil is
  /// where the environment says (`sqlite3_temp_directory`). Asked for each file.
  public static var temporaryDirectory: (@Sendable () -> String?)? {
    get { directory.withLock { $0 } }
    set { directory.withLock { $0 = newValue } }
  }

  /// All of them, the default one first.
  public static var all: [any VFS] { list.withLock { $0 } }

  /// The VFS called `name`, or the default one for nil.
  ///
  /// - Throws: "no such vfs" if there is none.
  public static func find(_ name: String? = nil) throws(SQLError) -> any VFS {
    let found: (any VFS)? = list.withLock { list in
      guard let name else { return list.first }
      return list.first { $0.name.hasSameBytes(as: name) }
    }
    guard let found else { throw .sql("no such vfs: \(name ?? "")") }
    return found
  }

  /// Adds a VFS as the default one or behind it. One that is there already changes its place; of
  /// two with the same name, the first is found.
  public static func register(_ vfs: any VFS, asDefault: Bool = false) {
    list.withLock { list in
      list.removeAll { $0 === vfs }
      list.insert(vfs, at: asDefault || list.isEmpty ? 0 : 1)
    }
  }

  /// Takes a VFS away. Connections that use it go on using it.
  public static func unregister(_ vfs: any VFS) {
    list.withLock { list in list.removeAll { $0 === vfs } }
  }

  /// Puts another VFS in the place of each for which `replacement` has one.
  public static func replaceEach(_ replacement: (any VFS) -> (any VFS)?) {
    list.withLock { list in list = list.map { replacement($0) ?? $0 } }
  }
}
