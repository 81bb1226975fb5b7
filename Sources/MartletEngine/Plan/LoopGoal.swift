/// What the loops are planned for.
typealias LoopGoal = TreeNode<LoopGoalContent>

struct LoopGoalContent: BitwiseCopyable {
  /// What the ordering is for, which decides what serves it.
  enum OrderingKind {
    case orderBy
    /// GROUP BY: any permutation and direction serves.
    case groupBy
    /// DISTINCT: any permutation serves.
    case distinct
  }

  /// What the connection wants of plans.
  struct Options: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// PRAGMA reverse_unordered_selects: tables are scanned backward where no order is asked for.
    static let reversesOrder = Options(rawValue: 1)
    /// PRAGMA automatic_index = OFF.
    static let usesNoHashTables = Options(rawValue: 2)
    /// SQLITE_CONFIG_COVERING_INDEX_SCAN is off: that an index is smaller than its table is no reason
    /// to scan it.
    static let scansNoCoveringIndexes = Options(rawValue: 4)
    /// A collation of the application is missing: the indexes that have one are left alone.
    static let avoidsCollations = Options(rawValue: 8)
  }

  let options: Options
  /// Where functions of constants are called, to know their values.
  unowned(unsafe) let functionHost: FunctionHost?
  /// What parameters are bound to, where plans may depend on it.
  unowned(unsafe) let parameters: PlanParameters?
  /// ORDER BY, GROUP BY or DISTINCT columns that the loops should satisfy.
  var ordering: TreeList<BoundOrderingTerm> = []
  var kind = OrderingKind.orderBy
  /// For GROUP BY: the result is wanted in the order of the groups.
  var ordersGroups = false
  /// DISTINCT is wanted of the result columns while `ordering` is for ORDER BY.
  var distinctColumns: TreeList<BoundExpression> = []
  /// Rows that a constant LIMIT asks for (LogEst).
  var limit: LogEst?
  /// The SELECT is a value or an EXISTS: its first row is enough.
  var wantsOneRow = false
  /// min() or max() alone: only the first row is wanted.
  var isMinMax = false
  var resultColumnCount = 1
  /// Rows of the loops around this SELECT (LogEst).
  var outerRowCount: LogEst = 0
  /// The SELECT whose loops these are: what it reads decides whether an index has everything.
  var select: BoundSelect?
  /// The rows that are found will be changed: reading them from an index alone gains nothing.
  var isForChange = false
  /// Outer joins whose right side nothing reads may be left out.
  var mayOmitJoins = false

  init(
    _ options: Options = [], _ functionHost: FunctionHost? = nil,
    _ parameters: PlanParameters? = nil
  ) {
    self.options = options
    self.functionHost = functionHost
    self.parameters = parameters
  }

  var isDistinct: Bool { !distinctColumns.isEmpty }
}
