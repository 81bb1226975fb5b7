extension Emitter {
  /// A sorter for the rows of a SELECT: keys, then the row.
  final class RowSorter {
    let cursor: CursorID
    /// The ORDER BY terms, without those of the groups.
    let terms: TreeList<BoundOrderingTerm>
    let columnCount: Int
    let firstKey: RegisterIndex
    /// The rows come in the order of the first terms.
    fileprivate(set) var groups: SortGroups?

    fileprivate init(
      cursor: CursorID, terms: TreeList<BoundOrderingTerm>, columnCount: Int,
      firstKey: RegisterIndex
    ) {
      self.cursor = cursor
      self.terms = terms
      self.columnCount = columnCount
      self.firstKey = firstKey
    }
  }

  /// Rows that are equal in the first terms are sorted by the others and put out before the next
  /// ones are read: LIMIT ends the loops early, and no more than a group is held.
  struct SortGroups {
    /// The terms whose order the loops give.
    let terms: TreeList<BoundOrderingTerm>
    fileprivate let firstKey: RegisterIndex
    fileprivate let previous: RegisterIndex
    fileprivate let inGroup: RegisterIndex
    fileprivate let putOut: RegisterIndex
    fileprivate let entry: Label
  }

  /// A sorter for rows that come in the order of the first `orderedCount` terms.
  func openSorter(
    _ parts: SelectParts, orderedCount: Int, _ limit: LimitRegisters
  ) -> RowSorter {
    let memory = parts.select.memory
    let sorter = openSorter(
      TreeList(parts.orderBy.dropFirst(orderedCount), in: memory),
      columnCount: parts.columns.count, limit)
    guard orderedCount > 0 else { return sorter }
    let terms = TreeList(parts.orderBy.prefix(orderedCount), in: memory)
    let groups = SortGroups(
      terms: terms, firstKey: builder.newRegisters(terms.count),
      previous: builder.newRegisters(terms.count), inGroup: newRegister(), putOut: newRegister(),
      entry: newLabel())
    emitInteger(0, into: groups.inGroup)
    sorter.groups = groups
    return sorter
  }

  /// A row of the loops: where it begins a group, the one before is put out. Its keys are taken from
  /// `row`, or where that is nil computed.
  func emitSortGroup(
    _ sorter: RowSorter, _ columns: TreeList<BoundExpression>, row: RegisterIndex?
  ) throws(SQLError) {
    guard let groups = sorter.groups else { return }
    for (offset, term) in groups.terms.enumerated() {
      let key = groups.firstKey + offset
      if term.resultColumn >= 0, let row {
        emit(.shallowCopy, (row + term.resultColumn).rawValue, key.rawValue)
      } else {
        try emit(term.resultColumn >= 0 ? columns[term.resultColumn] : term.expression, into: key)
      }
    }
    emitGroupKeys(
      groups.firstKey, keyInfo(of: groups.terms), previous: groups.previous,
      inGroup: groups.inGroup
    ) {
      emit(.gosub, groups.putOut.rawValue, groups.entry.operand)
    }
  }

  /// How keys of the terms' values compare.
  func keyInfo(of terms: some Collection<BoundOrderingTerm>) -> KeyInfo {
    KeyInfo(
      columns: terms.map {
        KeyInfo.Column(
          collation: $0.collation, isDescending: $0.isDescending, hasBigNulls: $0.hasBigNulls)
      }, encoding: builder.encoding)
  }

  func openSorter(_ select: BoundSelect, _ limit: LimitRegisters) throws(SQLError) -> RowSorter {
    openSorter(select.orderBy, columnCount: select.columns.count, limit)
  }

  func openSorter(
    _ terms: TreeList<BoundOrderingTerm>, columnCount: Int, _ limit: LimitRegisters
  ) -> RowSorter {
    let cursor = builder.newCursor()
    emit(
      .sorterOpen, cursor.rawValue, Int32(columnCount), limit.total.rawValue,
      p4: builder.addKeyInfo(keyInfo(of: terms)))
    return RowSorter(
      cursor: cursor, terms: terms, columnCount: columnCount,
      firstKey: builder.newRegisters(terms.count))
  }

  /// The keys of a row that its columns do not have.
  private func emitKeys(_ row: RegisterIndex, _ sorter: RowSorter) throws(SQLError) {
    for (offset, term) in sorter.terms.enumerated() {
      let key = sorter.firstKey + offset
      if term.resultColumn >= 0 {
        emit(.shallowCopy, (row + term.resultColumn).rawValue, key.rawValue)
      } else {
        try emit(term.expression, into: key)
      }
    }
  }

  /// ORDER BY … LIMIT: a row that cannot be among the first is given up once its keys are known,
  /// before its columns are read, and so are all that follow in a loop that gives the order.
  func emitBoundedSort(
    _ columns: TreeList<BoundExpression>, _ row: RegisterIndex, _ sorter: RowSorter,
    rejected: Label
  ) throws(SQLError) {
    for (offset, term) in sorter.terms.enumerated() {
      let expression = term.resultColumn >= 0 ? columns[term.resultColumn] : term.expression
      try emit(expression, into: sorter.firstKey + offset)
    }
    emit(
      .sorterRejects, sorter.cursor.rawValue, rejected.operand, sorter.firstKey.rawValue)
    for (index, column) in columns.enumerated() {
      if let key = sorter.key(ofColumn: index) {
        emit(.shallowCopy, key.rawValue, (row + index).rawValue)
      } else {
        try emit(column, into: row + index)
      }
    }
    emit(.sorterInsert, sorter.cursor.rawValue, sorter.firstKey.rawValue, row.rawValue)
  }

  /// Adds a row: a key that is a column of the row is taken from there.
  func emitSort(_ row: RegisterIndex, _ sorter: RowSorter) throws(SQLError) {
    // Keys that are the row's own columns, in order, need no copies.
    if let first = sorter.terms.firstKeyColumn {
      emit(
        .sorterInsert, sorter.cursor.rawValue, (row + first).rawValue, row.rawValue)
      return
    }
    try emitKeys(row, sorter)
    emit(.sorterInsert, sorter.cursor.rawValue, sorter.firstKey.rawValue, row.rawValue)
  }

  /// Adds a row whose keys are some of its columns.
  func emitSort(_ row: RegisterIndex, _ sorter: CursorID, keys columns: [Int]) {
    var keys = row + columns[0]
    if !columns.elementsEqual(columns[0]..<(columns[0] + columns.count)) {
      keys = builder.newRegisters(columns.count)
      for (offset, column) in columns.enumerated() {
        emit(.shallowCopy, (row + column).rawValue, (keys + offset).rawValue)
      }
    }
    emit(.sorterInsert, sorter.rawValue, keys.rawValue, row.rawValue)
  }

  /// Walks the sorted rows, or the last group of them; a group that ended before does the same.
  func emitSorted(
    _ sorter: RowSorter, _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) {
    guard let groups = sorter.groups else {
      return emitSorted(sorter, target, limit, ifEmpty: done, done)
    }
    let end = newLabel()
    emit(.gosub, groups.putOut.rawValue, groups.entry.operand)
    emitGoto(done)
    place(groups.entry)
    emitSorted(sorter, target, limit, ifEmpty: end, done)
    place(end)
    emit(.sorterReset, sorter.cursor.rawValue)
    emit(.return, groups.putOut.rawValue)
  }

  private func emitSorted(
    _ sorter: RowSorter, _ target: SelectTarget, _ limit: LimitRegisters, ifEmpty: Label,
    _ done: Label
  ) {
    let next = newLabel()
    emit(.sorterSort, sorter.cursor.rawValue, ifEmpty.operand)
    let again = builder.placeNewLabel()
    let row = builder.newRegisters(sorter.columnCount)
    for column in 0..<sorter.columnCount {
      emit(
        .rowColumn, sorter.cursor.rawValue, Int32(column), (row + column).rawValue)
    }
    filteredSet = nil
    emitRow(row, count: sorter.columnCount, to: target, limit, next: next, end: done)
    place(next)
    emit(.sorterNext, sorter.cursor.rawValue, again.operand)
  }

  /// "USE TEMP B-TREE FOR …", SQLite's words for a sorter (eqp §1.2).
  func emitSortExplain(_ satisfied: Int, _ count: Int, _ clause: String = "ORDER BY") {
    if satisfied == 0 {
      emitExplain("USE TEMP B-TREE FOR \(clause)")
    } else if count - satisfied == 1 {
      emitExplain("USE TEMP B-TREE FOR LAST TERM OF \(clause)")
    } else {
      emitExplain("USE TEMP B-TREE FOR LAST \(count - satisfied) TERMS OF \(clause)")
    }
  }
}

extension TreeList<BoundOrderingTerm> {
  /// The terms are neighbouring columns of the result, from this one.
  var firstKeyColumn: Int? {
    guard let first = self.first?.resultColumn, first >= 0,
      self.lazy.map(\.resultColumn).elementsEqual(first..<(first + self.count))
    else { return nil }
    return first
  }
}

extension Emitter.RowSorter {
  /// The register of the key that has the value of a result column.
  fileprivate func key(ofColumn column: Int) -> RegisterIndex? {
    if let key = terms.firstIndex(where: { $0.resultColumn == column }) { return firstKey + key }
    guard let groups, let key = groups.terms.firstIndex(where: { $0.resultColumn == column })
    else { return nil }
    return groups.firstKey + key
  }
}
