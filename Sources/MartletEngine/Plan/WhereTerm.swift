/// A set of the sources of one FROM, bit n for the n-th.
struct SourceMask: OptionSet, BitwiseCopyable {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(index: Int) { rawValue = 1 << UInt64(index) }

  static let all = SourceMask(rawValue: .max)
  /// All sources before the n-th.
  static func before(_ index: Int) -> SourceMask { SourceMask(rawValue: (1 << UInt64(index)) - 1) }
}

/// One conjunct of WHERE or ON, or a term that follows from one (SQLite's WhereTerm).
///
/// A reference to a node in the statement's `TreeMemory`.
struct WhereTerm: BitwiseCopyable {
  /// What a term can do for an index, one bit each.
  struct Operators: OptionSet, BitwiseCopyable {
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
    /// Of use to virtual tables alone: `matchOperator` says how.
    static let auxiliary = Operators(rawValue: 2048)
    static let range: Operators = [.less, .lessOrEqual, .greater, .greaterOrEqual]
    static let lowerBounds: Operators = [.greater, .greaterOrEqual]
    static let upperBounds: Operators = [.less, .lessOrEqual]
    static let anyEquality: Operators = [.equal, .is]
    /// Operators that are not true of NULL.
    static let rejectsNull: Operators = [.in, .equal, .range]
    /// What a loop over one index can take.
    static let single: Operators = [.in, .equal, .range, .is, .isNull]
  }

  enum InOperand: BitwiseCopyable {
    case list(BoundInList)
    case select(BoundInSelect)
  }

  /// The parts of an OR.
  struct Disjunction: BitwiseCopyable {
    let clause: WhereClause
    let indexable: SourceMask
  }

  private struct Node: BitwiseCopyable {
    let expression: BoundExpression
    let isVirtual: Bool
    var parent: Int
    let onSource: Int
    let isOuterOn: Bool
    var prerequisites: SourceMask
    var operators: Operators = []
    var source: Int = -1
    var column: Int32 = -3
    var matchOperator: UInt8 = 0
    var left: BoundExpression?
    var right: BoundExpression?
    var comparison: BoundComparison?
    var rightPrerequisites: SourceMask = []
    var inOperand: InOperand?
    var inField: Int = 0
    var row: BoundExpression?
    var isLeftOfRow: Bool = false
    var isNotNullBound: Bool = false
    var isLikeBound: Bool = false
    var mustTestLike: Bool = false
    var truthProbability: LogEst = 1
    var isOftenTrue: Bool = false
    var wasTakenForSelective: Bool = false
    var childCount: Int = 0
    var isCopied: Bool = false
    var isCoded: Bool = false
    var disjunction: Disjunction?
    var conjunction: WhereClause?
  }

  private let node: UnsafeMutablePointer<Node>

  init(
    expression: BoundExpression, isVirtual: Bool, parent: Int, onSource: Int, isOuterOn: Bool,
    prerequisites: SourceMask
  ) {
    node = expression.memory.node(
      Node(
        expression: expression, isVirtual: isVirtual, parent: parent, onSource: onSource,
        isOuterOn: isOuterOn, prerequisites: prerequisites))
  }

  /// Both are one node.
  @inline(__always)
  static func === (left: WhereTerm?, right: WhereTerm) -> Bool { left?.node == right.node }

  @inline(__always)
  static func !== (left: WhereTerm, right: WhereTerm) -> Bool { left.node != right.node }

