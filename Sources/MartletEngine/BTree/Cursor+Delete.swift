// Deleting the current entry.
//
// An entry of an interior page of an index tree divides two children, so the largest entry of the
// left child's subtree, which is on a leaf, takes its place; then the leaf is balanced, and after
// it the page where the entry was.

extension Cursor {
  /// Deletes the current entry.
  ///
  /// With `keepsPosition` the cursor stays between the neighbours: `next` moves to the one after,
  /// `previous` to the one before, and reading gives NULL. Otherwise it is on no entry.
  func delete(keepsPosition: Bool = false) throws(SQLError) {
    if decoder.pointee.parsedCount <= Cursor.saved { try restore() }
    guard isValid, decoder.pointee.parsedCount != Cursor.displaced else {
      throw .corrupt("no entry to delete")
    }
    let wasOnLeaf = isLeaf, entryDepth = depth, entryIndex = cellIndex
    let page = path[depth].page
    var staysOnLeaf = false
    do throws(SQLError) {
      let (cell, size) = try tree.checkedCell(at: entryIndex, of: page)
      if keepsPosition {
        let free = try tree.freeByteCount(of: page)
        staysOnLeaf =
          wasOnLeaf && free + size + 2 <= usableSize * 2 / 3 && page.pointee.tree.cellCount > 1
        if !staysOnLeaf { try keepKey() }
      }
      if !wasOnLeaf { try descendToPredecessor() }
      if sharesTree {
        let rows = isTable ? BTree.ChangingRows.one(leafRowid(at: entryIndex)) : .none
        try tree.saveCursors(of: root, except: self, changing: rows)
      }
      try pager.makeWritable(page)
      try tree.freeOverflow(of: cell, tree.cellLayout(cell, page.pointee.tree))
      try tree.dropCell(at: entryIndex, byteCount: size, from: page)
      if !wasOnLeaf { try replaceByPredecessor(page, entryDepth, entryIndex) }
    } catch {
      tree.dropPending()
      throw broken(error)
    }
    try balanceAfterDelete(wasOnLeaf ? nil : entryDepth)
    if staysOnLeaf {
      stay(beside: entryIndex, on: page)
    } else if keepsPosition {
      releasePages()
      becomeSaved(skipping: 0)
    } else {
      leaveEntry()
    }
    tree.checkAfterChange(self)
  }

  private func descendToPredecessor() throws(SQLError) {
    try enterChild(at: cellIndex)
    while !isLeaf { try enterChild(at: cellCount) }
    cellIndex = cellCount - 1
  }

  /// Moves the last cell of the current leaf to the place of the entry that was deleted.
  private func replaceByPredecessor(
    _ page: PagePointer, _ entryDepth: Int, _ entryIndex: Int
  ) throws(SQLError) {
    let leaf = path[depth].page
    let child = path[entryDepth + 1].page.pointee.number
    let last = Int(leaf.pointee.tree.cellCount) - 1
    guard last >= 0 else { throw .corrupt("child page is empty") }
    let (cell, size) = try tree.checkedCell(at: last, of: leaf)
    let space = tree.cellSpace
    Memory.copy(from: cell, to: space + 4, size)
    space.setUInt32(child.rawValue, at: 0)
    // A leaf's cell of 4 bytes may have been lengthened to that.
    let dividerSize = size == 4 ? tree.cellSize(space, page.pointee.tree) : size + 4
    try pager.makeWritable(leaf)
    try tree.insertCell(space, byteCount: dividerSize, at: entryIndex, on: page)
    try tree.dropCell(at: last, byteCount: size, from: leaf)
  }

  private func balanceAfterDelete(_ entryDepth: Int?) throws(SQLError) {
    let leaf = path[depth].page
    if Int(leaf.pointee.tree.freeByteCount) * 3 > usableSize * 2 { _ = try balance() }
    guard let entryDepth else { return }
    if depth > entryDepth {
      depth = entryDepth
      _ = try balance()
    }
  }

  /// Puts the cursor between the entries that are now before and at `index`.
  private func stay(beside index: Int, on page: PagePointer) {
    use(page)
    useChanged(page)
    cellIndex = min(index, cellCount - 1)
    becomeDisplaced(skipping: index < cellCount ? 1 : -1)
  }
}
