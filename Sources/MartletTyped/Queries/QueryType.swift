import MartletEngine

/// A SELECT, and what other statements are made of: a table with clauses.
public protocol QueryType: Expressible, Sendable {
  /// What the query consists of.
  var clauses: QueryClauses { get set }

  /// A query of a table.
  init(_ name: String, database: String?)
}

/// A table, a view or a virtual table.
public protocol SchemaType: QueryType {
  /// `TABLE`, `VIEW`.
  static var identifier: String { get }
}

extension QueryType {
  func with(_ change: (inout QueryClauses) -> Void) -> Self {
    var query = self
    change(&query.clauses)
    return query
  }
}

// MARK: - Selecting

extension SchemaType {
  /// Selects columns.
  public func select(_ column1: any Expressible, _ more: any Expressible...) -> Self {
    selecting([column1] + more, distinct: false)
  }

  /// Selects columns, and equal rows once.
  public func select(
    distinct column1: any Expressible, _ more: any Expressible...
  ) -> Self {
    selecting([column1] + more, distinct: true)
  }

  /// Selects columns.
  public func select(_ all: [any Expressible]) -> Self { selecting(all, distinct: false) }

  /// Selects columns, and equal rows once.
  public func select(distinct columns: [any Expressible]) -> Self {
    selecting(columns, distinct: true)
  }

  /// Selects all columns.
  public func select(_ star: Star) -> Self { select([star(nil, nil)]) }

  /// Selects all columns, and equal rows once.
  public func select(distinct star: Star) -> Self { select(distinct: [star(nil, nil)]) }

  /// Selects one column: the query gives values.
  public func select<V: Value>(_ column: Expression<V>) -> ScalarQuery<V> {
    scalar([column], distinct: false)
  }

  /// Selects one column: the query gives values.
  public func select<V: Value>(_ column: Expression<V?>) -> ScalarQuery<V?> {
    scalar([column], distinct: false)
  }

  /// Selects one column, and equal values once.
  public func select<V: Value>(distinct column: Expression<V>) -> ScalarQuery<V> {
    scalar([column], distinct: true)
  }

  /// Selects one column, and equal values once.
  public func select<V: Value>(distinct column: Expression<V?>) -> ScalarQuery<V?> {
    scalar([column], distinct: true)
  }

  /// `count(*)` of the query.
  public var count: ScalarQuery<Int> { select(MartletTyped.count(*)) }
}

extension QueryType {
  func selecting(_ columns: [any Expressible], distinct: Bool) -> Self {
    with {
      $0.isDistinct = distinct
      // No column at all is no SELECT.
      $0.columns = columns.isEmpty ? [Expression(literal: "*")] : columns.map(\.expression)
    }
  }

  func scalar<V>(_ columns: [any Expressible], distinct: Bool) -> ScalarQuery<V> {
    var query = ScalarQuery<V>(clauses.from.name, database: clauses.from.database)
    query.clauses = clauses
    return query.selecting(columns, distinct: distinct)
  }
}

// MARK: - Clauses

extension QueryType {
  /// The rows of this query, and those of another one.
  ///
  /// - Parameter all: Equal rows are given as often as they come.
  public func union(all: Bool = false, _ table: any QueryType) -> Self {
    with { $0.unions.append(QueryClauses.Union(isAll: all, query: table)) }
  }

  /// Joins a table, or a query, for which the condition is true.
  public func join(_ table: any QueryType, on condition: Expression<Bool>) -> Self {
    join(.inner, table, on: condition)
  }

  /// Joins a table, or a query, for which the condition is true.
  public func join(_ table: any QueryType, on condition: Expression<Bool?>) -> Self {
    join(.inner, table, on: condition)
  }

  /// Joins a table, or a query, for which the condition is true.
  public func join(
    _ type: JoinType, _ table: any QueryType, on condition: Expression<Bool>
  ) -> Self {
    join(type, table, on: Expression<Bool?>(condition))
  }

  /// Joins a table, or a query, for which the condition is true.
  public func join(
    _ type: JoinType, _ table: any QueryType, on condition: Expression<Bool?>
  ) -> Self {
    var whole = condition
    if table.clauses.isPlain, let filter = table.clauses.filter { whole = condition && filter }
    return with {
      $0.joins.append(
        QueryClauses.Join(type: type, query: table, condition: whole.expression))
    }
  }

  /// Only rows for which the condition is true, besides those before.
  public func filter(_ predicate: Expression<Bool>) -> Self {
    filter(Expression<Bool?>(predicate))
  }

