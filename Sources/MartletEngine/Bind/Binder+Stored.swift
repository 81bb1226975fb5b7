// Expressions that are kept in the schema: CHECK, generated columns, expressions and conditions of
// indexes. They see the columns of their own table only, and not all that a statement may say
// (lang_createtable §3.7, gencol §2.3, expridx §2, partialindex §2).

/// Where a stored expression stands.
enum StoredExpressionKind {
  case check, generated, indexColumn, indexCondition

  /// SQLite's words for the place.
  fileprivate var place: String {
    switch self {
    case .check: "CHECK constraints"
    case .generated: "generated columns"
    case .indexColumn: "index expressions"
    case .indexCondition: "partial index WHERE clauses"
    }
  }

  /// What functions are told of the place.
  var storedPlace: StoredPlace {
    switch self {
    case .check: .check
    case .generated: .generatedColumn
    case .indexColumn, .indexCondition: .index
    }
  }

  /// The same arguments must always give the same value.
  var needsDeterminism: Bool { self != .check }

  /// Columns are written without their table, and the rowid has no name.
  var seesPlainColumnsOnly: Bool { self == .generated || self == .indexColumn }
}

extension Binder {
  static func prohibited(
    _ what: String, in kind: StoredExpressionKind, offset: Int32 = -1
  ) -> SQLError {
    .sql("\(what) prohibited in \(kind.place)", offset: offset)
  }

  /// Binds an expression over the columns of `source`'s table.
  func bindStored(
    _ expression: Expression, _ kind: StoredExpressionKind, _ source: BoundSource
  ) throws(SQLError) -> BoundExpression {
    let scope = Scope(outer: nil, selectID: 0)
    scope.sources = TreeList([source], in: memory)
    storedKind = kind
    defer { storedKind = nil }
    return try bindScalar(expression, scope, at: kind.storedPlace)
  }

  /// Binds an expression of the schema, whose functions are to know where they stand.
  func bindScalar(
    _ expression: Expression, _ scope: Scope, at place: StoredPlace
  ) throws(SQLError) -> BoundExpression {
    let outer = (storedPlace, isInTemporaryTable)
    storedPlace = place
    isInTemporaryTable = scope.sources.first?.isTemporaryTable == true
    defer { (storedPlace, isInTemporaryTable) = outer }
    return try bindScalar(expression, scope)
  }

  /// Throws for what may not stand where the expression stands.
  @inline(never)
  func checkStored(
    _ expression: Expression, _ kind: StoredExpressionKind, _ scope: Scope
  ) throws(SQLError) {
    switch expression.kind {
    case .parameter:
      throw Binder.prohibited("parameters", in: kind, offset: expression.range.start)
    case .column(let table, let column) where kind.seesPlainColumnsOnly:
      // What is not there at all is the greater mistake.
      _ = try bindColumn(ColumnName(schema: nil, table: table, column: column), scope)
      throw Binder.prohibited("the \".\" operator", in: kind, offset: table.offset)
    case .qualifiedColumn(let name) where kind.seesPlainColumnsOnly:
      let name = name.object
      _ = try bindColumn(
        ColumnName(schema: name.schema, table: name.table, column: name.column), scope)
      throw Binder.prohibited("the \".\" operator", in: kind, offset: name.schema.offset)
    case .exists, .subquery: throw Binder.prohibited("subqueries", in: kind)
    case .inSelect(let operand, _, _):
      throw Binder.prohibited("subqueries", in: kind, offset: operand.range.start)
    case .inTable(let item):
      throw Binder.prohibited("subqueries", in: kind, offset: item.object.operand.range.start)
    case .current where kind.needsDeterminism:
      throw Binder.prohibited(
        "non-deterministic functions", in: kind, offset: expression.range.start)
    default: break
    }
  }

  /// CHECK and the conditions of indexes know no other table than their own, whatever schema stands
  /// before its name.
  var ignoresSchemas: Bool { storedPlace == .check || storedPlace == .index }

