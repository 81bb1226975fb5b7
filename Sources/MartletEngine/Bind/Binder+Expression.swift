// Expressions. The function that calls itself only dispatches; its parts have their own frames.

extension Binder {
  /// Binds an expression that is no part of another one. With the expressions in its subqueries, and
  /// those in theirs, it may be as deep as one expression.
  @inline(__always)
  func bindEntire(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let bound = try bindCounting(expression, scope)
    try checkScalar(bound)
    return bound
  }

  /// Higher expressions in more SELECTs look at the stack: they take 500 bytes a level.
  private static let usualHeight: Int32 = 400
  private static let usualHeightDepth = 4

  /// The same for an expression that may be a row.
  @inline(__always)
  func bindCounting(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let height = expression.height
    scope.height = max(scope.height, height)
    openHeight &+= height
    defer { openHeight &-= height }
    if openHeight > environment.expressionDepthLimit {
      throw Parser.tooDeep(environment.expressionDepthLimit)
    }
    if openHeight > Binder.usualHeight && selectDepth > Binder.usualHeightDepth {
      memory.boundStack(selects: selectDepth, height: openHeight)
    }
    return try bind(expression, scope)
  }

  /// Binds an expression that must have one value.
  @inline(__always)
  func bindScalar(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let bound = try bind(expression, scope)
    try checkScalar(bound)
    return bound
  }

  @inline(never)
  func bind(_ expression: Expression, _ scope: Scope) throws(SQLError) -> BoundExpression {
    if let storedKind { try checkStored(expression, storedKind, scope) }
    try memory.attendToStack()
    switch expression.kind {
    case .null: return null()
    case .number(let digits): return try bindNumber(digits)
    case .string(let text):
      return BoundExpression(.text(text), affinity: .none, traits: [], in: memory)
    case .blob(let digits): return try bindBlob(digits)
    case .current(let kind): return try bindCurrent(kind, scope)
    case .parameter(let number):
      return BoundExpression(.parameter(number), affinity: .none, traits: .hasParameter, in: memory)
    case .identifier(let name): return try bindIdentifier(name, scope)
    case .column(let table, let column):
      return try bindColumn(ColumnName(schema: nil, table: table, column: column), scope)
    case .qualifiedColumn(let name):
      let schema = name.object.schema
      return try bindColumn(
        ColumnName(
          schema: ignoresSchemas ? nil : schema, table: name.object.table,
          column: name.object.column), scope, at: schema.offset)
    case .unary(let operation, let operand): return try bindUnary(operation, operand, scope)
    case .binary: return try bindBinary(expression, scope)
    // Nests deepest of all, and takes most of the stack.
    case .caseWhen(let branches): return try bindCase(branches.object, scope)
    default: return try bindLonger(expression, scope)
    }
  }

  @inline(never)
  private func bindLonger(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch expression.kind {
    case .nullTest(let operand, let isNegated):
      return try bindNullTest(operand, isNegated, scope)
    case .collate(let operand, let name): return try bindCollate(operand, name, scope)
    case .cast(let operand, let type): return try bindCast(operand, type, scope)
    case .like(let like): return try bindLike(like.object, scope)
    case .between(let between): return try bindBetween(between.object, scope)
    case .inList(let operand, let items, let isNegated):
      return try bindInList(operand, items, isNegated, scope)
    case .inSelect(let operand, let select, let isNegated):
      return try bindInSelect(operand, select, isNegated, scope)
    case .inTable(let item): return try bindInTable(item.object, scope)
    case .exists(let select): return try bindExists(select, scope)
    case .subquery(let select): return try bindSubquery(select, scope)
    case .columnOfFirstSource(let index, let isKept):
      let column = try column(index, of: scope.sources[0])
      return isKept ? column.kept : column
    case .subqueryItem(let row, let index):
      return try bindSubqueryItem(row.object, Int(index), scope)
    case .function(let call): return try bindFunction(call.object, scope)
    case .row(let items): return try bindRow(items, scope)
    case .raise(let kind, let message): return try bindRaise(kind, message, scope)
    default: throw SQLError(.internal)
    }
  }

  // MARK: Leaves

  func null() -> BoundExpression { BoundExpression(.null, affinity: .none, traits: [], in: memory) }

