// Triggers (lang_createtrigger): which of them a change fires, and what the names in their programs
// mean.

/// The triggers that a change of a row fires, in the order in which they fire.
struct FiredTriggers {
  /// BEFORE, or INSTEAD OF.
  var before: [Trigger] = []
  var after: [Trigger] = []
  /// Both, in the order in which their programs are made where OLD or NEW is read for them.
  var all: [Trigger] = []

  var isEmpty: Bool { before.isEmpty && after.isEmpty }
}

/// The rows OLD and NEW of a trigger's program.
final class TriggerRows {
  /// The program belongs to a schema that other files may share.
  let isFromSchema: Bool
  /// nil for INSERT.
  let old: BoundSource?
  /// nil for DELETE.
  let new: BoundSource?

  init(isFromSchema: Bool, old: BoundSource?, new: BoundSource?) {
    self.isFromSchema = isFromSchema
    self.old = old
    self.new = new
  }

  /// The row that a name before the dot means.
  func row(named name: Name) -> BoundSource? {
    if let new, name == Name("new") { return new }
    if let old, name == Name("old") { return old }
    return nil
  }
}

extension BoundTarget {
  /// - Parameter names: what SET names, for UPDATE OF.
  func triggers(firedBy kind: Binder.ChangeKind, setting names: [Name] = []) -> FiredTriggers {
    var fired = FiredTriggers()
    for trigger in triggers where kind.fires(trigger, setting: names) {
      fired.all.append(trigger)
      if trigger.definition.time == .after {
        fired.after.append(trigger)
      } else {
        fired.before.append(trigger)
      }
    }
    return fired
  }
}

extension Binder.ChangeKind {
  func fires(_ trigger: Trigger, setting names: [Name]) -> Bool {
    switch (self, trigger.definition.event) {
    case (.insert, .insert), (.delete, .delete): true
    case (.update, .update(let columns)):
      columns.isEmpty || columns.contains { names.contains($0) }
    default: false
    }
  }
}

extension Binder {
  /// A binder for the program of a trigger on `table`.
  static func binder(
    for trigger: Trigger, on table: Table, firedBy outer: Binder
  ) -> Binder {
    let binder = Binder(trigger.text, firedBy: outer)
    if trigger.databaseIndex != 1 { binder.fixedDatabase = trigger.databaseIndex }
    // What foreign keys do has no name.
    if binder.authorizer != nil, trigger.name.count > 0 {
      binder.authorizingView = trigger.name.string
    }
    var old: BoundSource?, new: BoundSource?
    switch trigger.definition.event {
    case .insert: new = binder.triggerRow(Name("new"), table)
    case .delete: old = binder.triggerRow(Name("old"), table)
    case .update:
      old = binder.triggerRow(Name("old"), table)
      new = binder.triggerRow(Name("new"), table)
    }
    binder.triggerRows = TriggerRows(
      isFromSchema: trigger.databaseIndex != 1, old: old, new: new)
    return binder
  }

  private func triggerRow(_ name: Name, _ table: Table) -> BoundSource {
    let row = BoundSource(
      id: newSourceID(), kind: .table(table), label: name, hasAlias: true, databaseIndex: -1,
      join: .inner, in: memory)
    row.isTriggerRow = true
    return row
  }

  /// A column of OLD or NEW; nil if the name means none.
  func triggerColumn(_ name: ColumnName) throws(SQLError) -> BoundExpression? {
    guard name.schema == nil, let prefix = name.table,
      let row = triggerRows?.row(named: prefix), case .table(let table) = row.kind
    else { return nil }
    let column = table.columnIndex(of: name.column)
    if column >= 0 {
      uses?.note(name, Int32(column), of: row, in: text)
      return try self.column(column == table.rowidColumn ? -1 : Int32(column), of: row)
    }
    guard Binder.isRowidName(name.column), !table.isWithoutRowid, table.view == nil else {
      return nil
    }
    uses?.note(name, -1, of: row, in: text)
    return try self.column(-1, of: row)
  }

  /// RAISE ends the program, so it has no value.
  func bindRaise(
    _ kind: RaiseKind, _ message: Expression?, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard triggerRows != nil else {
      throw .sql("RAISE() may only be used within a trigger-program")
    }
    let bound = try message.map { (message) throws(SQLError) in try bindScalar(message, scope) }
    var traits: BoundExpression.Traits = [.hasRaise, .hasNondeterministicFunction, .hasFunction]
    if let bound { traits.formUnion(bound.traits.intersection(.inherited)) }
    return BoundExpression(.raise(kind, bound), affinity: .none, traits: traits, in: memory)
  }

