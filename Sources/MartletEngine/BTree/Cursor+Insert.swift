// Inserting and replacing entries.
//
// A record that fits its page is written straight into the page, behind its sizes; only cells with
// overflow, and cells that the page has no room for, are made in `BTree.cellSpace` first.

extension Cursor {
  /// Inserts a row, or replaces the row with this rowid.
  ///
  /// - Parameters:
  ///   - seekResult: what `seek(rowid:)` with this rowid has just returned, if the cursor has not
  ///     moved since; 0 lets the cursor find the place itself, which costs nothing when the row
  ///     belongs behind the last one and the cursor is there.
  ///   - keepsPosition: afterwards the cursor is on the new row. Otherwise it may be nowhere.
  func insert(
    rowid: Int64, record: UnsafePointer<UInt8>, byteCount: Int, zeroCount: Int = 0,
    seekResult: Int = 0, keepsPosition: Bool = false
  ) throws(SQLError) {
    assert(isTable && (zeroCount == 0 || byteCount > usableSize))
    let payload = NewPayload(bytes: record, byteCount: byteCount &+ zeroCount, zeroCount)
    if sharesTree { try tree.saveCursors(of: root, except: self, changing: .one(rowid)) }
    if isOnRow(rowid, ofLocalSize: payload.byteCount) { return try overwriteRow(payload) }
    var order = seekResult
    if order == 0 || leafCellCount == 0 { order = try place(forRowid: rowid) }
    if isValid, order == 0 {
      try replace(rowid: rowid, payload)
    } else {
      let index = !isValid ? 0 : order < 0 ? cellIndex &+ 1 : cellIndex
      try addCell(at: index, rowid, payload)
    }
    if path[depth].page.pointee.tree.pendingCount > 0 { try balanceAfterInsert() }
    if keepsPosition, !isValid, try seek(rowid: rowid) != 0 { throw broken("lost the new row") }
    tree.checkAfterChange(self)
  }

  /// Whether the current entry is known to be that row, with a payload of that size on its page.
  @inline(__always)
  private func isOnRow(_ rowid: Int64, ofLocalSize byteCount: Int) -> Bool {
    leafCellCount > 0 && decoder.pointee.parsedCount >= RecordDecoder.unopened
      && cellRowid == rowid && decoder.pointee.recordSize == byteCount
      && decoder.pointee.localSize == byteCount
  }

  /// Puts another payload of the same size in the place of the current one (SQLite's
  /// btreeOverwriteCell).
  @inline(__always)
  private func overwriteRow(_ payload: NewPayload) throws(SQLError) {
    assert(payload.zeroCount == 0)
    // The entry was checked when it was parsed; its bytes lie in the page, which is pinned.
    let target = UnsafeMutablePointer(mutating: decoder.pointee.record)
    forgetEntry()
    if Memory.compare(target, payload.bytes, payload.byteCount) != 0 {
      do throws(SQLError) { try pager.makeWritable(path[depth].page) } catch {
        throw broken(error)
      }
      Memory.move(from: payload.bytes, to: target, payload.byteCount)
    }
    tree.checkAfterChange(self)
  }

  /// Where a rowid is or belongs, as `seek(rowid:)` says it. A row behind the last is not sought
  /// when the cursor is on the last.
  @inline(__always)
  private func place(forRowid rowid: Int64) throws(SQLError) -> Int {
    if isOnLastEntry, leafRowid(at: cellIndex) < rowid { return -1 }
    return try seek(rowid: rowid)
  }

  /// Whether the cursor is known to be on the last entry of its tree.
  @inline(__always)
  var isOnLastEntry: Bool {
    guard leafCellCount > 0, cellIndex == leafCellCount &- 1 else { return false }
    for level in 0..<depth
    where path[level].cellIndex != Int(path[level].page.pointee.tree.cellCount) { return false }
    return true
  }

