// Databases as bytes (`sqlite3_serialize`, `sqlite3_deserialize`).

extension Connection {
  /// A database as the bytes that its file has, or would have.
  public func serialize(database name: String = "main") throws(SQLError) -> [UInt8] {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }) else {
      throw .sql("unknown database \(name)")
    }
    guard let pager = databases[index].tree?.pager else { return [] }
    var bytes: [UInt8] = []
    do throws(SQLError) {
      try pager.beginRead()
    } catch where error.code == .cannotOpen && pager.isMadeOfBytes {
      // In WAL mode it can only be given back as it came.
      return try pager.file.allBytes()
    }
    defer { pager.endRead() }
    guard pager.pageCount > 0 else { return [] }
    bytes.reserveCapacity(Int(pager.pageCount) * pager.pageSize)
    for number in 1...pager.pageCount {
      let number = PageNumber(number)
      if number == pager.lockBytePage {
        bytes.append(contentsOf: repeatElement(0, count: pager.pageSize))
        continue
      }
      let page = try pager.page(number)
      defer { pager.unpin(page) }
      bytes.append(contentsOf: UnsafeBufferPointer(start: page.pointee.data, count: pager.pageSize))
    }
    return bytes
  }

  /// Puts a database in memory, made of the bytes of a file, in the place of a database of the
  /// connection. That they are no database is noticed when it is first read, as is that they are one
  /// in WAL mode, which cannot be used; 1 in the bytes 18 and 19 takes it out of that mode.
  ///
  /// - Throws: `busy` while the database is used; an error for the temp database.
  public func deserialize(
    _ bytes: UnsafeRawBufferPointer, database name: String = "main", isReadOnly: Bool = false
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }), index != 1
    else { throw .sql("unknown database \(name)") }
    guard runningStatements.isEmpty, commitsAutomatically,
      readingDatabases & (1 << UInt64(index)) == 0
    else { throw SQLError(.busy) }
    let file = try VFSRegistry.memory.openTemporary(.mainDatabase)
    if let start = bytes.baseAddress, !bytes.isEmpty {
      try file.write(from: start, byteCount: bytes.count, at: 0)
    }
    let pager = try Pager(
      file: file, vfs: VFSRegistry.memory, name: DatabaseFileName(path: ""),
      isImmutable: isReadOnly)
    pager.isMadeOfBytes = true
    let tree = BTree(pager: pager)
    try adopt(pager)
    applySettings(to: tree)
    databases[index].tree?.pager.close()
    databases[index].tree = tree
    forgetSchema(index)
    expireStatements()
  }
}

extension File {
  fileprivate func allBytes() throws(SQLError) -> [UInt8] {
    let count = Int(try byteCount())
    let buffer = try Memory.allocate(count)
    defer { Memory.free(buffer) }
    try readFully(into: buffer, byteCount: count, at: 0)
    return [UInt8](UnsafeRawBufferPointer(start: buffer, count: count))
  }
}
