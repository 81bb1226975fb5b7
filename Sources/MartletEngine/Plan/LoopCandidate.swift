/// One way to run the loop over one source, with its costs (SQLite's WhereLoop).
///
/// All costs are LogEst. `prerequisites` are the sources whose loops must be outside this one.
final class LoopCandidate {
  let source: Int
  @exclusivity(unchecked) var prerequisites: SourceMask = []
  @exclusivity(unchecked) var flags: Flags = []
  /// nil: the rows themselves, by rowid or by the primary key of a WITHOUT ROWID table.
  @exclusivity(unchecked) var index: Index?
  /// Terms that the loop takes, in the order of the index's columns: `equalityCount` equalities (a
  /// skip-scan's leading columns are nil), then a lower and an upper bound.
  @exclusivity(unchecked) var terms: [WhereTerm?] = []
  @exclusivity(unchecked) var equalityCount = 0
  @exclusivity(unchecked) var skipCount = 0
  /// Cost of what is done once before the loop (building a hash table).
  @exclusivity(unchecked) var setupCost: LogEst = 0
  /// Cost of one run of the loop.
  @exclusivity(unchecked) var runCost: LogEst = 0
  /// Rows of one run.
  @exclusivity(unchecked) var rowCount: LogEst = 0
  /// Not 0 for loops that may satisfy the ORDER BY: candidates of different numbers do not compete.
  @exclusivity(unchecked) var sortIndex = 0

  struct Flags: OptionSet {
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
    /// The rows of a table-valued function; terms give its arguments.
    static let function = Flags(rawValue: 524288)
    /// The order wants NULLs at the other end than the index has them: two walks.
    static let nullPasses = Flags(rawValue: 1048576)
    static let constraints: Flags = [.equality, .range, .inOperator, .nullTest]
    /// The table's rows need not be looked up.
    static let withoutLookup: Flags = [.covering, .rowid, .expressionIndex]
  }

  /// Of two loops that cost the same, the one over the smaller index is better.
  func isNoBetter(than other: LoopCandidate) -> Bool {
    guard flags.contains(.indexed), other.flags.contains(.indexed), let index,
      let otherIndex = other.index
    else { return true }
    return index.rowSizeEstimate >= otherIndex.rowSizeEstimate
  }

  init(source: Int) { self.source = source }

  /// A copy that is changed on its own.
  init(copying other: LoopCandidate) {
    source = other.source
    prerequisites = other.prerequisites
    flags = other.flags
    index = other.index
    terms = other.terms
    equalityCount = other.equalityCount
    skipCount = other.skipCount
    setupCost = other.setupCost
    runCost = other.runCost
    rowCount = other.rowCount
    sortIndex = other.sortIndex
  }

  var lowerBound: WhereTerm? {
    guard flags.contains(.lowerBound) else { return nil }
    return terms[flags.contains(.upperBound) ? terms.count - 2 : terms.count - 1]
  }

  var upperBound: WhereTerm? { flags.contains(.upperBound) ? terms[terms.count - 1] : nil }

  /// The terms of this loop are some of those of `other`, or fewer equalities of the same index, and
  /// it costs no more.
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
