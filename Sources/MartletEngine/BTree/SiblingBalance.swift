// Balancing a page with its siblings (SQLite's balance_nonroot).
//
//     parent      … d0 d1 …                 dividers: cells of the parent between the siblings
//                  /  |  \
//     siblings   s0   s1   s2               two or three of them, to become one to five
//
//     cells[]:   s0's cells, d0, s1's cells, d1, s2's cells
//
// All cells of the siblings, pending ones and dividers included, are listed in order; then the list
// is cut into pages anew. In table trees dividers of leaves only repeat a rowid: they are left out
// and made again. Where a leaf cell of an index tree becomes a divider, or the reverse, it gets or
// loses the child number in front of it.
//
// Steps: gather siblings and cells; distribute; get pages and sort them by number, so that a scan
// reads the file forward; put dividers into the parent, which may become overfull; rewrite pages.
//
// Invariants: (1) the siblings' content stays where it is until pages are rewritten: `cells` points
// into it. (2) A page is rewritten only after all pages that take cells from it.

/// The one balancing of a tree that is at work; its memory is used again for the next.
final class SiblingBalance {
  static let oldLimit = 3
  static let newLimit = 5

  var oldPages: UnsafeMutablePointer<PagePointer?>
  var oldCount = 0
  var newPages: UnsafeMutablePointer<PagePointer?>
  var newCount = 0

  /// All cells in order. Those of interior pages begin with a child number, as dividers do; in
  /// front of those of leaves there is room for one.
  private(set) var cells: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>
  /// Their sizes; 0 until somebody asks. Most cells stay where they are and are never looked at.
  private(set) var sizes: UnsafeMutablePointer<Int32>
  var cellCount = 0
  private var cellCapacity = 0

  /// Index in `cells` behind the last cell of each old sibling.
  let oldEnds: UnsafeMutablePointer<Int>
  /// The same of each new sibling. The cell there is the divider, except in leaves of tables.
  let newEnds: UnsafeMutablePointer<Int>
  /// Bytes of cells and pointers on each new sibling.
  let newSizes: UnsafeMutablePointer<Int>

  /// Where the content of each old sibling ends.
  private let contentEnds: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>
  /// Kind and limits of the siblings' cells.
  private var header = TreePageHeader()
  private var usableSize = 0
  /// Copies of the dividers that are in `cells`.
  private var dividerCopies = UnsafeMutablePointer(mutating: Register.emptyBytes)
  private var dividerCopiesEnd = UnsafeMutablePointer(mutating: Register.emptyBytes)
  private let dividerSizes: UnsafeMutablePointer<Int>
  private let dividers: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>>

  /// Bytes of neighbouring cells that leave a page.
  struct FreedRun {
    var start: Int
    var end: Int
  }
  static let runLimit = 10
  let runs: UnsafeMutablePointer<FreedRun>

  /// Place of the first divider in the parent.
  var firstDivider = 0
  var isLeaf = false
  /// Leaves of a table: the only pages whose dividers have no entries of their own.
  var isTableLeaf = false
  /// Bytes that a sibling has for cells and pointers.
  var capacity = 0
  /// Entries are being appended in order: pages that will get no more stay full, and only two
  /// siblings are looked at (SQLite's BTREE_BULKLOAD).
  @exclusivity(unchecked) var isBulkLoad = false

  init() {
    oldPages = .allocate(capacity: Self.oldLimit)
    oldPages.initialize(repeating: nil, count: Self.oldLimit)
    newPages = .allocate(capacity: Self.newLimit)
    newPages.initialize(repeating: nil, count: Self.newLimit)
    oldEnds = .allocate(capacity: Self.newLimit)
    oldEnds.initialize(repeating: 0, count: Self.newLimit)
    newEnds = .allocate(capacity: Self.newLimit + 1)
    newEnds.initialize(repeating: 0, count: Self.newLimit + 1)
    newSizes = .allocate(capacity: Self.newLimit + 1)
    newSizes.initialize(repeating: 0, count: Self.newLimit + 1)
    contentEnds = .allocate(capacity: Self.oldLimit)
    contentEnds.initialize(repeating: dividerCopies, count: Self.oldLimit)
    dividerSizes = .allocate(capacity: Self.oldLimit)
    dividerSizes.initialize(repeating: 0, count: Self.oldLimit)
    dividers = .allocate(capacity: Self.oldLimit)
    dividers.initialize(repeating: dividerCopies, count: Self.oldLimit)
    runs = .allocate(capacity: Self.runLimit)
    cells = .init(bitPattern: 8).unsafelyUnwrapped
    sizes = .init(bitPattern: 8).unsafelyUnwrapped
  }

  deinit {
    oldPages.deallocate()
    newPages.deallocate()
    oldEnds.deallocate()
    newEnds.deallocate()
    newSizes.deallocate()
    dividerSizes.deallocate()
    dividers.deallocate()
    runs.deallocate()
    contentEnds.deallocate()
    if cellCapacity > 0 {
      Memory.free(cells)
      Memory.free(sizes)
    }
  }

