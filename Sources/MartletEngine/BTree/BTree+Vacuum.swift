// Auto-vacuum: pages from the end of the file move to free places, and the file is cut.
//
//     … | page in use | free | … | last page |        the last page moves to the free place,
//                        ↑____________|               its parent and its children learn of it

extension BTree {
  /// Moves a page's content to another page, and all that points to it. What the page's old place
  /// becomes is the caller's concern.
  func movePage(
    _ number: PageNumber, _ kind: PointerMapKind, parent: PageNumber, to target: PageNumber
  ) throws(SQLError) {
    guard number.rawValue >= 3 else { throw .corrupt("page to be moved") }
    let copy = try copyPage(number, to: target)
    defer { pager.unpin(copy) }
    if kind == .treePage || kind == .rootPage {
      copy.pointee.tree.isChecked = false
      pager.unpin(try treePage(target))
      try mapChildren(of: copy)
    } else {
      let next = copy.pointee.data.pageNumber(at: 0)
      if next.rawValue != 0 {
        try setPointerMapEntry(for: next, parent: target, kind: .laterOverflow)
      }
    }
    guard kind != .rootPage else {
      return try setPointerMapEntry(for: target, parent: parent, kind: kind)
    }
    try redirect(from: number, to: target, kind, in: parent)
    try setPointerMapEntry(for: target, parent: parent, kind: kind)
  }

  private func copyPage(
    _ number: PageNumber, to target: PageNumber
  ) throws(SQLError) -> PagePointer {
    let page = try rawPage(number), copy = try rawPage(target)
    defer { pager.unpin(page) }
    do throws(SQLError) {
      guard copy.pointee.pinCount == 1, page.pointee.pinCount == 1 else {
        throw .corrupt("page to be moved is in use")
      }
      try pager.makeWritable(page)
      try pager.makeWritable(copy)
    } catch {
      pager.unpin(copy)
      throw error
    }
    Memory.copy(from: page.pointee.data, to: copy.pointee.data, pager.pageSize)
    copy.pointee.tree.isChecked = false
    page.pointee.tree.isChecked = false
    return copy
  }

  /// Changes the number of a page that moved, in the page that points to it.
  private func redirect(
    from old: PageNumber, to new: PageNumber, _ kind: PointerMapKind, in parent: PageNumber
  ) throws(SQLError) {
    if kind == .laterOverflow {
      let page = try rawPage(parent)
      defer { pager.unpin(page) }
      guard page.pointee.data.pageNumber(at: 0) == old else {
        throw .corrupt("pointer-map entry of an overflow page")
      }
      try pager.makeWritable(page)
      page.pointee.data.setUInt32(new.rawValue, at: 0)
      return
    }
    let page = try treePage(parent)
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    let tree = page.pointee.tree
    for index in 0..<Int(tree.cellCount) {
      let cell = try checkedCell(at: index, of: page).cell
      var link = -1
      if kind == .firstOverflow {
        let layout = cellLayout(cell, tree)
        if layout.overflows { link = layout.payloadOffset + layout.localSize }
      } else if !tree.isLeaf {
        link = 0
      }
      if link >= 0, cell.pageNumber(at: link) == old {
        cell.setUInt32(new.rawValue, at: link)
        return
      }
    }
    guard kind == .treePage, !tree.isLeaf, rightChild(of: page) == old else {
      throw .corrupt("pointer-map entry without a pointer")
    }
    setRightChild(new, of: page)
  }

  /// The size of the file once `freeCount` free pages, and the pages of the map that are then
  /// useless, are gone.
  private func finalPageCount(_ pageCount: UInt32, freeCount: UInt32) -> UInt32 {
    let entryCount = Int(usableSize / 5)
    let lastMap = Int(pointerMapPage(for: PageNumber(pageCount)).rawValue)
    let maps = (Int(freeCount) - Int(pageCount) + lastMap + entryCount) / entryCount
    var final = Int(pageCount) - Int(freeCount) - maps
    if pageCount > lockBytePage, final < Int(lockBytePage) { final -= 1 }
    while final > 1, isReserved(PageNumber(UInt32(final))) { final -= 1 }
    return UInt32(max(final, 0))
  }

