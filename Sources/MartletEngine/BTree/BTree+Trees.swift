// Making, emptying and dropping whole trees.
//
// With auto-vacuum the root pages stand at the beginning of the file, so that vacuuming never has
// to move one: a new root takes the place of whatever follows the last root, and when a tree is
// dropped the last root moves to its place (fileformat2 §1.3.10, SQLite's btree layer).

/// The two kinds of trees (SQLite's BTREE_INTKEY and BTREE_BLOBKEY).
enum TreeKind {
  case table
  case index

  var leafByte: UInt8 { self == .table ? 13 : 10 }
}

extension BTree {
  /// Makes an empty tree and returns its root page.
  func createTree(_ kind: TreeKind) throws(SQLError) -> PageNumber {
    let root = isAutoVacuum ? try allocateRoot() : try allocatePage(near: PageNumber(1), .any)
    defer { pager.unpin(root) }
    clear(root, kind: kind.leafByte)
    return root.pointee.number
  }

  /// The page behind the last root, moving away what is there.
  private func allocateRoot() throws(SQLError) -> PagePointer {
    var number = try meta(.largestRootPage)
    guard number <= pager.pageCount else { throw .corrupt("largest root page") }
    repeat { number += 1 } while isReserved(PageNumber(number))
    let rootNumber = PageNumber(number)
    var root = try allocatePage(near: rootNumber, .exact)
    if root.pointee.number != rootNumber {
      let target = root.pointee.number
      pager.unpin(root)
      try saveAllCursors()
      let entry = try pointerMapEntry(for: rootNumber)
      guard entry.kind != .rootPage, entry.kind != .freePage else {
        throw .corrupt("pointer-map entry of the next root page")
      }
      try movePage(rootNumber, entry.kind, parent: entry.parent, to: target)
      root = try rawPage(rootNumber)
      do { try pager.makeWritable(root) } catch {
        pager.unpin(root)
        throw error
      }
    }
    do {
      try setPointerMapEntry(for: rootNumber, parent: PageNumber(0), kind: .rootPage)
      try updateMeta(.largestRootPage, to: number)
    } catch {
      pager.unpin(root)
      throw error
    }
    return root
  }

  /// Deletes all entries of a tree and returns how many rows they were (entries of interior pages
  /// count in index trees only).
  @discardableResult
  func clearTree(_ root: PageNumber) throws(SQLError) -> Int64 {
    try saveCursors(of: root, except: nil, changing: .all)
    var count: Int64 = 0
    try clearPage(root, isRoot: true, depth: 0, &count)
    return count
  }

  private func clearPage(
    _ number: PageNumber, isRoot: Bool, depth: Int, _ count: inout Int64
  ) throws(SQLError) {
    guard depth < BTree.maximumDepth else { throw .corrupt("tree is too deep") }
    let page = try treePage(number)
    defer { pager.unpin(page) }
    // Page 1 is also pinned while the header is changed. Any other page that somebody holds is on
    // the way from the root: the tree has a loop.
    guard page.pointee.pinCount == 1 || number.rawValue == 1 else {
      throw .corrupt("tree links a page twice")
    }
    let tree = page.pointee.tree
    for index in 0..<Int(tree.cellCount) where try mayHaveMore(at: index, of: page) {
      let cell = try checkedCell(at: index, of: page).cell
      // Below may be a chain that frees this page and writes over it.
      let layout = cellLayout(cell, tree)
      if !tree.isLeaf {
        try clearPage(cell.pageNumber(at: 0), isRoot: false, depth: depth + 1, &count)
      }
      try freeOverflow(of: cell, layout)
    }
    if !tree.isLeaf {
      try clearPage(rightChild(of: page), isRoot: false, depth: depth + 1, &count)
    }
    if tree.isLeaf || !tree.isTable { count += Int64(tree.cellCount) }
    if isRoot {
      try pager.makeWritable(page)
      clear(page, kind: page.pointee.data[Int(tree.headerOffset)] | 8)
    } else {
      try freePage(number)
    }
  }

  /// Whether there is something behind the cell at `index`: a child, or overflow pages.
  @inline(__always)
  private func mayHaveMore(at index: Int, of page: PagePointer) throws(SQLError) -> Bool {
    let tree = page.pointee.tree
    guard tree.isLeaf else { return true }
    let cell = UnsafePointer(page.pointee.data) + (try cellOffset(at: index, of: page))
    let size = Varint.read(at: cell)
    return size.value > UInt64(tree.maximumLocalSize)
  }

  /// Removes a tree, which must have no open cursors. Returns the page from which another tree's
  /// root was moved to `root`, or 0: whoever keeps root pages has to follow.
  func dropTree(_ root: PageNumber) throws(SQLError) -> PageNumber {
    guard root.rawValue >= 2, root.rawValue <= pager.pageCount else {
      throw .corrupt("root page of a tree to be dropped")
    }
    try clearTree(root)
    guard isAutoVacuum else {
      try freePage(root)
      return PageNumber(0)
    }
    var largest = try meta(.largestRootPage)
    guard largest >= root.rawValue else { throw .corrupt("largest root page") }
    var moved = PageNumber(0)
    if root.rawValue == largest {
      try freePage(root)
    } else {
      moved = PageNumber(largest)
      try saveAllCursors()
      try movePage(moved, .rootPage, parent: PageNumber(0), to: root)
      try freePage(moved)
    }
    repeat { largest -= 1 } while largest > 1 && isReserved(PageNumber(largest))
    try updateMeta(.largestRootPage, to: largest)
    return moved
  }
}
