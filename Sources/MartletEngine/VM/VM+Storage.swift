// Opcodes on sorters, row stores and hash tables: opening them, and what takes more than a line.

extension VM {
  // MARK: Opening

  func openSorter(_ op: Operation) throws(SQLError) {
    if op.p3 == 0, slots[op.p1].kind == .sorter {
      // In a loop, again and again.
      try withSorter(op) { sorter in sorter.removeRows() }
      _ = slots[op.p1].moveTo(nil)
      return
    }
    let limit = op.p3 == 0 ? nil : registers[op.p3].integer
    let sorter = Sorter(
      keyInfo: program.tables.keyInfos[op.p4], dataColumnCount: op.p2, rowLimit: limit,
      finding: op.pointee.p5 == 1 ? .violations : .nothing, budget: memory)
    slots[op.p1].open(.sorter, sorter, columnCount: op.p2)
  }

  func openRows(_ op: Operation) {
    let rows = RowStore(columnCount: op.p2, budget: memory)
    slots[op.p1].open(.rows, rows, columnCount: op.p2)
  }

  func shareRows(_ op: Operation) throws(SQLError) {
    let rows = try (slots + op.p2).with(.rows, RowStore.self) { RowStore(sharing: $0) }
    slots[op.p1].open(.rows, rows, columnCount: rows.columnCount)
  }

  func openSet(_ op: Operation) throws(SQLError) {
    let keyInfo = program.tables.keyInfos[op.p4]
    // In a loop, again and again.
    if slots[op.p1].kind == .set,
      try (slots + op.p1).with(.set, HashSet.self, { (set) throws(SQLError) in try set.reuse() })
    {
      _ = slots[op.p1].moveTo(nil)
      return
    }
    let set = try HashSet(
      keyInfo: keyInfo, keepsValues: isReadBack(op.pointee.p1),
      use: SetUse(rawValue: op.pointee.p5) ?? .lookup, budget: memory)
    slots[op.p1].open(.set, set, columnCount: keyInfo.columns.count)
  }

  func openJoin(_ op: Operation) throws(SQLError) {
    let join = try JoinTable(
      keyInfo: program.tables.keyInfos[op.p4], dataColumnCount: op.p2,
      keepsInsertionOrder: op.pointee.p5 != 0, budget: memory)
    slots[op.p1].open(.join, join, columnCount: op.p2)
  }

  func openFilter(_ op: Operation) throws(SQLError) {
    let filter = try KeyFilter(
      keyInfo: program.tables.keyInfos[op.p4], rowCount: op.p2, budget: memory)
    slots[op.p1].open(.filter, filter, columnCount: 0)
  }

  func addToFilter(_ op: Operation) throws(SQLError) {
    try (slots + op.p1).with(.filter, KeyFilter.self) { (filter) throws(SQLError) in
      try filter.add(registers + op.p2)
    }
  }

  @inline(__always)
  func mayBeInFilter(_ op: Operation) throws(SQLError) -> Bool {
    try (slots + op.p1).with(.filter, KeyFilter.self) { (filter) throws(SQLError) in
      try filter.mayContain(registers + op.p3)
    }
  }

  func openGroups(_ op: Operation) throws(SQLError) {
    let groups = try GroupTable(
      plan: program.tables.groupPlans[op.p4], frame: frame, budget: memory)
    slots[op.p1].open(.group, groups, columnCount: 0)
  }

  // MARK: Access