  func integer(_ value: Int64) -> BoundExpression {
    BoundExpression(.integer(value), affinity: .none, traits: [], in: memory)
  }

  @inline(never)
  private func bindNumber(_ digits: ByteSlice) throws(SQLError) -> BoundExpression {
    switch NumberLiteral(digits) {
    case .integer(let value): return integer(value)
    case .real(let value):
      return BoundExpression(.real(value, digits), affinity: .none, traits: [], in: memory)
    case .tooBig: throw .sql("hex literal too big: \(digits.string)", offset: place(of: digits))
    }
  }

  /// Where the digits stand in the text; -1 if they are no piece of it.
  private func place(of digits: ByteSlice) -> Int32 {
    let place = Int(bitPattern: digits.start) &- Int(bitPattern: text.start)
    return 0 <= place && place < text.count ? Int32(truncatingIfNeeded: place) : -1
  }

  @inline(never)
  private func bindBlob(_ digits: ByteSlice) throws(SQLError) -> BoundExpression {
    let count = digits.count / 2
    let memory = try arena.allocateUnescaped(count)
    NumberLiteral.decodeBlob(digits.start, count, into: memory)
    return BoundExpression(
      .blob(ByteSlice(start: UnsafePointer(memory), count: count)), affinity: .none, traits: [],
      in: self.memory)
  }

  // MARK: Operators of one operand

  @inline(never)
  private func bindUnary(
    _ operation: UnaryOperator, _ operand: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if operation == .minus, case .number(let digits) = operand.kind {
      switch NumberLiteral(digits, isNegated: true) {
      case .integer(let value): return integer(value)
      case .real(let value):
        return BoundExpression(.real(value, digits), affinity: .none, traits: [], in: memory)
      case .tooBig:
        throw .sql("hex literal too big: -\(digits.string)", offset: place(of: digits))
      }
    }
    let bound = try bindScalar(operand, scope)
    switch operation {
    case .minus: return unary(.negate(bound), bound)
    case .not: return makeNot(bound)
    case .bitNot: return unary(.bitNot(bound), bound)
    case .plus: return makePlus(bound)
    }
  }

  /// Unary plus takes the affinity away, not the collation.
  func makePlus(_ operand: BoundExpression) -> BoundExpression {
    BoundExpression(
      .plus(operand), affinity: .none, collation: operand.collation,
      hasExplicitCollation: operand.hasExplicitCollation,
      traits: operand.traits.intersection(.inherited), in: memory)
  }

  @inline(never)
  private func bindNullTest(
    _ operand: Expression, _ isNegated: Bool, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    makeNullTest(try bindScalar(operand, scope), isNegated, scope)
  }

  /// Whether a column that is never NULL, or its negative, is NULL, is known.
  private func makeNullTest(
    _ operand: BoundExpression, _ isNegated: Bool, _ scope: Scope
  ) -> BoundExpression {
    if !keepsNullTests, case .column(let id, let column) = operand.withoutSigns.kind,
      isNeverNull(column, of: id, scope)
    {
      return integer(isNegated ? 1 : 0)
    }
    return unary(.nullTest(operand, isNegated: isNegated), operand)
  }

  private func isNeverNull(_ column: Int32, of id: SourceID, _ scope: Scope) -> Bool {
    var level: Scope? = scope
    while let scope = level {
      if let position = scope.sources.firstIndex(where: { $0.id == id }) {
        // An outer join can make rows of NULLs.
        let source = scope.sources[position]
        // Neither are columns of an aggregate over no rows, which WHERE and ON do not see.
        guard scope.clause == .condition || scope.clause == .other,
          case .table(let table) = source.kind, !source.join.contains(.left),
          !scope.sources.dropFirst(position + 1).contains(where: { $0.join.contains(.right) })
        else { return false }
        return column < 0 || table.columns[Int(column)].isNotNull
      }
      level = scope.outer
    }
    return false
  }

  @inline(never)
  private func bindCollate(
    _ operand: Expression, _ name: Name, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let bound = try bindScalar(operand, scope)
    return makeCollate(bound, collation(named: name))
  }

  func makeCollate(_ operand: BoundExpression, _ collation: Collation) -> BoundExpression {
    BoundExpression(
      .collate(operand), affinity: operand.affinity, collation: collation,
      hasExplicitCollation: true, traits: operand.traits, in: memory)
  }

