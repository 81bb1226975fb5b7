// What `PRAGMA integrity_check` and `quick_check` find out about trees and pages (pragma,
// integrity_check): every page belongs to exactly one tree, chain, freelist or pointer map; pages
// are well formed and without gaps that nobody accounts for; rowids ascend; leaves are equally
// deep; the pointer map is right. Whether index entries match rows is for the program that asks.
//
// Messages are SQLite's, word by word.

/// A check of one database at work.
final class IntegrityCheck {
  let tree: BTree
  private var limit: Int
  private let attend: () throws(SQLError) -> Void
  private(set) var messages: [String] = []
  private let used = PageSet()
  private let pageCount: UInt32
  private let usableSize: Int
  private let isAutoVacuum: Bool

  /// What messages begin with: where the check is.
  private enum Place {
    case none, freelist
    case page(PageNumber)
    case cell(PageNumber, Int)
    case rightChild(PageNumber)
  }
  private var place = Place.none
  private var root = PageNumber(0)
  /// The cell index in messages about a right child: SQLite leaves the one of the page above.
  private var shownCell = 0
  private var entryCount: Int64 = 0
  /// Beginning and end of everything that is on a page, as `first << 16 | last`.
  private var extents: [UInt32] = []

  /// Deeper trees are not followed: the stack is bounded.
  private static let maximumDepth = 200

  fileprivate init(
    _ tree: BTree, limit: Int, _ attend: @escaping () throws(SQLError) -> Void
  ) throws(SQLError) {
    self.tree = tree
    self.limit = limit
    self.attend = attend
    pageCount = tree.pager.pageCount
    usableSize = tree.usableSize
    isAutoVacuum = try tree.meta(.largestRootPage) != 0
  }

  private func report(_ message: String) {
    guard limit > 0 else { return }
    limit -= 1
    switch place {
    case .none: messages.append(message)
    case .freelist: messages.append("Freelist: " + message)
    case .page(let page):
      messages.append("Tree \(root.rawValue) page \(page.rawValue): " + message)
    case .cell(let page, let cell):
      messages.append("Tree \(root.rawValue) page \(page.rawValue) cell \(cell): " + message)
    case .rightChild(let page):
      messages.append("Tree \(root.rawValue) page \(page.rawValue) right child: " + message)
    }
  }
}

extension BTree {
  /// Checks the file, whose trees have these root pages. Returns at most `limit` messages, none for
  /// a file in order, and the number of entries of each tree.
  ///
  /// With a root page of 0 in front, only the trees behind it are checked (the partial check of
  /// one table).
  ///
  /// - Parameter attend: asked at each page, whether the check may go on.
  func integrityCheck(
    roots: [PageNumber], limit: Int,
    attend: @escaping () throws(SQLError) -> Void = { () throws(SQLError) in }
  ) throws(SQLError) -> (messages: [String], entryCounts: [Int64]) {
    guard pager.pageCount > 0 else { return ([], roots.map { _ in 0 }) }
    let check = try IntegrityCheck(self, limit: limit, attend)
    let entryCounts = try check.run(roots)
    return (check.messages, entryCounts)
  }
}

extension IntegrityCheck {
  fileprivate func run(_ roots: [PageNumber]) throws(SQLError) -> [Int64] {
    let isPartial = roots.first?.rawValue == 0
    if tree.lockBytePage <= pageCount { try used.insert(PageNumber(tree.lockBytePage)) }
    if !isPartial { try checkHeader(roots) }
    var entryCounts: [Int64] = []
    for root in roots {
      entryCount = 0
      if root.rawValue != 0, limit > 0 {
        self.root = root
        if isAutoVacuum, root.rawValue > 1, !isPartial {
          try checkPointerMap(root, .rootPage, parent: PageNumber(0))
        }
        var bound = Int64.max
        _ = try checkTree(root, &bound, level: 0)
      }
      entryCounts.append(entryCount)
    }
    if !isPartial { checkUse() }
    return entryCounts
  }

  private func checkHeader(_ roots: [PageNumber]) throws(SQLError) {
    let first = try tree.rawPage(PageNumber(1))
    let trunk = first.pointee.data.pageNumber(at: 32)
    let freeCount = first.pointee.data.uint32(at: 36)
    let largestRoot = first.pointee.data.uint32(at: 52)
    let incremental = first.pointee.data.uint32(at: 64)
    tree.pager.unpin(first)
    place = .freelist
    try checkList(from: trunk, count: freeCount, isFreelist: true)
    place = .none
    if isAutoVacuum {
      let largest = roots.map(\.rawValue).max() ?? 0
      if largest != largestRoot {
        report("max rootpage (\(largest)) disagrees with header (\(largestRoot))")
      }
    } else if incremental != 0 {
      report("incremental_vacuum enabled with a max rootpage of zero")
    }
  }

  /// Every page has its place, and pages of the pointer map have no other.
  private func checkUse() {
    place = .none
    for number in 1...pageCount {
      guard limit > 0 else { return }
      let page = PageNumber(number)
      let isMap = isAutoVacuum && tree.pointerMapPage(for: page) == page
      let isUsed = used.contains(page)
      if !isUsed, !isMap { report("Page \(number): never used") }
      if isUsed, isMap { report("Page \(number): pointer map referenced") }
    }
  }

