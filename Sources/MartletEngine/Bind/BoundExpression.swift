/// Number of a row source (an item of FROM) in a statement. Unique over all its subqueries.
struct SourceID: RawRepresentable, Hashable {
  let rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
  init(_ rawValue: Int32) { self.rawValue = rawValue }
}

/// An expression whose names are resolved. Immutable; rewrites make new nodes.
///
/// A reference to a node in the statement's `TreeMemory`, like the other types here: plain data
/// that must not outlive it.
struct BoundExpression: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    let kind: Kind
    let affinity: Affinity
    let hasExplicitCollation: Bool
    let traits: Traits
    unowned(unsafe) let collation: Collation?
    let memory: TreeMemory
  }

  private let node: UnsafePointer<Node>

  init(
    _ kind: Kind, affinity: Affinity, collation: Collation? = nil,
    hasExplicitCollation: Bool = false, traits: Traits, in memory: TreeMemory
  ) {
    node = UnsafePointer(
      memory.node(
        Node(
          kind: kind, affinity: affinity, hasExplicitCollation: hasExplicitCollation,
          traits: traits, collation: collation, memory: memory)))
  }

  var kind: Kind {
    @inline(__always) get { node.pointee.kind }
  }
  /// The affinity that a comparison or a subquery's column takes from it (datatype3 §3.2).
  var affinity: Affinity {
    @inline(__always) get { node.pointee.affinity }
  }
  /// The collation that a comparison takes from it, nil where it has none (datatype3 §7.1).
  var collation: Collation? { node.pointee.collation }
  /// `collation` comes from COLLATE somewhere in the expression, not from a column.
  var hasExplicitCollation: Bool {
    @inline(__always) get { node.pointee.hasExplicitCollation }
  }
  /// Calls a function that may give different results for the same arguments, has a subquery, a
  /// parameter …: what the rewrites and the factoring of constants ask.
  var traits: Traits {
    @inline(__always) get { node.pointee.traits }
  }
  /// The same column, one that UPDATE leaves as it is.
  var kept: BoundExpression {
    BoundExpression(
      kind, affinity: affinity, collation: collation, hasExplicitCollation: hasExplicitCollation,
      traits: traits.union(.isKept), in: memory)
  }
  /// Where the expression lies and those made from it should.
  var memory: TreeMemory { node.pointee.memory }

  /// Both are one node.
  @inline(__always)
  static func === (left: BoundExpression, right: BoundExpression) -> Bool {
    left.node == right.node
  }
  @inline(__always)
  static func !== (left: BoundExpression, right: BoundExpression) -> Bool {
    left.node != right.node
  }

  struct Traits: OptionSet, BitwiseCopyable {
    let rawValue: UInt32
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
    /// AND or OR with something that is true or false as it is written, in one of them. Not
    /// inherited by what is neither.
    static let hasLiteralTruth = Traits(rawValue: 2048)
    /// AND of the WHERE of a merged subquery and of that around it. Not inherited either.
    static let isMerge = Traits(rawValue: 4096)
    /// The value of a merged subquery, or NULL where an outer join made a row of NULLs of it. Not
    /// inherited either.
    static let isNullIfNoRow = Traits(rawValue: 8192)
    /// A column stands in it in whose place there is a known value: it is not computed before all
    /// else, though it may be constant now.
    static let hasFixedColumn = Traits(rawValue: 16384)
    /// A column of a virtual table that UPDATE leaves as it is: the table may say so instead of
    /// reading it. Not inherited either.
    static let isKept = Traits(rawValue: 32768)
    /// A column of OLD or NEW: the same for all rows of a statement of the trigger. Not inherited
    /// either.
    static let isTriggerColumn = Traits(rawValue: 65536)
    /// What an expression takes over from its operands.
    static let inherited = Traits(rawValue: 255)
  }

  enum Kind: BitwiseCopyable {
    case null
    case integer(Int64)
    /// With its digits as they are written, without the sign.
    case real(Double, ByteSlice)
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
    /// With the collation that the expression itself has.
    case collate(BoundExpression)
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
    /// A window function; what it is called with belongs to the SELECT that gives it its rows.
    case window(BoundWindowCall)
    case row(BoundList<BoundExpression>)
    /// RAISE, with its message; IGNORE has none.
    case raise(RaiseKind, BoundExpression?)
    /// Column n of a row-valued subquery in a vector comparison.
    case subqueryColumn(BoundSelect, Int32)
  }
}

