import MartletEngine

extension SchemaType {
  /// `DROP`.
  public func drop(ifExists: Bool = false) -> String {
    let kind = Self.identifier == "VIRTUAL TABLE" ? "TABLE" : Self.identifier
    return "DROP \(kind)\(ifExists ? " IF EXISTS" : "") \(tableName().template)"
  }

  /// The start of CREATE.
  fileprivate func creating(
    temporary: Bool = false, ifNotExists: Bool
  ) -> String {
    let kind = (temporary ? "TEMPORARY " : "") + Self.identifier
    return "CREATE \(kind)\(ifNotExists ? " IF NOT EXISTS" : "") \(tableName().template)"
  }
}

extension Table {
  /// `CREATE TABLE`.
  ///
  /// - Parameters:
  ///   - temporary: It ends with the connection.
  ///   - ifNotExists: Nothing is done where there is one.
  ///   - withoutRowid: Its rows are found by the primary key alone (withoutrowid).
  ///   - block: Says its columns and constraints.
  public func create(
    temporary: Bool = false, ifNotExists: Bool = false, withoutRowid: Bool = false,
    block: (TableBuilder) -> Void
  ) -> String {
    let builder = TableBuilder()
    block(builder)
    return create(builder, temporary, ifNotExists, withoutRowid)
  }

  func create(
    _ builder: TableBuilder, _ temporary: Bool, _ ifNotExists: Bool, _ withoutRowid: Bool
  ) -> String {
    let head = creating(temporary: temporary, ifNotExists: ifNotExists)
    let list = ", ".join(builder.definitions).asSQL()
    return "\(head) (\(list))\(withoutRowid ? " WITHOUT ROWID" : "")"
  }

  /// `CREATE TABLE` of the rows of a query.
  public func create(
    _ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false
  ) -> String {
    creating(temporary: temporary, ifNotExists: ifNotExists) + " AS " + query.asSQL()
  }

  /// `ALTER TABLE`: another name.
  public func rename(_ to: Table) -> String {
    "ALTER TABLE \(tableName().template) RENAME TO \(to.clauses.from.name.quotedIdentifier)"
  }

  // MARK: Columns

  /// `ALTER TABLE`: a column that is not NULL needs a value for the rows that are there.
  public func addColumn<V: Value>(
    _ name: Expression<V>, check: (any ConditionType)? = nil, defaultValue: V
  ) -> String {
    add(ColumnText(name, check: check, default: Expression(value: defaultValue)))
  }

  /// `ALTER TABLE`: a column that may be NULL.
  public func addColumn<V: Value>(
    _ name: Expression<V?>, check: (any ConditionType)? = nil, defaultValue: V? = nil
  ) -> String {
    add(ColumnText(name, check: check, default: defaultValue.map { Expression<V>(value: $0) }))
  }

  /// `ALTER TABLE`: a column that refers to a column of another table.
  public func addColumn<A: ColumnType>(
    _ name: Expression<A>, unique: Bool = false, check: (any ConditionType)? = nil,
    references table: any QueryType, _ other: Expression<A.ColumnValue>
  ) -> String {
    add(ColumnText(name, unique: unique, check: check, references: (table, other)))
  }

  /// `ALTER TABLE`: a column of texts that compare by a collation.
  public func addColumn<V: Value>(
    _ name: Expression<V>, check: (any ConditionType)? = nil, defaultValue: V, collate: Collation
  ) -> String where V.Datatype == String {
    add(
      ColumnText(name, check: check, default: Expression(value: defaultValue), collate: collate))
  }

  /// `ALTER TABLE`: a column of texts that compare by a collation, and may be NULL.
  public func addColumn<V: Value>(
    _ name: Expression<V?>, check: (any ConditionType)? = nil, defaultValue: V? = nil,
    collate: Collation
  ) -> String where V.Datatype == String {
    add(
      ColumnText(
        name, check: check, default: defaultValue.map { Expression<V>(value: $0) },
        collate: collate))
  }

  func add(_ column: ColumnText, _ style: DefinitionStyle = .current) -> String {
    "ALTER TABLE \(tableName().template) ADD COLUMN \(column.expression(style).asSQL())"
  }

  // MARK: Indexes

  /// `CREATE INDEX`; its name is made of those of the table and the columns.
  public func createIndex(
    _ columns: any Expressible..., unique: Bool = false, ifNotExists: Bool = false
  ) -> String {
    createIndex(columns, unique: unique, ifNotExists: ifNotExists)
  }

  /// `CREATE INDEX`; its name is made of those of the table and the columns.
  public func createIndex(
    _ columns: [any Expressible], unique: Bool = false, ifNotExists: Bool = false
  ) -> String {
    let kind = unique ? "UNIQUE INDEX" : "INDEX"
    let head = "CREATE \(kind)\(ifNotExists ? " IF NOT EXISTS" : "") \(indexName(columns))"
    let table = clauses.from.name.quotedIdentifier
    return "\(head) ON \(table) (\(", ".join(columns).asSQL()))"
  }

  /// `DROP INDEX` of one that `createIndex` has made.
  public func dropIndex(_ columns: any Expressible..., ifExists: Bool = false) -> String {
    dropIndex(columns, ifExists: ifExists)
  }

  /// `DROP INDEX` of one that `createIndex` has made.
  public func dropIndex(_ columns: [any Expressible], ifExists: Bool = false) -> String {
    "DROP INDEX\(ifExists ? " IF EXISTS" : "") \(indexName(columns))"
  }

  private func indexName(_ columns: [any Expressible]) -> String {
    let words = ["index", clauses.from.name, "on"] + columns.map { $0.asSQL() }
    var name = ""
    for scalar in words.joined(separator: " ").lowercased().unicodeScalars where scalar != "\"" {
      let isPlain = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
      name += isPlain ? String(scalar) : "_"
    }
    let database = clauses.from.database.map { $0.quotedIdentifier + "." } ?? ""
    return database + name.quotedIdentifier
  }
}

extension View {
  /// `CREATE VIEW` of a query.
  public func create(
    _ query: any QueryType, temporary: Bool = false, ifNotExists: Bool = false
  ) -> String {
    creating(temporary: temporary, ifNotExists: ifNotExists) + " AS " + query.asSQL()
  }
}

extension VirtualTable {
  /// `CREATE VIRTUAL TABLE`.
  public func create(_ using: Module, ifNotExists: Bool = false) -> String {
    "\(creating(ifNotExists: ifNotExists)) USING \(using.asSQL())"
  }

  /// `ALTER TABLE`: another name.
  public func rename(_ to: VirtualTable) -> String {
    "ALTER TABLE \(tableName().template) RENAME TO \(to.clauses.from.name.quotedIdentifier)"
  }
}
