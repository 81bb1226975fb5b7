// Views and common table expressions: named SELECTs that are bound again for each reference.

extension Binder {
  /// So many views may be inside each other, as in SQLite.
  private static let maximumViewDepth = 999

  /// A view is bound with its own text, and its tables are those of its own database; only a
  /// temporary view sees all databases. `isTarget`: the view is the one that a trigger belongs to or
  /// that gets new rows, of which the names of the columns are enough: it is not read.
  func bindView(
    _ table: Table, _ item: FromItem, _ schema: Name?, _ name: Name, _ scope: Scope,
    as definition: ViewDefinition? = nil, isTarget: Bool = false
  ) throws(SQLError) -> BoundSource {
    guard let view = definition ?? table.view else { throw SQLError(.internal) }
    // ALTER TABLE only looks at the names in the definition.
    let isRead = (definition == nil || uses == nil) && !(describesView && openViews.isEmpty)
    if isRead && !isTarget && environment.refusesViews && table.databaseIndex != 1 {
      throw .sql("access to view \"\(table.name.string)\" prohibited")
    }
    if openViews.contains(where: { $0 === table }) {
      throw .sql("view \(table.name.string) is circularly defined")
    }
    if openViews.count >= Binder.maximumViewDepth {
      throw .sql("VIEWs and/or subqueries nested too deep")
    }
    let outerText = text, outerDatabase = fixedDatabase, outerTables = commonTables
    let outerConverts = convertsCompounds
    convertsCompounds = false
    openViews.append(table)
    let outerView = authorizingView
    if authorizer != nil { authorizingView = name.string }
    text = table.text
    fixedDatabase = table.databaseIndex == 1 ? -1 : table.databaseIndex
    commonTables = nil
    defer {
      openViews.removeLast()
      authorizingView = outerView
      text = outerText
      fixedDatabase = outerDatabase
      commonTables = outerTables
      convertsCompounds = outerConverts
    }
    let source: BoundSource
    do throws(SQLError) {
      source = try bindFromSubquery(
        view.select, item, label: item.alias ?? name, hasAlias: item.alias != nil,
        databaseIndex: table.databaseIndex, schemaLabel: item.alias == nil ? schema : nil,
        role: .view, columnNames: view.columns, Scope(outer: nil, selectID: 0))
    } catch {
      throw error.inStoredText
    }
    source.viewName = table.name
    let count = Binder.columnCount(source)
    if !view.columns.isEmpty && view.columns.count != count && !isRenaming && !isTarget {
      throw .sql(
        "expected \(view.columns.count) columns for '\(table.name.string)' but got \(count)")
    }
    return source
  }

  // MARK: Common table expressions

  /// The common table of that name and where it is defined.
  func commonTable(named name: Name) -> (scope: CommonTableScope, position: Int)? {
    var level = commonTables
    while let scope = level {
      for (position, table) in scope.clause.tables.enumerated() where table.name == name {
        return (scope, position)
      }
      level = scope.outer
    }
    return nil
  }

  func bindCommonTable(
    _ position: Int, of definition: CommonTableScope, _ item: FromItem, _ name: Name,
    _ scope: Scope
  ) throws(SQLError) -> BoundSource {
    let table = definition.clause.tables[position]
    if definition.busy.contains(position) {
      return try bindRecursiveReference(item, name, to: position, of: definition)
    }
    try enterSelect()
    let outerTables = commonTables
    let outerView = authorizingView
    let outerConverts = convertsCompounds
    convertsCompounds = false
    if authorizer != nil { authorizingView = name.string }
    commonTables = definition
    definition.busy.append(position)
    if uses != nil { definition.read.append(position) }
    defer {
      authorizingView = outerView
      selectDepth -= 1
      definition.busy.removeLast()
      commonTables = outerTables
      convertsCompounds = outerConverts
    }
    let source: BoundSource
    if let (first, items) = try Binder.recursiveParts(of: table) {
      let select = try bindRecursive(
        table, at: position, of: definition, firstStep: first, items, outer: scope.outer)
      if select.isCorrelated { scope.isCorrelated = true }
      source = BoundSource(
        id: newSourceID(), kind: .subquery(select), label: item.alias ?? name,
        hasAlias: item.alias != nil, databaseIndex: -1, join: item.join, in: memory)
    } else {
      source = try bindFromSubquery(
        table.select, item, label: item.alias ?? name, hasAlias: item.alias != nil,
        columnNames: table.columns, scope)
      let count = Binder.columnCount(source)
      if !table.columns.isEmpty && table.columns.count != count {
        throw Binder.wrongColumnCount(table, count)
      }
    }
    source.commonTable = table
    source.commonTableUse = definition.noteUse(of: position, in: memory)
    return source
  }
}
