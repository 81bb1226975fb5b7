import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// A file that both engines write in turn: table `t(a)` with index `i(a)`, and `w(k, v)` without
/// rowid; and what they should hold.
final class WritableDatabase {
  let directory: TemporaryDirectory
  let path: String
  let oracle: OracleShell
  let pager: Pager
  let tree: BTree
  var random: SplitMix64
  let pageSize: Int

  var rows: [Int64: [UInt8]] = [:]
  var pairs: [[UInt8]: [UInt8]] = [:]
  /// The changes since the last commit, as SQL.
  private(set) var statements: [String] = []

  private let fields = TestRegisters(count: 3)
  private let record = TestRegisters(count: 1)
  private(set) var table: Cursor
  private(set) var index: Cursor
  private(set) var withoutRowid: Cursor

  static let schema = """
    create table t(a); create index i on t(a); create table w(k primary key, v) without rowid;
    """

  init(pageSize: Int, autoVacuum: Int, seed: UInt64, prelude: String = "") throws {
    self.pageSize = pageSize
    random = SplitMix64(state: seed)
    directory = try TemporaryDirectory()
    path = directory("test.db")
    oracle = try OracleShell(path)
    let output = try oracle.run(
      "pragma page_size=\(pageSize); pragma auto_vacuum=\(autoVacuum);\(prelude)\(Self.schema)")
    #expect(output == "")
    pager = try Pager.open(try DatabaseLocation.parse(path, flags: [.readWrite]))
    tree = BTree(pager: pager)
    let keyInfo = KeyInfo(
      columns: [CursorTests.binary, CursorTests.binary], encoding: .utf8)
    let roots = try oracle.run("select group_concat(rootpage) from sqlite_schema;")
      .split(whereSeparator: { ",\n".contains($0) }).compactMap { UInt32($0) }
    try #require(roots.count == 3)
    table = Cursor(tree: tree, root: PageNumber(roots[0]), keyInfo: nil)
    index = Cursor(tree: tree, root: PageNumber(roots[1]), keyInfo: keyInfo)
    withoutRowid = Cursor(
      tree: tree, root: PageNumber(roots[2]),
      keyInfo: KeyInfo(columns: [CursorTests.binary], encoding: .utf8))
    // Opened for the page size that the file turns out to have.
    try pager.beginRead()
    reopen()
    pager.endRead()
  }

  private func reopen() {
    let roots = [table.root, index.root, withoutRowid.root]
    let keyInfos = [index.keyInfo, withoutRowid.keyInfo]
    table.close()
    index.close()
    withoutRowid.close()
    table = Cursor(tree: tree, root: roots[0], keyInfo: nil)
    index = Cursor(tree: tree, root: roots[1], keyInfo: keyInfos[0])
    withoutRowid = Cursor(tree: tree, root: roots[2], keyInfo: keyInfos[1])
  }

  deinit {
    table.close()
    index.close()
    withoutRowid.close()
    pager.close()
  }

  /// Runs `body` in a transaction and commits it.
  func write(_ body: () throws -> Void) throws {
    try pager.beginRead()
    defer { pager.endRead() }
    try tree.beginWrite()
    do {
      try body()
      releaseCursors()
      try tree.commit()
    } catch {
      try tree.rollback()
      releaseCursors()
      throw error
    }
  }

  /// The changes up to now as a script for the other engine.
  func takeScript() -> String {
    defer { statements = [] }
    return "begin;\n" + statements.joined(separator: "\n") + "\ncommit;"
  }

  func releaseCursors() {
    table.reset()
    index.reset()
    withoutRowid.reset()
  }

  // MARK: Changes

  private func bytes(_ cell: TestRegisters) -> UnsafeBufferPointer<UInt8> {
    cell.pointer[0].byteBuffer
  }

  private func encode(_ values: [TestValue]) throws {
    for (index, value) in values.enumerated() { try fields.set(index, value) }
    try RecordEncoder.encode(fields.pointer, count: values.count, into: record.pointer)
  }

  func insert(_ rowid: Int64, _ value: [UInt8]) throws {
    // In C's order, so that pages are taken in the same order too.
    if let old = rows[rowid] { try deleteFromIndex(old, rowid) }
    try encode([.blob(value), .integer(rowid)])
    try index.insertSearching(fields, 2, record)
    try encode([.blob(value)])
    try table.insert(
      rowid: rowid, record: bytes(record).baseAddress!, byteCount: bytes(record).count)
    rows[rowid] = value
    statements.append("replace into t(rowid, a) values(\(rowid), x'\(hex(value))');")
  }

