extension PageCache {
  /// Puts a page at the end of the list of dirty ones, if it is not on it.
  func markDirty(_ frame: PagePointer) {
    frame.pointee.isWorthless = false
    guard !frame.pointee.isDirty else { return }
    assert(frame.pointee.number.rawValue != 0)
    frame.pointee.isDirty = true
    cleanFrames.remove(frame)
    dirtyFrames.appendNewest(frame)
    frame.pointee.lastMove = missCount
  }

  /// Takes a page off the list of dirty ones: it was written, or what was changed is undone.
  ///
  /// A cold page, which was written to make room, is recycled before those that are in use.
  func markClean(_ frame: PagePointer, isCold: Bool = false) {
    guard frame.pointee.isDirty else { return }
    dirtyFrames.remove(frame)
    if isCold {
      cleanFrames.prependOldest(frame)
    } else {
      cleanFrames.appendNewest(frame)
      frame.pointee.lastMove = missCount
    }
    frame.pointee.isDirty = false
    frame.pointee.needsSync = false
    frame.pointee.isWorthless = false
    // A change after this must put it on the list again.
    frame.pointee.writeEpoch = 0
  }

  /// Calls `body` for each dirty page, which may take that page off the list.
  func forEachDirty(_ body: (PagePointer) throws(SQLError) -> Void) throws(SQLError) {
    var link = dirtyFrames.oldest
    while let frame = link {
      link = frame.pointee.newer
      try body(frame)
    }
  }

  /// The dirty pages by number, the order in which a file is best written.
  func sortedDirtyPages() throws(SQLError) -> [PagePointer] {
    if dirtyCount > Self.fewPages {
      // The list, its sorting, and pieces of it.
      let byteCount = 2 * dirtyCount * MemoryLayout<PagePointer>.stride
      try Memory.requireRoom(byteCount + 32 * min(dirtyCount, Self.largestBatch))
    }
    var pages: [PagePointer] = []
    pages.reserveCapacity(dirtyCount)
    var link = dirtyFrames.oldest
    while let frame = link {
      pages.append(frame)
      link = frame.pointee.newer
    }
    pages.sort { $0.pointee.number < $1.pointee.number }
    return pages
  }

  /// Every page may be written to the file now.
  func journalWasSynced() {
    var link = dirtyFrames.oldest
    while let frame = link {
      frame.pointee.needsSync = false
      link = frame.pointee.newer
    }
  }
}

// Spilling: before dirty pages fill the cache, the pager writes a part of them to the file.
extension PageCache {
  fileprivate static let largestBatch = 4096
  /// The lists of so few pages are not asked for.
  fileprivate static let fewPages = 256

  /// Dirty pages that are cold and not pinned, by number: at most an eighth of the cache. Pages
  /// whose originals are already safe on the disk come first, because the others cost a sync.
  func spillVictims() -> [PagePointer] {
    let batch = min(max(limit / 8, 16), Self.largestBatch)
    var victims = coldDirtyPages(batch, withSync: false)
    if victims.isEmpty { victims = coldDirtyPages(batch, withSync: true) }
    victims.sort { $0.pointee.number < $1.pointee.number }
    return victims
  }

  /// The dirty pages that were not used for longest.
  private func coldDirtyPages(_ count: Int, withSync: Bool) -> [PagePointer] {
    var pages: [PagePointer] = []
    var link = dirtyFrames.oldest
    while let frame = link, pages.count < count {
      link = frame.pointee.newer
      if frame.pointee.pinCount > 0 || (frame.pointee.needsSync && !withSync) { continue }
      pages.append(frame)
    }
    return pages
  }
}
