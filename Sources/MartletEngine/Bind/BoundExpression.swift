/// Number of a row source (an item of FROM) in a statement. Unique over all its subqueries.
struct SourceID: RawRepresentable, Hashable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// An expression whose names are resolved. Immutable; rewrites make new nodes.
final class BoundExpression {
  let kind: Kind
  /// The affinity that a comparison or a subquery's column takes from it (datatype3 §3.2).
  let affinity: Affinity
  /// The collation that a comparison takes from it, nil where it has none (datatype3 §7.1).
  let collation: Collation?
  /// `collation` comes from COLLATE somewhere in the expression, not from a column.
  let hasExplicitCollation: Bool
  /// Calls a function that may give different results for the same arguments, has a subquery, a
  /// parameter …: what the rewrites and the factoring of constants ask.
  let traits: Traits

  init(
    _ kind: Kind, affinity: Affinity, collation: Collation? = nil,
    hasExplicitCollation: Bool = false, traits: Traits
  ) {
    self.kind = kind
    self.affinity = affinity
    self.collation = collation
    self.hasExplicitCollation = hasExplicitCollation
    self.traits = traits
  }

  struct Traits: OptionSet {
    let rawValue: UInt16
    static let hasColumn = Traits(rawValue: 1)
    static let hasAggregate = Traits(rawValue: 2)
    static let hasSubquery = Traits(rawValue: 4)
    static let hasNondeterministicFunction = Traits(rawValue: 8)
    static let hasParameter = Traits(rawValue: 16)
    static let hasFunction = Traits(rawValue: 32)
    static let hasWindowFunction = Traits(rawValue: 64)
    static let hasRaise = Traits(rawValue: 128)
    /// A row value, or a subquery of more than one column. Not inherited by what contains it.
    static let isVector = Traits(rawValue: 256)
    /// The word TRUE or FALSE, which `IS` treats in its own way. Not inherited either.
    static let isTruthWord = Traits(rawValue: 512)
    /// Made of a comparison of row values. Not inherited either.
    static let isRowComparison = Traits(rawValue: 1024)
    /// What an expression takes over from its operands.
    static let inherited = Traits(rawValue: 255)
  }

  enum Kind {
    case null
    case integer(Int64)
    case real(Double)
    case text(ByteSlice)
    /// Decoded bytes, in the statement's memory.
    case blob(ByteSlice)
    case parameter(Int32)
    /// Column of a source; -1 is the rowid.
    case column(SourceID, Int32)
    /// A column of which WHERE says that it has this value.
    case fixedColumn(SourceID, Int32, BoundExpression)
    case negate(BoundExpression)
    /// Unary plus: the operand without affinity.
    case plus(BoundExpression)
    case bitNot(BoundExpression)
    case not(BoundExpression)
    case and(BoundExpression, BoundExpression)
    case or(BoundExpression, BoundExpression)
    case comparison(BoundComparison, BoundExpression, BoundExpression)
    case arithmetic(ArithmeticOperator, BoundExpression, BoundExpression)
    /// x IS NULL (ISNULL, and IS with a literal NULL), negated: NOT NULL.
    case nullTest(BoundExpression, isNegated: Bool)
    /// x IS [NOT] TRUE, x IS [NOT] FALSE.
    case truthTest(BoundExpression, isTrue: Bool, isNegated: Bool)
    case collate(BoundExpression, Collation)
    case cast(BoundExpression, Affinity)
    /// BETWEEN, both comparisons prepared; NOT BETWEEN is `not` of it.
    case between(BoundBetween)
    case inList(BoundInList)
    case inSelect(BoundInSelect)
    case exists(BoundSelect)
    /// First column of the first row; of more columns where a row value is compared.
    case scalarSubquery(BoundSelect)
    case caseWhen(BoundCase)
    case function(BoundFunction)
    case aggregate(BoundAggregate)
    case row([BoundExpression])
    /// RAISE, with its message; IGNORE has none.
    case raise(RaiseKind, BoundExpression?)
    /// Column n of a row-valued subquery in a vector comparison.
    case subqueryColumn(BoundSelect, Int32)
  }
}

/// A comparison operator with what datatype3 §4.2 and §7.1 say of its operands.
struct BoundComparison {
  enum Operator: UInt8 {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// IS and IS NOT: NULLs are equal.
    case `is`, isNot
  }

