// A SELECT with window functions becomes one over a subquery (SQLite's sqlite3WindowRewrite):
//
//     SELECT a, sum(b) OVER (PARTITION BY c ORDER BY d) FROM t WHERE e ORDER BY f
//     SELECT a, sum() FROM (SELECT a, f, c, d, b FROM t WHERE e ORDER BY c, d) ORDER BY f
//
// The outer SELECT has the functions of one window, that of the first call. Those of other windows
// are columns of the subquery, which is then treated in the same way.

extension Binder {
  /// `select` with a SELECT of its own for each of its windows.
  ///
  /// They nest, and as in SQLite their expressions together may be as deep as one expression: 500
  /// windows of sum(x).
  func separatingWindows(
    _ select: BoundSelect, of scope: Scope
  ) throws(SQLError) -> BoundSelect {
    try separatingWindows(
      select, scope.windowCalls, WindowHeights(open: 0, tallest: scope.height))
  }

  /// The heights of expressions around a SELECT that is to be separated.
  private struct WindowHeights {
    /// The sum of the SELECTs around it.
    var open: Int32
    /// Its own tallest expression.
    var tallest: Int32
  }

  /// Does it for the calls, the first of which decide the outermost window.
  ///
  /// Where ORDER BY names a result column, SQLite copies what is in it. It does not take the copy
  /// of a window function for one of the first window: rows are sorted for that window once more,
  /// which shows in the order of equal rows. The copy, from the sorter, is also what the column
  /// shows.
  private func separatingWindows(
    _ select: BoundSelect, _ calls: [BoundWindowCall], _ heights: WindowHeights
  ) throws(SQLError) -> BoundSelect {
    guard let first = calls.first else { return select }
    let terms = first.window.isOrdered(by: select.orderBy) ? [] : select.orderBy
    var known: [BoundWindowCall] = []
    for column in select.columns { column.expression.forEachWindowCall { known.append($0) } }
    var copies: [BoundWindowCall] = []
    var columns = Array(select.columns)
    let orderBy = terms.map { term in
      let before = copies.count
      let new = term.mapLeaves { leaf in
        guard case .window(let call) = leaf.kind, known.contains(where: { $0 === call }) else {
          return nil
        }
        copies.append(call.copy)
        return BoundExpression(
          .window(copies[copies.count - 1]), affinity: leaf.affinity, traits: leaf.traits,
          in: leaf.memory)
      }
      if copies.count > before && term.resultColumn >= 0 && !select.isDistinct {
        columns[term.resultColumn] = columns[term.resultColumn].replacing(new.expression)
      }
      return new
    }
    return try separatingFirst(
      select.replacing(
        columns: TreeList(columns, in: memory), orderBy: TreeList(orderBy, in: memory)), calls,
      copies, heights)
  }

  private func separatingFirst(
    _ select: BoundSelect, _ calls: [BoundWindowCall], _ copies: [BoundWindowCall],
    _ heights: WindowHeights
  ) throws(SQLError) -> BoundSelect {
    guard case .simple(let simple) = select.body, let first = calls.first else { return select }
    try memory.attend()
    let window = first.window
    let own = calls.filter { $0.window.isSame(as: window) }
    let rest = calls.filter { call in !own.contains { $0 === call } } + copies
    let inside = own.reduce(window.height) { max($0, $1.height - 1) }
    let below = rest.reduce(inside) { max($0, $1.height) }
    guard heights.open + below <= environment.expressionDepthLimit else {
      throw Parser.tooDeep(environment.expressionDepthLimit)
    }
    let id = newSelectID()
    let sourceID = newSourceID()
    let rows = WindowRows(sourceID, simple, of: select.id, own)
    let columns = select.columns.map {
      $0.replacing($0.expression.mapLeaves(rows.replacement(of:)))
    }
    let terms = window.isOrdered(by: select.orderBy) ? [] : select.orderBy
    let orderBy = terms.map { $0.mapLeaves(rows.replacement(of:)) }
    let partition = window.partitionBy.map { rows.position(of: $0) }
    let order = window.orderBy.map { rows.position(of: $0.expression) }
    var stepCalls: [BoundWindowStep.Call] = []
    for (position, call) in own.enumerated() {
      call.place(in: id, at: position)
      stepCalls.append(
        BoundWindowStep.Call(
          call: call, arguments: call.arguments.map { rows.position(of: $0) },
          subtypes: subtypes(of: call).map { rows.position(of: $0) },
          filter: call.filter.map { rows.position(of: $0) }))
    }
    let next = rest.first.map { call in
      rest.reduce(inside) { $1.window.isSame(as: call.window) ? max($0, $1.height) : $0 }
    }
    let inner = try separatingWindows(
      rows.subquery(of: select, simple, rowOrder(window, partition, order)), rest,
      WindowHeights(open: heights.open + heights.tallest, tallest: next ?? inside))
    let source = BoundSource(
      id: sourceID, kind: .subquery(inner), label: Name(""), hasAlias: false,
      databaseIndex: -1, join: .inner, in: memory)
    source.usedColumns = .max
    let body = BoundSimpleSelect(
      sources: [source], whereClause: nil,
      window: BoundWindowStep(
        window: window, calls: stepCalls, partitionColumns: partition, orderColumns: order),
      in: memory)
    return BoundSelect(
      id: id, body: .simple(body), columns: columns, orderBy: orderBy, limit: select.limit,
      offset: select.offset, isCorrelated: select.isCorrelated, isDistinct: select.isDistinct,
      in: memory)
  }

