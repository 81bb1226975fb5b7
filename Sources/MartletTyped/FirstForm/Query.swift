// Queries of 2015: bound to a database, and run at once.

/// A query that belongs to a database. `Table` is today's form.
@available(*, deprecated, message: "use Table, and run it on a Connection")
public struct Query: Expressible {
  let database: Database
  /// Today's form of the query.
  public let table: Table

  init(_ database: Database, _ table: Table) {
    self.database = database
    self.table = table
  }

  /// The SELECT.
  public var expression: Expression<Void> { table.expression }

  private func with(_ table: Table) -> Query { Query(database, table) }

  // MARK: Clauses

  /// Selects columns.
  public func select(_ columns: any Expressible...) -> Query { with(table.select(columns)) }

  /// Selects columns, and equal rows once.
  public func select(distinct columns: any Expressible...) -> Query {
    with(table.select(distinct: columns))
  }

  /// Selects all columns.
  public func select(_ star: Star) -> Query { with(table.select(star)) }

  /// Joins a table for which the condition is true.
  public func join(_ other: Query, on condition: Expression<Bool>) -> Query {
    with(table.join(other.table, on: condition))
  }

  /// Joins a table for which the condition is true.
  public func join(_ other: Query, on condition: Expression<Bool?>) -> Query {
    with(table.join(other.table, on: condition))
  }

  /// Joins a table for which the condition is true.
  public func join(_ type: JoinType, _ other: Query, on condition: Expression<Bool>) -> Query {
    with(table.join(type, other.table, on: condition))
  }

  /// Joins a table for which the condition is true.
  public func join(_ type: JoinType, _ other: Query, on condition: Expression<Bool?>) -> Query {
    with(table.join(type, other.table, on: condition))
  }

  /// Only rows for which the condition is true.
  public func filter(_ condition: Expression<Bool>) -> Query { with(table.filter(condition)) }

  /// Only rows for which the condition is true.
  public func filter(_ condition: Expression<Bool?>) -> Query { with(table.filter(condition)) }

  /// One row for all that are equal in the expressions.
  public func group(_ by: any Expressible...) -> Query { with(table.group(by)) }

  /// One row for all that are equal in the expression, where the condition is true.
  public func group(_ by: any Expressible, having condition: Expression<Bool>) -> Query {
    with(table.group(by, having: condition))
  }

  /// Sorts by the expressions.
  public func order(_ by: any Expressible...) -> Query { with(table.order(by)) }

  /// At most so many rows.
  public func limit(_ to: Int?) -> Query { with(table.limit(to)) }

  /// At most so many rows, behind some that are left out.
  public func limit(_ to: Int, offset: Int) -> Query { with(table.limit(to, offset: offset)) }

  /// The table under another name.
  public func alias(_ alias: String) -> Query { with(table.alias(alias)) }

  // MARK: Names

  /// The column, with the name of the table before it.
  public func namespace<Datatype>(_ column: Expression<Datatype>) -> Expression<Datatype> {
    table.namespace(column)
  }

  /// The column, with the name of the table before it.
  public subscript<Datatype>(column: Expression<Datatype>) -> Expression<Datatype> {
    table.namespace(column)
  }

  /// All columns of the table.
  public subscript(star: Star) -> Expression<Void> { table[star] }
}

// MARK: - Rows

@available(*, deprecated)
extension Query: Sequence {
  /// Runs the query.
  public func makeIterator() -> AnyIterator<Database.Row> {
    guard let connection = database.connection,
      let rows = try? connection.prepareRowIterator(table)
    else { return AnyIterator { nil } }
    return AnyIterator { rows.next().map(Database.Row.init) }
  }

  /// The first row; nil if there is none.
  public var first: Database.Row? {
    (try? database.connection?.pluck(table)).flatMap { $0 }.map(Database.Row.init)
  }

  /// There is no row.
  public var isEmpty: Bool { first == nil }

  private func value<V: Value>(_ query: ScalarQuery<V>) -> V? {
    try? database.connection?.scalar(query)
  }

