// Comparisons (datatype3 §4): two integers are decided inline, everything else here.

extension VM {
  /// The result of a comparison with a NULL operand.
  static let unknown = 2

  /// Whether a comparing jump is taken.
  @inline(__always)
  func holds(
    _ op: Operation, _ registers: Cell, _ integers: (Int64, Int64) -> Bool, _ test: (Int) -> Bool
  ) throws(SQLError) -> Bool {
    let left = registers + op.p1, right = registers + op.p3
    if left.pointee.tag == .integer && right.pointee.tag == .integer {
      return integers(left.pointee.integer, right.pointee.integer)
    }
    let order = try compareOperands(op)
    if order == VM.unknown { return op.pointee.p5 & ComparisonFlags.jumpIfNull.rawValue != 0 }
    return test(order)
  }

  /// r[P2] = the result of a comparison.
  @inline(__always)
  func setComparison(_ op: Operation, _ test: (Int) -> Bool) throws(SQLError) {
    let order = try compareOperands(op)
    if order == VM.unknown {
      registers[op.p2].setNull()
    } else {
      registers[op.p2].setBool(test(order))
    }
  }

  /// Order of r[P1] and r[P3]: -1, 0, 1, or `unknown`. The operands keep their values.
  @inline(never)
  func compareOperands(_ op: Operation) throws(SQLError) -> Int {
    let left = registers + op.p1, right = registers + op.p3
    if left.pointee.isNull || right.pointee.isNull { return compareNulls(op, left, right) }
    let affinity = op.pointee.p5 & ComparisonFlags.affinityMask
    switch (left.pointee.tag, right.pointee.tag) {
    case (.integer, .integer):
      return left.pointee.integer < right.pointee.integer
        ? -1 : left.pointee.integer > right.pointee.integer ? 1 : 0
    case (.real, .real):
      return left.pointee.real < right.pointee.real
        ? -1 : left.pointee.real > right.pointee.real ? 1 : 0
    case (.integer, .real): return Comparison.compare(left.pointee.integer, right.pointee.real)
    case (.real, .integer):
      return 0 &- Comparison.compare(right.pointee.integer, left.pointee.real)
    case (.text, .text) where op.pointee.p4 < 0 && affinity < VM.numericAffinity:
      return VM.sign(
        Collation.compareBinary(left.pointee.byteBuffer, right.pointee.byteBuffer))
    default: return try compareConverted(op, left, right, affinity)
    }
  }

  /// Low bits of the first numeric affinity.
  private static let numericAffinity = Affinity.numeric.rawValue & ComparisonFlags.affinityMask
  private static let textAffinity = Affinity.text.rawValue & ComparisonFlags.affinityMask

  @inline(__always)
  private static func sign(_ order: Int) -> Int { order < 0 ? -1 : order > 0 ? 1 : 0 }

  private func compareNulls(_ op: Operation, _ left: Cell, _ right: Cell) -> Int {
    guard op.pointee.p5 & ComparisonFlags.nullsAreEqual.rawValue != 0 else { return VM.unknown }
    if !left.pointee.isNull { return 1 }
    if !right.pointee.isNull { return -1 }
    return right.pointee.flags.contains(.cleared) ? 1 : 0
  }

  /// Applies the affinity to copies where a conversion is due (datatype3 §4.2), then compares.
  private func compareConverted(
    _ op: Operation, _ left: Cell, _ right: Cell, _ affinity: UInt8
  ) throws(SQLError) -> Int {
    let leftValue = try converted(left, beside: right, affinity, temporaries.base)
    let rightValue = try converted(right, beside: left, affinity, temporaries.base + 1)
    let order: Int
    if op.pointee.p4 < 0 {
      order = try Comparison.compare(leftValue, rightValue, Collation.binary, encoding)
    } else {
      order = try Comparison.compare(
        leftValue, rightValue, program.tables.collations[op.p4], encoding)
    }
    return VM.sign(order)
  }

  private func converted(
    _ value: Cell, beside other: Cell, _ affinity: UInt8, _ temporary: Cell
  ) throws(SQLError) -> Cell {
    if affinity >= VM.numericAffinity {
      guard value.pointee.tag == .text else { return value }
      temporary.pointee.borrow(from: value.pointee)
      Affinity.makeNumeric(&temporary.pointee, encoding, preferringInteger: false)
      return temporary
    }
    // TEXT affinity converts a number only where the other side is text.
    guard affinity == VM.textAffinity, other.pointee.tag == .text,
      value.pointee.tag == .integer || value.pointee.tag == .real
    else { return value }
    temporary.pointee.borrow(from: value.pointee)
    try temporary.pointee.convertNumberToText(encoding)
    return temporary
  }

  /// Compares r[P1..<P1+P3] with r[P2..<P2+P3] by key info P4.
  func compareKeys(_ op: Operation) throws(SQLError) -> Int {
    try tables.keyInfos[op.p4].lend { (keyInfo) throws(SQLError) in
      try KeyOrder.compare(registers + op.p1, registers + op.p2, count: op.p3, by: keyInfo)
    }
  }
}
