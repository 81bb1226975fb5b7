// Whether two expressions always have the same value because they are written the same (SQLite's
// sqlite3ExprCompare). Subqueries are never the same, unless they are one object.

extension BoundExpression {
  /// Both are the same expression. With `ignoringCollate`, COLLATE around either does not count.
  func isSame(as other: BoundExpression, ignoringCollate: Bool = false) -> Bool {
    if ignoringCollate { return withoutCollate.isSame(as: other.withoutCollate) }
    var left = self, right = other
    while true {
      if left === right { return true }
      switch (left.kind, right.kind) {
      case (.column(let source, let column), .column(let otherSource, let otherColumn)):
        return source == otherSource && column == otherColumn
      case (
        .fixedColumn(let source, let column, let value),
        .fixedColumn(let otherSource, let otherColumn, let otherValue)
      ):
        guard source == otherSource, column == otherColumn else { return false }
        (left, right) = (value, otherValue)
      case (.fixedColumn(let source, let column, _), .column(let otherSource, let otherColumn)),
        (.column(let source, let column), .fixedColumn(let otherSource, let otherColumn, _)):
        return source == otherSource && column == otherColumn
      case (.and(let first, let second), .and(let otherFirst, let otherSecond)),
        (.or(let first, let second), .or(let otherFirst, let otherSecond)):
        guard second.isSame(as: otherSecond) else { return false }
        (left, right) = (first, otherFirst)
      case (
        .arithmetic(let operation, let first, let second),
        .arithmetic(let otherOperation, let otherFirst, let otherSecond)
      ):
        guard operation == otherOperation, second.isSame(as: otherSecond) else { return false }
        (left, right) = (first, otherFirst)
      case (
        .comparison(let comparison, let first, let second),
        .comparison(let otherComparison, let otherFirst, let otherSecond)
      ):
        // Turned around, the same operands may be compared by the other one's collation.
        guard comparison.operator == otherComparison.operator,
          comparison.collation === otherComparison.collation, second.isSame(as: otherSecond)
        else { return false }
        (left, right) = (first, otherFirst)
      default: return left.isSameSimple(as: right)
      }
    }
  }

  @inline(never)
  private func isSameSimple(as other: BoundExpression) -> Bool {
    switch (kind, other.kind) {
    case (.null, .null): true
    // TRUE is not 1.
    case (.integer(let left), .integer(let right)):
      left == right && traits.contains(.isTruthWord) == other.traits.contains(.isTruthWord)
    case (.real(let left, _), .real(let right, _)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      left.hasSameBytes(as: right)
    case (.parameter(let left), .parameter(let right)): left == right
    case (.negate(let left), .negate(let right)), (.plus(let left), .plus(let right)),
      (.bitNot(let left), .bitNot(let right)), (.not(let left), .not(let right)):
      left.isSame(as: right)
    case (.nullTest(let left, let isNegated), .nullTest(let right, let otherNegated)):
      isNegated == otherNegated && left.isSame(as: right)
    case (
      .truthTest(let left, let isTrue, let isNegated),
      .truthTest(let right, let otherTrue, let otherNegated)
    ):
      isTrue == otherTrue && isNegated == otherNegated && left.isSame(as: right)
    case (.collate(let left), .collate(let right)):
      collation === other.collation && left.isSame(as: right)
    case (.cast(let left, let affinity), .cast(let right, let otherAffinity)):
      affinity == otherAffinity && left.isSame(as: right)
    default: isSameLonger(as: other)
    }
  }

  @inline(never)
  private func isSameLonger(as other: BoundExpression) -> Bool {
    switch (kind, other.kind) {
    case (.between(let left), .between(let right)):
      left.operand.isSame(as: right.operand) && left.lower.isSame(as: right.lower)
        && left.upper.isSame(as: right.upper)
    case (.inList(let left), .inList(let right)):
      left.operand.isSame(as: right.operand)
        && BoundExpression.areSame(left.items, right.items)
    case (.caseWhen(let left), .caseWhen(let right)): left.isSame(as: right)
    case (.function(let left), .function(let right)):
      left.function === right.function
        && BoundExpression.areSame(left.arguments, right.arguments)
    case (.aggregate(let left), .aggregate(let right)): left === right
    case (.window(let left), .window(let right)): left.isSame(as: right)
    case (.row(let left), .row(let right)): BoundExpression.areSame(left, right)
    default: false
    }
  }

  static func areSame(
    _ left: some Collection<BoundExpression>, _ right: some Collection<BoundExpression>
  ) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
  }
}

extension BoundCase {
  fileprivate func isSame(as other: BoundCase) -> Bool {
    guard branches.count == other.branches.count,
      (operand == nil) == (other.operand == nil), (otherwise == nil) == (other.otherwise == nil)
    else { return false }
    if let operand, let otherOperand = other.operand, !operand.isSame(as: otherOperand) {
      return false
    }
    if let otherwise, let last = other.otherwise, !otherwise.isSame(as: last) { return false }
    return zip(branches, other.branches).allSatisfy {
      $0.when.isSame(as: $1.when) && $0.then.isSame(as: $1.then)
    }
  }
}

extension ByteSlice {
  func hasSameBytes(as other: ByteSlice) -> Bool {
    count == other.count && Memory.compare(start, other.start, count) == 0
  }
}
