import Testing

@testable import MartletEngine

@Suite struct BlobTests {
  private let connection: Connection
  private let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) }

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);
      CREATE INDEX i ON t(c);
      CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE g(a, b AS (a));
      CREATE VIEW v AS SELECT 1 AS x;
      INSERT INTO t VALUES(2, 'text', 1), (3, NULL, 2), (4, 1.5, 3), (5, 6, 4);
      """)
    let insert = try connection.prepare("INSERT INTO t VALUES(1, ?1, 'indexed')")
    try bytes.withUnsafeBytes { try insert.bind(blob: $0, at: 1) }
    _ = try insert.step()
  }

  private func read(_ blob: Blob, _ start: Int, _ count: Int) throws -> [UInt8] {
    var target = [UInt8](repeating: 0, count: count)
    try target.withUnsafeMutableBytes { try blob.read(into: $0, at: start) }
    return target
  }

  @Test func `a blob is read in pieces, on its page and in overflow pages`() throws {
    let blob = try connection.openBlob(table: "T", column: "b", rowID: 1)
    #expect(blob.byteCount == bytes.count)
    for (start, count) in [(0, 1), (0, 20_000), (100, 5_000), (4_000, 200), (19_999, 1), (5, 0)] {
      #expect(try read(blob, start, count) == Array(bytes[start..<(start + count)]))
    }
    for (start, count) in [(0, 20_001), (20_000, 1), (-1, 1)] {
      #expect(throws: SQLError(.error)) { try read(blob, start, count) }
    }
    #expect(throws: SQLError(.readOnly)) {
      try bytes.withUnsafeBytes { try blob.write($0, at: 0) }
    }
    try blob.reopen(rowID: 2)
    #expect(try read(blob, 0, 4) == Array("text".utf8))
  }

  @Test func `what is written is there for others and is committed at the end`() throws {
    let blob = try connection.openBlob(table: "t", column: "b", rowID: 1, isWritable: true)
    var expected = bytes
    for (start, piece) in [(0, [1, 2, 3]), (3_990, Array(repeating: 9, count: 300)), (19_998, [4, 5])] {
      let piece = piece.map { UInt8($0) }
      try piece.withUnsafeBytes { try blob.write($0, at: start) }
      expected.replaceSubrange(start..<(start + piece.count), with: piece)
    }
    #expect(try read(blob, 0, 20_000) == expected)
    let query = try connection.prepare("SELECT b FROM t WHERE a = 1")
    _ = try query.step()
    #expect(Array(query.columnBytes(0)) == expected)
    #expect(connection.transactionState() == .write)
    try blob.close()
    try query.reset()
    #expect(connection.transactionState() == TransactionState.none)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  private typealias TransactionState = Connection.TransactionState

  @Test func `a blob expires when its row changes, and only then`() throws {
    let blob = try connection.openBlob(table: "t", column: "b", rowID: 1)
    try connection.execute("INSERT INTO t VALUES(9, 9, 9); UPDATE t SET c = 7 WHERE a = 2")
    #expect(try read(blob, 0, 3) == Array(bytes[..<3]))
    try connection.execute("UPDATE t SET c = 'other' WHERE a = 1")
    #expect(throws: SQLError(.abort)) { try read(blob, 0, 3) }
    #expect(blob.byteCount == 0)
    let gone = try connection.openBlob(table: "t", column: "b", rowID: 1)
    try connection.execute("DELETE FROM t WHERE a = 1")
    #expect(throws: SQLError(.abort)) { try read(gone, 0, 3) }
  }

  @Test(arguments: [
    ("main", "nosuch", "b", 1, false, "no such table: main.nosuch"),
    ("zz", "t", "b", 1, false, "no such table: zz.t"),
    ("main", "t", "zz", 1, false, #"no such column: "zz""#),
    ("main", "t", "b", 99, false, "no such rowid: 99"),
    ("main", "t", "b", 3, false, "cannot open value of type null"),
    ("main", "t", "b", 4, false, "cannot open value of type real"),
    ("main", "t", "b", 5, false, "cannot open value of type integer"),
    ("main", "t", "a", 1, false, "cannot open value of type null"),
    ("main", "t", "c", 1, true, "cannot open indexed column for writing"),
    ("main", "w", "k", 1, false, "cannot open table without rowid: w"),
    ("main", "g", "a", 1, false, "cannot open table with generated columns: g"),
    ("main", "v", "x", 1, false, "cannot open view: v"),
  ])
  func `what cannot be opened fails with SQLite's words`(
    database: String, table: String, column: String, rowID: Int, isWritable: Bool,
    message: String
  ) throws {
    #expect(throws: SQLError(.error, message)) {
      try connection.openBlob(
        table: table, column: column, rowID: Int64(rowID), database: database,
        isWritable: isWritable)
    }
    #expect(connection.transactionState() == TransactionState.none)
  }

  @Test func `an open blob keeps its connection from closing`() throws {
    var blob: Blob? = try connection.openBlob(table: "t", column: "b", rowID: 1)
    #expect(blob?.rowID == 1)
    #expect { try connection.close() } throws: { ($0 as? SQLError)?.code == .busy }
    blob = nil
    try connection.close()
  }
}
