// Taking pages for trees and overflow chains, and giving them back (fileformat2 §1.5).
//
// A page that becomes free goes to the first trunk of the freelist as a leaf, or becomes the first
// trunk itself when that one is full. A page is taken from the leaves of the first trunk, the one
// nearest to where it is wanted; auto-vacuum may ask for a particular page, or for one at or before
// a page, and then all trunks are searched. Without free pages the file grows.

/// Which free page will do.
enum PageChoice {
  /// Whatever is nearest.
  case any
  /// The page itself if it is free, else any.
  case exact
  /// A page that is not behind it, if there is one.
  case notAfter
}

extension BTree {
  /// The most leaves that a trunk gets. Its last six places stay empty for old versions that would
  /// misread a full one (fileformat2 §1.5).
  private var trunkLeafLimit: Int { usableSize / 4 - 8 }

  /// A page for new content: pinned, writable, of undefined content.
  func allocatePage(near nearby: PageNumber, _ choice: PageChoice) throws(SQLError) -> PagePointer {
    let first = try rawPage(PageNumber(1))
    defer { pager.unpin(first) }
    let freeCount = first.pointee.data.uint32(at: 36)
    guard freeCount < pager.pageCount else { throw .corrupt("freelist is longer than the file") }
    let page: PagePointer
    if freeCount == 0 {
      page = try growFile(first)
    } else {
      page = try takeFreePage(near: nearby, choice, first, freeCount)
    }
    page.pointee.tree.isChecked = false
    return page
  }

  /// A page at the end of the file, behind a page of the pointer map where one is due.
  private func growFile(_ first: PagePointer) throws(SQLError) -> PagePointer {
    try pager.makeWritable(first)
    var page = try pager.appendPage()
    if isAutoVacuum, pointerMapPage(for: page.pointee.number) == page.pointee.number {
      page.pointee.tree.isChecked = false
      pager.unpin(page)
      page = try pager.appendPage()
    }
    first.pointee.data.setUInt32(pager.pageCount, at: 28)
    return page
  }

  private func takeFreePage(
    near nearby: PageNumber, _ choice: PageChoice, _ first: PagePointer, _ freeCount: UInt32
  ) throws(SQLError) -> PagePointer {
    var search = FreelistSearch(nearby: nearby, choice: choice)
    if choice == .exact, isAutoVacuum {
      if nearby.rawValue <= pager.pageCount, try pointerMapEntry(for: nearby).kind == .freePage {
        search.isWide = true
      }
    } else if choice == .notAfter {
      search.isWide = true
    }
    try pager.makeWritable(first)
    first.pointee.data.setUInt32(freeCount - 1, at: 36)
    var previous: PagePointer?
    defer { if let previous { pager.unpin(previous) } }
    var visited: UInt32 = 0
    while true {
      let number =
        previous.map { $0.pointee.data.pageNumber(at: 0) } ?? first.pointee.data.pageNumber(at: 32)
      guard number.rawValue >= 2, number.rawValue <= pager.pageCount, visited <= freeCount else {
        throw .corrupt("freelist trunk number")
      }
      visited += 1
      let trunk = try rawPage(number)
      trunk.pointee.tree.isChecked = false
      let found: PagePointer?
      do throws(SQLError) {
        found = try take(from: trunk, after: previous ?? first, search)
        if found == trunk, trunk.pointee.pinCount != 1 { throw .corrupt("free page is in use") }
      } catch {
        pager.unpin(trunk)
        throw error
      }
      if let found {
        if found != trunk { pager.unpin(trunk) }
        return found
      }
      if let previous { pager.unpin(previous) }
      previous = trunk
    }
  }

  private struct FreelistSearch {
    let nearby: PageNumber
    let choice: PageChoice
    /// Every trunk is looked at for the page that is wanted.
    var isWide = false

    func accepts(_ page: PageNumber) -> Bool {
      page == nearby || (choice == .notAfter && page < nearby)
    }
  }

  /// Takes the trunk itself or one of its leaves, if the search accepts it. `link` is the trunk
  /// before, or page 1.
  private func take(
    from trunk: PagePointer, after link: PagePointer, _ search: FreelistSearch
  ) throws(SQLError) -> PagePointer? {
    let data = trunk.pointee.data
    let leafCount = Int(data.uint32(at: 4))
    if leafCount == 0, !search.isWide {
      try pager.makeWritable(trunk)
      try setNextTrunk(data.pageNumber(at: 0), after: link)
      return trunk
    }
    guard leafCount <= usableSize / 4 - 2 else { throw .corrupt("freelist trunk is too full") }
    if search.isWide, search.accepts(trunk.pointee.number) {
      try replaceTrunk(trunk, leafCount, after: link)
      return trunk
    }
    guard leafCount > 0 else { return nil }
    let index = nearestLeaf(data, leafCount, search)
    let leaf = data.pageNumber(at: 8 + 4 * index)
    guard leaf.rawValue >= 2, leaf.rawValue <= pager.pageCount else {
      throw .corrupt("freelist leaf number")
    }
    guard !search.isWide || search.accepts(leaf) else { return nil }
    try pager.makeWritable(trunk)
    if index < leafCount - 1 {
      data.setUInt32(data.uint32(at: 4 + 4 * leafCount), at: 8 + 4 * index)
    }
    data.setUInt32(UInt32(leafCount - 1), at: 4)
    return try contentPage(leaf)
  }

