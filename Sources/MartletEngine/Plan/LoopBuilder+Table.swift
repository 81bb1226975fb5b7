// Candidates for tables and subqueries: scans, and for each index what its columns can be bound to
// (SQLite's whereLoopAddBtree).

extension LoopBuilder {
  func addTableLoops(
    _ source: Int, _ table: Table, _ prerequisites: SourceMask
  ) throws(SQLError) {
    if table.isVirtual {
      return try addVirtualLoops(source, table, prerequisites, unusable: unusable)
    }
    let place = sources[source], memory = place.memory
    var forced: Index?
    var allowsIndexes = true
    switch place.indexedBy {
    case .any: break
    case .none: allowsIndexes = false
    case .index(let index): forced = index
    }
    if forced == nil && allowsIndexes {
      addHashTableLoops(source, rows: table.rowEstimate, prerequisites, table: table)
    }
    var sortIndex = 1
    if forced == nil && !table.isWithoutRowid {
      addRowidLoops(source, table, prerequisites, sortIndex)
      sortIndex += 1
    }
    for index in table.indexes where !isExhausted {
      defer { sortIndex += 1 }
      if let forced, index !== forced { continue }
      try memory.attend()
      // A table WITHOUT ROWID is its primary key's index, and SQLite then looks at the others too.
      if !allowsIndexes && !table.isWithoutRowid { continue }
      if goal.options.contains(.avoidsCollations), index.needsCollation { continue }
      goal.parameters?.note(index)
      if index.partialWhere != nil, try !isUsable(partial: index, source) { continue }
      addIndexLoops(source, table, index, prerequisites, sortIndex, isForced: forced != nil)
    }
  }

  private func addRowidLoops(
    _ source: Int, _ table: Table, _ prerequisites: SourceMask, _ sortIndex: Int
  ) {
    let loop = LoopCandidate(source: source, in: sources[source].memory)
    loop.prerequisites = prerequisites
    loop.flags = .rowid
    loop.rowCount = table.rowEstimate
    loop.sortIndex = mayHelpOrdering(source, nil) ? sortIndex : 0
    // With samples, a scan is a little less to be avoided: what an index finds is known better.
    loop.runCost = table.rowEstimate + (table.hasSamples ? 14 : 16)
    adjustOutput(loop, rows: table.rowEstimate)
    if sources[source].isExists { loop.rowCount = 0 }
    insert(loop)
    loop.rowCount = table.rowEstimate
    let probe = Probe(
      source: source, table: table, index: nil, allRows: table.rowEstimate, keyColumnCount: 1,
      columnCount: 1, entryCost: 16, logRows: table.rowEstimate.logarithm,
      expressions: nil)
    addIndexTerms(loop, probe, inMultiplier: 0)
  }

  private func addIndexLoops(
    _ source: Int, _ table: Table, _ index: Index, _ prerequisites: SourceMask, _ sortIndex: Int,
    isForced: Bool
  ) {
    let rows = index.rowEstimates[0]
    let loop = LoopCandidate(source: source, in: sources[source].memory)
    loop.prerequisites = prerequisites
    loop.index = index
    loop.rowCount = rows
    let coverage = coverage(of: index, source, table)
    loop.flags = coverage.union(.indexed)
    let helpsOrdering = mayHelpOrdering(source, index)
    let entryCost = LogEst.cost(15, times: index.rowSizeEstimate, over: table.rowSizeEstimate)
    let isCovering = !coverage.isEmpty
    if helpsOrdering || table.isWithoutRowid || index.partialWhere != nil || isForced
      || (isCovering && !goal.isForChange && !index.isUnordered
        && index.rowSizeEstimate < table.rowSizeEstimate
        && !goal.options.contains(.scansNoCoveringIndexes))
    {
      loop.sortIndex = helpsOrdering ? sortIndex : 0
      loop.runCost = rows + 1 + entryCost
      if !isCovering && missingColumns(of: index, source) != 0 {
        loop.runCost = .sum(loop.runCost, lookupCost(source, index, rows))
      }
      adjustOutput(loop, rows: rows)
      if sources[source].isExists { loop.rowCount = 0 }
      if !sources[source].join.contains(.right) || !index.hasExpressions { insert(loop) }
      loop.rowCount = rows
    }
    let probe = Probe(
      source: source, table: table, index: index, allRows: rows,
      keyColumnCount: index.keyColumnCount,
      columnCount: index.origin == .primaryKey ? index.keyColumnCount : index.columns.count,
      entryCost: 1 + entryCost, logRows: rows.logarithm,
      expressions: index.hasExpressions ? sources[source].expressions(of: index) : nil)
    loop.runCost = 0
    takesPrefix = false
    takesUniqueKey = false
    probeKey = index.samples == nil ? nil : ProbeKey(index, goal)
    addIndexTerms(loop, probe, inMultiplier: 0)
    probeKey = nil
    if takesPrefix && !takesUniqueKey { table.needsStatistics = true }
  }

