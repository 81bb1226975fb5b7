// Giving a page its new cells (SQLite's editPage).
//
// Where possible cells stay where they are: those that leave the page on either side are freed,
// those that come are added. Where the free space is too scattered for that, the page is built
// anew, from a copy of its content.

extension SiblingBalance {
  /// Makes `cells[first..<first + count]` the cells of a page that had those from `oldFirst` on.
  func rewrite(
    _ tree: BTree, _ page: PagePointer, oldFirst: Int, first: Int, count: Int
  ) throws(SQLError) {
    // The only child of page 1, which may have no divider, loses its last cell.
    guard count >= 1 || newCount == 1 else { throw .corrupt("a page would get no cells") }
    if try !edit(tree, page, oldFirst: oldFirst, first: first, count: count) {
      try rebuild(tree, page, first: first, count: count)
    }
    tree.clearPending(of: page)
  }

  /// False if the page has to be built anew; it is then in no proper state.
  private func edit(
    _ tree: BTree, _ page: PagePointer, oldFirst: Int, first: Int, count: Int
  ) throws(SQLError) -> Bool {
    let data = page.pointee.data
    let pointers = data + Int(page.pointee.tree.cellPointerOffset)
    let pendingCount = Int(page.pointee.tree.pendingCount)
    var kept = Int(page.pointee.tree.cellCount)
    let oldEnd = oldFirst + kept + pendingCount
    if oldFirst < first {
      let freed = try freeCells(tree, oldFirst, min(first, oldEnd), of: page)
      guard freed <= kept else { throw .corrupt("cells of the page") }
      kept -= freed
      Memory.move(from: pointers + 2 * freed, to: pointers, 2 * kept)
    }
    if first + count < oldEnd {
      kept -= try freeCells(tree, max(first + count, oldFirst), oldEnd, of: page)
      guard kept >= 0 else { throw .corrupt("cells of the page") }
    }
    var writer = CellWriter(
      page: page, pointersEnd: Int(page.pointee.tree.cellPointerOffset) + 2 * count,
      top: tree.contentStart(of: page))
    guard writer.top >= writer.pointersEnd, writer.top <= tree.usableSize, kept <= count else {
      return false
    }
    if first < oldFirst {
      let added = min(count, oldFirst - first)
      guard kept + added <= count else { return false }
      Memory.move(from: pointers, to: pointers + 2 * added, 2 * kept)
      guard try write(tree, first, added, at: 0, &writer) else { return false }
      kept += added
    }
    let pending = tree.pendingCells(of: page)
    for index in 0..<pendingCount {
      let place = oldFirst + pending[index].index - first
      guard place >= 0, place < count else { continue }
      guard kept < count, place <= kept else { return false }
      let pointer = pointers + 2 * place
      Memory.move(from: pointer, to: pointer + 2, 2 * (kept - place))
      kept += 1
      guard try write(tree, first + place, 1, at: place, &writer) else { return false }
    }
    guard try write(tree, first + kept, count - kept, at: kept, &writer) else { return false }
    page.pointee.tree.cellCount = UInt16(count)
    data.setUInt16(count, at: 3)
    data.setUInt16(writer.top, at: 5)
    return true
  }

  private struct CellWriter {
    let page: PagePointer
    /// Where the array of cell pointers will end.
    let pointersEnd: Int
    /// Where the cell content begins.
    var top: Int
  }

  /// Adds cells to the page, with their pointers from `place` on. False if there is no room.
  private func write(
    _ tree: BTree, _ first: Int, _ count: Int, at place: Int, _ writer: inout CellWriter
  ) throws(SQLError) -> Bool {
    let data = writer.page.pointee.data
    var pointer = data + Int(writer.page.pointee.tree.cellPointerOffset) + 2 * place
    for index in first..<first + max(count, 0) {
      guard index < cellCount else { throw .corrupt("siblings have too few cells") }
      let size = try self.size(at: index)
      var offset = 0
      if data.uint16(at: 1) != 0 { offset = try tree.takeFreeBlock(size, on: writer.page) }
      if offset == 0 {
        guard writer.top - writer.pointersEnd >= size else { return false }
        writer.top -= size
        offset = writer.top
      } else if offset < writer.pointersEnd {
        throw .corrupt("free block inside the cell pointers")
      }
      Memory.move(from: cells[index], to: data + offset, size)
      pointer.setUInt16(offset, at: 0)
      pointer += 2
    }
    return true
  }

  /// Frees those of the cells that lie on the page, neighbours at once. Returns how many they are.
  private func freeCells(
    _ tree: BTree, _ from: Int, _ to: Int, of page: PagePointer
  ) throws(SQLError) -> Int {
    let data = page.pointee.data, usableSize = tree.usableSize
    let contentBegin = data + Int(page.pointee.tree.cellPointerOffset)
    var runCount = 0, count = 0
    for index in from..<max(from, to) {
      let cell = cells[index]
      guard cell >= contentBegin, cell < data + usableSize else { continue }
      let start = cell - data, end = start + (try size(at: index))
      guard end <= usableSize else { throw .corrupt("cell extends past the page") }
      count += 1
      if extendRun(runCount, start, end) { continue }
      if runCount == Self.runLimit {
        try freeRuns(tree, runCount, of: page)
        runCount = 0
      }
      runs[runCount] = FreedRun(start: start, end: end)
      runCount += 1
    }
    try freeRuns(tree, runCount, of: page)
    return count
  }

  /// Joins bytes with a run that they are beside. False if there is none.
  @inline(__always)
  private func extendRun(_ runCount: Int, _ start: Int, _ end: Int) -> Bool {
    for index in 0..<runCount {
      if runs[index].start == end {
        runs[index].start = start
        return true
      }
      if runs[index].end == start {
        runs[index].end = end
        return true
      }
    }
    return false
  }

  private func freeRuns(_ tree: BTree, _ runCount: Int, of page: PagePointer) throws(SQLError) {
    for index in 0..<runCount {
      let run = runs[index]
      try tree.freeSpace(run.start, run.end - run.start, on: page)
    }
  }

  /// Writes all cells one before the other, from the end of the page.
  private func rebuild(
    _ tree: BTree, _ page: PagePointer, first: Int, count: Int
  ) throws(SQLError) {
    let data = page.pointee.data, usableSize = tree.usableSize, copy = tree.pageSpace
    var start = data.uint16(at: 5)
    if start > usableSize { start = 0 }
    guard first + count <= cellCount else { throw .corrupt("siblings have too few cells") }
    for index in first..<first + count { _ = try size(at: index) }
    Memory.copy(from: data + start, to: copy + start, usableSize - start)
    var pointer = data + Int(page.pointee.tree.cellPointerOffset)
    let pointersEnd = Int(page.pointee.tree.cellPointerOffset) + 2 * count
    var top = usableSize
    for index in first..<first + count {
      var cell = cells[index]
      let size = Int(sizes[index])
      if cell >= data + start, cell < data + usableSize { cell = copy + (cell - data) }
      top -= size
      guard top >= pointersEnd else { throw .corrupt("cells do not fit their page") }
      Memory.move(from: cell, to: data + top, size)
      pointer.setUInt16(top, at: 0)
      pointer += 2
    }
    data.setUInt16(0, at: 1)
    data.setUInt16(count, at: 3)
    data.setUInt16(top, at: 5)
    data[7] = 0
    page.pointee.tree.cellCount = UInt16(count)
  }
}
