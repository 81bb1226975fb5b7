import MartletEngine

/// A SELECT statement in parts, as requests build it.
struct SQLQuery: Sendable {
  enum Source: Sendable {
    case table(String)
    case subquery(SQLSubquery)
    /// A table-valued function and its arguments.
    case function(String, [SQLExpression])
  }

  struct CommonTable: Sendable {
    let name: String
    let columns: [String]?
    let isRecursive: Bool
    let subquery: SQLSubquery
  }

  var source: Source
  var alias: TableAliasBase?
  var selection: [SQLSelection]
  var isDistinct = false
  var filters: [SQLExpression] = []
  var groups: [SQLExpression] = []
  var havings: [SQLExpression] = []
  var ordering: [SQLOrdering] = []
  /// The order, and that of all joined tables, is turned.
  var isReversed = false
  var limit: Int?
  var offset: Int?
  var commonTables: [CommonTable] = []
  /// The tables of associations.
  var children: [Child] = []
  /// Why there is no such query: said when it is written, as building it throws nothing.
  var mistake: String?

  init(table: String, selection: [SQLSelection] = [SQLSelection(.allColumns)]) {
    source = .table(table)
    self.selection = selection
  }

  init(source: Source, selection: [SQLSelection] = [SQLSelection(.allColumns)]) {
    self.source = source
    self.selection = selection
  }

  /// The table that is read; nil for a subquery.
  var tableName: String? {
    if case .table(let name) = source { return name }
    return nil
  }

  /// What the source is called without an alias; nil for a subquery.
  var sourceName: String? {
    switch source {
    case .table(let name), .function(let name, _): name
    case .subquery: nil
    }
  }

  /// The order, with that of a joined table behind it.
  mutating func removeOrdering() {
    ordering = []
    isReversed = false
    for index in children.indices { children[index].query.removeOrdering() }
  }

  var unordered: SQLQuery {
    var query = self
    query.removeOrdering()
    return query
  }

  /// Gives the table an alias. Of two aliases of one table, the second is another name of the
  /// first.
  mutating func setAlias(_ alias: TableAliasBase) {
    if let known = self.alias { return alias.join(known) }
    if let sourceName {
      if let name = alias.tableName, !name.isSameName(as: sourceName) {
        mistake = "A TableAlias must not be used to refer to multiple tables"
      }
      alias.setTableName(sourceName)
    }
    self.alias = alias
  }

  /// The same rows with another selection, and nothing of what is joined.
  func selectingOnly(_ selection: [SQLSelection]) -> SQLQuery {
    var query = self
    query.selection = selection
    query.isDistinct = false
    for index in children.indices {
      query.children[index].query = children[index].query.selectingOnly([])
    }
    return query
  }

  // MARK: Counting

  /// The query that counts the rows of this one.
  var counting: SQLQuery {
    var query = unordered
    guard groups.isEmpty, limit == nil, commonTables.isEmpty, !hasJoins, isCountable else {
      return SQLQuery(
        source: .subquery(SQLSubquery(.query(query))),
        selection: [SQLSelection(.expression(.init(.countAll)))])
    }
    var counted = SQLExpression(.countAll)
    if isDistinct, let expression = onlyExpression {
      counted = SQLExpression(.countDistinct(expression))
    }
    query.isDistinct = false
    query.selection = [SQLSelection(.expression(counted))]
    return query
  }

  /// What is selected, if that is one expression.
  private var onlyExpression: SQLExpression? {
    guard selection.count == 1 else { return nil }
    switch selection[0].node {
    case .expression(let expression), .aliased(let expression, _): return expression
    case .allColumns, .allColumnsExcluding, .literal, .qualified, .deferred: return nil
    }
  }

  /// Without groups and limits: COUNT can stand in the place of the selection.
  private var isCountable: Bool {
    if isDistinct {
      guard let expression = onlyExpression else { return false }
      if case .aggregate = expression.node { return false }
      return true
    }
    return selection.allSatisfy { selection in
      switch selection.node {
      case .expression(let expression): return !expression.hasAggregate
      // A condition may use the name.
      case .aliased(let expression, _): return self.selection.count == 1 && !expression.hasAggregate
      case .allColumns, .allColumnsExcluding: return true
      case .literal, .qualified, .deferred: return false
      }
    }
  }
}

extension SQLExpression {
  /// An aggregate makes one row of many. Literals may be one.
  var hasAggregate: Bool { hasAggregate(ifUnknown: true) }

  /// It certainly makes one row of many.
  var isAggregate: Bool { hasAggregate(ifUnknown: false) }

  private func hasAggregate(ifUnknown unknown: Bool) -> Bool {
    let test = { (expression: SQLExpression) in expression.hasAggregate(ifUnknown: unknown) }
    return switch node {
    case .aggregate, .countAll, .countDistinct: true
    case .literal, .deferred: unknown
    case .value, .inlined, .column, .qualifiedColumn, .detachedColumn, .subquery, .exists,
      .fastPrimaryKey, .rowExists, .tableMatch:
      false
    case .rowValue(let list), .associative(_, let list), .function(_, let list):
      list.contains(where: test)
    case .binary(_, let left, let right), .comparison(_, let left, let right):
      test(left) || test(right)
    case .prefix(_, let operand), .not(let operand), .collated(let operand, _),
      .cast(let operand, _), .qualified(let operand, _), .json(let operand),
      .inSubquery(let operand, _, _), .inTable(let operand, _, _), .inList(let operand, _, _),
      .isZero(let operand, _):
      test(operand)
    case .between(let value, let low, let high, _): test(value) || test(low) || test(high)
    case .like(let value, let pattern, _, _): test(value) || test(pattern)
    }
  }
}
