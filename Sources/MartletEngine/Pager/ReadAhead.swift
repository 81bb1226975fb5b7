/// Sees that pages which are not in the cache are asked for in the order of the file, as a scan of
/// a large table does, and says how many of them to read in one call.
struct ReadAhead {
  /// The page behind the one that was read last.
  private var next: UInt32 = 0
  /// How many were asked for in order.
  private var orderedCount = 0

  /// A single read has to be followed by so many in order.
  private static let patience = 3
  private static let mostBytes = 1 << 16

  /// How many pages to read, of which a page that is not in the cache is the first.
  ///
  /// - Parameter cacheLimit: pages that the cache may have; an eighth of them may be read at once.
  mutating func pageCount(from number: UInt32, _ pageSize: Int, _ cacheLimit: Int) -> Int {
    // Inner pages of the tree that lie between its leaves are in the cache.
    orderedCount = number &- next <= 1 ? min(orderedCount + 1, 1 << 10) : 0
    next = number &+ 1
    guard orderedCount >= Self.patience else { return 1 }
    return min(orderedCount, Self.mostBytes / pageSize, cacheLimit / 8)
  }

  /// So many were read in one call.
  mutating func didRead(_ pageCount: Int, of wanted: Int) {
    if pageCount < wanted { orderedCount = 0 } else { orderedCount += pageCount }
    if pageCount > 0 { next = next &+ UInt32(pageCount - 1) }
  }
}

extension Pager {
  /// Reads a page and those behind it that are not in the cache either.
  ///
  /// - Returns: false where the page is to be read on its own.
  func readRun(_ first: PagePointer, _ wanted: Int) -> Bool {
    withUnsafeTemporaryAllocation(of: PagePointer.self, capacity: wanted) { frames in
      frames[0] = first
      var count = 1
      let number = first.pointee.number.rawValue
      while count < wanted, let frame = frameAhead(PageNumber(number + UInt32(count))) {
        frames[count] = frame
        count += 1
      }
      guard count > 1 else { return false }
      let readCount = source.readRun(
        first.pointee.number, into: UnsafeBufferPointer(rebasing: frames[..<count]),
        pageSize: pageSize)
      for index in 1..<count {
        if index >= readCount { cache.discard(frames[index]) }
        unpin(frames[index])
      }
      readAhead.didRead(readCount, of: count)
      return readCount > 0
    }
  }

  /// A frame for a page that nobody has asked for yet; nil where it is there, or cannot be.
  private func frameAhead(_ number: PageNumber) -> PagePointer? {
    guard number.rawValue <= pageCount, number != lockBytePage, !cache.isCrowded else { return nil }
    do throws(SQLError) { return try cache.makeFrameAhead(number) } catch { return nil }
  }
}
