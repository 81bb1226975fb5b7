extension Pager {
  /// Opens a database by its location: a file, a database in memory, or a temporary one.
  static func open(
    _ location: DatabaseLocation, cacheSize: Int = Pager.defaultCacheSize
  ) throws(SQLError) -> Pager {
    var flags = location.flags.union(.mainDatabase)
    // Tells a VFS that there may be parameters.
    if location.isURI { flags.insert(.uri) }
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
        file: SpillingFile(
          vfs, kind: .temporaryDatabase, isReadOnly: flags.contains(.readOnly)),
        vfs: vfs, path: "", cacheSize: cacheSize)
    }
    let path = try vfs.fullPath(of: location.path, flags)
    let name = DatabaseFileName(path: path, parameters: location.parameters)
    let file = try vfs.open(path, flags, of: name)
    let isImmutable = location.isImmutable || file.deviceCharacteristics.contains(.immutable)
    // A database in memory has no file name, whatever it is opened by.
    return try Pager(
      file: file, vfs: vfs, name: location.isInMemory ? DatabaseFileName(path: "") : name,
      cacheSize: cacheSize, isImmutable: isImmutable, usesLocks: !location.hasNoLock)
  }
}
