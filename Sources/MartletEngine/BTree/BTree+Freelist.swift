// Pages that no tree has: the freelist, and the pointer map of files with auto-vacuum
// (fileformat2 §1.5, §1.8).
//
//     freelist trunk    | next trunk u32 | leaf count u32 | leaf page u32 × count |
//     pointer map       | kind u8, parent page u32 | for each of the following pages

/// What a page is, by its entry in the pointer map.
enum PointerMapKind: UInt8 {
  case rootPage = 1
  case freePage = 2
  /// First page of a cell's overflow chain; the parent is the cell's page.
  case firstOverflow = 3
  /// Further page of an overflow chain; the parent is the page before.
  case laterOverflow = 4
  case treePage = 5
}

extension BTree {
  /// Calls `visit` for each page of the freelist, trunks before their leaves, and ends with an
  /// error where the list is broken, longer than the file or returns to itself.
  func visitFreePages(
    _ visit: (PageNumber, _ isTrunk: Bool) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard pager.pageCount > 0 else { return }
    var remaining = try meta(.freePageCount)
    var trunk = try firstFreelistTrunk()
    while trunk.rawValue != 0 {
      guard remaining > 0 else { throw .corrupt("freelist is longer than its count") }
      let page = try rawPage(trunk)
      defer { pager.unpin(page) }
      let data = UnsafePointer(page.pointee.data)
      let leafCount = data.bigEndianUInt32(at: 4)
      guard leafCount <= UInt32(pager.usableSize / 4 - 2), leafCount < remaining else {
        throw .corrupt("freelist trunk has too many leaves")
      }
      try visit(trunk, true)
      for index in 0..<Int(leafCount) {
        let leaf = PageNumber(data.bigEndianUInt32(at: 8 + 4 * index))
        guard leaf.rawValue &- 1 < pager.pageCount else { throw .corrupt("freelist leaf number") }
        try visit(leaf, false)
      }
      remaining -= leafCount + 1
      trunk = PageNumber(data.bigEndianUInt32())
    }
    guard remaining == 0 else { throw .corrupt("freelist is shorter than its count") }
  }

  private func firstFreelistTrunk() throws(SQLError) -> PageNumber {
    let page = try pager.page(PageNumber(1))
    defer { pager.unpin(page) }
    return PageNumber(page.pointee.data.bigEndianUInt32(at: 32))
  }

  /// The pointer-map page that has the entry of page `number`, which may be that page itself.
  func pointerMapPage(for number: PageNumber) -> PageNumber {
    assert(number.rawValue >= 2, "page 1 has no entry")
    let pagesPerMap = UInt32(pager.usableSize / 5 + 1)
    let map = (number.rawValue - 2) / pagesPerMap * pagesPerMap + 2
    return PageNumber(map == lockBytePage ? map + 1 : map)
  }

  /// The page that no file uses: it holds the lock bytes (fileformat2 §1.4).
  var lockBytePage: UInt32 { UInt32(0x4000_0000 / pager.pageSize) + 1 }

  /// What the pointer map says of page `number`.
  func pointerMapEntry(
    for number: PageNumber
  ) throws(SQLError) -> (kind: PointerMapKind, parent: PageNumber) {
    guard number.rawValue >= 2 else { throw .corrupt("page has no pointer-map entry") }
    let mapNumber = pointerMapPage(for: number)
    let offset = 5 * (Int(number.rawValue) - Int(mapNumber.rawValue) - 1)
    guard offset >= 0, offset + 5 <= pager.usableSize else {
      throw .corrupt("page has no pointer-map entry")
    }
    let page = try rawPage(mapNumber)
    defer { pager.unpin(page) }
    guard let kind = PointerMapKind(rawValue: page.pointee.data[offset]) else {
      throw .corrupt("pointer-map entry kind")
    }
    return (kind, PageNumber(page.pointee.data.bigEndianUInt32(at: offset + 1)))
  }
}
