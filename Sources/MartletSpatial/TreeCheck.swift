import MartletEngine

/// The function `rtreecheck`, and what PRAGMA integrity_check asks (rtree §7.2): each cell is
/// inside of its parent's, and the other two tables know where it is.
struct TreeCheck {
  private let connection: Connection
  private let database: String
  private let table: String
  private let layout: NodeLayout
  private let getNode: Statement
  private let getParent: Statement
  private let getLeaf: Statement
  private var findings: [String] = []
  private var rowCount: Int64 = 0
  private var childCount: Int64 = 0
  /// A damaged tree may lead to the same nodes again and again.
  private let mostChildren: Int64

  private static let mostFindings = 100

  /// `rtreecheck(table)` and `rtreecheck(schema, table)`.
  static func write(_ call: borrowing FunctionInvocation) throws(SQLError) {
    guard (1...2).contains(call.count), let connection = call.connection else {
      throw .spatial("wrong number of arguments to function rtreecheck()")
    }
    let table = try call.text(call.count - 1) ?? ""
    let database = call.count == 2 ? try call.text(0) ?? "" : "main"
    let report = try plainReport(connection, database: database, table: table)
    try call.setResult(text: report ?? "ok")
  }

  /// The same as `report`; errors have no other text than that of their codes.
  static func plainReport(
    _ connection: Connection, database: String, table: String
  ) throws(SQLError) -> String? {
    do throws(SQLError) {
      return try report(connection, database: database, table: table)
    } catch {
      throw SQLError(error.code)
    }
  }

  /// What is wrong, a line for each finding; nil where nothing is.
  ///
  /// - Throws: What reading the tables fails with.
  private static func report(
    _ connection: Connection, database: String, table: String
  ) throws(SQLError) -> String? {
    let name = database.quotedIdentifier + "." + table.quotedIdentifier
    let auxiliaryCount = try auxiliaryCount(connection, database, table)
    let rows = try connection.prepare(withNames: "SELECT * FROM \(name)")
    let dimensionCount = (rows.columnCount - 1 - auxiliaryCount) / 2
    guard dimensionCount >= 1 else { return "Schema corrupt or not an rtree" }
    var isInteger = false
    do throws(SQLError) {
      isInteger = try rows.step() && rows.columnType(1) == .integer
      try rows.reset()
    } catch {
      // What is damaged is looked for below.
      if error.code.primary != .corrupt { throw error }
    }
    let layout = NodeLayout(dimensionCount: dimensionCount, isInteger ? .integer : .real)
    var check = try TreeCheck(connection, database, table, layout)
    try check.checkNode(Node.rootNumber, level: nil, parent: nil)
    try check.checkCount("_rowid", check.rowCount)
    try check.checkCount("_parent", check.childCount)
    return check.findings.isEmpty ? nil : check.findings.joined(separator: "\n")
  }

  /// Columns of `%_rowid` beside the two that each has; where there is no such table, the check
  /// finds it out later.
  private static func auxiliaryCount(
    _ connection: Connection, _ database: String, _ table: String
  ) throws(SQLError) -> Int {
    let rows = ShadowTables.name(database, table, "rowid")
    do throws(SQLError) {
      return try connection.prepare(withNames: "SELECT * FROM \(rows)").columnCount - 2
    } catch {
      if error.code.primary == .outOfMemory { throw error }
      return 0
    }
  }

  private init(
    _ connection: Connection, _ database: String, _ table: String, _ layout: NodeLayout
  ) throws(SQLError) {
    func prepare(
      _ columns: String, _ suffix: String, _ condition: String
    ) throws(SQLError) -> Statement {
      let table = ShadowTables.name(database, table, suffix)
      return try connection.prepare(withNames: "SELECT \(columns) FROM \(table) \(condition)")
    }
    self.connection = connection
    self.database = database
    self.table = table
    self.layout = layout
    getNode = try prepare("data", "node", "WHERE nodeno = ?1")
    getParent = try prepare("parentnode", "parent", "WHERE nodeno = ?1")
    getLeaf = try prepare("nodeno", "rowid", "WHERE rowid = ?1")
    let count = try prepare("count(*)", "node", "")
    mostChildren = try count.step() ? 8 * count.columnInt64(0) + 10_000 : 0
  }

