import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Write transactions of one pager, without faults.
@Suite struct PagerWriteTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("x.db")
  }

  @Test(arguments: [512, 4096, 65536])
  func `a new database has what was committed`(pageSize: Int) throws {
    try RawDatabase.make(path, [1, 2, 3], pageSize: pageSize)
    #expect(directory.names == ["x.db"])
    #expect(directory.size("x.db") == 3 * pageSize)
    let bytes = try directory.bytes("x.db")
    #expect(Array(bytes[24..<32]) == [0, 0, 0, 1, 0, 0, 0, 3])
    // Version 3.53.4 has written, at change counter 1.
    #expect(Array(bytes[92..<100]) == [0, 0, 0, 1, 0, 0x2e, 0x95, 0xcc])
    #expect(try RawDatabase.readImage(path) == [1, 2, 3])
  }

  @Test func `a commit keeps the cache and is no change by others`() throws {
    try RawDatabase.make(path, [1, 2, 3])
    let pager = try RawDatabase.open(path)
    #expect(try RawDatabase.readImage(pager) == [1, 2, 3])
    let version = pager.dataVersion
    let missCount = pager.cache.missCount
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 2, 20) }
    #expect(try RawDatabase.readImage(pager) == [1, 20, 3])
    #expect(pager.dataVersion == version)
    #expect(pager.cache.missCount == missCount)
    #expect(pager.header.changeCounter == 2)
    #expect(pager.file.lockLevel == .none)
    #expect(pager.cache.brokenInvariant() == nil)
    #expect(try RawDatabase.readImage(path) == [1, 20, 3])
  }

  @Test(arguments: [JournalMode.delete, .truncate, .persist, .memory, .off])
  func `each journal mode leaves its journal, and no hot one`(mode: JournalMode) throws {
    try RawDatabase.make(path, [1, 2, 3])
    let pager = try RawDatabase.open(path)
    pager.journalMode = mode
    for round in 1...3 as ClosedRange<UInt32> {
      try RawDatabase.transaction(pager) {
        try RawDatabase.set(pager, 2, round)
        #expect((directory.size("x.db-journal") != nil) == mode.isOnDisk)
      }
      switch mode {
      case .truncate: #expect(directory.size("x.db-journal") == 0)
      case .persist:
        // A sector of header, and the records of two pages.
        #expect(directory.size("x.db-journal") == 512 + 2 * 520)
        #expect(try directory.bytes("x.db-journal").prefix(28).allSatisfy { $0 == 0 })
      default: #expect(directory.names == ["x.db"])
      }
      #expect(try RawDatabase.readImage(pager) == [1, round, 3])
    }
    try pager.setJournalMode(.delete)
    #expect(directory.names == ["x.db"])
  }

  @Test func `the size limit cuts a persistent journal`() throws {
    try RawDatabase.make(path, [1, 2, 3, 4, 5])
    let pager = try RawDatabase.open(path)
    pager.journalMode = .persist
    pager.journalSizeLimit = 600
    try RawDatabase.transaction(pager) {
      for number in 2...5 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 0) }
    }
    #expect(directory.size("x.db-journal") == 600)
  }

  @Test(arguments: [200, 16], [JournalMode.delete, .memory, .persist])
  func `a rollback restores image, size and pinned pages`(
    cacheSize: Int, mode: JournalMode
  ) throws {
    let image = RawDatabase.Image(1...60)
    try RawDatabase.make(path, image)
    let before = try directory.bytes("x.db")
    let pager = try RawDatabase.open(path, cacheSize: cacheSize)
    pager.journalMode = mode
    try pager.beginRead()
    try pager.beginWrite(exclusive: false)
    let pinned = try pager.page(PageNumber(7))
    pinned.pointee.tree.isChecked = true
    for number in 1...60 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 99) }
    for value in 0..<60 as Range<UInt32> { try RawDatabase.append(pager, value) }
    #expect(pager.state == (cacheSize == 16 ? .writing : .changed))
    let generation = pager.rollbackGeneration
    try pager.rollback()
    #expect(pager.rollbackGeneration != generation)
    #expect(!pinned.pointee.tree.isChecked)
    #expect(UnsafePointer(pinned.pointee.data).bigEndianUInt32() == 7)
    pager.unpin(pinned)
    #expect(try RawDatabase.image(pager) == image)
    #expect(pager.cache.brokenInvariant() == nil)
    pager.endRead()
    #expect(try directory.bytes("x.db") == before)
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 7, 70) }
    #expect(try RawDatabase.readImage(path)[6] == 70)
  }

  @Test func `the end of the last read rolls back what was not committed`() throws {
    try RawDatabase.make(path, [1, 2, 3])
    let pager = try RawDatabase.open(path)
    try pager.beginReadAndWrite(exclusive: false)
    try RawDatabase.set(pager, 3, 0)
    pager.endRead()
    #expect(!pager.isWriting)
    #expect(directory.names == ["x.db"])
    #expect(try RawDatabase.readImage(pager) == [1, 2, 3])
  }

  @Test func `a transaction without changes leaves no trace`() throws {
    try RawDatabase.make(path, [1, 2, 3])
    let before = try directory.bytes("x.db")
    let pager = try RawDatabase.open(path)
    try RawDatabase.transaction(pager) { #expect(pager.file.lockLevel == .reserved) }
    #expect(try directory.bytes("x.db") == before)
    #expect(pager.file.lockLevel == .none)
  }

  @Test(arguments: [100, 16])
  func `a shorter image cuts the file at the commit, not before`(cacheSize: Int) throws {
    try RawDatabase.make(path, RawDatabase.Image(1...50))
    let pager = try RawDatabase.open(path, cacheSize: cacheSize)
    try pager.beginReadAndWrite(exclusive: false)
    for number in 2...50 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 0) }
    pager.truncateImage(to: 4)
    try RawDatabase.append(pager, 500)
    #expect(directory.size("x.db") == 50 * 512)
    try pager.commit()
    #expect(directory.size("x.db") == 5 * 512)
    #expect(try RawDatabase.image(pager) == [1, 0, 0, 0, 500])
    pager.endRead()
    try pager.beginReadAndWrite(exclusive: false)
    pager.truncateImage(to: 2)
    try RawDatabase.append(pager, 7)
    try pager.rollback()
    #expect(try RawDatabase.image(pager) == [1, 0, 0, 0, 500])
    pager.endRead()
  }

  @Test func `a page that is not written has its place in the file all the same`() throws {
    try RawDatabase.make(path, [1, 2])
    let pager = try RawDatabase.open(path)
    try RawDatabase.transaction(pager) {
      try RawDatabase.append(pager, 3)
      let page = try pager.appendPage()
      pager.dontWrite(page)
      pager.unpin(page)
    }
    #expect(directory.size("x.db") == 4 * 512)
    #expect(pager.cache.brokenInvariant() == nil)
  }

  @Test func `new content needs no read unless the journal does`() throws {
    try RawDatabase.make(path, [1, 2, 3, 4])
    let pager = try RawDatabase.open(path)
    try pager.beginReadAndWrite(exclusive: false)
    pager.unpin(try pager.newContent(of: PageNumber(2), hadContent: false))
    pager.unpin(try pager.newContent(of: PageNumber(3)))
    #expect(UnsafePointer(try pager.page(PageNumber(3)).pointee.data).bigEndianUInt32() == 0)
    pager.unpin(try pager.page(PageNumber(3)))
    pager.unpin(try pager.page(PageNumber(3)))
    #expect(pager.transaction?.journal?.segments.first?.recordCount == 1)
    try pager.rollback()
    #expect(try RawDatabase.image(pager)[2] == 3)
    pager.endRead()
  }

  @Test func `the largest page count is a full database`() throws {
    try RawDatabase.make(path, [1, 2])
    let pager = try RawDatabase.open(path)
    pager.maximumPageCount = 3
    try RawDatabase.transaction(pager) {
      try RawDatabase.append(pager, 3)
      #expect(throws: SQLError(.full)) { try pager.appendPage() }
    }
    #expect(try RawDatabase.readImage(path).count == 3)
  }

  @Test func `with large sectors, the neighbours of a page are in the journal`() throws {
    try RawDatabase.make(path, RawDatabase.Image(1...20))
    let pager = try RawDatabase.open(path, sectorSize: 4096)
    try pager.beginReadAndWrite(exclusive: false)
    try RawDatabase.set(pager, 10, 0)
    #expect(pager.transaction?.journal?.segments.first?.recordCount == 8)
    try pager.rollback()
    try pager.beginWrite(exclusive: true)
    try RawDatabase.set(pager, 19, 0)
    #expect(pager.transaction?.journal?.segments.first?.recordCount == 4)
    try pager.commit()
    pager.endRead()
    #expect(try RawDatabase.readImage(path)[17...19] == [18, 0, 20])
  }

  @Test func `with large sectors, the neighbours that the image has lost are in the journal`()
    throws
  {
    try RawDatabase.make(path, RawDatabase.Image(1...20))
    let pager = try RawDatabase.open(path, sectorSize: 4096)
    try pager.beginReadAndWrite(exclusive: false)
    try RawDatabase.set(pager, 1, 0)
    pager.truncateImage(to: 17)
    try RawDatabase.set(pager, 17, 0)
    #expect(pager.transaction?.journaled.contains(PageNumber(20)) == true)
    #expect(pager.brokenInvariant() == nil)
    // What is written now may damage them.
    try pager.flush()
    try pager.rollback()
    #expect(try RawDatabase.image(pager) == RawDatabase.Image(1...20))
    pager.endRead()
  }

  @Test func `exclusive locking mode keeps lock and journal, and counts one change`() throws {
    try RawDatabase.make(path, [1, 2])
    let pager = try RawDatabase.open(path)
    pager.lockingMode = .exclusive
    for value in 5...8 as ClosedRange<UInt32> {
      try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 2, value) }
    }
    #expect(pager.file.lockLevel == .exclusive)
    #expect(directory.size("x.db-journal") != nil)
    #expect(pager.header.changeCounter == 2)
    pager.lockingMode = .normal
    #expect(try RawDatabase.readImage(pager) == [1, 8])
    #expect(pager.file.lockLevel == .none)
    #expect(try RawDatabase.readImage(path) == [1, 8])
  }

  @Test(arguments: [100, 16])
  func `a private database is changed without locks and journal files`(cacheSize: Int) throws {
    for name in ["", ":memory:"] {
      let pager = try Pager.open(
        try .parse(name, flags: [.readWrite, .create]), cacheSize: cacheSize)
      let image = RawDatabase.Image(1...100)
      try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
      try pager.beginReadAndWrite(exclusive: false)
      for number in 1...100 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 0) }
      try pager.rollback()
      #expect(try RawDatabase.image(pager) == image)
      pager.endRead()
      pager.close()
    }
  }

  @Test(arguments: [512, 1024, 65536], [JournalMode.delete, .persist])
  func `an image is replaced by one of another page size`(
    pageSize: Int, mode: JournalMode
  ) throws {
    let oldImage = RawDatabase.Image(1...20)
    let image = RawDatabase.Image(50..<80)
    try RawDatabase.make(directory("new.db"), image, pageSize: pageSize)
    let other = try RawDatabase.open(directory("new.db"))
    try other.beginRead()
    defer { other.endRead() }
    let vfs = FaultVFS(PosixVFS())
    var number = 1
    var failureCount = 1
    while failureCount > 0 {
      try? FileManager.default.removeItem(atPath: path)
      try RawDatabase.make(path, oldImage, pageSize: 1024)
      let pager = try RawDatabase.open(path, vfs)
      pager.journalMode = mode
      vfs.fail([.write, .sync, .truncate], at: number)
      try pager.beginReadAndWrite(exclusive: false)
      do {
        try pager.commitReplacement(by: other)
      } catch {
        try? pager.rollback()
      }
      pager.endRead()
      failureCount = vfs.stopFailing()
      let found = try RawDatabase.readImage(pager)
      #expect(found == image || (found == oldImage && failureCount > 0), "call \(number)")
      #expect(pager.pageSize == (found == image ? pageSize : 1024))
      try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 3, 0) }
      #expect(pager.header.changeCounter == (found == image ? 3 : 2))
      #expect(try RawDatabase.readImage(path)[2] == 0)
      pager.close()
      number += 1
    }
    #expect(directory.size("x.db") == 30 * pageSize)
  }

  @Test func `a private database commits in memory and takes back what it must`() throws {
    let pager = try Pager.open(try .parse("", flags: [.readWrite, .create]), cacheSize: 400)
    var image = RawDatabase.Image(1...30)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    #expect(try pager.file.byteCount() == 0, "nothing had to be written")
    // Pages that are nowhere but in the cache are changed, spilled and restored.
    for round in 0..<4 as Range<UInt32> {
      try pager.beginReadAndWrite(exclusive: false)
      for number in 2...30 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, round) }
      let depth = try pager.openSavepoint()
      for value in 0..<(round * 200) { try RawDatabase.append(pager, value) }
      if round == 2 { try pager.rollbackToSavepoint(depth) }
      try pager.rollback()
      #expect(try RawDatabase.image(pager) == image)
      try pager.beginWrite(exclusive: false)
      try RawDatabase.set(pager, 5, round)
      try RawDatabase.append(pager, round)
      try pager.commit()
      image[4] = round
      image.append(round)
      #expect(try RawDatabase.image(pager) == image)
      pager.endRead()
      #expect(pager.cache.brokenInvariant() == nil)
    }
    pager.close()
  }

  @Test func `the cache of a database in memory is the database, whatever its limit`() throws {
    let pager = try Pager.open(try .parse(":memory:", flags: [.readWrite, .create]), cacheSize: 16)
    var image = RawDatabase.Image(1...300)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    let missCount = pager.cache.missCount
    for round in 0..<3 as Range<UInt32> {
      try pager.beginReadAndWrite(exclusive: false)
      for number in 2...pager.pageCount { try RawDatabase.set(pager, number, round) }
      try pager.rollback()
      #expect(try RawDatabase.image(pager) == image)
      try pager.beginWrite(exclusive: false)
      for number in 2...200 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, round) }
      for index in 1..<200 { image[index] = round }
      try pager.flush()
      pager.truncateImage(to: 250 - round)
      image.removeLast(image.count - 250 + Int(round))
      try pager.commit()
      #expect(try RawDatabase.image(pager) == image)
      pager.endRead()
      #expect(pager.cache.brokenInvariant() == nil)
    }
    #expect(pager.cache.missCount == missCount)
    #expect(try pager.file.byteCount() == 0)
    #expect(pager.spilledPageCount == 0)
    pager.close()
  }

  @Test func `a rollback without changes leaves what a private database has in memory`() throws {
    let pager = try Pager.open(try .parse(":memory:", flags: [.readWrite, .create]))
    let image = RawDatabase.Image(1...5)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    try pager.beginReadAndWrite(exclusive: false)
    try pager.rollback()
    #expect(try RawDatabase.image(pager) == image)
    pager.endRead()
  }

  @Test func `another journal mode in exclusive locking mode leaves no hot journal`() throws {
    try RawDatabase.make(path, [1, 2])
    let pager = try RawDatabase.open(path)
    pager.lockingMode = .exclusive
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 2, 3) }
    #expect(directory.size("x.db-journal") != nil)
    #expect(try pager.setJournalMode(.memory))
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 2, 4) }
    pager.journalMode = .delete
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 2, 5) }
    pager.lockingMode = .normal
    #expect(try RawDatabase.readImage(pager) == [1, 5])
    pager.close()
    #expect(try RawDatabase.readImage(path) == [1, 5])
  }

  @Test(arguments: [JournalMode.off, .delete])
  func `without a journal a rollback works as long as nothing is spilled`(
    mode: JournalMode
  ) throws {
    let image = RawDatabase.Image(1...60)
    try RawDatabase.make(path, image)
    let pager = try RawDatabase.open(path, cacheSize: 16)
    pager.journalMode = mode
    try pager.beginReadAndWrite(exclusive: false)
    for number in 1...5 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 9) }
    try pager.rollback()
    #expect(try RawDatabase.image(pager) == image)
    try pager.beginWrite(exclusive: false)
    for number in 1...60 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 9) }
    try pager.rollback()
    if mode == .off {
      #expect(throws: SQLError(.abort)) { try RawDatabase.image(pager) }
    } else {
      #expect(try RawDatabase.image(pager) == image)
    }
    pager.endRead()
    // What is in the file now is anybody's guess, but it can be read and written again.
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 1, 7) }
  }

  /// As in SQLite: nobody else has the old image, so that the only whole one is the new.
  @Test(arguments: [100, 16])
  func `a private database without a journal keeps what is rolled back`(cacheSize: Int) throws {
    let pager = try Pager(
      file: try PosixVFS().openTemporary(.temporaryDatabase),
      vfs: PosixVFS(), path: "", cacheSize: cacheSize)
    defer { pager.close() }
    pager.journalMode = .off
    var image = RawDatabase.Image(1...60)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    for round in 1...3 as ClosedRange<UInt32> {
      try pager.beginReadAndWrite(exclusive: false)
      for number in 1...40 as ClosedRange<UInt32> {
        image[Int(number) - 1] = round * 1000 + number
        try RawDatabase.set(pager, number, round * 1000 + number)
      }
      image.append(round)
      try RawDatabase.append(pager, round)
      // To the beginning of the transaction, which cannot be found again.
      try pager.rollbackToSavepoint(-1)
      #expect(try RawDatabase.image(pager) == image)
      try pager.rollback()
      #expect(try RawDatabase.image(pager) == image)
      pager.endRead()
      #expect(try RawDatabase.readImage(pager) == image)
    }
  }

  /// Nobody else has what it was, so that nothing may be forgotten.
  @Test(arguments: [100, 16])
  func `a private database whose rollback fails is rolled back by the next read`(
    cacheSize: Int
  ) throws {
    let vfs = FaultVFS(PosixVFS())
    let pager = try Pager(
      file: try vfs.openTemporary(.temporaryDatabase), vfs: vfs, path: "", cacheSize: cacheSize)
    defer { pager.close() }
    let image = RawDatabase.Image(1...60)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    var number: UInt32 = 1, hasFailed = true
    while hasFailed {
      try pager.beginReadAndWrite(exclusive: false)
      for page in 1...60 as ClosedRange<UInt32> { try RawDatabase.set(pager, page, number + page) }
      try RawDatabase.append(pager, number)
      vfs.fail([.read], at: Int(number), isLasting: true)
      do {
        try pager.rollback()
        hasFailed = false
      } catch {
        #expect(throws: SQLError(.ioErrorRead)) { try RawDatabase.image(pager) }
        #expect(throws: SQLError(.ioErrorRead)) { try pager.rollback() }
      }
      pager.endRead()
      if hasFailed { #expect(throws: SQLError(.ioErrorRead)) { try pager.beginRead() } }
      vfs.stopFailing()
      #expect(try RawDatabase.readImage(pager) == image, "read \(number)")
      #expect(pager.brokenInvariant(comparingFile: true) == nil)
      #expect(pager.cache.brokenInvariant() == nil)
      number += 1
    }
    #expect(number > 60)
  }

  @Test func `where a savepoint of a private database cannot be returned to, all is taken back`()
    throws
  {
    let vfs = FaultVFS(PosixVFS())
    let pager = try Pager(
      file: try vfs.openTemporary(.temporaryDatabase), vfs: vfs, path: "", cacheSize: 100)
    defer { pager.close() }
    let image = RawDatabase.Image(1...60)
    try RawDatabase.transaction(pager) { try RawDatabase.create(pager, image) }
    try pager.beginReadAndWrite(exclusive: false)
    for page in 1...60 as ClosedRange<UInt32> { try RawDatabase.set(pager, page, 7) }
    let savepoint = try pager.openSavepoint()
    for page in 1...60 as ClosedRange<UInt32> { try RawDatabase.set(pager, page, 8) }
    vfs.fail([.read], at: 9)
    #expect(throws: SQLError(.ioErrorRead)) { try pager.rollbackToSavepoint(savepoint) }
    try pager.rollback()
    #expect(try RawDatabase.image(pager) == image)
    pager.endRead()
    try RawDatabase.transaction(pager) { try RawDatabase.set(pager, 1, 7) }
  }
}
