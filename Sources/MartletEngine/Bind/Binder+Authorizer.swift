// Questions to the authorizer, in SQLite's order: columns and functions where their names are
// resolved; the SELECTs inside a statement, and tables of which no column is read, when all names
// are (`AuthorizedSelects`).

/// Asks about the SELECTs inside what is bound, which follows the plan: the room that plans does it.
protocol SelectAuthorizer {
  /// The SELECTs inside a SELECT, which was asked about itself.
  func check(_ select: BoundSelect, view: String?) throws(SQLError)

  /// Subqueries in an expression.
  func check(_ expression: BoundExpression, _ view: String?) throws(SQLError)
}

extension Binder {
  /// Expressions of the schema are not what the statement says, so nobody is asked about them.
  func withoutAuthorizer<Result>(
    _ body: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let outer = authorizer
    authorizer = nil
    defer { authorizer = outer }
    return try body()
  }

  /// Asks about a column that is read. False if it is to be NULL.
  @inline(never)
  func mayRead(
    _ index: Int32, of source: BoundSource, _ authorizer: Authorizer
  ) throws(SQLError) -> Bool {
    guard source.isAsked else { return true }
    let catalog = environment.catalog
    switch source.kind {
    case .table(let table):
      let column = index < 0 ? table.rowidColumn : Int(index)
      return try authorizer.allowsReading(
        column < 0 ? "ROWID" : table.columns[column].name.string, of: table.authorizedName,
        in: catalog, database: table.databaseIndex, view: authorizingView)
    case .subquery(let select):
      // A subquery is not asked about.
      guard source.databaseIndex >= 0, let view = source.viewName else { return true }
      return try authorizer.allowsReading(
        select.columns[Int(index)].label.string, of: view.string, in: catalog,
        database: source.databaseIndex, view: authorizingView)
    }
  }

  /// Asks about a function that is called. False if the call is to be NULL.
  func mayCall(_ name: String, as written: Name) throws(SQLError) -> Bool {
    guard let authorizer else { return true }
    return try authorizer.allowsCalling(
      name.lowercased(), written: written.string, view: authorizingView)
  }

  /// Asks about the SELECT that a statement is or has as its source.
  func authorizeSelect() throws(SQLError) {
    try authorizer?.require(.select, view: authorizingView)
  }

  /// Asks about an INSERT or DELETE. False if it is to be ignored.
  func mayChange(_ table: Table, _ action: AuthorizerAction) throws(SQLError) -> Bool {
    guard let authorizer else { return true }
    return try authorizer.allows(
      action, table.authorizedName, database: databaseName(table.databaseIndex),
      view: authorizingView)
  }

  /// Asks about a column that an UPDATE sets; -1 is the rowid.
  func maySet(_ column: Int, of table: Table) throws(SQLError) -> Bool {
    guard let authorizer else { return true }
    return try authorizer.allows(
      .update, table.authorizedName,
      column < 0 ? "ROWID" : table.columns[column].name.string,
      database: databaseName(table.databaseIndex), view: authorizingView)
  }

  private func databaseName(_ index: Int) -> String {
    environment.catalog.databases[index].name.string
  }

  /// Multi-row VALUES that an INSERT takes are asked about before the INSERT.
  static func isMultiRowValues(_ source: SelectStatement) -> Bool {
    if source.cores.count == 1, case .values(let rows) = source.cores[0] { return rows.count > 1 }
    return false
  }
}