  /// Cost of looking rows up in the table, less what terms on the index's columns rule out first.
  private func lookupCost(_ source: Int, _ index: Index, _ rows: LogEst) -> LogEst {
    var lookups = rows + 16, copies: LogEst = 0
    for term in clause.terms {
      guard isCovered(term.expression, by: index, source) else { return lookups }
      var reduction = term.truthProbability
      if reduction > 0 {
        let isEquality = !term.operators.isDisjoint(with: .anyEquality) || isOuterEquality(term)
        reduction = isEquality ? -20 : -1
      }
      lookups += reduction
      if hasOuterCopy(term) { copies += reduction }
    }
    return lookups + copies
  }

  private func isOuterColumn(_ expression: BoundExpression) -> Bool {
    if case .column(let id, _) = expression.withoutCollate.kind { return clause.index(of: id) < 0 }
    return false
  }

  /// An equality on a column of an outer query, which to SQLite is like any other.
  private func isOuterEquality(_ term: WhereTerm) -> Bool {
    guard case .comparison(let comparison, let left, let right) = term.expression.kind,
      comparison.operator == .equal || comparison.operator == .is
    else { return false }
    return isOuterColumn(left) || isOuterColumn(right)
  }

  /// SQLite has a comparison of two columns twice, also where one belongs to an outer query.
  private func hasOuterCopy(_ term: WhereTerm) -> Bool {
    guard !term.isVirtual,
      case .comparison(let comparison, let left, let right) =
        term.expression.kind, !comparison.operator.termOperators.isEmpty
    else { return false }
    let isLeftOuter = isOuterColumn(left), isRightOuter = isOuterColumn(right)
    return isLeftOuter && isRightOuter
      || isLeftOuter && clause.indexableReference(right) != nil
      || isRightOuter && clause.indexableReference(left) != nil
  }

  private func isCovered(
    _ expression: BoundExpression, by index: Index, _ source: Int
  ) -> Bool {
    var covered = true
    let id = sources[source].id
    // What subqueries look at does not count; columns whose value is known do, though nothing reads
    // them.
    expression.walk { node in
      switch node.kind {
      case .column(id, let column), .fixedColumn(id, let column, _):
        if index.position(ofColumn: Int(column)) == nil { covered = false }
      default: break
      }
      return covered
    }
    return covered
  }

  /// The columns that the statement reads and the index neither has nor, by its WHERE, knows.
  private func missingColumns(of index: Index, _ source: Int) -> UInt64 {
    var missing = sources[source].usedColumns & ~index.coveredColumns
    if missing == 0 || index.partialWhere == nil { return missing }
    for fixed in sources[source].fixedColumns(of: index) where fixed.column < 63 {
      missing &= ~(1 << UInt64(fixed.column))
    }
    return missing
  }

  /// Whether every column that the statement reads is in the index: as a column, or hidden in an
  /// expression that is.
  private func coverage(
    of index: Index, _ source: Int, _ table: Table
  ) -> LoopCandidate.Flags {
    if index === table.primaryKeyIndex || index.hasAllColumns { return .covering }
    let highest: UInt64 = 1 << 63
    let missing = missingColumns(of: index, source)
    // SQLite trusts an index with the rows of a WITHOUT ROWID table in a SELECT of its own only,
    // not in a part of an OR.
    if missing == 0 { return table.isWithoutRowid && goal.select == nil ? [] : .covering }
    let hasVirtualColumns = index.columns.contains {
      $0.tableColumn >= 0 && table.columns[$0.tableColumn].isVirtual
    }
    guard missing == highest || index.hasExpressions && !hasVirtualColumns,
      let select = goal.select
    else { return [] }
    let expressions = sources[source].expressions(of: index)
    // What the statement no longer reads, as a condition was decided before, is not missing.
    let outside = missing & ~highest & ~(expressions?.readColumns ?? 0)
    if outside != 0 && outside & readColumns(of: source, select) != 0 { return [] }
    return coverage(source, index, expressions?.columns ?? TreeList(), select)
  }

