// The pages that are in memory: at most as many as `PRAGMA cache_size` allows, or are pinned.
//
//     buckets[number & mask] → frame → frame        chained by `nextInBucket`
//     slabs: [ frame frame frame … ] [ data slack data slack … ]
//
// Every frame that has been used is on one of two lists, in the order of use: the clean ones, of
// which the oldest is recycled, and the dirty ones. A hit moves its frame only if it was not moved
// during the last few misses, a 32nd of the cache: pages in constant use are hardly ever moved, and
// the order is as good as exact. Unpinning is one decrement.
//
// Dirty pages are recycled only after the pager has written them: it asks for `spillVictims` when
// they crowd out the others.
//
// Invariants: (1) a frame is in the bucket of its number if and only if the number is not 0, and no
// number is there twice. (2) There are more frames than `limit` only while that many were pinned
// or dirty. (3) The slack behind a page is zero. (4) A frame is on the list of dirty ones if and
// only if it is marked so, and it then has a number; else on the clean one, unless it is fresh.

/// The page cache of one pager.
final class PageCache {
  struct Slab {
    let frames: PagePointer
    let data: UnsafeMutableRawPointer
    let frameCount: Int

    fileprivate func free() {
      Memory.free(frames)
      Memory.free(data)
    }
  }

  private(set) var pageSize: Int
  /// Every page stays: there is no file that it could be read from again.
  private let keepsAll: Bool
  /// How many frames there may be while not all of them are pinned.
  private(set) var limit: Int {
    didSet {
      promotionAge = limit / 32
      crowdLimit = limit * 9 / 10
    }
  }
  /// No page in the cache has a larger number.
  private var largestNumber: UInt32 = 0
  private(set) var frameCount = 0 {
    didSet { MemoryUse.pagesChanged(by: frameCount - oldValue, pageSize: pageSize) }
  }
  /// Pages that were there when they were asked for.
  @exclusivity(unchecked) private(set) var hitCount = 0
  /// Frames for which a read from the file was needed.
  private(set) var missCount = 0

  var cleanFrames = FrameList()
  var dirtyFrames = FrameList()
  /// A hit moves its frame if more misses than this came since it was moved last.
  private var promotionAge: Int
  /// So many dirty pages crowd out the others: nine tenths of what there may be, as in SQLite.
  private var crowdLimit: Int
  /// Dirty pages may take this many frames before the pager is asked to write some.
  private var dirtyAllowance = 0

  /// Allocate every page on its own, so that AddressSanitizer sees reads outside it.
  private let isolatesPages: Bool
  @exclusivity(unchecked) private(set) var slabs: [Slab] = []
  private(set) var buckets: UnsafeMutablePointer<PagePointer?>
  private(set) var bucketMask: UInt32
  /// Both, while nothing is to be found.
  private var hidden: (buckets: UnsafeMutablePointer<PagePointer?>, mask: UInt32)?
  /// So many times shrinking is not tried while there are as many frames as it has left.
  private var waitsToShrink = 0
  private var lastShrunkCount = 0
  private var lastWantedCount = 0
  /// Frames from here to the end of the last slab were never used.
  private(set) var freshFrame = 0

  private static let leastLimit = 16

  init(
    pageSize: Int, cacheSize: Int, keepsAll: Bool = false,
    isolatesPages: Bool = Memory.isIsolated
  ) throws(SQLError) {
    self.pageSize = pageSize
    self.keepsAll = keepsAll
    self.isolatesPages = isolatesPages
    limit = keepsAll ? Self.noLimit : Self.limit(cacheSize: cacheSize, pageSize: pageSize)
    promotionAge = limit / 32
    crowdLimit = limit * 9 / 10
    let bucketCount = Self.bucketCount(limit: limit)
    buckets = try Self.makeBuckets(bucketCount)
    bucketMask = UInt32(bucketCount - 1)
  }

  deinit {
    show()
    freeSlabs()
    Memory.free(buckets)
  }

  private static func makeBuckets(
    _ count: Int
  ) throws(SQLError) -> UnsafeMutablePointer<PagePointer?> {
    let memory = try Memory.allocateZeroed(count * MemoryLayout<PagePointer?>.stride)
    return memory.bindMemory(to: PagePointer?.self, capacity: count)
  }

  /// More than a database can have, and little enough to be reckoned with.
  private static let noLimit = Int.max >> 8