  /// Only rows for which the condition is true, besides those before.
  public func filter(_ predicate: Expression<Bool?>) -> Self {
    with { $0.filter = $0.filter.map { $0 && predicate } ?? predicate }
  }

  /// Only rows for which the condition is true, besides those before.
  public func `where`(_ predicate: Expression<Bool>) -> Self { filter(predicate) }

  /// Only rows for which the condition is true, besides those before.
  public func `where`(_ predicate: Expression<Bool?>) -> Self { filter(predicate) }

  /// One row for all that are equal in the expressions.
  public func group(_ by: any Expressible...) -> Self { group(by) }

  /// One row for all that are equal in the expressions.
  public func group(_ by: [any Expressible]) -> Self { group(by, nil) }

  /// One row for all that are equal in the expression, where the condition is true.
  public func group(_ by: any Expressible, having: Expression<Bool>) -> Self {
    group([by], having: having)
  }

  /// One row for all that are equal in the expression, where the condition is true.
  public func group(_ by: any Expressible, having: Expression<Bool?>) -> Self {
    group([by], having: having)
  }

  /// One row for all that are equal in the expressions, where the condition is true.
  public func group(_ by: [any Expressible], having: Expression<Bool>) -> Self {
    group(by, having.expression)
  }

  /// One row for all that are equal in the expressions, where the condition is true.
  public func group(_ by: [any Expressible], having: Expression<Bool?>) -> Self {
    group(by, having.expression)
  }

  private func group(_ by: [any Expressible], _ having: Expression<Void>?) -> Self {
    with {
      $0.group =
        by.isEmpty ? nil : QueryClauses.Group(columns: by.map(\.expression), having: having)
    }
  }

  /// Sorts by the expressions, instead of those before.
  public func order(_ by: any Expressible...) -> Self { order(by) }

  /// Sorts by the expressions, instead of those before.
  public func order(_ by: [any Expressible]) -> Self {
    with { $0.order = by.map(\.expression) }
  }

  /// At most so many rows; nil for all.
  public func limit(_ length: Int?) -> Self {
    with { $0.limit = length.map { QueryClauses.Limit(length: $0, offset: nil) } }
  }

  /// At most so many rows, behind some that are left out.
  public func limit(_ length: Int, offset: Int) -> Self {
    with { $0.limit = QueryClauses.Limit(length: length, offset: offset) }
  }

  /// A query that others may name in this one (lang_with).
  ///
  /// - Parameters:
  ///   - alias: What the query is called.
  ///   - columns: The names of its columns.
  ///   - recursive: It may name itself.
  ///   - hint: What SQLite shall do with it.
  public func with(
    _ alias: Table, columns: [any Expressible]? = nil, recursive: Bool = false,
    hint: MaterializationHint? = nil, as subquery: any QueryType
  ) -> Self {
    with {
      $0.isRecursive = $0.isRecursive || recursive
      $0.commonTables.append(
        QueryClauses.CommonTable(
          alias: alias.clauses.from, columns: columns?.map(\.expression) ?? [], hint: hint,
          query: subquery))
    }
  }
}

// MARK: - Names

extension SchemaType {
  /// The table under another name.
  public func alias(_ aliasName: String) -> Self { with { $0.from.alias = aliasName } }
}

extension QueryType {
  /// The column, with the name of the table before it.
  public func namespace<Datatype>(_ column: Expression<Datatype>) -> Expression<Datatype> {
    Expression(".".join([tableName(), column]))
  }

  /// The column, with the name of the table before it.
  public subscript<Datatype>(column: Expression<Datatype>) -> Expression<Datatype> {
    namespace(column)
  }

  /// All columns of the table.
  public subscript(star: Star) -> Expression<Void> { namespace(star(nil, nil)) }

  /// The name of the table, or its alias, with that of its database.
  func tableName() -> Expression<Void> { qualified(clauses.from.alias ?? clauses.from.name) }

  /// The name of the table with its alias.
  func tableNameWithAlias() -> Expression<Void> {
    guard let alias = clauses.from.alias else { return tableName() }
    return " AS ".join([qualified(clauses.from.name), Expression<Void>(alias)])
  }

  private func qualified(_ name: String) -> Expression<Void> {
    let name = Expression<Void>(name)
    guard let database = clauses.from.database else { return name }
    return ".".join([Expression<Void>(database), name])
  }
}