  /// What a step of a trigger does about conflicts: what the statement says that fired it, else
  /// what the step says (lang_createtrigger §2).
  func policy(_ written: ConflictPolicy?) -> ConflictPolicy? { overridingPolicy ?? written }

  // MARK: Views

  /// The target of a change of a view, which its INSTEAD OF triggers make.
  func viewTarget(_ view: Table, _ rows: BoundSource) throws(SQLError) -> BoundTarget {
    guard case .subquery(let select) = rows.kind else { throw SQLError(.internal) }
    let names = view.view?.columns ?? []
    // Only the target of INSERT may declare another number of columns than its SELECT has.
    let isDeclared = !names.isEmpty && names.count != select.columns.count
    var columns: [Table.Column] = []
    for (index, name) in (isDeclared ? names : select.columns.map(\.label)).enumerated() {
      let column = isDeclared ? nil : select.columns[index]
      let collation = try column?.collation.map { (collation) throws(SQLError) in
        try makeName(collation.name)
      }
      columns.append(
        Table.Column(
          name: name, declaredType: nil, affinity: column?.affinity ?? .none,
          collation: collation, isNotNull: false, notNullConflict: nil, isPrimaryKey: false,
          sizeEstimate: 1, defaultValue: nil, generated: nil, isHidden: false))
    }
    let table = Table(
      name: view.name, text: view.text, databaseIndex: view.databaseIndex,
      rootPage: PageNumber(0), columns: columns, rowidColumn: -1, isWithoutRowid: false,
      isStrict: false, hasAutoincrement: false, view: view.view, rowSizeEstimate: 0, checks: [])
    table.databaseName = view.databaseName
    let new = BoundSource(
      id: newSourceID(), kind: .table(table), label: view.name, hasAlias: false,
      databaseIndex: view.databaseIndex, join: .inner, in: memory)
    return BoundTarget(table: table, old: rows, new: new)
  }

  /// Asks about the rows of a view that a change is about: SQLite copies them with all their
  /// columns. What is asked from here on comes from the view.
  func authorizeRows(
    of target: BoundTarget, _ item: FromItem, _ name: QualifiedName
  ) throws(SQLError) {
    guard let authorizer, target.table.view != nil else { return }
    authorizingView = target.table.name.string
    try authorizeSelect()
    let asked = try bindView(
      target.table, item, name.schema, name.name, Scope(outer: nil, selectID: 0))
    target.old.takeRows(of: asked)
    for column in target.table.columns.indices {
      if try !mayRead(Int32(column), of: target.old, authorizer) {
        target.ignoredColumns.insert(column)
      }
    }
  }

  /// The copy is made, and searched once more.
  func authorizeCopy(
    _ rows: BoundSelect?, _ condition: Expression?, _ scope: Scope
  ) throws(SQLError) {
    guard authorizer != nil, let rows else { return }
    try environment.selects?.check(rows, view: authorizingView)
    if let condition { _ = try bindScalar(condition, scope) }
  }

  /// All columns of the rows of a view that a change is about.
  func bindViewRows(
    _ target: BoundTarget, _ rows: BoundSimpleSelect, _ scope: Scope,
    orderBy: TreeList<OrderingTerm>, limit: (count: Expression?, offset: Expression?)
  ) throws(SQLError) -> BoundSelect? {
    guard target.table.view != nil, case .subquery(let select) = target.old.kind else {
      return nil
    }
    let source = target.old
    source.usedColumns = .max
    let columns = select.columns.enumerated().map { index, column in
      BoundResultColumn(
        expression: target.ignoredColumns.contains(index)
          ? null()
          : BoundExpression(
            .column(source.id, Int32(index)), affinity: column.affinity,
            collation: column.collation, traits: .hasColumn, in: memory),
        label: column.label, affinity: column.affinity, collation: column.collation,
        originTable: nil, originColumn: -1)
    }
    scope.columns = TreeList(columns, in: memory)
    return BoundSelect(
      id: newSelectID(), body: .simple(rows), columns: columns,
      orderBy: try bindOrderBy(orderBy, scope), limit: try bindLimit(limit.count),
      offset: try bindLimit(limit.offset), isCorrelated: false, isDistinct: false, in: memory)
  }
}
