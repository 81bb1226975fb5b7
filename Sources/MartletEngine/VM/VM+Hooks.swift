// Opcodes that tell the application about changed rows.

/// A row that is about to change, as the preupdate hook sees it. It is there for the call only.
struct RowUnderChange {
  let vm: VM
  let op: UnsafePointer<Instruction>
  let table: Table

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

  /// A column as it is stored; NULL where it is not: virtual columns, and columns that are younger
  /// than the row.
  func oldValue(_ column: Int) throws(SQLError) -> Value {
    if column == table.rowidColumn { return .integer(try oldRowid()) }
    let position = Table.storagePositions(of: table)[column]
    guard position >= 0 else { return .null }
    var value = Register()
    defer { value.deinitialize() }
    let isThere = try slot.withCursor { cursor throws(SQLError) in
      if cursor.needsRestore, try cursor.restoreIsLost() { throw .corrupt("row is gone") }
      return try cursor.column(Int(position), into: &value)
    }
    return isThere ? try shown(&value, column) : .null
  }

  /// A column as it is going to be.
  func newValue(_ column: Int) throws(SQLError) -> Value {
    if column == table.rowidColumn { return .integer(newRowid) }
    var value = Register()
    defer { value.deinitialize() }
    value.borrow(from: vm.registers[op.p2 + table.rowOffset(ofColumn: column)])
    return try shown(&value, column)
  }

  /// Whole numbers of REAL columns are kept as integers.
  private func shown(_ value: inout Register, _ column: Int) throws(SQLError) -> Value {
    if value.tag == .integer, table.columns[column].affinity == .real {
      value.setReal(Double(value.integer))
    }
    return try Value(copying: value, encoding: vm.encoding)
  }
}

extension Table {
  /// Where the registers of a row that is being made have a column: stored columns in the order of
  /// the record, then virtual ones.
  fileprivate func rowOffset(ofColumn column: Int) -> Int {
    var storedBefore = 0, virtualBefore = 0, storedCount = 0
    for (index, other) in columns.enumerated() {
      if !other.isVirtual { storedCount += 1 }
      guard index < column else { continue }
      if other.isVirtual { virtualBefore += 1 } else { storedBefore += 1 }
    }
    return columns[column].isVirtual ? storedCount + virtualBefore : storedBefore
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
    guard op.pointee.p4 >= 0, frame.host.noticesChanges else { return }
    host.rowChanged(kind, program.tables.changedTables[op.p4], rowid: rowid)
  }
}
