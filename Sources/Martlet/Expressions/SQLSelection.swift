import MartletEngine

/// What stands between SELECT and FROM: columns, expressions, or all columns.
public struct SQLSelection: Sendable {
  let node: Node

  init(_ node: Node) { self.node = node }

  indirect enum Node: Sendable {
    case allColumns
    case allColumnsExcluding(Set<ExactText>)
    case expression(SQLExpression)
    case aliased(SQLExpression, String)
    case literal(SQL)
    case qualified(SQLSelection, TableAliasBase)
    case deferred(@Sendable (Database) throws -> [SQLSelection])
  }
}

extension SQLSelection: SQLSelectable {
  /// Itself.
  public var sqlSelection: SQLSelection { self }
}

/// All columns of a table.
public struct AllColumns: SQLSelectable, Sendable {
  /// Makes the selection.
  public init() {}

  /// `*`
  public var sqlSelection: SQLSelection { SQLSelection(.allColumns) }
}

extension SQLSelectable where Self == AllColumns {
  /// All columns of a table.
  public static var allColumns: AllColumns { AllColumns() }
}

/// All columns of a table but some.
public struct AllColumnsExcluding: SQLSelectable, Sendable {
  private let names: Set<ExactText>

  /// Makes the selection from the names of the columns that are left out.
  public init(_ excludedColumns: some Collection<String>) {
    names = Set(excludedColumns.map { $0.nameKey })
  }

  /// The names of the columns that are left, which the schema is asked for.
  public var sqlSelection: SQLSelection { SQLSelection(.allColumnsExcluding(names)) }
}

extension SQLSelectable where Self == AllColumnsExcluding {
  /// All columns of a table but some.
  public static func allColumns(excluding excludedColumns: some Collection<String>) -> Self {
    AllColumnsExcluding(excludedColumns)
  }

  /// All columns of a table but some.
  public static func allColumns(
    excluding excludedColumns: some Collection<any ColumnExpression>
  ) -> Self {
    AllColumnsExcluding(excludedColumns.map { $0.name })
  }
}

/// What stands in ORDER BY.
public struct SQLOrdering: Sendable {
  let node: Node

  init(_ node: Node) { self.node = node }

  indirect enum Node: Sendable {
    /// Ascending by itself.
    case expression(SQLExpression)
    case directed(SQLExpression, Direction)
    case literal(SQL)
    case qualified(SQLOrdering, TableAliasBase)
    case deferred(@Sendable (Database) throws -> [SQLOrdering])
  }

  enum Direction: String, Sendable {
    case ascending = "ASC"
    case descending = "DESC"
    case ascendingNullsLast = "ASC NULLS LAST"
    case descendingNullsFirst = "DESC NULLS FIRST"

    var reversed: Direction {
      switch self {
      case .ascending: .descending
      case .descending: .ascending
      case .ascendingNullsLast: .descendingNullsFirst
      case .descendingNullsFirst: .ascendingNullsLast
      }
    }
  }

  /// The opposite order. Of a literal, the order of the whole text's last expression is turned.
  var reversed: SQLOrdering {
    switch node {
    case .expression(let expression): SQLOrdering(.directed(expression, .descending))
    case .directed(let expression, let direction):
      SQLOrdering(.directed(expression, direction.reversed))
    case .literal(let sql):
      SQLOrdering(.literal(sql + " DESC"))
    case .qualified(let ordering, let alias): SQLOrdering(.qualified(ordering.reversed, alias))
    case .deferred(let make): SQLOrdering(.deferred { try make($0).map { $0.reversed } })
    }
  }
}

extension SQLOrdering: SQLOrderingTerm {
  /// Itself.
  public var sqlOrdering: SQLOrdering { self }
}

extension SQLSpecificExpressible {
  /// Ascending.
  public var asc: SQLOrdering { SQLOrdering(.directed(sqlExpression, .ascending)) }

  /// Descending.
  public var desc: SQLOrdering { SQLOrdering(.directed(sqlExpression, .descending)) }

  /// Ascending, with NULL behind all values.
  public var ascNullsLast: SQLOrdering {
    SQLOrdering(.directed(sqlExpression, .ascendingNullsLast))
  }

  /// Descending, with NULL before all values.
  public var descNullsFirst: SQLOrdering {
    SQLOrdering(.directed(sqlExpression, .descendingNullsFirst))
  }

  /// The expression under a name of its own.
  public func forKey(_ key: String) -> SQLSelection {
    SQLSelection(.aliased(sqlExpression, key))
  }

  /// The expression under a name of its own.
  public func forKey(_ key: some CodingKey) -> SQLSelection { forKey(key.stringValue) }

  /// The expression, compared by a collation.
  public func collating(_ collation: Database.CollationName) -> SQLExpression {
    sqlExpression.collated(by: collation)
  }

  /// The expression, compared by a collation.
  public func collating(_ collation: DatabaseCollation) -> SQLExpression {
    collating(Database.CollationName(collation.name))
  }
}
