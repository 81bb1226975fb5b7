// Foreign keys (foreignkeys §3, §4).
//
//     a child's row goes:       unless nothing is broken: count 1 less if it has no parent
//     a child's row comes:      count 1 more, or fail, if it has no parent
//     a parent's row goes:      for each child: count 1 more
//     a parent's row comes:     unless nothing is broken: for each child: count 1 less
//     then the actions, which are triggers
//
// What the statement has counted at its end must be 0; what is deferred, at the end of the
// transaction.

extension Emitter {
  /// How far foreign keys have to do with a change of a row.
  enum ForeignKeyEffect { case none, some, deletesRow }

  func foreignKeyEffect(_ target: BoundTarget, _ change: RowChange?) -> ForeignKeyEffect {
    guard target.hasForeignKeys else { return .none }
    guard let change else { return .some }
    if change.rewritesRow { return .deletesRow }
    let isAffected =
      target.parentLinks.contains { $0.isChildChanged(change.changes(column:)) }
      || target.childLinks.contains {
        $0.isParentChanged(target.table, change.changes(column:))
      }
    return isAffected ? .some : .none
  }

  /// Columns of the row as it was that foreign keys need, as in `Subprogram`. Throws for keys that
  /// refer to no key of the table; of several, SQLite names the first that the change is about, and
  /// rather a key of the table itself that refers to nothing.
  func foreignKeyColumns(
    _ target: BoundTarget, _ change: RowChange? = nil
  ) throws(SQLError) -> UInt64 {
    var columns = target.parentLinks.flatMap(\.childColumns)
    var broken: [ForeignKeyLink] = []
    for link in target.childLinks {
      if let key = link.parentKey(in: target.table) {
        columns += key.parentColumns
      } else if target.binder?.isDroppingTable == false {
        broken.append(link)
      }
    }
    let first = broken.first { link in
      change.map { link.isParentChanged(target.table, $0.changes(column:)) } ?? true
    }
    if let link = first ?? broken.last {
      for own in target.parentLinks {
        if let change, !own.isSelfReferencing, !own.isChildChanged(change.changes(column:)) {
          continue
        }
        _ = try parentKey(of: own, isDroppingTable: false)
      }
      throw link.mismatch
    }
    return columns.reduce(0) { $1 < 0 ? $0 : $0 | 1 << UInt64(min($1, 63)) }
  }

  /// Checks what a row that goes (`old`) or comes (`new`) means for foreign keys.
  func emitForeignKeyCheck(
    _ target: BoundTarget, old: RowRegisters?, new: RowRegisters?, _ change: RowChange? = nil
  ) throws(SQLError) {
    guard let binder = target.binder else { return }
    for link in target.parentLinks {
      if let change, !link.isSelfReferencing, !link.isChildChanged(change.changes(column:)) {
        continue
      }
      try emitParentCheck(target, link, old: old, new: new, binder)
    }
    for link in target.childLinks {
      if let change, !link.isParentChanged(target.table, change.changes(column:)) { continue }
      if failsAtOnce(link, binder) { continue }
      guard let key = link.parentKey(in: target.table) else {
        if binder.isDroppingTable { continue }
        throw link.mismatch
      }
      if let new { try emitChildScan(target, link, key, new, increment: -1, binder) }
      guard let old else { continue }
      try emitChildScan(target, link, key, old, increment: 1, binder)
      let action = change == nil ? link.clause.onDelete : link.clause.onUpdate
      if !link.clause.isInitiallyDeferred && action != .cascade && action != .setNull {
        builder.mayAbort = true
      }
    }
  }

  /// Makes the programs that a change fires. Behind a mistake in one of them SQLite goes on, and if
  /// foreign keys refer to nothing, this is what it reports in the end.
  func preferringForeignKeys<Result>(
    _ target: BoundTarget, old: RowRegisters?, new: RowRegisters?, _ change: RowChange? = nil,
    _ makePrograms: () throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    do throws(SQLError) {
      return try makePrograms()
    } catch where error.code == .error && foreignKeyEffect(target, change) != .none {
      if old != nil { _ = try foreignKeyColumns(target, change) }
      try emitForeignKeyCheck(target, old: old, new: new, change)
      throw error
    }
  }

  /// A statement that writes one row only has no savepoint that could take it back.
  private func failsAtOnce(_ link: ForeignKeyLink, _ binder: Binder) -> Bool {
    !link.clause.isInitiallyDeferred && !binder.environment.defersForeignKeys
      && !builder.isSubprogram && !builder.isMultiWrite
  }

  // MARK: Parents

