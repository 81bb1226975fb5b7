import MartletEngine
import MartletSpatial
import TestSupport
import Testing

/// Shadow tables with what no R-tree writes: rows or errors, but no trap and no hang.
struct DamageTests {
  private static let questions = [
    "SELECT count(*), sum(x0), max(note) FROM a WHERE x0 > -100 AND y1 < 300",
    "SELECT * FROM a WHERE id IN (1, 2, 3, 100)", "SELECT * FROM a", "SELECT rtreecheck('a')",
    "PRAGMA integrity_check", "INSERT INTO a VALUES(5000, 1, 2, 3, 4, 'x')",
    "DELETE FROM a WHERE id % 4 = 1", "UPDATE a SET x0 = x0 - 1 WHERE id % 5 = 2",
    "DELETE FROM a", "INSERT INTO a VALUES(NULL, 1, 2, 3, 4, 'x')",
    "SELECT rtreenode(2, data), rtreenode(5, data), rtreedepth(data) FROM a_node",
  ]

  /// Runs a statement, which may fail, but not for ever.
  private func run(_ sql: String, _ connection: Connection) throws {
    let deadline = ProcessorTime.now + .seconds(20)
    connection.setProgressHandler(every: 1_000) { ProcessorTime.now > deadline }
    do {
      try connection.execute(sql)
    } catch {
      let expected: [ResultCode] = [.corrupt, .constraint, .error, .tooBig, .outOfMemory]
      #expect(expected.contains(error.code.primary), "\(error) of \(sql)")
    }
    #expect(ProcessorTime.now < deadline, "\(sql) hangs")
  }

  private func damage(_ work: inout SpatialWork) -> String {
    let node = "(SELECT nodeno FROM a_node LIMIT 1 OFFSET \(work.number(12)))"
    let position = work.number(4) == 0 ? 1 + work.number(5) : 1 + work.number(900)
    let bytes = (0..<(1 + work.number(8))).map { _ in
      let byte = [0, 1, 2, 0xff, 0x7f, 0x80, work.number(256)][work.number(7)]
      return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    switch work.number(12) {
    case 0: return "UPDATE a_node SET data = zeroblob(\(work.number(3_000))) WHERE nodeno = \(node)"
    case 1: return "DELETE FROM a_node WHERE nodeno = \(node)"
    case 2: return "UPDATE a_parent SET parentnode = \(work.number(14)) WHERE nodeno = \(node)"
    case 3: return "UPDATE a_rowid SET nodeno = \(work.number(14)) WHERE rowid % 3 = 1"
    case 4: return "UPDATE a_node SET data = (SELECT data FROM a_node WHERE nodeno = \(node))"
    case 5:
      // A child that is somewhere else, too.
      return """
        UPDATE a_node SET data = CAST(substr(data, 1, \(4 + 24 * work.number(6)))
        || x'00000000000000\(String(16 + work.number(14), radix: 16))' || substr(data,
        \(13 + 24 * work.number(6))) AS BLOB) WHERE nodeno = 1
        """
    case 6: return "DELETE FROM a_parent WHERE nodeno = \(node)"
    case 7: return "UPDATE a_node SET data = \(work.number(100)) WHERE nodeno = \(node)"
    default:
      return """
        UPDATE a_node SET data = CAST(substr(data, 1, \(position - 1)) || x'\(bytes)'
        || substr(data, \(position + bytes.utf8.count / 2)) AS BLOB) WHERE nodeno = \(node)
        """
    }
  }

  @Test(arguments: 0..<8)
  func `damaged nodes are errors or rows`(seed: Int) throws {
    var work = SpatialWork(seed: UInt64(seed) + 77)
    for _ in 0..<12 {
      let connection = try Connection.spatial()
      try connection.execute("PRAGMA page_size = 512")
      try connection.execute(SpatialWork.schema)
      try connection.execute(
        """
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 260) INSERT INTO a
        SELECT i, i*37%100, i*37%100+3, i*53%100, i*53%100+2, 'note '||i FROM n
        """)
      for _ in 0..<(1 + work.number(3)) { try run(damage(&work), connection) }
      // What is damaged may be noticed when the table is connected again.
      if work.number(2) == 0 { connection.disconnectVirtualTables() }
      for _ in 0..<6 {
        try run(Self.questions[work.number(Self.questions.count)], connection)
      }
    }
  }

  @Test func `a way up that is longer than a tree can be deep is an error`() throws {
    let connection = try Connection.spatial()
    try connection.execute(
      """
      CREATE VIRTUAL TABLE r USING rtree_i32(id,a,b);
      INSERT INTO r VALUES(5,1,1);
      INSERT INTO r_parent
      WITH n(i) AS (SELECT 2 UNION ALL SELECT i+1 FROM n LIMIT 20000) SELECT i+1, i FROM n;
      INSERT INTO r_node SELECT nodeno,
      CAST(x'00000001' || unhex(format('%016x', iif(nodeno = 20001, 5, nodeno + 1)))
      || substr((SELECT data FROM r_node WHERE nodeno = 1), 13) AS BLOB) FROM r_parent;
      UPDATE r_rowid SET nodeno = 20001
      """)
    #expect(throws: SQLError(.corruptVirtualTable)) {
      try connection.execute("DELETE FROM r WHERE id = 5")
    }
    try run("INSERT INTO r VALUES(6,1,1)", connection)
  }

  @Test(arguments: [5, 40])
  func `a node below itself again and again is an error, and no hang`(depth: Int) throws {
    let connection = try Connection.spatial()
    try connection.execute("CREATE VIRTUAL TABLE r USING rtree_i32(id,a,b)")
    // Each node has two children, both of them the next node.
    for node in 1...(depth + 1) {
      let child = String(node + 1, radix: 16)
      let number = String(repeating: "0", count: 16 - child.count) + child
      let cell = number + "80000000" + "7fffffff"
      let head = node == 1 ? "00" + (depth < 16 ? "0" : "") + String(depth, radix: 16) : "0000"
      let cells = node > depth ? "0000" : "0002" + cell + cell
      try connection.execute(
        """
        INSERT OR REPLACE INTO r_node SELECT \(node), CAST(x'\(head)\(cells)' ||
        zeroblob((SELECT length(data) FROM r_node WHERE nodeno=1) - \((head + cells).count / 2))
        AS BLOB)
        """)
    }
    try run("SELECT count(*) FROM r WHERE a > 0", connection)
    try run("SELECT rtreecheck('r')", connection)
    try run("INSERT INTO r VALUES(1,1,1)", connection)
    if depth == 40 {
      #expect(throws: SQLError(.corruptVirtualTable)) {
        try connection.execute("SELECT count(*) FROM r WHERE a > 0")
      }
    }
  }
}