  private func value<V: Value>(_ query: ScalarQuery<V?>) -> V? {
    (try? database.connection?.scalar(query)).flatMap { $0 }
  }

  /// How many rows there are.
  public var count: Int { value(table.count) ?? 0 }

  /// How many rows have a value.
  public func count<A: ColumnType>(_ column: Expression<A>) -> Int {
    value(table.select(column.count)) ?? 0
  }

  /// How many different values there are.
  public func count<A: ColumnType>(distinct column: Expression<A>) -> Int {
    value(table.select(column.distinct.count)) ?? 0
  }

  /// The largest value.
  public func max<A: ColumnType>(_ column: Expression<A>) -> A.ColumnValue?
  where A.ColumnValue.Datatype: Comparable {
    value(table.select(column.max))
  }

  /// The smallest value.
  public func min<A: ColumnType>(_ column: Expression<A>) -> A.ColumnValue?
  where A.ColumnValue.Datatype: Comparable {
    value(table.select(column.min))
  }

  /// The mean.
  public func average<A: ColumnType>(_ column: Expression<A>) -> Double?
  where A.ColumnValue.Datatype: Number {
    value(table.select(column.average))
  }

  /// The mean of the different values.
  public func average<A: ColumnType>(distinct column: Expression<A>) -> Double?
  where A.ColumnValue.Datatype: Number {
    value(table.select(column.distinct.average))
  }

  /// The sum; nil without rows.
  public func sum<A: ColumnType>(_ column: Expression<A>) -> Double?
  where A.ColumnValue.Datatype: Number {
    value(table.select(Expression<Double?>(column.sum)))
  }

  /// The sum of the different values; nil without rows.
  public func sum<A: ColumnType>(distinct column: Expression<A>) -> Double?
  where A.ColumnValue.Datatype: Number {
    value(table.select(Expression<Double?>(column.distinct.sum)))
  }

  /// The sum; 0 without rows.
  public func total<A: ColumnType>(_ column: Expression<A>) -> Double
  where A.ColumnValue.Datatype: Number {
    value(table.select(column.total)) ?? 0
  }

  /// The sum of the different values; 0 without rows.
  public func total<A: ColumnType>(distinct column: Expression<A>) -> Double
  where A.ColumnValue.Datatype: Number {
    value(table.select(column.distinct.total)) ?? 0
  }
}

// MARK: - Changes

@available(*, deprecated)
extension Query {
  private func change(_ query: any ExpressionType) -> Database.Statement {
    database.attempt { try $0.run(query.template, query.bindings) }
  }

  private func inserting(_ insert: Insert) -> (rowid: Int64?, statement: Database.Statement) {
    let statement = change(insert)
    return (statement.failed ? nil : database.lastInsertRowid, statement)
  }

  /// Inserts a row, of default values without setters. The rowid is nil where it fails.
  @discardableResult
  public func insert(_ values: Setter...) -> (rowid: Int64?, statement: Database.Statement) {
    inserting(table.insert(values))
  }

  /// Inserts a row, saying what happens if it breaks a constraint.
  @discardableResult
  public func insert(
    or action: OnConflict, _ values: Setter...
  ) -> (rowid: Int64?, statement: Database.Statement) {
    inserting(table.insert(or: action, values))
  }

  /// Inserts the rows of a query.
  @discardableResult
  public func insert(_ query: Query) -> (rowid: Int64?, statement: Database.Statement) {
    inserting(table.insert(query.table))
  }

  /// Inserts a row, and returns its rowid; nil where it fails.
  @_disfavoredOverload @discardableResult
  public func insert(_ values: Setter...) -> Int64? { inserting(table.insert(values)).rowid }

  /// Updates the rows. The count is nil where it fails.
  @discardableResult
  public func update(_ values: Setter...) -> (changes: Int?, statement: Database.Statement) {
    let statement = change(table.update(values))
    return (statement.failed ? nil : database.changes, statement)
  }

  /// Deletes the rows. The count is nil where it fails.
  @discardableResult
  public func delete() -> (changes: Int?, statement: Database.Statement) {
    let statement = change(table.delete())
    return (statement.failed ? nil : database.changes, statement)
  }
}
