// The space inside a B-tree page (fileformat2 §1.6).
//
//     | header | cell pointers | gap | cell content: cells, free blocks, fragments |
//     free block | next free block u16, 0 at the end | size u16, at least 4 | … |
//
// Space is taken from the first free block that is large enough, else from the end of the gap; when
// neither has it though the page has, the page is defragmented.
//
// Invariants: (1) free blocks are in ascending order and at least 4 bytes apart: neighbours are
// joined. (2) Less than 4 free bytes between cells are fragments; there are at most 60 of them.
// (3) `tree.freeByteCount` is gap + free blocks + fragments, or negative.
//
// Everything here is read from the page, which may be damaged: no offset is used before it is
// compared with the page's bounds.

extension BTree {
  /// The page's free bytes.
  @inline(__always)
  func freeByteCount(of page: PagePointer) throws(SQLError) -> Int {
    let known = page.pointee.tree.freeByteCount
    return known >= 0 ? Int(known) : try countFreeBytes(of: page)
  }

  @inline(never)
  private func countFreeBytes(of page: PagePointer) throws(SQLError) -> Int {
    let data = page.pointee.data, usableSize = self.usableSize
    let header = Int(page.pointee.tree.headerOffset)
    let firstCellOffset = page.pointee.tree.contentLimit
    let top = contentStart(of: page)
    var block = data.uint16(at: header + 1)
    var count = Int(data[header + 7]) + top
    if block > 0 {
      guard block >= top else { throw .corrupt("free block before the cell content") }
      while true {
        guard block <= usableSize - 4 else { throw .corrupt("free block outside the page") }
        let next = data.uint16(at: block), size = data.uint16(at: block + 2)
        guard size >= 4 else { throw .corrupt("free block shorter than its header") }
        count += size
        if next <= block + size + 3 {
          guard next == 0 else { throw .corrupt("free blocks out of order") }
          guard block + size <= usableSize else { throw .corrupt("free block outside the page") }
          break
        }
        block = next
      }
    }
    guard count <= usableSize, count >= firstCellOffset else {
      throw .corrupt("free bytes of the page")
    }
    page.pointee.tree.freeByteCount = Int32(count - firstCellOffset)
    return count - firstCellOffset
  }

  /// Where the cell content begins; 0 stands for 65536.
  @inline(__always)
  func contentStart(of page: PagePointer) -> Int {
    let start = page.pointee.data.uint16(at: Int(page.pointee.tree.headerOffset) + 5)
    return start == 0 ? 65536 : start
  }

  /// Takes `byteCount` bytes for a cell and returns their offset. The caller has made sure that
  /// the page has that many free bytes, and two for the pointer, and accounts for them.
  @inline(__always)
  func allocateSpace(_ byteCount: Int, on page: PagePointer) throws(SQLError) -> Int {
    let data = page.pointee.data
    let header = Int(page.pointee.tree.headerOffset)
    let gap = page.pointee.tree.contentLimit
    let top = contentStart(of: page)
    if data.uint16(at: header + 1) == 0, gap + 2 + byteCount <= top, top <= usableSize {
      data.setUInt16(top - byteCount, at: header + 5)
      return top - byteCount
    }
    return try allocateScatteredSpace(byteCount, on: page)
  }

  @inline(never)
  private func allocateScatteredSpace(
    _ byteCount: Int, on page: PagePointer
  ) throws(SQLError) -> Int {
    let data = page.pointee.data
    let header = Int(page.pointee.tree.headerOffset)
    let gap = page.pointee.tree.contentLimit
    var top = contentStart(of: page)
    guard gap <= top, top <= usableSize else { throw .corrupt("start of the cell content") }
    if data.uint16(at: header + 1) != 0, gap + 2 <= top {
      let offset = try takeFreeBlock(byteCount, on: page)
      if offset > 0 {
        guard offset > gap else { throw .corrupt("free block inside the cell pointers") }
        return offset
      }
    }
    if gap + 2 + byteCount > top {
      let spare = Int(page.pointee.tree.freeByteCount) - (2 + byteCount)
      try defragment(page, allowingFragments: min(4, spare))
      top = contentStart(of: page)
      guard gap + 2 + byteCount <= top else { throw .corrupt("free bytes of the page") }
    }
    data.setUInt16(top - byteCount, at: header + 5)
    return top - byteCount
  }

