import MartletEngine

/// SQL on full-text tables and R-trees whose shadow tables hold something else than they wrote.
enum SearchTarget {
  /// A database to begin with.
  struct Base {
    /// It is quicker to copy one than to make it.
    let image: [UInt8]
    let columns: [ShadowColumn]
    /// What its shadow tables hold, for mutations.
    let rows: [ShadowRow]

    init(_ sql: String, _ columns: [ShadowColumn]) {
      let image = SQLTarget.image("PRAGMA page_size = 512;" + sql, hasModules: true)
      self.image = image
      self.columns = columns
      rows = columns.indices.flatMap { Base.rows(of: $0, columns[$0], image) }
    }

    private static func rows(
      of index: Int, _ column: ShadowColumn, _ image: [UInt8]
    ) -> [ShadowRow] {
      guard let session = try? Session(path: ":memory:", hasModules: true) else { return [] }
      session.deserialize(image)
      var rows: [ShadowRow] = []
      let sql = "SELECT \(column.name) FROM \(column.table) ORDER BY \(column.key)"
      guard let statement = try? session.connection.prepare(sql) else {
        fatalError("no \(column.table).\(column.name)")
      }
      while rows.count < 60, (try? statement.step()) == true {
        let bytes = column.isNumber
          ? ShadowRow.bytes(of: statement.columnInt64(0)) : Array(statement.columnBytes(0))
        rows.append(ShadowRow(column: index, row: rows.count, bytes))
      }
      return rows
    }
  }

  static let bases = [searchBase, classicBase, spatialBase, otherSearchBase]

  static func base(_ parts: Parts) -> Base {
    bases[Int(parts.parts[0].first ?? 0) % bases.count]
  }

  static func run(_ parts: Parts) {
    let base = base(parts)
    guard let session = try? Session(path: ":memory:", hasModules: true) else { return }
    session.deserialize(base.image)
    for row in ShadowRow.rows(in: parts.parts[1]) { replace(row, base, session) }
    session.run(parts.parts[2])
  }

  private static func replace(_ row: ShadowRow, _ base: Base, _ session: Session) {
    let column = base.columns[row.column % base.columns.count]
    do throws(SQLError) {
      let statement = try session.connection.prepare(column.update)
      if column.isNumber {
        try statement.bind(row.number, at: 1)
      } else {
        row.bytes.withUnsafeBytes { try? statement.bind(blob: $0, at: 1) }
      }
      try statement.bind(row.row, at: 2)
      while try statement.step() {}
    } catch { _ = error.message }
  }
}

/// A column of a shadow table, in which an input replaces values.
struct ShadowColumn {
  let table: String
  let name: String
  /// What its rows are found by.
  let key: String
  /// It holds an integer, which an input has as eight bytes or fewer.
  let isNumber: Bool

  init(_ table: String, _ name: String, key: String = "rowid", isNumber: Bool = false) {
    self.table = table
    self.name = name
    self.key = key
    self.isNumber = isNumber
  }

  var update: String {
    "UPDATE OR REPLACE \(table) SET \(name) = ?1 WHERE (\(key)) = (SELECT \(key) FROM \(table) "
      + "ORDER BY \(key) LIMIT 1 OFFSET ?2)"
  }
}

/// A value that an input puts into a row of a shadow table. In the input, it has the numbers of
/// column and row in a byte each, its length in two, and its bytes.
struct ShadowRow {
  var column: Int
  var row: Int
  var bytes: [UInt8]

  init(column: Int, row: Int, _ bytes: [UInt8]) {
    self.column = column
    self.row = row
    self.bytes = bytes
  }

  static func rows(in bytes: [UInt8]) -> [ShadowRow] {
    var input = Input(bytes)
    var rows: [ShadowRow] = []
    while !input.isEmpty, rows.count < 12 {
      let column = Int(input.byte()), row = Int(input.byte())
      let count = Int(input.integer(bytes: 2))
      rows.append(ShadowRow(column: column, row: row, Array(input.take(count))))
    }
    return rows
  }

  static func bytes(of rows: [ShadowRow]) -> [UInt8] {
    var bytes: [UInt8] = []
    for row in rows {
      let count = min(row.bytes.count, 65_535)
      for number in [row.column, row.row, count >> 8, count] {
        bytes.append(UInt8(truncatingIfNeeded: number))
      }
      bytes += row.bytes.prefix(count)
    }
    return bytes
  }

  /// The bytes as an integer, the highest first; a short one has the sign of its first bit.
  var number: Int64 {
    var number: Int64 = (bytes.first ?? 0) >= 0x80 ? -1 : 0
    for byte in bytes.prefix(8) { number = number << 8 | Int64(byte) }
    return number
  }

  static func bytes(of number: Int64) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

// MARK: Databases

extension SearchTarget {
  private static let numbers =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
  private static let text =
    "'one w' || (i % 7) || ' ' || (i * 7919 % 61) || ' two' || (i % 3) || ' the end'"

