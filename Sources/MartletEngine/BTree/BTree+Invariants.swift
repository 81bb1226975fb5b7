extension BTree {
  /// In debug builds, checks the page that a cursor has just changed, if it is still on it.
  @inline(__always)
  func checkAfterChange(_ cursor: Cursor) {
    assert(
      cursor.pinnedCount == 0
        || brokenInvariant(of: cursor.path[cursor.depth].page) == nil)
    assert((0..<BTree.pendingPageLimit).allSatisfy {
      pendingPages[$0] == nil
    }, "no cell stays pending")
  }

  /// What is wrong with a page that a writer has left, or nil. A page of a damaged file may be
  /// wrong before; then nothing is said.
  func brokenInvariant(of page: PagePointer) -> String? {
    let tree = page.pointee.tree
    guard tree.isChecked else { return nil }
    let data = page.pointee.data, header = Int(tree.headerOffset)
    if Int(tree.cellCount) != data.uint16(at: header + 3) { return "number of cells" }
    if tree.isLeaf != (data[header] & 8 != 0) { return "kind of page" }
    if tree.freeByteCount >= 0 {
      let known = tree.freeByteCount
      page.pointee.tree.freeByteCount = -1
      defer { page.pointee.tree.freeByteCount = known }
      do {
        if try freeByteCount(of: page) != Int(known), !hasOverlaps(page) { return "free bytes" }
      } catch { return nil }
    }
    return nil
  }

  /// Whether cells and free blocks share bytes. Only damage makes them do so, and is not looked for
  /// before a page is changed; then what is written to a cell may change the list of free blocks.
  private func hasOverlaps(_ page: PagePointer) -> Bool {
    let data = page.pointee.data
    var ranges: [Range<Int>] = []
    do {
      for index in 0..<Int(page.pointee.tree.cellCount) {
        let (cell, size) = try checkedCell(at: index, of: page)
        let offset = UnsafePointer(data).distance(to: UnsafePointer(cell))
        ranges.append(offset..<offset + size)
      }
    } catch { return true }
    var block = data.uint16(at: Int(page.pointee.tree.headerOffset) + 1)
    while block != 0 {
      guard block + 4 <= usableSize, ranges.count < usableSize else { return true }
      let size = data.uint16(at: block + 2)
      guard size >= 4, block + size <= usableSize else { return true }
      ranges.append(block..<block + size)
      block = data.uint16(at: block)
    }
    ranges.sort { $0.lowerBound < $1.lowerBound }
    return zip(ranges, ranges.dropFirst()).contains { $0.overlaps($1) }
  }
}
