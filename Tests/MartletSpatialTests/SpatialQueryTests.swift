import MartletEngine
import MartletSpatial
import Synchronization
import TestSupport
import Testing

struct SpatialQueryTests {
  private func filled() throws -> Connection {
    let connection = try Connection.spatial()
    try connection.execute(
      """
      CREATE VIRTUAL TABLE r USING rtree(id,x0,x1,y0,y1);
      WITH n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n LIMIT 2500)
      INSERT INTO r SELECT i, i%50, i%50+0.5, i/50, i/50+0.5 FROM n
      """)
    return connection
  }

  /// The square of the distance between a box and a point.
  private static func distance(
    _ box: UnsafeBufferPointer<Double>, _ x: Double, _ y: Double
  ) -> Double {
    let dx = max(box[0] - x, 0, x - box[1]), dy = max(box[2] - y, 0, y - box[3])
    return dx * dx + dy * dy
  }

  @Test func `a geometry gives the boxes that it overlaps`() throws {
    let connection = try filled()
    try connection.createGeometry("circle") { box, arguments in
      Self.distance(box, arguments[0], arguments[1]) <= arguments[2] * arguments[2]
    }
    let found = "SELECT count(*), sum(id) FROM r WHERE id MATCH circle(20.2, 30.1, 4)"
    let wanted = """
      SELECT count(*), sum(id) FROM (SELECT id, max(x0-20.2, 0, 20.2-x1) AS dx,
      max(y0-30.1, 0, 30.1-y1) AS dy FROM r) WHERE dx*dx+dy*dy <= 16
      """
    #expect(try connection.printed(found) == connection.printed(wanted))
    #expect(
      try connection.printed("SELECT id FROM r WHERE id MATCH circle(0,0,0.2) AND x1<1") == "0\n")
  }

  @Test func `scores decide the order of rows`() throws {
    let connection = try filled()
    try connection.createSpatialQuery("near") { box, arguments in
      box.visibility = .partly
      box.score = Self.distance(box.bounds, arguments[0], arguments[1])
    }
    let nearest = try connection.printed(
      "SELECT id FROM r WHERE id MATCH near(10.25, 20.25) LIMIT 5")
    #expect(nearest.split(separator: "\n").first == "1010")
    #expect(Set(nearest.split(separator: "\n")) == ["1010", "1009", "1011", "960", "1060"])
  }

  @Test func `a query is told of levels, parents and what waits`() throws {
    let connection = try filled()
    let levels = Mutex<Set<Int>>([])
    try connection.createSpatialQuery("watch") { box, _ in
      #expect(box.highestLevel >= 1 && box.level < box.highestLevel)
      #expect(box.waitingCounts[box.level + 1] > 0)
      #expect(box.parentScore == Double(box.level + 1 == box.highestLevel ? 0 : box.level + 2))
      levels.withLock { _ = $0.insert(box.level) }
      box.score = Double(box.level + 1)
      box.visibility = .inside
    }
    #expect(try connection.printed("SELECT count(*) FROM r WHERE id MATCH watch()") == "2500\n")
    #expect(levels.withLock { $0 } == [0, 1, 2])
  }

  @Test func `errors of a query end the statement`() throws {
    let connection = try filled()
    try connection.createGeometry("failing") { _, _ throws(SQLError) in
      throw SQLError(.tooBig, "not this one")
    }
    #expect(throws: SQLError(.tooBig, "not this one")) {
      try connection.execute("SELECT * FROM r WHERE id MATCH failing()")
    }
    // The function means nothing elsewhere.
    #expect(try connection.printed("SELECT failing() IS NULL") == "1\n")
    #expect(throws: SQLError(.error)) {
      try connection.execute("SELECT * FROM r WHERE id MATCH 5")
    }
  }
}
