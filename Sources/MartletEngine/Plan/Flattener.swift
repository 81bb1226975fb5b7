// Subqueries in FROM that are merged into the query around them (optoverview §13).
//
//     SELECT a+1 FROM (SELECT x AS a, y AS b FROM t WHERE x > 5) WHERE b = 3
//     SELECT x+1 FROM t WHERE x > 5 AND y = 3
//
// A subquery is merged when it is a plain SELECT … FROM … WHERE: no aggregate, no DISTINCT, and a
// LIMIT only where nothing around it counts, orders or drops rows. On the right of a LEFT JOIN and
// on the left of a RIGHT JOIN it must read one table; its expressions are NULL there where the row
// is one of NULLs.

enum Flattener {
  /// `select` with its first subquery merged that can be, or nil if none can.
  static func mergingOne(_ select: BoundSelect) -> BoundSelect? {
    guard case .simple(let simple) = select.body else { return nil }
    for position in simple.sources.indices {
      if let next = merging(select, at: position, isPartOfMerge: false) { return next }
    }
    return nil
  }

  /// `select` with the subquery at `position` merged, or nil if it cannot be.
  static func merging(
    _ select: BoundSelect, at position: Int, isPartOfMerge: Bool
  ) -> BoundSelect? {
    guard case .simple(let simple) = select.body,
      case .subquery(let subquery) = simple.sources[position].kind, simple.window == nil
    else { return nil }
    if canMerge(position, subquery, simple, select),
      !isPartOfMerge || subquery.orderBy.isEmpty && subquery.limit == nil
    {
      return merge(position, simple, select)
    }
    return mergingUnion(position, subquery, simple, select)
  }

