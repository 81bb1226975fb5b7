// The lines of EXPLAIN QUERY PLAN, in SQLite's words (eqp §1).

extension Emitter {
  /// The line of a loop, and that of the filter before its search. Gives its number.
  func emitSourceExplain(
    _ level: Level, _ plan: LoopPlan, ready: SourceMask = []
  ) throws(SQLError) -> Int32 {
    guard showsPlan else { return 0 }
    let loop = level.loop
    if loop.flags.contains(.multiIndex) { return emitExplain("MULTI-INDEX OR") }
    var columns: [String] = []
    var isPartial = false
    if loop.flags.contains(.hashTable) {
      let terms = plan.clause.hashTerms(of: loop, ready: ready)
      columns = terms.map { level.source.columnName($0.column) }
      isPartial =
        !plan.clause.ownTerms(of: loop.source).isEmpty
        || plan.clause.hasConstantTerm(for: loop.source)
      if terms.contains(where: { level.source.affinity(of: $0.column) != .text }) {
        emitBloomExplain(level.source, columns)
      }
    }
    return emitExplain(sourceText(level, plan, hashColumns: columns, isPartial: isPartial))
  }

  private func sourceText(
    _ level: Level, _ plan: LoopPlan, hashColumns: [String] = [], isPartial: Bool = false
  ) -> String {
    let loop = level.loop
    let isSearch =
      loop.flags.contains(.hashTable) || !loop.flags.isDisjoint(with: [.lowerBound, .upperBound])
      || loop.equalityCount > 0 || plan.isMinMaxSearch
    var text = (isSearch ? "SEARCH " : "SCAN ") + level.source.explainName
    if level.source.isExists { text += " EXISTS" }
    if loop.flags.contains(.hashTable) {
      let parts = hashColumns.map { "\($0)=?" }.joined(separator: " AND ")
      text += " USING AUTOMATIC \(isPartial ? "PARTIAL " : "")COVERING INDEX (\(parts))"
    } else if case .table(let table) = level.source.kind {
      if let virtual = loop.virtual, table.isVirtual {
        text += virtual.explanation
      } else if loop.flags.contains(.rowid) {
        text += rowidDetail(loop)
      } else if let index = loop.index {
        text += indexDetail(loop, index, table, level.source.id, isSearch)
      }
    }
    if level.source.join.contains(.left) { text += " LEFT-JOIN" }
    return text
  }

  /// Behind a loop over an index with expressions, whose first instruction is at `start`: the index
  /// is no covering one if something was read of the table's rows in the end. SQLite does not look at
  /// the right side of a RIGHT JOIN again.
  func settleExpressionIndex(_ level: Level, _ plan: LoopPlan, from start: Int32) {
    guard level.line > 0, level.loop.flags.contains(.expressionIndex), level.cursors.count == 2,
      !level.source.join.contains(.right), let index = level.loop.index
    else { return }
    let rows = level.cursors[1].rawValue, table = index.table
    let readsRow = builder.instructions[Int(start)...].contains { op in
      op.opcode == .column && op.p1 == rows
        && !index.columns.contains {
          $0.tableColumn >= 0 && table.storagePositions[$0.tableColumn] == op.p2
        }
    }
    guard readsRow else { return }
    level.loop.flags.remove(.expressionIndex)
    let line = builder.instructions[Int(level.line) - 1]
    builder.tables.texts[Int(line.p4)] = sourceText(level, plan)
  }

  /// Before the first loop whose searches SQLite filters: the lines of all such filters that can be
  /// made here.
  func emitFilterExplains(_ position: Int, _ state: LoopState) {
    guard showsPlan, state.plan.loops[position].flags.contains(.bloomFilter) else { return }
    for (other, loop) in state.plan.loops.enumerated().dropFirst(position)
    where loop.flags.contains(.bloomFilter)
      && (other == position || loop.prerequisites.isSubset(of: state.ready))
      && state.filtered.insert(other).inserted
    {
      let source = state.plan.clause.sources[loop.source]
      guard case .table(let table) = source.kind else { continue }
      var columns: [String] = []
      if let index = loop.index {
        for position in loop.skipCount..<max(loop.skipCount, loop.equalityCount) {
          columns.append(columnName(index, table, position))
        }
      } else {
        columns = [
          table.rowidColumn >= 0 ? table.columns[table.rowidColumn].name.string : "rowid"
        ]
      }
      emitBloomExplain(source, columns)
    }
  }

