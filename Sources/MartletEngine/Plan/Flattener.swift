// Subqueries in FROM that are merged into the query around them (optoverview §13).
//
//     SELECT a+1 FROM (SELECT x AS a, y AS b FROM t WHERE x > 5) WHERE b = 3
//     SELECT x+1 FROM t WHERE x > 5 AND y = 3
//
// A subquery is merged when it is a plain SELECT … FROM … WHERE: no aggregate, no DISTINCT, no LIMIT.
// On the right of a LEFT JOIN it must read one table and give nothing but its columns, because an
// expression over a row of NULLs need not be NULL.

enum Flattener {
  /// `select` with every subquery merged that can be.
  static func flattened(_ select: BoundSelect) -> BoundSelect {
    var select = select
    while case .simple(let simple) = select.body, let position = candidate(simple, select) {
      select = merge(position, simple, select)
    }
    return select
  }

  private static func candidate(_ simple: BoundSimpleSelect, _ select: BoundSelect) -> Int? {
    simple.sources.indices.first { canMerge($0, simple, select) }
  }

  private static func canMerge(
    _ position: Int, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> Bool {
    let source = simple.sources[position]
    guard case .subquery(let subquery, _) = source.kind, !subquery.isCorrelated,
      case .simple(let inner) = subquery.body, !inner.isAggregate, !subquery.isDistinct,
      subquery.limit == nil, !inner.sources.isEmpty,
      simple.sources.count + inner.sources.count <= 64
    else { return false }
    if !subquery.orderBy.isEmpty
      && (!select.orderBy.isEmpty || simple.isAggregate || simple.sources.count > 1
        || select.isDistinct)
    {
      return false
    }
    if simple.sources.contains(where: { $0.join.contains(.right) })
      || inner.sources.contains(where: { $0.join.contains(.right) })
    {
      return false
    }
    if source.join.contains(.left) {
      return inner.sources.count == 1 && !select.isDistinct
        && subquery.columns.allSatisfy {
          if case .column = $0.expression.kind { return true }
          return false
        }
    }
    return true
  }

  private static func merge(
    _ position: Int, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> BoundSelect {
    let source = simple.sources[position]
    guard case .subquery(let subquery, _) = source.kind, case .simple(let inner) = subquery.body
    else { return select }
    let substitution = Substitution(
      source: source.id, expressions: subquery.columns.map(\.expression))
    var whereClause = simple.whereClause.map(substitution.apply)
    var sources: [BoundSource] = []
    for (index, outer) in simple.sources.enumerated() {
      if index == position {
        let on = outer.on.map(substitution.apply)
        let isOuter = outer.join.contains(.left)
        if !isOuter { whereClause = conjunction(whereClause, on) }
        for (innerIndex, item) in inner.sources.enumerated() {
          let isFirst = innerIndex == 0
          var condition = item.on
          if isFirst && isOuter { condition = conjunction(on, inner.whereClause) }
          sources.append(
            item.changed(join: isFirst ? outer.join : item.join, on: condition))
        }
        if !isOuter { whereClause = conjunction(inner.whereClause, whereClause) }
      } else {
        sources.append(outer.changed(join: outer.join, on: outer.on.map(substitution.apply)))
      }
    }
    let aggregates = simple.aggregates.map { aggregate in
      BoundAggregate(
        function: aggregate.function, arguments: aggregate.arguments.map(substitution.apply),
        isDistinct: aggregate.isDistinct, filter: aggregate.filter.map(substitution.apply),
        orderBy: aggregate.orderBy.map(substitution.apply), collation: aggregate.collation,
        selectID: aggregate.selectID, index: aggregate.index)
    }
    let merged = BoundSimpleSelect(
      sources: sources, whereClause: whereClause,
      groupBy: simple.groupBy.map(substitution.apply),
      having: simple.having.map(substitution.apply), aggregates: aggregates,
      isAggregate: simple.isAggregate)
    let orderBy = select.orderBy.isEmpty ? subquery.orderBy : select.orderBy
    return BoundSelect(
      id: select.id, body: .simple(merged),
      columns: select.columns.map {
        BoundResultColumn(
          expression: substitution.apply($0.expression), label: $0.label, affinity: $0.affinity,
          collation: $0.collation, originTable: $0.originTable, originColumn: $0.originColumn,
          isAlias: $0.isAlias)
      },
      orderBy: select.orderBy.isEmpty
        ? orderBy.map { $0.withoutResultColumn } : orderBy.map(substitution.apply),
      limit: select.limit, offset: select.offset, isCorrelated: select.isCorrelated,
      isDistinct: select.isDistinct)
  }

  private static func conjunction(
    _ left: BoundExpression?, _ right: BoundExpression?
  ) -> BoundExpression? {
    guard let left else { return right }
    guard let right else { return left }
    return BoundExpression(
      .and(left, right), affinity: .none, traits: left.traits.union(right.traits))
  }
}

/// Puts expressions in the place of a source's columns.
struct Substitution {
  let source: SourceID
  let expressions: [BoundExpression]

  func apply(_ expression: BoundExpression) -> BoundExpression {
    expression.mapColumns { id, column in
      guard id == source, column >= 0, Int(column) < expressions.count else { return nil }
      return expressions[Int(column)]
    }
  }

  func apply(_ term: BoundOrderingTerm) -> BoundOrderingTerm {
    BoundOrderingTerm(
      expression: apply(term.expression), isDescending: term.isDescending,
      hasBigNulls: term.hasBigNulls, resultColumn: term.resultColumn, collation: term.collation)
  }
}

extension BoundOrderingTerm {
  /// The term of a subquery that is merged: its position in the subquery's result means nothing.
  fileprivate var withoutResultColumn: BoundOrderingTerm {
    BoundOrderingTerm(
      expression: expression, isDescending: isDescending, hasBigNulls: hasBigNulls,
      resultColumn: -1, collation: collation)
  }
}

extension BoundSource {
  fileprivate func changed(join: JoinType, on: BoundExpression?) -> BoundSource {
    let copy = BoundSource(
      id: id, kind: kind, label: label, hasAlias: hasAlias, schemaLabel: schemaLabel,
      databaseIndex: databaseIndex, join: join, indexedBy: indexedBy)
    copy.on = on
    copy.virtualColumns = virtualColumns
    copy.usedColumns = usedColumns
    copy.usesRowid = usesRowid
    return copy
  }
}
