// Writing overflow chains (fileformat2 §1.6).
//
//     | next page u32, 0 at the end | payload |

extension BTree {
  /// Stores what a cell cannot hold in new overflow pages, and the number of the first one at
  /// `link`. With auto-vacuum, the entry of the first page gets its parent when the cell is put on
  /// a page.
  func writeOverflow(
    _ bytes: UnsafePointer<UInt8>, byteCount: Int, firstPageAt link: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    var bytes = bytes, remaining = byteCount
    var previous: PagePointer?
    defer { if let previous { pager.unpin(previous) } }
    let bytesPerPage = usableSize - 4
    while remaining > 0 {
      let page = try allocateOverflowPage(after: previous?.pointee.number ?? PageNumber(0))
      let number = page.pointee.number.rawValue
      if let previous {
        previous.pointee.data.setUInt32(number, at: 0)
        pager.unpin(previous)
      } else {
        link.setUInt32(number, at: 0)
      }
      previous = page
      let count = min(remaining, bytesPerPage)
      page.pointee.data.setUInt32(0, at: 0)
      Memory.copy(from: bytes, to: page.pointee.data + 4, count)
      bytes += count
      remaining -= count
    }
  }

  private func allocateOverflowPage(after previous: PageNumber) throws(SQLError) -> PagePointer {
    guard isAutoVacuum else { return try allocatePage(near: previous, .any) }
    // The page after the last one, so that moving pages later keeps the chain together.
    var nearby = previous.rawValue
    repeat { nearby += 1 } while isReserved(PageNumber(nearby))
    let page = try allocatePage(near: PageNumber(nearby), .any)
    do {
      try setPointerMapEntry(
        for: page.pointee.number, parent: previous,
        kind: previous.rawValue == 0 ? .firstOverflow : .laterOverflow)
    } catch {
      pager.unpin(page)
      throw error
    }
    return page
  }

  /// Frees the overflow pages of a cell, if it has any.
  @inline(__always)
  func freeOverflow(
    of cell: UnsafeMutablePointer<UInt8>, _ layout: CellLayout
  ) throws(SQLError) {
    if layout.overflows { try freeChain(of: cell, layout) }
  }

  @inline(never)
  private func freeChain(
    of cell: UnsafeMutablePointer<UInt8>, _ layout: CellLayout
  ) throws(SQLError) {
    var number = cell.pageNumber(at: layout.payloadOffset + layout.localSize)
    let bytesPerPage = usableSize - 4
    var remaining = (layout.payloadSize - layout.localSize + bytesPerPage - 1) / bytesPerPage
    guard remaining <= Int(pager.pageCount) else { throw .corrupt("overflow chain is too long") }
    while remaining > 0 {
      guard number.rawValue >= 2, number.rawValue <= pager.pageCount else {
        throw .corrupt("overflow page number")
      }
      remaining -= 1
      var next = PageNumber(0)
      if remaining > 0 {
        let page = try rawPage(number)
        next = page.pointee.data.pageNumber(at: 0)
        pager.unpin(page)
      }
      try freePage(number)
      number = next
    }
  }

  /// Writes `byteCount` bytes over the payload of a cell, in its page and its overflow pages,
  /// from `offset` of the payload on. Pages whose bytes stay the same are not touched.
  ///
  /// - Parameter known: an overflow page that is not behind `offset`, and its place in the chain.
  func overwritePayload(
    of cell: UnsafeMutablePointer<UInt8>, _ layout: CellLayout, on page: PagePointer,
    with bytes: UnsafePointer<UInt8>, byteCount: Int, offset: Int,
    startingAt known: (index: Int, page: PageNumber)? = nil
  ) throws(SQLError) {
    guard offset >= 0, byteCount >= 0, offset <= layout.payloadSize - byteCount else {
      throw .corrupt("write past the end of the payload")
    }
    var bytes = bytes, remaining = byteCount, start = offset
    if start < layout.localSize, remaining > 0 {
      let count = min(remaining, layout.localSize - start)
      try overwrite(cell + layout.payloadOffset + start, with: bytes, count, on: page)
      bytes += count
      remaining -= count
      start += count
    }
    guard remaining > 0 else { return }
    start -= layout.localSize
    var number = cell.pageNumber(at: layout.payloadOffset + layout.localSize)
    let bytesPerPage = usableSize - 4
    if let known {
      assert(known.index * bytesPerPage <= start, "the page is not behind the place")
      number = known.page
      start -= known.index * bytesPerPage
    }
    while remaining > 0 {
      guard number.rawValue >= 2 else { throw .corrupt("overflow page number") }
      let overflow = try rawPage(number)
      defer { pager.unpin(overflow) }
      guard overflow.pointee.pinCount == 1 else { throw .corrupt("overflow page is in use") }
      overflow.pointee.tree.isChecked = false
      if start < bytesPerPage {
        let count = min(remaining, bytesPerPage - start)
        try overwrite(overflow.pointee.data + 4 + start, with: bytes, count, on: overflow)
        bytes += count
        remaining -= count
        start = 0
      } else {
        start -= bytesPerPage
      }
      number = overflow.pointee.data.pageNumber(at: 0)
    }
  }

  private func overwrite(
    _ target: UnsafeMutablePointer<UInt8>, with bytes: UnsafePointer<UInt8>, _ byteCount: Int,
    on page: PagePointer
  ) throws(SQLError) {
    if Memory.compare(target, bytes, byteCount) == 0 { return }
    try pager.makeWritable(page)
    Memory.move(from: bytes, to: target, byteCount)
  }
}