  /// A source for the columns of a table that is being defined or indexed.
  func definitionSource(_ table: Table) -> BoundSource {
    BoundSource(
      id: newSourceID(), kind: .table(table), label: table.name, hasAlias: false,
      schemaLabel: nil, databaseIndex: table.databaseIndex, join: .inner, indexedBy: .any,
      in: memory)
  }

  /// A collation that is named in a definition must exist.
  func checkCollationExists(_ name: Name) throws(SQLError) {
    _ = try usable(collation(named: name))
  }

  // MARK: Tables

  /// Binds the expressions of a new table, for their mistakes.
  func checkTable(_ table: Table, _ statement: CreateTableStatement) throws(SQLError) {
    guard case .definitions(let columns, let constraints) = statement.content else { return }
    isDefiningTable = true
    defer { isDefiningTable = false }
    let source = definitionSource(table)
    for column in columns {
      for case .check(let condition, _) in column.constraints.map(\.kind) {
        _ = try bindStored(condition, .check, source)
      }
    }
    for case .check(let condition, _, _) in constraints.map(\.kind) {
      _ = try bindStored(condition, .check, source)
    }
    // Of several mistakes in generated columns SQLite reports the last.
    var mistake: SQLError?
    var hasPlainColumn = false
    for column in table.columns {
      switch column.generated {
      case nil: hasPlainColumn = true
      case .virtual(let expression), .stored(let expression):
        do { _ = try bindStored(expression, .generated, source) } catch { mistake = error }
      }
    }
    if !hasPlainColumn { throw .sql("must have at least one non-generated column") }
    if let mistake { throw mistake }
  }

  /// The last virtual column that is computed from itself, if there is one: SQLite finds it when it
  /// reads the new table.
  func generatedColumnLoop(of table: Table) throws(SQLError) -> Name? {
    let source = definitionSource(table)
    try withoutAuthorizer { () throws(SQLError) in
      for index in table.columns.indices where table.columns[index].isVirtual {
        _ = try column(Int32(index), of: source)
      }
    }
    var search = VirtualColumns.LoopSearch(source)
    var last: Int32?
    for virtual in source.virtualColumns.sorted(by: { $0.column < $1.column }) {
      last = search.loop(from: virtual.column) ?? last
    }
    return last.map { table.columns[Int($0)].name }
  }

  // MARK: Indexes

  /// The terms and the condition of an index that is to be made.
  struct BoundIndex {
    let source: BoundSource
    /// The value of each key column that is an expression.
    var expressions: [BoundExpression?] = []
    var condition: BoundExpression?
  }

  func bindNewIndex(
    _ statement: CreateIndexStatement, _ table: Table
  ) throws(SQLError) -> BoundIndex {
    var bound = BoundIndex(source: definitionSource(table))
    if let condition = statement.whereClause {
      bound.condition = try bindStored(condition, .indexCondition, bound.source)
    }
    for term in statement.columns {
      let expression = withNameForString(term.expression)
      let value = try bindStored(expression, .indexColumn, bound.source)
      if case .collate(_, let name) = expression.kind { try checkCollationExists(name) }
      if case .column(_, let index) = value.withoutCollate.kind {
        bound.expressions.append(nil)
        if index >= 0 {
          _ = try withoutAuthorizer { () throws(SQLError) in try column(index, of: bound.source) }
          if let name = table.columns[Int(index)].collation { try checkCollationExists(name) }
        }
      } else {
        bound.expressions.append(value)
      }
    }
    return bound
  }

  private func withNameForString(_ term: Expression) -> Expression {
    guard let name = term.columnInString else { return term }
    guard case .collate(let string, let collation) = term.kind else {
      return Expression(.identifier(name), range: term.range, height: term.height, in: memory)
    }
    let column = Expression(
      .identifier(name), range: string.range, height: string.height, in: memory)
    return Expression(
      .collate(column, collation), range: term.range, height: term.height, in: memory)
  }
}