  /// FTS5: several segments of small pages, and a table without contents.
  private static let searchBase = Base(
    """
    CREATE VIRTUAL TABLE f USING fts5(a, b, prefix = '1 2');
    INSERT INTO f(f, rank) VALUES('pgsz', 64), ('crisismerge', 8);
    CREATE VIRTUAL TABLE fv USING fts5vocab(f, instance);
    CREATE VIRTUAL TABLE h USING fts5(a, content = '', contentless_delete = 1, detail = column);
    \(numbers) INSERT INTO f(rowid, a, b) SELECT i * 2, \(text), 'b' || i FROM n;
    \(numbers) INSERT INTO f(rowid, a, b) SELECT i * 4 + 1, 'two one', \(text) FROM n WHERE i < 9;
    DELETE FROM f WHERE rowid % 10 = 4;
    \(numbers) INSERT INTO h(rowid, a) SELECT i, \(text) FROM n;
    DELETE FROM h WHERE rowid % 5 = 1;
    """,
    [
      ShadowColumn("f_data", "block", key: "id"), ShadowColumn("h_data", "block", key: "id"),
      ShadowColumn("f_data", "id", key: "id", isNumber: true),
      ShadowColumn("f_idx", "pgno", key: "segid, term", isNumber: true),
      ShadowColumn("f_idx", "term", key: "segid, term"),
      ShadowColumn("f_docsize", "sz", key: "id"), ShadowColumn("h_docsize", "sz", key: "id"),
      ShadowColumn("h_docsize", "origin", key: "id", isNumber: true),
      ShadowColumn("f_config", "v", key: "k", isNumber: true),
      ShadowColumn("f_content", "c0", key: "id"),
    ])

  /// FTS3 and FTS4.
  private static let classicBase = Base(
    """
    CREATE VIRTUAL TABLE g USING fts4(a, b, prefix='1,3');
    CREATE VIRTUAL TABLE gv USING fts4aux(g);
    CREATE VIRTUAL TABLE k USING fts4(a, b, order=desc, matchinfo=fts3, languageid=l);
    \(numbers) INSERT INTO g(docid, a, b) SELECT i * 2, \(text), 'b' || i FROM n;
    \(numbers) INSERT INTO g(docid, a, b) SELECT i * 4 + 1, 'two one', \(text) FROM n WHERE i < 9;
    INSERT INTO g(g) VALUES('merge=4,2');
    DELETE FROM g WHERE docid % 10 = 4;
    \(numbers) INSERT INTO k(docid, a, b, l) SELECT i, \(text), 'b' || i, i % 2 FROM n;
    """,
    [
      ShadowColumn("g_segments", "block", key: "blockid"), ShadowColumn("g_segdir", "root"),
      ShadowColumn("g_segments", "blockid", key: "blockid", isNumber: true),
      ShadowColumn("g_segdir", "level", isNumber: true),
      ShadowColumn("g_segdir", "idx", isNumber: true),
      ShadowColumn("g_segdir", "start_block", isNumber: true),
      ShadowColumn("g_segdir", "leaves_end_block", isNumber: true),
      ShadowColumn("g_segdir", "end_block"),
      ShadowColumn("g_stat", "value", key: "id"), ShadowColumn("g_docsize", "size", key: "docid"),
      ShadowColumn("g_content", "c0a", key: "docid"), ShadowColumn("k_segdir", "root"),
    ])

  private static let spatialBase = Base(
    """
    CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1, +note);
    CREATE VIRTUAL TABLE q USING rtree_i32(id, x0, x1);
    \(numbers) INSERT INTO r SELECT i, i * 31 % 100, i * 31 % 100 + 5, i * 17 % 90,
      i * 17 % 90 + i % 7, 'n' || i FROM n;
    \(numbers) INSERT INTO q SELECT i, i * 7 % 50, i * 7 % 50 + 3 FROM n WHERE i < 30;
    DELETE FROM r WHERE id % 5 = 0;
    """,
    [
      ShadowColumn("r_node", "data", key: "nodeno"), ShadowColumn("q_node", "data", key: "nodeno"),
      ShadowColumn("r_node", "nodeno", key: "nodeno", isNumber: true),
      ShadowColumn("r_parent", "parentnode", key: "nodeno", isNumber: true),
      ShadowColumn("r_rowid", "nodeno", isNumber: true),
      ShadowColumn("r_rowid", "a0"),
    ])

  /// FTS5 with what the first one has not: trigrams, other details, contents elsewhere, UTF-16.
  private static let otherSearchBase = Base(
    """
    PRAGMA encoding = 'UTF-16le';
    CREATE VIRTUAL TABLE f USING fts5(a, b UNINDEXED, tokenize = trigram, detail = none);
    INSERT INTO f(f, rank) VALUES('pgsz', 64);
    CREATE TABLE c(i INTEGER PRIMARY KEY, a, b);
    CREATE VIRTUAL TABLE h USING fts5(a, b, content = c, content_rowid = i, columnsize = 0,
      tokenize = 'porter unicode61');
    INSERT INTO h(h, rank) VALUES('pgsz', 64);
    CREATE VIRTUAL TABLE fv USING fts5vocab(f, row);
    CREATE VIRTUAL TABLE hv USING fts5vocab(h, col);
    \(numbers) INSERT INTO f(rowid, a, b) SELECT i, substr(\(text), 1, 14), i FROM n WHERE i < 12;
    \(numbers) INSERT INTO c SELECT i, \(text), 'running b' || i FROM n;
    INSERT INTO h(h) VALUES('rebuild');
    INSERT INTO h(rowid, a, b) VALUES(90, 'one', 'two the end'), (91, 'w1', 'w2');
    """,
    [
      ShadowColumn("f_data", "block", key: "id"), ShadowColumn("h_data", "block", key: "id"),
      ShadowColumn("h_idx", "pgno", key: "segid, term", isNumber: true),
      ShadowColumn("f_docsize", "sz", key: "id"), ShadowColumn("h_config", "v", key: "k"),
      ShadowColumn("c", "a", key: "i"),
    ])
}