  func delete(_ rowid: Int64) throws {
    guard let old = rows.removeValue(forKey: rowid) else { return }
    #expect(try table.seek(rowid: rowid) == 0)
    try deleteFromIndex(old, rowid)
    try table.delete()
    statements.append("delete from t where rowid = \(rowid);")
  }

  private func deleteFromIndex(_ value: [UInt8], _ rowid: Int64) throws {
    try encode([.blob(value), .integer(rowid)])
    var key = UnpackedKey(fields.pointer, count: 2, keyInfo: index.keyInfo!)
    try #require(try index.seek(key: &key) == 0)
    try index.delete()
  }

  func insertPair(_ key: [UInt8], _ value: [UInt8]) throws {
    // C replaces an entry of an index tree by deleting it first, which frees pages earlier.
    if pairs[key] != nil { try deletePair(key) }
    statements.append("insert into w values(x'\(hex(key))', x'\(hex(value))');")
    try encode([.blob(key), .blob(value)])
    try withoutRowid.insertSearching(fields, 1, record)
    pairs[key] = value
  }

  func deletePair(_ key: [UInt8]) throws {
    guard pairs.removeValue(forKey: key) != nil else { return }
    try encode([.blob(key)])
    var unpacked = UnpackedKey(fields.pointer, count: 1, keyInfo: withoutRowid.keyInfo!)
    try #require(try withoutRowid.seek(key: &unpacked) == 0)
    try withoutRowid.delete()
    statements.append("delete from w where k = x'\(hex(key))';")
  }

  // MARK: Random work

  /// Mostly short, sometimes longer than a page keeps, rarely many pages long.
  func randomBytes() -> [UInt8] {
    let size: Int
    switch Int.random(in: 0..<40, using: &random) {
    case 0: size = Int.random(in: 0...pageSize * 4, using: &random)
    case 1...4: size = Int.random(in: 0...pageSize, using: &random)
    case 5...15: size = Int.random(in: 0...pageSize / 5, using: &random)
    default: size = Int.random(in: 0...40, using: &random)
    }
    let byte = UInt8.random(in: 0...255, using: &random)
    var bytes = [UInt8](repeating: byte, count: size)
    for place in 0..<min(size, 6) { bytes[place] = UInt8.random(in: 0...255, using: &random) }
    return bytes
  }

  func change() throws {
    let largest = rows.keys.max() ?? 0
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25: try insert(largest + 1, randomBytes())
    case 25..<45: try insert(Int64.random(in: -500...largest + 300, using: &random), randomBytes())
    case 45..<65:
      if let rowid = rows.keys.sorted().randomElement(using: &random) { try delete(rowid) }
    case 65..<75:
      // A record of the same size goes over the old one.
      guard let rowid = rows.keys.sorted().randomElement(using: &random) else { return }
      let size = rows[rowid]?.count ?? 0
      try insert(rowid, [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size))
    case 75..<90:
      try insertPair(randomBytes() + [UInt8.random(in: 0...9, using: &random)], randomBytes())
    default:
      let keys = pairs.keys.sorted { $0.lexicographicallyPrecedes($1) }
      if let key = keys.randomElement(using: &random) { try deletePair(key) }
    }
  }

  // MARK: Comparison

  func expectIntact(_ comment: Comment) throws {
    #expect(try oracle.run("pragma integrity_check;") == "ok\n", comment)
    let lines = try lines("select rowid || ' ' || hex(a) from t order by rowid;")
    let expected = rows.keys.sorted().map { "\($0) \(hex(rows[$0]!))" }
    #expect(lines == expected, comment)
    let pairLines = try self.lines("select hex(k) || ' ' || hex(v) from w order by k;")
    let expectedPairs = pairs.keys.sorted { $0.lexicographicallyPrecedes($1) }
      .map { "\(hex($0)) \(hex(pairs[$0]!))" }
    #expect(pairLines == expectedPairs, comment)
  }

  private func lines(_ sql: String) throws -> [String] {
    let file = directory("lines.txt")
    try oracle.run(".output \(file)\n\(sql)\n.output stdout")
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension Cursor {
  fileprivate func insertSearching(
    _ fields: TestRegisters, _ keyCount: Int, _ record: TestRegisters
  ) throws {
    var key = UnpackedKey(fields.pointer, count: keyCount, keyInfo: keyInfo!)
    let bytes = record.pointer[0].byteBuffer
    try insert(key: &key, record: bytes.baseAddress!, byteCount: bytes.count)
  }
}
