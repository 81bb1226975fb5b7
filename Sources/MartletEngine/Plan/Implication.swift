// What follows from a condition that is true: another condition, or that something is not NULL.

extension BoundExpression {
  /// Wherever this is true, `other` is (SQLite's sqlite3ExprImpliesExpr). Of a constant SQLite never
  /// says so.
  func implies(
    _ other: BoundExpression, _ parameters: PlanParameters?
  ) throws(SQLError) -> Bool {
    guard other.traits.contains(.hasColumn) else { return false }
    if isSame(as: other) { return true }
    if try isSameComparison(as: other, parameters) { return true }
    switch other.kind {
    case .or(let left, let right):
      if try implies(left, parameters) { return true }
      if try implies(right, parameters) { return true }
    case .nullTest(let operand, isNegated: true):
      if impliesNotNull(operand.withoutCollate, seenNot: false) { return true }
    default: break
    }
    return try onlyCondition?.implies(other, parameters) ?? false
  }

  /// Of a CASE, or an iif(), that is true in one case only: its condition (SQLite's
  /// sqlite3ExprIsIIF).
  private var onlyCondition: BoundExpression? {
    let bare = withoutCollate
    switch bare.kind {
    case .caseWhen(let choice) where !bare.traits.contains(.isNullIfNoRow):
      guard choice.operand == nil, choice.branches.count == 1,
        choice.otherwise?.isNeverTrue ?? true
      else { return nil }
      return choice.branches[0].when
    case .function(let call) where call.function.flags.contains(.inline):
      guard call.function.name == "iif" || call.function.name == "if",
        call.arguments.count == 2 || call.arguments.count == 3 && call.arguments[2].isNeverTrue
      else { return nil }
      return call.arguments[0]
    default: return nil
    }
  }

  /// The literal 0, FALSE or NULL, or what is as false as they are.
  private var isNeverTrue: Bool {
    switch kind {
    case .null: true
    case .plus(let operand), .negate(let operand): operand.isNeverTrue
    default: isAlwaysFalse
    }
  }

  /// The same comparison of a column, this one with a parameter that is bound to what the other one
  /// has there.
  private func isSameComparison(
    as other: BoundExpression, _ parameters: PlanParameters?
  ) throws(SQLError) -> Bool {
    guard let parameters, case .comparison(let comparison, let left, let right) = kind,
      case .comparison(let otherComparison, let otherLeft, let otherRight) = other.kind,
      comparison.operator == otherComparison.operator
    else { return false }
    if case .parameter(let number) = right.kind, left.isSame(as: otherLeft) {
      return try otherRight.hasValue(ofParameter: number, parameters)
    }
    if case .parameter(let number) = left.kind, right.isSame(as: otherRight) {
      return try otherLeft.hasValue(ofParameter: number, parameters)
    }
    return false
  }

  /// It is a constant whose value a parameter is bound to (SQLite's exprCompareVariable).
  private func hasValue(
    ofParameter number: Int32, _ parameters: PlanParameters
  ) throws(SQLError) -> Bool {
    let constant = Constant(encoding: .utf8, functionHost: nil, parameters: nil)
    guard var value = try constant.value(of: self, .blob) else { return false }
    defer { value.deinitialize() }
    guard var bound = try parameters.value(of: Int(number), in: .utf8) else { return false }
    defer { bound.deinitialize() }
    if bound.tag == .null { return false }
    return try Comparison.compare(&value, &bound, .binary, .utf8) == 0
  }

