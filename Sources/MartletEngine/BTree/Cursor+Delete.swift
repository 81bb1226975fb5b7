// Deleting the current entry.
//
// An entry of an interior page of an index tree divides two children, so the largest entry of the
// left child's subtree, which is on a leaf, takes its place; then the leaf is balanced, and after
// it the page where the entry was.

extension Cursor {
  /// Deletes the current entry.
  ///
  /// With `keepsPosition` the cursor stays between the neighbours: `next` moves to the one after,
  /// `previous` to the one before, and reading gives NULL. Otherwise it is on no entry, but that
  /// with `keepsPlace` it may be on a neighbour.
  ///
  /// - Returns: for `insert`, where the place of the entry is: what a search for its key would
  ///   give. 0 where the cursor is on no entry.
  @discardableResult
  func delete(keepsPosition: Bool = false, keepsPlace: Bool = false) throws(SQLError) -> Int {
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
      try makeWritable(page)
      try tree.freeOverflow(of: cell, tree.cellLayout(cell, page.pointee.tree))
      try tree.dropCell(at: entryIndex, byteCount: size, from: page)
      if !wasOnLeaf { try replaceByPredecessor(page, entryDepth, entryIndex) }
    } catch {
      tree.dropPending()
      throw broken(error)
    }
    let isBalanced = try balanceAfterDelete(wasOnLeaf ? nil : entryDepth)
    var order = 0
    if staysOnLeaf {
      stay(beside: entryIndex, on: page)
    } else if keepsPosition {
      releasePages()
      becomeSaved(skipping: 0)
    } else if keepsPlace, wasOnLeaf, !isBalanced, page.pointee.tree.cellCount > 0 {
      useChanged(page)
      cellIndex = min(entryIndex, cellCount - 1)
      order = entryIndex < cellCount ? 1 : -1
    } else {
      leaveEntry()
    }
    tree.checkAfterChange(self)
    return order
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

  /// Whether there was something to balance: the cursor is on no page then.
  private func balanceAfterDelete(_ entryDepth: Int?) throws(SQLError) -> Bool {
    let leaf = path[depth].page
    let isSparse = Int(leaf.pointee.tree.freeByteCount) * 3 > usableSize * 2
    if isSparse { _ = try balance() }
    guard let entryDepth else { return isSparse }
    if depth > entryDepth {
      depth = entryDepth
      _ = try balance()
    }
    return true
  }

  /// Puts the cursor between the entries that are now before and at `index`.
  private func stay(beside index: Int, on page: PagePointer) {
    use(page)
    useChanged(page)
    cellIndex = min(index, cellCount - 1)
    becomeDisplaced(skipping: index < cellCount ? 1 : -1)
  }
}
