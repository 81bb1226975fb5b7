// Comparisons. They are expressions of SQL as soon as one operand is.

extension SQLSpecificExpressible {
  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    .compare(.equal, left.sqlExpression, right?.sqlExpression ?? .null)
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    .compare(.equal, left?.sqlExpression ?? .null, right.sqlExpression)
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil.
  public static func == (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .compare(.equal, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil. True is 1, false is 0.
  public static func == (left: Self, right: Bool) -> SQLExpression {
    .compare(.equal, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the operands are equal: `=`, or IS NULL for nil. True is 1, false is 0.
  public static func == (left: Bool, right: Self) -> SQLExpression {
    right == left
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    .compare(.notEqual, left.sqlExpression, right?.sqlExpression ?? .null)
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    .compare(.notEqual, left?.sqlExpression ?? .null, right.sqlExpression)
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil.
  public static func != (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .compare(.notEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil. True is 1, false is 0.
  public static func != (left: Self, right: Bool) -> SQLExpression {
    .compare(.notEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the operands differ: `<>`, or IS NOT NULL for nil. True is 1, false is 0.
  public static func != (left: Bool, right: Self) -> SQLExpression {
    right != left
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    .compare(.identical, left.sqlExpression, right?.sqlExpression ?? .null)
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    .compare(.identical, left?.sqlExpression ?? .null, right.sqlExpression)
  }

  /// Whether the operands are the same, NULL included: IS.
  public static func === (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .compare(.identical, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (left: Self, right: (any SQLExpressible)?) -> SQLExpression {
    .compare(.notIdentical, left.sqlExpression, right?.sqlExpression ?? .null)
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (left: (any SQLExpressible)?, right: Self) -> SQLExpression {
    .compare(.notIdentical, left?.sqlExpression ?? .null, right.sqlExpression)
  }

  /// Whether the operands are not the same, NULL included: IS NOT.
  public static func !== (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .compare(.notIdentical, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is less than the right one.
  public static func < (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.less, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is less than the right one.
  public static func < (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.less, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is less than the right one.
  public static func < (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.less, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at most the right one.
  public static func <= (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.lessOrEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at most the right one.
  public static func <= (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.lessOrEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at most the right one.
  public static func <= (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.lessOrEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is greater than the right one.
  public static func > (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.greater, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is greater than the right one.
  public static func > (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.greater, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is greater than the right one.
  public static func > (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.greater, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at least the right one.
  public static func >= (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.greaterOrEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at least the right one.
  public static func >= (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.greaterOrEqual, left.sqlExpression, right.sqlExpression)
  }

  /// Whether the left operand is at least the right one.
  public static func >= (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.greaterOrEqual, left.sqlExpression, right.sqlExpression)
  }
}

extension Range where Bound: SQLExpressible {
  /// Whether an expression is in the range: `>=` and `<`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    let element = element.sqlExpression
    return .joined(
      .and,
      [
        .binary(.greaterOrEqual, element, lowerBound.sqlExpression),
        .binary(.less, element, upperBound.sqlExpression),
      ])
  }
}

extension ClosedRange where Bound: SQLExpressible {
  /// Whether an expression is in the range: BETWEEN.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    .collating([element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression]) {
      SQLExpression(.between($0[0], $0[1], $0[2], isNegated: false))
    }
  }
}

extension Range where Bound: SQLExpressible & Strideable, Bound.Stride: SignedInteger {
  /// Whether an expression is in the range: `>=` and `<`.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    let element = element.sqlExpression
    return .joined(
      .and,
      [
        .binary(.greaterOrEqual, element, lowerBound.sqlExpression),
        .binary(.less, element, upperBound.sqlExpression),
      ])
  }
}

extension ClosedRange where Bound: SQLExpressible & Strideable, Bound.Stride: SignedInteger {
  /// Whether an expression is in the range: BETWEEN.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    .collating([element.sqlExpression, lowerBound.sqlExpression, upperBound.sqlExpression]) {
      SQLExpression(.between($0[0], $0[1], $0[2], isNegated: false))
    }
  }
}

extension Sequence where Element: SQLExpressible {
  /// Whether an expression is one of the elements: IN.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    .contained(element.sqlExpression, in: map { $0.sqlExpression })
  }
}

extension Sequence where Element == any SQLExpressible {
  /// Whether an expression is one of the elements: IN.
  public func contains(_ element: some SQLSpecificExpressible) -> SQLExpression {
    .contained(element.sqlExpression, in: map { $0.sqlExpression })
  }
}