  /// Pages for a `cache_size`: a number of pages, or negative, of KiB (pragma, cache_size).
  static func limit(cacheSize: Int, pageSize: Int) -> Int {
    let mostPages = 1 << 24
    guard cacheSize < 0 else { return min(max(cacheSize, leastLimit), mostPages) }
    let frameSize = pageSize + PageFrame.slack + MemoryLayout<PageFrame>.stride
    let kibibytes = min(-max(cacheSize, -(1 << 40)), 1 << 40)
    return min(max(kibibytes * 1024 / frameSize, leastLimit), mostPages)
  }

  /// Grows with the cache, not with its limit alone: a huge limit costs nothing until it is used.
  private static func bucketCount(limit: Int) -> Int {
    var count = 64
    while count < min(limit, 512) { count *= 2 }
    return count
  }
}

extension PageCache {
  /// The page, pinned, if it is in the cache.
  @inline(__always)
  func pinnedFrame(_ number: PageNumber) -> PagePointer? {
    var candidate = buckets[Int(number.rawValue & bucketMask)]
    while let frame = candidate {
      if frame.pointee.number == number {
        frame.pointee.pinCount &+= 1
        hitCount &+= 1
        if missCount &- frame.pointee.lastMove > promotionAge { noteUse(frame) }
        return frame
      }
      candidate = frame.pointee.nextInBucket
    }
    return nil
  }

  @inline(never)
  private func noteUse(_ frame: PagePointer) {
    if frame.pointee.isReadAhead {
      // It was read for this use.
      frame.pointee.isReadAhead = false
      hitCount &-= 1
      missCount &+= 1
    }
    promote(frame)
  }

  private func promote(_ frame: PagePointer) {
    frame.pointee.lastMove = missCount
    if frame.pointee.isDirty {
      dirtyFrames.remove(frame)
      dirtyFrames.appendNewest(frame)
    } else {
      cleanFrames.remove(frame)
      cleanFrames.appendNewest(frame)
    }
  }

  /// A frame for a page that is not in the cache, pinned once, found under `number` from now on.
  /// Its content is undefined, but for the slack.
  func makeFrame(_ number: PageNumber) throws(SQLError) -> PagePointer {
    missCount &+= 1
    return try takeFrame(number)
  }

  /// The same for a page that nobody has asked for yet; nil if it is in the cache. Its first use
  /// counts as a miss.
  func makeFrameAhead(_ number: PageNumber) throws(SQLError) -> PagePointer? {
    guard frame(of: number) == nil else { return nil }
    let frame = try takeFrame(number)
    frame.pointee.isReadAhead = true
    // So long ago that the first use is noted.
    frame.pointee.lastMove = missCount &- promotionAge &- 1
    return frame
  }

  private func frame(of number: PageNumber) -> PagePointer? {
    var candidate = buckets[Int(number.rawValue & bucketMask)]
    while let frame = candidate, frame.pointee.number != number {
      candidate = frame.pointee.nextInBucket
    }
    return candidate
  }

  private func takeFrame(_ number: PageNumber) throws(SQLError) -> PagePointer {
    assert(number.rawValue != 0)
    let frame = try unusedFrame()
    frame.pointee.number = number
    largestNumber = max(largestNumber, number.rawValue)
    frame.pointee.pinCount = 1
    frame.pointee.lastMove = missCount
    cleanFrames.appendNewest(frame)
    frame.pointee.writeEpoch = 0
    frame.pointee.isReadAhead = false
    frame.pointee.tree.isChecked = false
    let bucket = Int(number.rawValue & bucketMask)
    frame.pointee.nextInBucket = buckets[bucket]
    buckets[bucket] = frame
    return frame
  }

  /// Forgets a page. A frame that is pinned keeps its content until it is unpinned.
  func discard(_ frame: PagePointer) {
    guard frame.pointee.number.rawValue != 0 else { return }
    if frame.pointee.isDirty { markClean(frame) }
    let bucket = Int(frame.pointee.number.rawValue & bucketMask)
    if buckets[bucket] == frame {
      buckets[bucket] = frame.pointee.nextInBucket
    } else {
      var previous = buckets[bucket]
      while let link = previous, link.pointee.nextInBucket != frame {
        previous = link.pointee.nextInBucket
      }
      previous?.pointee.nextInBucket = frame.pointee.nextInBucket
    }
    frame.pointee.nextInBucket = nil
    frame.pointee.number = PageNumber(0)
    cleanFrames.remove(frame)
    cleanFrames.prependOldest(frame)
    frame.pointee.writeEpoch = 0
    frame.pointee.tree.isChecked = false
  }

