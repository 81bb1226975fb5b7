// Reading the freelist (fileformat2 §1.5).
//
//     trunk    | next trunk u32 | leaf count u32 | leaf page u32 × count |

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
}
