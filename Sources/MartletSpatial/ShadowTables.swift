// The tables that an R-tree keeps its content in (rtree §7.1):
//
//     %_node(nodeno, data)           the nodes; the root is number 1
//     %_parent(nodeno, parentnode)   the parent of each node but the root
//     %_rowid(rowid, nodeno, a0, …)  the leaf of each row, and its auxiliary columns
import MartletEngine

/// The statements on the shadow tables of one R-tree, which are prepared once.
final class ShadowTables {
  let database: String
  /// Names of the tables begin with it.
  private let prefix: String
  private unowned(unsafe) let connection: Connection
  private let getNode: Statement
  private let putNode: Statement
  private let deleteNode: Statement
  private let getLeaf: Statement
  private let putLeaf: Statement
  private let deleteLeaf: Statement
  private let getParent: Statement
  private let putParent: Statement
  private let deleteParent: Statement
  private let putAuxiliary: Statement?

  init(
    _ connection: Connection, _ database: String, _ prefix: String, auxiliaryCount: Int
  ) throws(SQLError) {
    self.connection = connection
    self.database = database
    self.prefix = prefix
    func prepare(
      _ before: String, _ suffix: String, _ after: String
    ) throws(SQLError) -> Statement {
      let table = ShadowTables.name(database, prefix, suffix)
      return try connection.prepare(forVirtualTable: "\(before) \(table) \(after)")
    }
    getNode = try prepare("SELECT data FROM", "node", "WHERE nodeno = ?1")
    putNode = try prepare("REPLACE INTO", "node", "VALUES (?1, ?2)")
    deleteNode = try prepare("DELETE FROM", "node", "WHERE nodeno = ?1")
    getLeaf = try prepare("SELECT nodeno FROM", "rowid", "WHERE rowid = ?1")
    if auxiliaryCount == 0 {
      putLeaf = try prepare("REPLACE INTO", "rowid", "VALUES (?1, ?2)")
      putAuxiliary = nil
    } else {
      // What the auxiliary columns have must stay when a row moves to another leaf.
      putLeaf = try prepare(
        "INSERT INTO", "rowid",
        "(rowid, nodeno) VALUES (?1, ?2) "
          + "ON CONFLICT (rowid) DO UPDATE SET nodeno = excluded.nodeno")
      let changes = (0..<auxiliaryCount).map { "a\($0) = ?\($0 + 2)" }
      putAuxiliary = try prepare(
        "UPDATE", "rowid", "SET \(changes.joined(separator: ", ")) WHERE rowid = ?1")
    }
    deleteLeaf = try prepare("DELETE FROM", "rowid", "WHERE rowid = ?1")
    getParent = try prepare("SELECT parentnode FROM", "parent", "WHERE nodeno = ?1")
    putParent = try prepare("REPLACE INTO", "parent", "VALUES (?1, ?2)")
    deleteParent = try prepare("DELETE FROM", "parent", "WHERE nodeno = ?1")
  }

  // MARK: Rows

  /// Copies a node.
  ///
  /// - Throws: `corruptVirtualTable` where there is none, or none of that size.
  func readNode(
    _ number: Int64, into target: UnsafeMutableRawPointer, size: Int
  ) throws(SQLError) {
    try getNode.bind(number, at: 1)
    var isFound = false
    do throws(SQLError) {
      if try getNode.step(), getNode.columnType(0) >= .text {
        let bytes = getNode.columnBytes(0)
        if bytes.count == size, let start = bytes.baseAddress {
          target.copyMemory(from: start, byteCount: size)
          isFound = true
        }
      }
    } catch {
      // That there is no such table any more is no fault of the statement's.
      throw error.code == .error ? .spatialCorrupt : SQLError(error.code)
    }
    try getNode.reset()
    if !isFound { throw .spatialCorrupt }
  }

