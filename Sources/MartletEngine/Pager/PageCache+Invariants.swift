extension PageCache {
  /// Checks the numbered invariants of `PageCache`; returns what is wrong, or nil.
  func brokenInvariant() -> String? {
    var chainedCount = 0
    for bucket in 0...Int(bucketMask) {
      var link = buckets[bucket]
      while let frame = link {
        if Int(frame.pointee.number.rawValue & bucketMask) != bucket { return "wrong bucket" }
        chainedCount += 1
        if chainedCount > frameCount { return "a chain is a loop" }
        link = frame.pointee.nextInBucket
      }
    }
    var numbers: Set<PageNumber> = []
    var problem: String?
    var countedFrames = 0
    var dirtyCount = 0
    forEachFrame { frame in
      countedFrames += 1
      let number = frame.pointee.number
      if number.rawValue != 0, !numbers.insert(number).inserted { problem = "a page is twice" }
      if frame.pointee.isDirty {
        dirtyCount += 1
        if number.rawValue == 0 { problem = "a dirty page has no number" }
      }
      if frame.pointee.pinCount < 0 { problem = "unpinned too often" }
      let slack = UnsafeBufferPointer(
        start: frame.pointee.data + pageSize, count: PageFrame.slack)
      if slack.contains(where: { $0 != 0 }) { problem = "the slack was written" }
    }
    var listedCount = 0
    var link = dirtyFrames.oldest
    while let frame = link {
      listedCount += 1
      link = frame.pointee.newer
    }
    if dirtyCount != self.dirtyCount || listedCount != dirtyCount {
      return "dirty pages are not on the list"
    }
    let freshCount = slabs.last.map { $0.frameCount - freshFrame } ?? 0
    if cleanFrames.count + dirtyCount + freshCount != frameCount { return "a frame is on no list" }
    if countedFrames != frameCount { return "frames are not counted" }
    if chainedCount != numbers.count { return "a page is not in its bucket" }
    return problem
  }
}
