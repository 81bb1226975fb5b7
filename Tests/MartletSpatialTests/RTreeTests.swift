import MartletEngine
import MartletSpatial
import TestSupport
import Testing

struct RTreeTests {
  @Test func `a tree cannot be changed while a scan has a place in it`() throws {
    let connection = try Connection.spatial()
    try connection.execute(
      "CREATE VIRTUAL TABLE r USING rtree(id,a,b); INSERT INTO r VALUES(1,1,2),(2,3,4)")
    let scan = try connection.prepare("SELECT id FROM r")
    #expect(try scan.step())
    let error = #expect(throws: SQLError.self) { try connection.execute("DELETE FROM r") }
    #expect(error?.code.rawValue == 518)
    #expect(error?.message == "database table is locked")
    while try scan.step() {}
    try connection.execute("DELETE FROM r")
    #expect(try connection.printed("SELECT count(*) FROM r") == "0\n")
  }

  @Test func `a connection that nobody refers to ends, with what its tables keep`() throws {
    weak var ended: Connection?
    do {
      let connection = try Connection.spatial()
      ended = connection
      try connection.execute("CREATE VIRTUAL TABLE r USING rtree(id,a,b,+c)")
      try connection.execute("INSERT INTO r VALUES(1,1,2,3); SELECT * FROM r")
    }
    #expect(ended == nil)
  }

  @Test(arguments: [
    "DROP TABLE r", "ALTER TABLE r RENAME TO s", "CREATE TABLE other(x)", "VACUUM",
    "BEGIN; DROP TABLE r; ROLLBACK", "SAVEPOINT s; ALTER TABLE r RENAME TO s; ROLLBACK TO s",
    "BEGIN; CREATE VIRTUAL TABLE s USING rtree(id,a,b); INSERT INTO s VALUES(1,1,2); ROLLBACK",
  ])
  func `a connection closes after a change of its schema`(change: String) throws {
    let connection = try Connection.spatial()
    try connection.execute("CREATE VIRTUAL TABLE r USING rtree(id,a,b,+c)")
    try connection.execute("INSERT INTO r VALUES(1,1,2,3); SELECT * FROM r")
    try connection.execute(change)
    try connection.close()
  }

  @Test func `a scan sees what another connection has changed`() throws {
    let directory = try TemporaryDirectory()
    let first = try Connection.spatial(directory("r.db"))
    try first.execute(
      """
      CREATE VIRTUAL TABLE r USING rtree_i32(id,a,b);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 500)
      INSERT INTO r SELECT i,i,i FROM n
      """)
    let second = try Connection.spatial(directory("r.db"))
    let query = "SELECT count(*) FROM r WHERE a>100"
    #expect(try second.printed(query) == "400\n")
    try first.execute("DELETE FROM r WHERE id%2")
    #expect(try second.printed(query) == "200\n")
    try second.execute("BEGIN; UPDATE r SET a=0,b=0; ROLLBACK")
    #expect(try second.printed(query) == "200\n")
    try second.execute("SAVEPOINT s; DELETE FROM r WHERE id<300")
    #expect(try second.printed(query) == "101\n")
    try second.execute("ROLLBACK TO s")
    #expect(try second.printed(query) == "200\n")
    #expect(try second.printed("RELEASE s; SELECT rtreecheck('r')") == "ok\n")
  }

  @Test func `compile options name R-trees once they are registered`() throws {
    let connection = try Connection.spatial()
    #expect(try connection.printed("SELECT sqlite_compileoption_used('ENABLE_RTREE')") == "1\n")
  }
}
