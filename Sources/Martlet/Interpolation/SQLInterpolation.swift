/// What can stand between `\(` and `)` in a literal of SQL.
public struct SQLInterpolation: StringInterpolationProtocol {
  var elements: [SQL.Element] = []

  /// Starts a literal.
  public init(literalCapacity: Int, interpolationCount: Int) {
    elements.reserveCapacity(interpolationCount * 2 + 1)
  }

  private mutating func append(sql: String) {
    if !sql.isEmpty { elements.append(.sql(sql, StatementArguments())) }
  }

  /// Plain SQL between the pieces.
  public mutating func appendLiteral(_ sql: String) { append(sql: sql) }

  // MARK: SQL

  /// Plain SQL with its arguments: `\(sql: "DISTINCT")`. Never give it text from outside.
  public mutating func appendInterpolation(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    elements.append(.sql(sql, arguments))
  }

  /// Another literal.
  public mutating func appendInterpolation(literal sqlLiteral: SQL) {
    elements += sqlLiteral.elements
  }

  /// Another literal.
  public mutating func appendInterpolation(_ sqlLiteral: SQL) { elements += sqlLiteral.elements }

  // MARK: Values and expressions

  /// A string, as a value.
  public mutating func appendInterpolation<S: StringProtocol>(_ string: S) {
    elements.append(.expression(String(string).sqlExpression))
  }

  /// A value or an expression; nil is NULL.
  public mutating func appendInterpolation(_ expressible: (any SQLExpressible)?) {
    elements.append(.expression(expressible?.sqlExpression ?? .null))
  }

  /// An expression.
  public mutating func appendInterpolation(
    _ expressible: some SQLExpressible & SQLSelectable & SQLOrderingTerm
  ) {
    elements.append(.expression(expressible.sqlExpression))
  }

  /// What stands between SELECT and FROM.
  public mutating func appendInterpolation(_ selection: some SQLSelectable) {
    elements.append(.selection(selection.sqlSelection))
  }

  /// What stands between SELECT and FROM; nil is NULL.
  public mutating func appendInterpolation(_ selection: (any SQLSelectable)?) {
    elements.append(selection.map { .selection($0.sqlSelection) } ?? .expression(.null))
  }

  /// What stands in ORDER BY.
  public mutating func appendInterpolation(_ orderingTerm: some SQLOrderingTerm) {
    elements.append(.ordering(orderingTerm.sqlOrdering))
  }

  /// What stands in ORDER BY. Queries and columns, which could stand there too, are more.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ orderingTerm: any SQLOrderingTerm) {
    elements.append(.ordering(orderingTerm.sqlOrdering))
  }

  /// A query, in parentheses where SQL wants some: as the operand of an operator and as a table,
  /// but not behind `UNION`, and not between parentheses that are there already.
  public mutating func appendInterpolation(
    _ subquery: some SQLSubqueryable & SQLExpressible & SQLSelectable & SQLOrderingTerm
  ) {
    elements.append(.interpolatedQuery(subquery.sqlSubquery))
  }

  // MARK: Lists

  private mutating func append(list expressions: [SQLExpression]) {
    guard !expressions.isEmpty else {
      // No value is in it, and none is not in it.
      return append(sql: "(SELECT NULL WHERE NULL)")
    }
    append(sql: "(")
    for (index, expression) in expressions.enumerated() {
      if index > 0 { append(sql: ",") }
      elements.append(.expression(expression))
    }
    append(sql: ")")
  }

  /// A list of values for IN; an empty one works too.
  public mutating func appendInterpolation(_ sequence: some Sequence<some SQLExpressible>) {
    append(list: sequence.map { $0.sqlExpression })
  }

  /// A list of values for IN; an empty one works too.
  public mutating func appendInterpolation(_ sequence: some Sequence<any SQLExpressible>) {
    append(list: sequence.map { $0.sqlExpression })
  }

  /// A value that is a sequence too, such as `Data`: the value.
  public mutating func appendInterpolation<S>(
    _ expressible: S
  ) where S: SQLExpressible, S: Sequence, S.Element: SQLExpressible {
    elements.append(.expression(expressible.sqlExpression))
  }

  // MARK: Names

  /// A name in quotes.
  public mutating func appendInterpolation(identifier: String) {
    append(sql: identifier.quotedIdentifier)
  }

  /// The column of a coding key.
  public mutating func appendInterpolation(_ key: some CodingKey) {
    elements.append(.expression(Column(key.stringValue).sqlExpression))
  }

  /// The column of a coding key that is a column too.
  public mutating func appendInterpolation(_ key: some CodingKey & ColumnExpression) {
    elements.append(.expression(key.sqlExpression))
  }

  /// The column of a coding key that is a column too.
  public mutating func appendInterpolation(
    _ key: some CodingKey & SQLExpressible & SQLSelectable & SQLOrderingTerm
  ) {
    elements.append(.expression(Column(key.stringValue).sqlExpression))
  }

  /// The column of a coding key.
  @_disfavoredOverload
  public mutating func appendInterpolation(_ key: any CodingKey) {
    elements.append(.expression(Column(key.stringValue).sqlExpression))
  }

  /// The name of a collation.
  public mutating func appendInterpolation(_ collation: DatabaseCollation) {
    append(sql: collation.name)
  }

  /// The name of a collation.
  public mutating func appendInterpolation(_ collation: Database.CollationName) {
    append(sql: collation.rawValue)
  }
}
