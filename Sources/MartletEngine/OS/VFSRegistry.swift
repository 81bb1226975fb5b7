import Synchronization

/// The VFSs of the process, by name (`sqlite3_vfs_find` and its family).
enum VFSRegistry {
  /// The default comes first.
  private static let list = Mutex<[any VFS]>([
    PosixVFS(), PosixVFS(name: "unix-none", usesLocks: false), memory,
  ])

  /// What `:memory:` and `mode=memory` open, whatever the default is.
  static let memory = MemoryVFS()

  /// The VFS called `name`, or the default one.
  static func find(_ name: String?) throws(SQLError) -> any VFS {
    let found: (any VFS)? = list.withLock { list in
      guard let name else { return list.first }
      return list.first { $0.name == name }
    }
    guard let found else { throw .sql("no such vfs: \(name ?? "")") }
    return found
  }

  /// Adds a VFS in place of one with its name.
  static func register(_ vfs: any VFS, asDefault: Bool) {
    list.withLock { list in
      list.removeAll { $0.name == vfs.name }
      list.insert(vfs, at: asDefault || list.isEmpty ? 0 : 1)
    }
  }

  static func unregister(_ name: String) {
    list.withLock { list in list.removeAll { $0.name == name } }
  }
}
