// Opcodes that tell the application about changed rows.

/// A row that is about to change, as the preupdate hook sees it. It is there for the call only.
struct RowUnderChange {
  let vm: VM
  let op: UnsafePointer<Instruction>
  let table: Table
  /// Where a blob is written in pieces, its column: the row counts as one that goes.
  var writtenColumn: Int?

  var change: RowChangeKind { RowChangeKind(rawValue: op.pointee.p5) ?? .insert }

  private var slot: UnsafeMutablePointer<CursorSlot> { vm.slots + op.p1 }

  /// The row's rowid before the change; the first is 0 for a table without rowids.
  func oldRowid() throws(SQLError) -> Int64 {
    guard change != .insert, !table.isWithoutRowid else { return newRowid }
    return try slot.withCursor { cursor throws(SQLError) in try cursor.rowid() }
  }

  var newRowid: Int64 {
    op.p3 == 0 || table.isWithoutRowid ? 0 : vm.registers[op.p3].integer
  }

  /// A column as it is stored. Returns false, with NULL, where it is not because it is younger than
  /// the row; virtual columns are NULL.
  func readOld(_ column: Int, into value: inout Register) throws(SQLError) -> Bool {
    if column == table.rowidColumn {
      value.setInteger(try oldRowid())
      return true
    }
    let position = table.storagePositions[column]
    value.setNull()
    guard position >= 0 else { return true }
    let isThere = try slot.withCursor { cursor throws(SQLError) in
      if cursor.needsRestore, try cursor.restoreIsLost() { throw .corrupt("row is gone") }
      return try cursor.column(Int(position), into: &value)
    }
    if isThere { show(&value, column) } else { value.setNull() }
    return isThere
  }

  /// A column as it is going to be.
  func readNew(_ column: Int, into value: inout Register) {
    if column == table.rowidColumn { return value.setInteger(newRowid) }
    value.borrow(from: vm.registers[op.p2 + Int(table.rowOffsets[column])])
    // SQLite shows a row that is inserted as it will be stored.
    if change != .insert { show(&value, column) }
  }

  /// Whole numbers of REAL columns are kept as integers.
  private func show(_ value: inout Register, _ column: Int) {
    if value.tag == .integer, table.columns[column].affinity == .real {
      value.setReal(Double(value.integer))
    }
  }
}

extension VM {
  func announceChange(_ op: Operation) throws(SQLError) {
    let table = program.tables.changedTables[op.p4]
    try host.rowWillChange(RowUnderChange(vm: self, op: op, table: table))
  }

  /// To be called when a row of a rowid table was changed.
  @inline(__always)
  func noteChange(_ op: Operation, _ kind: RowChangeKind, rowid: Int64) {
    guard op.pointee.p4 >= 0, functionMemory.pointee.noticesChanges else { return }
    tellOfChange(tables.changedTables[op.p4], kind, rowid)
  }

  @inline(never)
  private func tellOfChange(_ table: Unmanaged<Table>, _ kind: RowChangeKind, _ rowid: Int64) {
    table._withUnsafeGuaranteedRef { table in
      if let hook = frame.memory.pointee.updateHook {
        hook.tell(kind.code, table, rowid: rowid)
      } else {
        host.rowChanged(kind, table, rowid: rowid)
      }
    }
  }
}
