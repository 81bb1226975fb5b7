/// The old name of `SQL`.
public typealias SQLLiteral = SQL

/// SQL with values and other pieces of a program in it.
///
/// It looks like a string literal, but what is interpolated becomes arguments of the statement,
/// names in quotes, or subqueries. It cannot be made from a `String` variable by accident: that
/// keeps injected SQL out.
///
/// ```swift
/// let query: SQL = "UPDATE player SET name = \(name) WHERE id = \(id)"
/// try db.execute(literal: query)
/// ```
public struct SQL: Sendable {
  enum Element: Sendable {
    case sql(String, StatementArguments)
    case expression(SQLExpression)
    case selection(SQLSelection)
    case ordering(SQLOrdering)
    case subquery(SQLSubquery)
    /// A query that gets parentheses where it needs them.
    case interpolatedQuery(SQLSubquery)
  }

  var elements: [Element]

  init(elements: [Element]) { self.elements = elements }

  /// Plain SQL with its arguments.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    elements = sql.isEmpty && arguments.isEmpty ? [] : [.sql(sql, arguments)]
  }

  /// An expression.
  public init(_ expression: some SQLSpecificExpressible) {
    elements = [.expression(expression.sqlExpression)]
  }

  /// There is nothing in it.
  public var isEmpty: Bool {
    elements.allSatisfy {
      if case .sql(let sql, _) = $0 { return sql.isEmpty }
      return false
    }
  }

  /// The SQL text and its arguments.
  public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    try build(asking: db)
  }

  func build(asking db: Database?) throws -> (sql: String, arguments: StatementArguments) {
    if elements.count == 1, case .sql(let sql, let arguments) = elements[0] {
      return (sql, arguments)
    }
    let writer = SQLWriter(db)
    return (try writer.sql(self), writer.arguments)
  }

  private func buildWithoutSchema() -> (sql: String, arguments: StatementArguments) {
    do {
      return try build(asking: nil)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The SQL text. A literal that depends on the schema stops the program: use `build(_:)`.
  public var sql: String { buildWithoutSchema().sql }

  /// The values. A literal that depends on the schema stops the program: use `build(_:)`.
  public var arguments: StatementArguments { buildWithoutSchema().arguments }
}

extension SQL {
  /// Both, one after the other.
  public static func + (left: SQL, right: SQL) -> SQL {
    SQL(elements: left.elements + right.elements)
  }

  /// Adds a literal.
  public static func += (left: inout SQL, right: SQL) { left.elements += right.elements }

  /// Adds a literal.
  public mutating func append(literal sqlLiteral: SQL) { self += sqlLiteral }

  /// Adds plain SQL with its arguments.
  public mutating func append(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) {
    self += SQL(sql: sql, arguments: arguments)
  }
}

extension SQL: SQLSpecificExpressible {
  /// The literal as an expression.
  public var sqlExpression: SQLExpression { SQLExpression(.literal(self)) }

  /// The literal as a selection.
  public var sqlSelection: SQLSelection { SQLSelection(.literal(self)) }

  /// The literal as an ordering.
  public var sqlOrdering: SQLOrdering { SQLOrdering(.literal(self)) }
}

extension Sequence where Element == SQL {
  /// The literals in one, with a separator between them.
  public func joined(separator: String = "") -> SQL {
    var result = SQL(elements: [])
    for (index, literal) in enumerated() {
      if index > 0 && !separator.isEmpty { result.append(sql: separator) }
      result += literal
    }
    return result
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Plain SQL.
  public init(stringLiteral: String) { self.init(sql: stringLiteral) }

  /// SQL with pieces.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    elements = sqlInterpolation.elements
  }
}
