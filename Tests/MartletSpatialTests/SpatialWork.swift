/// Statements on R-trees by a seed.
struct SpatialWork {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// From 0 on, below `bound`.
  mutating func number(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  static let schema = """
    CREATE VIRTUAL TABLE a USING rtree(id,x0,x1,y0,y1,+note);
    CREATE VIRTUAL TABLE b USING rtree_i32(id,x0,x1,y0,y1,z0,z1);
    CREATE VIRTUAL TABLE c USING rtree(id,x0,x1);
    """

  /// Everything that is stored, and what is said of it.
  static let contents =
    ["a", "b", "c"].map { name in
      """
      SELECT nodeno, hex(data) FROM \(name)_node; SELECT * FROM \(name)_parent;
      SELECT * FROM \(name)_rowid; SELECT rtreecheck('\(name)');
      """
    }.joined(separator: "\n")

  private mutating func table() -> (name: String, dimensions: Int, hasNote: Bool) {
    [("a", 2, true), ("b", 3, false), ("c", 1, false)][number(3)]
  }

  private mutating func row(_ rowid: String, _ dimensions: Int, _ hasNote: Bool) -> String {
    var columns = [rowid]
    for _ in 0..<dimensions {
      let lower = Double(number(20_000)) / 16 - 400
      columns += ["\(lower)", "\(lower + Double(number(300)) / 8)"]
    }
    if hasNote { columns.append(number(3) == 0 ? "NULL" : "'note \(number(1000))'") }
    return "(" + columns.joined(separator: ",") + ")"
  }

  /// A few changes of one transaction, and questions.
  mutating func round() -> [String] {
    var lines = ["BEGIN;"]
    for _ in 0..<(1 + number(4)) { lines.append(change()) }
    lines.append(number(6) == 0 ? "ROLLBACK;" : "COMMIT;")
    for _ in 0..<2 { lines.append(question()) }
    return lines
  }

  private mutating func change() -> String {
    let (name, dimensions, hasNote) = table()
    let first = number(400)
    switch number(10) {
    case 0...3:
      let rows = (0..<(1 + number(40))).map { _ in
        row(number(5) == 0 ? "NULL" : "\(number(2_000))", dimensions, hasNote)
      }
      let policy = ["REPLACE", "IGNORE"][number(2)]
      return "INSERT OR \(policy) INTO \(name) VALUES \(rows.joined(separator: ","));"
    case 4: return "DELETE FROM \(name) WHERE id BETWEEN \(first) AND \(first + number(300));"
    case 5: return "DELETE FROM \(name) WHERE x0 > \(first) AND x1 < \(first + number(200));"
    case 6:
      return "UPDATE \(name) SET x0=x0-\(number(9)), x1=x1+\(number(9)) "
        + "WHERE id%\(2 + number(9))=0;"
    case 7: return "UPDATE OR REPLACE \(name) SET id=id+\(number(50)) WHERE id<\(first);"
    case 8:
      return
        "SAVEPOINT s; DELETE FROM \(name) WHERE id%2; ROLLBACK TO s; "
        + "DELETE FROM \(name) WHERE id%\(5 + number(9))=1; RELEASE s;"
    default: return "INSERT OR REPLACE INTO \(name) SELECT * FROM \(name) WHERE id%7=\(number(7));"
    }
  }

  private mutating func question() -> String {
    let (name, _, _) = table()
    let first = number(900) - 400
    return
      "SELECT * FROM \(name) WHERE x0 < \(first + number(300)) AND x1 >= \(first);"
  }
}