  /// Gives memory for copies of dividers, a page large.
  func prepare(space: UnsafeMutablePointer<UInt8>, pageSize: Int) throws(SQLError) {
    dividerCopies = space
    // The most cells of the siblings: as many as pages of this size can have, and pending ones.
    try reserveCells(64)
  }

  private func reserveCells(_ count: Int) throws(SQLError) {
    guard count > cellCapacity else { return }
    let newCapacity = max(count, 2 * cellCapacity)
    let stride = MemoryLayout<UnsafeMutablePointer<UInt8>>.stride
    let newCells = try Memory.allocate(newCapacity * stride)
    let newSizes: UnsafeMutableRawPointer
    do { newSizes = try Memory.allocate(newCapacity * MemoryLayout<Int32>.stride) } catch {
      Memory.free(newCells)
      throw error
    }
    if cellCapacity > 0 {
      Memory.free(cells)
      Memory.free(sizes)
    }
    cells = newCells.bindMemory(to: UnsafeMutablePointer<UInt8>.self, capacity: newCapacity)
    sizes = newSizes.bindMemory(to: Int32.self, capacity: newCapacity)
    cellCapacity = newCapacity
  }

  /// Balances the child at `childIndex` of `parent` with its neighbours. Afterwards the parent may
  /// be overfull or underfull; as a root without cells it takes the place of its only child.
  func balance(
    _ tree: BTree, parent: PagePointer, childIndex: Int, parentIsRoot: Bool,
    dividerSpace: UnsafeMutablePointer<UInt8>
  ) throws(SQLError) {
    defer { releasePages(tree) }
    oldCount = 0
    newCount = 0
    try gatherSiblings(tree, of: parent, childIndex: childIndex)
    try gatherCells(tree)
    try distribute(tree)
    try allocatePages(tree, parent)
    sortPages(tree)
    try linkPages(tree, parent)
    try insertDividers(tree, into: parent, dividerSpace)
    try rewritePages(tree)
    if tree.isAutoVacuum {
      for index in 0..<newCount { try tree.mapChildren(of: newPages[index].unsafelyUnwrapped) }
    }
    try finish(tree, parent, parentIsRoot: parentIsRoot)
  }

  private func releasePages(_ tree: BTree) {
    for index in 0..<Self.oldLimit {
      if let page = oldPages[index] { tree.pager.unpin(page) }
      oldPages[index] = nil
    }
    for index in 0..<Self.newLimit {
      if let page = newPages[index] { tree.pager.unpin(page) }
      newPages[index] = nil
    }
  }
}

// MARK: Gathering

extension SiblingBalance {
  /// Pins the siblings, copies the dividers between them and drops these from the parent.
  private func gatherSiblings(
    _ tree: BTree, of parent: PagePointer, childIndex: Int
  ) throws(SQLError) {
    let pendingCount = Int(parent.pointee.tree.pendingCount)
    let dividerCount = Int(parent.pointee.tree.cellCount) + pendingCount
    guard childIndex <= dividerCount, !parent.pointee.tree.isLeaf else {
      throw .corrupt("child index")
    }
    // A replaced entry that does not fit waits in the parent, to the right of the child that its
    // replacement came from.
    guard pendingCount == 0 || (pendingCount == 1
      && tree.pendingCells(of: parent)[0].index == childIndex && childIndex < dividerCount)
    else { throw .corrupt("several dividers are pending") }
    var last = dividerCount < 2 ? dividerCount : isBulkLoad ? 1 : 2
    if dividerCount < 2 || childIndex == 0 {
      firstDivider = 0
    } else if childIndex == dividerCount {
      firstDivider = dividerCount - last
    } else {
      firstDivider = childIndex - 1
    }
    // From the right, so that dropping a divider does not move those that are still to come.
    let count = last + 1
    var number = try siblingNumber(tree, last, parent)
    dividerCopiesEnd = dividerCopies
    while true {
      let page = try tree.treePage(number)
      oldPages[last] = page
      _ = try tree.freeByteCount(of: page)
      oldCount = count
      if last == 0 { break }
      last -= 1
      number = try takeDivider(tree, last, parent)
    }
  }

  /// The page of sibling `index`, before any divider is dropped. A pending cell of the parent is a
  /// divider further left.
  private func siblingNumber(
    _ tree: BTree, _ index: Int, _ parent: PagePointer
  ) throws(SQLError) -> PageNumber {
    let place = firstDivider + index - Int(parent.pointee.tree.pendingCount)
    guard place >= 0 else { throw .corrupt("several dividers are pending") }
    return try tree.childNumber(at: place, of: parent)
  }

