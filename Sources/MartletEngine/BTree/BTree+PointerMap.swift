// The pointer map of files with auto-vacuum (fileformat2 §1.8).
//
//     | kind u8, parent page u32 | for each of the pages behind the page of the map
//
// It tells for each page which page points to it, so that any page can be moved.

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
  /// The pointer-map page that has the entry of page `number`, which may be that page itself.
  func pointerMapPage(for number: PageNumber) -> PageNumber {
    guard number.rawValue >= 2 else { return PageNumber(0) }
    let pagesPerMap = UInt32(pager.usableSize / 5 + 1)
    let map = (number.rawValue - 2) / pagesPerMap * pagesPerMap + 2
    return PageNumber(map == lockBytePage ? map + 1 : map)
  }

  /// The page that no file uses: it holds the lock bytes (fileformat2 §1.4).
  var lockBytePage: UInt32 { pager.lockBytePage.rawValue }

  /// Whether neither a tree nor a chain may have the page.
  func isReserved(_ number: PageNumber) -> Bool {
    number.rawValue == lockBytePage || pointerMapPage(for: number) == number
  }

  /// What the pointer map says of page `number`.
  func pointerMapEntry(
    for number: PageNumber
  ) throws(SQLError) -> (kind: PointerMapKind, parent: PageNumber) {
    let entry = try rawPointerMapEntry(for: number)
    guard let kind = PointerMapKind(rawValue: entry.kind) else {
      throw .corrupt("pointer-map entry kind")
    }
    return (kind, entry.parent)
  }

  func rawPointerMapEntry(
    for number: PageNumber
  ) throws(SQLError) -> (kind: UInt8, parent: PageNumber) {
    let place = try pointerMapPlace(of: number)
    let page = try rawPage(place.map)
    defer { pager.unpin(page) }
    return (page.pointee.data[place.offset], page.pointee.data.pageNumber(at: place.offset + 1))
  }

  private func pointerMapPlace(
    of number: PageNumber
  ) throws(SQLError) -> (map: PageNumber, offset: Int) {
    guard number.rawValue >= 2 else { throw .corrupt("page has no pointer-map entry") }
    let map = pointerMapPage(for: number)
    let offset = 5 * (Int(number.rawValue) - Int(map.rawValue) - 1)
    guard offset >= 0, offset + 5 <= pager.usableSize else {
      throw .corrupt("page has no pointer-map entry")
    }
    return (map, offset)
  }

  func setPointerMapEntry(
    for number: PageNumber, parent: PageNumber, kind: PointerMapKind
  ) throws(SQLError) {
    let place = try pointerMapPlace(of: number)
    let page = try rawPage(place.map)
    defer { pager.unpin(page) }
    // A page of the map that a damaged tree also uses would be changed under a cursor.
    guard !page.pointee.tree.isChecked else { throw .corrupt("pointer-map page is in a tree") }
    let entry = page.pointee.data + place.offset
    if entry[0] == kind.rawValue, entry.uint32(at: 1) == parent.rawValue { return }
    try pager.makeWritable(page)
    entry[0] = kind.rawValue
    entry.setUInt32(parent.rawValue, at: 1)
  }

  /// Makes `page` the parent of the overflow chain of the cell at `cell`, if it has one.
  func mapOverflow(
    of cell: UnsafeMutablePointer<UInt8>, on page: PagePointer
  ) throws(SQLError) {
    let layout = cellLayout(cell, page.pointee.tree)
    guard layout.overflows else { return }
    let offset = cell - page.pointee.data
    if offset >= 0, offset < usableSize, offset + layout.byteCount > usableSize {
      throw .corrupt("cell extends past the page")
    }
    try setPointerMapEntry(
      for: cell.pageNumber(at: layout.payloadOffset + layout.localSize),
      parent: page.pointee.number, kind: .firstOverflow)
  }

  /// Makes `page` the parent of all pages that its cells point to.
  func mapChildren(of page: PagePointer) throws(SQLError) {
    let tree = page.pointee.tree
    for index in 0..<Int(tree.cellCount) {
      let cell = try checkedCell(at: index, of: page).cell
      try mapOverflow(of: cell, on: page)
      if !tree.isLeaf { try mapChild(cell.pageNumber(at: 0), of: page) }
    }
    if !tree.isLeaf { try mapChild(rightChild(of: page), of: page) }
  }

  func mapChild(_ child: PageNumber, of page: PagePointer) throws(SQLError) {
    try setPointerMapEntry(for: child, parent: page.pointee.number, kind: .treePage)
  }
}
