extension Emitter {
  /// `target` = 1, 0 or NULL.
  @inline(never)
  func emitComparisonValue(
    _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression,
    _ target: RegisterIndex
  ) throws(SQLError) {
    let flags = comparison.flags(jumpIfNull: false)
    if comparison.skipsSubquery(left, right) {
      let isNull = newLabel(), end = newLabel()
      let values = try emitOperands(left, right, ifNull: isNull)
      emit(
        comparison.operator.valueOpcode, values.left.rawValue, target.rawValue,
        values.right.rawValue, p4: builder.addCollation(comparison.collation), p5: flags)
      return emitNull(target, at: isNull, end: end)
    }
    let leftValue = try register(for: left)
    let rightValue = try register(for: right)
    emit(
      comparison.operator.valueOpcode, leftValue.rawValue, target.rawValue, rightValue.rawValue,
      p4: builder.addCollation(comparison.collation), p5: flags)
  }

  /// The operands of an operation that is NULL where one of them is, the one without a subquery
  /// first: where it is NULL the subquery is not run, and the code goes to `label`.
  func emitOperands(
    _ left: BoundExpression, _ right: BoundExpression, ifNull label: Label
  ) throws(SQLError) -> (left: RegisterIndex, right: RegisterIndex) {
    let isLeftFirst = right.traits.contains(.hasSubquery)
    let first = try register(for: isLeftFirst ? left : right)
    emit(.isNull, first.rawValue, label.operand)
    let second = try register(for: isLeftFirst ? right : left)
    return isLeftFirst ? (first, second) : (second, first)
  }

  /// Behind the code that gives `target` its value: where it is NULL instead.
  func emitNull(_ target: RegisterIndex, at isNull: Label, end: Label) {
    emitGoto(end)
    place(isNull)
    emitNull(target)
    place(end)
  }

  /// Jumps to `label` if the comparison of two registers is true (or NULL, where asked).
  func emitCompareJump(
    _ comparison: BoundComparison, _ left: RegisterIndex, _ right: RegisterIndex, to label: Label,
    jumpIfNull: Bool
  ) {
    emit(
      comparison.operator.jumpOpcode, left.rawValue, label.operand, right.rawValue,
      p4: builder.addCollation(comparison.collation),
      p5: comparison.flags(jumpIfNull: jumpIfNull))
  }

  // MARK: Conditions

  /// The operands of AND and OR in the order in which they are computed: a subquery last.
  func cheaperFirst(
    _ left: BoundExpression, _ right: BoundExpression
  ) -> (BoundExpression, BoundExpression) {
    left.traits.contains(.hasSubquery) && !right.traits.contains(.hasSubquery)
      ? (right, left) : (left, right)
  }

  /// Jumps to `label` if the condition is true, or if it is NULL and `jumpIfNull`.
  func emitJump(
    if condition: BoundExpression, to label: Label, jumpIfNull: Bool
  ) throws(SQLError) {
    try asComparison(condition) { () throws(SQLError) in
      try self.emitPlainJump(if: condition, to: label, jumpIfNull: jumpIfNull)
    }
  }

  @inline(__always)
  private func asComparison(
    _ condition: BoundExpression, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    if condition.traits.contains(.isRowComparison) { try inRowComparison(body) } else { try body() }
  }