  /// Keeps all pages as they are, but finds none until `show`; none may be made or forgotten.
  func hide() {
    guard hidden == nil else { return }
    hidden = (buckets, bucketMask)
    buckets = Self.noBuckets
    bucketMask = 0
  }

  func show() {
    guard let hidden else { return }
    (buckets, bucketMask) = hidden
    self.hidden = nil
  }

  /// One bucket, with nothing in it.
  nonisolated(unsafe) private static let noBuckets: UnsafeMutablePointer<PagePointer?> = {
    let buckets = UnsafeMutablePointer<PagePointer?>.allocate(capacity: 1)
    buckets.initialize(to: nil)
    return buckets
  }()

  /// Forgets all pages; the memory is kept for others.
  func discardAll() {
    forEachFrame(discard)
    largestNumber = 0
  }

  /// Calls `body` for the pages with larger numbers, which may discard that page.
  func forEachPage(after pageCount: UInt32, _ body: (PagePointer) -> Void) {
    guard largestNumber > pageCount else { return }
    guard largestNumber - pageCount < frameCount else {
      return forEachFrame { if $0.pointee.number.rawValue > pageCount { body($0) } }
    }
    for number in pageCount + 1...largestNumber {
      if let frame = frame(of: PageNumber(number)) { body(frame) }
    }
  }

  /// Forgets the pages beyond the end of the image; those that are pinned are cut loose.
  func discardPages(after pageCount: UInt32) {
    forEachPage(after: pageCount, discard)
    largestNumber = min(largestNumber, pageCount)
  }

  /// Forgets all pages, none of which is pinned, and starts anew with another page size.
  func changePageSize(_ newSize: Int, cacheSize: Int) {
    assert(pinnedCount == 0)
    discardAll()
    freeSlabs()
    pageSize = newSize
    if !keepsAll { limit = Self.limit(cacheSize: cacheSize, pageSize: newSize) }
    dirtyAllowance = 0
  }

  private func freeSlabs() {
    for slab in slabs { slab.free() }
    slabs.removeAll()
    frameCount = 0
    freshFrame = 0
    cleanFrames = FrameList()
  }

  /// Changes the bound; when it falls, unpinned frames are freed at once.
  func setLimit(cacheSize: Int) {
    guard !keepsAll else { return }
    limit = Self.limit(cacheSize: cacheSize, pageSize: pageSize)
    dirtyAllowance = 0
    if frameCount > limit { shrink(to: limit) }
  }

  /// Nothing is read: gives back what a statement with very many cursors took beyond the limit, and
  /// what a database had that has become much smaller.
  @inline(__always)
  func settle(pageCount: UInt32) {
    let wanted = min(limit, max(Int(pageCount), Self.leastLimit))
    if frameCount > limit || frameCount > 2 * wanted + 64 { shrinkNowAndThen(to: wanted) }
  }

  /// Where pinned pages are in all slabs, looking at them again after each statement is no use.
  @inline(never)
  private func shrinkNowAndThen(to wanted: Int) {
    if waitsToShrink > 0 && frameCount == lastShrunkCount && wanted >= lastWantedCount {
      waitsToShrink -= 1
      return
    }
    shrink(to: wanted)
    lastShrunkCount = frameCount
    lastWantedCount = wanted
    waitsToShrink = 100
  }

  /// Frees slabs that nobody has pinned until so many frames are left.
  func shrink(to wanted: Int) {
    guard hidden == nil else { return }
    var index = slabs.count
    while frameCount > wanted && index > 0 {
      index -= 1
      let slab = slabs[index]
      let frames = UnsafeMutableBufferPointer(start: slab.frames, count: slab.frameCount)
      guard frames.allSatisfy({ $0.pinCount == 0 && !$0.isDirty }) else { continue }
      let isLast = index == slabs.count - 1
      for frame in 0..<(isLast ? min(freshFrame, slab.frameCount) : slab.frameCount) {
        discard(slab.frames + frame)
        cleanFrames.remove(slab.frames + frame)
      }
      if isLast { freshFrame = Int.max }
      slab.free()
      slabs.remove(at: index)
      frameCount -= slab.frameCount
    }
    freshFrame = min(freshFrame, slabs.last?.frameCount ?? 0)
  }

