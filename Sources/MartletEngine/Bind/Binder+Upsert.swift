// ON CONFLICT of INSERT (lang_upsert).

extension Binder {
  /// SQLite does not look at what a clause does that no constraint is left for.
  func bindUpserts(
    _ statement: InsertStatement, _ target: BoundTarget, givesRowid: Bool
  ) throws(SQLError) -> [BoundUpsert] {
    var upserts: [BoundUpsert] = []
    var isRowidFree = givesRowid && !target.table.isWithoutRowid
    var freeIndexes = target.table.indexes.filter(\.isUnique)
    var keys: [BoundUpsert.Key] = []
    for (position, clause) in statement.upserts.enumerated() {
      let key = try conflictKey(clause, target)
      guard let key = key ?? (uses == nil ? nil : .any) else {
        let which = statement.upserts.count > 1 ? Binder.ordinal(position + 1) + " " : ""
        throw .sql(
          which
            + "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint")
      }
      keys.append(key)
    }
    for (clause, key) in zip(statement.upserts, keys) {
      let isReached: Bool
      switch key {
      case .any:
        isReached = isRowidFree || !freeIndexes.isEmpty
        isRowidFree = false
        freeIndexes = []
      case .rowid:
        isReached = isRowidFree
        isRowidFree = false
      case .index(let index):
        isReached = freeIndexes.contains { $0 === index }
        freeIndexes.removeAll { $0 === index }
      }
      upserts.append(
        isReached || uses != nil
          ? try bindUpsert(clause, key, target) : doingNothing(key, target))
    }
    return upserts
  }

  private func doingNothing(_ key: BoundUpsert.Key, _ target: BoundTarget) -> BoundUpsert {
    BoundUpsert(key: key, assignments: nil, condition: nil, excluded: target.new)
  }

  private func bindUpsert(
    _ clause: UpsertClause, _ key: BoundUpsert.Key, _ target: BoundTarget
  ) throws(SQLError) -> BoundUpsert {
    guard case .update(let assignments, let condition) = clause.action else {
      return doingNothing(key, target)
    }
    // What is not found in the row that is there may be `excluded`, the row that was to come.
    let excluded = BoundSource(
      id: newSourceID(), kind: .table(target.table), label: Name("excluded"), hasAlias: true,
      databaseIndex: -1, join: .inner, in: memory)
    excluded.isPlain = true
    excluded.isAsked = false
    let outer = Scope(outer: nil, selectID: newSelectID())
    outer.sources = TreeList([excluded], in: memory)
    let scope = Scope(outer: outer, selectID: newSelectID())
    scope.sources = TreeList([target.old], in: memory)
    let names = assignments.flatMap(\.columns)
    let bound = try bindAssignments(assignments, names, target.table, scope)
    scope.clause = .condition
    let filter = try condition.map { (condition) throws(SQLError) in
      try bindScalar(condition, scope)
    }
    return BoundUpsert(key: key, assignments: bound, condition: filter, excluded: excluded)
  }

  // MARK: Conflict target

  /// The uniqueness that the clause is for; nil if there is no such constraint.
  private func conflictKey(
    _ clause: UpsertClause, _ target: BoundTarget
  ) throws(SQLError) -> BoundUpsert.Key? {
    if clause.target.isEmpty { return .any }
    let scope = Scope(outer: nil, selectID: newSelectID())
    scope.sources = TreeList([target.new], in: memory)
    var terms: [BoundExpression] = []
    for term in clause.target { terms.append(try bindScalar(term.expression, scope)) }
    // It is compared with the conditions of indexes.
    keepsNullTests = true
    defer { keepsNullTests = false }
    let condition = try clause.targetWhere.map { (condition) throws(SQLError) in
      try bindScalar(condition, scope)
    }
    if terms.count == 1, !target.table.isWithoutRowid, case .column(_, -1) = terms[0].kind {
      return .rowid
    }
    for index in target.table.indexes
    where index.isUnique && index.keyColumnCount == terms.count {
      let bound = target.new.indexExpressions.first { $0.index === index }
      if let partial = bound?.condition {
        guard let condition, condition.isSame(as: partial) else { continue }
      }
      let isMatched = (0..<index.keyColumnCount).allSatisfy { position in
        terms.contains { matches($0, index, position, bound?.columns[position]) }
      }
      if isMatched { return .index(index) }
    }
    return nil
  }

  /// Whether a term of the target is a column of the index; a COLLATE that it has must be the
  /// index's.
  private func matches(
    _ term: BoundExpression, _ index: Index, _ position: Int, _ expression: BoundExpression?
  ) -> Bool {
    let column = index.columns[position]
    if case .collate = term.kind, let collation = term.collation {
      let own = column.collation.map { self.collation(named: $0) } ?? .binary
      if own !== collation { return false }
    }
    if let expression { return term.withoutCollate.isSame(as: expression, ignoringCollate: true) }
    // The INTEGER PRIMARY KEY is the rowid, and no column of an index for SQLite here.
    guard case .column(_, let termColumn) = term.withoutCollate.kind else { return false }
    return Int(termColumn) == column.tableColumn
  }
}