  /// Notes that a page is used. False if it cannot be, or is already.
  private func use(_ page: PageNumber) throws(SQLError) -> Bool {
    try attend()
    guard page.rawValue &- 1 < pageCount else {
      report("invalid page number \(page.rawValue)")
      return false
    }
    guard try used.insert(page) else {
      report("2nd reference to page \(page.rawValue)")
      return false
    }
    return true
  }

  private func checkPointerMap(
    _ page: PageNumber, _ kind: PointerMapKind, parent: PageNumber
  ) throws(SQLError) {
    let entry: (kind: UInt8, parent: PageNumber)
    do {
      entry = try tree.rawPointerMapEntry(for: page)
      guard PointerMapKind(rawValue: entry.kind) != nil else { throw SQLError(.corrupt) }
    } catch {
      return report("Failed to read ptrmap key=\(page.rawValue)")
    }
    guard entry.kind != kind.rawValue || entry.parent != parent else { return }
    report(
      "Bad ptr map entry key=\(page.rawValue) expected=(\(kind.rawValue),\(parent.rawValue)) "
        + "got=(\(entry.kind),\(entry.parent.rawValue))")
  }

  /// Checks the freelist, or an overflow chain.
  private func checkList(
    from first: PageNumber, count: UInt32, isFreelist: Bool
  ) throws(SQLError) {
    // Unsigned as in SQLite: a chain that is too long makes it a large number.
    var remaining = count, number = first
    let messageCount = messages.count
    while number.rawValue != 0, limit > 0 {
      guard try use(number) else { break }
      remaining &-= 1
      let page: PagePointer
      do { page = try tree.rawPage(number) } catch {
        report("failed to get page \(number.rawValue)")
        break
      }
      defer { tree.pager.unpin(page) }
      let next = page.pointee.data.pageNumber(at: 0)
      if isFreelist {
        remaining &-= try checkTrunk(page)
      } else if isAutoVacuum, remaining > 0 {
        try checkPointerMap(next, .laterOverflow, parent: number)
      }
      number = next
    }
    if remaining != 0, messages.count == messageCount {
      let what = isFreelist ? "size" : "overflow list length"
      report("\(what) is \(count &- remaining) but should be \(count)")
    }
  }

  /// Checks the leaves of a trunk; returns how many they are.
  private func checkTrunk(_ page: PagePointer) throws(SQLError) -> UInt32 {
    let number = page.pointee.number
    let leafCount = page.pointee.data.uint32(at: 4)
    if isAutoVacuum { try checkPointerMap(number, .freePage, parent: PageNumber(0)) }
    guard leafCount <= UInt32(usableSize / 4 - 2) else {
      report("freelist leaf count too big on page \(number.rawValue)")
      return 1
    }
    for index in 0..<Int(leafCount) {
      let leaf = page.pointee.data.pageNumber(at: 8 + 4 * index)
      if isAutoVacuum { try checkPointerMap(leaf, .freePage, parent: PageNumber(0)) }
      _ = try use(leaf)
    }
    return leafCount
  }
}

// MARK: Trees

extension IntegrityCheck {
  /// Checks a page and what is below. `bound` is the largest rowid that may be there; afterwards it
  /// is the smallest that is. Returns the number of levels below, 0 for a page that cannot be used.
  private func checkTree(
    _ number: PageNumber, _ bound: inout Int64, level: Int
  ) throws(SQLError) -> Int {
    guard limit > 0, number.rawValue != 0 else { return 0 }
    guard try use(number) else { return 0 }
    let outerPlace = place, outerCell = shownCell
    defer {
      place = outerPlace
      shownCell = outerCell
    }
    place = .page(number)
    guard let page = try usablePage(number) else { return 0 }
    defer { tree.pager.unpin(page) }
    guard level < Self.maximumDepth else {
      report("Child page depth differs")
      return 0
    }
    let header = page.pointee.tree
    if header.isLeaf || !header.isTable { entryCount += Int64(header.cellCount) }
    extents.removeAll(keepingCapacity: true)
    let isOrderly = try checkCells(of: page, &bound, level: level)
    if isOrderly.coversPage, limit > 0 {
      place = .none
      if !header.isLeaf { listExtents(of: page) }
      checkCoverage(of: page)
    }
    return isOrderly.depth + 1
  }

  private func usablePage(_ number: PageNumber) throws(SQLError) -> PagePointer? {
    let page: PagePointer
    do { page = try tree.rawPage(number) } catch {
      report("unable to get the page. error code=\(error.code.rawValue)")
      return nil
    }
    // A page is checked as it is now, not as it was when it was first used.
    page.pointee.tree.isChecked = false
    do {
      let again = try tree.treePage(number)
      tree.pager.unpin(again)
      page.pointee.tree.freeByteCount = -1
    } catch {
      report(
        hasPlausibleHeader(page)
          ? "free space corruption"
          : "btreeInitPage() returns error code \(error.code.rawValue)")
      tree.pager.unpin(page)
      return nil
    }
    do { _ = try tree.freeByteCount(of: page) } catch {
      report("free space corruption")
      tree.pager.unpin(page)
      return nil
    }
    return page
  }

