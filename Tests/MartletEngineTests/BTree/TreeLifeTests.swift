import TestSupport
import Testing

@testable import MartletEngine

/// Trees come and go in files that no other program has made.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct TreeLifeTests {
  /// A new file, its tables by name, and what C says about it.
  private final class NewDatabase {
    let directory: TemporaryDirectory
    let pager: Pager
    let tree: BTree
    var roots: [String: PageNumber] = [:]
    private var schemaRowids: [String: Int64] = [:]
    private let fields = TestRegisters(count: 5)
    private let record = TestRegisters(count: 1)

    init(_ vacuum: AutoVacuum) throws {
      directory = try TemporaryDirectory()
      let location = try DatabaseLocation.parse(directory("new.db"), flags: [.readWrite, .create])
      pager = try Pager.open(location)
      tree = BTree(pager: pager)
      tree.newDatabaseVacuum = vacuum
    }

    deinit { pager.close() }

    func write(_ body: () throws -> Void) throws {
      try pager.beginRead()
      defer { pager.endRead() }
      try tree.beginWrite()
      if try tree.meta(.schemaFormat) == 0 {
        try tree.updateMeta(.schemaFormat, to: 4)
        try tree.updateMeta(.textEncoding, to: 1)
      }
      try body()
      try tree.updateMeta(.schemaCookie, to: try tree.meta(.schemaCookie) + 1)
      try tree.commit()
    }

    private func writeSchema(_ name: String) throws {
      let schema = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
      defer { schema.close() }
      let rowid = schemaRowids[name] ?? (schemaRowids.values.max() ?? 0) + 1
      schemaRowids[name] = rowid
      let values: [TestValue] = [
        .text("table"), .text(name), .text(name), .integer(Int64(roots[name]!.rawValue)),
        .text("CREATE TABLE \(name)(a)"),
      ]
      for (index, value) in values.enumerated() { try fields.set(index, value) }
      try RecordEncoder.encode(fields.pointer, count: 5, into: record.pointer)
      let bytes = record.pointer[0].byteBuffer
      try schema.insert(rowid: rowid, record: bytes.baseAddress!, byteCount: bytes.count)
    }

    func create(_ name: String, rowCount: Int64) throws {
      roots[name] = try tree.createTree(.table)
      try writeSchema(name)
      let cursor = Cursor(tree: tree, root: roots[name]!, keyInfo: nil)
      defer { cursor.close() }
      for rowid in 1...max(rowCount, 1) {
        let text = String(repeating: "7", count: rowid % 9 == 0 ? 5000 : 100)
        try fields.set(0, .text(text))
        try RecordEncoder.encode(fields.pointer, count: 1, into: record.pointer)
        let bytes = record.pointer[0].byteBuffer
        try cursor.insert(rowid: rowid, record: bytes.baseAddress!, byteCount: bytes.count)
      }
    }

    func drop(_ name: String) throws {
      let root = roots.removeValue(forKey: name)!
      let moved = try tree.dropTree(root)
      if moved.rawValue != 0, let other = roots.first(where: { $0.value == moved })?.key {
        roots[other] = root
        try writeSchema(other)
      }
      let schema = Cursor(tree: tree, root: PageNumber(1), keyInfo: nil)
      defer { schema.close() }
      #expect(try schema.seek(rowid: schemaRowids.removeValue(forKey: name)!) == 0)
      try schema.delete()
    }

    func oracle(_ sql: String) throws -> String {
      try OracleShell(directory("new.db")).run(sql)
    }
  }

  @Test(arguments: [AutoVacuum.none, .full, .incremental])
  func `trees are created, emptied and dropped, and root pages stay in front`(
    vacuum: AutoVacuum
  ) throws {
    let database = try NewDatabase(vacuum)
    try database.write {
      for index in 0..<30 { try database.create("t\(index)", rowCount: Int64(index * 5)) }
    }
    #expect(try database.oracle("pragma integrity_check;") == "ok\n")
    #expect(try database.oracle("select count(*) from t29;") == "145\n")
    #expect(try database.oracle("pragma auto_vacuum;") == "\(vacuum.rawValue)\n")
    try database.write {
      for index in [3, 29, 0, 11, 12, 13, 28] { try database.drop("t\(index)") }
    }
    #expect(try database.oracle("pragma integrity_check;") == "ok\n")
    #expect(try database.oracle("select count(*) from t27;") == "135\n")
    try database.write {
      let count = try database.tree.clearTree(database.roots["t27"]!)
      #expect(count == 135)
      try database.create("u", rowCount: 400)
    }
    #expect(try database.oracle("pragma integrity_check;") == "ok\n")
    #expect(try database.oracle("select count(*) from t27;") == "0\n")
    if vacuum == .full { #expect(try database.oracle("pragma freelist_count;") == "0\n") }
    if vacuum == .incremental {
      try database.write {
        for name in Array(database.roots.keys) { try database.drop(name) }
        while try database.tree.incrementalVacuumStep() {}
      }
      #expect(try database.oracle("pragma integrity_check; pragma page_count;") == "ok\n1\n")
    }
  }

  @Test(arguments: [AutoVacuum.none, .full])
  func `a new database is what C makes of the same statements`(vacuum: AutoVacuum) throws {
    let database = try NewDatabase(vacuum)
    try database.write { try database.create("t", rowCount: 2000) }
    let copy = database.directory("c.db")
    _ = try OracleShell(copy).run(
      """
      pragma auto_vacuum = \(vacuum.rawValue); begin; CREATE TABLE t(a);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into t select printf('%.*c', case when i % 9 then 100 else 5000 end, '7') from n;
      commit;
      """)
    let ours = try bytes(database.directory("new.db")), theirs = try bytes(copy)
    try #require(ours.count == theirs.count)
    var different: [Int] = []
    for page in 0..<ours.count / 4096 {
      let range = page * 4096..<(page + 1) * 4096
      if ours[range] != theirs[range] { different.append(page + 1) }
    }
    // The schema differs by the cookie alone, in the header of page 1.
    #expect(different.allSatisfy { $0 == 1 })
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    let file = try PosixVFS().open(path, [.readOnly, .mainDatabase])
    defer { file.close() }
    let count = Int(try file.byteCount())
    var bytes = [UInt8](repeating: 0, count: count)
    _ = try file.read(into: &bytes, byteCount: count, at: 0)
    return bytes
  }
}
