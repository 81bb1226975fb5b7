// The filter before a loop that searches: most of its searches find nothing, as terms of the searched
// table alone rule its rows out (SQLite's Bloom filter).
//
//     once: for each row of the source that its own terms let pass
//             add the key to the filter
//     key = values of the equalities
//     if no row has the key, go on as if the search had found nothing
//     search, and the terms again

extension Emitter {
  /// Fills the filter; nil where the loop has none.
  func emitKeyFilter(_ level: Level, _ state: LoopState) throws(SQLError) -> CursorID? {
    let loop = level.loop
    guard loop.flags.contains(.bloomFilter), loop.skipCount == 0, loop.equalityCount > 0,
      case .table(let table) = level.source.kind, !table.isVirtual
    else { return nil }
    let terms = state.plan.clause.ownTerms(of: loop.source)
    var collations = [Collation.binary]
    if let index = loop.index {
      let keyInfo = try catalog.keyInfo(of: index, collations: self.collations)
      collations = keyInfo.columns.prefix(loop.equalityCount).map(\.collation)
    }
    guard !terms.isEmpty, !collations.contains(where: { $0.kind == .custom }) else { return nil }
    let filter = builder.newCursor(), filled = newLabel(), skip = newLabel()
    emit(.once, 0, filled.operand)
    emit(
      .filterOpen, filter.rawValue, Int32(clamping: table.rowEstimate.count),
      p4: builder.addKeyInfo(keyInfo(collations)))
    let scan = try openTable(table)
    setAccess(level.source.id, .table(scan, table))
    setVirtualColumns(level.source)
    emit(.rewind, scan.rawValue, filled.operand)
    let again = builder.placeNewLabel()
    for term in terms { try emitJump(unless: term.expression, to: skip, jumpIfNull: true) }
    let key = builder.newRegisters(collations.count)
    try emitKey(level, into: key, count: collations.count)
    emit(.filterAdd, filter.rawValue, key.rawValue)
    place(skip)
    emit(.next, scan.rawValue, again.operand, 0, p5: StepCounts.automaticIndex)
    place(filled)
    return filter
  }

  /// The columns of a row that the loop searches by.
  private func emitKey(
    _ level: Level, into key: RegisterIndex, count: Int
  ) throws(SQLError) {
    guard let index = level.loop.index else { return try emitColumn(level.source.id, -1, key) }
    for position in 0..<count {
      let column = index.columns[position].tableColumn
      if column >= -1 {
        try emitColumn(level.source.id, Int32(column), key + position)
      } else if let expression = level.source.expressions(of: index)?.columns[position] {
        try emit(expression, into: key + position)
      } else {
        throw SQLError(.internal, "expression of the index is missing")
      }
    }
  }

  func emitFilterTest(_ level: Level, _ key: RegisterIndex) {
    guard let filter = level.filter else { return }
    emit(.filterTest, filter.rawValue, level.next.operand, key.rawValue)
  }
}
