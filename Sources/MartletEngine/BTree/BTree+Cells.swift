// Cells as writers see them (fileformat2 §1.6).
//
//     table leaf      | payload size varint | rowid varint | local payload | overflow page u32? |
//     table interior  | left child u32 | rowid varint |
//     index leaf      | payload size varint | local payload | overflow page u32? |
//     index interior  | left child u32 | payload size varint | local payload | overflow page u32? |
//
// A cell takes at least 4 bytes, the size of a free block.
//
// A page may have more cells than it has room for until it is balanced: the others are *pending*,
// beside the page. `PendingCell.index` is the cell's place among all cells of the page, pending
// ones included; the pending cells of a page are neighbours.

/// A cell that belongs to a page and does not fit it.
struct PendingCell {
  var bytes: UnsafeMutablePointer<UInt8>
  var byteCount: Int
  var index: Int
}

/// The parts of a cell. All are as the cell states them: compare `byteCount` with the page's end.
struct CellLayout {
  var payloadOffset: Int
  var payloadSize: Int
  var localSize: Int
  /// Size of the whole cell.
  var byteCount: Int
  var rowid: Int64 = 0

  @inline(__always)
  var overflows: Bool { localSize < payloadSize }
}

extension TreePageHeader {
  /// The bits of a payload's size that count.
  static let payloadSizeMask: UInt64 = 0x7fff_ffff

  /// `BTree.cellSize` without an object.
  @inline(__always)
  func cellSize(_ cell: UnsafeMutablePointer<UInt8>, usableSize: Int) -> Int {
    var position = UnsafePointer(cell)
    if !isLeaf {
      if isTable { return 4 &+ TreePageHeader.varintByteCount(at: position + 4) }
      position += 4
    }
    let size = Varint.read(at: position)
    position += size.byteCount
    if isTable { position += TreePageHeader.varintByteCount(at: position) }
    let prefix = position - UnsafePointer(cell)
    if size.value <= UInt64(maximumLocalSize) { return max(4, prefix &+ Int(size.value)) }
    return prefix
      &+ localSize(ofPayload: size.value & TreePageHeader.payloadSizeMask, usableSize: usableSize)
      &+ 4
  }

  /// Length of a varint of which 8 bytes can be read.
  @inline(__always)
  private static func varintByteCount(at bytes: UnsafePointer<UInt8>) -> Int {
    let lastBytes = ~bytes.bigEndianUInt64() & 0x8080_8080_8080_8080
    return lastBytes == 0 ? 9 : lastBytes.leadingZeroBitCount &>> 3 &+ 1
  }

  /// Bytes that a payload too large for a page keeps on it.
  @inline(__always)
  func localSize(ofPayload size: UInt64, usableSize: Int) -> Int {
    let minimum = UInt64(minimumLocalSize)
    let local = minimum &+ (size &- minimum) % UInt64(usableSize &- 4)
    return Int(local <= UInt64(maximumLocalSize) ? local : minimum)
  }
}

extension BTree {
  /// The most pages that have pending cells at a time: a page, its parent, and an interior page
  /// further up whose entry was replaced.
  static let pendingPageLimit = 4
  /// The most pending cells of a page: the dividers between five siblings, and one more.
  static let pendingCellLimit = 6

  /// Size of the cell on a page of this kind. Damaged cells give sizes that no page has room for.
  @inline(__always)
  func cellSize(_ cell: UnsafeMutablePointer<UInt8>, _ header: TreePageHeader) -> Int {
    header.cellSize(cell, usableSize: usableSize)
  }

