import MartletEngine

/// How the rows of a table are stored, as its CREATE TABLE tells.
struct TableShape {
  private(set) var columns: [String] = []
  /// Which columns stand in a record, in its order.
  private(set) var stored: [Int] = []
  private(set) var generated: Set<Int> = []
  /// The column that is the rowid.
  private(set) var rowIDColumn: Int?
  /// What the rowid is called where no column is it; nil in a table without.
  private(set) var rowIDName: String?

  /// Asks a database of its own, which makes the table; nil where it cannot.
  init?(_ sql: String, name: String) {
    do throws(SQLError) {
      let connection = try Connection(path: ":memory:")
      connection.set(.writableSchema, on: true)
      // A name that SQL keeps for itself has a statement that cannot be run.
      if name == "sqlite_sequence" {
        (columns, stored, rowIDName) = (["name", "seq"], [0, 1], "_rowid_")
        return
      }
      try connection.execute(sql)
      try read(name, connection)
    } catch {
      return nil
    }
  }

  private mutating func read(_ name: String, _ connection: Connection) throws(SQLError) {
    let query = try connection.prepare(
      "SELECT name, type, pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid")
    try query.bind(text: name, at: 1)
    var keys: [Int] = []
    var isStored: [Bool] = []
    var types: [String] = []
    while try query.step() {
      let place = columns.count
      columns.append(query.columnText(0))
      types.append(query.columnText(1).uppercased())
      if query.columnInt64(2) > 0 { keys.append(place) }
      let hidden = query.columnInt64(3)
      if hidden == 2 || hidden == 3 { generated.insert(place) }
      isStored.append(hidden != 2)
    }
    let kind = try connection.prepare("SELECT wr FROM pragma_table_list WHERE name = ?1")
    try kind.bind(text: name, at: 1)
    let hasRowID = try !kind.step() || kind.columnInt64(0) == 0
    guard hasRowID else {
      stored = try keyOrder(name, connection)
      return
    }
    stored = columns.indices.filter { isStored[$0] }
    if keys.count == 1, types[keys[0]] == "INTEGER", try !hasKeyIndex(name, connection) {
      rowIDColumn = keys[0]
    } else {
      let taken = Set(columns.map { $0.lowercased() })
      rowIDName = ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
    }
  }

  /// Whether the key has an index, as `INTEGER PRIMARY KEY DESC` has.
  private func hasKeyIndex(_ name: String, _ connection: Connection) throws(SQLError) -> Bool {
    let query = try connection.prepare(
      "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'")
    try query.bind(text: name, at: 1)
    return try query.step()
  }

  /// Without a rowid the key comes first, and then the other columns.
  private func keyOrder(_ name: String, _ connection: Connection) throws(SQLError) -> [Int] {
    let query = try connection.prepare(
      """
      SELECT x.cid FROM pragma_index_list(?1) AS l, pragma_index_xinfo(l.name) AS x
      WHERE l.origin = 'pk' ORDER BY x.seqno
      """)
    try query.bind(text: name, at: 1)
    var order: [Int] = []
    while try query.step() { order.append(Int(query.columnInt64(0))) }
    return order.filter { columns.indices.contains($0) }
  }
}
