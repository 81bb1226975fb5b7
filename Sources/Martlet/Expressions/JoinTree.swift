import MartletEngine

/// A query that is about to be written, with the tables that are joined to it: each has an alias.
struct JoinTree {
  let query: SQLQuery
  let alias: TableAliasBase
  let joins: [Join]

  struct Join {
    let key: String
    let isRequired: Bool
    let condition: JoinCondition
    let tree: JoinTree
  }

  init(_ query: SQLQuery) {
    self.query = query
    alias = query.alias ?? TableAliasBase(userName: nil, tableName: query.sourceName)
    joins = query.children.filter { $0.kind.isJoin }.map {
      Join(
        key: $0.key, isRequired: $0.kind == .required, condition: $0.condition,
        tree: JoinTree($0.query))
    }
  }

  /// The query and all joined ones, in the order in which they are written.
  var all: [JoinTree] { [self] + joins.flatMap { $0.tree.all } }

  var aliases: [TableAliasBase] { all.map { $0.alias } }

  /// The orders of all tables, one behind the other.
  func ordering(isReversed: Bool) -> [(ordering: SQLOrdering, alias: TableAliasBase)] {
    let isReversed = isReversed != query.isReversed
    return query.ordering.map { (isReversed ? $0.reversed : $0, alias) }
      + joins.flatMap { $0.tree.ordering(isReversed: isReversed) }
  }
}

// MARK: - Scopes

extension SQLQuery {
  /// Gives the columns of joined tables as scopes; nil where nothing is joined.
  func rowAdapter(_ db: Database) throws -> (any RowAdapter)? {
    guard hasJoins else { return nil }
    return try JoinTree(self).adapter(db, from: 0, allCommonTables)?.adapter
  }

  /// How many columns the rows have.
  func selectionWidth(_ db: Database) throws -> Int {
    let tables = allCommonTables
    return try JoinTree(resolved(db)).all.reduce(0) { try $0 + $1.width(db, tables) }
  }
}

extension JoinTree {
  /// The adapter of this table's columns and of those that are joined to it, and where they end.
  /// Nil where no column is selected, and for a query of which all columns are its own.
  fileprivate func adapter(
    _ db: Database, from start: Int, _ commonTables: [SQLQuery.CommonTable], isRoot: Bool = true
  ) throws -> (adapter: any RowAdapter, end: Int)? {
    let width = try width(db, commonTables)
    var end = start + width
    var scopes: [String: any RowAdapter] = [:]
    for join in joins {
      guard let scope = try join.tree.adapter(db, from: end, commonTables, isRoot: false) else {
        continue
      }
      scopes[join.key] = scope.adapter
      end = scope.end
    }
    if scopes.isEmpty, isRoot || width == 0 { return nil }
    return (RangeRowAdapter(start..<(start + width)).addingScopes(scopes), end)
  }

  /// How many columns of the table are selected.
  fileprivate func width(_ db: Database, _ commonTables: [SQLQuery.CommonTable]) throws -> Int {
    try query.selection.reduce(0) { width, selection in
      try width + selection.width(db, of: alias, commonTables)
    }
  }
}

extension SQLSelection {
  fileprivate func width(
    _ db: Database, of alias: TableAliasBase, _ commonTables: [SQLQuery.CommonTable]
  ) throws -> Int {
    switch node {
    case .expression, .aliased: return 1
    case .qualified(let selection, let alias):
      return try selection.width(db, of: alias, commonTables)
    case .deferred(let make):
      return try make(db).reduce(0) { try $0 + $1.width(db, of: alias, commonTables) }
    case .allColumns, .allColumnsExcluding:
      return try columns(db, in: alias.tableName ?? "", commonTables).count
    case .literal:
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "Selection literals don't know how many columns they contain. "
          + "To resolve this error, select one or several expressions instead.")
    }
  }

  private func columns(
    _ db: Database, in table: String, _ commonTables: [SQLQuery.CommonTable]
  ) throws -> [String] {
    let columns: [String]
    if let common = commonTables.first(where: { $0.name.isSameName(as: table) }) {
      let writer = SQLWriter(db)
      let sql = try writer.with(commonTables) + "SELECT * FROM " + table.quotedIdentifier
      columns = try common.columns ?? db.internalStatement(sql: sql).columnNames
    } else {
      columns = try db.columns(in: table).map { $0.name }
    }
    guard case .allColumnsExcluding(let excluded) = node else { return columns }
    return columns.filter { !excluded.contains($0.nameKey) }
  }
}