  /// The columns that the statement reads of a source, as in `usedColumns`.
  private func readColumns(of source: Int, _ select: BoundSelect) -> UInt64 {
    if let known = readColumns, known.source == source { return known.columns }
    let id = sources[source].id
    var columns: UInt64 = 0
    func note(_ expression: BoundExpression) {
      expression.walk { node in
        switch node.kind {
        case .column(let other, let column), .fixedColumn(let other, let column, _):
          if other == id, column >= 0 { columns |= 1 << UInt64(min(column, 63)) }
          return false
        default:
          node.ownSubquery?.forEachExpression(note)
          return true
        }
      }
    }
    select.forEachExpression(note)
    if case .simple(let simple) = select.body {
      for source in simple.sources { source.on.map(note) }
    }
    readColumns = (source, columns)
    return columns
  }

  private func coverage(
    _ source: Int, _ index: Index, _ expressions: TreeList<BoundExpression?>,
    _ select: BoundSelect
  ) -> LoopCandidate.Flags {
    let id = sources[source].id
    var isCovered = true, usesExpression = false
    // Arguments whose subtypes matter, which are not in the index.
    var computed: [BoundExpression] = []
    func check(_ expression: BoundExpression) {
      expression.walk { node in
        computed += node.argumentsWithSubtypes
        switch node.kind {
        case .column(let other, let column), .fixedColumn(let other, let column, _):
          if other == id, column >= 0, index.position(ofColumn: Int(column)) == nil {
            isCovered = false
          }
          return false
        default: break
        }
        for case let indexed? in expressions where indexed.isSame(as: node) {
          if computed.contains(where: { $0 === node }) { break }
          usesExpression = true
          return false
        }
        node.ownSubquery?.forEachExpression(check)
        return isCovered
      }
    }
    select.forEachExpression(check)
    if case .simple(let simple) = select.body {
      for source in simple.sources { source.on.map(check) }
    }
    guard isCovered else { return [] }
    return usesExpression ? .expressionIndex : .covering
  }

  /// A first look whether an index could give the wanted order (SQLite's indexMightHelpWithOrderBy).
  private func mayHelpOrdering(_ source: Int, _ index: Index?) -> Bool {
    if goal.ordering.isEmpty || index?.isUnordered == true || partCosts != nil { return false }
    for term in goal.ordering {
      if let (termSource, column) = clause.columnReference(term.expression) {
        guard termSource == source else { continue }
        if column < 0 { return true }
        guard let index else { continue }
        for key in index.columns.prefix(index.keyColumnCount) where key.tableColumn == Int(column) {
          return true
        }
      } else if let index, index.hasExpressions {
        for case let indexed? in sources[source].expressions(of: index)?.columns ?? []
        where indexed.isSame(as: term.expression, ignoringCollate: true) {
          return true
        }
      }
    }
    return false
  }

  // MARK: Partial indexes

  /// The WHERE of the index follows from the statement's terms (partialindex §3.1).
  private func isUsable(partial index: Index, _ source: Int) throws(SQLError) -> Bool {
    guard let condition = sources[source].expressions(of: index)?.condition,
      !clause.leftOfRightJoin.contains(SourceMask(index: source))
    else { return false }
    return try isImplied(condition, source)
  }

  private func isImplied(_ condition: BoundExpression, _ source: Int) throws(SQLError) -> Bool {
    if case .and(let left, let right) = condition.kind {
      guard try isImplied(left, source) else { return false }
      return try isImplied(right, source)
    }
    let isOuter = !sources[source].join.isDisjoint(with: [.left, .right])
    for term in active.terms
    where (!term.isOuterOn || term.onSource == source) && (!isOuter || term.isOuterOn)
      && !term.isNotNullBound
    {
      if try term.turnedExpression.implies(condition, goal.parameters) { return true }
    }
    return false
  }

  // MARK: Hash tables and subqueries

  /// A hash table over an equality takes the place of SQLite's automatic index, at its costs.
  private func addHashTableLoops(
    _ source: Int, rows: LogEst, _ prerequisites: SourceMask, table: Table?
  ) {
    guard allowsHashTables, partCosts == nil, !sources[source].join.contains(.right) else {
      return
    }
    let selfMask = SourceMask(index: source)
    for term in clause.terms {
      guard term.source == source, term.rightPrerequisites.isDisjoint(with: selfMask),
        clause.canDriveHashTable(term, source, ready: .all)
      else { continue }
      let logRows = rows.logarithm
      let loop = LoopCandidate(source: source, in: sources[source].memory)
      loop.equalityCount = 1
      loop.setTerms([term])
      loop.setupCost = max(0, logRows + rows + (table == nil ? -25 : 28))
      // Each search is taken to find 20 rows.
      loop.rowCount = 43
      loop.runCost = .sum(logRows, loop.rowCount)
      loop.flags = .hashTable
      loop.prerequisites = prerequisites.union(term.rightPrerequisites)
      insert(loop)
    }
  }