  /// Writes a node; nil makes a new one, whose number is the last inserted rowid then.
  func writeNode(_ number: Int64?, _ data: UnsafeRawBufferPointer) throws(SQLError) {
    if let number { try putNode.bind(number, at: 1) } else { try putNode.bindNull(at: 1) }
    try putNode.bind(blob: data, at: 2)
    try run(putNode)
  }

  func removeNode(_ number: Int64) throws(SQLError) {
    try run(deleteNode, number)
    try run(deleteParent, number)
  }

  /// The node that has a row; nil where there is no such row.
  func node(ofRow rowid: Int64) throws(SQLError) -> Int64? { try find(getLeaf, rowid) }

  /// The parent of a node; nil where it is not known.
  func parent(ofNode number: Int64) throws(SQLError) -> Int64? { try find(getParent, number) }

  func setNode(_ number: Int64, ofRow rowid: Int64) throws(SQLError) {
    try run(putLeaf, rowid, number)
  }

  func setParent(_ parent: Int64, ofNode number: Int64) throws(SQLError) {
    try run(putParent, number, parent)
  }

  func removeRow(_ rowid: Int64) throws(SQLError) { try run(deleteLeaf, rowid) }

  /// Makes a row that is nowhere yet, and gives its rowid.
  func makeRow() throws(SQLError) -> Int64 {
    try putLeaf.bindNull(at: 1)
    try putLeaf.bindNull(at: 2)
    try run(putLeaf)
    return connection.lastInsertRowID
  }

  /// Writes the auxiliary columns of a row, which are those of the change from `first` on.
  func setAuxiliary(
    _ change: borrowing VirtualTableChange, from first: Int, count: Int, ofRow rowid: Int64
  ) throws(SQLError) {
    guard let putAuxiliary else { return }
    try putAuxiliary.bind(rowid, at: 1)
    for index in 0..<count {
      // Behind the two rowids.
      if let value = change.reference(2 + first + index) {
        try putAuxiliary.bind(value, at: 2 + index)
      } else {
        try putAuxiliary.bindNull(at: 2 + index)
      }
    }
    try run(putAuxiliary)
    for index in 0..<count { try putAuxiliary.bindNull(at: 2 + index) }
  }

  /// A statement that gives rowid, node and auxiliary columns of a row.
  func makeAuxiliaryReader() throws(SQLError) -> Statement {
    let table = ShadowTables.name(database, prefix, "rowid")
    return try ShadowTables.plainly { () throws(SQLError) in
      try connection.prepare(withNames: "SELECT * FROM \(table) WHERE rowid = ?1")
    }
  }

  /// How many nodes there are.
  func countNodes() throws(SQLError) -> Int64 {
    let table = ShadowTables.name(database, prefix, "node")
    return try ShadowTables.number(connection, "SELECT count(*) FROM \(table)") ?? 0
  }

  // MARK: The tables

  func drop() throws(SQLError) {
    for suffix in ["node", "rowid", "parent"] {
      try execute("DROP TABLE \(ShadowTables.name(database, prefix, suffix))")
    }
  }

  func rename(to newPrefix: String) throws(SQLError) {
    for suffix in ["node", "parent", "rowid"] {
      let table = ShadowTables.name(database, prefix, suffix)
      let newName = (newPrefix + "_" + suffix).quotedIdentifier
      try execute("ALTER TABLE \(table) RENAME TO \(newName)")
    }
  }

  private func execute(_ sql: String) throws(SQLError) {
    try ShadowTables.plainly { () throws(SQLError) in try connection.execute(withNames: sql) }
  }
}

// MARK: - Running statements

extension ShadowTables {
  /// Of what fails inside, a table tells only the code.
  @inline(__always)
  private static func plainly<Result>(
    _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    do throws(SQLError) { return try body() } catch { throw SQLError(error.code) }
  }

  @inline(__always)
  private func run(_ statement: Statement) throws(SQLError) {
    try ShadowTables.plainly { () throws(SQLError) in
      while try statement.step() {}
      try statement.reset()
    }
  }

