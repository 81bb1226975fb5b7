import TestSupport
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct CursorTests {
  static let binary = KeyInfo.Column(collation: .binary, isDescending: false, hasBigNulls: false)
  static let descending = KeyInfo.Column(collation: .binary, isDescending: true, hasBigNulls: false)
  static let noCase = KeyInfo.Column(collation: .noCase, isDescending: false, hasBigNulls: false)

  static let layouts: [(Int, String, Int)] = [
    (512, "UTF-8", 0), (512, "UTF-16le", 2), (1024, "UTF-8", 1), (4096, "UTF-16be", 0),
    (65536, "UTF-8", 0),
  ]

  private func rows(
    _ cursor: Cursor, _ register: TestRegisters, forward: Bool
  ) throws -> [String] {
    var rows: [String] = []
    var hasRow = try forward ? cursor.moveToFirst() : cursor.moveToLast()
    while hasRow {
      let rowid = cursor.isTable ? "\(try cursor.rowid())|" : ""
      rows.append(rowid + (try cursor.quotedRow(register)))
      hasRow = try forward ? cursor.next() : cursor.previous()
    }
    return forward ? rows : rows.reversed()
  }

  private func expectWalks(_ cursor: Cursor, toGive expected: [String]) throws {
    let register = TestRegisters(count: 1)
    for forward in [true, false] {
      let rows = try rows(cursor, register, forward: forward)
      #expect(rows.count == expected.count)
      for (row, line) in zip(rows, expected) { try #require(row == line) }
    }
    #expect(try cursor.count() == Int64(expected.count))
    #expect(!cursor.isValid)
  }

  @Test(arguments: layouts)
  func `tables and indexes give C SQLite's rows in both directions`(
    pageSize: Int, encoding: String, autoVacuum: Int
  ) throws {
    let database = try TestDatabase(
      TestDatabase.mixedRows(pageSize: pageSize, encoding: encoding, autoVacuum: autoVacuum))
    // The record of the last row only has column e.
    let columns = "quote(a), quote(b), quote(c), quote(d)"
    var expected = try database.lines("select rowid, \(columns) from t order by rowid;")
    expected[expected.count - 1] += "|6"
    try expectWalks(try database.tableCursor("t"), toGive: expected)
    try expectWalks(
      try database.indexCursor("ab", [Self.binary, Self.descending, Self.binary]),
      toGive: try database.lines(
        "select quote(a), quote(b), rowid from t order by a, b desc, rowid;"))
    try expectWalks(
      try database.indexCursor("bn", [Self.noCase, Self.binary]),
      toGive: try database.lines(
        "select quote(b), rowid from t order by b collate nocase, rowid;"))
    try expectWalks(
      try database.indexCursor("w", [Self.binary, Self.binary]),
      toGive: try database.lines("select quote(k), n, quote(v) from w order by k, n;"))
  }

  @Test(arguments: [512, 4096])
  func `a rowid is found, or the nearest row beside it`(pageSize: Int) throws {
    let database = try TestDatabase(
      """
      pragma page_size = \(pageSize); create table t(a);
      insert into t(rowid, a) select value * value - 300, 'some text' from generate_series(0, 2000);
      insert into t(rowid) values(9223372036854775807), (-9223372036854775808);
      """)
    let cursor = try database.tableCursor("t")
    let rowids = try database.lines("select rowid from t order by 1;").map { Int64($0)! }
    var random = SystemRandomNumberGenerator()
    let sought =
      rowids + rowids.shuffled(using: &random) + rowids.map { $0 &+ 1 }
      + rowids.shuffled(using: &random).map { $0 &- 1 } + [Int64.min, Int64.max, 0]
    for rowid in sought {
      let order = try cursor.seek(rowid: rowid)
      let next = rowids.partitioningIndex { $0 >= rowid }
      let found = try cursor.rowid()
      if next < rowids.count, rowids[next] == rowid {
        #expect(order == 0 && found == rowid)
      } else if order > 0 {
        #expect(found == rowids[next])
      } else {
        #expect(order < 0 && found == rowids[next - 1])
      }
    }
  }

  @Test func `a key finds the first or the last of its entries`() throws {
    let database = try TestDatabase(
      """
      pragma page_size = 512; create table t(a, b);
      insert into t select value % 40, printf('key %d with a tail', value % 90)
        from generate_series(1, 3000);
      insert into t values(null, null), ('x', printf('%.*c', 2000, 'k'));
      create index i on t(a, b); create index j on t(b desc);
      """)
    try expectSeeks(
      try database.indexCursor("i", [Self.binary, Self.binary, Self.binary]), keyCount: 2)
    try expectSeeks(
      try database.indexCursor("i", [Self.binary, Self.binary, Self.binary]), keyCount: 1)
    try expectSeeks(try database.indexCursor("j", [Self.descending, Self.binary]), keyCount: 1)
  }

  /// Seeks every key of an index: the entries that are equal to it are all between the first found
  /// from one side and the last found from the other.
  private func expectSeeks(_ walker: Cursor, keyCount: Int) throws {
    let keyInfo = try #require(walker.keyInfo)
    let seeker = Cursor(tree: walker.tree, root: walker.root, keyInfo: keyInfo)
    let fields = TestRegisters(count: keyCount)
    var hasEntry = try walker.moveToFirst()
    while hasEntry {
      for index in 0..<keyCount {
        try walker.column(index, into: fields.pointer + index)
        try fields.pointer[index].makeOwned()
      }
      var exact = UnpackedKey(fields.pointer, count: keyCount, keyInfo: keyInfo)
      #expect(try seeker.seek(key: &exact) == 0)
      #expect(try seeker.compareKey(with: &exact) == 0)
      var before = UnpackedKey(
        fields.pointer, count: keyCount, keyInfo: keyInfo, defaultResult: 1)
      if try seeker.seek(key: &before) < 0 { #expect(try seeker.next()) }
      #expect(try seeker.compareKey(with: &exact) == 0)
      if try seeker.previous() { #expect(try seeker.compareKey(with: &exact) < 0) }
      var after = UnpackedKey(
        fields.pointer, count: keyCount, keyInfo: keyInfo, defaultResult: -1)
      if try seeker.seek(key: &after) > 0 { #expect(try seeker.previous()) }
      #expect(try seeker.compareKey(with: &exact) == 0)
      if try seeker.next() { #expect(try seeker.compareKey(with: &exact) > 0) }
      hasEntry = try walker.next()
    }
  }

  @Test func `an index entry tells its rowid`() throws {
    let database = try TestDatabase(TestDatabase.mixedRows(pageSize: 512))
    let cursor = try database.indexCursor("ab", [Self.binary, Self.descending, Self.binary])
    var rowids: [String] = []
    var hasEntry = try cursor.moveToFirst()
    while hasEntry {
      rowids.append("\(try cursor.indexRowid())")
      hasEntry = try cursor.next()
    }
    #expect(rowids == (try database.lines("select rowid from t order by a, b desc, rowid;")))
  }
}

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct CursorColumnTests {
  @Test(arguments: [0, 32])
  func `columns behind a large one are read from the overflow chain`(reserved: Int) throws {
    let database = try TestDatabase(
      """
      pragma page_size = 512;
      \(reserved > 0 ? ".filectrl reserve_bytes \(reserved)" : "")
      create table t(a, b, c, d, e);
      insert into t values(1, randomblob(100000), 1.5, 'tail', randomblob(3000));
      """.replacingOccurrences(of: "\n\n", with: "\n"))
    let cursor = try database.tableCursor("t")
    let register = TestRegisters(count: 1)
    let expected = try database.lines(
      "select quote(a) from t; select quote(b) from t; select '1.5'; select quote(d) from t;"
        + "select quote(e) from t;")
    #expect(try cursor.moveToFirst())
    for index in [4, 0, 3, 1, 2, 4, 1] {
      #expect(try cursor.column(index, into: register.pointer))
      #expect(register[0].description == expected[index])
    }
    #expect(try cursor.serialType(ofColumn: 1) == 12 + 2 * 100_000)
    var part = [UInt8](repeating: 0, count: 600)
    try cursor.readPayload(offset: 50_000, byteCount: 600, to: &part)
    try cursor.rowData(into: register.pointer)
    #expect(part == Array(register.pointer[0].byteBuffer[50_000..<50_600]))
  }

  @Test func `a header of many columns may overflow its page`() throws {
    let names = (0..<900).map { "c\($0)" }.joined(separator: ",")
    let values = (0..<900).map { "\($0)" }.joined(separator: ",")
    let database = try TestDatabase(
      "pragma page_size = 512; create table t(\(names)); insert into t values(\(values));")
    let cursor = try database.tableCursor("t")
    let register = TestRegisters(count: 1)
    #expect(try cursor.moveToFirst())
    for index in [899, 0, 500, 2, 898] {
      #expect(try cursor.column(index, into: register.pointer))
      #expect(register[0] == .integer(Int64(index)))
    }
    #expect(try !cursor.column(900, into: register.pointer))
  }

  @Test func `a null row has NULL in every column until the next move`() throws {
    let database = try TestDatabase("create table t(a); insert into t values(7);")
    let cursor = try database.tableCursor("t")
    let register = try TestRegisters([.integer(1)])
    cursor.setNullRow()
    #expect(cursor.isNullRow)
    #expect(try cursor.column(3, into: register.pointer))
    #expect(register[0] == .null)
    #expect(try cursor.serialType(ofColumn: 0) == SerialType.null)
    #expect(try !cursor.next())
    #expect(try cursor.moveToFirst())
    #expect(!cursor.isNullRow)
    #expect(try cursor.column(0, into: register.pointer))
    #expect(register[0] == .integer(7))
  }

  @Test func `an empty tree has no entries and a cursor on it is on none`() throws {
    let database = try TestDatabase("create table t(a);")
    let cursor = try database.tableCursor("t")
    let register = TestRegisters(count: 1)
    #expect(try !cursor.moveToFirst())
    #expect(try !cursor.moveToLast())
    #expect(try cursor.seek(rowid: 5) < 0)
    #expect(!cursor.isValid)
    #expect(try cursor.count() == 0)
    #expect(throws: SQLError.self) { try cursor.column(0, into: register.pointer) }
    #expect(throws: SQLError.self) { try cursor.rowid() }
  }

  @Test func `cursors leave no page pinned`() throws {
    let database = try TestDatabase(TestDatabase.mixedRows(pageSize: 512))
    let cursor = try database.tableCursor("t"), other = try database.tableCursor("w")
    #expect(try cursor.moveToFirst())
    #expect(try cursor.seek(rowid: 700) != 99)
    #expect(throws: SQLError.self) { try other.moveToFirst() }
    #expect(database.tree.pager.cache.pinnedCount > 1)
    cursor.reset()
    other.close()
    #expect(database.tree.pager.cache.pinnedCount == 0)
    #expect(try cursor.moveToLast())
    cursor.close()
    #expect(database.tree.pager.cache.pinnedCount == 0)
    var openCount = 0
    try database.tree.forEachCursor { _ in openCount += 1 }
    #expect(openCount == 0)
  }
}

extension Array {
  /// The first index whose element belongs to the second part of a partitioned array.
  func partitioningIndex(_ isSecond: (Element) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
