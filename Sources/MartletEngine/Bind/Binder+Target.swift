// The table that INSERT, UPDATE or DELETE changes.

extension Binder {
  enum ChangeKind: UInt8 {
    case insert, update, delete
  }

  /// Finds the table, and binds what belongs to it.
  ///
  /// - Parameters:
  ///   - names: what SET names.
  ///   - returns: whether there is RETURNING, with which SQLite changes a view that has any
  ///     trigger.
  func bindTarget(
    _ name: QualifiedName, alias: Name?, indexed: FromContent.IndexedBy?, _ kind: ChangeKind,
    setting names: [Name] = [], returns: Bool
  ) throws(SQLError) -> BoundTarget {
    let table = try table(name.schema, name.name)
    _ = try indexChoice(indexed, table)
    var triggers = environment.catalog.triggers(of: table)
    // The application's own, in its temporary database, fire all the same.
    if environment.refusesTriggers { triggers.removeAll { $0.databaseIndex != 1 } }
    let item = FromItem(
      source: .table(schema: name.schema, name: name.name, indexed: indexed), alias: alias,
      join: .inner, on: nil, using: [], range: ByteRange(start: 0, end: 0), in: memory)
    // What is wrong with a view comes before that it cannot be changed.
    if table.view != nil {
      let isChangeable =
        triggers.contains { kind.fires($0, setting: names) } || returns && !triggers.isEmpty
      let refusal = SQLError.sql("cannot modify \(table.name.string) because it is a view")
      let rows: BoundSource
      do {
        rows = try withoutAuthorizer { () throws(SQLError) in
          try bindView(
            table, item, name.schema, name.name, Scope(outer: nil, selectID: 0),
            isTarget: kind == .insert)
        }
      } catch {
        // That its columns have the wrong number is found later.
        throw !isChangeable && error.message.hasPrefix("expected ") ? refusal : error
      }
      guard isChangeable else { throw refusal }
      let target = try viewTarget(table, rows)
      attach(triggers, to: target)
      return target
    }
    try checkIsWritable(table)
    let old = try tableSource(table, item, name.schema, name.name, indexed)
    let new = BoundSource(
      id: newSourceID(), kind: .table(table), label: table.name, hasAlias: false,
      databaseIndex: table.databaseIndex, join: .inner, in: memory)
    let target = BoundTarget(table: table, old: old, new: new)
    attach(triggers, to: target)
    for index in table.indexes where kind != .delete && index.hasExpressions {
      try bindIndex(index, new)
    }
    // ALTER TABLE only looks at what the statement says.
    if kind != .delete && uses == nil {
      try bindChecks(target)
      try bindGeneratedColumns(target)
    }
    return target
  }

  private func attach(_ triggers: [Trigger], to target: BoundTarget) {
    let table = target.table
    if !isDroppingTable { target.triggers = triggers }
    if environment.hasForeignKeys && table.view == nil {
      target.parentLinks = table.links
      target.childLinks = environment.catalog.databases[table.databaseIndex].links(to: table)
    }
    if !(target.triggers.isEmpty && target.parentLinks.isEmpty && target.childLinks.isEmpty) {
      target.binder = self
    }
  }

  private func checkIsWritable(_ table: Table) throws(SQLError) {
    if table.isReadOnlyVirtual || table.isReadOnly && !environment.isSchemaWritable
      || environment.protectsShadowTables && environment.virtualTables?.isShadow(table) ?? false
    {
      throw .sql("table \(table.name.string) may not be modified")
    }
    // In any trigger, also in one of the application, and in what counts as of the schema.
    if triggerRows != nil || isOfVirtualTable, uses == nil { try checkIsSafe(table) }
  }

  /// Binds the virtual columns that indexes and triggers have: they are computed from the row that
  /// leaves. To be called when the statement itself is bound, because it does not read them.
  func bindIndexedColumns(_ target: BoundTarget) throws(SQLError) {
    guard target.table.columns.contains(where: \.isVirtual) else { return }
    let source = target.old
    let usedColumns = source.usedColumns, usesRowid = source.usesRowid
    defer {
      source.usedColumns = usedColumns
      source.usesRowid = usesRowid
    }
    let indexed = target.table.indexes.flatMap { $0.columns.map(\.tableColumn) }
    let columns = target.needsRows ? Array(target.table.columns.indices) : indexed
    for index in columns where index >= 0 && target.table.columns[index].isVirtual {
      _ = try withoutAuthorizer { () throws(SQLError) in try column(Int32(index), of: source) }
    }
  }

  /// Binds expressions of a table's definition over some of its rows.
  func withDefinition(
    of table: Table, over rows: BoundSource, _ body: (Scope) throws(SQLError) -> Void
  ) throws(SQLError) {
    let outerText = text, outerTables = commonTables, outerAuthorizer = authorizer
    text = table.text
    commonTables = nil
    authorizer = nil
    defer {
      authorizer = outerAuthorizer
      text = outerText
      commonTables = outerTables
    }
    let scope = Scope(outer: nil, selectID: 0)
    scope.sources = TreeList([rows], in: memory)
    try body(scope)
  }

  private func bindChecks(_ target: BoundTarget) throws(SQLError) {
    if target.table.checks.isEmpty || environment.ignoresChecks { return }
    try withDefinition(of: target.table, over: target.new) { (scope) throws(SQLError) in
      for check in target.table.checks {
        target.checks.append(
          (try self.bindScalar(check.expression, scope, at: .check), check.name))
      }
    }
  }

