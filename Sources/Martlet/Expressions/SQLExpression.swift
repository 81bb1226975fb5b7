/// An expression of SQL.
///
/// Columns, operators and functions make expressions; literals of SQL make those that have no form
/// in Swift:
///
/// ```swift
/// let isHigh = Column("score") > 1_000
/// let day = SQL("DATE(\(Column("createdAt")))").sqlExpression
/// ```
public struct SQLExpression: Sendable {
  let node: Node

  init(_ node: Node) { self.node = node }

  indirect enum Node: Sendable {
    case value(DatabaseValue)
    /// A value that is part of the text and no argument: indexes on expressions match the text.
    case inlined(DatabaseValue)
    case column(String)
    /// A column of a certain table of the query.
    case qualifiedColumn(String, TableAliasBase)
    /// A column without its table's name, wherever it stands.
    case detachedColumn(String)
    case literal(SQL)
    case rowValue([SQLExpression])
    case binary(BinaryOperator, SQLExpression, SQLExpression)
    case associative(AssociativeBinaryOperator, [SQLExpression])
    case prefix(String, SQLExpression)
    case not(SQLExpression)
    case comparison(Comparison, SQLExpression, SQLExpression)
    case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
    case like(SQLExpression, SQLExpression, escape: SQLExpression?, isNegated: Bool)
    case inList(SQLExpression, [SQLExpression], isNegated: Bool)
    case inSubquery(SQLExpression, SQLSubquery, isNegated: Bool)
    case inTable(SQLExpression, String, isNegated: Bool)
    case collated(SQLExpression, Database.CollationName)
    case subquery(SQLSubquery)
    case exists(SQLSubquery, isNegated: Bool)
    case function(String, [SQLExpression])
    case aggregate(Aggregate)
    case cast(SQLExpression, Database.StorageClass)
    case countAll
    case countDistinct(SQLExpression)
    /// A number that is zero.
    case isZero(SQLExpression, isNegated: Bool)
    /// The column of the table that a row is found by the fastest.
    case fastPrimaryKey
    /// A table has a row: in an outer join, it may have none.
    case rowExists(TableAliasBase, isNegated: Bool)
    /// The full-text table that is seen from matches a pattern.
    case tableMatch(SQLExpression)
    /// An expression whose value is JSON.
    case json(SQLExpression)
    /// What the schema must be asked about.
    case deferred(@Sendable (Database) throws -> SQLExpression)
    /// Seen from a certain table: columns without a table are its columns.
    case qualified(SQLExpression, TableAliasBase)
  }

  struct BinaryOperator: Sendable {
    let sql: String

    static let less = BinaryOperator(sql: "<")
    static let lessOrEqual = BinaryOperator(sql: "<=")
    static let greater = BinaryOperator(sql: ">")
    static let greaterOrEqual = BinaryOperator(sql: ">=")
    static let subtract = BinaryOperator(sql: "-")
    static let divide = BinaryOperator(sql: "/")
    static let shiftLeft = BinaryOperator(sql: "<<")
    static let shiftRight = BinaryOperator(sql: ">>")
    static let jsonExtractJSON = BinaryOperator(sql: "->")
    static let jsonExtractSQL = BinaryOperator(sql: "->>")
    /// Full-text search.
    static let match = BinaryOperator(sql: "MATCH")
  }

  enum Comparison: Sendable {
    case equal, notEqual, identical, notIdentical

    var negated: Comparison {
      switch self {
      case .equal: .notEqual
      case .notEqual: .equal
      case .identical: .notIdentical
      case .notIdentical: .identical
      }
    }
  }

  /// A call of an aggregate function.
  struct Aggregate: Sendable {
    let name: String
    var isDistinct = false
    var arguments: [SQLExpression]
    var ordering: SQLOrdering?
    var filter: SQLExpression?
  }

  /// An operator whose operands can be a sequence of any length; see
  /// `Sequence.joined(operator:)`.
  public struct AssociativeBinaryOperator: Hashable, Sendable {
    let sql: String
    /// What the operator makes of no operands.
    let neutral: DatabaseValue
    /// `(a op b) op c` is the same as `a op (b op c)`, so it is written without parentheses.
    let isStrict: Bool

    /// The sum.
    public static let add = AssociativeBinaryOperator(
      sql: "+", neutral: 0.databaseValue, isStrict: false)
    /// The product.
    public static let multiply = AssociativeBinaryOperator(
      sql: "*", neutral: 1.databaseValue, isStrict: false)
    /// All are true.
    public static let and = AssociativeBinaryOperator(
      sql: "AND", neutral: true.databaseValue, isStrict: true)
    /// One is true.
    public static let or = AssociativeBinaryOperator(
      sql: "OR", neutral: false.databaseValue, isStrict: true)
    /// The texts in one.
    public static let concat = AssociativeBinaryOperator(
      sql: "||", neutral: "".databaseValue, isStrict: true)
    /// The bits that all have.
    public static let bitwiseAnd = AssociativeBinaryOperator(
      sql: "&", neutral: (-1).databaseValue, isStrict: true)
    /// The bits that one has.
    public static let bitwiseOr = AssociativeBinaryOperator(
      sql: "|", neutral: 0.databaseValue, isStrict: true)
  }
}

extension SQLExpression: SQLSpecificExpressible {
  /// Itself.
  public var sqlExpression: SQLExpression { self }
}

extension SQLExpression {
  static let null = SQLExpression(.value(.null))

  /// The expression is the literal NULL.
  var isNull: Bool {
    if case .value(.null) = node { return true }
    return false
  }