  /// Inserts an entry into an index tree, or replaces the entry that compares equal with it.
  ///
  /// - Parameters:
  ///   - key: the record's key columns, to search with.
  ///   - seekResult: what `seek(key:)` with this key has just returned, if the cursor has not moved
  ///     since, or 0.
  ///   - mayBeHere: the cursor is looked at before the entry is sought.
  func insert(
    key: UnsafePointer<UnpackedKey>, record: UnsafePointer<UInt8>, byteCount: Int,
    seekResult: Int = 0, mayBeHere: Bool = false, keepsPosition: Bool = false
  ) throws(SQLError) {
    assert(!isTable)
    if sharesTree { try tree.saveCursors(of: root, except: self, changing: .none) }
    var order = seekResult
    if order == 0 || leafCellCount == 0 {
      let isHere = mayBeHere ? try isOnLeafEntry(equalTo: key) : false
      order = isHere ? 0 : try seek(key: key)
    }
    try put(record, byteCount, order)
    if keepsPosition, !isValid, try seek(key: key) != 0 { throw broken("lost the new entry") }
    tree.checkAfterChange(self)
  }

  /// Inserts an entry that sorts behind all others: what a sorter gives, for CREATE INDEX.
  func append(record: UnsafePointer<UInt8>, byteCount: Int) throws(SQLError) {
    assert(!isTable)
    if sharesTree { try tree.saveCursors(of: root, except: self, changing: .none) }
    if !isOnLastEntry { _ = try moveToLast() }
    tree.siblings.isBulkLoad = true
    defer { tree.siblings.isBulkLoad = false }
    try put(record, byteCount, -1)
    tree.checkAfterChange(self)
  }

  @inline(__always)
  private func put(
    _ record: UnsafePointer<UInt8>, _ byteCount: Int, _ order: Int
  ) throws(SQLError) {
    if isValid, order == 0 {
      try replace(rowid: 0, NewPayload(bytes: record, byteCount: byteCount, 0))
    } else {
      let index = !isValid ? 0 : order < 0 ? cellIndex &+ 1 : cellIndex
      try addCell(at: index, 0, NewPayload(bytes: record, byteCount: byteCount, 0))
    }
    if path[depth].page.pointee.tree.pendingCount > 0 { try balanceAfterInsert() }
  }
}

// MARK: Cells

extension Cursor {
  /// Puts a new cell on the current leaf.
  @inline(__always)
  private func addCell(
    at index: Int, _ rowid: Int64, _ payload: NewPayload
  ) throws(SQLError) {
    let byteCount = payload.byteCount
    let page = path[depth].page
    guard page.pointee.tree.isLeaf, page.pointee.tree.isChecked,
      index <= Int(page.pointee.tree.cellCount)
    else { throw broken("place of a new cell") }
    do throws(SQLError) {
      try makeWritable(page)
      let size = prefixSize(rowid, byteCount) &+ byteCount
      if byteCount <= maximumLocalSize, size >= 4,
        size &+ 2 <= (try tree.freeByteCount(of: page))
      {
        let offset = try tree.allocateSpace(size, on: page)
        writeCell(rowid, payload, to: page.pointee.data + offset)
        tree.insertCellPointer(offset, byteCount: size, at: index, on: page)
      } else {
        let size = try makeCell(rowid, payload)
        try tree.insertCell(tree.cellSpace, byteCount: size, at: index, on: page)
      }
    } catch {
      throw broken(error)
    }
    cellIndex = index
    useChanged(page)
  }

  /// `Pager.makeWritable` without counting references.
  @inline(__always)
  func makeWritable(_ page: PagePointer) throws(SQLError) {
    if page.pointee.writeEpoch != pager.writeEpoch { try prepareWrite(page) }
  }

  @inline(never)
  private func prepareWrite(_ page: PagePointer) throws(SQLError) {
    try Unmanaged.passUnretained(pager).lend { (pager) throws(SQLError) in
      try pager.makeWritable(page)
    }
  }

  /// Bytes that a leaf cell has before its payload.
  @inline(__always)
  private func prefixSize(_ rowid: Int64, _ byteCount: Int) -> Int {
    let size = Varint.byteCount(of: UInt64(byteCount))
    return isTable ? size &+ Varint.byteCount(of: UInt64(bitPattern: rowid)) : size
  }

  @inline(__always)
  private func writeCell(
    _ rowid: Int64, _ payload: NewPayload, to cell: UnsafeMutablePointer<UInt8>
  ) {
    var position = cell + Varint.write(UInt64(payload.byteCount), to: cell)
    if isTable { position += Varint.write(UInt64(bitPattern: rowid), to: position) }
    Memory.copy(from: payload.bytes, to: position, payload.byteCount)
  }

