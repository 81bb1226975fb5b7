/// One way to run the loop over one source, with its costs (SQLite's WhereLoop).
///
/// A reference to a node in the statement's `TreeMemory`. All costs are LogEst. `prerequisites` are
/// the sources whose loops must be outside this one.
struct LoopCandidate: BitwiseCopyable {
  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt32
    static let equality = Flags(rawValue: 1)
    static let range = Flags(rawValue: 2)
    static let inOperator = Flags(rawValue: 4)
    static let nullTest = Flags(rawValue: 8)
    static let upperBound = Flags(rawValue: 16)
    static let lowerBound = Flags(rawValue: 32)
    /// All columns are in the index.
    static let covering = Flags(rawValue: 64)
    /// By rowid, or a subquery's rows.
    static let rowid = Flags(rawValue: 128)
    static let indexed = Flags(rawValue: 256)
    /// At most one row.
    static let oneRow = Flags(rawValue: 512)
    /// All columns of a unique index are bound, though some may be NULL.
    static let uniqueWanted = Flags(rawValue: 1024)
    /// A hash table built for the query (SQLite's automatic index).
    static let hashTable = Flags(rawValue: 2048)
    static let skipScan = Flags(rawValue: 4096)
    /// Rows of a view or subquery.
    static let subquery = Flags(rawValue: 8192)
    /// One index for each part of an OR.
    static let multiIndex = Flags(rawValue: 16384)
    /// All that is read is in the index, some of it as an expression.
    static let expressionIndex = Flags(rawValue: 32768)
    /// Terms of this source alone drop rows that the loop visits.
    static let selfCulling = Flags(rawValue: 65536)
    /// An equality on a column that follows from other equalities.
    static let transitive = Flags(rawValue: 131072)
    /// A filter keeps most searches that find nothing from being made.
    static let bloomFilter = Flags(rawValue: 262144)
    /// A scan of a virtual table; terms give its arguments.
    static let virtual = Flags(rawValue: 524288)
    /// The order wants NULLs at the other end than the index has them: two walks.
    static let nullPasses = Flags(rawValue: 1048576)
    /// The rows of a virtual table come in the order that is wanted.
    static let ordered = Flags(rawValue: 2097152)
    static let constraints: Flags = [.equality, .range, .inOperator, .nullTest]
    /// The table's rows need not be looked up.
    static let withoutLookup: Flags = [.covering, .rowid, .expressionIndex]
  }

  private struct Node: BitwiseCopyable {
    let source: Int
    let memory: TreeMemory
    unowned(unsafe) var index: Index?
    var terms = TreeList<WhereTerm?>()
    var prerequisites: SourceMask = []
    var flags: Flags = []
    var equalityCount: Int = 0
    var skipCount: Int = 0
    var setupCost: LogEst = 0
    var runCost: LogEst = 0
    var rowCount: LogEst = 0
    var sortIndex: Int = 0
    unowned(unsafe) var virtual: VirtualLoop?
  }

  private let node: UnsafeMutablePointer<Node>

  init(source: Int, in memory: TreeMemory) {
    node = memory.node(Node(source: source, memory: memory))
  }

  /// A copy that is changed on its own.
  init(copying other: LoopCandidate) {
    let memory = other.node.pointee.memory
    node = memory.node(other.node.pointee)
    node.pointee.terms = TreeList(other.terms, in: memory)
  }

  /// Both are one node.
  @inline(__always)
  static func === (left: LoopCandidate, right: LoopCandidate) -> Bool { left.node == right.node }

  var source: Int {
    @inline(__always) get { node.pointee.source }
  }
  /// nil: the rows themselves, by rowid or by the primary key of a WITHOUT ROWID table.
  var index: Index? {
    get { node.pointee.index }
    nonmutating set { node.pointee.index = newValue }
  }
  /// Terms that the loop takes, in the order of the index's columns: `equalityCount` equalities (a
  /// skip-scan's leading columns are nil), then a lower and an upper bound.
  var terms: TreeList<WhereTerm?> {
    @inline(__always) get { node.pointee.terms }
  }
  var prerequisites: SourceMask {
    @inline(__always) get { node.pointee.prerequisites }
    nonmutating set { node.pointee.prerequisites = newValue }
  }
  var flags: Flags {
    @inline(__always) get { node.pointee.flags }
    nonmutating set { node.pointee.flags = newValue }
  }
  var equalityCount: Int {
    @inline(__always) get { node.pointee.equalityCount }
    nonmutating set { node.pointee.equalityCount = newValue }
  }
  var skipCount: Int {
    @inline(__always) get { node.pointee.skipCount }
    nonmutating set { node.pointee.skipCount = newValue }
  }
  /// Cost of what is done once before the loop (building a hash table).
  var setupCost: LogEst {
    @inline(__always) get { node.pointee.setupCost }
    nonmutating set { node.pointee.setupCost = newValue }
  }
  /// Cost of one run of the loop.
  var runCost: LogEst {
    @inline(__always) get { node.pointee.runCost }
    nonmutating set { node.pointee.runCost = newValue }
  }
  /// Rows of one run.
  var rowCount: LogEst {
    @inline(__always) get { node.pointee.rowCount }
    nonmutating set { node.pointee.rowCount = newValue }
  }
  /// Not 0 for loops that may satisfy the ORDER BY: candidates of different numbers do not compete.
  var sortIndex: Int {
    @inline(__always) get { node.pointee.sortIndex }
    nonmutating set { node.pointee.sortIndex = newValue }
  }

  /// How a virtual table said that it would make its rows.
  var virtual: VirtualLoop? {
    get { node.pointee.virtual }
    nonmutating set {
      if let newValue { node.pointee.memory.keep(newValue) }
      node.pointee.virtual = newValue
    }
  }

  func append(_ term: WhereTerm?) { node.pointee.terms.append(term, in: node.pointee.memory) }

  func setTerms(_ terms: some Collection<WhereTerm?>) {
    node.pointee.terms = TreeList(terms, in: node.pointee.memory)
  }

  /// Forgets the terms behind the first `count`.
  func truncateTerms(to count: Int) { node.pointee.terms.truncate(to: count) }

  /// Of two loops that cost the same, the one over the smaller index is better.
  func isNoBetter(than other: LoopCandidate) -> Bool {
    guard flags.contains(.indexed), other.flags.contains(.indexed), let index,
      let otherIndex = other.index
    else { return true }
    return index.rowSizeEstimate >= otherIndex.rowSizeEstimate
  }

  var lowerBound: WhereTerm? {
    guard flags.contains(.lowerBound) else { return nil }
    return terms[flags.contains(.upperBound) ? terms.count - 2 : terms.count - 1]
  }

  var upperBound: WhereTerm? { flags.contains(.upperBound) ? terms[terms.count - 1] : nil }

  /// The values that a bound made of a row value gives the columns of the index behind its first one
  /// (SQLite's whereRangeVectorLen, which takes no rowid).
  func furtherValues(of bound: WhereTerm, _ source: SourceID) -> TreeList<BoundExpression> {
    var values = TreeList<BoundExpression>()
    guard let row = bound.row, let index else { return values }
    var rest = row.comparison, position = equalityCount
    while case .or(_, let undecided) = rest.kind, case .and(_, let next) = undecided.kind {
      rest = next
      position += 1
      guard position < index.columns.count else { break }
      var item = next
      if case .or(let decided, _) = next.kind { item = decided }
      let key = index.columns[position]
      guard case .comparison(let comparison, let left, let right) = item.kind,
        case .column(source, let column) = (row.isLeft ? left : right).kind,
        column >= 0, Int(column) == key.tableColumn,
        key.isDescending == index.columns[equalityCount].isDescending,
        comparison.collation.isNamed(key.collation)
      else { break }
      let value = row.isLeft ? right : left
      guard index.table.keepsAffinity(ofColumn: Int(column), comparedWith: value) else { break }
      values.append(value, in: value.memory)
    }
    return values
  }

  /// The terms of this loop are some of those of `other`, or fewer equalities of the same index,
  /// and it costs no more.
  func isCheaperProperSubset(of other: LoopCandidate) -> Bool {
    if runCost > other.runCost && rowCount > other.rowCount { return false }
    if equalityCount < other.equalityCount, index === other.index, skipCount == 0,
      other.skipCount == 0
    {
      return true
    }
    if terms.count - skipCount >= other.terms.count - other.skipCount { return false }
    if other.skipCount > skipCount { return false }
    for case let term? in terms where !other.terms.contains(where: { $0 === term }) {
      return false
    }
    return !(flags.contains(.covering) && !other.flags.contains(.covering))
  }
}

extension LoopCandidate {
  /// The loop searches for the value of another column that must be equal to the term's: that says
  /// nothing of the equality itself, which has yet to be tested.
  func isOnlyImplied(_ term: WhereTerm) -> Bool {
    flags.contains(.transitive) && term.operators.contains(.equivalence)
  }
}

extension Table {
  /// A comparison of the column with the value is one by the column's own affinity, in whose order an
  /// index is.
  fileprivate func keepsAffinity(ofColumn column: Int, comparedWith value: BoundExpression) -> Bool {
    let own = columns[column].affinity
    if value.affinity == .none { return true }
    return own == (own.isNumeric || value.affinity.isNumeric ? .numeric : .blob)
  }
}