  private func emitPlainJump(
    if condition: BoundExpression, to label: Label, jumpIfNull: Bool
  ) throws(SQLError) {
    let condition = condition.withoutIdleOperands
    switch condition.kind {
    case .and(let left, let right):
      let (left, right) = cheaperFirst(left, right), skip = newLabel()
      try emitJump(unless: left, to: skip, jumpIfNull: !jumpIfNull)
      try emitJump(if: right, to: label, jumpIfNull: jumpIfNull)
      place(skip)
    case .or(let left, let right):
      let (left, right) = cheaperFirst(left, right)
      try emitJump(if: left, to: label, jumpIfNull: jumpIfNull)
      try emitJump(if: right, to: label, jumpIfNull: jumpIfNull)
    case .not(let operand):
      try emitJump(unless: operand, to: label, jumpIfNull: jumpIfNull)
    case .comparison(let comparison, let left, let right):
      try emitComparisonJump(comparison, left, right, label, jumpIfNull)
    case .nullTest(let operand, let isNegated):
      let value = try registerOfType(operand)
      emit(isNegated ? .notNull : .isNull, value.rawValue, label.operand)
    case .between(let between):
      let skip = newLabel()
      let operand = try emitLowerBound(between, to: skip, jumpIfNull: !jumpIfNull)
      let upper = try register(for: between.upper)
      emitCompareJump(
        between.upperComparison, operand, upper, to: label, jumpIfNull: jumpIfNull)
      place(skip)
    case .inList, .inSelect:
      let no = newLabel()
      try emitIn(condition, ifFalse: no, ifNull: jumpIfNull ? label : no)
      emitGoto(label)
      place(no)
    default:
      let value = try register(for: condition)
      emit(.ifTrue, value.rawValue, label.operand, jumpIfNull ? 1 : 0)
    }
  }

  /// Jumps to `label` if the condition is false, or if it is NULL and `jumpIfNull`.
  func emitJump(
    unless condition: BoundExpression, to label: Label, jumpIfNull: Bool
  ) throws(SQLError) {
    try asComparison(condition) { () throws(SQLError) in
      try self.emitPlainJump(unless: condition, to: label, jumpIfNull: jumpIfNull)
    }
  }

  private func emitPlainJump(
    unless condition: BoundExpression, to label: Label, jumpIfNull: Bool
  ) throws(SQLError) {
    let condition = condition.withoutIdleOperands
    switch condition.kind {
    case .and(let left, let right):
      let (left, right) = cheaperFirst(left, right)
      try emitJump(unless: left, to: label, jumpIfNull: jumpIfNull)
      try emitJump(unless: right, to: label, jumpIfNull: jumpIfNull)
    case .or(let left, let right):
      let (left, right) = cheaperFirst(left, right), skip = newLabel()
      try emitJump(if: left, to: skip, jumpIfNull: !jumpIfNull)
      try emitJump(unless: right, to: label, jumpIfNull: jumpIfNull)
      place(skip)
    case .not(let operand):
      try emitJump(if: operand, to: label, jumpIfNull: jumpIfNull)
    case .comparison(let comparison, let left, let right):
      try emitComparisonJump(comparison.inverted, left, right, label, jumpIfNull)
    case .nullTest(let operand, let isNegated):
      let value = try registerOfType(operand)
      emit(isNegated ? .isNull : .notNull, value.rawValue, label.operand)
    case .between(let between):
      let operand = try emitLowerBound(between, to: label, jumpIfNull: jumpIfNull)
      let upper = try register(for: between.upper)
      emitCompareJump(
        between.upperComparison.inverted, operand, upper, to: label, jumpIfNull: jumpIfNull)
    case .inList, .inSelect:
      let yes = newLabel()
      try emitIn(condition, ifFalse: label, ifNull: jumpIfNull ? label : yes)
      place(yes)
    default:
      let value = try register(for: condition)
      emit(.ifFalse, value.rawValue, label.operand, jumpIfNull ? 1 : 0)
    }
  }

  @inline(never)
  private func emitComparisonJump(
    _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression,
    _ label: Label, _ jumpIfNull: Bool
  ) throws(SQLError) {
    if comparison.skipsSubquery(left, right) {
      let skip = newLabel()
      let values = try emitOperands(left, right, ifNull: jumpIfNull ? label : skip)
      emitCompareJump(comparison, values.left, values.right, to: label, jumpIfNull: jumpIfNull)
      return place(skip)
    }
    let leftValue = try register(for: left)
    let rightValue = try register(for: right)
    emitCompareJump(comparison, leftValue, rightValue, to: label, jumpIfNull: jumpIfNull)
  }

