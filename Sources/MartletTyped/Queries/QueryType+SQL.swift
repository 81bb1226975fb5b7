// The SQL of queries.

extension Array where Element == Expression<Void> {
  fileprivate var spaced: Expression<Void> { " ".join(self) }
}

extension String {
  /// A keyword and what follows it.
  func keyword(_ expression: any Expressible) -> Expression<Void> {
    let expression = expression.expression
    return Expression("\(self) \(expression.template)", expression.bindings)
  }
}

extension QueryType {
  /// The SELECT.
  public var expression: Expression<Void> {
    ([withClause, selectClause, joinClause, whereClause, groupClause, unionClause, orderClause]
      + [limitClause])
      .compactMap { $0 }.spaced
  }

  private var selectClause: Expression<Void> {
    let columns = ", ".join(clauses.columns), from = tableNameWithAlias()
    return Expression(
      "SELECT \(clauses.isDistinct ? "DISTINCT " : "")\(columns.template) FROM \(from.template)",
      columns.bindings + from.bindings)
  }

  private var joinClause: Expression<Void>? {
    if clauses.joins.isEmpty { return nil }
    return clauses.joins.map { join in
      let source = join.query.source
      return Expression<Void>(
        "\(join.type.rawValue) JOIN \(source.template) ON \(join.condition.template)",
        source.bindings + join.condition.bindings)
    }.spaced
  }

  /// What stands for the query behind JOIN.
  private var source: Expression<Void> {
    if clauses.isPlain { return tableNameWithAlias() }
    let query = with { $0.from.alias = nil }.expression
    let name = Expression<Void>(clauses.from.alias ?? clauses.from.name)
    return Expression("(\(query.template)) AS \(name.template)", query.bindings)
  }

  var whereClause: Expression<Void>? { clauses.filter.map { "WHERE".keyword($0) } }

  private var groupClause: Expression<Void>? {
    guard let group = clauses.group else { return nil }
    let columns = "GROUP BY".keyword(", ".join(group.columns))
    guard let having = group.having else { return columns }
    return [columns, "HAVING".keyword(having)].spaced
  }

  private var unionClause: Expression<Void>? {
    if clauses.unions.isEmpty { return nil }
    return clauses.unions.map {
      ($0.isAll ? "UNION ALL" : "UNION").keyword($0.query)
    }.spaced
  }

  var orderClause: Expression<Void>? {
    clauses.order.isEmpty ? nil : "ORDER BY".keyword(", ".join(clauses.order))
  }

  var limitClause: Expression<Void>? {
    guard let limit = clauses.limit else { return nil }
    let text = "LIMIT \(limit.length)" + (limit.offset.map { " OFFSET \($0)" } ?? "")
    return Expression(literal: text)
  }

  var withClause: Expression<Void>? {
    if clauses.commonTables.isEmpty { return nil }
    let tables = clauses.commonTables.map { table in
      let name = Expression<Void>(table.alias.alias ?? table.alias.name)
      let columns = table.columns.isEmpty ? nil : ", ".join(table.columns)
      let query = table.query.expression
      let head = name.template + (columns.map { " (\($0.template))" } ?? "")
      let hint = table.hint.map { "\($0.rawValue) " } ?? ""
      return Expression<Void>(
        "\(head) AS \(hint)(\(query.template))", (columns?.bindings ?? []) + query.bindings)
    }
    return (clauses.isRecursive ? "WITH RECURSIVE" : "WITH").keyword(", ".join(tables))
  }

  /// Whether the query has rows.
  public var exists: Select<Bool> {
    let query = expression
    return Select("SELECT EXISTS (\(query.template))", query.bindings)
  }
}
