/// A set of the sources of one FROM, bit n for the n-th.
struct SourceMask: OptionSet {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(index: Int) { rawValue = 1 << UInt64(index) }

  static let all = SourceMask(rawValue: .max)
  /// All sources before the n-th.
  static func before(_ index: Int) -> SourceMask { SourceMask(rawValue: (1 << UInt64(index)) - 1) }
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
    /// Both sides are columns that are interchangeable wherever the term holds.
    static let equivalence = Operators(rawValue: 256)
    /// An OR each of whose parts some index may serve.
    static let or = Operators(rawValue: 512)
    /// A part of an OR that is a conjunction.
    static let and = Operators(rawValue: 1024)
    static let range: Operators = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    static let lowerBounds: Operators = [.greater, .greaterOrEqual]
    static let upperBounds: Operators = [.less, .lessOrEqual]
    static let anyEquality: Operators = [.equal, .is]
    /// Operators that are not true of NULL.
    static let rejectsNull: Operators = [.in, .equal, .range]
    /// What a loop over one index can take.
    static let single: Operators = [.in, .equal, .range, .is, .isNull]
  }

  /// The condition as it is evaluated when no index takes it.
  let expression: BoundExpression
  /// Only there for an index to use; its parent, or nothing, is evaluated otherwise.
  let isVirtual: Bool
  /// The term that this one follows from, or -1.
  @exclusivity(unchecked) var parent: Int
  /// Index of the source in whose ON the term stands, or -1 for WHERE.
  let onSource: Int
  /// The ON is that of an outer join: the term must not filter rows before that join.
  let isOuterOn: Bool
  /// Sources that the term needs.
  @exclusivity(unchecked) var prerequisites: SourceMask

  // What an index can use: `left`, which is `column` of `source`, `operators` `right`.
  @exclusivity(unchecked) var operators: Operators = []
  @exclusivity(unchecked) var source = -1
  /// -1 for the rowid, -2 for an expression that is a column of some index.
  @exclusivity(unchecked) var column: Int32 = -3
  @exclusivity(unchecked) var left: BoundExpression?
  @exclusivity(unchecked) var right: BoundExpression?
  @exclusivity(unchecked) var comparison: BoundComparison?
  /// Sources that `right` needs.
  @exclusivity(unchecked) var rightPrerequisites: SourceMask = []
  /// For IN: the list or subquery.
  @exclusivity(unchecked) var inOperand: InOperand?
  /// For `(a, b) IN (SELECT …)`: which of the columns.
  @exclusivity(unchecked) var inField = 0
  /// `x > NULL`, made of `x NOT NULL`: no estimate is lowered by it.
  @exclusivity(unchecked) var isNotNullBound = false
  /// A bound made of the prefix of a LIKE or GLOB pattern; lower and upper come in pairs.
  @exclusivity(unchecked) var isLikeBound = false
  /// The LIKE folds case: for BLOBs it must be tested although the bounds hold.
  @exclusivity(unchecked) var mustTestLike = false
  /// LogEst of the fraction of rows that pass, at most 0 when likelihood() says so; else 1.
  @exclusivity(unchecked) var truthProbability: LogEst = 1
  /// Samples say that the term holds for half of the rows or more.
  @exclusivity(unchecked) var isOftenTrue = false
  /// Some estimate rests on the term holding for few rows.
  @exclusivity(unchecked) var wasTakenForSelective = false
  /// How many terms have this one as `parent`, less those that a loop took.
  @exclusivity(unchecked) var childCount = 0
  /// A copy with the sides exchanged is among the terms.
  @exclusivity(unchecked) var isCopied = false
  /// A loop took the term, or its test is emitted.
  @exclusivity(unchecked) var isCoded = false
  /// For `.or`: the parts, and the sources for which each part is of use.
  @exclusivity(unchecked) var disjunction: Disjunction?
  /// For `.and`: the conjuncts.
  @exclusivity(unchecked) var conjunction: WhereClause?

  enum InOperand {
    case list(BoundInList)
    case select(BoundInSelect)
  }

  /// The parts of an OR.
  final class Disjunction {
    let clause: WhereClause
    let indexable: SourceMask

    init(clause: WhereClause, indexable: SourceMask) {
      self.clause = clause
      self.indexable = indexable
    }
  }

  init(
    expression: BoundExpression, isVirtual: Bool, parent: Int, onSource: Int, isOuterOn: Bool,
    prerequisites: SourceMask
  ) {
    self.expression = expression
    self.isVirtual = isVirtual
    self.parent = parent
    self.onSource = onSource
    self.isOuterOn = isOuterOn
    self.prerequisites = prerequisites
  }

  /// Index of the source in whose outer ON the term stands, or -1.
  var outerJoinSource: Int { isOuterOn ? onSource : -1 }
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