  /// Operands joined by an operator; operands of the same operator are spread out.
  static func joined(
    _ op: AssociativeBinaryOperator, _ operands: [SQLExpression]
  ) -> SQLExpression {
    let operands = operands.flatMap { operand -> [SQLExpression] in
      guard op.isStrict else { return [operand] }
      switch operand.node {
      case .associative(op, let nested): return nested
      case .qualified(let expression, let alias):
        guard case .associative(op, let nested) = expression.node else { return [operand] }
        return nested.map { SQLExpression(.qualified($0, alias)) }
      default: return [operand]
      }
    }
    switch operands.count {
    case 0: return SQLExpression(.value(op.neutral))
    case 1: return operands[0]
    default: return SQLExpression(.associative(op, operands))
    }
  }

  /// An operator upon operands, one of which may have a collation: it is written last, where SQLite
  /// applies it to the comparison.
  static func collating(
    _ operands: [SQLExpression], _ make: ([SQLExpression]) -> SQLExpression
  ) -> SQLExpression {
    for index in operands.indices {
      guard case .collated(let operand, let name) = operands[index].node else { continue }
      var plain = operands
      plain[index] = operand
      return SQLExpression(.collated(make(plain), name))
    }
    return make(operands)
  }

  static func compare(
    _ comparison: Comparison, _ left: SQLExpression, _ right: SQLExpression
  ) -> SQLExpression {
    collating([left, right]) { SQLExpression(.comparison(comparison, $0[0], $0[1])) }
  }

  static func binary(
    _ op: BinaryOperator, _ left: SQLExpression, _ right: SQLExpression
  ) -> SQLExpression {
    collating([left, right]) { SQLExpression(.binary(op, $0[0], $0[1])) }
  }

  /// The expression, compared by a collation. Membership compares what is looked for: a collation
  /// behind IN would be that of the answer, as one behind AND and OR would.
  func collated(by name: Database.CollationName) -> SQLExpression {
    func collated(_ value: SQLExpression) -> SQLExpression {
      if case .collated = value.node { return value }
      return SQLExpression(.collated(value, name))
    }
    switch node {
    case .inList(let value, let list, let isNegated):
      return SQLExpression(.inList(collated(value), list, isNegated: isNegated))
    case .inSubquery(let value, let subquery, let isNegated):
      return SQLExpression(.inSubquery(collated(value), subquery, isNegated: isNegated))
    case .inTable(let value, let table, let isNegated):
      return SQLExpression(.inTable(collated(value), table, isNegated: isNegated))
    case .associative(let op, let operands) where op == .and || op == .or:
      return SQLExpression(.associative(op, operands.map { $0.collated(by: name) }))
    case .qualified(let expression, let alias):
      return SQLExpression(.qualified(expression.collated(by: name), alias))
    default: return SQLExpression(.collated(self, name))
    }
  }

  /// The opposite, written as SQL has words for it.
  var negated: SQLExpression {
    switch node {
    case .comparison(let comparison, let left, let right):
      SQLExpression(.comparison(comparison.negated, left, right))
    case .between(let value, let low, let high, let isNegated):
      SQLExpression(.between(value, low, high, isNegated: !isNegated))
    case .like(let value, let pattern, let escape, let isNegated):
      SQLExpression(.like(value, pattern, escape: escape, isNegated: !isNegated))
    case .inList(let value, let list, let isNegated):
      SQLExpression(.inList(value, list, isNegated: !isNegated))
    case .inSubquery(let value, let subquery, let isNegated):
      SQLExpression(.inSubquery(value, subquery, isNegated: !isNegated))
    case .inTable(let value, let table, let isNegated):
      SQLExpression(.inTable(value, table, isNegated: !isNegated))
    case .exists(let subquery, let isNegated):
      SQLExpression(.exists(subquery, isNegated: !isNegated))
    case .isZero(let number, let isNegated):
      SQLExpression(.isZero(number, isNegated: !isNegated))
    case .rowExists(let alias, let isNegated):
      SQLExpression(.rowExists(alias, isNegated: !isNegated))
    case .qualified(let expression, let alias):
      SQLExpression(.qualified(expression.negated, alias))
    case .collated(let expression, let name):
      SQLExpression(.collated(expression.negated, name))
    case .value(let value) where Bool.fromDatabaseValue(value) != nil:
      SQLExpression(.value((!(Bool.fromDatabaseValue(value) ?? false)).databaseValue))
    default:
      SQLExpression(.not(self))
    }
  }

  /// Membership in a list of values.
  static func contained(_ value: SQLExpression, in list: [SQLExpression]) -> SQLExpression {
    switch list.count {
    case 0: return SQLExpression(.value(false.databaseValue))
    case 1: return compare(.equal, value, list[0])
    default: return SQLExpression(.inList(value, list, isNegated: false))
    }
  }

  /// The expression is written without parentheses as an operand.
  var isSimple: Bool {
    switch node {
    case .value, .inlined, .column, .qualifiedColumn, .detachedColumn, .rowValue, .subquery,
      .function, .aggregate, .cast, .countAll, .countDistinct, .fastPrimaryKey:
      true
    case .qualified(let expression, _), .json(let expression): expression.isSimple
    default: false
    }
  }
}

extension Sequence where Element: SQLSpecificExpressible {
  /// The expressions joined by an operator.
  public func joined(
    operator: SQLExpression.AssociativeBinaryOperator
  ) -> SQLExpression {
    .joined(`operator`, map { $0.sqlExpression })
  }
}

extension Sequence where Element == any SQLSpecificExpressible {
  /// The expressions joined by an operator.
  public func joined(
    operator: SQLExpression.AssociativeBinaryOperator
  ) -> SQLExpression {
    .joined(`operator`, map { $0.sqlExpression })
  }
}
