// Opcodes that move, convert and combine values.

extension VM {
  func getSubtype(_ op: Operation) {
    let value = registers[op.p1]
    if value.flags.contains(.subtype) {
      registers[op.p2].setInteger(Int64(value.subtype))
    } else {
      registers[op.p2].setNull()
    }
  }

  func setSubtype(_ op: Operation) {
    guard registers[op.p1].tag == .integer else { return }
    registers[op.p2].subtype = UInt8(truncatingIfNeeded: registers[op.p1].integer)
    registers[op.p2].flags.insert(.subtype)
  }

  typealias Operation = UnsafePointer<Instruction>
  typealias Cell = UnsafeMutablePointer<Register>

  func halt(_ op: Operation) throws(SQLError) {
    guard op.pointee.p1 != 0 else { return }
    errorPolicy = ConflictPolicy(rawValue: UInt8(truncatingIfNeeded: op.pointee.p2)) ?? .abort
    let code = ResultCode(rawValue: op.pointee.p1)
    if op.pointee.opcode == .halt, op.pointee.p3 != 0 {
      throw SQLError(code, try text(of: registers[op.p3]))
    }
    throw op.pointee.p4 >= 0 ? SQLError(code, program.tables.texts[op.p4]) : SQLError(code)
  }

  /// A value as a message, up to its first NUL; NULL is empty.
  private func text(of value: Register) throws(SQLError) -> String {
    if value.tag == .null { return "" }
    var copy = Register()
    defer { copy.deinitialize() }
    copy.borrow(from: value)
    try Cast.apply(.text, to: &copy, encoding: encoding)
    try copy.changeEncoding(from: encoding, to: .utf8)
    return String(text: UnsafeBufferPointer(rebasing: copy.byteBuffer.prefix { $0 != 0 }))
  }

  func offsetLimit(_ op: Operation) {
    let limit = registers[op.p1].integer
    let (sum, overflow) = limit.addingReportingOverflow(max(0, registers[op.p3].integer))
    registers[op.p2].setInteger(limit <= 0 || overflow ? -1 : sum)
  }

  /// False if the value cannot be an integer and the program has a jump for that.
  func makeInteger(_ op: Operation) throws(SQLError) -> Bool {
    try Affinity.numeric.apply(to: &registers[op.p1], encoding: encoding)
    if registers[op.p1].tag == .integer { return true }
    if op.pointee.p2 == 0 { throw SQLError(.mismatch) }
    return false
  }

  func setNulls(_ op: Operation) {
    var index = op.p2
    repeat {
      registers[index].setNull()
      index += 1
    } while index <= op.p3
  }

  func copy(_ op: Operation) throws(SQLError) {
    for offset in 0...op.p3 {
      try registers[op.p2 + offset].assign(from: registers[op.p1 + offset])
    }
  }

  /// Moves values; a borrowed one is copied, so that it outlives its lender.
  func move(_ op: Operation) throws(SQLError) {
    for offset in 0..<op.p3 {
      let source = registers + (op.p1 + offset), target = registers + (op.p2 + offset)
      try source.pointee.makeOwned()
      swap(&source.pointee, &target.pointee)
      source.pointee.setNull()
    }
  }

  /// Makes `target` equal to `source`: what `source` borrows is borrowed, what it owns is copied.
  func take(from source: Cell, into target: Cell) throws(SQLError) {
    if source.pointee.flags.contains(.borrowed) {
      target.pointee.borrow(from: source.pointee)
    } else {
      try target.pointee.assign(from: source.pointee)
    }
  }

  func cast(_ op: Operation) throws(SQLError) {
    guard let affinity = Affinity(rawValue: UInt8(truncatingIfNeeded: op.pointee.p3)) else {
      throw SQLError(.internal)
    }
    let target = registers + op.p2
    if op.p1 != op.p2 { try take(from: registers + op.p1, into: target) }
    try Cast.apply(affinity, to: &target.pointee, encoding: encoding)
  }

