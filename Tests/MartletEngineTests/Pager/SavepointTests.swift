import TestSupport
import Testing

@testable import MartletEngine

/// Savepoints and statement journals against a model.
@Suite struct SavepointTests {
  @Test(arguments: [100, 16], [JournalMode.delete, .memory, .off])
  func `nested savepoints return to the image they were opened at`(
    cacheSize: Int, mode: JournalMode
  ) throws {
    for seed in 0..<30 as Range<UInt64> {
      // What was spilled without a journal cannot be taken back.
      if mode == .off && cacheSize == 16 { continue }
      try run(seed: seed, cacheSize: cacheSize, mode: mode)
    }
  }

  /// Random work in one transaction; the model keeps the images.
  private func run(seed: UInt64, cacheSize: Int, mode: JournalMode) throws {
    var random = SplitMix(seed)
    let directory = try TemporaryDirectory()
    let path = directory("x.db")
    var model = RawDatabase.Image(1...40)
    try RawDatabase.make(path, model)
    let pager = try RawDatabase.open(path, cacheSize: cacheSize)
    pager.journalMode = mode
    let committed = model
    var saved: [RawDatabase.Image] = []
    try pager.beginReadAndWrite(exclusive: false)
    let pinned = try pager.page(PageNumber(2))
    for _ in 0..<300 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<12:
        let number = Int.random(in: 0..<model.count, using: &random)
        model[number] = UInt32.random(in: 0..<1 << 30, using: &random)
        try RawDatabase.set(pager, UInt32(number + 1), model[number])
      case 12, 13:
        model.append(UInt32.random(in: 0..<1 << 30, using: &random))
        try RawDatabase.append(pager, model[model.count - 1])
      case 14 where model.count > 10:
        model.removeLast(Int.random(in: 1...4, using: &random))
        pager.truncateImage(to: UInt32(model.count))
      case 15...16 where saved.count < 6:
        #expect(try pager.openSavepoint() == saved.count)
        saved.append(model)
      case 17 where !saved.isEmpty:
        let depth = Int.random(in: 0..<saved.count, using: &random)
        try pager.releaseSavepoint(depth)
        saved.removeSubrange(depth...)
      case 18...19 where !saved.isEmpty:
        let depth = Int.random(in: 0..<saved.count, using: &random)
        try pager.rollbackToSavepoint(depth)
        model = saved[depth]
        saved.removeSubrange((depth + 1)...)
      default: break
      }
      #expect(pager.savepointCount == saved.count)
      #expect(UnsafePointer(pinned.pointee.data).bigEndianUInt32() == model[1], "seed \(seed)")
    }
    #expect(try RawDatabase.image(pager) == model, "seed \(seed)")
    #expect(pager.cache.brokenInvariant() == nil)
    pager.unpin(pinned)
    if seed % 2 == 0 {
      try pager.commit()
    } else {
      try pager.rollback()
      model = committed
    }
    #expect(try RawDatabase.image(pager) == model, "seed \(seed)")
    pager.endRead()
    pager.close()
    #expect(try RawDatabase.readImage(path) == model, "seed \(seed)")
  }

  @Test func `a statement journal that grows moves to a temporary file`() throws {
    let directory = try TemporaryDirectory()
    let image = RawDatabase.Image(1...100)
    try RawDatabase.make(directory("x.db"), image, pageSize: 4096)
    let pager = try RawDatabase.open(directory("x.db"), cacheSize: 200)
    try pager.beginReadAndWrite(exclusive: false)
    for number in 1...100 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, number + 1) }
    let depth = try pager.openSavepoint()
    for number in 1...100 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 0) }
    try pager.rollbackToSavepoint(depth)
    #expect(try RawDatabase.image(pager) == image.map { $0 + 1 })
    try pager.releaseSavepoint(depth)
    try pager.commit()
    pager.endRead()
    #expect(try RawDatabase.readImage(directory("x.db")) == image.map { $0 + 1 })
  }
}