extension BoundExpression? {
  static func === (left: BoundExpression?, right: BoundExpression?) -> Bool {
    switch (left, right) {
    case (let left?, let right?): left === right
    case (nil, nil): true
    default: false
    }
  }
}

/// Items in the statement's `TreeMemory`.
typealias BoundList<Item> = UnsafeBufferPointer<Item>

/// A comparison operator with what datatype3 §4.2 and §7.1 say of its operands.
struct BoundComparison: BitwiseCopyable {
  enum Operator: UInt8 {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    /// IS and IS NOT: NULLs are equal.
    case `is`, isNot
  }

  let `operator`: Operator
  /// Applied to both operands before they are compared; `.none`/`.blob` for nothing.
  let affinity: Affinity
  unowned(unsafe) let collation: Collation
}

enum ArithmeticOperator: UInt8 {
  case add, subtract, multiply, divide, remainder, concat, bitAnd, bitOr, shiftLeft, shiftRight
}

struct BoundBetween: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    let operand: BoundExpression, lower: BoundExpression, upper: BoundExpression
    let lowerComparison: BoundComparison, upperComparison: BoundComparison
  }

  private let node: UnsafePointer<Node>

  init(
    operand: BoundExpression, lower: BoundExpression, upper: BoundExpression,
    lowerComparison: BoundComparison, upperComparison: BoundComparison
  ) {
    node = UnsafePointer(
      operand.memory.node(
        Node(
          operand: operand, lower: lower, upper: upper, lowerComparison: lowerComparison,
          upperComparison: upperComparison)))
  }

  var operand: BoundExpression { node.pointee.operand }
  var lower: BoundExpression { node.pointee.lower }
  var upper: BoundExpression { node.pointee.upper }
  var lowerComparison: BoundComparison { node.pointee.lowerComparison }
  var upperComparison: BoundComparison { node.pointee.upperComparison }
}

/// `x IN (a, b, …)`; NOT IN is `not` of it.
struct BoundInList: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    let operand: BoundExpression
    let items: BoundList<BoundExpression>
    let affinity: Affinity
    unowned(unsafe) let collation: Collation
  }

  private let node: UnsafePointer<Node>

  init(
    operand: BoundExpression, items: [BoundExpression], affinity: Affinity, collation: Collation
  ) {
    let memory = operand.memory
    node = UnsafePointer(
      memory.node(
        Node(
          operand: operand, items: memory.list(items), affinity: affinity, collation: collation)))
  }

  var operand: BoundExpression { node.pointee.operand }
  var items: BoundList<BoundExpression> { node.pointee.items }
  /// The affinity of the left operand, applied to it and to the items.
  var affinity: Affinity { node.pointee.affinity }
  var collation: Collation { node.pointee.collation }

  /// Both are one node.
  static func === (left: BoundInList, right: BoundInList) -> Bool { left.node == right.node }
}

/// `x IN (SELECT …)` and `(x, y) IN (SELECT …)`, also `x IN table`; NOT IN is `not` of it.
struct BoundInSelect: BitwiseCopyable {
  /// How one of the operands is compared with its column.
  private struct Rule: BitwiseCopyable {
    let affinity: Affinity
    unowned(unsafe) let collation: Collation
  }

  private struct Node: BitwiseCopyable {
    let operands: BoundList<BoundExpression>
    let subquery: BoundSelect
    let rules: BoundList<Rule>
  }

  private let node: UnsafePointer<Node>

  init(
    operands: [BoundExpression], select: BoundSelect, affinities: [Affinity],
    collations: [Collation], in memory: TreeMemory
  ) {
    let rules = zip(affinities, collations).map { Rule(affinity: $0, collation: $1) }
    node = UnsafePointer(
      memory.node(
        Node(
          operands: memory.list(operands), subquery: select,
          rules: memory.list(rules))))
  }