  func applyAffinities(_ op: Operation) throws(SQLError) {
    if op.pointee.p5 == 1 {
      return try applyStoredAffinities(at: op.p4, to: registers + op.p1, count: op.p2)
    }
    let affinities = tables.affinities + tables.affinityStarts[op.p4]
    for offset in 0..<op.p2 {
      try affinities[offset].apply(to: &registers[op.p1 + offset], encoding: encoding)
    }
  }

  func applyStoredAffinities(at index: Int, to values: Cell, count: Int) throws(SQLError) {
    let affinities = tables.affinities + tables.affinityStarts[index]
    for offset in 0..<count {
      try affinities[offset].applyForStorage(to: &values[offset], encoding: encoding)
    }
  }

  // MARK: Operators

  func compute(_ operation: Arithmetic.Operation, _ left: Cell, _ right: Cell, _ result: Cell) {
    if left.pointee.tag == .real || right.pointee.tag == .real,
      computeReals(operation, left, right, result)
    {
      return
    }
    Arithmetic.compute(operation, left, right, into: result, encoding: encoding)
  }

  /// Sum, difference and product of a real and an integer. False for everything else.
  @inline(__always)
  private func computeReals(
    _ operation: Arithmetic.Operation, _ left: Cell, _ right: Cell, _ result: Cell
  ) -> Bool {
    let leftNumber: Double, rightNumber: Double
    switch (left.pointee.tag, right.pointee.tag) {
    case (.real, .integer):
      leftNumber = left.pointee.real
      rightNumber = Double(right.pointee.integer)
    case (.integer, .real):
      leftNumber = Double(left.pointee.integer)
      rightNumber = right.pointee.real
    default: return false
    }
    switch operation {
    case .add: result.pointee.setReal(leftNumber + rightNumber)
    case .subtract: result.pointee.setReal(leftNumber - rightNumber)
    case .multiply: result.pointee.setReal(leftNumber * rightNumber)
    case .divide, .remainder: return false
    }
    return true
  }

  func compute(
    _ operation: Arithmetic.BitOperation, _ left: Cell, _ right: Cell, _ result: Cell
  ) {
    Arithmetic.compute(operation, left, right, into: result, encoding: encoding)
  }

  func concatenate(_ op: Operation) throws(SQLError) {
    try Arithmetic.concatenate(
      registers + op.p1, registers + op.p2, into: registers + op.p3, encoding: encoding,
      lengthLimit: lengthLimit)
  }

  func and(_ op: Operation) {
    let left = Cast.truth(of: registers + op.p1, encoding)
    let right = Cast.truth(of: registers + op.p2, encoding)
    if left == false || right == false {
      registers[op.p3].setInteger(0)
    } else {
      setTruth(op.p3, left == nil || right == nil ? nil : true)
    }
  }

  func or(_ op: Operation) {
    let left = Cast.truth(of: registers + op.p1, encoding)
    let right = Cast.truth(of: registers + op.p2, encoding)
    if left == true || right == true {
      registers[op.p3].setInteger(1)
    } else {
      setTruth(op.p3, left == nil || right == nil ? nil : false)
    }
  }

  func not(_ op: Operation) {
    setTruth(op.p2, Cast.truth(of: registers + op.p1, encoding).map { !$0 })
  }

  func setTruth(_ register: Int, _ truth: Bool?) {
    if let truth { registers[register].setBool(truth) } else { registers[register].setNull() }
  }

  // MARK: Records

  func makeRecord(_ op: Operation) throws(SQLError) {
    if op.pointee.p4 >= 0 {
      try applyStoredAffinities(at: op.p4, to: registers + op.p1, count: op.p2)
    }
    if traits.contains(.writesOldFormat) {
      try RecordEncoder.encodeInOldFormat(
        registers + op.p1, count: op.p2, into: registers + op.p3)
    } else if op.pointee.p5 != 0, RecordEncoder.endsInManyZeros(registers + op.p1, op.p2) {
      try RecordEncoder.encodeKeepingZeros(
        registers + op.p1, count: op.p2, into: registers + op.p3)
    } else {
      try RecordEncoder.encode(registers + op.p1, count: op.p2, into: registers + op.p3)
    }
    let size = Int(registers[op.p3].byteCount) &+ Int(registers[op.p3].zeroCount)
    if size > lengthLimit { throw .tooBig }
  }
}
