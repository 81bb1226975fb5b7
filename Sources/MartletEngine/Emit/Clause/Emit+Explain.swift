// The lines of EXPLAIN QUERY PLAN, in SQLite's words (eqp §1).

extension Emitter {
  func emitSourceExplain(_ level: Level, _ plan: LoopPlan) throws(SQLError) {
    guard explain != .none else { return }
    let loop = level.loop
    let isSearch =
      loop.flags.contains(.hashTable)
      || (loop.flags.contains(.range) || loop.equalityCount > 0 || plan.isMinMaxSearch)
    var text = (isSearch ? "SEARCH " : "SCAN ") + level.source.explainName
    switch level.source.kind {
    case .subquery(let select, _):
      if loop.flags.contains(.hashTable) { text += hashDetail(loop, select.columns.map(\.name)) }
    case .table(let table):
      if loop.flags.contains(.hashTable) {
        text += hashDetail(loop, table.columns.map(\.name.string))
      } else if loop.flags.contains(.rowid) {
        text += rowidDetail(loop)
      } else if let index = loop.index {
        text += indexDetail(loop, index, table)
      }
    case .tableFunction: break
    }
    if level.source.join.contains(.left) { text += " LEFT-JOIN" }
    emitExplain(text)
  }

  private func hashDetail(_ loop: LoopCandidate, _ names: [String]) -> String {
    let columns = loop.terms.compactMap { $0 }.filter { $0.column >= 0 }
    let parts = columns.map { "\(names[Int($0.column)])=?" }
    return " USING AUTOMATIC COVERING INDEX (\(parts.joined(separator: " AND ")))"
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

  private func indexDetail(_ loop: LoopCandidate, _ index: Index, _ table: Table) -> String {
    var text = ""
    if index === table.primaryKeyIndex {
      if loop.terms.isEmpty { return "" }
      text = " USING PRIMARY KEY"
    } else if loop.flags.contains(.covering) {
      text = " USING COVERING INDEX \(index.name.string)"
    } else {
      text = " USING INDEX \(index.name.string)"
    }
    let range = indexRange(loop, index, table)
    return range.isEmpty ? text : text + " (\(range))"
  }

  private func indexRange(_ loop: LoopCandidate, _ index: Index, _ table: Table) -> String {
    var parts: [String] = []
    for position in 0..<loop.equalityCount {
      let name = columnName(index, table, position)
      parts.append(position < loop.skipCount ? "ANY(\(name))" : "\(name)=?")
    }
    let name = { self.columnName(index, table, loop.equalityCount) }
    if loop.lowerBound != nil { parts.append("\(name())>?") }
    if loop.upperBound != nil { parts.append("\(name())<?") }
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
    if name.isEmpty, case .subquery(let select, _) = kind { return "(subquery-\(select.id))" }
    return name
  }
}