  @inline(never)
  private func bindCast(
    _ operand: Expression, _ type: ByteSlice, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let bound = try bindScalar(operand, scope)
    let affinity = Affinity(writtenType: type)
    return BoundExpression(
      .cast(bound, affinity), affinity: affinity, collation: bound.collation,
      hasExplicitCollation: bound.hasExplicitCollation,
      traits: bound.traits.intersection(.inherited), in: memory)
  }

  @inline(never)
  private func bindRow(
    _ items: UnsafeBufferPointer<Expression>, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var bound: [BoundExpression] = []
    bound.reserveCapacity(items.count)
    var traits = BoundExpression.Traits.isVector
    for item in items {
      let value = try bind(item, scope)
      traits.formUnion(value.traits.intersection(.inherited))
      bound.append(value)
    }
    return BoundExpression(
      .row(memory.list(bound)), affinity: bound.first?.affinity ?? .none,
      collation: bound.first?.collation,
      traits: traits, in: memory)
  }

  // MARK: Operators of two operands

  /// Chains that lean left, as AND and || make them, are walked in a loop.
  @inline(never)
  private func bindBinary(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard case .binary(let operation, let left, let right) = expression.kind else {
      throw SQLError(.internal)
    }
    guard case .binary = left.kind else {
      guard try mayApply(operation) else { return null() }
      let bound = try bind(left, scope)
      if operation == .and && (left.isAlwaysFalse || right.isAlwaysFalse) {
        return try bindFalse(bound, right, scope)
      }
      return try bindRight(operation, bound, right, scope)
    }
    return try bindChain(expression, scope)
  }

  @inline(never)
  private func bindChain(
    _ expression: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var chain: [(operation: BinaryOperator, left: Expression, right: Expression)] = []
    var bottom = expression
    var isIgnored = false
    while !isIgnored, case .binary(let operation, let left, let right) = bottom.kind {
      isIgnored = try !mayApply(operation)
      if isIgnored { break }
      chain.append((operation, left, right))
      bottom = left
    }
    var result = isIgnored ? null() : try bind(bottom, scope)
    for (operation, left, right) in chain.reversed() {
      if operation == .and && (left.isAlwaysFalse || right.isAlwaysFalse) {
        result = try bindFalse(result, right, scope)
      } else {
        result = try bindRight(operation, result, right, scope)
      }
    }
    return result
  }

  /// Asks about an operator that is a function, before its operands are. False if it is to be NULL.
  @inline(__always)
  private func mayApply(_ operation: BinaryOperator) throws(SQLError) -> Bool {
    if authorizer == nil { return true }
    switch operation {
    case .extractJSON: return try mayCall("->", as: Name("->"))
    case .extractValue: return try mayCall("->>", as: Name("->>"))
    default: return true
    }
  }

  /// AND with something that is false as it is written, which may stand beside a row value: only
  /// what is computed may not be one.
  @inline(never)
  private func bindFalse(
    _ left: BoundExpression, _ right: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let right = try bind(right, scope)
    if left.traits.union(right.traits).contains(.isVector) {
      return BoundExpression(.integer(0), affinity: .none, traits: [], in: memory)
    }
    return makeAnd(left, right)
  }

  @inline(never)
  private func bindRight(
    _ operation: BinaryOperator, _ left: BoundExpression, _ right: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    switch operation {
    case .equal: return try makeComparison(.equal, left, try bind(right, scope))
    case .notEqual: return try makeComparison(.notEqual, left, try bind(right, scope))
    case .less: return try makeComparison(.less, left, try bind(right, scope))
    case .lessOrEqual: return try makeComparison(.lessOrEqual, left, try bind(right, scope))
    case .greater: return try makeComparison(.greater, left, try bind(right, scope))
    case .greaterOrEqual:
      return try makeComparison(.greaterOrEqual, left, try bind(right, scope))
    case .is, .isNotDistinctFrom: return try bindIs(left, right, isNegated: false, scope)
    case .isNot, .isDistinctFrom: return try bindIs(left, right, isNegated: true, scope)
    case .extractJSON: return try bindExtract(Name("->"), left, right, scope)
    case .extractValue: return try bindExtract(Name("->>"), left, right, scope)
    default: break
    }
    try checkScalar(left)
    let bound = try bindScalar(right, scope)
    if operation == .and { return makeAnd(left, bound) }
    if operation == .or { return makeOr(left, bound) }
    return binary(.arithmetic(Binder.arithmetic(operation), left, bound), left, bound)
  }

