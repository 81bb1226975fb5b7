extension Pager {
  /// Opens a database by its location: a file, a database in memory, or a temporary one.
  static func open(
    _ location: DatabaseLocation, cacheSize: Int = Pager.defaultCacheSize
  ) throws(SQLError) -> Pager {
    let flags = location.flags.union(.mainDatabase)
    let vfs: any VFS
    if location.isInMemory {
      // An unknown name of a VFS is an error all the same.
      _ = try VFSRegistry.find(location.vfsName)
      vfs = VFSRegistry.memory
    } else {
      vfs = try VFSRegistry.find(location.vfsName)
    }
    if location.isTemporary {
      // Most temporary databases never grow out of memory.
      return try Pager(
        file: SpillingFile(vfs), vfs: vfs, path: "", cacheSize: cacheSize)
    }
    let path = try vfs.fullPath(of: location.path, flags)
    // A database in memory has no file name, whatever it is opened by.
    return try Pager(
      file: try vfs.open(path, flags), vfs: vfs, path: location.isInMemory ? "" : path,
      cacheSize: cacheSize, isImmutable: location.isImmutable, usesLocks: !location.hasNoLock,
      sectorSize: location.hasPowersafeOverwrite ? 512 : 4096)
  }
}
