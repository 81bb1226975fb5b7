// Opcodes on windows.

extension VM {
  func openWindow(_ op: Operation) throws(SQLError) {
    let window = try WindowBuffer(
      plan: program.tables.windowPlans[op.p4], frame: frame, budget: memory)
    slots[op.p1].open(.window, window, columnCount: 0)
  }

  @inline(__always)
  private func withWindow<Result>(
    _ op: Operation, _ body: (WindowBuffer) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try (slots + op.p1).with(.window, WindowBuffer.self, body)
  }

  /// Returns whether the row is its partition's first.
  func insertIntoWindow(_ op: Operation) throws(SQLError) -> Bool {
    try withWindow(op) { window throws(SQLError) in try window.insert(registers + op.p3) }
  }

  func newestIsPeer(_ op: Operation) throws(SQLError) -> Bool {
    try withWindow(op) { window throws(SQLError) in window.newestIsPeer }
  }

  func isWindowEmpty(_ op: Operation) throws(SQLError) -> Bool {
    try withWindow(op) { window throws(SQLError) in window.isEmpty }
  }

  func resetWindow(_ op: Operation) throws(SQLError) {
    try withWindow(op) { window throws(SQLError) in try window.reset() }
  }

  func stepWindow(_ op: Operation) throws(SQLError) {
    try withWindow(op) { window throws(SQLError) in
      try window.step(registers + op.p3, into: registers + op.p2)
    }
  }

  func stepWindowEnd(_ op: Operation) throws(SQLError) {
    try withWindow(op) { window throws(SQLError) in
      try window.stepEnd(frameOffset(op), isFlushing: op.pointee.p5 != 0)
    }
  }

  /// Returns whether there are no more rows.
  func stepWindowStart(_ op: Operation) throws(SQLError) -> Bool {
    try withWindow(op) { window throws(SQLError) in try window.stepStart(frameOffset(op)) }
  }

  private func frameOffset(_ op: Operation) -> Cell? { op.p3 == 0 ? nil : registers + op.p3 }

  func windowNeedsRows(_ op: Operation) throws(SQLError) -> Bool {
    try withWindow(op) { window throws(SQLError) in
      try window.needsMoreRows(registers + op.p3)
    }
  }

  func computeWindow(_ op: Operation) throws(SQLError) {
    try withWindow(op) { window throws(SQLError) in try window.computeValues() }
  }

  func putOutWindowRow(_ op: Operation) throws(SQLError) {
    try withWindow(op) { window throws(SQLError) in try window.putOut(registers + op.p2) }
  }

  func advanceWindow(_ op: Operation) throws(SQLError) -> WindowBuffer.Advance {
    try withWindow(op) { window throws(SQLError) in try window.advance() }
  }

  /// Makes r[P1] the offset of a frame's start or end, a number, or fails.
  func checkFrameOffset(_ op: Operation) throws(SQLError) {
    let value = registers + op.p1, isNumber = op.pointee.p3 != 0
    if value.pointee.tag == .text {
      Affinity.makeNumeric(&value.pointee, encoding, preferringInteger: true)
    }
    if !isNumber, value.pointee.tag == .real, let whole = Int64(exactly: value.pointee.real) {
      value.pointee.setInteger(whole)
    }
    let isGood =
      switch value.pointee.tag {
      case .integer: value.pointee.integer >= 0
      case .real: isNumber && value.pointee.real >= 0
      default: false
      }
    if isGood { return }
    throw .sql(
      """
      frame \(op.pointee.p2 == 0 ? "starting" : "ending") offset must be a non-negative \
      \(isNumber ? "number" : "integer")
      """)
  }
}