  var operands: BoundList<BoundExpression> { node.pointee.operands }
  var select: BoundSelect { node.pointee.subquery }
  /// For each operand, the comparison affinity and collation.
  var affinities: [Affinity] { node.pointee.rules.map(\.affinity) }
  var collations: [Collation] { node.pointee.rules.map { $0.collation } }

  /// Both are one node.
  static func === (left: BoundInSelect, right: BoundInSelect) -> Bool { left.node == right.node }
}

struct BoundCase: BitwiseCopyable {
  struct Branch: BitwiseCopyable {
    let when: BoundExpression
    let then: BoundExpression
  }

  private struct Node: BitwiseCopyable {
    let operand: BoundExpression?
    let branches: BoundList<Branch>
    let comparisons: BoundList<BoundComparison>
    let otherwise: BoundExpression?
  }

  private let node: UnsafePointer<Node>

  init(
    operand: BoundExpression?, branches: [Branch], comparisons: [BoundComparison],
    otherwise: BoundExpression?, in memory: TreeMemory
  ) {
    node = UnsafePointer(
      memory.node(
        Node(
          operand: operand, branches: memory.list(branches),
          comparisons: memory.list(comparisons), otherwise: otherwise)))
  }

  /// CASE x WHEN y is bound with `operand`; `comparisons[i]` compares it with branch i.
  var operand: BoundExpression? { node.pointee.operand }
  var branches: BoundList<Branch> { node.pointee.branches }
  var comparisons: BoundList<BoundComparison> { node.pointee.comparisons }
  var otherwise: BoundExpression? { node.pointee.otherwise }
}

struct BoundFunction: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    unowned(unsafe) let function: ScalarFunction
    let arguments: BoundList<BoundExpression>
    unowned(unsafe) let collation: Collation
    var likelihoodEstimate: LogEst?
    var likePrefix: LikePrefix?
    var patternOperator: Like.Operator?
    var storedPlace = StoredPlace.none
    var isUnsafe = false
  }

  private let node: UnsafeMutablePointer<Node>

  init(
    function: ScalarFunction, arguments: [BoundExpression], collation: Collation,
    in memory: TreeMemory
  ) {
    memory.keep(function)
    node = memory.node(
      Node(function: function, arguments: memory.list(arguments), collation: collation))
  }

  var function: ScalarFunction { node.pointee.function }
  var arguments: BoundList<BoundExpression> { node.pointee.arguments }
  /// Collation of the first argument that has one; for functions that compare.
  var collation: Collation { node.pointee.collation }
  /// What `likelihood()`, `likely()` or `unlikely()` says of the probability (LogEst, at most 0).
  var likelihoodEstimate: LogEst? {
    get { node.pointee.likelihoodEstimate }
    nonmutating set { node.pointee.likelihoodEstimate = newValue }
  }
  /// For LIKE and GLOB: what every match begins with.
  var likePrefix: LikePrefix? {
    get { node.pointee.likePrefix }
    nonmutating set { node.pointee.likePrefix = newValue }
  }
  /// The call is written as LIKE or one of its kin.
  var patternOperator: Like.Operator? {
    get { node.pointee.patternOperator }
    nonmutating set { node.pointee.patternOperator = newValue }
  }
  /// The call stands in the schema, which may not make it.
  var isUnsafe: Bool {
    get { node.pointee.isUnsafe }
    nonmutating set { node.pointee.isUnsafe = newValue }
  }
  /// Where in the schema the call stands.
  var storedPlace: StoredPlace {
    get { node.pointee.storedPlace }
    nonmutating set { node.pointee.storedPlace = newValue }
  }
}

/// One aggregate call; equal calls of one SELECT share it.
struct BoundAggregate: BitwiseCopyable {
  private struct Node: BitwiseCopyable {
    unowned(unsafe) let function: AggregateFunction
    let arguments: BoundList<BoundExpression>
    let isDistinct: Bool
    let filter: BoundExpression?
    let orderBy: BoundList<BoundOrderingTerm>
    unowned(unsafe) let collation: Collation
    let selectID: Int
    let index: Int
    let memory: TreeMemory
  }

  private let node: UnsafePointer<Node>