  let `operator`: Operator
  /// Applied to both operands before they are compared; `.none`/`.blob` for nothing.
  let affinity: Affinity
  let collation: Collation
}

enum ArithmeticOperator: UInt8 {
  case add, subtract, multiply, divide, remainder, concat, bitAnd, bitOr, shiftLeft, shiftRight
}

final class BoundBetween {
  let operand: BoundExpression, lower: BoundExpression, upper: BoundExpression
  let lowerComparison: BoundComparison, upperComparison: BoundComparison

  init(
    operand: BoundExpression, lower: BoundExpression, upper: BoundExpression,
    lowerComparison: BoundComparison, upperComparison: BoundComparison
  ) {
    self.operand = operand
    self.lower = lower
    self.upper = upper
    self.lowerComparison = lowerComparison
    self.upperComparison = upperComparison
  }
}

/// `x IN (a, b, …)`; NOT IN is `not` of it.
final class BoundInList {
  let operand: BoundExpression
  let items: [BoundExpression]
  /// The affinity of the left operand, applied to it and to the items.
  let affinity: Affinity
  let collation: Collation

  init(
    operand: BoundExpression, items: [BoundExpression], affinity: Affinity, collation: Collation
  ) {
    self.operand = operand
    self.items = items
    self.affinity = affinity
    self.collation = collation
  }
}

/// `x IN (SELECT …)` and `(x, y) IN (SELECT …)`, also `x IN table`; NOT IN is `not` of it.
final class BoundInSelect {
  let operands: [BoundExpression]
  let select: BoundSelect
  /// For each operand, the comparison affinity and collation.
  let affinities: [Affinity]
  let collations: [Collation]

  init(
    operands: [BoundExpression], select: BoundSelect, affinities: [Affinity],
    collations: [Collation]
  ) {
    self.operands = operands
    self.select = select
    self.affinities = affinities
    self.collations = collations
  }
}

final class BoundCase {
  /// CASE x WHEN y is bound with `operand`; `comparisons[i]` compares it with branch i.
  let operand: BoundExpression?
  let branches: [(when: BoundExpression, then: BoundExpression)]
  let comparisons: [BoundComparison]
  let otherwise: BoundExpression?

  init(
    operand: BoundExpression?, branches: [(when: BoundExpression, then: BoundExpression)],
    comparisons: [BoundComparison], otherwise: BoundExpression?
  ) {
    self.operand = operand
    self.branches = branches
    self.comparisons = comparisons
    self.otherwise = otherwise
  }
}

final class BoundFunction {
  let function: ScalarFunction
  let arguments: [BoundExpression]
  /// Collation of the first argument that has one; for functions that compare.
  let collation: Collation
  /// What `likelihood()`, `likely()` or `unlikely()` says of the probability (LogEst, at most 0).
  var likelihoodEstimate: LogEst?
  /// For LIKE and GLOB: what every match begins with.
  var likePrefix: LikePrefix?

  init(function: ScalarFunction, arguments: [BoundExpression], collation: Collation) {
    self.function = function
    self.arguments = arguments
    self.collation = collation
  }
}

/// One aggregate call; equal calls of one SELECT share it.
final class BoundAggregate {
  let function: AggregateFunction
  let arguments: [BoundExpression]
  let isDistinct: Bool
  let filter: BoundExpression?
  let orderBy: [BoundOrderingTerm]
  let collation: Collation
  /// The SELECT whose rows it runs over (not always the one that contains it).
  let selectID: Int
  /// Position in that SELECT's `aggregates`.
  let index: Int

  init(
    function: AggregateFunction, arguments: [BoundExpression], isDistinct: Bool,
    filter: BoundExpression?, orderBy: [BoundOrderingTerm], collation: Collation, selectID: Int,
    index: Int
  ) {
    self.function = function
    self.arguments = arguments
    self.isDistinct = isDistinct
    self.filter = filter
    self.orderBy = orderBy
    self.collation = collation
    self.selectID = selectID
    self.index = index
  }
}

struct BoundOrderingTerm {
  let expression: BoundExpression
  let isDescending: Bool
  /// NULLS FIRST with DESC or NULLS LAST with ASC: NULLs where they would not be otherwise.
  let hasBigNulls: Bool
  /// Position of the result column that the term is (by number, alias or equal expression), or -1.
  let resultColumn: Int
  /// Collation of the term: explicit, the expression's, or BINARY.
  let collation: Collation
}
