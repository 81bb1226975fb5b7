// Writing overflow chains (fileformat2 §1.6).
//
//     | next page u32, 0 at the end | payload |

/// What is written as a payload, or as a part of one.
struct NewPayload {
  var bytes: UnsafePointer<UInt8>
  /// Of all of it.
  var byteCount: Int
  /// So many zeros are its end, and not among `bytes`: they take no memory.
  let zeroCount: Int

  @inline(__always)
  init(bytes: UnsafePointer<UInt8>, byteCount: Int, _ zeroCount: Int) {
    self.bytes = bytes
    self.byteCount = byteCount
    self.zeroCount = zeroCount
  }

  /// The rest behind the first bytes, which are not among the zeros that are left out.
  func dropping(_ count: Int) -> NewPayload {
    NewPayload(bytes: bytes + count, byteCount: byteCount - count, zeroCount)
  }

  /// Takes off so many bytes: how many of them are among `bytes`, the others are zeros.
  mutating func take(_ count: Int) -> (bytes: UnsafePointer<UInt8>, byteCount: Int) {
    let start = bytes, available = min(count, max(0, byteCount - zeroCount))
    bytes += available
    byteCount -= count
    return (start, available)
  }
}

extension BTree {
  /// Stores what a cell cannot hold in new overflow pages, and the number of the first one at
  /// `link`. With auto-vacuum, the entry of the first page gets its parent when the cell is put on
  /// a page.
  func writeOverflow(
    _ payload: NewPayload, firstPageAt link: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    var payload = payload
    var previous: PagePointer?
    defer { if let previous { pager.unpin(previous) } }
    let bytesPerPage = usableSize - 4
    while payload.byteCount > 0 {
      let page = try allocateOverflowPage(after: previous?.pointee.number ?? PageNumber(0))
      let number = page.pointee.number.rawValue
      if let previous {
        previous.pointee.data.setUInt32(number, at: 0)
        pager.unpin(previous)
      } else {
        link.setUInt32(number, at: 0)
      }
      previous = page
      let count = min(payload.byteCount, bytesPerPage)
      let part = payload.take(count), target = page.pointee.data + 4
      page.pointee.data.setUInt32(0, at: 0)
      Memory.copy(from: part.bytes, to: target, part.byteCount)
      (target + part.byteCount).update(repeating: 0, count: count - part.byteCount)
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

  /// Writes over the payload of a cell, in its page and its overflow pages,
  /// from `offset` of the payload on. Pages whose bytes stay the same are not touched.
  ///
  /// - Parameter known: an overflow page that is not behind `offset`, and its place in the chain.
  func overwritePayload(
    of cell: UnsafeMutablePointer<UInt8>, _ layout: CellLayout, on page: PagePointer,
    with payload: NewPayload, offset: Int,
    startingAt known: (index: Int, page: PageNumber)? = nil
  ) throws(SQLError) {
    let byteCount = payload.byteCount
    guard offset >= 0, byteCount >= 0, offset <= layout.payloadSize - byteCount else {
      throw .corrupt("write past the end of the payload")
    }
    var payload = payload, start = offset
    if start < layout.localSize, payload.byteCount > 0 {
      let count = min(payload.byteCount, layout.localSize - start)
      try overwrite(cell + layout.payloadOffset + start, count, with: &payload, on: page)
      start += count
    }
    guard payload.byteCount > 0 else { return }
    start -= layout.localSize
    var number = cell.pageNumber(at: layout.payloadOffset + layout.localSize)
    let bytesPerPage = usableSize - 4
    if let known {
      assert(known.index * bytesPerPage <= start, "the page is not behind the place")
      number = known.page
      start -= known.index * bytesPerPage
    }
    while payload.byteCount > 0 {
      guard number.rawValue >= 2 else { throw .corrupt("overflow page number") }
      let overflow = try rawPage(number)
      defer { pager.unpin(overflow) }
      guard overflow.pointee.pinCount == 1 else { throw .corrupt("overflow page is in use") }
      overflow.pointee.tree.isChecked = false
      if start < bytesPerPage {
        let count = min(payload.byteCount, bytesPerPage - start)
        try overwrite(overflow.pointee.data + 4 + start, count, with: &payload, on: overflow)
        start = 0
      } else {
        start -= bytesPerPage
      }
      number = overflow.pointee.data.pageNumber(at: 0)
    }
  }

  /// Writes the next `count` bytes.
  private func overwrite(
    _ target: UnsafeMutablePointer<UInt8>, _ count: Int, with payload: inout NewPayload,
    on page: PagePointer
  ) throws(SQLError) {
    let part = payload.take(count)
    let zeros = target + part.byteCount, zeroCount = count - part.byteCount
    if Memory.compare(target, part.bytes, part.byteCount) == 0,
      UnsafeBufferPointer(start: zeros, count: zeroCount).allSatisfy({ $0 == 0 })
    { return }
    try pager.makeWritable(page)
    Memory.move(from: part.bytes, to: target, part.byteCount)
    zeros.update(repeating: 0, count: zeroCount)
  }
}
