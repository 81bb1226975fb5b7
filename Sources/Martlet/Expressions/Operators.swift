// Arithmetic, logic and texts.

extension SQLSpecificExpressible {
  /// The product.
  public static func * (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.multiply, [left.sqlExpression, right.sqlExpression])
  }

  /// The product.
  public static func * (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.multiply, [left.sqlExpression, right.sqlExpression])
  }

  /// The product.
  public static func * (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.multiply, [left.sqlExpression, right.sqlExpression])
  }

  /// The sum.
  public static func + (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.add, [left.sqlExpression, right.sqlExpression])
  }

  /// The sum.
  public static func + (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.add, [left.sqlExpression, right.sqlExpression])
  }

  /// The sum.
  public static func + (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.add, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether both are true.
  public static func && (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.and, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether both are true.
  public static func && (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.and, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether both are true.
  public static func && (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.and, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether one is true.
  public static func || (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.or, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether one is true.
  public static func || (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.or, [left.sqlExpression, right.sqlExpression])
  }

  /// Whether one is true.
  public static func || (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.or, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that both have.
  public static func & (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.bitwiseAnd, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that both have.
  public static func & (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.bitwiseAnd, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that both have.
  public static func & (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.bitwiseAnd, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that one has.
  public static func | (left: Self, right: some SQLExpressible) -> SQLExpression {
    .joined(.bitwiseOr, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that one has.
  public static func | (left: some SQLExpressible, right: Self) -> SQLExpression {
    .joined(.bitwiseOr, [left.sqlExpression, right.sqlExpression])
  }

  /// The bits that one has.
  public static func | (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .joined(.bitwiseOr, [left.sqlExpression, right.sqlExpression])
  }

  /// The quotient.
  public static func / (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.divide, left.sqlExpression, right.sqlExpression)
  }

  /// The quotient.
  public static func / (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.divide, left.sqlExpression, right.sqlExpression)
  }

  /// The quotient.
  public static func / (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.divide, left.sqlExpression, right.sqlExpression)
  }

  /// The difference.
  public static func - (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.subtract, left.sqlExpression, right.sqlExpression)
  }

  /// The difference.
  public static func - (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.subtract, left.sqlExpression, right.sqlExpression)
  }

  /// The difference.
  public static func - (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.subtract, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the left.
  public static func << (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.shiftLeft, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the left.
  public static func << (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.shiftLeft, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the left.
  public static func << (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.shiftLeft, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the right.
  public static func >> (left: Self, right: some SQLExpressible) -> SQLExpression {
    .binary(.shiftRight, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the right.
  public static func >> (left: some SQLExpressible, right: Self) -> SQLExpression {
    .binary(.shiftRight, left.sqlExpression, right.sqlExpression)
  }

  /// The bits moved to the right.
  public static func >> (
    left: Self, right: some SQLSpecificExpressible
  ) -> SQLExpression {
    .binary(.shiftRight, left.sqlExpression, right.sqlExpression)
  }

  /// The negative number.
  public static prefix func - (value: Self) -> SQLExpression {
    SQLExpression(.prefix("-", value.sqlExpression))
  }

  /// The opposite truth value.
  public static prefix func ! (value: Self) -> SQLExpression { value.sqlExpression.negated }

  /// The opposite bits.
  public static prefix func ~ (value: Self) -> SQLExpression {
    SQLExpression(.prefix("~", value.sqlExpression))
  }

  /// Whether the text matches a pattern with `%` and `_`: LIKE.
  ///
  /// - Parameters:
  ///   - pattern: The text, in which `%` stands for any characters and `_` for one.
  ///   - escape: A character that takes the meaning from the one behind it.
  public func like(
    _ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil
  ) -> SQLExpression {
    .collating([sqlExpression, pattern.sqlExpression]) {
      SQLExpression(.like($0[0], $0[1], escape: escape?.sqlExpression, isNegated: false))
    }
  }
}
