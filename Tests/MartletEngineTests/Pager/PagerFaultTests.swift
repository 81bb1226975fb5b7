import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Commits in which the n-th call fails, or the power, for every n.
@Suite struct PagerFaultTests {
  struct Case: CustomTestStringConvertible {
    var mode: JournalMode
    var synchronous = SynchronousMode.full
    /// 16 frames for a transaction of many pages: some are written before the commit.
    var spills = false
    var pageSize = 512
    /// Sectors of a disk on which a write may damage what is beside it.
    var sectorSize: Int?

    var testDescription: String {
      let sectors = sectorSize.map { " on sectors of \($0)" } ?? ""
      return "\(mode) \(synchronous)\(spills ? " spilling" : "") pages of \(pageSize)\(sectors)"
    }
  }

  static let cases: [Case] =
    [JournalMode.delete, .truncate, .persist].flatMap { mode in
      [
        Case(mode: mode), Case(mode: mode, spills: true),
        Case(mode: mode, synchronous: .extra, spills: true),
      ]
    }

  static let oldImage = RawDatabase.Image(100..<140)

  /// Changes that touch page 1, the middle and the end, and leave another size.
  static func change(_ pager: Pager, _ testCase: Case, _ salt: UInt32 = 0) throws {
    for number in stride(from: 1, through: 40, by: testCase.spills ? 1 : 7) {
      try RawDatabase.set(pager, UInt32(number), UInt32(number) + 1000 + salt)
    }
    if testCase.mode == .persist {
      pager.truncateImage(to: 36)
    } else {
      for value in 0..<(testCase.spills ? 30 : 3) as Range<UInt32> {
        try RawDatabase.append(pager, value + salt)
      }
    }
    if testCase.spills { try RawDatabase.set(pager, 20, 9999 + salt) }
  }

  static func newImage(_ testCase: Case, _ salt: UInt32 = 0) throws -> RawDatabase.Image {
    let directory = try TemporaryDirectory()
    try RawDatabase.make(directory("x.db"), oldImage, pageSize: testCase.pageSize)
    let pager = try RawDatabase.open(directory("x.db"))
    try RawDatabase.transaction(pager) { try change(pager, testCase, salt) }
    return try RawDatabase.readImage(pager)
  }

  static func open(_ path: String, _ vfs: any VFS, _ testCase: Case) throws -> Pager {
    let pager = try RawDatabase.open(
      path, vfs, cacheSize: testCase.spills ? 16 : 100)
    pager.journalMode = testCase.mode
    pager.synchronous = testCase.synchronous
    return pager
  }

