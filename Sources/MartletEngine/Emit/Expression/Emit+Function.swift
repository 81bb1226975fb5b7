extension Emitter {
  /// A call of a scalar function. A call of constants is made once, where it is first reached: made
  /// in the set-up code, its error would come even if the call is never reached.
  @inline(never)
  func emitFunction(
    _ expression: BoundExpression, _ call: BoundFunction, _ target: RegisterIndex
  ) throws(SQLError) {
    if let refusal = call.function.refusal { throw refusal }
    if call.isUnsafe { throw .sql("unsafe use of \(call.function.name)()") }
    if let inlined = call.function.inlineKind {
      return try emitInline(inlined, call, target)
    }
    // What a trigger does, it does once for each run of its own.
    guard expression.isFixed, mayFactor || !builder.isSubprogram else {
      return try emitCall(call, target)
    }
    let result = newRegister(), done = newLabel(), saved = mayFactor
    emit(.once, 0, done.operand)
    mayFactor = false
    try emitCall(call, result)
    mayFactor = saved
    place(done)
    emit(.shallowCopy, result.rawValue, target.rawValue)
  }

  private func emitCall(_ call: BoundFunction, _ target: RegisterIndex) throws(SQLError) {
    let count = call.arguments.count, function = overloaded(call)
    let first = count == 0 ? RegisterIndex.none : builder.newRegisters(count)
    for (offset, argument) in call.arguments.enumerated() {
      try emitArgument(argument, of: function, into: first + offset)
    }
    var constantArguments: UInt32 = 0
    if function.flags.contains(.application) {
      for (offset, argument) in call.arguments.prefix(32).enumerated() where argument.isConstant {
        constantArguments |= 1 << UInt32(offset)
      }
    }
    let info = FunctionCallInfo(
      function: function, argumentCount: count, collation: call.collation,
      constantArguments: constantArguments, storedPlace: call.storedPlace)
    builder.tables.functionCalls.append(info)
    // Any function may fail, whatever the statement's conflict clause says.
    builder.mayAbort = true
    emit(
      .function, 0, first.rawValue, target.rawValue,
      p4: Int32(builder.tables.functionCalls.count - 1))
  }

  /// The function, or what a virtual table has in its place for its columns: a call looks at its first
  /// argument, an operator at what stands on its left, which is its second one (vtab §2.15).
  private func overloaded(_ call: BoundFunction) -> ScalarFunction {
    let count = call.arguments.count
    let known = ["match", "like", "glob", "regexp"].first {
      call.function.name.isSameName(as: $0)
    }
    let name = known ?? call.function.name
    let position = call.patternOperator == nil ? 0 : 1
    guard position < count, case .column(let id, _) = call.arguments[position].kind,
      case .virtual(_, let table) = access(id).kind,
      let overloading = table.virtual?.object as? any FunctionOverloading,
      let own = overloading.function(named: name, argumentCount: count)
    else { return call.function }
    return own.scalarFunction(name, argumentCount: count)
  }

  /// length(column) and typeof(column) need not load a large value.
  private func emitArgument(
    _ argument: BoundExpression, of function: ScalarFunction, into target: RegisterIndex
  ) throws(SQLError) {
    if let flags = function.columnFlags, try emitShape(of: argument, flags, into: target) { return }
    try emitArgument(argument, mattersSubtype: function.flags.contains(.subtype), into: target)
  }

  /// Reads of a column that is stored what is asked of it: its content may be on many pages. False,
  /// with nothing emitted, for other expressions.
  func emitShape(
    of expression: BoundExpression, _ flags: ColumnFlags, into target: RegisterIndex
  ) throws(SQLError) -> Bool {
    guard case .column(let id, let column) = expression.kind, access(id).captured.isEmpty else {
      return false
    }
    switch access(id).kind {
    case .table, .coveringIndex: try emitColumn(id, column, target, flags: flags)
    default: return false
    }
    return true
  }

  /// Emits an argument. Indexes of what it calls have the values, and not the subtypes.
  func emitArgument(
    _ argument: BoundExpression, mattersSubtype: Bool, into target: RegisterIndex
  ) throws(SQLError) {
    guard mattersSubtype, argument.mayHaveSubtype, !indexedExpressions.isEmpty else {
      return try emit(argument, into: target)
    }
    let indexed = indexedExpressions
    indexedExpressions.removeAll(where: \.expression.mayHaveSubtype)
    defer { indexedExpressions = indexed }
    try emit(argument, into: target)
  }

  private func emitInline(
    _ kind: ScalarFunction.InlineKind, _ call: BoundFunction, _ target: RegisterIndex
  ) throws(SQLError) {
    let saved = mayFactor
    defer { mayFactor = saved }
    switch kind {
    case .coalesce:
      let end = newLabel()
      let result = newRegister()
      for (index, argument) in call.arguments.enumerated() {
        try emit(argument, into: result)
        mayFactor = false
        if index < call.arguments.count - 1 { emit(.notNull, result.rawValue, end.operand) }
      }
      place(end)
      emit(.shallowCopy, result.rawValue, target.rawValue)
    case .iif:
      try emitIif(call.arguments, target)
    case .firstArgument:
      try emit(call.arguments[0], into: target)
    case .withoutSubtype:
      try emit(call.arguments[0], into: target)
      emit(.clearSubtype, target.rawValue)
    }
  }

  /// iif(a, b, c, d, …, z): pairs of condition and value, then the value of none.
  private func emitIif(
    _ arguments: BoundList<BoundExpression>, _ target: RegisterIndex
  ) throws(SQLError) {
    let end = newLabel()
    let result = newRegister()
    var index = 0
    mayFactor = false
    while index + 1 < arguments.count {
      let next = newLabel()
      try emitJump(unless: arguments[index], to: next, jumpIfNull: true)
      try emit(arguments[index + 1], into: result)
      emitGoto(end)
      place(next)
      index += 2
    }
    if index < arguments.count {
      try emit(arguments[index], into: result)
    } else {
      emitNull(result)
    }
    place(end)
    emit(.shallowCopy, result.rawValue, target.rawValue)
  }
}