  private static func arithmetic(_ operation: BinaryOperator) -> ArithmeticOperator {
    switch operation {
    case .bitAnd: .bitAnd
    case .bitOr: .bitOr
    case .shiftLeft: .shiftLeft
    case .shiftRight: .shiftRight
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .remainder: .remainder
    case .concat: .concat
    default: .add
    }
  }

  /// IS and IS NOT: with a literal NULL a test for it, with the word TRUE or FALSE, collated or not,
  /// one for that.
  @inline(never)
  private func bindIs(
    _ left: BoundExpression, _ right: Expression, isNegated: Bool, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if case .null = right.kind {
      try checkScalar(left)
      return makeNullTest(left, isNegated, scope)
    }
    let bound = try bind(right, scope), word = bound.withoutCollate
    if word.traits.contains(.isTruthWord), case .integer(let value) = word.kind, knowsTruthWords {
      try checkScalar(left)
      asksForTruth = true
      return unary(.truthTest(left, isTrue: value == 1, isNegated: isNegated), left)
    }
    return try makeComparison(isNegated ? .isNot : .is, left, bound)
  }

  @inline(never)
  private func bindExtract(
    _ name: Name, _ left: BoundExpression, _ right: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    try checkScalar(left)
    let bound = try bindScalar(right, scope)
    return try makeCall(name, [left, bound])
  }

  // MARK: BETWEEN and CASE

  @inline(never)
  private func bindBetween(
    _ between: Between, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let operand = try bind(between.operand, scope)
    let lower = try bind(between.lower, scope), upper = try bind(between.upper, scope)
    let vectors = operand.traits.union(lower.traits).union(upper.traits)
    if vectors.contains(.isVector) {
      let both = makeAnd(
        try makeComparison(.greaterOrEqual, operand, lower),
        try makeComparison(.lessOrEqual, operand, upper))
      return between.isNegated ? makeNot(both) : both
    }
    let bound = BoundBetween(
      operand: operand, lower: lower, upper: upper,
      lowerComparison: try comparison(.greaterOrEqual, operand, lower),
      upperComparison: try comparison(.lessOrEqual, operand, upper))
    let result = combined(.between(bound), [operand, lower, upper])
    return between.isNegated ? makeNot(result) : result
  }

  @inline(never)
  private func bindCase(_ branches: Case, _ scope: Scope) throws(SQLError) -> BoundExpression {
    let operand = try branches.operand.map { (item) throws(SQLError) in try bind(item, scope) }
    var operands: [BoundExpression] = operand.map { [$0] } ?? []
    var bound: [BoundCase.Branch] = []
    var comparisons: [BoundComparison] = []
    let isVector = operand?.traits.contains(.isVector) ?? false
    for branch in branches.branches {
      var when = try bind(branch.when, scope)
      if let operand, isVector { when = try makeComparison(.equal, operand, when) }
      try checkScalar(when)
      if let operand, !isVector { comparisons.append(try comparison(.equal, operand, when)) }
      let then = try bindScalar(branch.then, scope)
      bound.append(BoundCase.Branch(when: when, then: then))
      operands.append(when)
      operands.append(then)
    }
    var otherwise: BoundExpression?
    if let expression = branches.otherwise {
      let value = try bindScalar(expression, scope)
      otherwise = value
      operands.append(value)
    }
    let result = BoundCase(
      operand: isVector ? nil : operand, branches: bound, comparisons: comparisons,
      otherwise: otherwise, in: memory)
    return combined(.caseWhen(result), operands)
  }

  /// An expression of any number of operands, without affinity.
  func combined(
    _ kind: BoundExpression.Kind, _ operands: [BoundExpression],
    adding traits: BoundExpression.Traits = []
  ) -> BoundExpression {
    var traits = traits
    var explicit: BoundExpression?
    for operand in operands {
      traits.formUnion(operand.traits.intersection(.inherited))
      if explicit == nil && operand.hasExplicitCollation { explicit = operand }
    }
    return BoundExpression(
      kind, affinity: .none, collation: explicit?.collation,
      hasExplicitCollation: explicit != nil, traits: traits, in: memory)
  }
}
