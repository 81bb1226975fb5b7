import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct DamagedWriteTests {
  private static func original(autoVacuum: Int) -> String {
    """
    pragma page_size = 512; pragma auto_vacuum = \(autoVacuum);
    create table t(a, b, c); create table w(k primary key, v) without rowid;
    insert into t select value * 77777, 'text ' || value, zeroblob(value * 9)
      from generate_series(1, 120);
    insert into w select b, c from t;
    create index i on t(b, a); create table u(x);
    insert into u select zeroblob(400) from t; delete from u where rowid % 3;
    """
  }

  /// Damages a small file again and again and writes to it in every way. An error has to be a
  /// `SQLError`; a trap ends the test run, and work that does not end never finishes it.
  @Test(arguments: [0, 1, 2], [UInt64.random(in: 0...UInt64.max), 1])
  func `writing to a damaged file gives errors and nothing worse`(
    autoVacuum: Int, seed: UInt64
  ) throws {
    let database = try TestDatabase(Self.original(autoVacuum: autoVacuum))
    let roots = try database.lines("select rootpage from sqlite_schema where rootpage > 0;")
      .compactMap { UInt32($0) }
    let original = Array(try Data(contentsOf: URL(fileURLWithPath: database.path)))
    var random = SplitMix64(state: seed)
    print("damaging before writing with seed \(seed)")
    let path = database.directory("damaged.db")
    for _ in 0..<40 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...10, using: &random) { random.damage(&bytes) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      writeAll(path, roots, &random)
    }
  }

  /// The list of free blocks leads into the text of a row: writing that row changes the list.
  @Test func `a cell that lies over a free block is written without a trap`() throws {
    let database = try TestDatabase(
      """
      pragma page_size = 512; create table t(a, b);
      insert into t values(2, zeroblob(40)), (1, x'AA0000001400000000');
      """)
    let root = try Int(database.root(of: "t").rawValue)
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: database.path)))
    let page = (root - 1) * 512
    let marker = try #require(
      bytes[page..<page + 512].firstIndex(of: 0xaa), "the blob is on the page")
    bytes[page + 1] = UInt8((marker + 1 - page) >> 8)
    bytes[page + 2] = UInt8((marker + 1 - page) & 255)
    let path = database.directory("damaged.db")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let connection = try Connection(path: path)
    try connection.execute("BEGIN; INSERT INTO t VALUES(3, 3)")
    do throws(SQLError) {
      try connection.execute("UPDATE t SET b = x'AA0000002400000000' WHERE a = 1")
      try connection.execute("INSERT INTO t VALUES(4, 4); DELETE FROM t WHERE a = 2; COMMIT")
    } catch {
      #expect(error.code == .corrupt)
    }
  }

  private func writeAll(_ path: String, _ roots: [UInt32], _ random: inout SplitMix64) {
    guard let location = attempt({ try DatabaseLocation.parse(path, flags: [.readWrite]) }),
      let pager = attempt({ try Pager.open(location) }),
      attempt({ try pager.beginRead() }) != nil
    else { return }
    let tree = BTree(pager: pager)
    tree.secureDelete = [.off, .on, .fast].randomElement(using: &random)!
    if attempt({ try tree.beginWrite() }) != nil {
      for _ in 0..<12 {
        let root = PageNumber((roots + [1]).randomElement(using: &random)!)
        write(Cursor(tree: tree, root: root, keyInfo: nil), &random)
        let columns = [CursorTests.binary, CursorTests.binary, CursorTests.binary]
        write(
          Cursor(
            tree: tree, root: root, keyInfo: KeyInfo(columns: columns, encoding: .utf8)), &random)
        changeTrees(tree, roots, &random)
      }
      attempt {
        let check = try tree.integrityCheck(roots: roots.map { PageNumber($0) }, limit: 50)
        #expect(check.messages.count <= 50)
      }
      attempt { try tree.prepareCommit() }
      attempt { try tree.rollback() }
    }
    #expect(pager.cache.pinnedCount == 0)
    pager.endRead()
    pager.close()
  }

  private func changeTrees(_ tree: BTree, _ roots: [UInt32], _ random: inout SplitMix64) {
    let root = PageNumber(roots.randomElement(using: &random)!)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: attempt { _ = try tree.createTree(.index) }
    case 1: attempt { _ = try tree.dropTree(root) }
    case 2: attempt { try tree.clearTree(root) }
    case 3: attempt { for _ in 0..<20 { _ = try tree.incrementalVacuumStep() } }
    default: break
    }
  }

  private func write(_ cursor: Cursor, _ random: inout SplitMix64) {
    let registers = TestRegisters(count: 4)
    for _ in 0..<12 {
      let size = [3, 40, 200, 3000].randomElement(using: &random)!
      let number = Int64.random(in: -5...200, using: &random)
      let keeps = Bool.random(using: &random)
      let choice = Int.random(in: 0..<4, using: &random)
      attempt {
        try registers.set(0, .text("text \(number)"))
        try registers.set(1, .integer(number))
        try registers.set(2, .blob([UInt8](repeating: 5, count: size)))
        try RecordEncoder.encode(registers.pointer, count: 3, into: registers.pointer + 3)
        let record = registers.pointer[3].byteBuffer
        if let keyInfo = cursor.keyInfo {
          var key = UnpackedKey(registers.pointer, count: 3, keyInfo: keyInfo)
          if choice == 0 {
            if try cursor.seek(key: &key) != 99, cursor.isValid {
              try cursor.delete(keepsPosition: keeps)
            }
          } else if choice == 1 {
            try cursor.append(record: record.baseAddress!, byteCount: record.count)
          } else {
            try cursor.insert(
              key: &key, record: record.baseAddress!, byteCount: record.count,
              keepsPosition: keeps)
          }
        } else if choice == 0 {
          if try cursor.seek(rowid: number) != 99, cursor.isValid {
            try cursor.delete(keepsPosition: keeps)
          }
        } else if choice == 1 {
          var count = 0
          var hasRow = try cursor.moveToFirst()
          while hasRow, count < 40 {
            try cursor.delete(keepsPosition: true)
            hasRow = try cursor.next()
            count += 1
          }
        } else {
          try cursor.insert(
            rowid: number, record: record.baseAddress!, byteCount: record.count,
            keepsPosition: keeps)
        }
      }
    }
    cursor.close()
  }

  /// SQLite's messages, one after the other, for the same damage.
  @Test(arguments: [0, 1], [UInt64.random(in: 0...UInt64.max), 1])
  func `an integrity check of a damaged file says what C says`(
    autoVacuum: Int, seed: UInt64
  ) throws {
    let database = try TestDatabase(Self.original(autoVacuum: autoVacuum))
    let original = Array(try Data(contentsOf: URL(fileURLWithPath: database.path)))
    // The order in which C has its tables.
    let roots = try ["u", "w", "t", "i"].map { try database.root(of: $0) } + [PageNumber(1)]
    var random = SplitMix64(state: seed)
    let path = database.directory("damaged.db")
    var damagedCount = 0, round = 0
    // Of some seeds, most damages are where nobody looks.
    while round < 60 || damagedCount <= 10 && round < 600 {
      defer { round += 1 }
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        // The schema stays: without it C would have no root pages to check.
        let before = bytes
        repeat {
          bytes = before
          random.damage(&bytes)
        } while bytes == before || bytes[0..<512] != original[0..<512]
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let file = database.directory("check.txt")
      try OracleShell(path).run(".output \(file)\npragma integrity_check(1000);\n.output stdout")
      let expected = try String(contentsOfFile: file, encoding: .utf8)
        .split(separator: "\n").map(String.init)
      let ours = try check(path, roots)
      if !ours.isEmpty { damagedCount += 1 }
      let theirs =
        expected.first == "*** in database main ***"
        ? Array(expected.dropFirst().prefix(ours.count)) : []
      #expect(ours == theirs, "seed \(seed) round \(round)")
    }
    #expect(damagedCount > 10)
  }

  private func check(_ path: String, _ roots: [PageNumber]) throws -> [String] {
    let pager = try Pager.open(try DatabaseLocation.parse(path, flags: [.readOnly]))
    defer { pager.close() }
    try pager.beginRead()
    defer { pager.endRead() }
    let result = try BTree(pager: pager).integrityCheck(roots: roots, limit: 1000)
    #expect(pager.cache.pinnedCount == 0)
    return result.messages
  }

  @discardableResult
  private func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do { return try body() } catch {
      #expect(error is SQLError)
      return nil
    }
  }
}