  /// The subtypes of the arguments, which the rows themselves do not keep.
  private func subtypes(of call: BoundWindowCall) -> [BoundExpression] {
    guard call.function.flags.contains(.subtype) else { return [] }
    return call.arguments.map { argument in
      let node = BoundFunction(
        function: BuiltInFunctions.subtypeOf, arguments: [argument], collation: .binary, in: memory)
      return combined(.function(node), [argument], adding: .hasFunction)
    }
  }

  private func rowOrder(
    _ window: BoundWindow, _ partition: [Int], _ order: [Int]
  ) -> TreeList<BoundOrderingTerm> {
    var terms: TreeList<BoundOrderingTerm> = []
    for (expression, column) in zip(window.partitionBy, partition) {
      terms.append(
        BoundOrderingTerm(
          expression: expression, isDescending: false, hasBigNulls: false, resultColumn: column,
          collation: expression.collation ?? .binary), in: memory)
    }
    for (term, column) in zip(window.orderBy, order) {
      terms.append(
        BoundOrderingTerm(
          expression: term.expression, isDescending: term.isDescending,
          hasBigNulls: term.hasBigNulls, resultColumn: column, collation: term.collation),
        in: memory)
    }
    return terms
  }
}

/// The columns of the subquery that gives a window its rows.
private final class WindowRows {
  private let id: SourceID
  private let sources: TreeList<BoundSource>
  private let selectID: Int
  private let own: [BoundWindowCall]
  @exclusivity(unchecked) private var columns: [BoundExpression] = []

  init(
    _ id: SourceID, _ simple: BoundSimpleSelect, of selectID: Int, _ own: [BoundWindowCall]
  ) {
    self.id = id
    sources = simple.sources
    self.selectID = selectID
    self.own = own
  }

  /// The position of a column with the expression's value. Only columns that give the same value
  /// each time are shared.
  func position(of expression: BoundExpression) -> Int {
    switch expression.kind {
    case .column, .aggregate, .window:
      if let known = columns.firstIndex(where: { $0.isSame(as: expression) }) { return known }
    default: break
    }
    columns.append(expression)
    return columns.count - 1
  }

  /// What takes the place of a leaf of an expression over the subquery's columns.
  func replacement(of leaf: BoundExpression) -> BoundExpression? {
    switch leaf.kind {
    case .column(let source, _):
      guard sources.contains(where: { $0.id == source }) else { return nil }
    case .aggregate(let aggregate):
      guard aggregate.selectID == selectID else { return nil }
    case .window(let call):
      // That of a subquery has its place already.
      if call.selectID >= 0 { return nil }
      if own.contains(where: { $0 === call }) { return leaf }
    default: return nil
    }
    return BoundExpression(
      .column(id, Int32(position(of: leaf))), affinity: leaf.affinity,
      collation: leaf.collation, hasExplicitCollation: leaf.hasExplicitCollation,
      traits: .hasColumn, in: leaf.memory)
  }

  /// The subquery: the SELECT as it was written, with these columns in this order.
  func subquery(
    of select: BoundSelect, _ simple: BoundSimpleSelect, _ orderBy: TreeList<BoundOrderingTerm>
  ) -> BoundSelect {
    if columns.isEmpty, let memory = own.first?.memory {
      columns.append(BoundExpression(.integer(0), affinity: .none, traits: [], in: memory))
    }
    let rows = BoundSelect(
      id: select.id, body: .simple(simple),
      columns: columns.map {
        BoundResultColumn(
          expression: $0, label: Name(""), affinity: $0.affinity, collation: $0.collation,
          originTable: nil, originColumn: 0)
      },
      orderBy: orderBy, limit: nil, offset: nil, isCorrelated: select.isCorrelated,
      isDistinct: false, in: select.memory)
    rows.showsOrderOfSources = true
    return rows
  }
}

extension BoundExpression {
  /// Calls `body` for every window function outside subqueries.
  fileprivate func forEachWindowCall(_ body: (BoundWindowCall) -> Void) {
    guard traits.contains(.hasWindowFunction) else { return }
    walk { node in
      if case .window(let call) = node.kind { body(call) }
      return node.traits.contains(.hasWindowFunction)
    }
  }
}

extension BoundWindow {
  /// Rows sorted for the window are sorted by these terms. SQLite does not see it of a result
  /// column with COLLATE.
  fileprivate func isOrdered(by terms: TreeList<BoundOrderingTerm>) -> Bool {
    guard terms.count <= partitionBy.count + orderBy.count else { return false }
    for (position, term) in terms.enumerated() {
      if term.resultColumn >= 0, case .collate = term.expression.kind { return false }
      if position < partitionBy.count {
        guard !term.isDescending, !term.hasBigNulls,
          term.expression.isSame(as: partitionBy[position])
        else { return false }
      } else if !term.isSameOrder(as: orderBy[position - partitionBy.count]) {
        return false
      }
    }
    return true
  }
}
