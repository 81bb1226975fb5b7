// Triggers (lang_createtrigger).
//
//     the statement's program:          a trigger's program:
//       OLD and NEW into registers        unless WHEN: end
//       program BEFORE                    open cursors, constants
//       the change                        for each step: its code, reset the count of changes
//       program AFTER                   end: halt

extension Emitter {
  // MARK: Firing

  /// Runs triggers on the rows that the registers from `rows` on have: OLD's, then NEW's.
  /// RAISE(IGNORE) goes on at `ignored`.
  func emitPrograms(
    of triggers: [Trigger], _ target: BoundTarget, rows: RegisterIndex,
    _ policy: ConflictPolicy?, ignored: Label
  ) throws(SQLError) {
    guard !triggers.isEmpty else { return }
    let compiler = try subprogramCompiler(target)
    builder.isMultiWrite = true
    for trigger in triggers {
      let number = try compiler.number(of: trigger, on: target.table, policy)
      emit(
        .program, rows.rawValue, ignored.operand, p4: Int32(number),
        p5: compiler.allowsRecursion || trigger.name.count == 0 ? 0 : 1)
    }
  }

  func subprogramCompiler(_ target: BoundTarget) throws(SQLError) -> SubprogramCompiler {
    if let subprograms { return subprograms }
    guard let binder = target.binder else { throw SQLError(.internal) }
    let compiler = SubprogramCompiler(binder, root: self)
    subprograms = compiler
    return compiler
  }

  /// The columns of OLD or NEW that the triggers read, as in `Subprogram`.
  func columnsRead(
    by triggers: [Trigger], _ target: BoundTarget, _ policy: ConflictPolicy?,
    of row: KeyPath<Subprogram, UInt64>
  ) throws(SQLError) -> UInt64 {
    var columns: UInt64 = 0
    for trigger in triggers {
      let compiler = try subprogramCompiler(target)
      let number = try compiler.number(of: trigger, on: target.table, policy)
      columns |= compiler.list.all[number][keyPath: row]
    }
    return columns
  }

  /// Registers for OLD and NEW, one row behind the other.
  func newRows(_ table: Table) -> (old: RowRegisters, new: RowRegisters) {
    let old = newRow(table)
    return (old, newRow(table))
  }

  /// Puts the row at the cursor into registers, as far as the triggers read it.
  func emitOldRow(
    _ target: BoundTarget, key: RegisterIndex, into row: RowRegisters, columns: UInt64
  ) throws(SQLError) {
    let table = target.table
    if !table.isWithoutRowid { emit(.shallowCopy, key.rawValue, row.rowid.rawValue) }
    for index in table.columns.indices
    where index != table.rowidColumn && columns & (1 << UInt64(min(index, 63))) != 0 {
      try emitColumn(target.old.id, Int32(index), row.register(ofColumn: index))
    }
  }

  // MARK: Programs of triggers

  /// The program of a trigger. Its cursors are opened behind WHEN, which is false more often than
  /// not.
  func triggerProgram(
    _ trigger: Trigger, _ binder: Binder, _ table: Table
  ) throws(SQLError) -> Program {
    let end = newLabel(), setUp = newLabel()
    readOuterRows(binder.triggerRows, table)
    let condition = try trigger.definition.when.map { (condition) throws(SQLError) in
      try binder.bindScalar(condition, Scope(outer: nil, selectID: binder.newSelectID()))
    }
    try binder.throwPostponedError()
    let isSimple = condition?.traits.contains(.hasSubquery) == false
    if let condition, isSimple { try emitCondition(condition, end) }
    emit(.start, 0, setUp.operand)
    let entry = builder.placeNewLabel()
    if let condition, !isSimple { try emitCondition(condition, end) }
    for (number, step) in trigger.definition.steps.enumerated() {
      // Those of a foreign key action have no text.
      if trigger.name.count > 0 { emit(.trace, Int32(number)) }
      try emitStep(step.statement, binder)
    }
    place(end)
    emit(.halt)
    place(setUp)
    for opening in openings { builder.emit(opening) }
    try emitFactored()
    emitGoto(entry)
    noteFormats()
    return builder.finish(columns: [], explain: .none)
  }

  private func emitCondition(_ condition: BoundExpression, _ end: Label) throws(SQLError) {
    let saved = mayFactor
    mayFactor = false
    defer { mayFactor = saved }
    try emitJump(unless: condition, to: end, jumpIfNull: true)
  }

  private func emitStep(_ step: StatementSyntax, _ binder: Binder) throws(SQLError) {
    let bound: BoundStatement
    do {
      bound = try binder.bindStep(step)
      if let authorizer = binder.authorizer {
        try AuthorizedSelects(authorizer: authorizer, catalog: catalog)
          .check(bound, view: binder.authorizingView)
      }
    } catch where error.isStatementIgnored {
      return
    }
    switch bound {
    case .insert(let insert): try emitInsert(insert)
    case .update(let update): try emitUpdate(update)
    case .delete(let delete): try emitDelete(delete)
    case .select(let select):
      statementID = select.id
      firstSource = select.firstSource
      selectCount = select.highestNumber
      return try emitSelect(select, to: .nowhere)
    default: throw SQLError(.internal)
    }
    emit(.resetCount)
  }

  private func readOuterRows(_ rows: TriggerRows?, _ table: Table) {
    var first: Int32 = 0
    for source in [rows?.old, rows?.new] {
      guard let source else { continue }
      let row = RowRegisters(table, rowid: RegisterIndex(first))
      setAccess(source.id, .outerRow(row))
      first = row.end.rawValue
    }
  }

  func emitOuterColumn(_ row: RowRegisters, _ column: Int, _ target: RegisterIndex) {
    emit(.outerValue, row.value(ofColumn: column).rawValue, target.rawValue)
    if column >= 0, row.table.columns[column].affinity == .real {
      emit(.realAffinity, target.rawValue)
    }
  }
}

extension [Trigger] {
  /// RETURNING stands between the temporary triggers on a table of another database and its own:
  /// one that ignores the row hides it from what stands behind.
  func split(on table: Table) -> (temporary: [Trigger], own: [Trigger]) {
    if table.databaseIndex == 1 || isEmpty { return ([], self) }
    return (filter { $0.databaseIndex == 1 }, filter { $0.databaseIndex != 1 })
  }
}

extension Binder {
  /// Binds a statement of a trigger's body.
  func bindStep(_ step: StatementSyntax) throws(SQLError) -> BoundStatement {
    switch step {
    case .insert(let insert): return .insert(try bindInsert(insert))
    case .update(let update): return .update(try bindUpdate(update))
    case .delete(let delete): return .delete(try bindDelete(delete))
    case .select(let select):
      try authorizeSelect()
      // Nobody sees the rows: SQLite drops their order before it looks up any name. Only ALTER
      // TABLE renames in it.
      let step = uses == nil ? select.withoutOrder(in: memory) : select
      return .select(try bindStatement(step, role: .unread))
    default: throw SQLError(.internal)
    }
  }
}
