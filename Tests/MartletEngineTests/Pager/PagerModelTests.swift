import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Transactions with nested savepoints, pages that are freed and used again, images that become
/// shorter, commits that stay in memory, and writes that fail, against a model of what each page
/// holds.
@Suite struct PagerModelTests {
  enum Kind: CaseIterable {
    case memory, temporary, file
    /// A file that has more pages than its header says.
    case longFile
    /// A file on sectors of eight pages, each of which a write may damage.
    case sectors
  }

  @Test(arguments: Kind.allCases, [16, 60, 300])
  func `every way back finds the pages as they were`(kind: Kind, cacheSize: Int) throws {
    for seed in 0..<60 as Range<UInt64> {
      var run = try PagerModel(kind, cacheSize: cacheSize, seed: seed)
      try run.work()
    }
  }
}

/// A pager and what it should hold; nil is a free page, which may hold anything.
private struct PagerModel {
  typealias Image = [UInt32?]

  private let directory: TemporaryDirectory
  private let vfs: FaultVFS
  private let pager: Pager
  private let seed: UInt64
  private var random: SplitMix
  private var image: Image
  private var committed: Image
  private var saved: [Image] = []
  /// Pages that the transaction has freed at some time (the tree's `freedPages`).
  private var freed: Set<Int> = []
  private var step = 0

  init(_ kind: PagerModelTests.Kind, cacheSize: Int, seed: UInt64) throws {
    directory = try TemporaryDirectory()
    self.seed = seed
    vfs = FaultVFS(PosixVFS(), damagedSectorSize: kind == .sectors ? 4096 : nil)
    random = SplitMix(seed)
    image = (0..<40).map { UInt32($0) }
    committed = image
    switch kind {
    case .memory:
      pager = try Pager.open(
        try .parse(":memory:", flags: [.readWrite, .create]), cacheSize: cacheSize)
    case .temporary:
      pager = try Pager(
        file: SpillingFile(vfs, kind: .temporaryDatabase, memoryLimit: 4096), vfs: vfs, path: "",
        cacheSize: cacheSize)
    case .file, .longFile, .sectors:
      try RawDatabase.make(directory("x.db"), (0..<60).map { UInt32($0) })
      var bytes = try directory.bytes("x.db")
      bytes[31] = 40
      if kind != .longFile { bytes.removeLast(20 * 512) }
      try directory.write(bytes, to: "x.db")
      pager = try RawDatabase.open(directory("x.db"), vfs, cacheSize: cacheSize)
      if kind != .sectors { pager.synchronous = .off }
    }
    try pager.setPageSize(512)
    if pager.isPrivate {
      let first = image.map { $0 ?? 0 }
      try RawDatabase.transaction(pager) { try RawDatabase.create(pager, first) }
    }
  }

  mutating func work() throws {
    try pager.beginReadAndWrite(exclusive: false)
    for _ in 0..<250 {
      step += 1
      try change()
      try #require(pager.brokenInvariant(comparingFile: true) == nil, place)
    }
    try end()
    try check()
    pager.endRead()
    pager.close()
  }

  private var place: Comment { "seed \(seed), step \(step)" }

  private mutating func change() throws {
    switch Int.random(in: 0..<32, using: &random) {
    case 0..<8: try set()
    case 8..<12: try append()
    case 12..<16: try free()
    case 16..<19: try use()
    case 19..<21: try truncate()
    case 21..<24 where saved.count < 6:
      #expect(try pager.openSavepoint() == saved.count)
      saved.append(image)
    case 24..<26 where !saved.isEmpty:
      let depth = Int.random(in: 0..<saved.count, using: &random)
      try pager.releaseSavepoint(depth)
      saved.removeSubrange(depth...)
    case 26..<30 where !saved.isEmpty:
      let depth = Int.random(in: 0..<saved.count, using: &random)
      try pager.rollbackToSavepoint(depth)
      image = saved[depth]
      saved.removeSubrange((depth + 1)...)
      try check()
    case 30 where Bool.random(using: &random):
      try pager.flush()
    case 31:
      try end()
      try pager.beginWrite(exclusive: false)
    default: break
    }
  }

  private mutating func anyPage(isFree: Bool) -> Int? {
    let pages = image.indices.dropFirst().filter { (image[$0] == nil) == isFree }
    return pages.randomElement(using: &random).map { $0 + 1 }
  }

  private mutating func set() throws {
    guard let number = anyPage(isFree: false) else { return }
    let value = UInt32.random(in: 0..<1 << 30, using: &random)
    try RawDatabase.set(pager, UInt32(number), value)
    image[number - 1] = value
  }

  private mutating func append() throws {
    for _ in 0..<Int.random(in: 1...6, using: &random) where image.count < 90 {
      image.append(UInt32.random(in: 0..<1 << 30, using: &random))
      try RawDatabase.append(pager, image.last.flatMap { $0 } ?? 0)
    }
  }

  /// As the tree makes a page a leaf of the freelist.
  private mutating func free() throws {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard let number = anyPage(isFree: false) else { return }
      if let page = pager.cache.pinnedFrame(PageNumber(UInt32(number))) {
        pager.dontWrite(page)
        pager.unpin(page)
      }
      image[number - 1] = nil
      freed.insert(number)
    }
  }

  private mutating func use() throws {
    guard let number = anyPage(isFree: true) else { return }
    let value = UInt32.random(in: 0..<1 << 30, using: &random)
    pager.unpin(
      try pager.newContent(
        of: PageNumber(UInt32(number)), hadContent: freed.contains(number)))
    try RawDatabase.set(pager, UInt32(number), value)
    image[number - 1] = value
  }

  /// Page 1 has the size of the image, so it is changed first.
  private mutating func truncate() throws {
    guard image.count > 10 else { return }
    try RawDatabase.set(pager, 1, UInt32(step))
    image[0] = UInt32(step)
    image.removeLast(Int.random(in: 1...min(12, image.count - 8), using: &random))
    pager.truncateImage(to: UInt32(image.count))
  }

  private mutating func end() throws {
    if Int.random(in: 0..<3, using: &random) == 0 {
      try pager.rollback()
      image = committed
    } else {
      let isFailing = Bool.random(using: &random)
      if isFailing { vfs.fail([.write], at: Int.random(in: 1...8, using: &random)) }
      do {
        try pager.commit()
        committed = image
      } catch {
        #expect(vfs.stopFailing() > 0, place)
        try pager.rollback()
        image = committed
      }
      vfs.stopFailing()
    }
    freed = []
    saved = []
    try check()
  }

  private func check() throws {
    #expect(pager.pageCount == UInt32(image.count), place)
    #expect(pager.cache.brokenInvariant() == nil, place)
    try #require(pager.brokenInvariant(comparingFile: true) == nil, place)
    for (index, value) in image.enumerated() {
      guard let value else { continue }
      let page = try pager.page(PageNumber(UInt32(index + 1)))
      defer { pager.unpin(page) }
      let bytes = UnsafePointer(page.pointee.data)
      let found = bytes.bigEndianUInt32(at: index == 0 ? 200 : 0)
      try #require(found == value, "page \(index + 1), \(place)")
    }
  }
}
