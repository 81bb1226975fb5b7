extension BTree {
  /// In debug builds, checks the page that a cursor has just changed, if it is still on it.
  @inline(__always)
  func checkAfterChange(_ cursor: Cursor) {
    assert(
      !assertsInvariants || cursor.pinnedCount == 0
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
        if try freeByteCount(of: page) != Int(known) { return "free bytes" }
      } catch { return nil }
    }
    return nil
  }
}