  /// Takes bytes from the end of the first free block that has them; 0 if none has.
  func takeFreeBlock(_ byteCount: Int, on page: PagePointer) throws(SQLError) -> Int {
    let data = page.pointee.data
    let header = Int(page.pointee.tree.headerOffset)
    var link = header + 1
    var block = data.uint16(at: link)
    let lastStart = usableSize - byteCount
    while block <= lastStart {
      let size = data.uint16(at: block + 2)
      let rest = size - byteCount
      if rest >= 4 {
        guard block + rest <= lastStart else { throw .corrupt("free block outside the page") }
        data.setUInt16(rest, at: block + 2)
        return block + rest
      }
      if rest >= 0 {
        // What is left cannot be a free block; fragments are limited to 60 bytes.
        guard data[header + 7] <= 57 else { return 0 }
        data.setUInt16(data.uint16(at: block), at: link)
        data[header + 7] += UInt8(rest)
        return block
      }
      link = block
      block = data.uint16(at: block)
      if block <= link {
        guard block == 0 else { throw .corrupt("free blocks out of order") }
        return 0
      }
    }
    guard block <= usableSize - 4 else { throw .corrupt("free block outside the page") }
    return 0
  }

  /// Gives `byteCount` bytes at `start` back, joined with the free blocks beside them.
  func freeSpace(_ start: Int, _ byteCount: Int, on page: PagePointer) throws(SQLError) {
    let data = page.pointee.data, usableSize = self.usableSize
    let header = Int(page.pointee.tree.headerOffset)
    assert(byteCount >= 4 && start + byteCount <= usableSize, "cells lie inside the page")
    var start = start, end = start &+ byteCount, fragments = 0
    var link = header &+ 1, block = data.uint16(at: link)
    while block < start {
      if block <= link {
        guard block == 0 else { throw .corrupt("free blocks out of order") }
        break
      }
      link = block
      block = data.uint16(at: block)
    }
    guard block <= usableSize - 4 else { throw .corrupt("free block outside the page") }
    if block != 0, end + 3 >= block {
      fragments = block - end
      guard fragments >= 0 else { throw .corrupt("space is freed twice") }
      end = block + data.uint16(at: block + 2)
      guard end <= usableSize else { throw .corrupt("free block outside the page") }
      block = data.uint16(at: block)
    }
    if link > header + 1 {
      let linkEnd = link + data.uint16(at: link + 2)
      if linkEnd + 3 >= start {
        guard linkEnd <= start else { throw .corrupt("space is freed twice") }
        fragments += start - linkEnd
        start = link
      }
    }
    guard fragments <= Int(data[header + 7]) else { throw .corrupt("fragmented bytes") }
    data[header + 7] -= UInt8(fragments)
    if erasesFreedContent { (data + start).update(repeating: 0, count: end - start) }
    let top = contentStart(of: page)
    if start <= top {
      guard start == top, link == header + 1 else { throw .corrupt("start of the cell content") }
      data.setUInt16(block, at: header + 1)
      data.setUInt16(end, at: header + 5)
    } else {
      // When joined with the block before, `start` is `link` itself and the list stays as it is.
      if link != start { data.setUInt16(start, at: link) }
      data.setUInt16(block, at: start)
      data.setUInt16(end - start, at: start + 2)
    }
    page.pointee.tree.freeByteCount += Int32(byteCount)
  }
}

// MARK: Defragmentation

extension BTree {
  /// Moves the cells together at the end of the page, so that all free bytes are in the gap, but
  /// for `allowingFragments` bytes of fragments that may stay.
  func defragment(_ page: PagePointer, allowingFragments: Int) throws(SQLError) {
    let data = page.pointee.data
    let header = Int(page.pointee.tree.headerOffset)
    var top = -1
    if Int(data[header + 7]) <= allowingFragments { top = try closeFreeBlocks(of: page) }
    if top < 0 {
      top = try packCells(of: page)
      data[header + 7] = 0
    }
    let firstCellOffset = page.pointee.tree.contentLimit
    guard
      Int(data[header + 7]) + top - firstCellOffset == Int(page.pointee.tree.freeByteCount)
    else {
      // The cells lie elsewhere by now, and what was counted before is wrong.
      page.pointee.tree.freeByteCount = -1
      throw .corrupt("free bytes of the page")
    }
    data.setUInt16(top, at: header + 5)
    data.setUInt16(0, at: header + 1)
    (data + firstCellOffset).update(repeating: 0, count: top - firstCellOffset)
  }