  func addSubqueryLoops(_ source: Int, _ select: BoundSelect, _ prerequisites: SourceMask) {
    let rows = subqueries[source].rows
    if !select.isCorrelated && !sources[source].isCurrentRow {
      addHashTableLoops(source, rows: rows, prerequisites, table: nil)
    }
    let loop = LoopCandidate(source: source, in: sources[source].memory)
    loop.prerequisites = prerequisites
    loop.flags = [.subquery, .rowid]
    loop.rowCount = rows
    loop.runCost = rows + 16
    adjustOutput(loop, rows: rows)
    insert(loop)
  }
}

extension BoundSource {
  func expressions(of index: Index) -> BoundSourceContent.IndexExpressions? {
    self.indexExpressions.first { $0.index === index }
  }

  /// Columns of which the WHERE of a partial index says that they are equal to a constant, so that
  /// nothing need be read (SQLite's wherePartIdxExpr).
  func fixedColumns(of index: Index) -> TreeList<FixedColumn> {
    var found = TreeList<FixedColumn>()
    guard index.partialWhere != nil, !self.join.contains(.right), case .table(let table) = self.kind
    else { return found }
    var rest = expressions(of: index)?.condition
    while let condition = rest {
      var equality = condition
      rest = nil
      if case .and(let left, let right) = condition.kind { (rest, equality) = (left, right) }
      guard case .comparison(let comparison, let left, let right) = equality.kind,
        comparison.operator == .equal || comparison.operator == .is,
        comparison.collation.kind == .binary, right.isFixed,
        case .column(self.id, let column) = left.kind, column >= 0
      else { continue }
      // Without an affinity, values of more than one type are equal to a number.
      let definition = table.columns[Int(column)]
      guard definition.affinity.rawValue > Affinity.blob.rawValue, !definition.isVirtual else {
        continue
      }
      found.append(FixedColumn(column: column, value: right), in: self.memory)
    }
    return found
  }
}

extension BoundComparison {
  /// The entries of an index on a column of `affinity` are in the order of the comparison (SQLite's
  /// sqlite3IndexAffinityOk).
  func allowsIndex(on columnAffinity: Affinity) -> Bool {
    switch affinity {
    case .none, .blob: true
    case .text: columnAffinity == .text
    default: columnAffinity.isNumeric
    }
  }
}

extension WhereClause {
  /// The inner side of an outer join is searched by terms of its own ON alone.
  func isCompatible(_ term: WhereTerm, withJoinOf source: Int) -> Bool {
    let join = self.sources[source].join
    let isOuter = !join.isDisjoint(with: [.left, .right])
    if !isOuter && !self.leftOfRightJoin.contains(SourceMask(index: source)) { return true }
    guard term.onSource == source else { return false }
    return !isOuter || term.isOuterOn
  }

  /// The term may be part of the key of a hash table built for the query (SQLite's
  /// termCanDriveIndex).
  func canDriveHashTable(_ term: WhereTerm, _ source: Int, ready: SourceMask) -> Bool {
    guard term.source == source, !term.operators.isDisjoint(with: .anyEquality),
      isCompatible(term, withJoinOf: source),
      term.rightPrerequisites.isSubset(of: ready), term.column >= 0,
      let comparison = term.comparison, term.right != nil
    else { return false }
    switch self.sources[source].kind {
    case .table(let table):
      let column = Int(term.column)
      guard comparison.allowsIndex(on: table.columns[column].affinity) else { return false }
      return isGoodHashKey(column, table)
    case .subquery(let select):
      return comparison.allowsIndex(on: select.columns[Int(term.column)].affinity)
    }
  }

  /// A column that begins an index needs no hash table, nor one that has many repeats in another.
  private func isGoodHashKey(_ column: Int, _ table: Table) -> Bool {
    for index in table.indexes {
      for position in 0..<index.keyColumnCount where index.columns[position].tableColumn == column {
        if position == 0 { return false }
        if index.hasStatistics && index.rowEstimates[position + 1] > 20 { return false }
        break
      }
    }
    return true
  }
}
