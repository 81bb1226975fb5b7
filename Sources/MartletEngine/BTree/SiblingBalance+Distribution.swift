// Which cells go to which sibling.
//
// First each page is filled from the left, moving cells only as far as needed. That leaves the last
// page with the rest, perhaps with nothing; so then cells are moved to the right, page by page,
// until the pages are about equally full. SQLite does the same: trees get the same shape.

extension SiblingBalance {
  /// Sets `newCount`, `newEnds` and `newSizes`.
  func distribute(_ tree: BTree) throws(SQLError) {
    for index in 0..<oldCount {
      let page = oldPages[index].unsafelyUnwrapped
      var used = capacity - Int(page.pointee.tree.freeByteCount)
      let pending = tree.pendingCells(of: page)
      for cell in 0..<Int(page.pointee.tree.pendingCount) { used += 2 + pending[cell].byteCount }
      newSizes[index] = used
      newEnds[index] = oldEnds[index]
    }
    var count = oldCount
    var index = 0
    while index < count {
      while newSizes[index] > capacity { try moveLastCellRight(from: index, &count) }
      try moveFirstCellsLeft(to: index)
      if newEnds[index] >= cellCount {
        count = index + 1
      } else if newEnds[index] <= (index > 0 ? newEnds[index - 1] : 0) {
        throw .corrupt("a sibling would get no cells")
      }
      index += 1
    }
    newCount = count
    try evenOut()
  }

  /// The size that the cell after the end of a page has in the next page: in leaves of tables it is
  /// there already, elsewhere it is the divider.
  @inline(__always)
  private func firstSize(after end: Int) throws(SQLError) -> Int {
    end < cellCount ? 2 + (try size(at: end)) : 0
  }

  private func moveLastCellRight(from index: Int, _ count: inout Int) throws(SQLError) {
    if index + 1 >= count {
      count = index + 2
      guard count <= Self.newLimit else { throw .corrupt("siblings have too many cells") }
      newSizes[count - 1] = 0
      newEnds[count - 1] = cellCount
    }
    guard newEnds[index] > 0 else { throw .corrupt("a sibling would get no cells") }
    let last = 2 + (try size(at: newEnds[index] - 1))
    newSizes[index] -= last
    newSizes[index + 1] += try isTableLeaf ? last : firstSize(after: newEnds[index])
    newEnds[index] -= 1
  }

  private func moveFirstCellsLeft(to index: Int) throws(SQLError) {
    while newEnds[index] < cellCount {
      let first = 2 + (try size(at: newEnds[index]))
      if newSizes[index] + first > capacity { break }
      newSizes[index] += first
      newEnds[index] += 1
      newSizes[index + 1] -= try isTableLeaf ? first : firstSize(after: newEnds[index])
    }
  }

  /// Moves cells to the right while that makes a page and its right neighbour more alike.
  private func evenOut() throws(SQLError) {
    var index = newCount - 1
    while index > 0 {
      var rightSize = newSizes[index], leftSize = newSizes[index - 1]
      // The last cell of the left page, and the cell that the right page would get: the divider
      // that it pushes out, or itself.
      var last = newEnds[index - 1] - 1
      var pushed = last + (isTableLeaf ? 0 : 1)
      while last >= 0 {
        let lastSize = try size(at: last)
        let pushedSize = pushed < cellCount ? try size(at: pushed) : 0
        if rightSize != 0,
          isBulkLoad
            || rightSize + pushedSize + 2 > leftSize - (lastSize + (index == newCount - 1 ? 0 : 2))
        { break }
        rightSize += pushedSize + 2
        leftSize -= lastSize + 2
        newEnds[index - 1] = last
        last -= 1
        pushed -= 1
      }
      newSizes[index] = rightSize
      newSizes[index - 1] = leftSize
      guard newEnds[index - 1] > (index > 1 ? newEnds[index - 2] : 0) else {
        throw .corrupt("a sibling would get no cells")
      }
      index -= 1
    }
  }
}
