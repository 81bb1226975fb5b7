// Affinity and collation of operators (datatype3 §4.2 and §7.1).

extension Binder {
  /// The affinity that is applied to both operands before they are compared (datatype3 §4.2).
  @inline(__always)
  static func comparisonAffinity(_ left: Affinity, _ right: Affinity) -> Affinity {
    if left.rawValue > Affinity.none.rawValue && right.rawValue > Affinity.none.rawValue {
      return left.isNumeric || right.isNumeric ? .numeric : .blob
    }
    return left == .none ? right : left
  }

  /// The collation of a comparison: an explicit one before a column's, the left before the right.
  @inline(__always)
  func comparisonCollation(
    _ left: BoundExpression, _ right: BoundExpression
  ) throws(SQLError) -> Collation {
    if left.hasExplicitCollation { return try usable(left.collation) }
    if right.hasExplicitCollation { return try usable(right.collation) }
    return try usable(left.collation ?? right.collation)
  }

  func comparison(
    _ operator: BoundComparison.Operator, _ left: BoundExpression, _ right: BoundExpression
  ) throws(SQLError) -> BoundComparison {
    BoundComparison(
      operator: `operator`,
      affinity: Binder.comparisonAffinity(left.affinity, right.affinity),
      collation: try comparisonCollation(left, right))
  }

  /// An expression of two operands without affinity. An explicit collation shines through.
  @inline(__always)
  func binary(
    _ kind: BoundExpression.Kind, _ left: BoundExpression, _ right: BoundExpression
  ) -> BoundExpression {
    let traits = kind.traits(of: left, right)
    if !left.hasExplicitCollation && !right.hasExplicitCollation {
      return BoundExpression(kind, affinity: .none, traits: traits, in: memory)
    }
    return BoundExpression(
      kind, affinity: .none,
      collation: left.hasExplicitCollation ? left.collation : right.collation,
      hasExplicitCollation: true, traits: traits, in: memory)
  }

  /// An expression of one operand, without affinity.
  @inline(__always)
  func unary(_ kind: BoundExpression.Kind, _ operand: BoundExpression) -> BoundExpression {
    BoundExpression(
      kind, affinity: .none, collation: operand.hasExplicitCollation ? operand.collation : nil,
      hasExplicitCollation: operand.hasExplicitCollation,
      traits: operand.traits.intersection(.inherited), in: memory)
  }

  /// A comparison of two scalars or of two row values.
  func makeComparison(
    _ operator: BoundComparison.Operator, _ left: BoundExpression, _ right: BoundExpression
  ) throws(SQLError) -> BoundExpression {
    if left.traits.contains(.isVector) || right.traits.contains(.isVector) {
      return try makeRowComparison(`operator`, left, right)
    }
    return binary(.comparison(try comparison(`operator`, left, right), left, right), left, right)
  }

  func makeAnd(_ left: BoundExpression, _ right: BoundExpression) -> BoundExpression {
    binary(.and(left, right), left, right)
  }

  func makeOr(_ left: BoundExpression, _ right: BoundExpression) -> BoundExpression {
    binary(.or(left, right), left, right)
  }

  func makeNot(_ operand: BoundExpression) -> BoundExpression { unary(.not(operand), operand) }

  // MARK: Row values

  /// How many values an expression has: 1 but for row values and subqueries of more columns.
  static func width(_ expression: BoundExpression) -> Int {
    switch expression.kind {
    case .row(let items): items.count
    case .scalarSubquery(let subquery): subquery.columns.count
    default: 1
    }
  }

  /// The values of a row value, or the columns of a subquery, or the expression itself.
  static func elements(_ expression: BoundExpression) -> [BoundExpression] {
    switch expression.kind {
    case .row(let items): return Array(items)
    case .scalarSubquery(let subquery) where subquery.columns.count > 1:
      let select = subquery
      return select.typingColumns.enumerated().map { index, column in
        BoundExpression(
          .subqueryColumn(subquery, Int32(index)), affinity: column.affinity,
          collation: column.collation, hasExplicitCollation: column.hasExplicitCollation,
          traits: expression.traits.intersection(.inherited), in: expression.memory)
      }
    default: return [expression]
    }
  }

