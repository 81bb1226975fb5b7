// Databases as bytes (`sqlite3_serialize`, `sqlite3_deserialize`).

extension Connection {
  /// A database as the bytes that its file has, or would have.
  ///
  /// - Throws: `outOfMemory` where there is no room for all of them.
  public func serialize(database name: String = "main") throws(SQLError) -> [UInt8] {
    var byteCount = 0
    let image = try serializedImage(database: name, byteCount: &byteCount)
    defer { MemoryUse.free(image.baseAddress) }
    return [UInt8](image)
  }

  /// The same in memory that the caller frees with `MemoryUse.free`; without any for a database
  /// that is empty. How many bytes there are is known also where there is no memory for them; of a
  /// temp database that is not there yet it is not.
  public func serializedImage(
    database name: String = "main", byteCount: inout Int
  ) throws(SQLError) -> UnsafeMutableRawBufferPointer {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }) else {
      throw .sql("unknown database \(name)")
    }
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard let pager = databases[index].tree?.pager else { return nothing }
    do throws(SQLError) {
      try pager.beginRead()
    } catch where pager.isMadeOfBytes && error.code.primary.isOfContent {
      // In WAL mode, or damaged, it can only be given back as it came.
      byteCount = Int(try pager.file.byteCount())
      return try pager.file.bytes(count: byteCount)
    }
    defer { pager.endRead() }
    guard pager.pageCount > 0 else {
      byteCount = 0
      return nothing
    }
    // How many pages there are, a file can say that has hardly any.
    byteCount = Int(pager.pageCount) * pager.pageSize
    let image = UnsafeMutableRawBufferPointer(
      start: try Memory.allocate(byteCount), count: byteCount)
    do throws(SQLError) {
      try pager.copyAllPages(to: image)
    } catch {
      MemoryUse.free(image.baseAddress)
      throw error
    }
    return image
  }

  /// Puts a database in memory, made of the bytes of a file, in the place of a database of the
  /// connection. That they are no database is noticed when it is first read, as is that they are one
  /// in WAL mode, which cannot be used; 1 in the bytes 18 and 19 takes it out of that mode.
  ///
  /// - Parameters:
  ///   - capacity: Bytes that there is room for, if it is more than there are.
  ///   - mayGrow: Whether the database may become larger than that. It becomes no larger than its
  ///     limit (`FileControl.sizeLimit`) in any case.
  /// - Throws: `busy` while the database is used; an error for the temp database.
  public func deserialize(
    _ bytes: UnsafeRawBufferPointer, database name: String = "main", isReadOnly: Bool = false,
    capacity: Int = 0, mayGrow: Bool = true
  ) throws(SQLError) {
    let copy = UnsafeMutableRawBufferPointer(
      start: try Memory.allocate(bytes.count), count: bytes.count)
    if let source = bytes.baseAddress, let target = copy.baseAddress {
      Memory.copy(from: source, to: target, bytes.count)
    }
    let file = VFSRegistry.memory.open(
      copy, capacity: bytes.count, promised: capacity, mayGrow: mayGrow, freesContent: true)
    try replaceDatabase(named: name, by: file, isReadOnly: isReadOnly)
  }

  /// The same with bytes that are the database from now on, and are changed where they are. They
  /// must stay until the connection has closed or replaced it.
  ///
  /// - Parameter capacity: Bytes that there is memory for, if it is more than there are.
  /// - Parameter freesBytes: Whether their memory, which is `MemoryUse`'s, goes with the database; it
  ///   does also where this fails. Memory that has to grow is moved whoever owns it.
  public func deserialize(
    adopting bytes: UnsafeMutableRawBufferPointer, database name: String = "main",
    isReadOnly: Bool = false, capacity: Int, mayGrow: Bool, freesBytes: Bool
  ) throws(SQLError) {
    let file = VFSRegistry.memory.open(
      bytes, capacity: capacity, promised: capacity, mayGrow: mayGrow, freesContent: freesBytes)
    try replaceDatabase(named: name, by: file, isReadOnly: isReadOnly)
  }

  private func replaceDatabase(
    named name: String, by file: any File, isReadOnly: Bool
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }), index != 1
    else { throw .sql("unknown database \(name)") }
    guard readingDatabases & (1 << UInt64(index)) == 0,
      databases[index].tree?.backupCount ?? 0 == 0
    else { throw SQLError(.busy) }
    let pager = try Pager(
      file: file, vfs: VFSRegistry.memory, name: DatabaseFileName(path: ""),
      isImmutable: isReadOnly)
    pager.isMadeOfBytes = true
    let tree = BTree(pager: pager)
    try adopt(pager)
    applySettings(to: tree)
    databases[index].tree?.pager.close()
    databases[index].tree = tree
    // With nothing beside it, the new database says which encoding there is.
    if index == 0, databases.dropFirst().allSatisfy({ $0.tree == nil }) { isEncodingFixed = false }
    forgetSchema(index)
    expireStatements()
  }

  /// The bytes of a database that is made of bytes, as the last commit has left them, until the
  /// next one; nil for others, which do not lie in one piece.
  public func bytes(ofDatabase name: String = "main") -> UnsafeMutableRawBufferPointer? {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }),
      let pager = databases[index].tree?.pager, pager.isMadeOfBytes
    else { return nil }
    return (pager.file as? MemoryFile)?.store.content()
  }
}

extension Pager {
  fileprivate func copyAllPages(to image: UnsafeMutableRawBufferPointer) throws(SQLError) {
    guard var target = image.baseAddress else { return }
    for number in 1...pageCount {
      let number = PageNumber(number)
      if number == lockBytePage {
        target.initializeMemory(as: UInt8.self, repeating: 0, count: pageSize)
      } else {
        let page = try self.page(number)
        defer { unpin(page) }
        Memory.copy(from: page.pointee.data, to: target, pageSize)
      }
      target += pageSize
    }
  }
}

extension File {
  fileprivate func bytes(count: Int) throws(SQLError) -> UnsafeMutableRawBufferPointer {
    let buffer = try Memory.allocate(count)
    do throws(SQLError) {
      try readFully(into: buffer, byteCount: count, at: 0)
    } catch {
      MemoryUse.free(buffer)
      throw error
    }
    return UnsafeMutableRawBufferPointer(start: buffer, count: count)
  }
}

extension ResultCode {
  /// A database made of bytes cannot be read because of what the bytes are.
  fileprivate var isOfContent: Bool {
    self == .cannotOpen || self == .corrupt || self == .notADatabase
  }
}