  /// Whether only the space that the cell pointers take is wrong.
  private func hasPlausibleHeader(_ page: PagePointer) -> Bool {
    let header = page.pointee.number.rawValue == 1 ? 100 : 0
    return [2, 5, 10, 13].contains(page.pointee.data[header])
      && page.pointee.data.uint16(at: header + 3) <= (tree.pager.pageSize - 8) / 6
  }

  /// Checks the cells from the last to the first, and the children.
  private func checkCells(
    of page: PagePointer, _ bound: inout Int64, level: Int
  ) throws(SQLError) -> (depth: Int, coversPage: Bool) {
    let header = page.pointee.tree, number = page.pointee.number
    let data = page.pointee.data
    let contentStart = tree.contentStart(of: page)
    var depth = -1, coversPage = true, mayEqualBound = true
    if !header.isLeaf {
      let child = tree.rightChild(of: page)
      if isAutoVacuum {
        place = .rightChild(number)
        try checkPointerMap(child, .treePage, parent: number)
      } else {
        place = .cell(number, shownCell)
      }
      depth = try checkTree(child, &bound, level: level + 1)
      mayEqualBound = false
    }
    for index in (0..<Int(header.cellCount)).reversed() {
      guard limit > 0 else { break }
      // With auto-vacuum, SQLite's messages go on about the right child.
      if header.isLeaf || !isAutoVacuum { place = .cell(number, index) }
      shownCell = index
      let offset = data.uint16(at: Int(header.cellPointerOffset) + 2 * index)
      guard offset >= contentStart, offset <= usableSize - 4 else {
        report("Offset \(offset) out of range \(contentStart)..\(usableSize - 4)")
        coversPage = false
        continue
      }
      let cell = data + offset
      let layout = tree.cellLayout(cell, header)
      guard offset + layout.byteCount <= usableSize else {
        report("Extends off end of page")
        coversPage = false
        continue
      }
      if header.isTable {
        if layout.rowid > bound || (layout.rowid == bound && !mayEqualBound) {
          report("Rowid \(layout.rowid) out of order")
        }
        bound = layout.rowid
        mayEqualBound = false
      }
      try checkOverflow(of: cell, layout, number)
      if header.isLeaf {
        extents.append(extent(offset, layout.byteCount))
      } else {
        let child = cell.pageNumber(at: 0)
        if isAutoVacuum { try checkPointerMap(child, .treePage, parent: number) }
        let childDepth = try checkTree(child, &bound, level: level + 1)
        mayEqualBound = false
        if childDepth != depth {
          report("Child page depth differs")
          depth = childDepth
        }
      }
    }
    return (depth, coversPage)
  }

  private func checkOverflow(
    of cell: UnsafeMutablePointer<UInt8>, _ layout: CellLayout, _ number: PageNumber
  ) throws(SQLError) {
    guard layout.overflows else { return }
    let first = cell.pageNumber(at: layout.byteCount - 4)
    let chainLength =
      (layout.payloadSize - layout.localSize + usableSize - 5) / (usableSize - 4)
    if isAutoVacuum { try checkPointerMap(first, .firstOverflow, parent: number) }
    try checkList(from: first, count: UInt32(chainLength), isFreelist: false)
  }

  private func extent(_ offset: Int, _ byteCount: Int) -> UInt32 {
    UInt32(offset) << 16 | UInt32(truncatingIfNeeded: offset + byteCount - 1) & 0xffff
  }

  private func listExtents(of page: PagePointer) {
    extents.removeAll(keepingCapacity: true)
    let header = page.pointee.tree, data = page.pointee.data
    for index in 0..<Int(header.cellCount) {
      let offset = data.uint16(at: Int(header.cellPointerOffset) + 2 * index)
      extents.append(extent(offset, tree.cellSize(data + offset, header)))
    }
  }

  /// Cells, free blocks and fragments must be all that is on the page, each byte once.
  private func checkCoverage(of page: PagePointer) {
    let data = page.pointee.data, header = Int(page.pointee.tree.headerOffset)
    let number = page.pointee.number.rawValue
    // That the free blocks are inside the page was checked when they were counted.
    var block = data.uint16(at: header + 1)
    while block > 0 {
      extents.append(extent(block, data.uint16(at: block + 2)))
      block = data.uint16(at: block)
    }
    extents.sort()
    var last = tree.contentStart(of: page) - 1, fragments = 0
    for (index, extent) in extents.enumerated() {
      let start = Int(extent >> 16)
      if last >= start {
        report("Multiple uses for byte \(start) of page \(number)")
        if index < extents.count - 1 { return }
        break
      }
      fragments += start - last - 1
      last = Int(extent & 0xffff)
    }
    fragments += usableSize - last - 1
    let reported = Int(data[header + 7])
    if fragments != reported {
      report("Fragmentation of \(fragments) bytes reported as \(reported) on page \(number)")
    }
  }
}
