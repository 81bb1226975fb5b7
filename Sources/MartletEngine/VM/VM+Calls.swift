// Opcodes that call functions.

extension VM {
  @inline(__always)
  func callFunction(_ op: Operation) throws(SQLError) {
    try frame.call(tables.functionCalls + op.p4, registers + op.p2, into: registers + op.p3)
  }

  func startAggregate(_ op: Operation) {
    let width = tables.aggregateCalls[op.p4].width
    for index in op.p3..<(op.p3 + width) { registers[index].clearAccumulator() }
  }

  @inline(__always)
  func stepAggregate(_ op: Operation) throws(SQLError) {
    let isBest = try frame.stepInline(
      tables.aggregateCalls + op.p4, registers + op.p2, registers + op.p3)
    if op.pointee.p1 != 0 { registers[op.p1].setBool(isBest) }
  }

  func finishAggregate(_ op: Operation) throws(SQLError) {
    let call = tables.aggregateCalls + op.p4
    let accumulator = registers + op.p1, result = registers + op.p2
    if op.p2 < op.p1 || op.p2 >= op.p1 + call.pointee.width {
      try frame.value(call, of: accumulator, into: result)
    } else {
      try frame.value(call, of: accumulator, into: temporaries.base)
      swap(&temporaries.base.pointee, &result.pointee)
    }
  }
}

extension Register {
  /// Makes the register what an aggregate's state starts as; its buffer stays for reuse.
  @inline(__always)
  mutating func clearAccumulator() {
    let buffer = buffer, capacity = capacity
    self = Register()
    self.buffer = buffer
    self.capacity = capacity
  }
}
