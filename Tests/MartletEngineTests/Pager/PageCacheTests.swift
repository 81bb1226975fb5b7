import Testing

@testable import MartletEngine

@Suite struct PageCacheTests {
  /// Asks for a page as the pager does, and fills it with its number.
  func use(_ number: UInt32, of cache: PageCache, keepingPin: Bool = false) throws {
    let frame: PagePointer
    if let cached = cache.pinnedFrame(PageNumber(number)) {
      frame = cached
    } else {
      frame = try cache.makeFrame(PageNumber(number))
      frame.pointee.data.initialize(repeating: UInt8(truncatingIfNeeded: number), count: 512)
    }
    #expect(frame.pointee.number == PageNumber(number))
    #expect(frame.pointee.data[511] == UInt8(truncatingIfNeeded: number))
    #expect((512..<512 + PageFrame.slack).allSatisfy { frame.pointee.data[$0] == 0 })
    if !keepingPin { frame.pointee.pinCount -= 1 }
  }

  @Test(arguments: [false, true])
  func `the cache keeps its bound whatever is asked for`(isolatesPages: Bool) throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 100, isolatesPages: isolatesPages)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 { try use(.random(in: 1...1_000, using: &generator), of: cache) }
    #expect(cache.brokenInvariant() == nil)
    #expect(cache.frameCount == 100)
    #expect(cache.pinnedCount == 0)
  }

  @Test func `pages that fit are read once`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 100)
    for _ in 0..<10 { for number in 1...100 { try use(UInt32(number), of: cache) } }
    #expect(cache.missCount == 100)
  }

  @Test func `a page in use outlives a scan of others`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 50)
    for number in 100...2_000 {
      try use(1, of: cache)
      try use(UInt32(number), of: cache)
    }
    #expect(cache.missCount == 1 + 1_901)
  }

  @Test func `hardly more pages are read than if the list of pages were exact`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 200)
    var random = SplitMix64(state: 7)
    var exactOrder: [UInt32] = []
    var exactMissCount = 0
    for step in 0..<8_000 {
      let number: UInt32 =
        step % 2 == 0
        ? .random(in: 1...100, using: &random) : .random(in: 1_000...11_000, using: &random)
      if let place = exactOrder.lastIndex(of: number) {
        exactOrder.remove(at: place)
      } else {
        exactMissCount += 1
        if exactOrder.count == 200 { exactOrder.removeFirst() }
      }
      exactOrder.append(number)
      try use(number, of: cache)
    }
    #expect(abs(cache.missCount - exactMissCount) < exactMissCount / 100)
    #expect(cache.brokenInvariant() == nil)
  }

  @Test func `pinned pages go beyond the bound and shrinking gives them back`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 20)
    for number in 1...70 { try use(UInt32(number), of: cache, keepingPin: true) }
    #expect(cache.frameCount == 70)
    for number in 1...70 {
      let frame = try #require(cache.pinnedFrame(PageNumber(UInt32(number))))
      frame.pointee.pinCount -= 2
    }
    cache.settle(pageCount: 1_000)
    #expect(cache.brokenInvariant() == nil)
    #expect(cache.frameCount <= 20)
    for number in 1...200 { try use(UInt32(number), of: cache) }
    #expect(cache.frameCount == 20)
  }

  @Test func `what is cached of a database that has become small is given back`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 3_000)
    for number in 1...2_000 { try use(UInt32(number), of: cache) }
    cache.settle(pageCount: 1_500)
    #expect(cache.frameCount >= 2_000)
    cache.settle(pageCount: 10)
    #expect(cache.brokenInvariant() == nil)
    #expect(cache.frameCount <= 80)
    for number in 1...100 { try use(UInt32(number), of: cache) }
    try use(50, of: cache, keepingPin: true)
    cache.shrink(to: 0)
    #expect(cache.brokenInvariant() == nil)
    #expect(cache.frameCount > 0 && cache.frameCount <= 64)
    let held = try #require(cache.pinnedFrame(PageNumber(50)))
    held.pointee.pinCount -= 2
    cache.shrink(to: 0)
    #expect(cache.brokenInvariant() == nil)
    #expect(cache.frameCount == 0)
    for number in 1...100 { try use(UInt32(number), of: cache) }
    #expect(cache.frameCount >= 100)
  }

  @Test func `a lower bound frees frames at once, a higher one takes effect`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 3_000)
    for number in 1...3_000 { try use(UInt32(number), of: cache) }
    #expect(cache.frameCount == 3_000)
    cache.setLimit(cacheSize: 40)
    #expect(cache.frameCount <= 40)
    for number in 1...100 { try use(UInt32(number), of: cache) }
    #expect(cache.frameCount == 40)
    cache.setLimit(cacheSize: 60)
    for number in 1...100 { try use(UInt32(number), of: cache) }
    #expect(cache.frameCount == 60)
  }

  @Test func `a discarded page is not found and its pinned frame is not taken`() throws {
    let cache = try PageCache(pageSize: 512, cacheSize: 16)
    // Three numbers of one bucket: the middle of a chain is unlinked.
    for number in [5, 5 + 64, 5 + 128] { try use(UInt32(number), of: cache) }
    let frame = try #require(cache.pinnedFrame(PageNumber(5 + 64)))
    cache.discard(frame)
    #expect(cache.pinnedFrame(PageNumber(5 + 64)) == nil)
    for number in 200...300 { try use(UInt32(number), of: cache) }
    #expect(frame.pointee.number == PageNumber(0))
    #expect(frame.pointee.data[0] == 5 + 64)
    #expect(cache.brokenInvariant() == nil)
  }

  @Test func `cache_size counts pages, or KiB when negative`() {
    let frame = 4096 + PageFrame.slack + MemoryLayout<PageFrame>.stride
    #expect(PageCache.limit(cacheSize: -2000, pageSize: 4096) == 2_048_000 / frame)
    #expect(PageCache.limit(cacheSize: 1000, pageSize: 4096) == 1000)
    #expect(PageCache.limit(cacheSize: 0, pageSize: 4096) == 16)
    #expect(PageCache.limit(cacheSize: .min, pageSize: 512) == 1 << 24)
    #expect(PageCache.limit(cacheSize: .max, pageSize: 512) == 1 << 24)
  }
}
