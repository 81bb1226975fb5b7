// IN over all rows of a table's columns that an index begins with, or of its rowids: values are
// looked up there, and no set is made (in-operator optimizations of optoverview; SQLite's
// sqlite3FindInIndex).

extension Emitter {
  /// A table or index whose entries are the rows of a subquery.
  enum ExistingTree {
    case rowids(Table)
    /// The positions say which of the subquery's columns each of the index's is.
    case index(Index, positions: [Int])

    var line: String {
      switch self {
      case .rowids(let table): "ROWID SEARCH ON TABLE \(table.name.string)"
      case .index(let index, _): "INDEX \(index.name.string)"
      }
    }
  }

  /// The table or index that has the rows of an IN's subquery.
  ///
  /// - Parameter drivesLoop: not to look values up in, but to walk: each value comes once.
  func existingTree(for node: BoundInSelect, drivesLoop: Bool) -> ExistingTree? {
    let select = node.select
    guard !select.isCorrelated, case .simple(let simple) = select.body,
      !select.isDistinct, !simple.isAggregate, select.limit == nil, simple.whereClause == nil,
      simple.sources.count == 1, case .table(let table) = simple.sources[0].kind, !table.isVirtual
    else { return nil }
    var columns: [Int] = []
    for (position, column) in select.columns.enumerated() {
      guard case .column(simple.sources[0].id, let number) = column.expression.kind else {
        return nil
      }
      if number < 0 && select.columns.count == 1 { return .rowids(table) }
      if node.affinities[position].isNumeric, number >= 0,
        !table.columns[Int(number)].affinity.isNumeric
      {
        return nil
      }
      columns.append(Int(number))
    }
    for index in table.indexes where index.partialWhere == nil {
      guard index.columns.count >= columns.count, index.columns.count < 63,
        !drivesLoop
          || (index.keyColumnCount <= columns.count
            && (index.columns.count <= columns.count || index.isUnique)),
        let positions = positions(of: columns, node, in: index)
      else { continue }
      return .index(index, positions: positions)
    }
    return nil
  }

  /// Which of the columns each of the first ones of the index is; nil where one is none of them.
  private func positions(of columns: [Int], _ node: BoundInSelect, in index: Index) -> [Int]? {
    var positions: [Int] = []
    for key in index.columns.prefix(columns.count) {
      let found = columns.indices.first {
        columns[$0] == key.tableColumn && !positions.contains($0)
          && node.collations[$0].isNamed(key.collation)
      }
      guard let found else { return nil }
      positions.append(found)
    }
    return positions
  }

  /// Falls through where the operands are in the tree.
  func emitTreeTest(
    _ tree: ExistingTree, _ node: BoundInSelect, _ ifFalse: Label, _ ifNull: Label
  ) throws(SQLError) {
    emitExplain("USING \(tree.line) FOR IN-OPERATOR")
    let found = newLabel(), absent = newLabel(), isNull = newLabel()
    let cursor: CursorID
    var firstEntry: RegisterIndex?
    switch tree {
    case .rowids(let table):
      cursor = try openTable(table)
      let operand = try register(for: node.operands[0])
      emit(.isNull, operand.rawValue, isNull.operand)
      emit(.seekRowid, cursor.rawValue, absent.operand, operand.rawValue)
    case .index(let index, let positions) where positions.count > 1 && ifFalse != ifNull:
      return try emitRowTreeTest(index, positions, node, ifFalse, ifNull)
    case .index(let index, let positions):
      cursor = try openIndex(index)
      if ifFalse != ifNull { firstEntry = try emitFirstEntry(of: index) }
      let first = try emitOperands(
        positions.map { node.operands[$0] }, positions.map { node.affinities[$0] })
      for offset in positions.indices {
        emit(.isNull, (first + offset).rawValue, isNull.operand)
      }
      emit(
        .notFound, cursor.rawValue, absent.operand, first.rawValue, p4: Int32(positions.count))
    }
    emitGoto(found)
    place(isNull)
    // NULL IN () is false.
    if ifFalse != ifNull { emit(.rewind, cursor.rawValue, ifFalse.operand) }
    emitGoto(ifNull)
    place(absent)
    if let firstEntry { emit(.isNull, firstEntry.rawValue, ifNull.operand) }
    emitGoto(ifFalse)
    place(found)
  }

  /// The same of row values, where it matters whether they are absent or unknown.
  private func emitRowTreeTest(
    _ index: Index, _ positions: [Int], _ node: BoundInSelect, _ ifFalse: Label, _ ifNull: Label
  ) throws(SQLError) {
    let cursor = try openIndex(index)
    let found = newLabel(), undecided = newLabel()
    let first = try emitOperands(
      positions.map { node.operands[$0] }, positions.map { node.affinities[$0] })
    for offset in positions.indices {
      emit(.isNull, (first + offset).rawValue, undecided.operand)
    }
    let hasNoNull = !node.select.columns.contains { $0.expression.mayBeNull }
    emit(
      .notFound, cursor.rawValue, (hasNoNull ? ifFalse : undecided).operand, first.rawValue,
      p4: Int32(positions.count))
    emitGoto(found)
    place(undecided)
    emitUndecided(cursor, (.rewind, .column, .next), first, node, positions, ifFalse, ifNull)
    place(found)
  }

  /// The first column of the first entry, which SQLite asks whether there are NULLs: in a descending
  /// index it finds those only that stand alone.
  private func emitFirstEntry(of index: Index) throws(SQLError) -> RegisterIndex {
    let value = newRegister(), isKnown = newLabel()
    emit(.once, 0, isKnown.operand)
    emitInteger(0, into: value)
    let cursor = try openIndex(index)
    emit(.rewind, cursor.rawValue, isKnown.operand)
    emit(.column, cursor.rawValue, 0, value.rawValue)
    emit(.own, value.rawValue, 1)
    place(isKnown)
    return value
  }
}