  @Test(arguments: cases)
  func `after a power failure at any write the old or the new image is found`(
    testCase: Case
  ) throws {
    let newImage = try Self.newImage(testCase)
    // With spilling there are many cuts, most of them alike.
    let seeds: Range<UInt64> = testCase.spills ? 0..<2 : 0..<6
    var outcomes: Set<RawDatabase.Image> = []
    var cutCount = 1
    var isCut = true
    while isCut {
      for seed in seeds where isCut {
        let directory = try TemporaryDirectory()
        let path = directory("x.db")
        let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
        try RawDatabase.make(path, Self.oldImage, pageSize: testCase.pageSize)
        if testCase.mode == .persist { try Self.leaveStaleJournal(path, testCase) }
        // The first change is that the database is opened.
        vfs.cutPower(at: cutCount + 1)
        let pager = try Self.open(path, vfs, testCase)
        do {
          try RawDatabase.transaction(pager) { try Self.change(pager, testCase) }
        } catch {}
        pager.close()
        isCut = vfs.isPowerOff
        try vfs.restorePower(seed: seed + UInt64(cutCount) * 100)
        let image = try RawDatabase.readImage(path)
        #expect(
          image == Self.oldImage || image == newImage, "cut at \(cutCount), seed \(seed)")
        outcomes.insert(image)
      }
      cutCount += 1
    }
    #expect(outcomes.count == 2, "both states are reached")
    #expect(cutCount > 8)
  }

  @Test(arguments: [JournalMode.delete, .truncate, .persist])
  func `a power failure in the middle of recovery is recovered from`(mode: JournalMode) throws {
    let testCase = Case(mode: mode, spills: true)
    var recoveryCutCount = 0
    for cutCount in stride(from: 6, to: 40, by: 5) {
      var number = 2
      var isCut = true
      while isCut {
        let directory = try TemporaryDirectory()
        let path = directory("x.db")
        let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
        try RawDatabase.make(path, Self.oldImage, pageSize: testCase.pageSize)
        vfs.cutPower(at: cutCount)
        let pager = try Self.open(path, vfs, testCase)
        do { try RawDatabase.transaction(pager) { try Self.change(pager, testCase) } } catch {}
        pager.close()
        guard vfs.isPowerOff else { break }
        try vfs.restorePower(seed: 3)
        // Near the end, the disk may have what makes it a commit.
        let image = try Self.recoveredCopy(of: directory)
        vfs.cutPower(at: number)
        let reader = try Self.open(path, vfs, testCase)
        do {
          try reader.beginRead()
          reader.endRead()
        } catch { recoveryCutCount += 1 }
        reader.close()
        isCut = vfs.isPowerOff
        try vfs.restorePower(seed: UInt64(number))
        let found = try RawDatabase.readImage(path)
        #expect(found == image, "cut at \(cutCount), then at \(number)")
        number += 1
      }
    }
    #expect(recoveryCutCount > 20)
  }

  private static func recoveredCopy(of directory: TemporaryDirectory) throws -> RawDatabase.Image {
    let copy = try TemporaryDirectory()
    for name in directory.names { try copy.write(try directory.bytes(name), to: name) }
    return try RawDatabase.readImage(copy("x.db"))
  }

  /// A journal of an earlier transaction, from before the power failure test begins.
  static func leaveStaleJournal(_ path: String, _ testCase: Case) throws {
    let pager = try RawDatabase.open(path)
    pager.journalMode = .persist
    pager.synchronous = .off
    try RawDatabase.transaction(pager) {
      for number in 1...40 as ClosedRange<UInt32> { try RawDatabase.set(pager, number, 5) }
    }
    try RawDatabase.transaction(pager) {
      for (index, value) in oldImage.enumerated() {
        try RawDatabase.set(pager, UInt32(index + 1), value)
      }
    }
    pager.close()
  }

  @Test(
    .enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"),
    arguments: [JournalMode.delete, .truncate, .persist], [false, true])
  func `C recovers from our power failure as we do`(mode: JournalMode, spills: Bool) throws {
    let testCase = Case(mode: mode, spills: spills)
    let newImage = try Self.newImage(testCase)
    var cutCount = 1
    var isCut = true
    while isCut {
      let directory = try TemporaryDirectory()
      let path = directory("x.db")
      let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
      try RawDatabase.make(path, Self.oldImage, pageSize: testCase.pageSize)
      vfs.cutPower(at: cutCount + 1)
      let pager = try Self.open(path, vfs, testCase)
      do {
        try RawDatabase.transaction(pager) { try Self.change(pager, testCase) }
      } catch {}
      pager.close()
      isCut = vfs.isPowerOff
      try vfs.restorePower(seed: UInt64(cutCount) * 7)
      // The schema is empty; to see that is to read the file.
      try #expect(OracleShell(path).run("select count(*) from sqlite_schema;") == "0\n")
      let image = try RawDatabase.readImage(path)
      #expect(image == Self.oldImage || image == newImage, "cut at \(cutCount)")
      // Few cuts are enough for a process each.
      cutCount += spills ? 5 : 2
    }
  }

  @Test(arguments: cases.filter { $0.synchronous == .full }, [false, true])
  func `when any call fails, the transaction is undone or done, and work goes on`(
    testCase: Case, isLasting: Bool
  ) throws {
    let newImage = try Self.newImage(testCase)
    let nextImage = try Self.newImage(testCase, 77)
    let calls = Set(FaultVFS.Call.allCases)
    var number = 1
    var failureCount = 1
    while failureCount > 0 {
      let directory = try TemporaryDirectory()
      let path = directory("x.db")
      let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
      try RawDatabase.make(path, Self.oldImage, pageSize: testCase.pageSize)
      let pager = try Self.open(path, vfs, testCase)
      vfs.fail(calls, at: number, isLasting: isLasting)
      var caught: SQLError?
      do {
        try RawDatabase.transaction(pager) { try Self.change(pager, testCase) }
      } catch { caught = error as? SQLError }
      #expect(pager.cache.pinnedCount == 0)
      #expect(pager.cache.brokenInvariant() == nil)
      failureCount = vfs.stopFailing()
      let image = try RawDatabase.readImage(pager)
      #expect(try RawDatabase.readImage(path) == image, "call \(number)")
      if caught == nil {
        #expect(image == newImage, "call \(number)")
      } else {
        #expect(image == Self.oldImage || image == newImage, "call \(number)")
        // Where nobody knows better, nothing was committed.
        if !isLasting, caught?.code != .ioErrorDelete { #expect(failureCount == 1) }
      }
      guard image == Self.oldImage else {
        number += 1
        continue
      }
      try RawDatabase.transaction(pager) { try Self.change(pager, testCase, 77) }
      #expect(try RawDatabase.readImage(path) == nextImage, "call \(number)")
      number += 1
    }
    #expect(number > 10)
  }

  @Test(arguments: [false, true])
  func `a full disk is an error of its own, and the transaction can be undone`(
    spills: Bool
  ) throws {
    let testCase = Case(mode: .delete, spills: spills)
    var number = 1
    while true {
      let directory = try TemporaryDirectory()
      let path = directory("x.db")
      let vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize)
      try RawDatabase.make(path, Self.oldImage, pageSize: testCase.pageSize)
      let pager = try Self.open(path, vfs, testCase)
      vfs.fail([.write], at: number, isLasting: true, code: .full)
      do {
        try RawDatabase.transaction(pager) { try Self.change(pager, testCase) }
        break
      } catch let error as SQLError {
        #expect(error.code == .full)
      }
      vfs.stopFailing()
      #expect(try RawDatabase.readImage(pager) == Self.oldImage)
      #expect(try RawDatabase.readImage(path) == Self.oldImage)
      #expect(directory.names == ["x.db"])
      number += 1
    }
    #expect(number > 3)
  }
}
