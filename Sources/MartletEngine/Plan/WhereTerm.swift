/// A set of the sources of one FROM, bit n for the n-th.
struct SourceMask: OptionSet {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(index: Int) { rawValue = 1 << UInt64(index) }

  static let all = SourceMask(rawValue: .max)
}

/// One conjunct of WHERE or ON, or a term that follows from one (SQLite's WhereTerm).
final class WhereTerm {
  /// What a term can do for an index, one bit each.
  struct Operators: OptionSet {
    let rawValue: UInt16
    static let `in` = Operators(rawValue: 1)
    static let equal = Operators(rawValue: 2)
    static let less = Operators(rawValue: 4)
    static let lessOrEqual = Operators(rawValue: 8)
    static let greater = Operators(rawValue: 16)
    static let greaterOrEqual = Operators(rawValue: 32)
    static let `is` = Operators(rawValue: 64)
    static let isNull = Operators(rawValue: 128)
    static let range: Operators = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    static let lowerBounds: Operators = [.greater, .greaterOrEqual]
    static let upperBounds: Operators = [.less, .lessOrEqual]
    static let anyEquality: Operators = [.equal, .is]
  }

  /// The condition as it is evaluated when no index takes it.
  let expression: BoundExpression
  /// Only there for an index to use; its parent, or nothing, is evaluated otherwise.
  let isVirtual: Bool
  /// The term that this one follows from, or -1.
  let parent: Int
  /// Index of the source in whose outer ON the term stands, or -1: it must not filter rows before
  /// that join.
  let outerJoinSource: Int
  /// Sources that the term needs.
  let prerequisites: SourceMask

  // What an index can use: `column` of `source` `operators` `right`.
  @exclusivity(unchecked) var operators: Operators = []
  @exclusivity(unchecked) var source = -1
  @exclusivity(unchecked) var column: Int32 = -2
  @exclusivity(unchecked) var right: BoundExpression?
  @exclusivity(unchecked) var comparison: BoundComparison?
  /// Sources that `right` needs.
  @exclusivity(unchecked) var rightPrerequisites: SourceMask = []
  /// For IN: the list or subquery.
  @exclusivity(unchecked) var inOperand: InOperand?
  /// `x > NULL`, made of `x NOT NULL`: no estimate is lowered by it.
  @exclusivity(unchecked) var isNotNullBound = false
  /// LogEst of the fraction of rows that pass, at most 0 when likelihood() says so; else 1.
  @exclusivity(unchecked) var truthProbability: LogEst = 1
  /// How many terms have this one as `parent`, less those that a loop took.
  @exclusivity(unchecked) var childCount = 0
  /// A loop took the term, or its test is emitted.
  @exclusivity(unchecked) var isCoded = false

  enum InOperand {
    case list(BoundInList)
    case select(BoundInSelect)
  }

  init(
    expression: BoundExpression, isVirtual: Bool, parent: Int, outerJoinSource: Int,
    prerequisites: SourceMask
  ) {
    self.expression = expression
    self.isVirtual = isVirtual
    self.parent = parent
    self.outerJoinSource = outerJoinSource
    self.prerequisites = prerequisites
  }
}

extension BoundComparison.Operator {
  /// The operator that gives the same with the sides exchanged.
  var commuted: BoundComparison.Operator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual, .is, .isNot: self
    }
  }

  var termOperators: WhereTerm.Operators {
    switch self {
    case .equal: .equal
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .is: .is
    case .notEqual, .isNot: []
    }
  }
}
