// A UNION ALL in FROM: the SELECT around it is done for each part (optoverview §13).
//
//     SELECT a+1 FROM (SELECT x AS a FROM t UNION ALL SELECT y FROM u) WHERE a > 5
//     SELECT x+1 FROM t WHERE x > 5 UNION ALL SELECT y+1 FROM u WHERE y > 5

extension Flattener {
  static func mergingUnion(
    _ position: Int, _ subquery: BoundSelect, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> BoundSelect? {
    guard case .compound(let parts, let operators, _) = subquery.body,
      canMergeUnion(position, subquery, parts, operators, simple, select)
    else { return nil }
    var selects: [BoundSelect] = []
    for part in parts {
      guard let merged = merging(part, at: position, simple, select) else { return nil }
      selects.append(merged)
    }
    let result = BoundSelect(
      id: select.id,
      body: .compound(
        selects, operators, collations: select.columns.map { $0.collation ?? .binary }),
      columns: select.columns, orderBy: select.orderBy, limit: select.limit,
      offset: select.offset, isCorrelated: select.isCorrelated, isDistinct: false,
      in: select.memory)
    result.number = select.number
    return result
  }

  private static func canMergeUnion(
    _ position: Int, _ subquery: BoundSelect, _ parts: [BoundSelect],
    _ operators: [CompoundOperator], _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> Bool {
    guard subquery.orderBy.isEmpty, subquery.limit == nil, !simple.isAggregate,
      !select.isDistinct, operators.allSatisfy({ $0 == .unionAll }),
      select.orderBy.allSatisfy({ $0.resultColumn >= 0 }),
      simple.sources[position].join.isDisjoint(with: [.left, .right]),
      !simple.sources.contains(where: { $0.join.contains(.right) }),
      simple.sources[position].commonTable?.materialization != .materialized
    else { return false }
    for part in parts {
      guard case .simple(let inner) = part.body, !inner.isAggregate, !part.isDistinct,
        inner.window == nil,
        !inner.sources.isEmpty, inner.sources.count + simple.sources.count <= 64,
        !inner.sources.contains(where: { $0.join.contains(.right) })
      else { return false }
      // Comparisons around the subquery are made for one affinity.
      for (column, first) in zip(part.columns, parts[0].columns)
      where column.expression.affinity != first.expression.affinity {
        return false
      }
    }
    return true
  }

  /// The SELECT over one part.
  private static func merging(
    _ part: BoundSelect, at position: Int, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> BoundSelect? {
    var sources = Array(simple.sources)
    let source = sources[position]
    sources[position] = source.replacing(
      kind: .subquery(part), join: source.join, on: source.on)
    let copy = BoundSelect(
      id: part.id, body: .simple(simple.replacing(sources: sources)), columns: select.columns,
      orderBy: [], limit: nil, offset: nil, isCorrelated: select.isCorrelated, isDistinct: false,
      in: select.memory)
    copy.number = part.number
    return copy
  }
}