  private static func canMerge(
    _ position: Int, _ subquery: BoundSelect, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> Bool {
    let source = simple.sources[position]
    guard case .simple(let inner) = subquery.body, !inner.isAggregate, !subquery.isDistinct,
      inner.window == nil, !inner.sources.isEmpty, simple.sources.count + inner.sources.count <= 64,
      mayMergeLimit(subquery, simple, select), mayMergeOrder(position, subquery, simple, select),
      mayMergeConditions(inner, simple), source.commonTable?.materialization != .materialized
    else { return false }
    if source.join.contains(.right)
      || position > 0 && inner.sources.contains(where: { $0.join.contains(.right) })
    {
      return false
    }
    guard mayHaveNoRow(position, simple) else { return true }
    guard inner.sources.count == 1, !select.isDistinct else { return false }
    if case .table = inner.sources[0].kind { return true }
    // A subquery's row of NULLs cannot be told from others.
    return subquery.columns.allSatisfy {
      if case .column(inner.sources[0].id, _) = $0.expression.kind { return true }
      return false
    }
  }

  /// An outer join may make a row of NULLs of the source.
  private static func mayHaveNoRow(_ position: Int, _ simple: BoundSimpleSelect) -> Bool {
    simple.sources[position].join.contains(.left)
      || simple.sources[(position + 1)...].contains { $0.join.contains(.right) }
  }

  /// Each level that is merged copies the conditions of those around it, so that there is a limit to
  /// them; SQLite says at a thousand that the expression is too large.
  static let maximumConditionCount = 1_000

  private static func mayMergeConditions(
    _ inner: BoundSimpleSelect, _ simple: BoundSimpleSelect
  ) -> Bool {
    guard inner.whereLevels.count + simple.whereLevels.count > 4 else { return true }
    let conditions = [inner.whereClause, simple.whereClause].compactMap { $0 }
    return conditions.reduce(0) { $0 + $1.conjuncts.count } <= maximumConditionCount
  }

  private static func mayMergeLimit(
    _ subquery: BoundSelect, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> Bool {
    guard subquery.limit != nil else { return true }
    return subquery.offset == nil && simple.sources.count == 1 && !simple.isAggregate
      && select.limit == nil && simple.whereClause == nil && !select.isDistinct
  }

  private static func mayMergeOrder(
    _ position: Int, _ subquery: BoundSelect, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> Bool {
    if subquery.orderBy.isEmpty { return true }
    if !select.orderBy.isEmpty || simple.isAggregate { return false }
    // Functions of a result are called in order where a co-routine gives the rows.
    let isFirst =
      position == 0
      && (simple.sources.count == 1 || !simple.sources[1].join.isDisjoint(with: [.left, .cross]))
    return !(isFirst && select.columns.contains { $0.expression.isComplex })
  }

  private static func merge(
    _ position: Int, _ simple: BoundSimpleSelect, _ select: BoundSelect
  ) -> BoundSelect {
    let source = simple.sources[position]
    guard case .subquery(let subquery) = source.kind, case .simple(let inner) = subquery.body
    else { return select }
    let isOuterSide = mayHaveNoRow(position, simple)
    let substitution = Substitution(
      source: source.id,
      expressions: subquery.columns.map {
        isOuterSide ? $0.expression.nullIfNoRow(of: inner.sources[0]) : $0.expression
      })
    let newLevel =
      1 + simple.sources.reduce(simple.whereLevels.first ?? 0) { max($0, $1.mergeLevel) }
    var whereClause = simple.whereClause.map(substitution.apply)
    var whereLevels = simple.whereLevels
    var sources: [BoundSource] = []
    for (index, outer) in simple.sources.enumerated() {
      if index == position {
        let on = outer.on.map(substitution.apply)
        for (innerIndex, item) in inner.sources.enumerated() {
          let isFirst = innerIndex == 0
          var condition = item.on
          if isFirst { condition = conjunction(on, condition) }
          if isFirst && isOuterSide { condition = conjunction(condition, inner.whereClause) }
          let merged = item.replacing(join: isFirst ? outer.join : item.join, on: condition)
          merged.mergeLevel =
            isFirst && on != nil ? outer.mergeLevel : newLevel + item.mergeLevel
          merged.hasOuterCondition = isFirst && isOuterSide && inner.whereClause != nil
          sources.append(merged)
        }
        if !isOuterSide, let own = inner.whereClause {
          whereLevels = [newLevel] + (whereClause == nil ? [] : whereLevels)
          whereClause = whereClause.map { own.and($0, .isMerge) } ?? own
        }
      } else {
        let other = outer.replacing(join: outer.join, on: outer.on.map(substitution.apply))
        other.arguments = outer.arguments.map(substitution.apply)
        sources.append(other)
      }
    }
    let aggregates = simple.aggregates.map { aggregate in
      BoundAggregate(
        function: aggregate.function, arguments: aggregate.arguments.map(substitution.apply),
        isDistinct: aggregate.isDistinct, filter: aggregate.filter.map(substitution.apply),
        orderBy: TreeList(aggregate.orderBy.map(substitution.apply), in: aggregate.memory),
        collation: aggregate.collation,
        selectID: aggregate.selectID, index: aggregate.index, in: aggregate.memory)
    }
    let merged = BoundSimpleSelect(
      sources: sources, whereClause: whereClause,
      groupBy: simple.groupBy.map(substitution.apply),
      having: simple.having.map(substitution.apply), aggregates: aggregates,
      isAggregate: simple.isAggregate, in: simple.memory)
    merged.whereLevels = whereLevels
    let orderBy = select.orderBy.isEmpty ? subquery.orderBy : select.orderBy
    let result = BoundSelect(
      id: select.id, body: .simple(merged),
      columns: select.columns.map {
        BoundResultColumn(
          expression: substitution.apply($0.expression), label: $0.label, affinity: $0.affinity,
          collation: $0.collation, originTable: $0.originTable, originColumn: $0.originColumn,
          isAlias: $0.isAlias)
      },
      orderBy: select.orderBy.isEmpty
        ? orderBy.map { $0.withoutResultColumn } : orderBy.map(substitution.apply),
      limit: select.limit ?? subquery.limit, offset: select.offset,
      isCorrelated: select.isCorrelated, isDistinct: select.isDistinct, in: select.memory)
    result.number = select.number
    result.showsOrderOfSources = select.showsOrderOfSources
    result.recountColumns(of: inner.sources)
    return result
  }

  private static func conjunction(
    _ left: BoundExpression?, _ right: BoundExpression?
  ) -> BoundExpression? {
    guard let left else { return right }
    guard let right else { return left }
    return left.and(right)
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

extension BoundSelect {
  /// Columns that only the merged subquery's unused results read are read no more.
  fileprivate func recountColumns(of merged: TreeList<BoundSource>) {
    guard case .simple(let simple) = self.body else { return }
    for source in simple.sources where merged.contains(where: { $0.id == source.id }) {
      source.usedColumns = 0
      forEachColumn { id, column in
        if id == source.id && column >= 0 { source.noteUse(of: column) }
      }
    }
  }
}

extension BoundExpression {
  /// A function or a subquery is in it.
  fileprivate var isComplex: Bool {
    !traits.isDisjoint(with: [.hasFunction, .hasSubquery, .hasWindowFunction])
  }

  /// The expression where the source has a row, NULL where an outer join made one of NULLs.
  fileprivate func nullIfNoRow(of source: BoundSource) -> BoundExpression {
    if case .column(source.id, _) = kind { return self }
    guard case .table(let table) = source.kind else { return self }
    // The rowid, or a column of the primary key, is never NULL in a row.
    let column = table.primaryKeyIndex.map { Int32($0.columns[0].tableColumn) } ?? -1
    let key = BoundExpression(
      .column(source.id, column), affinity: .none, traits: .hasColumn, in: memory)
    let hasRow = BoundExpression(
      .nullTest(key, isNegated: true), affinity: .none, traits: .hasColumn, in: memory)
    let choice = BoundCase(
      operand: nil, branches: [BoundCase.Branch(when: hasRow, then: self)], comparisons: [],
      otherwise: nil, in: memory)
    return BoundExpression(
      .caseWhen(choice), affinity: affinity, collation: collation,
      hasExplicitCollation: hasExplicitCollation,
      traits: traits.union(.hasColumn).intersection(.inherited).union(.isNullIfNoRow), in: memory)
  }
}