  private func run(_ statement: Statement, _ key: Int64) throws(SQLError) {
    try statement.bind(key, at: 1)
    try run(statement)
  }

  private func run(_ statement: Statement, _ key: Int64, _ value: Int64) throws(SQLError) {
    try statement.bind(key, at: 1)
    try statement.bind(value, at: 2)
    try run(statement)
  }

  private func find(_ statement: Statement, _ key: Int64) throws(SQLError) -> Int64? {
    try statement.bind(key, at: 1)
    return try ShadowTables.plainly { () throws(SQLError) in
      let value = try statement.step() ? statement.columnInt64(0) : nil
      try statement.reset()
      return value
    }
  }

  static func name(_ database: String, _ prefix: String, _ suffix: String) -> String {
    database.quotedIdentifier + "." + (prefix + "_" + suffix).quotedIdentifier
  }

  private static func number(
    _ connection: Connection, _ sql: String
  ) throws(SQLError) -> Int64? {
    let statement = try connection.prepare(withNames: sql)
    return try statement.step() ? statement.columnInt64(0) : nil
  }
}

// MARK: - Connecting

extension ShadowTables {
  /// Makes the tables, with an empty root.
  static func create(
    _ connection: Connection, _ database: String, _ prefix: String, auxiliaryCount: Int,
    nodeSize: Int
  ) throws(SQLError) {
    func name(_ suffix: String) -> String { ShadowTables.name(database, prefix, suffix) }
    let auxiliary = (0..<auxiliaryCount).map { ",a\($0)" }.joined()
    // The spaces, or that there are none, are C's: the schema keeps them.
    try connection.execute(
      withNames: """
      CREATE TABLE \(name("rowid"))(rowid INTEGER PRIMARY KEY,nodeno\(auxiliary));
      CREATE TABLE \(name("node"))(nodeno INTEGER PRIMARY KEY,data);
      CREATE TABLE \(name("parent"))(nodeno INTEGER PRIMARY KEY,parentnode);
      INSERT INTO \(name("node")) VALUES(1, zeroblob(\(nodeSize)))
      """)
  }

  static func newNodeSize(
    _ connection: Connection, _ database: String, _ layout: NodeLayout
  ) throws(SQLError) -> Int {
    let pageSize = try number(connection, "PRAGMA \(database.quotedIdentifier).page_size") ?? 0
    return layout.nodeSize(pageSize: Int(pageSize))
  }

  /// The smallest page that there is leaves so many bytes.
  private static let smallestNode = 512 - 64

  /// That of the root.
  static func nodeSize(
    _ connection: Connection, _ database: String, _ prefix: String
  ) throws(SQLError) -> Int {
    let table = name(database, prefix, "node")
    let size = try number(connection, "SELECT length(data) FROM \(table) WHERE nodeno = 1") ?? 0
    guard size >= smallestNode && size <= Int64(Int32.max) else {
      throw SQLError(
        .corruptVirtualTable, "undersize RTree blobs in \"\(prefix)_node\"")
    }
    return Int(size)
  }

  /// How many rows the planner is told of: at least 100, what ANALYZE has counted, or a million.
  static func rowEstimate(
    _ connection: Connection, _ database: String, _ prefix: String
  ) throws(SQLError) -> Int64 {
    let unknown: Int64 = 1_048_576, fewest: Int64 = 100
    do throws(SQLError) {
      try connection.checkTable("sqlite_stat1", database: database)
    } catch {
      if error.code.primary == .error { return unknown }
      throw error
    }
    let statement = try connection.prepare(
      withNames: "SELECT stat FROM \(database.quotedIdentifier).sqlite_stat1 WHERE tbl = ?1")
    try statement.bind(text: prefix + "_rowid", at: 1)
    let count = try statement.step() ? statement.columnInt64(0) : 0
    return max(count, fewest)
  }
}