  private mutating func report(_ finding: @autoclosure () -> String) {
    if findings.count < TreeCheck.mostFindings { findings.append(finding()) }
  }

  // MARK: Nodes

  /// Checks a node and all below it. The level is that of its cells, 0 in leaves; `parent` are the
  /// coordinates of its cell in the parent. Both are nil for the root.
  private mutating func checkNode(
    _ number: Int64, level: Int?, parent: [Double]?
  ) throws(SQLError) {
    guard let node = try read(number) else {
      return report("Node \(number) missing from database")
    }
    let size = node.count
    guard size >= NodeLayout.headerSize else {
      return report("Node \(number) is too small (\(size) bytes)")
    }
    let depth = Int(node[0]) << 8 | Int(node[1]), count = Int(node[2]) << 8 | Int(node[3])
    let level = level ?? depth
    guard level <= NodeLayout.deepestTree else {
      return report("Rtree depth out of range (\(depth))")
    }
    guard NodeLayout.headerSize + count * layout.cellSize <= size else {
      return report(
        "Node \(number) is too small for cell count of \(count) (\(size) bytes)")
    }
    for index in 0..<count {
      let cell = Cell(node, index, layout)
      checkBounds(of: cell, index, number, parent)
      guard level > 0 else {
        try checkMapping(getLeaf, "%_rowid", cell.number, number)
        rowCount += 1
        continue
      }
      try checkMapping(getParent, "%_parent", cell.number, number)
      try checkNode(cell.number, level: level - 1, parent: cell.bounds)
      childCount += 1
      if childCount > mostChildren { throw .spatialCorrupt }
    }
  }

  private struct Cell {
    let number: Int64
    let bounds: [Double]

    init(_ node: [UInt8], _ index: Int, _ layout: NodeLayout) {
      (number, bounds) = node.withUnsafeBytes { bytes in
        let cell = UnsafeRawBufferPointer(
          rebasing: bytes[(NodeLayout.headerSize + index * layout.cellSize)...])
        guard let place = cell.baseAddress, cell.count >= layout.cellSize else { return (0, []) }
        let bounds = (0..<layout.coordinateCount).map { layout.coordinate(place + 8, $0) }
        return (NodeLayout.readInt64(place), bounds)
      }
    }
  }

  private func read(_ number: Int64) throws(SQLError) -> [UInt8]? {
    try getNode.bind(number, at: 1)
    let node = try getNode.step() ? Array(getNode.columnBytes(0)) : nil
    try getNode.reset()
    return node
  }

  private mutating func checkBounds(
    of cell: Cell, _ index: Int, _ node: Int64, _ parent: [Double]?
  ) {
    for dimension in 0..<layout.dimensionCount {
      let lower = cell.bounds[2 * dimension], upper = cell.bounds[2 * dimension + 1]
      let place = "Dimension \(dimension) of cell \(index) on node \(node)"
      if lower > upper { report("\(place) is corrupt") }
      if let parent, lower < parent[2 * dimension] || upper > parent[2 * dimension + 1] {
        report("\(place) is corrupt relative to parent")
      }
    }
  }

  private mutating func checkMapping(
    _ statement: Statement, _ name: String, _ key: Int64, _ node: Int64
  ) throws(SQLError) {
    try statement.bind(key, at: 1)
    let found = try statement.step() ? statement.columnInt64(0) : nil
    try statement.reset()
    if let found, found != node {
      report("Found (\(key) -> \(found)) in \(name) table, expected (\(key) -> \(node))")
    } else if found == nil {
      report("Mapping (\(key) -> \(node)) missing from \(name) table")
    }
  }

  private mutating func checkCount(_ suffix: String, _ expected: Int64) throws(SQLError) {
    let name = database.quotedIdentifier + "." + (table + suffix).quotedIdentifier
    let statement = try connection.prepare(withNames: "SELECT count(*) FROM \(name)")
    let actual = try statement.step() ? statement.columnInt64(0) : 0
    if actual != expected {
      report(
        "Wrong number of entries in %\(suffix) table - expected \(expected), actual \(actual)")
    }
  }
}