  /// Copies divider `index` and takes it out of the parent. Returns the child on its left.
  private func takeDivider(
    _ tree: BTree, _ index: Int, _ parent: PagePointer
  ) throws(SQLError) -> PageNumber {
    var place = firstDivider + index
    if parent.pointee.tree.pendingCount > 0 {
      let pending = tree.pendingCells(of: parent)[0]
      if place == pending.index {
        copyDivider(index, pending.bytes, pending.byteCount)
        tree.clearPending(of: parent)
        return pending.bytes.pageNumber(at: 0)
      }
      place -= 1
    }
    let (source, size) = try tree.checkedCell(at: place, of: parent)
    let child = source.pageNumber(at: 0)
    copyDivider(index, source, size)
    try tree.dropCell(at: place, byteCount: size, from: parent)
    return child
  }

  private func copyDivider(_ index: Int, _ source: UnsafeMutablePointer<UInt8>, _ size: Int) {
    Memory.copy(from: source, to: dividerCopiesEnd, size)
    dividers[index] = dividerCopiesEnd
    dividerSizes[index] = size
    // A leaf's cell must not become shorter than 4 bytes when it loses the child number.
    (dividerCopiesEnd + size).update(repeating: 0, count: 4)
    dividerCopiesEnd += size + 4
  }

  private func gatherCells(_ tree: BTree) throws(SQLError) {
    let first = oldPages[0].unsafelyUnwrapped
    isLeaf = first.pointee.tree.isLeaf
    header = first.pointee.tree
    usableSize = tree.usableSize
    isTableLeaf = isLeaf && header.isTable
    capacity = tree.usableSize - (isLeaf ? 8 : 12)
    var total = 0
    for index in 0..<oldCount {
      let page = oldPages[index].unsafelyUnwrapped
      guard page.pointee.tree.isLeaf == isLeaf,
        page.pointee.tree.isTable == first.pointee.tree.isTable
      else { throw .corrupt("sibling pages of different kinds") }
      total += Int(page.pointee.tree.cellCount) + BTree.pendingCellLimit
    }
    try reserveCells(total + Self.oldLimit)
    cellCount = 0
    for index in 0..<oldCount {
      let page = oldPages[index].unsafelyUnwrapped
      try gatherCells(tree, of: page)
      oldEnds[index] = cellCount
      contentEnds[index] = page.pointee.data + tree.usableSize
      if index < oldCount - 1, !isTableLeaf { addDivider(tree, index, after: page) }
    }
  }

  private func gatherCells(_ tree: BTree, of page: PagePointer) throws(SQLError) {
    let count = Int(page.pointee.tree.cellCount)
    let pendingCount = Int(page.pointee.tree.pendingCount)
    guard pendingCount > 0 else { return try addCells(tree, of: page, 0, count) }
    let pending = tree.pendingCells(of: page)
    guard pending[0].index <= count else { throw .corrupt("pending cell index") }
    try addCells(tree, of: page, 0, pending[0].index)
    for index in 0..<pendingCount {
      cells[cellCount] = pending[index].bytes
      sizes[cellCount] = Int32(truncatingIfNeeded: pending[index].byteCount)
      cellCount += 1
    }
    try addCells(tree, of: page, pending[0].index, count)
  }

  private func addCells(
    _ tree: BTree, of page: PagePointer, _ from: Int, _ to: Int
  ) throws(SQLError) {
    let header = page.pointee.tree, data = page.pointee.data
    let limit = UInt(header.contentLimit)
    let range = UInt(tree.usableSize &- 4) &- limit
    let count = max(to - from, 0)
    var pointer = UnsafePointer(data) + Int(header.cellPointerOffset) + 2 * from
    var target = cells + cellCount
    let end = target + count
    while target < end {
      let offset = UInt(pointer.bigEndianUInt16())
      guard offset &- limit <= range else { throw .corrupt("cell pointer") }
      target.pointee = data + Int(offset)
      target += 1
      pointer += 2
    }
    (sizes + cellCount).update(repeating: 0, count: count)
    cellCount += count
  }

  /// Size of a cell, or of a divider as a cell.
  @inline(__always)
  func size(at index: Int) throws(SQLError) -> Int {
    let size = sizes[index]
    return size != 0 ? Int(size) : try findSize(at: index)
  }

  private func findSize(at index: Int) throws(SQLError) -> Int {
    var sibling = 0
    while sibling < oldCount &- 1, index >= oldEnds[sibling] { sibling &+= 1 }
    let cell = cells[index]
    let size = header.cellSize(cell, usableSize: usableSize)
    guard cell + size <= contentEnds[sibling] else { throw .corrupt("cell extends past the page") }
    sizes[index] = Int32(truncatingIfNeeded: size)
    return size
  }

  private func addDivider(_ tree: BTree, _ index: Int, after page: PagePointer) {
    let divider = dividers[index]
    if isLeaf {
      cells[cellCount] = divider + 4
      sizes[cellCount] = Int32(max(dividerSizes[index] - 4, 4))
    } else {
      cells[cellCount] = divider
      sizes[cellCount] = Int32(dividerSizes[index])
      // Wherever the divider goes, the last child of the page before it comes along.
      divider.setUInt32(tree.rightChild(of: page).rawValue, at: 0)
    }
    cellCount += 1
  }
}