  /// Shortens the file by one page, and by the pages of the map before it. False if there are no
  /// free pages.
  func incrementalVacuumStep() throws(SQLError) -> Bool {
    guard isAutoVacuum else { return false }
    let pageCount = pager.pageCount, freeCount = try meta(.freePageCount)
    guard freeCount < pageCount else { throw .corrupt("freelist is longer than the file") }
    guard freeCount > 0 else { return false }
    let final = finalPageCount(pageCount, freeCount: freeCount)
    guard final > 0, final <= pageCount else { throw .corrupt("size after vacuuming") }
    try saveAllCursors()
    var last = pageCount
    try vacate(PageNumber(last), final: final, isWhole: false)
    repeat { last -= 1 } while last > 1 && isReserved(PageNumber(last))
    try setPageCount(last)
    return true
  }

  /// Says how many of the free pages shall leave a file of so many pages.
  typealias VacuumChoice = (_ pageCount: UInt32, _ freeCount: UInt32) -> UInt32

  /// Full auto-vacuum: all free pages leave the file, or as many as were chosen.
  func vacuumForCommit(_ choose: VacuumChoice?) throws(SQLError) {
    let pageCount = pager.pageCount, freeCount = try meta(.freePageCount)
    // SQLite asks also where nothing is free.
    let chosenCount = min(freeCount, choose?(pageCount, freeCount) ?? freeCount)
    guard chosenCount > 0 else { return }
    guard !isReserved(PageNumber(pageCount)) else { throw .corrupt("last page of the file") }
    guard freeCount < pageCount else { throw .corrupt("freelist is longer than the file") }
    let isWhole = chosenCount == freeCount
    let final = finalPageCount(pageCount, freeCount: chosenCount)
    guard final > 0, final <= pageCount else { throw .corrupt("size after vacuuming") }
    if final < pageCount { try saveAllCursors() }
    var last = pageCount
    while last > final {
      if try !vacate(PageNumber(last), final: final, isWhole: isWhole) { break }
      last -= 1
    }
    if isWhole { try forgetFreelist() }
    try setPageCount(final)
  }

  private func forgetFreelist() throws(SQLError) {
    let first = try rawPage(PageNumber(1))
    defer { pager.unpin(first) }
    try pager.makeWritable(first)
    first.pointee.data.setUInt32(0, at: 32)
    first.pointee.data.setUInt32(0, at: 36)
  }

  /// Moves what is on page `last` to a free page before it; where all free pages go, before the end
  /// that the file will have. False if there are no free pages.
  @discardableResult
  private func vacate(
    _ last: PageNumber, final: UInt32, isWhole: Bool
  ) throws(SQLError) -> Bool {
    if isReserved(last) { return true }
    guard try meta(.freePageCount) > 0 else { return false }
    let entry = try pointerMapEntry(for: last)
    guard entry.kind != .rootPage else { throw .corrupt("root page at the end of the file") }
    if entry.kind == .freePage {
      // Where the whole freelist will be forgotten, the page may stay in it.
      if !isWhole { pager.unpin(try allocatePage(near: last, .exact)) }
      return true
    }
    let target = try freePlace(before: final, isWhole: isWhole)
    try movePage(last, entry.kind, parent: entry.parent, to: target)
    return true
  }

  private func freePlace(before final: UInt32, isWhole: Bool) throws(SQLError) -> PageNumber {
    let pageCount = pager.pageCount
    var target: PageNumber
    repeat {
      let page =
        isWhole
        ? try allocatePage(near: PageNumber(0), .any)
        : try allocatePage(near: PageNumber(final), .notAfter)
      target = page.pointee.number
      pager.unpin(page)
      guard target.rawValue <= pageCount else { throw .corrupt("freelist is shorter than counted") }
    } while isWhole && target.rawValue > final
    return target
  }

  private func setPageCount(_ pageCount: UInt32) throws(SQLError) {
    let first = try rawPage(PageNumber(1))
    defer { pager.unpin(first) }
    try pager.makeWritable(first)
    first.pointee.data.setUInt32(pageCount, at: 28)
    pager.truncateImage(to: pageCount)
  }
}