  /// The condition as it is evaluated when no index takes it.
  var expression: BoundExpression {
    @inline(__always) get { node.pointee.expression }
  }
  /// Only there for an index to use; its parent, or nothing, is evaluated otherwise.
  var isVirtual: Bool {
    @inline(__always) get { node.pointee.isVirtual }
  }
  /// The term that this one follows from, or -1.
  var parent: Int {
    @inline(__always) get { node.pointee.parent }
    nonmutating set { node.pointee.parent = newValue }
  }
  /// Index of the source in whose ON the term stands, or -1 for WHERE.
  var onSource: Int {
    @inline(__always) get { node.pointee.onSource }
  }
  /// The ON is that of an outer join: the term must not filter rows before that join.
  var isOuterOn: Bool {
    @inline(__always) get { node.pointee.isOuterOn }
  }
  /// Sources that the term needs.
  var prerequisites: SourceMask {
    @inline(__always) get { node.pointee.prerequisites }
    nonmutating set { node.pointee.prerequisites = newValue }
  }
  /// What an index can use: `left`, which is `column` of `source`, `operators` `right`.
  var operators: Operators {
    @inline(__always) get { node.pointee.operators }
    nonmutating set { node.pointee.operators = newValue }
  }
  var source: Int {
    @inline(__always) get { node.pointee.source }
    nonmutating set { node.pointee.source = newValue }
  }
  /// -1 for the rowid, -2 for an expression that is a column of some index.
  var column: Int32 {
    @inline(__always) get { node.pointee.column }
    nonmutating set { node.pointee.column = newValue }
  }
  /// For `.auxiliary`, the operator's number (`VirtualTableOperator`).
  var matchOperator: UInt8 {
    @inline(__always) get { node.pointee.matchOperator }
    nonmutating set { node.pointee.matchOperator = newValue }
  }
  var left: BoundExpression? {
    @inline(__always) get { node.pointee.left }
    nonmutating set { node.pointee.left = newValue }
  }
  var right: BoundExpression? {
    @inline(__always) get { node.pointee.right }
    nonmutating set { node.pointee.right = newValue }
  }
  var comparison: BoundComparison? {
    @inline(__always) get { node.pointee.comparison }
    nonmutating set { node.pointee.comparison = newValue }
  }
  /// Sources that `right` needs.
  var rightPrerequisites: SourceMask {
    @inline(__always) get { node.pointee.rightPrerequisites }
    nonmutating set { node.pointee.rightPrerequisites = newValue }
  }
  /// For IN: the list or subquery.
  var inOperand: InOperand? {
    @inline(__always) get { node.pointee.inOperand }
    nonmutating set { node.pointee.inOperand = newValue }
  }
  /// For `(a, b) IN (SELECT …)`: which of the columns.
  var inField: Int {
    @inline(__always) get { node.pointee.inField }
    nonmutating set { node.pointee.inField = newValue }
  }
  /// For a bound made of the first items of two row values: their comparison, and whether the
  /// columns are those of its left one.
  var row: (comparison: BoundExpression, isLeft: Bool)? {
    get { node.pointee.row.map { ($0, node.pointee.isLeftOfRow) } }
    nonmutating set {
      node.pointee.row = newValue?.comparison
      node.pointee.isLeftOfRow = newValue?.isLeft ?? false
    }
  }
  /// `x > NULL`, made of `x NOT NULL`: no estimate is lowered by it.
  var isNotNullBound: Bool {
    @inline(__always) get { node.pointee.isNotNullBound }
    nonmutating set { node.pointee.isNotNullBound = newValue }
  }
  /// A bound made of the prefix of a LIKE or GLOB pattern; lower and upper come in pairs.
  var isLikeBound: Bool {
    @inline(__always) get { node.pointee.isLikeBound }
    nonmutating set { node.pointee.isLikeBound = newValue }
  }
  /// The LIKE folds case: for BLOBs it must be tested although the bounds hold.
  var mustTestLike: Bool {
    @inline(__always) get { node.pointee.mustTestLike }
    nonmutating set { node.pointee.mustTestLike = newValue }
  }
  /// LogEst of the fraction of rows that pass, at most 0 when likelihood() says so; else 1.
  var truthProbability: LogEst {
    @inline(__always) get { node.pointee.truthProbability }
    nonmutating set { node.pointee.truthProbability = newValue }
  }
  /// Samples say that the term holds for half of the rows or more.
  var isOftenTrue: Bool {
    @inline(__always) get { node.pointee.isOftenTrue }
    nonmutating set { node.pointee.isOftenTrue = newValue }
  }
  /// Some estimate rests on the term holding for few rows.
  var wasTakenForSelective: Bool {
    @inline(__always) get { node.pointee.wasTakenForSelective }
    nonmutating set { node.pointee.wasTakenForSelective = newValue }
  }
  /// How many terms have this one as `parent`, less those that a loop took.
  var childCount: Int {
    @inline(__always) get { node.pointee.childCount }
    nonmutating set { node.pointee.childCount = newValue }
  }
  /// A copy with the sides exchanged is among the terms.
  var isCopied: Bool {
    @inline(__always) get { node.pointee.isCopied }
    nonmutating set { node.pointee.isCopied = newValue }
  }
  /// A loop took the term, or its test is emitted.
  var isCoded: Bool {
    @inline(__always) get { node.pointee.isCoded }
    nonmutating set { node.pointee.isCoded = newValue }
  }
  /// For `.or`: the parts, and the sources for which each part is of use.
  var disjunction: Disjunction? {
    @inline(__always) get { node.pointee.disjunction }
    nonmutating set { node.pointee.disjunction = newValue }
  }
  /// For `.and`: the conjuncts.
  var conjunction: WhereClause? {
    @inline(__always) get { node.pointee.conjunction }
    nonmutating set { node.pointee.conjunction = newValue }
  }

  /// The condition, with the sides exchanged if it is the right one that an index may have: as
  /// SQLite compares it with the WHERE of a partial index.
  var turnedExpression: BoundExpression {
    guard case .comparison(_, let first, let second) = expression.kind, let comparison, let left,
      let right, second === left, first === right, first !== left
    else { return expression }
    return BoundExpression(
      .comparison(comparison, left, right), affinity: expression.affinity,
      collation: expression.collation, hasExplicitCollation: expression.hasExplicitCollation,
      traits: expression.traits, in: expression.memory)
  }

  /// Needs no row, and is asked once before all loops. What may run a subquery waits for a row that
  /// needs its answer (SQLite's exprIsDeterministic).
  var isAskedOnce: Bool {
    prerequisites.isEmpty && !isVirtual
      && expression.traits.isDisjoint(with: [.hasSubquery, .hasNondeterministicFunction])
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
