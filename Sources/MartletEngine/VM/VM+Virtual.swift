// Opcodes on virtual tables.

extension VM {
  private var surroundings: ScanSurroundings {
    ScanSurroundings(encoding: encoding)
  }

  func openScan(_ op: Operation) throws(SQLError) {
    if slots[op.p1].kind == .virtual { return }
    try openScan(program.tables.virtualScans[op.p4], op.p1)
    try checkTrip()
  }

  /// Returns whether there is a row.
  func startScan(_ op: Operation) throws(SQLError) -> Bool {
    let scan = program.tables.virtualScans[op.p4]
    if slots[op.p1].kind != .virtual { try openScan(scan, op.p1) }
    slots[op.p1].isNullRow = false
    var surroundings = surroundings
    if scan.listArguments != 0 { surroundings.nextInList = listReader(scan, registers + op.p3) }
    let hasRow = try (slots + op.p1).with(.virtual, VirtualTableCursor.self) {
      cursor throws(SQLError) in
      try cursor.start(scan, registers + op.p3, surroundings)
    }
    try checkTrip()
    return hasRow
  }

  @inline(never)
  private func openScan(_ scan: VirtualScan, _ slot: Int) throws(SQLError) {
    // A table that was disconnected is connected again when the statement is compiled again.
    guard let object = scan.table.virtual?.object else { throw SQLError(.schema) }
    let cursor = try object.makeCursor()
    cursor.lengthLimit = host.functionHost.lengthLimit
    slots[slot].open(.virtual, cursor, columnCount: 0)
  }

  /// Reads the sets that arguments stand for.
  private func listReader(
    _ scan: VirtualScan, _ arguments: UnsafeMutablePointer<Register>
  ) -> (Int, Bool) throws(SQLError) -> UnsafeMutablePointer<Register>? {
    { [unowned self] position, isFirst throws(SQLError) in
      guard position < 64, scan.listArguments & (1 << UInt64(position)) != 0 else { return nil }
      let cursor = Int(truncatingIfNeeded: arguments[position].integer)
      let row = try (slots + cursor).with(.set, HashSet.self) { set throws(SQLError) in
        isFirst ? try set.rewind(toLast: false) : try set.next(backward: false)
      }
      guard let row else { return nil }
      let value = temporaries.base
      StoredRow.read(0, of: row, valuesOffset: StoredRow.valuesOffset(1), into: value)
      return value
    }
  }

  /// What a virtual table ran may have taken the statement's transaction away.
  @inline(__always)
  private func checkTrip() throws(SQLError) {
    if let code = frame.tripCode { throw SQLError(code) }
  }

  func moveScan(_ op: Operation) throws(SQLError) -> Bool {
    // The row of NULLs of an outer join comes when the scan is over.
    if slots[op.p1].isNullRow { return false }
    let hasRow = try (slots + op.p1).with(.virtual, VirtualTableCursor.self) {
      cursor throws(SQLError) in
      try cursor.next()
    }
    try checkTrip()
    return hasRow
  }

  func readScan(_ op: Operation) throws(SQLError) {
    let slot = slots + op.p1
    if slot.pointee.isNullRow || slot.pointee.kind != .virtual {
      return registers[op.p3].setNull()
    }
    try slot.with(.virtual, VirtualTableCursor.self) { cursor throws(SQLError) in
      try cursor.read(
        op.p2, into: registers + op.p3, encoding, isUnchanged: op.pointee.p5 != 0)
    }
  }

  // MARK: Changes

  func beginVirtual(_ op: Operation) throws(SQLError) {
    let table = op.pointee.p4 < 0 ? nil : program.tables.changedTables[op.p4]
    try host.beginVirtualTransaction(table)
  }

  private static let roomForChange = 4_000

  func updateVirtual(_ op: Operation) throws(SQLError) {
    let table = program.tables.changedTables[op.p4]
    guard let virtual = table.virtual, let object = virtual.object else {
      throw SQLError(.internal, "virtual table without its object")
    }
    // For the small objects that a row takes.
    try Memory.requireRoom(VM.roomForChange)
    let policy = ConflictPolicy(rawValue: op.pointee.p5) ?? .abort
    for index in op.p3..<(op.p3 + op.p2) { try registers[index].makeOwned() }
    let change = VirtualTableChange(
      base: registers + op.p3, count: op.p2, policy: policy.forVirtualTables, surroundings)
    do {
      let rowid = try object.update(change)
      if op.pointee.p1 != 0 { host.functionHost.lastInsertRowID = rowid }
    } catch {
      guard error.code.primary == .constraint, virtual.settings.contains(.constraintSupport) else {
        throw error
      }
      if policy == .ignore { return }
      errorPolicy = policy == .replace ? .abort : policy
      throw error
    }
    try checkTrip()
    changeCount &+= 1
  }

  // MARK: Tables

  func renameVirtual(_ op: Operation) throws(SQLError) {
    let name = try VirtualTableArgument(registers + op.p1, surroundings).name() ?? ""
    try host.renameVirtualTable(program.tables.changedTables[op.p4], to: name)
  }

  func checkVirtual(_ op: Operation) throws(SQLError) {
    let table = program.tables.changedTables[op.p4]
    let finding = try table.virtual?.object?.checkIntegrity(
      schema: table.databaseName.string, table: table.name.string, isQuick: op.pointee.p2 != 0)
    guard let finding else { return registers[op.p1].setNull() }
    try setText(finding, registers + op.p1)
  }
}

extension ConflictPolicy {
  fileprivate var forVirtualTables: VirtualTableConflictPolicy {
    switch self {
    case .rollback: .rollback
    case .ignore: .ignore
    case .fail: .fail
    case .abort: .abort
    case .replace: .replace
    }
  }
}
