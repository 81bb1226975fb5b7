// Changes of the schema as the API of 2015 had them: they run at once.

@available(*, deprecated)
extension Database {
  /// Makes a table.
  @discardableResult
  public func create(
    table: Query, temporary: Bool = false, ifNotExists: Bool = false,
    _ block: (TableBuilder) -> Void
  ) -> Statement {
    let builder = TableBuilder(style: .first)
    block(builder)
    return run(table.table.create(builder, temporary, ifNotExists, false))
  }

  /// Makes a virtual table.
  @discardableResult
  public func create(vtable: Query, using module: Module) -> Statement {
    run(VirtualTable(vtable.table.clauses.from.name).create(module))
  }

  /// Gives a table another name.
  @discardableResult
  public func rename(_ table: Query, to tableName: String) -> Statement {
    run(table.table.rename(Table(tableName)))
  }

  /// Takes a table away.
  @discardableResult
  public func drop(table: Query, ifExists: Bool = false) -> Statement {
    run(table.table.drop(ifExists: ifExists))
  }

  /// Makes an index.
  @discardableResult
  public func create(
    index table: Query, unique: Bool = false, ifNotExists: Bool = false,
    on columns: any Expressible...
  ) -> Statement {
    run(table.table.createIndex(columns, unique: unique, ifNotExists: ifNotExists))
  }

  /// Makes an index.
  @discardableResult
  public func create(
    index table: Query, on column: any Expressible, unique: Bool = false, ifNotExists: Bool = false
  ) -> Statement {
    run(table.table.createIndex([column], unique: unique, ifNotExists: ifNotExists))
  }

  /// Takes an index away.
  @discardableResult
  public func drop(
    index table: Query, on columns: any Expressible..., ifExists: Bool = false
  ) -> Statement {
    run(table.table.dropIndex(columns, ifExists: ifExists))
  }

  // MARK: Columns

  /// Adds a column; one that is not optional needs a value.
  @discardableResult
  public func alter<A: ColumnType>(
    table: Query, add column: Expression<A>, check: (any ConditionType)? = nil
  ) -> Statement {
    run(table.table.add(ColumnText(column, check: check), .first))
  }

  /// Adds a column with a value for rows that set none.
  @discardableResult
  public func alter<A: ColumnType>(
    table: Query, add column: Expression<A>, check: (any ConditionType)? = nil, defaultValue: A
  ) -> Statement {
    let value = Expression<A>(value: defaultValue)
    return run(table.table.add(ColumnText(column, check: check, default: value), .first))
  }

  /// Adds a column of texts that compare by a collation.
  @discardableResult
  public func alter<A: ColumnType>(
    table: Query, add column: Expression<A>, check: (any ConditionType)? = nil,
    defaultValue: A.ColumnValue? = nil, collate: Collation
  ) -> Statement where A.ColumnValue.Datatype == String {
    let value = defaultValue.map { Expression<A.ColumnValue>(value: $0) }
    return run(
      table.table.add(
        ColumnText(column, check: check, default: value, collate: collate), .first))
  }

  /// Adds a column that refers to a table's primary key.
  @discardableResult
  public func alter<A: ColumnType>(
    table: Query, add column: Expression<A>, references other: Query
  ) -> Statement {
    run(table.table.add(ColumnText(column, references: (other.table, nil)), .first))
  }

  /// Adds a column that refers to a column of another table.
  @discardableResult
  public func alter<A: ColumnType>(
    table: Query, add column: Expression<A>, references other: Expression<A.ColumnValue>
  ) -> Statement {
    run(table.table.add(ColumnText(column, references: other.target), .first))
  }
}

@available(*, deprecated)
extension TableBuilder {
  /// A column that refers to a table's primary key.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    references table: Query
  ) {
    add(ColumnText(name, unique: unique, check: check, references: (table.table, nil)))
  }

  /// A column that refers to a column of another table, which its name says.
  public func column<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    references other: Expression<A.ColumnValue>
  ) {
    add(ColumnText(name, unique: unique, check: check, references: other.target))
  }

  /// A column refers to a column of another table, which its name says.
  public func foreignKey<A: ColumnType, B: ColumnType>(
    _ column: Expression<A>, on other: Expression<B>, update: Dependency? = nil,
    delete: Dependency? = nil
  ) where A.ColumnValue == B.ColumnValue {
    let target = other.target
    foreignKey([column], target.0, [other], update, delete)
  }
}

extension Expression {
  /// The table and the column that a name with a point means.
  fileprivate var target: (any QueryType, (any Expressible)?) {
    let column = template.lastIdentifier
    let table = String(template.dropLast(column.count + 1)).lastIdentifier.unquotedIdentifier
    return (Table(table), Expression<Void>(literal: column))
  }
}
