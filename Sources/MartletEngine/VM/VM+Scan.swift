// What loops do for each row at once (`RowScan`).

extension VM {
  /// Reads and tests rows until one passes, a test goes elsewhere, or there is no row any more.
  /// Returns where to go on.
  @inline(__always)
  func scanRow(_ op: Operation, _ base: Operation) throws(SQLError) -> Operation {
    let slot = slots + op.p1, scan = tables.rowScans + op.p4
    guard slot.pointee.deferredIndex < 0, let cursor = slot.pointee.cursor else {
      return base + scan.pointee.plainAddress
    }
    return base + (try cursor.lend { cursor throws(SQLError) in try scanRows(op, scan, cursor) })
  }

  /// Returns the address to go on at.
  @inline(never)
  private func scanRows(
    _ op: Operation, _ scan: UnsafePointer<RowScan>, _ cursor: Cursor
  ) throws(SQLError) -> Int {
    while true {
      guard cursor.readRow(scan.pointee.reading, into: registers) else {
        return scan.pointee.plainAddress
      }
      let passed = op.pointee.p2
      let target = scan.pointee.testCount == 0 ? passed : try test(scan, passed: passed)
      guard target == op.pointee.p3 else { return Int(target) }
      guard try scan.pointee.isReversed ? cursor.previous() : cursor.next() else {
        return op.p3 &+ 1
      }
      stepCounts.note(scan.pointee.counter)
      if attention.isRaised { try host.attend() }
    }
  }

  /// Where a row goes that was read.
  @inline(__always)
  private func test(_ scan: UnsafePointer<RowScan>, passed: Int32) throws(SQLError) -> Int32 {
    var test = scan.pointee.tests
    let end = test + scan.pointee.testCount
    repeat {
      if try jumps(test) { return test.pointee.target }
      test += 1
    } while test < end
    return passed
  }

  @inline(__always)
  private func jumps(_ test: UnsafePointer<RowScan.Test>) throws(SQLError) -> Bool {
    let left = registers + Int(test.pointee.left), right = registers + Int(test.pointee.right)
    let outcome: UInt8
    switch (left.pointee.tag, right.pointee.tag) {
    case (.integer, .integer):
      let left = left.pointee.integer, right = right.pointee.integer
      outcome = left < right ? 1 : left == right ? 2 : 4
    case (.real, .real):
      let left = left.pointee.real, right = right.pointee.real
      outcome = left < right ? 1 : left == right ? 2 : 4
    default: return try jumpsSlowly(test)
    }
    return test.pointee.outcomes & outcome != 0
  }

  @inline(never)
  private func jumpsSlowly(_ test: UnsafePointer<RowScan.Test>) throws(SQLError) -> Bool {
    let op = UnsafePointer(program.instructions) + Int(test.pointee.address)
    switch op.pointee.opcode {
    case .isNull: return registers[op.p1].tag == .null
    case .notNull: return registers[op.p1].tag != .null
    default:
      let order = try compareOperands(op)
      if order == VM.unknown {
        return op.pointee.p5 & ComparisonFlags.jumpIfNull.rawValue != 0
      }
      return test.pointee.outcomes & (order < 0 ? 1 : order == 0 ? 2 : 4) != 0
    }
  }
}
