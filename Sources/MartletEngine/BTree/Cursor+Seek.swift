// Finding a key.
//
// Both searches look for the first entry that is not smaller than the key. Interior table pages
// repeat the largest rowid of each child; interior index pages hold entries of their own, which
// the search may end on.

extension Cursor {
  /// Moves to the row with this rowid, or beside its place.
  ///
  /// 0: on it. Negative: on the largest row before it. Positive: on the smallest row after it.
  /// When the tree is empty, `isValid` is false and the result negative.
  func seek(rowid: Int64) throws(SQLError) -> Int {
    if leafCellCount > 0, let order = try seekNearby(rowid) { return order }
    guard try moveToRoot() else { return -1 }
    while !isLeaf { try enterChild(at: interiorIndex(of: rowid)) }
    noteLeaf()
    return try settle(at: leafIndex(of: rowid), rowid)
  }

  /// Tries this entry, the next one and the cursor's leaf. Nil if the key is elsewhere.
  @inline(__always)
  private func seekNearby(_ rowid: Int64) throws(SQLError) -> Int? {
    if decoder.pointee.parsedCount >= RecordDecoder.unopened {
      if cellRowid == rowid { return 0 }
      let nextIndex = cellIndex &+ 1
      if cellRowid &+ 1 == rowid, nextIndex < leafCellCount {
        return try settle(at: nextIndex, rowid)
      }
    }
    guard looksAtLeafFirst else { return nil }
    let low = leafRowid(at: 0), high = leafRowid(at: leafCellCount &- 1)
    guard low <= rowid, rowid <= high else {
      looksAtLeafFirst = false
      return nil
    }
    return try settle(at: leafIndex(of: rowid), rowid)
  }

  /// Remembers whether the search ended on the leaf that the one before ended on.
  @inline(__always)
  private func noteLeaf() {
    leafCellCount = cellCount
    let leaf = path[depth].page.pointee.number
    looksAtLeafFirst = leaf == lastLeaf && depth > 0
    lastLeaf = leaf
  }

  /// Ends a search on the leaf's entry `index`, the first that is not smaller than the key, and
  /// parses it.
  @inline(__always)
  private func settle(at index: Int, _ rowid: Int64) throws(SQLError) -> Int {
    forgetEntry()
    if index >= cellCount {
      cellIndex = cellCount &- 1
      return -1
    }
    cellIndex = index
    try parseCell()
    return cellRowid == rowid ? 0 : 1
  }

  /// The rowid of a cell of the current leaf.
  @inline(__always)
  func leafRowid(at index: Int) -> Int64 {
    var position = cell(at: index)
    if position[0] < 0x80 {
      position += 1
    } else if position[1] < 0x80 {
      position += 2
    } else {
      position += Varint.readLong(at: position).byteCount
    }
    return Int64(bitPattern: Varint.read(at: position).value)
  }