  /// A generated column may be computed from other generated columns (gencol §2.3).
  private func bindGeneratedColumns(_ target: BoundTarget) throws(SQLError) {
    let table = target.table
    guard table.columns.contains(where: { $0.generated != nil }) else { return }
    var waiting: [(column: Int, expression: BoundExpression)] = []
    try withDefinition(of: table, over: target.new) { (scope) throws(SQLError) in
      for (index, column) in table.columns.enumerated() {
        switch column.generated {
        case .virtual(let expression), .stored(let expression):
          waiting.append(
            (index, try self.bindScalar(expression, scope, at: .generatedColumn)))
        case nil: break
        }
      }
    }
    var unknown = Set(waiting.map { Int32(truncatingIfNeeded: $0.column) })
    while !waiting.isEmpty {
      let ready = waiting.firstIndex { candidate in
        var isReady = true
        candidate.expression.forEachColumn { _, column in
          if unknown.contains(column) { isReady = false }
        }
        return isReady
      }
      guard let ready else {
        let name = table.columns[waiting[waiting.count - 1].column].name.string
        throw .sql("generated column loop on \"\(name)\"")
      }
      unknown.remove(Int32(truncatingIfNeeded: waiting[ready].column))
      target.generated.append(waiting.remove(at: ready))
    }
  }

  // MARK: Defaults

  /// The DEFAULT of a column; nil for NULL.
  func bindDefault(_ column: Table.Column, _ table: Table) throws(SQLError) -> BoundExpression? {
    guard column.generated == nil, let expression = column.defaultValue else { return nil }
    if case .identifier(let name) = expression.kind, name.quote != UInt8(ascii: "`"),
      name != Name("true"), name != Name("false")
    {
      // A bare word stands for its text.
      return BoundExpression(
        .text(ByteSlice(start: name.start, count: Int(name.count))), affinity: .none, traits: [],
        in: memory)
    }
    let outerText = text, outerTables = commonTables, outerAuthorizer = authorizer
    text = table.text
    commonTables = nil
    authorizer = nil
    isInDefault = true
    isInTemporaryTable = table.databaseIndex == 1
    defer {
      authorizer = outerAuthorizer
      text = outerText
      commonTables = outerTables
      isInDefault = false
      isInTemporaryTable = false
    }
    return try bindScalar(expression, Scope(outer: nil, selectID: 0))
  }

  // MARK: RETURNING

  /// Binds RETURNING, which sees the table's columns only (lang_returning), and knows the table
  /// neither by an alias nor with a schema's name.
  ///
  /// SQLite looks it up where its code is made, so that triggers and foreign keys have their mistakes
  /// reported first. Up to then, NULL stands for what is wrong.
  func bindReturning(
    _ columns: TreeList<ResultColumn>, of source: BoundSource, _ target: BoundTarget
  ) throws(SQLError) -> TreeList<BoundResultColumn> {
    if columns.isEmpty { return [] }
    // This one SQLite finds whatever was found before.
    for case .tableStar in columns {
      throw .sql("RETURNING may not use \"TABLE.*\" wildcards")
    }
    do throws(SQLError) {
      return try bindReturningAsked(columns, of: source, target)
    } catch where error.code == .error {
      target.returningMistake = error
      let null = BoundExpression(.null, affinity: .none, traits: [], in: memory)
      let column = BoundResultColumn(
        expression: null, label: target.table.name, affinity: .none, collation: nil,
        originTable: nil, originColumn: -1)
      return TreeList([column], in: memory)
    }
  }

  /// With an authorizer, SQLite looks the columns up a second time without asking about the table's
  /// own.
  private func bindReturningAsked(
    _ columns: TreeList<ResultColumn>, of source: BoundSource, _ target: BoundTarget
  ) throws(SQLError) -> TreeList<BoundResultColumn> {
    let table = target.table
    if authorizer == nil { return try bindReturned(columns, of: source, table) }
    let (text, tables) = (text, commonTables)
    // The target has this closure, so this closure must not have the target.
    target.returningAsked = { () throws(SQLError) in
      (self.text, self.commonTables) = (text, tables)
      let bound = try self.bindReturned(columns, of: source, table)
      _ = try self.bindReturned(columns, of: source, table, isAsked: false)
      for column in bound { try self.environment.selects?.check(column.expression, nil) }
      return bound
    }
    return try withoutAuthorizer { () throws(SQLError) in
      try bindReturned(columns, of: source, table)
    }
  }

  private func bindReturned(
    _ columns: TreeList<ResultColumn>, of source: BoundSource, _ table: Table, isAsked: Bool = true
  ) throws(SQLError) -> TreeList<BoundResultColumn> {
    let returned = BoundSource(
      id: source.id, kind: source.kind, label: table.name, hasAlias: false, databaseIndex: -1,
      join: .inner, in: memory)
    returned.virtualColumns = source.virtualColumns
    returned.isAsked = isAsked
    let scope = Scope(outer: nil, selectID: newSelectID())
    scope.sources = TreeList([returned], in: memory)
    scope.clause = .result
    try bindResultColumns(columns, scope, .top)
    source.usedColumns |= returned.usedColumns
    source.usesRowid = source.usesRowid || returned.usesRowid
    source.virtualColumns = returned.virtualColumns
    return scope.columns
  }
}

extension Table {
  /// The schema table, which only SQLite changes.
  var isReadOnly: Bool { rootPage.rawValue == 1 }
}