  init(
    function: AggregateFunction, arguments: [BoundExpression], isDistinct: Bool,
    filter: BoundExpression?, orderBy: TreeList<BoundOrderingTerm>, collation: Collation,
    selectID: Int,
    index: Int, in memory: TreeMemory
  ) {
    memory.keep(function)
    node = UnsafePointer(
      memory.node(
        Node(
          function: function, arguments: memory.list(arguments), isDistinct: isDistinct,
          filter: filter, orderBy: memory.list(orderBy), collation: collation,
          selectID: selectID, index: index, memory: memory)))
  }

  var function: AggregateFunction { node.pointee.function }
  var arguments: BoundList<BoundExpression> { node.pointee.arguments }
  var isDistinct: Bool { node.pointee.isDistinct }
  var filter: BoundExpression? { node.pointee.filter }
  var orderBy: BoundList<BoundOrderingTerm> { node.pointee.orderBy }
  var collation: Collation { node.pointee.collation }
  /// The SELECT whose rows it runs over (not always the one that contains it).
  var selectID: Int { node.pointee.selectID }
  /// Position in that SELECT's `aggregates`.
  var index: Int { node.pointee.index }
  var memory: TreeMemory { node.pointee.memory }

  /// Both are one node.
  static func === (left: BoundAggregate, right: BoundAggregate) -> Bool { left.node == right.node }
}

struct BoundOrderingTerm: BitwiseCopyable {
  let expression: BoundExpression
  let isDescending: Bool
  /// NULLS FIRST with DESC or NULLS LAST with ASC: NULLs where they would not be otherwise.
  let hasBigNulls: Bool
  /// Position of the result column that the term is (by number, alias or equal expression), or -1.
  let resultColumn: Int
  /// Collation of the term: explicit, the expression's, or BINARY.
  unowned(unsafe) let collation: Collation
}

// MARK: Subtypes

extension BoundExpression {
  /// A call whose result may have a subtype: its own, or that of an argument that it gives back.
  var mayHaveSubtype: Bool {
    guard case .function(let call) = kind else { return false }
    return call.function.flags.contains(.resultSubtype)
      || call.arguments.contains(where: \.mayHaveSubtype)
  }

  /// Something in it gives a subtype, though no column does.
  var containsSubtypes: Bool {
    var isFound = false
    walk { node in
      if node.ownSubquery != nil { isFound = true }
      if case .function(let call) = node.kind, call.function.flags.contains(.resultSubtype) {
        isFound = true
      }
      return !isFound
    }
    return isFound
  }

  /// Of a call that looks at subtypes: the calls among its arguments, and theirs, that may have
  /// some.
  var argumentsWithSubtypes: [BoundExpression] {
    switch kind {
    case .function(let call) where call.function.flags.contains(.subtype):
      return call.arguments.flatMap(\.callsWithSubtypes)
    case .aggregate(let call) where call.function.flags.contains(.subtype):
      return call.arguments.flatMap(\.callsWithSubtypes)
    default: return []
    }
  }

  private var callsWithSubtypes: [BoundExpression] {
    guard mayHaveSubtype, case .function(let call) = kind else { return [] }
    return [self] + call.arguments.flatMap(\.callsWithSubtypes)
  }
}

extension BoundSource {
  /// False where a subquery's column is known to have no subtypes inside.
  func mayGiveSubtypes(_ column: Int32) -> Bool {
    guard case .subquery(let select) = self.kind else { return false }
    return select.mayGiveSubtypes(Int(column))
  }
}

extension BoundSelect {
  fileprivate func mayGiveSubtypes(_ column: Int) -> Bool {
    switch self.body {
    case .simple(let simple):
      guard self.columns.indices.contains(column) else { return false }
      switch self.columns[column].expression.kind {
      case .column(let id, let inner):
        return simple.sources.first { $0.id == id }?.mayGiveSubtypes(inner) ?? true
      case .integer, .real, .text, .blob, .null, .arithmetic, .comparison: return false
      default: return true
      }
    case .compound(let parts, _, _): return parts.contains { $0.mayGiveSubtypes(column) }
    case .values, .recursive, .currentRow: return true
    }
  }
}
