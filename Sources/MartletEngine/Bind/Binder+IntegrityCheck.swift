// What integrity_check and ANALYZE need of the expressions of a table.

/// A table whose rows are checked, and the conditions that must hold for them.
final class BoundTableCheck {
  let table: Table
  let source: BoundSource
  @exclusivity(unchecked) var checks: [BoundExpression] = []

  init(table: Table, source: BoundSource) {
    self.table = table
    self.source = source
  }
}

extension Binder {
  /// Binds the definitions of tables that belong to one statement.
  static func bindChecks(
    of tables: [Table], for statement: ParsedStatement, in environment: BindEnvironment
  ) throws(SQLError) -> [BoundTableCheck] {
    let binder = Binder(statement, environment)
    var checks: [BoundTableCheck] = []
    for table in tables { checks.append(try binder.bindCheck(of: table)) }
    return checks
  }

  /// The rows of tables, for ANALYZE, with the expressions of their definitions.
  static func bindRows(
    of tables: [Table], for statement: ParsedStatement, in environment: BindEnvironment
  ) throws(SQLError) -> TreeList<BoundSource> {
    let binder = Binder(statement, environment)
    var sources: TreeList<BoundSource> = []
    for table in tables { sources.append(try binder.bindRows(of: table), in: binder.memory) }
    return sources
  }

  /// Binds the virtual generated columns and the expressions of indexes.
  private func bindRows(of table: Table) throws(SQLError) -> BoundSource {
    let source = BoundSource(
      id: newSourceID(), kind: .table(table), label: table.name, hasAlias: false,
      databaseIndex: table.databaseIndex, join: .inner, in: memory)
    text = table.text
    fixedDatabase = table.databaseIndex
    for (position, column) in table.columns.enumerated() where column.isVirtual {
      _ = try self.column(Int32(position), of: source)
    }
    for index in table.indexes where index.hasExpressions { try bindIndex(index, source) }
    return source
  }

  private func bindCheck(of table: Table) throws(SQLError) -> BoundTableCheck {
    let source = try bindRows(of: table)
    let check = BoundTableCheck(table: table, source: source)
    let scope = Scope(outer: nil, selectID: newSelectID())
    scope.sources = TreeList([source], in: memory)
    if !environment.ignoresChecks {
      for definition in table.checks {
        check.checks.append(try bindScalar(definition.expression, scope, at: .check))
      }
    }
    return check
  }
}