  private func emitParentCheck(
    _ target: BoundTarget, _ link: ForeignKeyLink, old: RowRegisters?, new: RowRegisters?,
    _ binder: Binder
  ) throws(SQLError) {
    let database = target.table.databaseIndex
    guard let key = try parentKey(of: link, isDroppingTable: binder.isDroppingTable) else {
      let parent = catalog.table(named: link.clause.table, database: database)
      if parent == nil, let old { emitOrphan(link, old) }
      return
    }
    let parent = key.parent
    var isReadable = true
    if let authorizer = binder.authorizer {
      for column in key.parentColumns {
        isReadable = try authorizer.allowsReading(
          column < 0
            ? parent.rowidColumn < 0 ? "ROWID" : parent.columns[parent.rowidColumn].name.string
            : parent.columns[column].name.string,
          of: parent.name.string, in: catalog, database: database,
          view: binder.authorizingView)
      }
    }
    if let old { try emitLookup(link, key, old, increment: -1, isReadable, binder) }
    guard let new, subprograms?.isSettingNull(link) != true else { return }
    try emitLookup(link, key, new, increment: 1, isReadable, binder)
  }

  /// What a key refers to. That there is nothing is no mistake where the table is dropped.
  private func parentKey(
    of link: ForeignKeyLink, isDroppingTable: Bool
  ) throws(SQLError) -> ForeignKeyLink.ParentKey? {
    let database = link.child.databaseIndex
    guard let parent = catalog.table(named: link.clause.table, database: database) else {
      if isDroppingTable { return nil }
      let schema = catalog.databases[database].name.string
      throw .sql("no such table: \(schema).\(link.clause.table.string)")
    }
    guard let key = link.parentKey(in: parent), parent.view == nil else {
      if isDroppingTable { return nil }
      throw link.mismatch
    }
    return key
  }

  /// A row of a table that is dropped, whose parents are gone already.
  private func emitOrphan(_ link: ForeignKeyLink, _ row: RowRegisters) {
    let hasNull = newLabel()
    for column in link.childColumns {
      emit(.isNull, row.value(ofColumn: column).rawValue, hasNull.operand)
    }
    emitCount(link, -1)
    place(hasNull)
  }

  private func emitCount(_ link: ForeignKeyLink, _ increment: Int32) {
    statementEmitter.checksForeignKeys = true
    emit(.foreignKeyCount, link.clause.isInitiallyDeferred ? 1 : 0, increment)
  }

  /// Looks for the parent of a row (SQLite's fkLookupParent).
  private func emitLookup(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey, _ row: RowRegisters,
    increment: Int32, _ isReadable: Bool, _ binder: Binder
  ) throws(SQLError) {
    let isFine = newLabel()
    let isDeferred: Int32 = link.clause.isInitiallyDeferred ? 1 : 0
    if increment < 0 { emit(.foreignKeyIfZero, isDeferred, isFine.operand) }
    for column in key.childColumns {
      emit(.isNull, row.value(ofColumn: column).rawValue, isFine.operand)
    }
    // A row may be its own parent.
    let mayBeItself = link.isSelfReferencing && increment > 0
    if isReadable, let index = key.index {
      try emitIndexLookup(key, index, row, mayBeItself: mayBeItself, isFine)
    } else if isReadable {
      try emitRowidLookup(key, row, mayBeItself: mayBeItself, isFine)
    }
    if failsAtOnce(link, binder) {
      emitHalt(.constraintForeignKey, .abort, "FOREIGN KEY constraint failed")
    } else {
      if increment > 0 && isDeferred == 0 { builder.mayAbort = true }
      emitCount(link, increment)
    }
    place(isFine)
  }

  private func emitRowidLookup(
    _ key: ForeignKeyLink.ParentKey, _ row: RowRegisters, mayBeItself: Bool, _ isFine: Label
  ) throws(SQLError) {
    let rowid = newRegister(), isMissing = newLabel()
    emit(.shallowCopy, row.value(ofColumn: key.childColumns[0]).rawValue, rowid.rawValue)
    emit(.mustBeInteger, rowid.rawValue, isMissing.operand)
    if mayBeItself { emit(.equal, row.rowid.rawValue, isFine.operand, rowid.rawValue) }
    let rows = try openTable(key.parent)
    emit(.seekRowid, rows.rawValue, isMissing.operand, rowid.rawValue)
    emitGoto(isFine)
    place(isMissing)
  }