  func cellLayout(_ cell: UnsafeMutablePointer<UInt8>, _ header: TreePageHeader) -> CellLayout {
    var position = UnsafePointer(cell) + header.cellPrefixSize
    if header.isTable && !header.isLeaf {
      let rowid = Varint.read(at: position)
      let end = 4 + rowid.byteCount
      return CellLayout(
        payloadOffset: end, payloadSize: 0, localSize: 0, byteCount: end,
        rowid: Int64(bitPattern: rowid.value))
    }
    let size = Varint.read(at: position)
    position += size.byteCount
    var rowid: UInt64 = 0
    if header.isTable {
      let number = Varint.read(at: position)
      rowid = number.value
      position += number.byteCount
    }
    let prefix = position - UnsafePointer(cell)
    var layout = CellLayout(
      payloadOffset: prefix,
      payloadSize: Int(truncatingIfNeeded: size.value & TreePageHeader.payloadSizeMask),
      localSize: 0, byteCount: 0, rowid: Int64(bitPattern: rowid))
    if size.value <= UInt64(header.maximumLocalSize) {
      layout.localSize = layout.payloadSize
      layout.byteCount = max(4, prefix + layout.payloadSize)
    } else {
      layout.localSize = header.localSize(
        ofPayload: UInt64(layout.payloadSize), usableSize: usableSize)
      layout.byteCount = prefix + layout.localSize + 4
    }
    return layout
  }

  /// The cell at `index`, which begins inside the page behind the cell pointers, and ends there.
  func checkedCell(
    at index: Int, of page: PagePointer
  ) throws(SQLError) -> (cell: UnsafeMutablePointer<UInt8>, byteCount: Int) {
    let tree = page.pointee.tree
    guard index < Int(tree.cellCount) else { throw .corrupt("page has too few cells") }
    let offset = try cellOffset(at: index, of: page), cell = page.pointee.data + offset
    let size = cellSize(cell, tree)
    guard offset + size <= usableSize else { throw .corrupt("cell extends past the page") }
    return (cell, size)
  }

  /// Where the cell at `index`, which is one of the page's, begins.
  @inline(__always)
  func cellOffset(at index: Int, of page: PagePointer) throws(SQLError) -> Int {
    let tree = page.pointee.tree
    let offset = page.pointee.data.uint16(at: Int(tree.cellPointerOffset) &+ 2 &* index)
    guard offset >= tree.contentLimit, offset <= usableSize &- 4 else {
      throw .corrupt("cell pointer past page end")
    }
    return offset
  }

  /// The child left of the cell at `index`; the right child for the number of cells.
  func childNumber(at index: Int, of page: PagePointer) throws(SQLError) -> PageNumber {
    assert(!page.pointee.tree.isLeaf)
    if index == Int(page.pointee.tree.cellCount) { return rightChild(of: page) }
    return try checkedCell(at: index, of: page).cell.pageNumber(at: 0)
  }

  @inline(__always)
  func rightChild(of page: PagePointer) -> PageNumber {
    page.pointee.data.pageNumber(at: Int(page.pointee.tree.headerOffset) + 8)
  }

  @inline(__always)
  func setRightChild(_ child: PageNumber, of page: PagePointer) {
    page.pointee.data.setUInt32(child.rawValue, at: Int(page.pointee.tree.headerOffset) + 8)
  }
}

// MARK: Inserting and dropping

extension BTree {
  /// Opens a gap in the array of cell pointers for one that points to `offset`, and accounts for
  /// the cell's bytes.
  @inline(__always)
  func insertCellPointer(_ offset: Int, byteCount: Int, at index: Int, on page: PagePointer) {
    let data = page.pointee.data
    let count = Int(page.pointee.tree.cellCount)
    let pointer = data + Int(page.pointee.tree.cellPointerOffset) + 2 &* index
    if index < count { Memory.move(from: pointer, to: pointer + 2, 2 &* (count &- index)) }
    pointer.setUInt16(offset, at: 0)
    page.pointee.tree.cellCount = UInt16(truncatingIfNeeded: count &+ 1)
    page.pointee.tree.freeByteCount &-= Int32(truncatingIfNeeded: byteCount &+ 2)
    data.setUInt16(count &+ 1, at: Int(page.pointee.tree.headerOffset) &+ 3)
  }

