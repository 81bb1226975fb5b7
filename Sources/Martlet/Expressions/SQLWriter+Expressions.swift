// Expressions as SQL. Operands stand in parentheses unless they need none.

extension SQLWriter {
  /// An operand.
  func operand(_ expression: SQLExpression) throws -> String {
    expression.isSimple ? try sql(expression) : "(" + (try sql(expression)) + ")"
  }

  private func list(_ expressions: [SQLExpression]) throws -> String {
    try expressions.map { try sql($0) }.joined(separator: ", ")
  }

  func sql(_ expression: SQLExpression) throws -> String {
    switch expression.node {
    case .value(let value): return bind(value)
    case .inlined(let value): return value.sqlLiteral
    case .column(let name): return column(name)
    case .qualifiedColumn(let name, let alias): return column(name, of: alias)
    case .detachedColumn(let name): return name.quotedIdentifier
    case .literal(let literal): return try sql(literal)
    case .rowValue(let list):
      return list.count == 1 ? try operand(list[0]) : "(" + (try self.list(list)) + ")"
    case .binary(let op, let left, let right):
      let left = try operand(left)
      return try "\(left) \(op.sql) \(operand(right))"
    case .associative(let op, let operands):
      return try operands.map { try operand($0) }.joined(separator: " \(op.sql) ")
    case .prefix(let op, let value): return try op + operand(value)
    case .not(let value): return try "NOT " + operand(value)
    case .comparison(let comparison, let left, let right):
      return try compare(comparison, left, right)
    case .between, .like, .inList, .inSubquery, .inTable, .exists: return try predicate(expression)
    case .collated(let value, let name): return try "\(collatable(value)) COLLATE \(name.rawValue)"
    case .subquery(let subquery): return try "(" + sql(subquery) + ")"
    case .function(let name, let arguments): return try "\(name)(\(list(arguments)))"
    case .aggregate(let aggregate): return try call(aggregate)
    case .cast(let value, let type): return try "CAST(\(sql(value)) AS \(type.rawValue))"
    case .countAll: return "COUNT(*)"
    case .countDistinct(let value): return try "COUNT(DISTINCT \(sql(value)))"
    case .isZero(let number, let isNegated):
      return try operand(number) + (isNegated ? " > 0" : " = 0")
    case .fastPrimaryKey: return column(try fastPrimaryKey())
    case .rowExists(let alias, let isNegated): return try rowExists(alias, isNegated)
    case .tableMatch(let pattern): return try matchedColumn() + " MATCH " + operand(pattern)
    case .json(let value): return try sql(value)
    case .deferred(let make): return try sql(make(schema()))
    case .qualified(let value, let alias): return try seen(from: alias) { try sql(value) }
    }
  }

  /// COLLATE binds closer than comparisons, and is the collation of the last operand, and so of the
  /// comparison.
  private func collatable(_ expression: SQLExpression) throws -> String {
    switch expression.node {
    case .comparison, .between, .binary, .like: try sql(expression)
    default: try operand(expression)
    }
  }

  private func compare(
    _ comparison: SQLExpression.Comparison, _ left: SQLExpression, _ right: SQLExpression
  ) throws -> String {
    let isNegative = comparison == .notEqual || comparison == .notIdentical
    if right.isNull || left.isNull {
      return try operand(right.isNull ? left : right) + (isNegative ? " IS NOT NULL" : " IS NULL")
    }
    let left = try operand(left)
    let word: String =
      switch comparison {
      case .equal: "="
      case .notEqual: "<>"
      case .identical: "IS"
      case .notIdentical: "IS NOT"
      }
    return try "\(left) \(word) \(operand(right))"
  }

  private func predicate(_ expression: SQLExpression) throws -> String {
    switch expression.node {
    case .between(let value, let low, let high, let isNegated):
      let value = try operand(value)
      let low = try operand(low)
      return try "\(value) \(isNegated ? "NOT " : "")BETWEEN \(low) AND \(operand(high))"
    case .like(let value, let pattern, let escape, let isNegated):
      let value = try operand(value)
      var text = try "\(value) \(isNegated ? "NOT " : "")LIKE \(operand(pattern))"
      if let escape { text += try " ESCAPE \(operand(escape))" }
      return text
    case .inList(let value, let list, let isNegated):
      let value = try operand(value)
      return try "\(value) \(isNegated ? "NOT " : "")IN (\(self.list(list)))"
    case .inSubquery(let value, let subquery, let isNegated):
      let value = try operand(value)
      return try "\(value) \(isNegated ? "NOT " : "")IN (\(sql(subquery)))"
    case .inTable(let value, let table, let isNegated):
      return try "\(operand(value)) \(isNegated ? "NOT " : "")IN \(table.quotedIdentifier)"
    case .exists(let subquery, let isNegated):
      return try "\(isNegated ? "NOT " : "")EXISTS (\(sql(subquery)))"
    default: return try sql(expression)
    }
  }

  /// A row that is missing in an outer join has NULL in its key, and a view's in all columns.
  private func rowExists(_ alias: TableAliasBase, _ isNegated: Bool) throws -> String {
    let columns = try schema().columnsOfExistence(in: alias.tableName ?? "")
    let tests = columns.map {
      SQLExpression(.comparison(isNegated ? .equal : .notEqual, alias[$0], .null))
    }
    return try sql(.joined(isNegated ? .and : .or, tests))
  }

  private func call(_ aggregate: SQLExpression.Aggregate) throws -> String {
    var text = aggregate.name + "("
    if aggregate.isDistinct { text += "DISTINCT " }
    text += try list(aggregate.arguments)
    if let ordering = aggregate.ordering { text += try " ORDER BY " + sql(ordering) }
    text += ")"
    if let filter = aggregate.filter { text += try " FILTER (WHERE \(sql(filter)))" }
    return text
  }
}