  private func emitIndexLookup(
    _ key: ForeignKeyLink.ParentKey, _ index: Index, _ row: RowRegisters, mayBeItself: Bool,
    _ isFine: Label
  ) throws(SQLError) {
    let count = key.childColumns.count
    if mayBeItself {
      let isOther = newLabel()
      for (column, parentColumn) in zip(key.childColumns, key.parentColumns) {
        emit(
          .notEqual, row.value(ofColumn: column).rawValue, isOther.operand,
          row.value(ofColumn: parentColumn).rawValue,
          p5: ComparisonFlags.jumpIfNull.rawValue)
      }
      emitGoto(isFine)
      place(isOther)
    }
    let values = builder.newRegisters(count)
    for (offset, column) in key.childColumns.enumerated() {
      emit(
        .shallowCopy, row.value(ofColumn: column).rawValue, (values + offset).rawValue)
      if column >= 0, row.table.columns[column].affinity == .real {
        emit(.realAffinity, (values + offset).rawValue)
      }
    }
    emitParentAffinities(key, values)
    let cursor = try openIndex(index)
    emit(.found, cursor.rawValue, isFine.operand, values.rawValue, p4: Int32(count))
  }

  func emitParentAffinities(_ key: ForeignKeyLink.ParentKey, _ values: RegisterIndex) {
    let affinities = key.parentColumns.map { column -> Affinity in
      // The keys of an index know no REAL: a whole number is compared as it is.
      let affinity = column < 0 ? .integer : key.parent.columns[column].affinity
      return affinity.isNumeric ? .numeric : affinity
    }
    emit(
      .affinity, values.rawValue, Int32(affinities.count),
      p4: builder.addAffinities(affinities), p5: 1)
  }

  // MARK: Children

  /// Counts the children of a row (SQLite's fkScanChildren).
  private func emitChildScan(
    _ target: BoundTarget, _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey,
    _ row: RowRegisters, increment: Int32, _ binder: Binder
  ) throws(SQLError) {
    let isFine = newLabel()
    if increment < 0 {
      emit(.foreignKeyIfZero, link.clause.isInitiallyDeferred ? 1 : 0, isFine.operand)
    }
    let source = binder.parentRow(target.table)
    let select = try binder.bindChildren(
      link, key, of: source, exceptItself: link.isSelfReferencing && increment > 0)
    readRow(source, in: announcesChanges ? copied(row) : row)
    statementEmitter.checksForeignKeys = true
    // An index that is made for this search would not follow the changes of the statement; for a
    // single one it does not pay.
    let rowCount = outerRowCount
    outerRowCount = 0
    defer { outerRowCount = rowCount }
    try emitSelect(
      select,
      to: .foreignKeyCount(isDeferred: link.clause.isInitiallyDeferred, increment))
    place(isFine)
  }

  /// Searches convert what they look for, and the preupdate hook is told of the row behind them.
  private func copied(_ row: RowRegisters) -> RowRegisters {
    let copy = newRow(row.table)
    emit(.copy, row.rowid.rawValue, copy.rowid.rawValue, Int32(row.table.columns.count))
    return copy
  }

  // MARK: DROP TABLE

  /// Deletes the rows of a table that is about to be dropped. What that breaks at once is an error
  /// before the schema is changed (SQLite's sqlite3FkDropTable).
  func emitForeignKeyDrop(_ delete: BoundDelete) throws(SQLError) {
    let skip = newLabel(), isFine = newLabel(), openCount = openings.count
    if delete.target.childLinks.isEmpty { emit(.foreignKeyIfZero, 1, skip.operand) }
    try emitDelete(delete)
    for opening in openings.dropFirst(openCount) { emit(.close, opening.p1) }
    if delete.target.binder?.environment.defersForeignKeys == false {
      emit(.foreignKeyIfZero, 0, isFine.operand)
      emitHalt(.constraintForeignKey, .abort, "FOREIGN KEY constraint failed")
      place(isFine)
    }
    place(skip)
  }

  // MARK: Actions

  /// What the foreign keys say that refer to a row that went or changed.
  func emitForeignKeyActions(
    _ target: BoundTarget, old: RowRegisters, _ change: RowChange? = nil
  ) throws(SQLError) {
    for link in target.childLinks {
      if let change, !link.isParentChanged(target.table, change.changes(column:)) { continue }
      guard let key = link.parentKey(in: target.table) else { continue }
      let compiler = try subprogramCompiler(target)
      guard let action = try compiler.action(link, key, isUpdate: change != nil) else { continue }
      let ignored = newLabel()
      try emitPrograms(of: [action], target, rows: old.rowid, .abort, ignored: ignored)
      place(ignored)
    }
  }
}