  @inline(__always)
  func withSorter<Result>(
    _ op: Operation, _ body: (Sorter) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.sorter, Sorter.self, body)
  }

  @inline(__always)
  func withRows<Result>(
    _ op: Operation, _ body: (RowStore) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.rows, RowStore.self, body)
  }

  @inline(__always)
  func withSet<Result>(
    _ op: Operation, _ body: (HashSet) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.set, HashSet.self, body)
  }

  @inline(__always)
  func withJoin<Result>(
    _ op: Operation, _ body: (JoinTable) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.join, JoinTable.self, body)
  }

  @inline(__always)
  func withGroups<Result>(
    _ op: Operation, _ body: (GroupTable) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.group, GroupTable.self, body)
  }

  // MARK: Sorters

  func sorterRejects(_ op: Operation) throws(SQLError) -> Bool {
    try withSorter(op) { sorter throws(SQLError) in try sorter.rejects(registers + op.p3) }
  }

  func insertIntoSorter(_ op: Operation) throws(SQLError) {
    try withSorter(op) { sorter throws(SQLError) in
      try sorter.insert(keys: registers + op.p2, data: registers + op.p3)
    }
  }

  func sort(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(try withSorter(op) { sorter throws(SQLError) in try sorter.sort() })
  }

  @inline(__always)
  func moveSorter(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(try withSorter(op) { sorter throws(SQLError) in try sorter.next() })
  }

  func isDuplicate(_ op: Operation) throws(SQLError) -> Bool {
    try withSorter(op) { sorter throws(SQLError) in try sorter.isDuplicate() }
  }

  func resetSorter(_ op: Operation) throws(SQLError) {
    _ = slots[op.p1].moveTo(nil)
    try withSorter(op) { sorter in sorter.removeRows() }
  }

  // MARK: Row stores

  func appendRow(_ op: Operation) throws(SQLError) {
    try withRows(op) { rows throws(SQLError) in try rows.append(registers + op.p2) }
  }

  func rewindRows(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(try withRows(op) { rows throws(SQLError) in try rows.first() })
  }

  func moveRows(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(try withRows(op) { rows throws(SQLError) in try rows.next() })
  }

  /// Takes the oldest row out of a row store. False if there is none.
  func takeRow(_ op: Operation) throws(SQLError) -> Bool {
    try withRows(op) { rows throws(SQLError) in
      guard let row = try rows.take() else { return false }
      StoredRow.read(row, columnCount: rows.columnCount, into: registers + op.p2)
      return true
    }
  }

  // MARK: Ordered queues

  func openQueue(_ op: Operation) {
    let queue = RowQueue(
      keyInfo: program.tables.keyInfos[op.p4], columnCount: op.p2, budget: memory)
    slots[op.p1].open(.queue, queue, columnCount: op.p2)
  }

  func insertIntoQueue(_ op: Operation) throws(SQLError) {
    try withQueue(op) { queue throws(SQLError) in
      try queue.insert(keys: registers + op.p2, row: registers + op.p3)
    }
  }

  /// False if the queue is empty.
  func takeFromQueue(_ op: Operation) throws(SQLError) -> Bool {
    try withQueue(op) { queue throws(SQLError) in
      guard let row = try queue.take() else { return false }
      StoredRow.read(row, columnCount: queue.columnCount, into: registers + op.p2)
      return true
    }
  }

  private func withQueue<Result>(
    _ op: Operation, _ body: (RowQueue) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.queue, RowQueue.self, body)
  }

  // MARK: Sets

  /// False if the key was there already.
  func insertIntoSet(_ op: Operation) throws(SQLError) -> Bool {
    try withSet(op) { set throws(SQLError) in try set.insert(registers + op.p3) }
  }

  func isInSet(_ op: Operation) throws(SQLError) -> Bool {
    try withSet(op) { set throws(SQLError) in try set.contains(registers + op.p3) }
  }

  func markInSet(_ op: Operation) throws(SQLError) {
    try withSet(op) { set throws(SQLError) in try set.mark(registers + op.p3) }
  }

  func rewindSet(_ op: Operation) throws(SQLError) -> Bool {
    let row = try withSet(op) { set throws(SQLError) in
      try set.rewind(toLast: op.pointee.p3 != 0)
    }
    return slots[op.p1].moveTo(row)
  }

  func moveSet(_ op: Operation) throws(SQLError) -> Bool {
    if slots[op.p1].isNullRow { return false }
    let row = try withSet(op) { set throws(SQLError) in
      try set.next(backward: op.pointee.p3 != 0)
    }
    return slots[op.p1].moveTo(row)
  }

  // MARK: Joins and groups

  func insertIntoJoin(_ op: Operation) throws(SQLError) {
    try withJoin(op) { join throws(SQLError) in
      try join.insert(
        keys: registers + op.p2, data: registers + op.p3, acceptsNull: op.pointee.p5 != 0)
    }
  }

  func seekJoin(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(
      try withJoin(op) { join throws(SQLError) in try join.seek(registers + op.p3) })
  }

  @inline(__always)
  func moveJoin(_ op: Operation) throws(SQLError) -> Bool {
    slots[op.p1].moveTo(try withJoin(op) { join throws(SQLError) in try join.next() })
  }

  func insertIntoGroups(_ op: Operation) throws(SQLError) {
    try withGroups(op) { groups throws(SQLError) in try groups.insert(registers + op.p2) }
  }

  func firstGroup(_ op: Operation) throws(SQLError) -> Bool {
    try withGroups(op) { groups throws(SQLError) in
      try groups.first(into: registers + op.p3)
    }
  }

  func nextGroup(_ op: Operation) throws(SQLError) -> Bool {
    try withGroups(op) { groups throws(SQLError) in try groups.next(into: registers + op.p3) }
  }
}
