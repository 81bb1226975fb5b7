import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Journals that C SQLite has left, and its view of ours.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct PagerRecoveryTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("x.db")
  }

  /// Kills C in the middle of a transaction that has spilled. Returns what the file was before.
  func crash(pageSize: Int, journalMode: String, synchronous: Int = 2) throws -> [UInt8] {
    let shell = try OracleShell(path)
    try shell.run(
      """
      pragma page_size = \(pageSize); pragma journal_mode = \(journalMode);
      pragma synchronous = \(synchronous); create table t(a, b);
      insert into t select value, zeroblob(100) from generate_series(1, 3000);
      """)
    let before = try directory.bytes("x.db")
    try shell.run(
      """
      pragma cache_size = 10; begin; update t set a = a + 1 where a % 7 = 3;
      delete from t where a > 2900; create table u(x);
      insert into u select randomblob(200) from generate_series(1, 2000);
      """)
    shell.crash()
    #expect(try directory.bytes("x.db") != before, "the transaction has spilled")
    return before
  }

  @Test(arguments: [512, 4096, 65536], ["delete", "truncate", "persist"])
  func `a transaction of C that was killed is undone to the byte`(
    pageSize: Int, journalMode: String
  ) throws {
    let before = try crash(pageSize: pageSize, journalMode: journalMode)
    let pager = try RawDatabase.open(path)
    try pager.beginRead()
    #expect(pager.file.lockLevel == .shared)
    pager.endRead()
    #expect(try directory.bytes("x.db") == before)
    #expect(directory.names == ["x.db"])
    let shell = try OracleShell(path)
    #expect(try shell.run("pragma integrity_check; select sum(a) from t;") == "ok\n4501500\n")
  }

  @Test func `recovery that breaks off is finished by the next reader`() throws {
    let before = try crash(pageSize: 512, journalMode: "delete")
    let database = try directory.bytes("x.db")
    let journal = try directory.bytes("x.db-journal")
    let vfs = FaultVFS(PosixVFS())
    var number = 1
    var failureCount = 1
    while failureCount > 0 {
      try directory.write(database, to: "x.db")
      try directory.write(journal, to: "x.db-journal")
      let pager = try RawDatabase.open(path, vfs)
      vfs.fail(Set(FaultVFS.Call.allCases), at: number)
      do {
        try pager.beginRead()
        pager.endRead()
      } catch {
        #expect(pager.file.lockLevel == .none)
      }
      failureCount = vfs.stopFailing()
      try pager.beginRead()
      pager.endRead()
      pager.close()
      #expect(try directory.bytes("x.db") == before, "call \(number)")
      // Reads of records fail by the thousand; they are alike.
      number += number < 30 ? 1 : number / 7
    }
  }

  @Test func `a damaged journal ends in an error or in some state, never in a trap`() throws {
    _ = try crash(pageSize: 512, journalMode: "delete")
    let database = try directory.bytes("x.db")
    let journal = try directory.bytes("x.db-journal")
    var random = SplitMix(11)
    for round in 0..<150 {
      var damaged = journal
      for _ in 0..<(round % 5 + 1) {
        let isInHeader = random.hits(0.6)
        let offset = Int.random(in: 0..<(isInHeader ? 32 : damaged.count), using: &random)
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      if round % 3 == 0 {
        damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random))
      }
      try directory.write(database, to: "x.db")
      try directory.write(damaged, to: "x.db-journal")
      let pager = try RawDatabase.open(path)
      do {
        try pager.beginRead()
        pager.endRead()
      } catch {}
      #expect(pager.file.lockLevel == .none)
      pager.close()
    }
  }

  @Test func `a damaged record of a page that is not wanted is passed over, as by C`() throws {
    _ = try crash(pageSize: 512, journalMode: "delete")
    let database = try directory.bytes("x.db")
    var journal = try directory.bytes("x.db-journal")
    // The fourth record behind the header: its page is behind the end, and its sum is wrong.
    let record = 512 + 3 * (512 + 8)
    journal[record] = 0x7f
    journal[record + 4 + 512] ^= 0xff
    func recovered(_ recover: () throws -> Void) throws -> [UInt8] {
      try directory.write(database, to: "x.db")
      try directory.write(journal, to: "x.db-journal")
      try recover()
      return try directory.bytes("x.db")
    }
    let theirs = try recovered { try OracleShell(path).run("pragma page_count;") }
    let ours = try recovered {
      let pager = try RawDatabase.open(path)
      try pager.beginRead()
      pager.endRead()
      pager.close()
    }
    #expect(ours == theirs)
  }

  @Test(arguments: [512, 4096])
  func `a journal that does not say its page size has the database's`(pageSize: Int) throws {
    let before = try crash(pageSize: pageSize, journalMode: "delete")
    var journal = try directory.bytes("x.db-journal")
    for offset in 24..<28 { journal[offset] = 0 }
    try directory.write(journal, to: "x.db-journal")
    let pager = try RawDatabase.open(path)
    try pager.beginRead()
    pager.endRead()
    pager.close()
    #expect(try directory.bytes("x.db") == before)
    #expect(directory.names == ["x.db"])
  }

  @Test(arguments: [512, 4096], [1, 2])
  func `our journal has the bytes of C's`(pageSize: Int, synchronous: Int) throws {
    let before = try crash(
      pageSize: pageSize, journalMode: "delete", synchronous: synchronous)
    let theirs = try directory.bytes("x.db-journal")
    let journal = try PosixVFS().open(path + "-journal", [.readOnly])
    var reader = try JournalReader(journal, databasePageSize: pageSize)
    var header = try #require(try reader.nextHeader())
    // The same pages, with the same nonces, written by us.
    let output = SpillingFile(nil, kind: .temporaryJournal)
    let buffer = try Memory.allocate(JournalFile.bufferByteCount)
    let page = try Memory.allocate(65536).bindMemory(to: UInt8.self, capacity: 65536)
    defer {
      Memory.free(buffer)
      Memory.free(page)
      journal.close()
    }
    let ours = RollbackJournal(
      JournalFile(output, buffer: buffer), memory: nil, seed: 0, pageSize: pageSize,
      sectorSize: header.sectorSize, originalPageCount: header.originalPageCount, isSynced: true)
    var byteCount = 0
    while true {
      try ours.appendHeader(nonce: header.nonce)
      for _ in 0..<header.recordCount {
        let number = try #require(
          try reader.nextRecord(into: page, pageCount: header.originalPageCount))
        let offset = Int(number.rawValue - 1) * pageSize
        #expect(
          Array(UnsafeBufferPointer(start: page, count: pageSize))
            == Array(before[offset..<offset + pageSize]))
        try ours.append(number, page)
      }
      try ours.makeSafe(syncingTwice: true)
      byteCount = Int(ours.output.endOffset)
      guard let next = try reader.nextHeader() else { break }
      header = next
    }
    #expect(ours.segments.count > 2)
    let copy = try Memory.allocate(byteCount)
    defer { Memory.free(copy) }
    try output.readFully(into: copy, byteCount: byteCount, at: 0)
    #expect(
      Array(UnsafeRawBufferPointer(start: copy, count: byteCount))
        == Array(theirs[..<byteCount]))
  }

  @Test func `C undoes a transaction of ours that was killed`() throws {
    let image = RawDatabase.Image(1...100)
    try RawDatabase.make(path, image)
    let before = try directory.bytes("x.db")
    let pager = try RawDatabase.open(path, cacheSize: 16)
    try pager.beginReadAndWrite(exclusive: false)
    for number in 1...100 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 0) }
    for value in 1...100 as ClosedRange<UInt32> { try RawDatabase.append(pager, value) }
    let database = try directory.bytes("x.db")
    let journal = try directory.bytes("x.db-journal")
    #expect(database.count > before.count)
    try pager.rollback()
    pager.endRead()
    pager.close()
    try directory.write(database, to: "x.db")
    try directory.write(journal, to: "x.db-journal")
    let shell = try OracleShell(path)
    #expect(try shell.run("pragma page_count;") == "100\n")
    #expect(try directory.bytes("x.db") == before)
    #expect(directory.names == ["x.db"])
  }

  @Test func `a journal beside an empty file goes, and one that names a lost super-journal`() throws
  {
    try directory.write([], to: "x.db")
    try directory.write(Array(repeating: 1, count: 600), to: "x.db-journal")
    let pager = try RawDatabase.open(path)
    try pager.beginRead()
    pager.endRead()
    #expect(directory.names == ["x.db"])
    pager.close()

    try directory.write([], to: "x.db")
    _ = try crash(pageSize: 512, journalMode: "delete")
    let database = try directory.bytes("x.db")
    try nameSuperJournal(directory("lost-mj"))
    let other = try RawDatabase.open(path)
    // Its transaction counts as committed, whatever the file has.
    do {
      try other.beginRead()
      other.endRead()
    } catch {}
    #expect(directory.names == ["x.db"])
    #expect(try directory.bytes("x.db") == database)
  }

  /// Adds the record that names a super-journal to the journal.
  private func nameSuperJournal(_ path: String) throws {
    let journal = try PosixVFS().open(self.path + "-journal", [.readWrite])
    let name = Array(path.utf8)
    var record = [UInt8](repeating: 0, count: name.count + 20)
    record.withUnsafeMutableBytes { bytes in
      bytes.baseAddress?.storeBigEndian(UInt32(0x4000_0000 / 512 + 1))
      bytes.baseAddress?.storeBigEndian(UInt32(name.count), at: 4 + name.count)
      bytes.baseAddress?.storeBigEndian(
        JournalFormat.checksum(ofName: name), at: 8 + name.count)
      bytes.baseAddress?.storeBigEndian(JournalFormat.magic, at: 12 + name.count)
    }
    record.replaceSubrange(4..<4 + name.count, with: name)
    try journal.write(from: record, byteCount: record.count, at: try journal.byteCount())
    journal.close()
  }

  @Test(arguments: [
    ("holiday-mjpeg.avi", true), ("x-mj123456_AA", true), ("x-mj12G4569AA", true),
    ("x-mj1234567AA", true), ("x.db-mj1234569aA", false), ("x.db-mj1234569AA", true),
  ])
  func `recovery deletes no file but a super-journal that names the journal`(
    name: String, namesJournal: Bool
  ) throws {
    _ = try crash(pageSize: 512, journalMode: "delete")
    try nameSuperJournal(directory(name))
    let content = namesJournal ? path + "-journal" : directory("y.db-journal") as String
    try directory.write(Array(content.utf8) + [0], to: name)
    let pager = try RawDatabase.open(path)
    try pager.beginRead()
    pager.endRead()
    pager.close()
    let isSuperJournal = name == "x.db-mj1234569AA"
    #expect(directory.names == (isSuperJournal ? ["x.db"] : ["x.db", name].sorted()))
  }
}