  /// Makes a leaf cell in `cellSpace`, with its overflow pages, and returns its size.
  @inline(never)
  private func makeCell(
    _ rowid: Int64, _ payload: NewPayload, childPrefix: Int = 0
  ) throws(SQLError) -> Int {
    let byteCount = payload.byteCount
    let cell = tree.cellSpace + childPrefix
    let prefix = prefixSize(rowid, byteCount)
    if byteCount <= maximumLocalSize {
      writeCell(rowid, payload, to: cell)
      let size = prefix + byteCount
      guard size < 4, childPrefix == 0 else { return childPrefix + size }
      (cell + size).update(repeating: 0, count: 4 - size)
      return 4
    }
    guard byteCount <= Int(Int32.max) - 64 else { throw .tooBig }
    var position = cell + Varint.write(UInt64(byteCount), to: cell)
    if isTable { position += Varint.write(UInt64(bitPattern: rowid), to: position) }
    let localSize = self.localSize(ofPayload: byteCount)
    Memory.copy(from: payload.bytes, to: position, localSize)
    try tree.writeOverflow(payload.dropping(localSize), firstPageAt: position + localSize)
    return childPrefix + prefix + localSize + 4
  }

  /// Brings what the cursor knows of its page up to date after a cell was added or removed.
  @inline(__always)
  func useChanged(_ page: PagePointer) {
    cellCount = Int(page.pointee.tree.cellCount)
    isValid = true
    leafCellCount = isLeaf ? cellCount : 0
    forgetEntry()
  }

  /// Replaces the current entry by one with the same key.
  @inline(never)
  private func replace(
    rowid: Int64, _ payload: NewPayload
  ) throws(SQLError) {
    do throws(SQLError) {
      let page = path[depth].page
      let (cell, size) = try tree.checkedCell(at: cellIndex, of: page)
      let layout = tree.cellLayout(cell, page.pointee.tree)
      if layout.payloadSize == payload.byteCount {
        try tree.overwritePayload(of: cell, layout, on: page, with: payload, offset: 0)
        return forgetEntry()
      }
      try pager.makeWritable(page)
      let prefix = isLeaf ? 0 : 4
      let newSize = try makeCell(rowid, payload, childPrefix: prefix)
      if prefix > 0 { tree.cellSpace.setUInt32(cell.uint32(at: 0), at: 0) }
      try tree.freeOverflow(of: cell, layout)
      if newSize == size, !layout.overflows,
        !tree.isAutoVacuum || newSize < Int(page.pointee.tree.minimumLocalSize)
      {
        Memory.copy(from: tree.cellSpace, to: cell, newSize)
        return forgetEntry()
      }
      try tree.dropCell(at: cellIndex, byteCount: size, from: page)
      try tree.insertCell(tree.cellSpace, byteCount: newSize, at: cellIndex, on: page)
      useChanged(page)
    } catch {
      throw broken(error)
    }
  }

  /// After this the cursor is on the new entry, which is the last, or nowhere.
  @inline(never)
  private func balanceAfterInsert() throws(SQLError) {
    if try balance() {
      use(path[depth].page)
      useChanged(path[depth].page)
    } else {
      leaveEntry()
    }
  }
}

// MARK: Parts

extension Cursor {
  /// Overwrites a part of the current row's payload (incremental blob writing).
  func writePayload(
    _ bytes: UnsafePointer<UInt8>, byteCount: Int, offset: Int
  ) throws(SQLError) {
    if sharesTree { try tree.saveCursors(of: root, except: self, changing: .none) }
    try requireCell()
    // The entry was checked when it was parsed; its bytes lie in the page, which is pinned.
    let payload = self.payload, start = UnsafeMutablePointer(mutating: payload.start)
    let layout = CellLayout(
      payloadOffset: 0, payloadSize: payload.byteCount, localSize: payload.localSize,
      byteCount: payload.localSize)
    var known: (index: Int, page: PageNumber)?
    if layout.overflows, offset >= layout.localSize, offset < layout.payloadSize {
      let index = (offset - layout.localSize) / (usableSize - 4)
      known = (index, try overflowPage(index, first: start.pageNumber(at: layout.localSize)))
    }
    try tree.overwritePayload(
      of: start, layout, on: path[depth].page,
      with: NewPayload(bytes: bytes, byteCount: byteCount, 0), offset: offset, startingAt: known)
  }
}
