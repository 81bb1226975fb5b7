import MartletEngine

// How requests and associations build their queries, and what is asked of the schema before a query
// is written.

extension SQLQuery {
  typealias Making<Value> = @Sendable (Database) throws -> Value

  mutating func select(_ selection: @escaping Making<[any SQLSelectable]>) {
    self.selection = []
    annotate(selection)
  }

  mutating func annotate(_ selection: @escaping Making<[any SQLSelectable]>) {
    self.selection.append(
      SQLSelection(.deferred { try selection($0).map { $0.sqlSelection } }))
  }

  mutating func filter(_ predicate: @escaping Making<any SQLExpressible>) {
    filters.append(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  mutating func order(_ orderings: @escaping Making<[any SQLOrderingTerm]>) {
    ordering = [SQLOrdering(.deferred { try orderings($0).map { $0.sqlOrdering } })]
    isReversed = false
  }

  mutating func group(_ expressions: @escaping Making<[any SQLExpressible]>) {
    groups = [
      SQLExpression(.deferred { .init(.rowValue(try expressions($0).map { $0.sqlExpression })) })
    ]
  }

  mutating func having(_ predicate: @escaping Making<any SQLExpressible>) {
    havings.append(SQLExpression(.deferred { try predicate($0).sqlExpression }))
  }

  /// Adds the primary keys to the order; of a view, all columns.
  mutating func addStableOrder() {
    guard let table = sourceName else { return }
    let query = self
    ordering.append(
      SQLOrdering(
        .deferred { db in
          guard let key = try db.primaryKeyIfAny(table) else {
            let width = try query.selectionWidth(db)
            return (1..<(width + 1)).map { SQL(sql: "\($0)").sqlOrdering }
          }
          return key.columns.map { Column($0).sqlOrdering }
        }))
    for index in children.indices { children[index].query.addStableOrder() }
  }
}

extension SQLQuery {
  /// The query with what was asked of the schema.
  func resolved(_ db: Database) throws -> SQLQuery {
    if let mistake { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: mistake) }
    var query = self
    query.selection = try selection.flatMap { try $0.resolved(db) }
    query.filters = try filters.map { try $0.resolved(db) }
    query.havings = try havings.map { try $0.resolved(db) }
    query.ordering = try ordering.flatMap { try $0.resolved(db) }
    query.groups = try groups.flatMap { group -> [SQLExpression] in
      let group = try group.resolved(db)
      if case .rowValue(let list) = group.node { return list }
      return [group]
    }
    for index in children.indices where children[index].kind.isJoin {
      query.children[index].query = try children[index].query.resolved(db)
    }
    return query
  }

  /// The conditions say what the row's key is, or the query makes one row of all.
  func givesOneRow(_ db: Database) throws -> Bool {
    if hasJoins { return false }
    if groups.isEmpty, selection.contains(where: { $0.isAggregate }) { return true }
    guard let tableName, groups.isEmpty, commonTables.isEmpty else { return false }
    let pinned = filters.flatMap { $0.pinnedColumns(alias) }
    guard !pinned.isEmpty else { return false }
    let all = Set(pinned.map { $0.name.nameKey })
    // Several rows of a unique key may have NULL, but no rowid is.
    let columns = Set(pinned.filter { !$0.toNull }.map { $0.name.nameKey })
    let isPinned = { (key: [String]) in key.allSatisfy { columns.contains($0.nameKey) } }
    if let key = try db.primaryKeyIfAny(tableName) {
      if isPinned(key.columns) { return true }
      if key.tableHasRowID, all.contains(Column.rowID.name.nameKey) { return true }
      if let rowID = key.rowIDColumn, all.contains(rowID.nameKey) { return true }
    }
    return try db.indexes(on: tableName).contains {
      $0.isUnique && !$0.isPartial && isPinned($0.columns)
    }
  }
}

extension SQLQuery {
  /// The groups are those of a unique key.
  func hasGroupsOfOne(_ db: Database) throws -> Bool {
    guard let tableName else { return false }
    let columns = groups.compactMap { $0.identifyingColumn }
    guard columns.count == groups.count else { return false }
    if let key = try db.fastPrimaryKey(of: tableName),
      columns.contains(where: { $0.isSameName(as: key) })
    {
      return true
    }
    return try db.columnsForUniqueKey(columns, in: tableName) != nil
  }
}

extension SQLExpression {
  /// A column that has one value only for each value of the expression.
  fileprivate var identifyingColumn: String? {
    switch node {
    case .column(let name), .qualifiedColumn(let name, _): name
    case .qualified(let expression, _), .prefix("-", let expression): expression.identifyingColumn
    default: nil
    }
  }

  func resolved(_ db: Database) throws -> SQLExpression {
    guard case .deferred(let make) = node else { return self }
    return try make(db).resolved(db)
  }

  /// Columns that must have one certain value, or be NULL.
  fileprivate func pinnedColumns(_ alias: TableAliasBase?) -> [(name: String, toNull: Bool)] {
    switch node {
    case .comparison(.equal, let left, let right), .comparison(.identical, let left, let right):
      var (left, right) = (left, right)
      if case .value = left.node { (left, right) = (right, left) }
      guard case .value(let value) = right.node else { return [] }
      switch left.node {
      case .column(let name): return [(name, value.isNull)]
      case .qualifiedColumn(let name, let table) where table == alias:
        return [(name, value.isNull)]
      default: return []
      }
    case .associative(.and, let operands): return operands.flatMap { $0.pinnedColumns(alias) }
    case .qualified(let expression, let table) where table == alias:
      return expression.pinnedColumns(alias)
    default: return []
    }
  }
}

extension SQLSelection {
  func resolved(_ db: Database) throws -> [SQLSelection] {
    guard case .deferred(let make) = node else { return [self] }
    return try make(db).flatMap { try $0.resolved(db) }
  }

  fileprivate var isAggregate: Bool {
    switch node {
    case .expression(let expression), .aliased(let expression, _): expression.isAggregate
    default: false
    }
  }
}

extension SQLOrdering {
  fileprivate func resolved(_ db: Database) throws -> [SQLOrdering] {
    guard case .deferred(let make) = node else { return [self] }
    return try make(db).flatMap { try $0.resolved(db) }
  }
}
