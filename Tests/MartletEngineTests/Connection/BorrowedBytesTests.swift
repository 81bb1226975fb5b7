import Testing

@testable import MartletEngine

/// How long what a statement shows of its row is there.
@Suite struct BorrowedBytesTests {
  private static let encodings = ["UTF-8", "UTF-16le", "UTF-16be"]

  /// Rows whose texts and blobs are on pages, on overflow pages, and in the index.
  private func connection(_ encoding: String) throws -> Connection {
    let connection = try Connection(path: "")
    try connection.execute(
      """
      PRAGMA encoding = '\(encoding)'; PRAGMA page_size = 512; PRAGMA cache_size = 4;
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, b BLOB); CREATE INDEX i ON t(a);
      INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
        SELECT i, printf('%.*c', 1 + i * 37 % 900, char(97 + i % 26)),
          zeroblob(1 + i * 13 % 700) FROM n;
      CREATE TABLE other(x);
      """)
    return connection
  }

  private static let queries = [
    "SELECT a, b, id, id + 0.5 FROM t", "SELECT a, b, id, 1.5 FROM t ORDER BY b, a",
    "SELECT a, b, id, 1.5 FROM t ORDER BY a",
    "SELECT max(a), b, count(*), 1.5 FROM t GROUP BY id % 9",
    "SELECT a, first_value(b) OVER (ORDER BY id), id, 1.5 FROM t",
    "SELECT x.a, y.b, y.id, 1.5 FROM t AS x JOIN t AS y ON y.id = 61 - x.id",
    "SELECT a || 'x', CAST(a AS BLOB), id, 1.5 FROM t", "SELECT DISTINCT a, b, 1, 1.5 FROM t",
    "SELECT a, b, 1, 1.5 FROM t UNION ALL SELECT a, a, 2, 2.5 FROM t ORDER BY 1, 2",
  ]

  private static let changes = [
    "UPDATE t SET a = 'other' || a, b = x'ffff'", "DELETE FROM t",
    "INSERT INTO t(a, b) SELECT a, b FROM t",
    "INSERT INTO other SELECT a || b FROM t", "DROP INDEX i", "PRAGMA shrink_memory",
    "BEGIN; DELETE FROM t; ROLLBACK", "SAVEPOINT s; UPDATE t SET a = 1; ROLLBACK TO s; RELEASE s",
    "REPLACE INTO t SELECT id, b, a FROM t", "ATTACH ':memory:' AS more",
  ]

  private struct Shown: Equatable {
    let types: [StorageClass]
    let bytes: [[UInt8]]
    let integers: [Int64]

    init(_ statement: Statement) {
      let columns = 0..<statement.columnCount
      types = columns.map(statement.columnType)
      bytes = columns.map { [UInt8](statement.columnBytes($0)) }
      integers = columns.map(statement.columnInt64)
    }
  }

  @Test(arguments: queries)
  func `a row stays what it is while its connection changes what it was read from`(
    query: String
  ) throws {
    for encoding in Self.encodings {
      for change in Self.changes {
        let connection = try connection(encoding)
        let statement = try connection.prepare(query)
        for _ in 0..<7 { #expect(try statement.step()) }
        let before = Shown(statement)
        // A change that is refused while the statement reads changes nothing either.
        do { try connection.execute(change) } catch { #expect(error.code.primary != .internal) }
        #expect(Shown(statement) == before, "\(encoding): \(change)")
        let text = statement.columnCString(0).map { String(cString: $0) }
        #expect(text == statement.columnText(0))
      }
    }
  }

  @Test func `lent bytes are the row's until the column is asked for again`() throws {
    for encoding in Self.encodings {
      let connection = try connection(encoding)
      let statement = try connection.prepare("SELECT a, b, id FROM t")
      while try statement.step() {
        let text = statement.columnBytes(0), blob = statement.columnBytes(1)
        let number = statement.columnBytes(2)
        // Other columns, other statements and their rows are no reason.
        let reader = try connection.prepare("SELECT count(*), max(a), group_concat(b) FROM t")
        #expect(try reader.step())
        _ = reader.columnBytes(1)
        let id = statement.columnInt64(2)
        let letter = UInt8(truncatingIfNeeded: 97 + id % 26)
        #expect(text.count == Int(1 + id * 37 % 900) && text.allSatisfy { $0 == letter })
        #expect(blob.count == Int(1 + id * 13 % 700) && blob.allSatisfy { $0 == 0 })
        #expect(String(decoding: number, as: UTF8.self) == String(id))
      }
    }
  }

  @Test func `a row outlives what it was read from, and then is none`() throws {
    var connection: Connection? = try connection("UTF-8")
    let statement = try #require(try connection?.prepare("SELECT a FROM t ORDER BY id"))
    #expect(try statement.step())
    let row = statement.currentRow
    #expect(throws: SQLError.self) { try connection?.close() }
    connection = nil
    #expect(row.bytes(0).count == 38)
    try statement.reset()
    #expect(row.columnCount == 0 && row.bytes(0).isEmpty && row.int64(0) == 0)
    #expect(row.type(-1) == .null && row.type(.max) == .null && row.bytes(.min).isEmpty)
  }
}