  var pinnedCount: Int {
    var count = 0
    forEachFrame { if $0.pointee.pinCount > 0 { count += 1 } }
    return count
  }

  func forEachFrame(_ body: (PagePointer) -> Void) {
    for slab in slabs {
      for index in 0..<slab.frameCount { body(slab.frames + index) }
    }
  }
}

extension PageCache {
  var dirtyCount: Int { dirtyFrames.count }

  /// Whether dirty pages crowd out the others.
  @inline(__always)
  var isCrowded: Bool { dirtyCount > 0 && dirtyCount >= max(dirtyAllowance, crowdLimit) }

  /// Spilling was not possible, or brought little: the cache grows a bit before the next try.
  func postponeSpill() { dirtyAllowance = dirtyCount + dirtyCount / 8 + 16 }

  func resetSpill() { dirtyAllowance = 0 }
}

extension PageCache {
  /// A frame without a page: a fresh one while the limit and the soft limit of memory allow, else a
  /// recycled one, else, when all are pinned, one beyond the limit. Where memory has run out, a
  /// recycled one has to do.
  private func unusedFrame() throws(SQLError) -> PagePointer {
    if let slab = slabs.last, freshFrame < slab.frameCount { return takeFreshFrame() }
    // Where memory is short, what there is has to do, for dirty pages too.
    let isShort = frameCount >= Self.leastLimit && MemoryUse.isNearlyFull
    crowdLimit = (isShort ? frameCount : limit) * 9 / 10
    var growth = isolatesPages ? 1 : min(max(frameCount, 8), 64, limit - frameCount)
    if frameCount >= limit || isShort {
      if let frame = recycledFrame() { return frame }
      growth = dirtyCount == 0 || isolatesPages ? 1 : 16
    }
    do { try addSlab(frameCount: growth) } catch {
      if let frame = recycledFrame() { return frame }
      // There may be memory for one.
      try addSlab(frameCount: 1)
    }
    return takeFreshFrame()
  }

  private func takeFreshFrame() -> PagePointer {
    defer { freshFrame += 1 }
    return slabs[slabs.count - 1].frames + freshFrame
  }

  /// The frame that was not used for longest, of those that nobody holds and that are written.
  private func recycledFrame() -> PagePointer? {
    var framesLeft = cleanFrames.count
    while framesLeft > 0, let frame = cleanFrames.oldest {
      framesLeft -= 1
      if frame.pointee.pinCount > 0 {
        promote(frame)
        continue
      }
      discard(frame)
      cleanFrames.remove(frame)
      return frame
    }
    return nil
  }

  private func addSlab(frameCount count: Int) throws(SQLError) {
    let stride = pageSize + PageFrame.slack
    let frameMemory = try Memory.allocate(count * MemoryLayout<PageFrame>.stride)
    let data: UnsafeMutableRawPointer
    do { data = try Memory.allocate(count * stride) } catch {
      Memory.free(frameMemory)
      throw error
    }
    let frames = frameMemory.bindMemory(to: PageFrame.self, capacity: count)
    for index in 0..<count {
      let bytes = (data + index * stride).bindMemory(to: UInt8.self, capacity: stride)
      (bytes + pageSize).initialize(repeating: 0, count: PageFrame.slack)
      (frames + index).initialize(to: PageFrame(data: bytes))
    }
    slabs.append(Slab(frames: frames, data: data, frameCount: count))
    frameCount += count
    freshFrame = 0
    // Without memory for more of them, chains become longer.
    if frameCount > Int(bucketMask) + 1 { do { try growBuckets() } catch {} }
  }

  /// Keeps chains short: at least one bucket a frame.
  private func growBuckets() throws(SQLError) {
    let bucketCount = (Int(bucketMask) + 1) * 2
    let newBuckets = try Self.makeBuckets(bucketCount)
    let newMask = UInt32(bucketCount - 1)
    forEachFrame { frame in
      guard frame.pointee.number.rawValue != 0 else { return }
      let bucket = Int(frame.pointee.number.rawValue & newMask)
      frame.pointee.nextInBucket = newBuckets[bucket]
      newBuckets[bucket] = frame
    }
    Memory.free(buckets)
    buckets = newBuckets
    bucketMask = newMask
  }
}
