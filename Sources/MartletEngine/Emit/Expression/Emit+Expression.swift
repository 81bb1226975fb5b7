extension Emitter {
  /// A register that holds the expression's value: one that has it already, or a new one.
  func register(for expression: BoundExpression) throws(SQLError) -> RegisterIndex {
    if let known = existingRegister(for: expression) { return known }
    if mayFactor && expression.isConstant
      && expression.traits.isDisjoint(with: [.hasFunction, .hasFixedColumn])
    {
      return factoredRegister(for: expression)
    }
    let target = newRegister()
    try emit(expression, into: target)
    return target
  }

  /// A register that has the type of an expression, if not its value.
  func registerOfType(_ expression: BoundExpression) throws(SQLError) -> RegisterIndex {
    if let known = existingRegister(for: expression) { return known }
    if case .column = expression.kind {
      let target = newRegister()
      if try emitShape(of: expression, .typeOnly, into: target) { return target }
    }
    return try register(for: expression)
  }

  /// A register that has the value while the loop around runs, without any code.
  private func existingRegister(for expression: BoundExpression) -> RegisterIndex? {
    switch expression.kind {
    case .column(let id, let column):
      let index = Int(id.rawValue)
      guard index < sources.count else { return nil }
      if !sources[index].captured.isEmpty {
        for captured in sources[index].captured where captured.column == column {
          return captured.register
        }
      }
      switch sources[index].kind {
      case .registers(let base) where column >= 0: return base + Int(column)
      case .row(let row) where column < 0 || row.table.columns[Int(column)].affinity != .real:
        return row.value(ofColumn: Int(column))
      default: return nil
      }
    case .aggregate(let aggregate):
      return aggregates[aggregate.selectID].map { $0 + aggregate.index }
    case .window(let call): return windows[call.selectID].map { $0 + call.position }
    case .collate(let inner): return existingRegister(for: inner)
    default: break
    }
    // Two terms with random() may look the same.
    for key in groupKeys where key.expression === expression { return key.register }
    for key in groupKeys where key.expression.isSame(as: expression) { return key.register }
    return nil
  }

  /// Reads an expression from an index that has it.
  private func emitIndexed(_ expression: BoundExpression, _ target: RegisterIndex) -> Bool {
    guard expression.traits.contains(.hasColumn) else { return false }
    for indexed in indexedExpressions where indexed.expression.isSame(as: expression) {
      emit(.column, indexed.cursor.rawValue, indexed.column, target.rawValue)
      return true
    }
    return false
  }

  private func factoredRegister(for expression: BoundExpression) -> RegisterIndex {
    // Equal constants share a register; the list is short, but not in a long VALUES.
    for known in factored.suffix(16) where known.expression.isSame(as: expression) {
      return known.register
    }
    let register = newRegister()
    factored.append((expression, register))
    return register
  }

  /// Evaluates consecutive expressions into consecutive registers.
  func emit(
    _ expressions: some Collection<BoundExpression>, into first: RegisterIndex
  ) throws(SQLError) {
    // UPDATE … FROM has the columns of a row value among its result columns.
    try inRowComparison { () throws(SQLError) in
      for (offset, expression) in expressions.enumerated() {
        self.isInRowComparison = expression.isRowItem
        try self.emit(expression, into: first + offset)
      }
    }
  }

  /// Emits code that puts the expression's value into `target`.
  func emit(_ expression: BoundExpression, into target: RegisterIndex) throws(SQLError) {
    if let known = existingRegister(for: expression) {
      if known != target { emit(.shallowCopy, known.rawValue, target.rawValue) }
      return
    }
    if !indexedExpressions.isEmpty && emitIndexed(expression, target) { return }
    try expression.memory.attendToStack()
    switch expression.kind {
    case .null: emitNull(target)
    case .integer(let value): emitInteger(value, target)
    case .real, .text, .blob: try emitConstant(expression, target)
    case .parameter(let number): emit(.parameter, number, target.rawValue)
    case .column(let id, let column):
      let isKept = expression.traits.contains(.isKept)
      try emitColumn(id, column, target, flags: isKept ? .isUnchanged : [])
    case .fixedColumn(_, _, let value):
      try emit(value, into: target)
      if expression.affinity.converts {
        emit(.affinity, target.rawValue, 1, p4: builder.addAffinities([expression.affinity]))
      }
    case .negate(let operand): try emitNegate(operand, target)
    case .plus(let operand), .collate(let operand): try emit(operand, into: target)
    case .bitNot(let operand): try emitUnary(.bitNot, operand, target)
    case .not(let operand): try emitUnary(.not, operand, target)
    case .and(let left, let right): try emitLogic(expression, .and, left, right, target)
    case .or(let left, let right): try emitLogic(expression, .or, left, right, target)
    case .comparison(let comparison, let left, let right):
      try emitComparisonValue(comparison, left, right, target)
    case .arithmetic(let operation, let left, let right):
      try emitArithmetic(operation.opcode, left, right, target)
    case .nullTest(let operand, let isNegated):
      let value = try registerOfType(operand)
      emit(.nullTest, value.rawValue, target.rawValue, isNegated ? 1 : 0)
    case .truthTest(let operand, let isTrue, let isNegated):
      try emitTruthTest(operand, isTrue, isNegated, target)
    case .cast(let operand, let affinity):
      try emit(operand, into: target)
      emit(.cast, target.rawValue, target.rawValue, Int32(affinity.rawValue))
    case .between, .inList, .inSelect: try emitCondition(expression, target)
    case .exists(let subquery): try emitExists(subquery, target)
    case .scalarSubquery(let subquery): try emitScalarSubquery(subquery, target)
    case .caseWhen(let node): try emitCase(node, target)
    case .function(let call): try emitFunction(expression, call, target)
    case .aggregate: throw .sql("misuse of aggregate function")
    case .window: throw .sql("misuse of window function")
    case .row: throw .sql("row value misused")
    case .raise(let kind, let message): try emitRaise(kind, message)
    case .subqueryColumn(let subquery, let column):
      try emitSubqueryColumn(subquery, Int(column), target)
    }
  }

  @inline(never)
  private func emitInteger(_ value: Int64, _ target: RegisterIndex) {
    if let small = Int32(exactly: value) {
      emit(.integer, small, target.rawValue)
    } else {
      var constant = Register()
      constant.setInteger(value)
      emit(.constant, 0, target.rawValue, p4: builder.addConstant(constant))
    }
  }

  @inline(never)
  private func emitConstant(
    _ expression: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    emit(.constant, 0, target.rawValue, p4: builder.addConstant(try constant(expression)))
  }

  /// A literal as a register with its own bytes, text in the database's encoding.
  private func constant(_ expression: BoundExpression) throws(SQLError) -> Register {
    var constant = Register()
    switch expression.kind {
    case .real(let value, _): constant.setReal(value)
    case .integer(let value): constant.setInteger(value)
    case .blob(let bytes): try constant.setOwned(.blob, copying: bytes.start, bytes.count)
    case .text(let bytes): try constant.setOwnedText(bytes.buffer, in: builder.encoding)
    default: break
    }
    return constant
  }

  @inline(never)
  private func emitUnary(
    _ opcode: Opcode, _ operand: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    let value = try register(for: operand)
    emit(opcode, value.rawValue, target.rawValue)
  }

  @inline(never)
  private func emitNegate(
    _ operand: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    switch operand.kind {
    case .integer(let value) where value != .min: emitInteger(-value, target)
    case .real(let value, _):
      var constant = Register()
      constant.setReal(-value)
      emit(.constant, 0, target.rawValue, p4: builder.addConstant(constant))
    default: try emitUnary(.negate, operand, target)
    }
  }

  @inline(never)
  private func emitArithmetic(
    _ opcode: Opcode, _ left: BoundExpression, _ right: BoundExpression,
    _ target: RegisterIndex
  ) throws(SQLError) {
    guard left.skipsSubquery(beside: right) else {
      return try emitBinary(opcode, left, right, target)
    }
    let isNull = newLabel(), end = newLabel()
    let values = try emitOperands(left, right, ifNull: isNull)
    emit(opcode, values.left.rawValue, values.right.rawValue, target.rawValue)
    emitNull(target, at: isNull, end: end)
  }

  @inline(never)
  private func emitBinary(
    _ opcode: Opcode, _ left: BoundExpression, _ right: BoundExpression,
    _ target: RegisterIndex
  ) throws(SQLError) {
    let leftValue = try register(for: left)
    let rightValue = try register(for: right)
    emit(opcode, leftValue.rawValue, rightValue.rawValue, target.rawValue)
  }

  /// RAISE ends the trigger's program, or the statement (lang_createtrigger §6).
  @inline(never)
  private func emitRaise(_ kind: RaiseKind, _ message: BoundExpression?) throws(SQLError) {
    guard let message else {
      emit(.halt, 0, Int32(ConflictPolicy.ignore.rawValue))
      return
    }
    let policy: ConflictPolicy
    switch kind {
    case .rollback: policy = .rollback
    case .fail: policy = .fail
    case .abort, .ignore:
      policy = .abort
      builder.mayAbort = true
    }
    let text = newRegister()
    try emitFresh(message, into: text)
    emit(
      .halt, ResultCode.constraintTrigger.rawValue, Int32(policy.rawValue), text.rawValue)
  }

  /// AND and OR leave out a right side with a subquery where the left side decides.
  @inline(never)
  private func emitLogic(
    _ expression: BoundExpression, _ opcode: Opcode, _ left: BoundExpression,
    _ right: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    let simple = expression.withoutIdleOperands
    guard simple === expression else {
      let value = try register(for: simple)
      emit(.and, value.rawValue, value.rawValue, target.rawValue)
      return
    }
    let (left, right) = cheaperFirst(left, right)
    guard right.traits.contains(.hasSubquery) else {
      return try emitBinary(opcode, left, right, target)
    }
    guard expression.traits.contains(.isRowComparison) else {
      return try emitShortLogic(opcode, left, right, target)
    }
    try inRowComparison { () throws(SQLError) in
      try self.emitShortLogic(opcode, left, right, target)
    }
  }

  /// The right side is computed only where the left one does not decide.
  private func emitShortLogic(
    _ opcode: Opcode, _ left: BoundExpression, _ right: BoundExpression, _ target: RegisterIndex
  ) throws(SQLError) {
    let done = newLabel()
    let leftValue = newRegister()
    try emit(left, into: leftValue)
    emit(.shallowCopy, leftValue.rawValue, target.rawValue)
    // A truth value, not the operand itself, is the result.
    emit(.and, leftValue.rawValue, leftValue.rawValue, target.rawValue)
    emit(opcode == .and ? .ifFalse : .ifTrue, leftValue.rawValue, done.operand)
    let saved = mayFactor
    mayFactor = false
    let rightValue = try register(for: right)
    mayFactor = saved
    emit(opcode, leftValue.rawValue, rightValue.rawValue, target.rawValue)
    place(done)
  }

  @inline(never)
  private func emitTruthTest(
    _ operand: BoundExpression, _ isTrue: Bool, _ isNegated: Bool, _ target: RegisterIndex
  ) throws(SQLError) {
    let value = try register(for: operand)
    // P3 is what NULL counts as before it is inverted: x IS TRUE and x IS FALSE of NULL are 0.
    let inverts = isTrue == isNegated
    emit(
      .isTrue, value.rawValue, target.rawValue, isTrue ? 0 : 1, p4: inverts ? 1 : 0)
  }

  @inline(never)
  private func emitCase(_ node: BoundCase, _ target: RegisterIndex) throws(SQLError) {
    let end = newLabel()
    let saved = mayFactor
    // A branch that is not taken must not raise its errors.
    defer { mayFactor = saved }
    var operand: RegisterIndex?
    if let expression = node.operand {
      let copy = newRegister()
      try emit(expression, into: copy)
      operand = copy
    }
    mayFactor = false
    // The target may be an operand of a branch, so the value is put there at the very end of each.
    for (index, branch) in node.branches.enumerated() {
      let next = newLabel()
      if let operand {
        let value = try register(for: branch.when)
        emitCompareJump(
          node.comparisons[index].inverted, operand, value, to: next, jumpIfNull: true)
      } else {
        try emitJump(unless: branch.when, to: next, jumpIfNull: true)
      }
      try emit(branch.then, into: target)
      emitGoto(end)
      place(next)
    }
    if let otherwise = node.otherwise {
      try emit(otherwise, into: target)
    } else {
      emitNull(target)
    }
    place(end)
  }
}

extension ArithmeticOperator {
  var opcode: Opcode {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .remainder: .remainder
    case .concat: .concat
    case .bitAnd: .bitAnd
    case .bitOr: .bitOr
    case .shiftLeft: .shiftLeft
    case .shiftRight: .shiftRight
    }
  }
}