  /// The first cell of the current leaf whose rowid is not smaller.
  @inline(__always)
  private func leafIndex(of rowid: Int64) -> Int {
    var low = 0, high = cellCount
    // Rowids grow by one at least, so the first one bounds the place; where no rowid is missing,
    // it tells the place.
    let first = leafRowid(at: 0)
    if rowid <= first { return 0 }
    let distance = UInt64(bitPattern: rowid &- first)
    if distance < UInt64(high) {
      let guess = Int(distance)
      if leafRowid(at: guess) == rowid { return guess }
      high = guess
    }
    low = 1
    while low < high {
      let middle = (low &+ high) &>> 1
      if leafRowid(at: middle) < rowid { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// The child of the current interior page that a rowid belongs in.
  @inline(__always)
  private func interiorIndex(of rowid: Int64) -> Int {
    var low = 0, high = cellCount
    while low < high {
      let middle = (low &+ high) &>> 1
      let largest = Int64(bitPattern: Varint.read(at: cell(at: middle) + 4).value)
      if largest < rowid { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

extension Cursor {
  /// Moves to an entry that compares equal with the key, or beside its place.
  ///
  /// The result is how the entry compares with the key. With a `defaultResult` other than 0 no
  /// entry is equal: with +1 the place is before all entries that begin with the key, with -1
  /// behind them, and the result tells on which side of the place the cursor is. When the tree is
  /// empty, `isValid` is false and the result negative.
  func seek(key: UnsafePointer<UnpackedKey>) throws(SQLError) -> Int {
    if leafCellCount > 0, looksAtLeafFirst {
      if let order = try seekOnLeaf(key) { return order }
      looksAtLeafFirst = false
    }
    guard try moveToRoot() else { return -1 }
    while true {
      let place = try search(key)
      if place.isEqual {
        cellIndex = place.index
        leafCellCount = isLeaf ? cellCount : 0
        return 0
      }
      if isLeaf { return settleOnLeaf(at: place.index) }
      try enterChild(at: place.index)
    }
  }

  /// Ends a search between two entries of a leaf.
  @inline(__always)
  private func settleOnLeaf(at index: Int) -> Int {
    noteLeaf()
    cellIndex = min(index, cellCount &- 1)
    return index < cellCount ? 1 : -1
  }

  /// Searches only the current leaf; nil if the key's place may be on another page. Keys that grow
  /// are placed behind the last entry of the tree.
  @inline(__always)
  private func seekOnLeaf(_ key: UnsafePointer<UnpackedKey>) throws(SQLError) -> Int? {
    let lastOrder = try compareEntry(at: leafCellCount &- 1, with: key)
    if lastOrder < 0 {
      guard isOnLastLeaf else { return nil }
      forgetEntry()
      cellIndex = leafCellCount &- 1
      return -1
    }
    let firstOrder = try compareEntry(at: 0, with: key)
    guard firstOrder <= 0 else { return nil }
    forgetEntry()
    let place = try search(key)
    cellIndex = place.index
    return place.isEqual ? 0 : 1
  }

  /// No leaf is behind the current one.
  private var isOnLastLeaf: Bool {
    for level in 0..<depth
    where path[level].cellIndex < Int(path[level].page.pointee.tree.cellCount) { return false }
    return true
  }

  /// The first entry of the current page that is not smaller than the key.
  @inline(__always)
  private func search(
    _ key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> (index: Int, isEqual: Bool) {
    var low = 0, high = cellCount
    switch key.pointee.strategy {
    case .generic: break
    case .integer:
      narrow(&low, &high) { type, content, _ in
        KeyComparison.compareInteger(type, content, key)
      }
    case .binaryText:
      narrow(&low, &high) { type, content, size in
        KeyComparison.compareText(type, content, size, key)
      }
    }
    while low < high {
      let middle = (low &+ high) &>> 1
      let order = try compareEntry(at: middle, with: key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return (low, false)
  }

  /// Searches as long as the entries' first columns decide, and nothing about them is unusual. A
  /// loop without errors keeps all that it needs in machine registers.
  @inline(__always)
  private func narrow(
    _ low: inout Int, _ high: inout Int,
    _ compare: (_ type: UInt32, _ content: UnsafePointer<UInt8>, _ size: Int) -> Int
  ) {
    let sizeLimit = min(maximumLocalSize, 0x7f), end = dataEnd, prefixSize = cellPrefixSize
    while low < high {
      let middle = (low &+ high) &>> 1
      let record = cell(at: middle) + prefixSize + 1
      // Sizes and the type of one byte each.
      let recordSize = Int(record[-1]), headerSize = Int(record[0]), type = UInt32(record[1])
      guard recordSize <= sizeLimit, type < 0x80, record + recordSize <= end else { return }
      let size = Int(SerialType.shortSizes[Int(type)])
      guard recordSize > 1, headerSize &+ size <= recordSize else { return }
      let order = compare(type, record + headerSize, size)
      if order == 0 { return }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
  }

  /// Whether the cursor is on an entry of a leaf that compares equal with the key.
  func isOnLeafEntry(equalTo key: UnsafePointer<UnpackedKey>) throws(SQLError) -> Bool {
    guard isValid, leafCellCount > 0, cellIndex < leafCellCount else { return false }
    return try compareEntry(at: cellIndex, with: key) == 0
  }

  /// How an entry of the current page of an index tree compares with the key.
  @inline(__always)
  private func compareEntry(
    at index: Int, with key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> Int {
    var position = cell(at: index) + cellPrefixSize
    var size = Int(position[0])
    if size < 0x80 {
      position += 1
    } else {
      let long = Varint.read(at: position)
      position += long.byteCount
      guard long.value <= UInt64(Int32.max) else { throw broken("payload size") }
      size = Int(long.value)
    }
    guard size <= maximumLocalSize, position + size <= dataEnd else {
      return try compareUnusualEntry(position, size, key)
    }
    do { return try KeyComparison.compare(record: position, byteCount: size, with: key) } catch {
      throw broken(error)
    }
  }

  /// An entry that overflows its page is compared as a copy.
  @inline(never)
  private func compareUnusualEntry(
    _ position: UnsafePointer<UInt8>, _ size: Int, _ key: UnsafePointer<UnpackedKey>
  ) throws(SQLError) -> Int {
    do throws(SQLError) {
      let localSize = self.localSize(ofPayload: size)
      guard size > maximumLocalSize, position - data + localSize + 4 <= usableSize else {
        throw SQLError.corrupt("cell extends past the page")
      }
      overflowPages.removeAll()
      let copy = try reserveScratch(size)
      let payload = Payload(start: position, byteCount: size, localSize: localSize)
      try copyPayload(payload, offset: 0, byteCount: size, to: copy)
      overflowPages.removeAll()
      return try KeyComparison.compare(record: copy, byteCount: size, with: key)
    } catch {
      throw broken(error)
    }
  }

  /// How the current entry compares with the key; the cursor stays.
  func compareKey(with key: UnsafePointer<UnpackedKey>) throws(SQLError) -> Int {
    try requireCell()
    let size = decoder.pointee.recordSize
    if decoder.pointee.localSize == size {
      return try KeyComparison.compare(record: decoder.pointee.record, byteCount: size, with: key)
    }
    return try KeyComparison.compare(record: wholePayload(), byteCount: size, with: key)
  }
}