  private func emitBloomExplain(_ source: BoundSource, _ columns: [String]) {
    let parts = columns.map { "\($0)=?" }.joined(separator: " AND ")
    emitExplain("BLOOM FILTER ON \(source.explainName) (\(parts))")
  }

  private func rowidDetail(_ loop: LoopCandidate) -> String {
    guard !loop.flags.isDisjoint(with: .constraints) else { return "" }
    var range = ""
    if loop.equalityCount > 0 {
      range = "rowid=?"
    } else if loop.lowerBound != nil && loop.upperBound != nil {
      range = "rowid>? AND rowid<?"
    } else {
      range = loop.lowerBound != nil ? "rowid>?" : "rowid<?"
    }
    return " USING INTEGER PRIMARY KEY (\(range))"
  }

  private func indexDetail(
    _ loop: LoopCandidate, _ index: Index, _ table: Table, _ source: SourceID, _ isSearch: Bool
  ) -> String {
    var text = ""
    if index === table.primaryKeyIndex {
      if !isSearch { return "" }
      text = " USING PRIMARY KEY"
    } else if !loop.flags.isDisjoint(with: [.covering, .expressionIndex]) {
      text = " USING COVERING INDEX \(index.name.string)"
    } else {
      text = " USING INDEX \(index.name.string)"
    }
    let range = indexRange(loop, index, table, source)
    return range.isEmpty ? text : text + " (\(range))"
  }

  private func indexRange(
    _ loop: LoopCandidate, _ index: Index, _ table: Table, _ source: SourceID
  ) -> String {
    var parts: [String] = []
    for position in 0..<loop.equalityCount {
      let name = columnName(index, table, position)
      parts.append(position < loop.skipCount ? "ANY(\(name))" : "\(name)=?")
    }
    for (bound, comparison) in [(loop.lowerBound, ">"), (loop.upperBound, "<")] {
      guard let bound else { continue }
      let count = 1 + loop.furtherValues(of: bound, source).count
      let names = (0..<count).map { columnName(index, table, loop.equalityCount + $0) }
      parts.append(
        count == 1
          ? "\(names[0])\(comparison)?"
          : "(\(names.joined(separator: ",")))\(comparison)("
            + Array(repeating: "?", count: count).joined(separator: ",") + ")")
    }
    return parts.joined(separator: " AND ")
  }

  private func columnName(_ index: Index, _ table: Table, _ position: Int) -> String {
    let column = index.columns[position].tableColumn
    if column == -1 { return "rowid" }
    if column == -2 { return "<expr>" }
    return table.columns[column].name.string
  }
}

extension BoundSource {
  /// The name that EXPLAIN QUERY PLAN shows: the alias, or else the name.
  var explainName: String {
    guard name.isEmpty, case .subquery(let select) = self.kind else { return name }
    if !self.nested.isEmpty { return "(join-\(select.number))" }
    if case .values(let rows) = select.body, rows.count > 1 {
      return "\(rows.count)-ROW VALUES CLAUSE"
    }
    return "(subquery-\(select.number))"
  }

  /// The name of what its rows are made of: that of a view or common table even where the source
  /// has an alias.
  var contentName: String {
    if let table = self.commonTable { return table.name.string }
    if let view = self.viewName { return view.string }
    return explainName
  }

  /// The name of the table or view itself.
  var tableName: String {
    if case .table(let table) = self.kind { return table.name.string }
    return contentName
  }

  fileprivate func columnName(_ column: Int32) -> String {
    switch self.kind {
    case .table(let table): table.columns[Int(column)].name.string
    case .subquery(let select): select.columns[Int(column)].name
    }
  }

  fileprivate func affinity(of column: Int32) -> Affinity {
    switch self.kind {
    case .table(let table): table.columns[Int(column)].affinity
    case .subquery(let select): select.columns[Int(column)].affinity
    }
  }
}
