extension SiblingBalance {
  @inline(__always)
  private func newPage(_ index: Int) -> PagePointer { newPages[index].unsafelyUnwrapped }

  /// Uses the old siblings again, and as many more pages as it takes.
  func allocatePages(_ tree: BTree, _ parent: PagePointer) throws(SQLError) {
    let kind = oldPages[0].unsafelyUnwrapped.pointee.data[0]
    // New pages are wanted near the first sibling, and near each other.
    var number = oldPages[0].unsafelyUnwrapped.pointee.number
    for index in 0..<newCount {
      if index < oldCount {
        let page = oldPages[index].unsafelyUnwrapped
        newPages[index] = page
        oldPages[index] = nil
        guard page.pointee.number.rawValue > 1 else { throw .corrupt("page 1 is a child") }
        try tree.pager.makeWritable(page)
        continue
      }
      let page = try tree.allocatePage(near: number, .any)
      number = page.pointee.number
      newPages[index] = page
      tree.clear(page, kind: kind)
      oldEnds[index] = cellCount
      if tree.isAutoVacuum { try tree.mapChild(number, of: parent) }
    }
  }

  /// Puts the pages in the order of their numbers: a page takes the number, not the content.
  func sortPages(_ tree: BTree) {
    for index in 0..<max(newCount - 1, 0) {
      var least = index
      for other in index + 1..<newCount
      where newPage(other).pointee.number < newPage(least).pointee.number { least = other }
      if least != index { tree.pager.cache.exchangeNumbers(newPage(index), newPage(least)) }
    }
  }

  /// Makes the last page the one that the parent's last child number is for, and gives it the last
  /// child of the old siblings.
  func linkPages(_ tree: BTree, _ parent: PagePointer) throws(SQLError) {
    let last = newPage(newCount - 1)
    let number = last.pointee.number
    if firstDivider == Int(parent.pointee.tree.cellCount) {
      tree.setRightChild(number, of: parent)
    } else {
      let cell = try tree.checkedCell(at: firstDivider, of: parent).cell
      cell.setUInt32(number.rawValue, at: 0)
    }
    guard !isLeaf, oldCount != newCount else { return }
    let source =
      newCount > oldCount ? newPage(oldCount - 1) : oldPages[oldCount - 1].unsafelyUnwrapped
    tree.setRightChild(tree.rightChild(of: source), of: last)
  }

  func insertDividers(
    _ tree: BTree, into parent: PagePointer, _ space: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    var space = space
    for index in 0..<newCount - 1 {
      let page = newPage(index)
      let divider = newEnds[index]
      let number = page.pointee.number
      let cell: UnsafeMutablePointer<UInt8>, size: Int
      var copy: UnsafeMutablePointer<UInt8>? = space
      if isTableLeaf {
        let rowid = tree.cellLayout(cells[divider - 1], page.pointee.tree).rowid
        cell = space
        size = 4 + Varint.write(UInt64(bitPattern: rowid), to: space + 4)
        copy = nil
      } else if isLeaf {
        cell = cells[divider] - 4
        // A cell of 4 bytes may have been lengthened to that.
        size =
          try self.size(at: divider) == 4
          ? tree.cellSize(cell, parent.pointee.tree) : try self.size(at: divider) + 4
      } else {
        cell = cells[divider]
        size = try self.size(at: divider)
        tree.setRightChild(cell.pageNumber(at: 0), of: page)
      }
      try tree.insertCell(
        cell, byteCount: size, at: firstDivider + index, on: parent, child: number,
        copyingTo: copy)
      space += size
    }
  }

  /// Rewrites the pages in an order in which no page is overwritten before its cells are taken:
  /// first from the right those that get no cells from their left, then from the left the rest.
  func rewritePages(_ tree: BTree) throws(SQLError) {
    let skipsDivider = isTableLeaf ? 0 : 1
    var done = 0
    for step in (1 - newCount)..<newCount {
      let index = abs(step)
      if done & 1 << index != 0 { continue }
      guard step >= 0 || oldEnds[index - 1] >= newEnds[index - 1] else { continue }
      var first = 0, oldFirst = 0
      if index > 0 {
        first = newEnds[index - 1] + skipsDivider
        oldFirst = index < oldCount ? oldEnds[index - 1] + skipsDivider : cellCount
      }
      let page = newPage(index)
      try rewrite(tree, page, oldFirst: oldFirst, first: first, count: newEnds[index] - first)
      // Not what `newSizes` says: a damaged page may have had bytes that belonged to nothing, and
      // has them no more.
      page.pointee.tree.freeByteCount = -1
      _ = try tree.freeByteCount(of: page)
      done |= 1 << index
    }
  }

  /// Frees the pages that are left over. A root that lost its last divider becomes its only child,
  /// if that has room in it.
  func finish(_ tree: BTree, _ parent: PagePointer, parentIsRoot: Bool) throws(SQLError) {
    let only = newPage(0)
    if parentIsRoot, parent.pointee.tree.cellCount == 0, parent.pointee.tree.pendingCount == 0,
      Int(parent.pointee.tree.headerOffset) <= Int(only.pointee.tree.freeByteCount)
    {
      try tree.defragment(only, allowingFragments: -1)
      try tree.copyContent(of: only, to: parent)
      try tree.freePage(only.pointee.number)
    }
    for index in newCount..<max(newCount, oldCount) {
      guard let page = oldPages[index] else { continue }
      try tree.freePage(page.pointee.number)
    }
  }
}

extension BTree {
  /// Copies a page's content to a page whose header may begin elsewhere (page 1's does).
  func copyContent(of source: PagePointer, to target: PagePointer) throws(SQLError) {
    let from = source.pointee.data, to = target.pointee.data
    let fromHeader = Int(source.pointee.tree.headerOffset)
    let toHeader = target.pointee.number.rawValue == 1 ? 100 : 0
    let start = contentStart(of: source)
    guard start <= usableSize else { throw .corrupt("start of the cell content") }
    Memory.copy(from: from + start, to: to + start, usableSize - start)
    let headerSize = source.pointee.tree.contentLimit - fromHeader
    guard toHeader + headerSize <= start || source.pointee.tree.cellCount == 0 else {
      throw .corrupt("page has no room for the header")
    }
    Memory.copy(from: from + fromHeader, to: to + toHeader, headerSize)
    target.pointee.tree.isChecked = false
    pager.unpin(try treePage(target.pointee.number))
    _ = try freeByteCount(of: target)
    if isAutoVacuum { try mapChildren(of: target) }
  }
}
