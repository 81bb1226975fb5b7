// Balancing after a change (SQLite's balance): from the changed page up to the root, as long as a
// page is overfull, or more than two thirds empty.
//
//     quick      an overfull rightmost leaf of a table, the new row being the last: the row goes to
//                a new page on the right, the others stay, so that loading in order fills pages
//     deeper     an overfull root gets a child with all that it had
//     siblings   otherwise: see SiblingBalance

extension Cursor {
  /// Balances the pages from the current one up to the root.
  ///
  /// Returns true if the cursor stands on the new row still; else it has no place any more.
  @inline(never)
  func balance() throws(SQLError) -> Bool {
    var keepsPlace = true
    do {
      while true {
        let page = path[depth].page
        let header = page.pointee.tree
        let free = try tree.freeByteCount(of: page)
        if header.pendingCount == 0, free * 3 <= usableSize * 2 { break }
        if depth == 0 {
          guard header.pendingCount > 0 else { break }
          keepsPlace = false
          try growDeeper()
          continue
        }
        let parent = path[depth - 1].page
        try pager.makeWritable(parent)
        if isQuickAppend(page, parent) {
          try appendPage(after: page, parent)
          if keepsPlace, parent.pointee.tree.pendingCount == 0 { return moveToAppended(parent) }
          keepsPlace = false
        } else {
          keepsPlace = false
          let spaces = tree.dividerSpaces
          try tree.siblings.balance(
            tree, parent: parent, childIndex: path[depth - 1].cellIndex, parentIsRoot: depth == 1,
            dividerSpace: depth & 1 == 0 ? spaces.0 : spaces.1)
        }
        tree.clearPending(of: page)
        depth -= 1
        // A page that was freed may be taken again further up.
        unpin(from: depth + 1)
      }
    } catch {
      tree.dropPending()
      throw broken(error)
    }
    return keepsPlace
  }

  private func isQuickAppend(_ page: PagePointer, _ parent: PagePointer) -> Bool {
    let header = page.pointee.tree
    return header.pendingCount == 1 && header.isTable && header.isLeaf
      && tree.pendingCells(of: page)[0].index == Int(header.cellCount)
      && parent.pointee.number.rawValue != 1 && header.cellCount > 0
      && path[depth - 1].cellIndex == Int(parent.pointee.tree.cellCount)
      && parent.pointee.tree.pendingCount == 0
  }

  /// Puts the one pending cell of the rightmost leaf on a new page (SQLite's balance_quick). The
  /// new page's level of the path is set by `moveToAppended`.
  private func appendPage(after page: PagePointer, _ parent: PagePointer) throws(SQLError) {
    let newPage = try tree.allocatePage(near: PageNumber(0), .any)
    defer { pager.unpin(newPage) }
    let cell = tree.pendingCells(of: page)[0]
    tree.clear(newPage, kind: TreeKind.table.leafByte)
    try tree.insertCell(cell.bytes, byteCount: cell.byteCount, at: 0, on: newPage)
    if tree.isAutoVacuum { try tree.mapChild(newPage.pointee.number, of: parent) }
    tree.clearPending(of: page)
    let last = try tree.checkedCell(at: Int(page.pointee.tree.cellCount) - 1, of: page).cell
    let rowid = tree.cellLayout(last, page.pointee.tree).rowid
    let divider = depth & 1 == 0 ? tree.dividerSpaces.0 : tree.dividerSpaces.1
    let size = 4 + Varint.write(UInt64(bitPattern: rowid), to: divider + 4)
    try tree.insertCell(
      divider, byteCount: size, at: Int(parent.pointee.tree.cellCount), on: parent,
      child: page.pointee.number)
    tree.setRightChild(newPage.pointee.number, of: parent)
  }

  /// After a quick append that the parent had room for, the cursor goes on to the new page, so that
  /// the next row finds its place there.
  private func moveToAppended(_ parent: PagePointer) -> Bool {
    let number = tree.rightChild(of: parent)
    guard let page = pager.cache.pinnedFrame(number) else { return false }
    pager.unpin(path[depth].page)
    path[depth].page = page
    path[depth - 1].cellIndex = Int(parent.pointee.tree.cellCount)
    cellIndex = 0
    return true
  }

  /// Gives the root a child that has all that the root had (SQLite's balance_deeper).
  private func growDeeper() throws(SQLError) {
    unpin(from: 1)
    let root = path[0].page
    try pager.makeWritable(root)
    let child = try tree.allocatePage(near: root.pointee.number, .any)
    path[1] = Level(page: child, cellIndex: 0)
    pinnedCount = 2
    let pendingCount = root.pointee.tree.pendingCount, slot = root.pointee.tree.pendingSlot
    try tree.copyContent(of: root, to: child)
    if tree.isAutoVacuum { try tree.mapChild(child.pointee.number, of: root) }
    tree.pendingPages[Int(slot)] = child
    child.pointee.tree.pendingCount = pendingCount
    child.pointee.tree.pendingSlot = slot
    tree.clear(root, kind: child.pointee.data[0] & ~8)
    tree.setRightChild(child.pointee.number, of: root)
    path[0].cellIndex = 0
    depth = 1
  }
}