  /// Puts a cell at `index` of a writable page. Where it has no room it becomes pending.
  ///
  /// - Parameters:
  ///   - child: written to the first 4 bytes of the cell, if not 0.
  ///   - copy: where a pending cell is copied to; nil when the bytes at `cell` stay until the page
  ///     is balanced.
  func insertCell(
    _ cell: UnsafeMutablePointer<UInt8>, byteCount: Int, at index: Int, on page: PagePointer,
    child: PageNumber = PageNumber(0), copyingTo copy: UnsafeMutablePointer<UInt8>? = nil
  ) throws(SQLError) {
    let free = try freeByteCount(of: page)
    let count = Int(page.pointee.tree.cellCount) + Int(page.pointee.tree.pendingCount)
    guard index <= count, byteCount >= 4 else { throw .corrupt("cell index") }
    if page.pointee.tree.pendingCount > 0 || byteCount + 2 > free {
      if let copy, copy != cell { Memory.move(from: cell, to: copy, byteCount) }
      let bytes = copy ?? cell
      if child.rawValue != 0 { bytes.setUInt32(child.rawValue, at: 0) }
      return try addPending(
        PendingCell(bytes: bytes, byteCount: byteCount, index: index), to: page)
    }
    let offset = try allocateSpace(byteCount, on: page)
    let target = page.pointee.data + offset
    Memory.move(from: cell, to: target, byteCount)
    if child.rawValue != 0 { target.setUInt32(child.rawValue, at: 0) }
    insertCellPointer(offset, byteCount: byteCount, at: index, on: page)
    if isAutoVacuum { try mapOverflow(of: target, on: page) }
  }

  /// Takes the cell at `index`, of `byteCount` bytes, out of a writable page.
  func dropCell(at index: Int, byteCount: Int, from page: PagePointer) throws(SQLError) {
    _ = try freeByteCount(of: page)
    let data = page.pointee.data, tree = page.pointee.tree
    let header = Int(tree.headerOffset)
    guard index < Int(tree.cellCount) else { throw .corrupt("page has too few cells") }
    let pointer = data + Int(tree.cellPointerOffset) + 2 * index
    let offset = pointer.uint16(at: 0)
    guard offset >= tree.contentLimit, byteCount >= 4, offset + byteCount <= usableSize else {
      throw .corrupt("cell extends past the page")
    }
    try freeSpace(offset, byteCount, on: page)
    let count = Int(tree.cellCount) - 1
    page.pointee.tree.cellCount = UInt16(count)
    if count == 0 {
      data.setUInt32(0, at: header + 1)
      data[header + 7] = 0
      data.setUInt16(usableSize, at: header + 5)
      page.pointee.tree.freeByteCount = Int32(usableSize - Int(tree.cellPointerOffset))
    } else {
      Memory.move(from: pointer + 2, to: pointer, 2 * (count - index))
      data.setUInt16(count, at: header + 3)
      page.pointee.tree.freeByteCount += 2
    }
  }
}

// MARK: Pending cells

extension BTree {
  /// The pending cells of a page.
  @inline(__always)
  func pendingCells(of page: PagePointer) -> UnsafeMutablePointer<PendingCell> {
    pending + Int(page.pointee.tree.pendingSlot) * BTree.pendingCellLimit
  }

  func addPending(_ cell: PendingCell, to page: PagePointer) throws(SQLError) {
    if page.pointee.tree.pendingCount == 0 { try takePendingSlot(for: page) }
    let count = Int(page.pointee.tree.pendingCount)
    let cells = pendingCells(of: page)
    guard count < BTree.pendingCellLimit, count == 0 || cells[count - 1].index + 1 == cell.index
    else { throw .corrupt("pending cells are not neighbours") }
    cells[count] = cell
    page.pointee.tree.pendingCount += 1
  }

  private func takePendingSlot(for page: PagePointer) throws(SQLError) {
    for slot in 0..<BTree.pendingPageLimit {
      if pendingPages[slot] != nil { continue }
      pendingPages[slot] = page
      page.pointee.tree.pendingSlot = UInt8(slot)
      return
    }
    throw .corrupt("too many pages are overfull")
  }

  /// The page's pending cells have found a place.
  func clearPending(of page: PagePointer) {
    guard page.pointee.tree.pendingCount > 0 else { return }
    pendingPages[Int(page.pointee.tree.pendingSlot)] = nil
    page.pointee.tree.pendingCount = 0
  }

  /// Forgets pending cells after an error; what they were is restored by the rollback that follows.
  func dropPending() {
    for slot in 0..<BTree.pendingPageLimit {
      pendingPages[slot]?.pointee.tree.pendingCount = 0
      pendingPages[slot] = nil
    }
  }
}
