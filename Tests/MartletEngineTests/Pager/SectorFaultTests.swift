import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Power failures on disks that do not promise POWERSAFE_OVERWRITE (psow §2): what was being written
/// since the last sync may have damaged all of its sectors.
@Suite struct SectorFaultTests {
  typealias Case = PagerFaultTests.Case

  /// Every size of a page on sectors that are smaller, of the same size, and larger.
  static let cases: [Case] =
    [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].flatMap { pageSize in
      [512, 4096].flatMap { sectorSize in
        (pageSize > 4096 ? [JournalMode.delete] : [.delete, .truncate, .persist]).flatMap { mode in
          [false, true].map { spills in
            Case(mode: mode, spills: spills, pageSize: pageSize, sectorSize: sectorSize)
          }
        }
      }
    }
    + [512, 16384].map {
      Case(mode: .persist, spills: true, pageSize: $0, sectorSize: 65536)
    }

  /// With NORMAL, the records and the header that counts them become safe by one sync: where it did
  /// not come, the checksums have to tell which records are there. They look at few bytes, of which
  /// the pages here have no two alike.
  static let normalCases: [Case] =
    [(512, nil), (512, 512), (512, 4096), (1024, 4096), (4096, 512)].flatMap { sizes in
      [JournalMode.delete, .truncate, .persist].flatMap { mode in
        [false, true].map { spills in
          Case(
            mode: mode, synchronous: .normal, spills: spills, pageSize: sizes.0,
            sectorSize: sizes.1)
        }
      }
    }

  @Test(arguments: cases + normalCases)
  func `no write damages what is safe in its sector`(testCase: Case) throws {
    let newImage = try PagerFaultTests.newImage(testCase)
    // Large pages take their time, and have no neighbours in their sectors.
    let isLarge = testCase.pageSize > 4096
    var outcomes: Set<RawDatabase.Image> = []
    var cutCount = 1
    var isCut = true
    while isCut {
      for seed in 0..<(isLarge ? 1 : 2) as Range<UInt64> where isCut {
        let world = try PowerCut(testCase, at: cutCount, seed: seed + UInt64(cutCount) * 100)
        isCut = world.isCut
        let comment: Comment = "cut at \(cutCount), seed \(seed)"
        let copy = try world.copy()
        let image = try RawDatabase.readImage(world.path)
        #expect(image == PagerFaultTests.oldImage || image == newImage, comment)
        outcomes.insert(image)
        guard seed == 0, OracleShell.isAvailable, cutCount % (isLarge ? 5 : 2) == 0 else {
          continue
        }
        let path = copy("x.db")
        try #expect(OracleShell(path).run("select count(*) from sqlite_schema;") == "0\n")
        #expect(try RawDatabase.readImage(path) == image, comment)
      }
      cutCount += isLarge ? 2 : 1
    }
    #expect(outcomes.count == 2, "both states are reached")
  }

  @Test(arguments: cases.filter { $0.spills && $0.pageSize <= 4096 && $0.mode != .truncate })
  func `recovery damages nothing that it needs to begin again`(testCase: Case) throws {
    var recoveryCutCount = 0
    for cutCount in stride(from: 8, to: 60, by: 25) {
      var number = 2
      var isCut = true
      while isCut {
        let world = try PowerCut(testCase, at: cutCount, seed: 3)
        guard world.isCut else { break }
        let copy = try world.copy()
        let image = try RawDatabase.readImage(copy("x.db"))
        world.vfs.cutPower(at: number)
        let reader = try PagerFaultTests.open(world.path, world.vfs, testCase)
        do {
          try reader.beginRead()
          reader.endRead()
        } catch { recoveryCutCount += 1 }
        reader.close()
        isCut = world.vfs.isPowerOff
        try world.vfs.restorePower(seed: UInt64(number))
        let found = try RawDatabase.readImage(world.path)
        #expect(found == image, "cut at \(cutCount), then at \(number)")
        number += 1
      }
    }
    #expect(recoveryCutCount > 5)
  }
}

/// The files that a power failure in a transaction has left.
private struct PowerCut {
  let directory: TemporaryDirectory
  let vfs: FaultVFS
  let isCut: Bool
  var path: String { directory("x.db") }

  init(_ testCase: PagerFaultTests.Case, at cutCount: Int, seed: UInt64) throws {
    directory = try TemporaryDirectory()
    vfs = FaultVFS(PosixVFS(), damagedSectorSize: testCase.sectorSize, randomSeed: seed)
    let path = directory("x.db")
    try RawDatabase.make(path, PagerFaultTests.oldImage, pageSize: testCase.pageSize)
    if testCase.mode == .persist { try PagerFaultTests.leaveStaleJournal(path, testCase) }
    // The first change is that the database is opened.
    vfs.cutPower(at: cutCount + 1)
    let pager = try PagerFaultTests.open(path, vfs, testCase)
    do {
      try RawDatabase.transaction(pager) { try PagerFaultTests.change(pager, testCase) }
    } catch {}
    pager.close()
    isCut = vfs.isPowerOff
    try vfs.restorePower(seed: seed)
  }

  func copy() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    for name in directory.names { try copy.write(try directory.bytes(name), to: name) }
    return copy
  }
}