  private func nearestLeaf(
    _ data: UnsafeMutablePointer<UInt8>, _ leafCount: Int, _ search: FreelistSearch
  ) -> Int {
    let nearby = Int64(search.nearby.rawValue)
    guard nearby > 0 else { return 0 }
    if search.choice == .notAfter {
      for index in 0..<leafCount where Int64(data.uint32(at: 8 + 4 * index)) <= nearby {
        return index
      }
      return 0
    }
    var best = 0, bestDistance = Int64.max
    for index in 0..<leafCount {
      let distance = abs(Int64(data.uint32(at: 8 + 4 * index)) - nearby)
      if distance < bestDistance {
        best = index
        bestDistance = distance
      }
    }
    return best
  }

  private func setNextTrunk(_ next: PageNumber, after link: PagePointer) throws(SQLError) {
    try pager.makeWritable(link)
    link.pointee.data.setUInt32(next.rawValue, at: link.pointee.number.rawValue == 1 ? 32 : 0)
  }

  /// Takes a trunk out of the list; its first leaf takes over the others.
  private func replaceTrunk(
    _ trunk: PagePointer, _ leafCount: Int, after link: PagePointer
  ) throws(SQLError) {
    try pager.makeWritable(trunk)
    let data = trunk.pointee.data
    guard leafCount > 0 else { return try setNextTrunk(data.pageNumber(at: 0), after: link) }
    let number = data.pageNumber(at: 8)
    guard number.rawValue >= 2, number.rawValue <= pager.pageCount, number != trunk.pointee.number
    else { throw .corrupt("freelist leaf number") }
    let successor = try rawPage(number)
    defer { pager.unpin(successor) }
    try pager.makeWritable(successor)
    successor.pointee.tree.isChecked = false
    successor.pointee.data.setUInt32(data.uint32(at: 0), at: 0)
    successor.pointee.data.setUInt32(UInt32(leafCount - 1), at: 4)
    Memory.copy(from: data + 12, to: successor.pointee.data + 8, 4 * (leafCount - 1))
    try setNextTrunk(number, after: link)
  }

  /// A page of the freelist for new content. What a page had before this transaction freed it must
  /// be kept for a rollback; what was free before is of no interest.
  private func contentPage(_ number: PageNumber) throws(SQLError) -> PagePointer {
    let page = try pager.newContent(of: number, hadContent: freedPages.contains(number))
    guard page.pointee.pinCount == 1 else {
      pager.unpin(page)
      throw .corrupt("free page is in use")
    }
    return page
  }
}

// MARK: Freeing

extension BTree {
  /// Puts a page on the freelist.
  func freePage(_ number: PageNumber) throws(SQLError) {
    guard number.rawValue >= 2, number.rawValue <= pager.pageCount else {
      throw .corrupt("page to be freed")
    }
    let first = try rawPage(PageNumber(1))
    defer { pager.unpin(first) }
    try pager.makeWritable(first)
    let data = first.pointee.data
    let freeCount = data.uint32(at: 36)
    data.setUInt32(freeCount &+ 1, at: 36)
    if secureDelete == .on { try erase(number) }
    if isAutoVacuum {
      try setPointerMapEntry(for: number, parent: PageNumber(0), kind: .freePage)
    }
    let trunkNumber = data.pageNumber(at: 32)
    if freeCount > 0, try addLeaf(number, to: trunkNumber) { return }
    let page = try rawPage(number)
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    page.pointee.tree.isChecked = false
    page.pointee.data.setUInt32(freeCount > 0 ? trunkNumber.rawValue : 0, at: 0)
    page.pointee.data.setUInt32(0, at: 4)
    data.setUInt32(number.rawValue, at: 32)
  }

  /// Makes a page a leaf of the trunk. False if the trunk is full.
  private func addLeaf(
    _ number: PageNumber, to trunkNumber: PageNumber
  ) throws(SQLError) -> Bool {
    guard trunkNumber.rawValue >= 2, trunkNumber.rawValue <= pager.pageCount else {
      throw .corrupt("freelist trunk number")
    }
    let trunk = try rawPage(trunkNumber)
    defer { pager.unpin(trunk) }
    let leafCount = Int(trunk.pointee.data.uint32(at: 4))
    guard leafCount <= usableSize / 4 - 2 else { throw .corrupt("freelist trunk is too full") }
    guard leafCount < trunkLeafLimit else { return false }
    try pager.makeWritable(trunk)
    trunk.pointee.tree.isChecked = false
    trunk.pointee.data.setUInt32(UInt32(leafCount + 1), at: 4)
    trunk.pointee.data.setUInt32(number.rawValue, at: 8 + 4 * leafCount)
    if let page = pager.cache.pinnedFrame(number) {
      page.pointee.tree.isChecked = false
      if secureDelete != .on { pager.dontWrite(page) }
      pager.unpin(page)
    }
    try freedPages.insert(number)
    return true
  }

  private func erase(_ number: PageNumber) throws(SQLError) {
    let page = try rawPage(number)
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    page.pointee.data.update(repeating: 0, count: pager.pageSize)
  }

  /// Frees a page and the caller's hold on it.
  func free(_ page: PagePointer) throws(SQLError) {
    defer { pager.unpin(page) }
    try freePage(page.pointee.number)
  }
}
