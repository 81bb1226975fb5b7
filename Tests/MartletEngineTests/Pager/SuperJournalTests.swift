import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Commits of two files at once.
@Suite struct SuperJournalTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let oldImage: RawDatabase.Image = [1, 2, 3, 4]
  static let newImage: RawDatabase.Image = [1, 20, 3, 4, 50]

  /// Changes both databases of a directory in one commit.
  ///
  /// - Parameter flushes: write what was changed to the files before the commit.
  static func change(
    _ directory: TemporaryDirectory, _ vfs: any VFS, _ mode: JournalMode,
    _ synchronous: SynchronousMode = .full, flushes: Bool = false
  ) throws {
    let pagers = try ["a.db", "b.db"].map { try RawDatabase.open(directory($0), vfs) }
    defer { for pager in pagers { pager.close() } }
    for pager in pagers {
      pager.journalMode = mode
      pager.synchronous = synchronous
    }
    defer { for pager in pagers where pager.readerCount > 0 { pager.endRead() } }
    do {
      for pager in pagers {
        try pager.beginReadAndWrite(exclusive: false)
        try RawDatabase.set(pager, 2, 20)
        try RawDatabase.append(pager, 50)
        if flushes {
          try RawDatabase.set(pager, 1, 1)
          try pager.flush()
        }
      }
      try SuperJournal.commit(pagers, main: pagers[0])
    } catch {
      for pager in pagers where pager.isWriting { try? pager.rollback() }
      throw error
    }
  }

  static func make(_ directory: TemporaryDirectory, pageSize: Int = 512) throws {
    for name in ["a.db", "b.db"] {
      try RawDatabase.make(directory(name), oldImage, pageSize: pageSize)
    }
  }

  static func images(_ directory: TemporaryDirectory) throws -> [RawDatabase.Image] {
    try ["a.db", "b.db"].map { try RawDatabase.readImage(directory($0)) }
  }

  @Test(arguments: [JournalMode.delete, .truncate, .persist])
  func `two files are committed together, and nothing hot is left`(mode: JournalMode) throws {
    try Self.make(directory)
    try Self.change(directory, PosixVFS(), mode)
    #expect(try Self.images(directory) == [Self.newImage, Self.newImage])
    #expect(!directory.names.contains { $0.contains("-mj") })
    // A name of a super-journal that stayed would make the next journal look committed.
    if mode != .delete { #expect(directory.size("a.db-journal") == 0) }
  }

  struct Case: CustomTestStringConvertible {
    var mode: JournalMode
    var synchronous = SynchronousMode.full
    var flushes = false
    var pageSize = 512
    /// Sectors of a disk on which a write may damage what is beside it.
    var sectorSize: Int?

    var testDescription: String {
      let sectors = sectorSize.map { " on sectors of \($0)" } ?? ""
      let flushing = flushes ? " flushing" : ""
      return "\(mode) \(synchronous)\(flushing) pages of \(pageSize)\(sectors)"
    }
  }

  static let cases: [Case] =
    [JournalMode.delete, .truncate, .persist].flatMap { mode in
      [Case(mode: mode, synchronous: .normal), Case(mode: mode), Case(mode: mode, flushes: true)]
        + [512, 4096, 65536].flatMap { pageSize in
          [512, 4096].flatMap { sectorSize in
            [false, true].map { flushes in
              Case(mode: mode, flushes: flushes, pageSize: pageSize, sectorSize: sectorSize)
            }
          }
        }
    }

  @Test(arguments: cases)
  func `a power failure takes both changes or neither`(testCase: Case) throws {
    var outcomes: Set<[RawDatabase.Image]> = []
    var number = 3
    var isCut = true
    while isCut {
      for seed in 0..<(testCase.sectorSize == nil ? 6 : 2) as Range<UInt64> where isCut {
        let directory = try TemporaryDirectory()
        try Self.make(directory, pageSize: testCase.pageSize)
        let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
        vfs.cutPower(at: number)
        do {
          try Self.change(
            directory, vfs, testCase.mode, testCase.synchronous, flushes: testCase.flushes)
        } catch {}
        isCut = vfs.isPowerOff
        try vfs.restorePower(seed: seed)
        if seed == 0, number % 4 == 0, OracleShell.isAvailable {
          // C recovers one of them first.
          let path = directory("b.db")
          try #expect(OracleShell(path).run("select count(*) from sqlite_schema;") == "0\n")
        }
        let images = try Self.images(directory)
        #expect(images[0] == images[1], "cut at \(number), seed \(seed)")
        #expect(images[0] == Self.oldImage || images[0] == Self.newImage)
        outcomes.insert(images)
      }
      number += 1
    }
    #expect(outcomes.count == 2)
  }

  @Test func `a name of which nothing but the length has arrived is no name`() throws {
    var bytes = [UInt8](repeating: 7, count: 600) + [UInt8](repeating: 0, count: 20)
    bytes += [0, 0, 0, 20, 0, 0, 0, 0]
    bytes += [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    try directory.write([], to: "a.db")
    try directory.write(bytes, to: "a.db-journal")
    let file = try PosixVFS().open(directory("a.db-journal"), [.readOnly, .mainJournal])
    defer { file.close() }
    #expect(try SuperJournal.name(in: file) == nil)
  }

  @Test(
    .enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"),
    arguments: [JournalMode.delete, .persist])
  func `C recovers a commit of two files that we left half-way`(mode: JournalMode) throws {
    var number = 3
    var isCut = true
    var leftSuperJournal = false
    while isCut {
      let directory = try TemporaryDirectory()
      try Self.make(directory)
      let vfs = FaultVFS(PosixVFS())
      vfs.cutPower(at: number)
      do { try Self.change(directory, vfs, mode) } catch {}
      isCut = vfs.isPowerOff
      try vfs.restorePower(seed: UInt64(number))
      leftSuperJournal = leftSuperJournal || directory.names.contains { $0.contains("-mj") }
      for name in ["b.db", "a.db"] {
        try #expect(
          OracleShell(directory(name)).run("select count(*) from sqlite_schema;") == "0\n")
      }
      let images = try Self.images(directory)
      #expect(images[0] == images[1], "cut at \(number)")
      number += 2
    }
    #expect(leftSuperJournal)
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `two files that C was changing when it was killed are both old or both new`() throws {
    for round in 0..<12 {
      let directory = try TemporaryDirectory()
      let shell = try OracleShell(directory("a.db"))
      try shell.run(
        """
        attach '\(directory("b.db"))' as b;
        create table main.t(a, z); create table b.t(a, z);
        insert into main.t values(0, zeroblob(30000));
        insert into b.t values(0, zeroblob(30000));
        """)
      let step = """
        begin; update main.t set a = a + 1, z = randomblob(30000);
        update b.t set a = a + 1, z = randomblob(30000); commit;
        """
      try shell.start(String(repeating: step + "\n", count: 300))
      usleep(UInt32(8_000 + 1_700 * round))
      shell.crash()
      for name in ["b.db", "a.db"] {
        let pager = try RawDatabase.open(directory(name))
        try pager.beginRead()
        pager.endRead()
        pager.close()
      }
      let check = try OracleShell(directory("a.db"))
      let answer = try check.run(
        """
        attach '\(directory("b.db"))' as b; pragma main.integrity_check; pragma b.integrity_check;
        select (select a from main.t) = (select a from b.t);
        """)
      #expect(answer == "ok\nok\n1\n", "round \(round): \(directory.names)")
    }
  }

  @Test func `when any call fails, both files are changed or neither`() throws {
    var number = 1
    var failureCount = 1
    while failureCount > 0 {
      let directory = try TemporaryDirectory()
      try Self.make(directory)
      let vfs = FaultVFS(PosixVFS())
      vfs.fail(Set(FaultVFS.Call.allCases), at: number)
      do { try Self.change(directory, vfs, .delete) } catch {}
      failureCount = vfs.stopFailing()
      let images = try Self.images(directory)
      #expect(images[0] == images[1], "call \(number)")
      number += 1
    }
    #expect(number > 20)
  }
}
