import TestSupport
import Testing

@testable import MartletEngine

/// Trees of 512-byte pages that shrink by full auto-vacuum, changed while calls fail.
@Suite struct TreeFaultTests {
  /// A file with one tree, over a VFS that fails.
  private final class FaultyTree {
    let pager: Pager
    let tree: BTree
    private let record = TestRegisters(count: 1)
    private let fields = TestRegisters(count: 5)
    static let root = PageNumber(3)

    init(_ path: String, _ vfs: any VFS, cacheSize: Int = 16) throws {
      pager = try RawDatabase.open(path, vfs, cacheSize: cacheSize)
      tree = BTree(pager: pager)
      tree.newDatabaseVacuum = .full
    }

    deinit { pager.close() }

    func write(_ body: (Cursor) throws -> Void) throws {
      try pager.beginRead()
      defer { pager.endRead() }
      try tree.beginWrite()
      let cursor = Cursor(tree: tree, root: Self.root, keyInfo: nil)
      defer { cursor.close() }
      do {
        try body(cursor)
        cursor.reset()
        try tree.commit()
      } catch {
        cursor.reset()
        try? tree.rollback()
        throw error
      }
    }

    func fill() throws {
      try pager.setPageSize(512)
      try write { cursor in
        #expect(try tree.createTree(.table) == Self.root)
        try addToSchema()
        for rowid in 1...120 { try insert(cursor, Int64(rowid), size: 20 + rowid % 7 * 40) }
      }
    }

    /// So that C knows the tree as well.
    private func addToSchema() throws {
      try tree.updateMeta(.schemaFormat, to: 4)
      try tree.updateMeta(.textEncoding, to: 1)
      let schema = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
      defer { schema.close() }
      let values: [TestValue] = [
        .text("table"), .text("t"), .text("t"), .integer(3), .text("CREATE TABLE t(a)"),
      ]
      for (index, value) in values.enumerated() { try fields.set(index, value) }
      try insertRecord(schema, 1, fieldCount: 5)
    }

    private func insert(_ cursor: Cursor, _ rowid: Int64, size: Int) throws {
      try fields.set(0, .blob([UInt8](repeating: UInt8(truncatingIfNeeded: rowid), count: size)))
      try insertRecord(cursor, rowid, fieldCount: 1)
    }

    private func insertRecord(_ cursor: Cursor, _ rowid: Int64, fieldCount: Int) throws {
      try RecordEncoder.encode(fields.pointer, count: fieldCount, into: record.pointer)
      let bytes = record.pointer[0].byteBuffer
      try cursor.insert(rowid: rowid, record: bytes.baseAddress!, byteCount: bytes.count)
    }

    private func change(_ cursor: Cursor, _ random: inout SplitMix64, count: Int) throws {
      for _ in 0..<count {
        let rowid = Int64.random(in: 1...150, using: &random)
        if Bool.random(using: &random) {
          if try cursor.seek(rowid: rowid) == 0 { try cursor.delete() }
        } else {
          try insert(cursor, rowid, size: .random(in: 0...900, using: &random))
        }
      }
    }

    /// Changes, of which the second third is taken back.
    func change(seed: UInt64) throws {
      var random = SplitMix64(state: seed)
      try write { cursor in
        try change(cursor, &random, count: 60)
        let savepoint = try pager.openSavepoint()
        try change(cursor, &random, count: 60)
        try tree.rollback(toSavepoint: savepoint)
        try change(cursor, &random, count: 60)
        for rowid in 100...150 where try cursor.seek(rowid: Int64(rowid)) == 0 {
          try cursor.delete()
        }
      }
    }

    /// The rows, once the tree has been found intact.
    func rows() throws -> [String] {
      try pager.beginRead()
      defer { pager.endRead() }
      let check = try tree.integrityCheck(roots: [PageNumber(1), Self.root], limit: 5)
      #expect(check.messages == [])
      let cursor = Cursor(tree: tree, root: Self.root, keyInfo: nil)
      defer { cursor.close() }
      var rows: [String] = []
      guard try cursor.moveToFirst() else { return rows }
      repeat {
        try cursor.column(0, into: fields.pointer)
        rows.append("\(try cursor.rowid()) \(fields.pointer[0].byteCount)")
      } while try cursor.next()
      return rows
    }
  }

  private static func rows(_ path: String) throws -> [String] {
    try FaultyTree(path, PosixVFS()).rows()
  }

  private static func states(_ seed: UInt64) throws -> (old: [String], new: [String]) {
    let directory = try TemporaryDirectory()
    let tree = try FaultyTree(directory("x.db"), PosixVFS())
    try tree.fill()
    let old = try tree.rows()
    try tree.change(seed: seed)
    return (old, try tree.rows())
  }

  @Test(arguments: [FaultVFS.Call.read, .write, .sync, .truncate, .byteCount, .delete])
  func `a call that fails leaves the old or the new rows, and work goes on`(
    call: FaultVFS.Call
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let (old, new) = try Self.states(seed)
    try #require(old != new)
    var number = 1
    var didFail = true
    while didFail {
      let directory = try TemporaryDirectory()
      let path = directory("x.db")
      let vfs = FaultVFS(PosixVFS())
      let tree = try FaultyTree(path, vfs)
      try tree.fill()
      vfs.fail([call], at: number)
      var isChanged = false
      do {
        try tree.change(seed: seed)
        isChanged = true
      } catch is SQLError {}
      didFail = vfs.stopFailing() > 0
      #expect(tree.pager.cache.brokenInvariant() == nil)
      let rows = try tree.rows()
      #expect(rows == new || (!isChanged && rows == old), "seed \(seed), \(call) \(number)")
      #expect(try Self.rows(path) == rows, "seed \(seed), \(call) \(number)")
      if rows == old {
        try tree.change(seed: seed)
        #expect(try Self.rows(path) == new, "seed \(seed), \(call) \(number)")
      }
      number += number < 20 ? 1 : 7
    }
    #expect(number > 1)
  }

  @Test func `after a power failure the old or the new rows are found`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let (old, new) = try Self.states(seed)
    var outcomes: Set<[String]> = []
    var number = 1
    var isCut = true
    while isCut {
      let directory = try TemporaryDirectory()
      let path = directory("x.db")
      try FaultyTree(path, PosixVFS()).fill()
      let vfs = FaultVFS(PosixVFS())
      vfs.cutPower(at: number)
      let tree = try? FaultyTree(path, vfs)
      do { try tree?.change(seed: seed) } catch is SQLError {}
      tree?.pager.close()
      isCut = vfs.isPowerOff
      try vfs.restorePower(seed: UInt64(number))
      let rows = try Self.rows(path)
      #expect(rows == old || rows == new, "seed \(seed), cut at \(number)")
      if OracleShell.isAvailable {
        #expect(try OracleShell(path).run("pragma integrity_check;") == "ok\n")
      }
      outcomes.insert(rows)
      number += number < 20 ? 1 : 5
    }
    #expect(outcomes == [old, new], "both states are reached")
  }
}
