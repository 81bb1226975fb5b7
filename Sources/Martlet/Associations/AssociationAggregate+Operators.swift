// Operators upon aggregates of associations, with other aggregates and with values.

extension AssociationAggregate {
  /// The opposite.
  public static prefix func ! (aggregate: Self) -> Self { aggregate.map { !$0 } }

  /// The negative number.
  public static prefix func - (aggregate: Self) -> Self { aggregate.map { -$0 } }

  /// Both are true.
  public static func && (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 && $1 }
  }

  /// Both are true.
  public static func && (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 && right }
  }

  /// Both are true.
  public static func && (left: some SQLExpressible, right: Self) -> Self {
    right.map { left && $0 }
  }

  /// One is true.
  public static func || (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 || $1 }
  }

  /// One is true.
  public static func || (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 || right }
  }

  /// One is true.
  public static func || (left: some SQLExpressible, right: Self) -> Self {
    right.map { left || $0 }
  }
}

// MARK: - Comparisons

extension AssociationAggregate {
  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 == $1 }
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (left: Self, right: (any SQLExpressible)?) -> Self {
    left.map { $0 == right }
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (left: (any SQLExpressible)?, right: Self) -> Self {
    right.map { left == $0 }
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 != $1 }
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (left: Self, right: (any SQLExpressible)?) -> Self {
    left.map { $0 != right }
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (left: (any SQLExpressible)?, right: Self) -> Self {
    right.map { left != $0 }
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 === $1 }
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (left: Self, right: (any SQLExpressible)?) -> Self {
    left.map { $0 === right }
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (left: (any SQLExpressible)?, right: Self) -> Self {
    right.map { left === $0 }
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 !== $1 }
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (left: Self, right: (any SQLExpressible)?) -> Self {
    left.map { $0 !== right }
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (left: (any SQLExpressible)?, right: Self) -> Self {
    right.map { left !== $0 }
  }

  /// Whether the aggregate is true, or false.
  public static func == (left: Self, right: Bool) -> Self {
    left.map { $0.isEqual(right) }
  }

  /// Whether the aggregate is true, or false.
  public static func == (left: Bool, right: Self) -> Self { right == left }

  /// Whether the aggregate is not true, or not false.
  public static func != (left: Self, right: Bool) -> Self {
    left.map { $0.isDifferent(right) }
  }

  /// Whether the aggregate is not true, or not false.
  public static func != (left: Bool, right: Self) -> Self { right != left }

  /// Whether the left operand is less than the right one.
  public static func < (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 < $1 }
  }

  /// Whether the left operand is less than the right one.
  public static func < (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 < right }
  }

  /// Whether the left operand is less than the right one.
  public static func < (left: some SQLExpressible, right: Self) -> Self {
    right.map { left < $0 }
  }

  /// Whether the left operand is at most the right one.
  public static func <= (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 <= $1 }
  }

  /// Whether the left operand is at most the right one.
  public static func <= (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 <= right }
  }

  /// Whether the left operand is at most the right one.
  public static func <= (left: some SQLExpressible, right: Self) -> Self {
    right.map { left <= $0 }
  }

  /// Whether the left operand is greater than the right one.
  public static func > (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 > $1 }
  }

  /// Whether the left operand is greater than the right one.
  public static func > (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 > right }
  }

  /// Whether the left operand is greater than the right one.
  public static func > (left: some SQLExpressible, right: Self) -> Self {
    right.map { left > $0 }
  }

  /// Whether the left operand is at least the right one.
  public static func >= (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 >= $1 }
  }

  /// Whether the left operand is at least the right one.
  public static func >= (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 >= right }
  }

  /// Whether the left operand is at least the right one.
  public static func >= (left: some SQLExpressible, right: Self) -> Self {
    right.map { left >= $0 }
  }
}

// MARK: - Numbers

extension AssociationAggregate {
  /// The sum.
  public static func + (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 + $1 }
  }

  /// The sum.
  public static func + (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 + right }
  }

  /// The sum.
  public static func + (left: some SQLExpressible, right: Self) -> Self {
    right.map { left + $0 }
  }

  /// The difference.
  public static func - (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 - $1 }
  }

  /// The difference.
  public static func - (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 - right }
  }

  /// The difference.
  public static func - (left: some SQLExpressible, right: Self) -> Self {
    right.map { left - $0 }
  }

  /// The product.
  public static func * (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 * $1 }
  }

  /// The product.
  public static func * (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 * right }
  }

  /// The product.
  public static func * (left: some SQLExpressible, right: Self) -> Self {
    right.map { left * $0 }
  }

  /// The quotient.
  public static func / (left: Self, right: Self) -> Self {
    left.combined(with: right) { $0 / $1 }
  }

  /// The quotient.
  public static func / (left: Self, right: some SQLExpressible) -> Self {
    left.map { $0 / right }
  }

  /// The quotient.
  public static func / (left: some SQLExpressible, right: Self) -> Self {
    right.map { left / $0 }
  }
}

extension SQLExpression {
  /// Whether there is no row is true or false already.
  fileprivate func isEqual(_ value: Bool) -> SQLExpression {
    guard isEmptiness else { return self == value }
    return value ? self : negated
  }

  private var isEmptiness: Bool {
    switch node {
    case .isZero: true
    case .qualified(let expression, _): expression.isEmptiness
    default: false
    }
  }

  fileprivate func isDifferent(_ value: Bool) -> SQLExpression {
    guard isEmptiness else { return self != value }
    return isEqual(!value)
  }
}