  /// Where this is true, or with `seenNot` where it is not NULL, `operand` is not NULL.
  @inline(never)
  func impliesNotNull(_ operand: BoundExpression, seenNot: Bool) -> Bool {
    if isSame(as: operand) {
      if case .null = operand.kind { return false }
      return true
    }
    switch kind {
    case .inList(let list): return list.operand.impliesNotNull(operand, seenNot: true)
    case .inSelect(let select):
      if seenNot || select.operands.count != 1 { return false }
      return select.operands[0].impliesNotNull(operand, seenNot: true)
    case .between(let between):
      if seenNot { return false }
      return between.lower.impliesNotNull(operand, seenNot: true)
        || between.upper.impliesNotNull(operand, seenNot: true)
        || between.operand.impliesNotNull(operand, seenNot: true)
    case .comparison(let comparison, let left, let right):
      if comparison.operator == .is || comparison.operator == .isNot { return false }
      return right.impliesNotNull(operand, seenNot: true)
        || left.impliesNotNull(operand, seenNot: true)
    case .arithmetic(let operation, let left, let right):
      // The product with 0 is 0 only if both are not NULL, but a division by 0 is NULL.
      let strict = seenNot || !operation.mayBeFalseOfTruth
      return right.impliesNotNull(operand, seenNot: strict)
        || left.impliesNotNull(operand, seenNot: strict)
    case .collate(let inner), .plus(let inner), .negate(let inner):
      return inner.impliesNotNull(operand, seenNot: seenNot)
    case .truthTest(let inner, _, isNegated: false):
      return !seenNot && inner.impliesNotNull(operand, seenNot: true)
    case .not(let inner), .bitNot(let inner):
      return inner.impliesNotNull(operand, seenNot: true)
    default: return false
    }
  }

  /// Where this is true, the row of `source` is not one of NULLs (SQLite's
  /// sqlite3ExprImpliesNonNullRow). SQLite does not see NOT NULL where it is the last condition of
  /// several.
  ///
  /// - Parameter isLast: This condition stands behind others.
  func impliesRow(
    of source: SourceID, in sources: TreeList<BoundSource>, isLast: Bool = false
  ) -> Bool {
    var condition = withoutLikelihood
    if condition.traits.contains(.isRowComparison) { return false }
    if !isLast, case .nullTest(let operand, isNegated: true) = condition.kind {
      return operand.needsRow(of: source, sources)
    }
    while case .and(let left, let right) = condition.kind {
      if left.impliesRow(of: source, in: sources) { return true }
      condition = right
      if condition.traits.contains(.isRowComparison) { return false }
    }
    return condition.needsRow(of: source, sources)
  }

  /// If every column of `source` is NULL, this is false or NULL.
  @inline(never)
  fileprivate func needsRow(of source: SourceID, _ sources: TreeList<BoundSource>) -> Bool {
    // SQLite does not look into row values.
    if traits.contains(.isRowComparison) { return false }
    switch kind {
    case .column(let id, _): return id == source
    case .and(let left, let right):
      return left.needsRow(of: source, sources) && right.needsRow(of: source, sources)
    case .or(let left, let right):
      return left.needsRow(of: source, sources) && right.needsRow(of: source, sources)
    case .inList(let list): return list.operand.needsRow(of: source, sources)
    case .between(let between):
      return between.operand.needsRow(of: source, sources)
        || (between.lower.needsRow(of: source, sources)
          && between.upper.needsRow(of: source, sources))
    case .comparison(let comparison, let left, let right):
      if comparison.operator == .is || comparison.operator == .isNot { return false }
      // A virtual table may say what it likes of a comparison that it takes.
      if left.isVirtualColumn(of: sources) || right.isVirtualColumn(of: sources) { return false }
      return left.needsRow(of: source, sources) || right.needsRow(of: source, sources)
    case .arithmetic(_, let left, let right):
      return left.needsRow(of: source, sources) || right.needsRow(of: source, sources)
    case .negate(let inner), .plus(let inner), .bitNot(let inner), .collate(let inner),
      .cast(let inner, _), .not(let inner):
      return inner.needsRow(of: source, sources)
    default: return false
    }
  }
}

extension BoundExpression {
  func isVirtualColumn(of sources: TreeList<BoundSource>) -> Bool {
    guard case .column(let id, _) = kind else { return false }
    return sources.contains { source in
      guard source.id == id, case .table(let table) = source.kind else { return false }
      return table.isVirtual
    }
  }
}

extension ArithmeticOperator {
  /// SQLite goes on with its state for these, as their result can be 0 or NULL for other reasons.
  fileprivate var mayBeFalseOfTruth: Bool {
    switch self {
    case .multiply, .divide, .remainder, .bitAnd: true
    default: false
    }
  }
}
