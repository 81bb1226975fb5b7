import MartletEngine

/// What a statement asks of a table in one of its loops.
struct TableScan {
  /// A column that is compared, or that rows are ordered by.
  struct Term: Equatable {
    let column: String
    /// Where it is not the column's own.
    var collation: String?
    var isDescending = false
  }

  let table: String
  var equal: [Term] = []
  var ranges: [Term] = []
  var order: [Term] = []
}

/// Empty tables that note how statements would look into them (`.expert`).
final class WatchedTables: VirtualTableModule, @unchecked Sendable {
  struct Column {
    let name: String
    let type: String
    let collation: String
    let isNotNull: Bool
    let isPrimaryKey: Bool
  }

  let abilities: VirtualTableAbilities = .writing
  private var columns: [String: [Column]] = [:]
  /// In the order in which the planner asked. Only the session's own thread plans.
  fileprivate(set) var scans: [TableScan] = []

  func add(_ table: String, _ columns: [Column]) { self.columns[table] = columns }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    guard let columns = columns[request.tableName] else { throw SQLError(.error) }
    let definitions = columns.map { column in
      "\(quotedName(column.name)) \(column.type) COLLATE \(quotedName(column.collation))"
        + (column.isNotNull ? " NOT NULL" : "")
    }
    try request.declare("CREATE TABLE x(\(definitions.joined(separator: ", ")))")
    return WatchedTable(request.tableName, columns, self)
  }
}

private final class WatchedTable: VirtualTable {
  private let name: String
  private let columns: [WatchedTables.Column]
  private let watch: WatchedTables

  init(_ name: String, _ columns: [WatchedTables.Column], _ watch: WatchedTables) {
    self.name = name
    self.columns = columns
    self.watch = watch
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var scan = TableScan(table: name)
    var used = 0
    for (position, constraint) in plan.constraints.enumerated() {
      // The rowid and the key need no index; LIKE cannot use one of these.
      guard constraint.isUsable, columns.indices.contains(constraint.column),
        !columns[constraint.column].isPrimaryKey, constraint.operator != .like
      else { continue }
      let column = columns[constraint.column]
      let isOwn = column.collation.lowercased() == constraint.collation.lowercased()
      let term = TableScan.Term(
        column: column.name, collation: isOwn ? nil : constraint.collation)
      if constraint.operator == .equal { scan.equal.append(term) } else { scan.ranges.append(term) }
      plan.take(position, asArgument: used)
      used += 1
    }
    for term in plan.ordering where columns.indices.contains(term.column) {
      scan.order.append(
        TableScan.Term(column: columns[term.column].name, isDescending: term.isDescending))
    }
    plan.estimatedCost = 1_000_000 / Double(used + 1)
    watch.scans.append(scan)
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { VirtualTableCursor() }
}
