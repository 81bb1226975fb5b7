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
  var limit: Int?
  var offset: Int?
  var commonTables: [CommonTable] = []

  init(table: String, selection: [SQLSelection] = [SQLSelection(.allColumns)]) {
    source = .table(table)
    self.selection = selection
  }

  /// The table that is read; nil for a subquery.
  var tableName: String? {
    if case .table(let name) = source { return name }
    return nil
  }

  /// The order turned; without an order there is nothing to turn.
  var reversed: SQLQuery {
    var query = self
    query.ordering = ordering.map { $0.reversed }
    return query
  }

  /// The query that counts the rows of this one.
  var counting: SQLQuery {
    var query = self
    query.ordering = []
    let needsSubquery = !groups.isEmpty || limit != nil || !isCountable
    if needsSubquery {
      if limit != nil { query.ordering = ordering }
      query.commonTables = []
      var outer = SQLQuery(table: "", selection: [SQLSelection(.expression(.init(.countAll)))])
      outer.source = .subquery(SQLSubquery(.query(query)))
      outer.commonTables = commonTables
      return outer
    }
    var counted = SQLExpression(.countAll)
    if isDistinct, case .expression(let expression) = selection[0].node {
      counted = SQLExpression(.countDistinct(expression))
    }
    query.isDistinct = false
    query.selection = [SQLSelection(.expression(counted))]
    return query
  }

  /// Without groups and limits: COUNT can stand in the place of the selection.
  private var isCountable: Bool {
    if isDistinct {
      guard selection.count == 1, case .expression(let expression) = selection[0].node else {
        return false
      }
      if case .aggregate = expression.node { return false }
      return true
    }
    return selection.allSatisfy { selection in
      switch selection.node {
      case .expression(let expression), .aliased(let expression, _):
        return !expression.hasAggregate
      case .allColumns, .allColumnsExcluding: return true
      case .literal, .qualified, .deferred: return false
      }
    }
  }
}

extension SQLExpression {
  /// An aggregate makes one row of many.
  var hasAggregate: Bool {
    switch node {
    case .aggregate, .countAll, .countDistinct, .literal, .deferred: true
    case .value, .inlined, .column, .qualifiedColumn, .detachedColumn, .subquery, .exists: false
    case .rowValue(let list), .associative(_, let list), .function(_, let list):
      list.contains { $0.hasAggregate }
    case .binary(_, let left, let right), .comparison(_, let left, let right):
      left.hasAggregate || right.hasAggregate
    case .prefix(_, let operand), .not(let operand), .collated(let operand, _),
      .cast(let operand, _), .qualified(let operand, _), .json(let operand), .inSubquery(let operand, _, _),
      .inTable(let operand, _, _), .inList(let operand, _, _):
      operand.hasAggregate
    case .between(let value, let low, let high, _):
      value.hasAggregate || low.hasAggregate || high.hasAggregate
    case .like(let value, let pattern, _, _): value.hasAggregate || pattern.hasAggregate
    }
  }
}
