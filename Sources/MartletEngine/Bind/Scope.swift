/// Where the names in the expressions of one SELECT are looked up (SQLite's NameContext).
///
/// Scopes are chained outward: what a subquery does not find in its own FROM, it looks for in the
/// SELECT around it. A subquery in FROM does not see its neighbours: its outer scope is that of the
/// SELECT around the one whose FROM it stands in.
///
/// Exclusivity is not checked at run time: a scope belongs to one binder, whose methods do not
/// overlap, and the checks would cost a tenth of the binding of a short statement.
final class Scope {
  enum Clause: UInt8 { case other, result, having, condition, grouping, ordering }

  let outer: Scope?
  /// The id of the SELECT whose scope this is.
  let selectID: Int
  @exclusivity(unchecked) var sources: TreeList<BoundSource> = []
  /// The columns whose aliases may be used, once `seesAliases` is set.
  @exclusivity(unchecked) var columns: TreeList<BoundResultColumn> = []
  @exclusivity(unchecked) var seesAliases = false
  /// Aggregates of this SELECT may be written where names are being resolved.
  @exclusivity(unchecked) var allowsAggregates = false
  /// So may window functions.
  @exclusivity(unchecked) var allowsWindows = false
  /// The WINDOW clause.
  @exclusivity(unchecked) var windows: TreeList<NamedWindow> = []
  /// The window functions of this SELECT, as they were found.
  @exclusivity(unchecked) var windowCalls: [BoundWindowCall] = []
  /// Of the tallest expression so far.
  @exclusivity(unchecked) var height: Int32 = 0
  /// GROUP BY is there, or an aggregate was found in the result columns.
  @exclusivity(unchecked) var isAggregate = false
  @exclusivity(unchecked) var clause = Clause.other
  @exclusivity(unchecked) var aggregates: [BoundAggregate] = []
  /// Something of an outer scope is used here.
  @exclusivity(unchecked) var isCorrelated = false

  init(outer: Scope?, selectID: Int) {
    self.outer = outer
    self.selectID = selectID
  }

  /// The source of a column that was looked up here.
  func source(_ id: SourceID) -> BoundSource? {
    for source in sources where source.id == id { return source }
    return outer?.source(id)
  }

  func owns(_ id: SourceID) -> Bool {
    for source in sources where source.id == id { return true }
    return false
  }
}

/// A WITH clause and what is around it, as common tables are looked for.
final class CommonTableScope {
  let clause: WithClause
  let outer: CommonTableScope?
  /// Positions of the tables that are being bound: a reference to one of them is circular.
  var busy: [Int] = []
  /// Positions of the tables that were read, while names are noted for ALTER TABLE.
  var read: [Int] = []
  /// Recursions whose steps are being bound, the innermost last.
  var recursions: [RecursiveTable] = []
  /// Of the tables that the statement reads, with their positions.
  private var uses: [(position: Int, use: CommonTableUse)] = []

  init(_ clause: WithClause, outer: CommonTableScope?) {
    self.clause = clause
    self.outer = outer
  }

  /// How often the table is named, counting this time.
  func noteUse(of position: Int, in memory: TreeMemory) -> CommonTableUse {
    if let known = uses.first(where: { $0.position == position })?.use {
      known.count += 1
      return known
    }
    let use = CommonTableUse()
    memory.keep(use)
    uses.append((position, use))
    return use
  }
}

/// A common table of a statement, wherever it is named: its rows need be made once only.
final class CommonTableUse {
  /// How often it is named in FROM, not counting its own recursion.
  @exclusivity(unchecked) var count = 1
}
