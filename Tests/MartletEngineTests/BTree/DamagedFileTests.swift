import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct DamagedFileTests {
  /// Damages a small file again and again and does everything that a cursor can do. An error has to
  /// be a `SQLError`; a trap ends the test run, and a walk that does not end never finishes it.
  @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1, 2])
  func `a damaged file gives errors and nothing worse`(seed: UInt64) throws {
    let database = try TestDatabase(
      """
      pragma page_size = 512; pragma auto_vacuum = 1;
      create table t(a, b, c); create table w(k primary key, v) without rowid;
      insert into t select value * 77777, 'text ' || value, zeroblob(value * 9)
        from generate_series(1, 120);
      insert into w select b, c from t;
      create index i on t(b, a); create index n on t(b collate nocase desc);
      """)
    let roots = try database.lines("select rootpage from sqlite_schema where rootpage > 0;")
      .compactMap { UInt32($0) }
    let original = Array(try Data(contentsOf: URL(fileURLWithPath: database.path)))
    var random = SplitMix64(state: seed)
    print("damaging with seed \(seed)")
    for round in 0..<150 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        random.damage(&bytes)
      }
      let path = database.directory("damaged\(round).db")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      useAll(path, roots)
    }
  }

  private func useAll(_ path: String, _ roots: [UInt32]) {
    guard let location = attempt({ try DatabaseLocation.parse(path, flags: [.readOnly]) }),
      let pager = attempt({ try Pager.open(location) }),
      attempt({ try pager.beginRead() }) != nil
    else { return }
    let tree = BTree(pager: pager)
    for root in roots + [1] {
      use(Cursor(tree: tree, root: PageNumber(root), keyInfo: nil))
      let column = KeyInfo.Column(collation: .noCase, isDescending: true, hasBigNulls: false)
      let keyInfo = KeyInfo(
        columns: [CursorTests.binary, column, CursorTests.binary], encoding: .utf8)
      use(Cursor(tree: tree, root: PageNumber(root), keyInfo: keyInfo))
    }
    attempt { try tree.visitFreePages { _, _ in } }
    for number in 2...max(pager.pageCount, 2) {
      attempt { _ = try tree.pointerMapEntry(for: PageNumber(number)) }
    }
    #expect(pager.cache.pinnedCount == 0)
    pager.endRead()
    pager.close()
  }

  private func use(_ cursor: Cursor) {
    let registers = TestRegisters(count: 3)
    attempt {
      var hasEntry = try cursor.moveToFirst()
      while hasEntry {
        attempt { try read(cursor, registers) }
        hasEntry = try cursor.next()
      }
    }
    attempt {
      var hasEntry = try cursor.moveToLast()
      while hasEntry {
        attempt { _ = try cursor.column(1, into: registers.pointer) }
        hasEntry = try cursor.previous()
      }
    }
    attempt { _ = try cursor.count() }
    for rowid in [-5, 1, 60, 119, 120, 121, 1 << 40] as [Int64] {
      attempt { if cursor.isTable { _ = try cursor.seek(rowid: rowid) } }
    }
    if let keyInfo = cursor.keyInfo { seek(cursor, keyInfo, registers) }
    cursor.close()
  }

  private func read(_ cursor: Cursor, _ registers: TestRegisters) throws {
    attempt { _ = try cursor.indexRowid() }
    attempt { _ = try cursor.rowid() }
    attempt { try cursor.rowData(into: registers.pointer) }
    attempt { _ = try cursor.serialType(ofColumn: 2) }
    for index in [2, 0, 40, 1] {
      attempt { _ = try cursor.column(index, into: registers.pointer) }
    }
  }

  private func seek(_ cursor: Cursor, _ keyInfo: KeyInfo, _ registers: TestRegisters) {
    for value in [TestValue.text("text 50"), .integer(77777 * 30), .blob([1]), .null] {
      attempt {
        try registers.set(0, value)
        try registers.set(1, .text("TEXT 70"))
      }
      for (count, result) in [(1, 1), (2, -1), (2, 0), (1, -1)] {
        var key = UnpackedKey(
          registers.pointer, count: count, keyInfo: keyInfo, defaultResult: result)
        attempt {
          _ = try cursor.seek(key: &key)
          if cursor.isValid { _ = try cursor.compareKey(with: &key) }
          _ = try cursor.next()
          _ = try cursor.previous()
        }
      }
    }
  }

  @discardableResult
  private func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      #expect(error is SQLError)
      return nil
    }
  }
}

/// A random number generator that repeats itself from a seed.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Damages a file of 512-byte pages in one place. Prefers what decides most: page headers, cell
  /// pointers and the first bytes of cells.
  mutating func damage(_ bytes: inout [UInt8]) {
    let page = Int.random(in: 0..<bytes.count / 512, using: &self)
    let offset: Int
    switch Int.random(in: 0..<4, using: &self) {
    case 0: offset = Int.random(in: 0..<12, using: &self)
    case 1: offset = Int.random(in: 8..<60, using: &self)
    default: offset = Int.random(in: 0..<512, using: &self)
    }
    let place = page == 0 ? max(offset, 100) : page * 512 + offset
    switch Int.random(in: 0..<4, using: &self) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
    case 1: bytes[place] = 0xff
    case 2: bytes[place] = UInt8.random(in: 0...255, using: &self)
    default:
      let source = Int.random(in: 0..<bytes.count - 8, using: &self)
      let count = min(8, bytes.count - place)
      bytes.replaceSubrange(place..<place + count, with: bytes[source..<source + count])
    }
  }
}
