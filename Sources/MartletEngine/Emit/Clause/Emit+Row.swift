/// The registers of a row that is being made: its rowid, and its columns in the order in which a
/// rowid table's record has them. Virtual generated columns come last.
struct RowRegisters {
  let table: Table
  let rowid: RegisterIndex
  let first: RegisterIndex
  /// Offset of each column from `first`.
  let offsets: [Int32]
  /// How many of them are stored.
  let storedCount: Int

  /// The registers of a row from `rowid` on: the rowid's, then those of the columns.
  init(_ table: Table, rowid: RegisterIndex) {
    self.table = table
    self.rowid = rowid
    first = rowid + 1
    offsets = table.rowOffsets
    storedCount = table.columns.count { !$0.isVirtual }
  }

  /// The register behind the row.
  var end: RegisterIndex { first + max(1, table.columns.count) }

  /// The register of a column. The INTEGER PRIMARY KEY's own is NULL, as in the record.
  func register(ofColumn column: Int) -> RegisterIndex { first + Int(offsets[column]) }

  /// The register that has the column's value.
  func value(ofColumn column: Int) -> RegisterIndex {
    column < 0 || column == table.rowidColumn ? rowid : register(ofColumn: column)
  }
}

extension Emitter {
  func newRow(_ table: Table) -> RowRegisters {
    let rowid = newRegister()
    _ = builder.newRegisters(max(1, table.columns.count))
    return RowRegisters(table, rowid: rowid)
  }

  /// Computes the generated columns of a row whose other columns are there.
  func emitGenerated(_ target: BoundTarget, _ row: RowRegisters) throws(SQLError) {
    for generated in target.generated {
      let register = row.register(ofColumn: generated.column)
      try emitFresh(generated.expression, into: register)
      let affinity = target.table.columns[generated.column].affinity
      if affinity.converts {
        emit(
          .affinity, register.rawValue, 1, p4: builder.addAffinities([affinity]), p5: 1)
      }
    }
  }

  /// Emits an expression whose value belongs to the row, and is not computed once for all rows.
  func emitFresh(_ expression: BoundExpression, into target: RegisterIndex) throws(SQLError) {
    let saved = mayFactor
    mayFactor = false
    try emit(expression, into: target)
    mayFactor = saved
  }

  /// Gives the columns of a row their affinities, before anything looks at them.
  func emitAffinities(of row: RowRegisters) {
    // Stored columns keep their order among each other.
    var affinities: [Affinity] = []
    affinities.reserveCapacity(row.storedCount)
    let columns = row.table.columns
    for index in columns.indices where !columns[index].isVirtual {
      // What is generated is computed later: its register has the value of another row.
      let isGiven = index != row.table.rowidColumn && columns[index].generated == nil
      affinities.append(isGiven ? columns[index].affinity : .blob)
    }
    while let last = affinities.last, !last.converts { affinities.removeLast() }
    if affinities.isEmpty { return }
    emit(
      .affinity, row.first.rawValue, Int32(affinities.count),
      p4: builder.addAffinities(affinities), p5: 1)
  }

  /// The record of a row, in the order of its tree.
  func emitRecord(of row: RowRegisters, into record: RegisterIndex) {
    guard let primaryKey = row.table.primaryKeyIndex else {
      emit(.makeRecord, row.first.rawValue, Int32(row.storedCount), record.rawValue, p5: 1)
      return
    }
    let first = builder.newRegisters(primaryKey.columns.count)
    for (position, column) in primaryKey.columns.enumerated() {
      emit(
        .shallowCopy, row.register(ofColumn: column.tableColumn).rawValue,
        (first + position).rawValue)
    }
    emit(.makeRecord, first.rawValue, Int32(primaryKey.columns.count), record.rawValue)
  }

  /// The columns of an index entry of the row of `source`, from `first` on.
  func emitKey(
    of index: Index, _ source: BoundSource, into first: RegisterIndex
  ) throws(SQLError) {
    let expressions = source.expressions(of: index)?.columns ?? []
    for (position, column) in index.columns.enumerated() {
      let target = first + position
      if column.tableColumn == -2 {
        guard position < expressions.count, let expression = expressions[position] else {
          throw SQLError(.internal, "expression of an index is not bound")
        }
        try source.expressions(of: index)?.checkCollations()
        try emitFresh(expression, into: target)
      } else if case .row(let row) = access(source.id).kind {
        // As it is stored: whole numbers of REAL columns are integers in an index too.
        emit(
          .shallowCopy, row.value(ofColumn: column.tableColumn).rawValue, target.rawValue)
      } else {
        try emitColumn(source.id, Int32(column.tableColumn), target)
        builder.dropRealAffinity(of: target)
      }
    }
  }

  /// Jumps to `label` if a partial index has no entry for the row of `source`.
  func emitJump(
    unlessIn index: Index, _ source: BoundSource, to label: Label
  ) throws(SQLError) {
    guard index.partialWhere != nil else { return }
    guard let bound = source.expressions(of: index), let condition = bound.condition else {
      throw SQLError(.internal, "condition of an index is not bound")
    }
    try bound.checkCollations()
    let saved = mayFactor
    mayFactor = false
    try emitJump(unless: condition, to: label, jumpIfNull: true)
    mayFactor = saved
  }
}