  /// With one or two free blocks, moves what lies before them over them. Returns the new start of
  /// the content, or -1 if there are no or more free blocks.
  private func closeFreeBlocks(of page: PagePointer) throws(SQLError) -> Int {
    let data = page.pointee.data, usableSize = self.usableSize
    let header = Int(page.pointee.tree.headerOffset)
    let block = data.uint16(at: header + 1)
    guard block <= usableSize - 4 else { throw .corrupt("free block outside the page") }
    guard block > 0 else { return -1 }
    let second = data.uint16(at: block)
    guard second <= usableSize - 4 else { throw .corrupt("free block outside the page") }
    guard second == 0 || data.uint16(at: second) == 0 else { return -1 }
    let top = contentStart(of: page)
    var size = data.uint16(at: block + 2), secondSize = 0
    guard top < block else { throw .corrupt("start of the cell content") }
    if second != 0 {
      guard block + size <= second else { throw .corrupt("free blocks overlap") }
      secondSize = data.uint16(at: second + 2)
      guard second + secondSize <= usableSize else { throw .corrupt("free block outside the page") }
      Memory.move(
        from: data + block + size, to: data + block + size + secondSize, second - (block + size))
      size += secondSize
    } else {
      guard block + size <= usableSize else { throw .corrupt("free block outside the page") }
    }
    Memory.move(from: data + top, to: data + top + size, block - top)
    var pointer = Int(page.pointee.tree.cellPointerOffset)
    for _ in 0..<Int(page.pointee.tree.cellCount) {
      let offset = data.uint16(at: pointer)
      if offset < block {
        data.setUInt16(offset + size, at: pointer)
      } else if offset < second {
        data.setUInt16(offset + secondSize, at: pointer)
      }
      pointer += 2
    }
    guard top + size >= page.pointee.tree.contentLimit else {
      throw .corrupt("start of the cell content")
    }
    return top + size
  }

  /// Writes all cells anew, one before the other. Returns the new start of the content.
  private func packCells(of page: PagePointer) throws(SQLError) -> Int {
    let data = page.pointee.data, usableSize = self.usableSize, tree = page.pointee.tree
    let oldTop = contentStart(of: page)
    let copy = pageSpace
    if tree.cellCount > 0 { Memory.copy(from: data, to: copy, usableSize) }
    var top = usableSize
    var pointer = Int(tree.cellPointerOffset)
    for _ in 0..<Int(tree.cellCount) {
      let offset = data.uint16(at: pointer)
      guard offset <= usableSize - 4 else { throw .corrupt("cell pointer past page end") }
      let size = cellSize(copy + offset, tree)
      top -= size
      guard top >= oldTop, top >= tree.contentLimit, offset + size <= usableSize else {
        throw .corrupt("cells overlap")
      }
      data.setUInt16(top, at: pointer)
      Memory.copy(from: copy + offset, to: data + top, size)
      pointer += 2
    }
    return top
  }

  /// Makes the page empty, of the kind given by its first byte.
  func clear(_ page: PagePointer, kind: UInt8) {
    let data = page.pointee.data
    let header = page.pointee.number.rawValue == 1 ? 100 : 0
    if erasesFreedContent {
      (data + header).update(repeating: 0, count: usableSize - header)
    }
    data[header] = kind
    data.setUInt32(0, at: header + 1)
    data[header + 7] = 0
    data.setUInt16(usableSize, at: header + 5)
    page.pointee.tree = emptyHeader(kind: kind, headerOffset: header)
  }
}

extension TreePageHeader {
  /// The first byte behind the cell-pointer array.
  @inline(__always)
  var contentLimit: Int { Int(cellPointerOffset) &+ 2 &* Int(cellCount) }

  /// Size of the child number that cells begin with.
  @inline(__always)
  var cellPrefixSize: Int { isLeaf ? 0 : 4 }
}
