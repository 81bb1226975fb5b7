// count(*) over a UNION ALL is the sum of the counts of its parts (countOfViewOptimization):
//
//     SELECT count(*) FROM (SELECT a FROM t UNION ALL SELECT b FROM u)
//     SELECT (SELECT count(*) FROM t) + (SELECT count(*) FROM u)

extension Rewriter {
  /// As SQLite does not look at them, a common table and parts with WHERE are counted row by row.
  static func countingParts(_ select: BoundSelect) -> BoundSelect {
    guard let count = select.wholeCount, case .simple(let simple) = select.body,
      simple.sources[0].commonTable == nil, case .subquery(let subquery) = simple.sources[0].kind,
      case .compound(let parts, let operators, _) = subquery.body, subquery.limit == nil,
      operators.allSatisfy({ $0 == .unionAll }), parts.allSatisfy(\.hasAllRows)
    else { return select }
    let isView = simple.sources[0].viewName != nil
    var sum: BoundExpression?
    for (index, part) in parts.enumerated().reversed() {
      let counted = part.counted(by: count, select.columns[0])
      // The parts of a view are numbered from its end, those of the text from their beginning.
      let distance = Int32(parts.count - 1 - index)
      counted.number = isView ? subquery.number &+ distance : subquery.number &- distance
      let value = BoundExpression(
        .scalarSubquery(counted), affinity: .none, traits: .hasSubquery, in: select.memory)
      sum =
        sum.map {
          BoundExpression(
            .arithmetic(.add, value, $0), affinity: .none, traits: .hasSubquery, in: select.memory)
        } ?? value
    }
    guard let sum else { return select }
    let row = BoundSimpleSelect(sources: [], whereClause: nil, in: select.memory)
    return select.replacing(
      body: .simple(row),
      columns: TreeList([select.columns[0].withValue(sum)], in: select.memory))
  }
}

extension BoundSelect {
  /// The count(*) that is all that is wanted of one source.
  fileprivate var wholeCount: BoundAggregate? {
    guard case .simple(let simple) = self.body, simple.sources.count == 1,
      simple.aggregates.count == 1, simple.whereClause == nil, simple.groupBy.isEmpty,
      simple.having == nil, simple.window == nil, self.orderBy.isEmpty, self.columns.count == 1,
      case .aggregate(let count) = self.columns[0].expression.kind, count.selectID == self.id,
      count.function.isCount, count.arguments.isEmpty, count.filter == nil
    else { return nil }
    return count
  }

  /// No row of the part's FROM is left out, and none stands for several.
  fileprivate var hasAllRows: Bool {
    guard case .simple(let simple) = self.body else { return false }
    return simple.whereClause == nil && !simple.isAggregate && simple.window == nil
      && !self.isDistinct && self.limit == nil
  }

  fileprivate func counted(
    by count: BoundAggregate, _ column: BoundResultColumn
  ) -> BoundSelect {
    guard case .simple(let simple) = self.body else { return self }
    let own = BoundAggregate(
      function: count.function, arguments: [], isDistinct: count.isDistinct, filter: nil,
      orderBy: [], collation: count.collation, selectID: self.id, index: 0, in: self.memory)
    let value = BoundExpression(
      .aggregate(own), affinity: .none, traits: .hasAggregate, in: self.memory)
    // Its columns alone may have been read from around it.
    let isPlain =
      simple.sources.count <= 1
      && !simple.sources.contains { $0.isSubquery || $0.arguments != nil }
    return BoundSelect(
      id: self.id,
      body: .simple(
        BoundSimpleSelect(
          sources: simple.sources, whereClause: nil, aggregates: [own], isAggregate: true,
          in: self.memory)),
      columns: [column.withValue(value)], orderBy: [], limit: nil, offset: nil,
      isCorrelated: self.isCorrelated && !isPlain, isDistinct: false, in: self.memory)
  }
}

extension BoundResultColumn {
  fileprivate func withValue(_ expression: BoundExpression) -> BoundResultColumn {
    BoundResultColumn(
      expression: expression, label: label, affinity: affinity, collation: collation,
      originTable: originTable, originColumn: originColumn, isAlias: isAlias)
  }
}