  /// Jumps where the operand of BETWEEN, which is computed once and given, is below the first bound:
  /// the second one is not computed then.
  private func emitLowerBound(
    _ between: BoundBetween, to label: Label, jumpIfNull: Bool
  ) throws(SQLError) -> RegisterIndex {
    let operand = try register(for: between.operand)
    let lower = try register(for: between.lower)
    emitCompareJump(
      between.lowerComparison.inverted, operand, lower, to: label, jumpIfNull: jumpIfNull)
    return operand
  }

  /// A condition that is emitted as jumps, as a value: 1, 0 or NULL.
  @inline(never)
  func emitCondition(
    _ condition: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    let isFalse = newLabel(), isNull = newLabel(), end = newLabel()
    switch condition.kind {
    case .between(let between): return try emitBetween(between, target)
    default:
      try emitIn(condition, ifFalse: isFalse, ifNull: isNull)
    }
    emitInteger(1, into: target)
    emitGoto(end)
    place(isNull)
    emitNull(target)
    emitGoto(end)
    place(isFalse)
    emitInteger(0, into: target)
    place(end)
  }

  /// Both comparisons as values: their AND has the right NULLs.
  private func emitBetween(
    _ between: BoundBetween, _ target: RegisterIndex
  ) throws(SQLError) {
    let operand = try register(for: between.operand)
    let lower = try register(for: between.lower)
    let upper = try register(for: between.upper)
    let first = newRegister()
    emitValue(between.lowerComparison, operand, lower, first)
    emitValue(between.upperComparison, operand, upper, target)
    emit(.and, first.rawValue, target.rawValue, target.rawValue)
  }

  private func emitValue(
    _ comparison: BoundComparison, _ left: RegisterIndex, _ right: RegisterIndex,
    _ target: RegisterIndex
  ) {
    emit(
      comparison.operator.valueOpcode, left.rawValue, target.rawValue, right.rawValue,
      p4: builder.addCollation(comparison.collation), p5: comparison.flags(jumpIfNull: false))
  }
}

extension BoundExpression {
  /// Of this operand and another one, one has a subquery that need not run where the other one is
  /// NULL. A subquery that stands for a row runs for all of its columns.
  func skipsSubquery(beside other: BoundExpression) -> Bool {
    let hasSubquery = traits.contains(.hasSubquery)
    guard hasSubquery != other.traits.contains(.hasSubquery) else { return false }
    let (plain, costly) = hasSubquery ? (other, self) : (self, other)
    if case .subqueryColumn = costly.kind { return false }
    return plain.mayBeNull
  }
}

extension BoundComparison {
  func skipsSubquery(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
    self.operator != .is && self.operator != .isNot && left.skipsSubquery(beside: right)
  }

  /// True where this one is false; NULL where this one is NULL.
  var inverted: BoundComparison {
    let inverse: Operator =
      switch self.operator {
      case .equal: .notEqual
      case .notEqual: .equal
      case .less: .greaterOrEqual
      case .lessOrEqual: .greater
      case .greater: .lessOrEqual
      case .greaterOrEqual: .less
      case .is: .isNot
      case .isNot: .is
      }
    return BoundComparison(operator: inverse, affinity: affinity, collation: collation)
  }

  func flags(jumpIfNull: Bool) -> UInt8 {
    var flags = affinity.rawValue & ComparisonFlags.affinityMask
    if self.operator == .is || self.operator == .isNot {
      flags |= ComparisonFlags.nullsAreEqual.rawValue
    } else if jumpIfNull {
      flags |= ComparisonFlags.jumpIfNull.rawValue
    }
    return flags
  }
}

extension BoundComparison.Operator {
  var jumpOpcode: Opcode {
    switch self {
    case .equal, .is: .equal
    case .notEqual, .isNot: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    }
  }

  var valueOpcode: Opcode {
    switch self {
    case .equal, .is: .equalValue
    case .notEqual, .isNot: .notEqualValue
    case .less: .lessValue
    case .lessOrEqual: .lessOrEqualValue
    case .greater: .greaterValue
    case .greaterOrEqual: .greaterOrEqualValue
    }
  }
}