  /// Row values compare like words, the first difference decides (rowvalue §2.1).
  @inline(never)
  private func makeRowComparison(
    _ operator: BoundComparison.Operator, _ left: BoundExpression, _ right: BoundExpression
  ) throws(SQLError) -> BoundExpression {
    guard Binder.width(left) == Binder.width(right) else { throw .rowValueMisused }
    let lefts = Binder.elements(left), rights = Binder.elements(right)
    for items in [lefts, rights] {
      for item in items { try checkScalar(item) }
    }
    let result =
      switch `operator` {
      case .equal, .is: try combine(lefts, rights, `operator`, joinedByAnd: true)
      case .notEqual, .isNot: try combine(lefts, rights, `operator`, joinedByAnd: false)
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        try order(lefts, rights, `operator`)
      }
    return BoundExpression(
      result.kind, affinity: result.affinity, collation: result.collation,
      hasExplicitCollation: result.hasExplicitCollation,
      traits: result.traits.union(.isRowComparison), in: memory)
  }

  private func combine(
    _ lefts: [BoundExpression], _ rights: [BoundExpression], _ operator: BoundComparison.Operator,
    joinedByAnd: Bool
  ) throws(SQLError) -> BoundExpression {
    var result: BoundExpression?
    for index in lefts.indices {
      let item = try makeComparison(`operator`, lefts[index], rights[index])
      guard let sofar = result else {
        result = item
        continue
      }
      result = joinedByAnd ? makeAnd(sofar, item) : makeOr(sofar, item)
    }
    return result ?? integer(1)
  }

  private static let maximumOrderedWidth = 200

  /// `(a, b) < (c, d)` is `a < c OR (a = c AND b < d)`.
  private func order(
    _ lefts: [BoundExpression], _ rights: [BoundExpression], _ operator: BoundComparison.Operator
  ) throws(SQLError) -> BoundExpression {
    // Deeper expressions would need too much stack.
    guard lefts.count <= Binder.maximumOrderedWidth else {
      throw .notSupported("order of row values with more than 200 items")
    }
    let last = lefts.count - 1
    var result = try makeComparison(`operator`, lefts[last], rights[last])
    let strict: BoundComparison.Operator =
      `operator` == .less || `operator` == .lessOrEqual ? .less : .greater
    for index in (0..<last).reversed() {
      let decided = try makeComparison(strict, lefts[index], rights[index])
      let equal = try makeComparison(.equal, lefts[index], rights[index])
      result = makeOr(decided, makeAnd(equal, result))
    }
    return result
  }

  /// Refuses a row value, and a subquery of several columns, where one value is wanted.
  @inline(__always)
  func checkScalar(_ expression: BoundExpression) throws(SQLError) {
    if expression.traits.contains(.isVector) { try refuseVector(expression) }
  }

  @inline(never)
  func refuseVector(_ expression: BoundExpression) throws(SQLError) {
    // ALTER TABLE only looks names up.
    if isRenaming { return }
    if case .scalarSubquery(let subquery) = expression.kind {
      throw .subqueryColumns(subquery.columns.count, expected: 1)
    }
    throw .rowValueMisused
  }
}

extension SQLError {
  static var rowValueMisused: SQLError { .sql("row value misused") }

  static func subqueryColumns(_ count: Int, expected: Int) -> SQLError {
    .sql("sub-select returns \(count) columns - expected \(expected)")
  }
}

extension BoundSelect {
  /// The last part of a compound, which decides the type of a subquery's value; otherwise itself.
  var lastPart: BoundSelect {
    switch self.body {
    case .compound(let parts, _, _): parts.last ?? self
    case .recursive(let recursion): recursion.step.lastPart
    default: self
    }
  }

  /// What the columns' values get their affinities and collations from, where a subquery is
  /// compared: the columns of the last part, to which SQLite counts each row of VALUES.
  var typingColumns: [BoundExpression] {
    let last = self.lastPart
    if case .values(let rows) = last.body, last.typingRow > 0 { return rows[last.typingRow] }
    return last.columns.map(\.expression)
  }

  /// The first part of a compound; otherwise itself.
  var firstPart: BoundSelect {
    switch self.body {
    case .compound(let parts, _, _): parts.first ?? self
    case .recursive(let recursion): recursion.setup.firstPart
    default: self
    }
  }
}
