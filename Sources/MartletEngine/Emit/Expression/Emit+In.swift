extension Emitter {
  /// Evaluates IN: falls through when it is true, jumps when it is false or NULL.
  @inline(never)
  func emitIn(
    _ condition: BoundExpression, ifFalse: Label, ifNull: Label
  ) throws(SQLError) {
    switch condition.kind {
    case .inList(let list): try emitInList(list, ifFalse, ifNull)
    case .inSelect(let select): try emitInSelect(select, ifFalse, ifNull)
    default: throw SQLError(.internal, "not an IN operator")
    }
  }

  // MARK: Lists

  private func emitInList(
    _ list: BoundInList, _ ifFalse: Label, _ ifNull: Label
  ) throws(SQLError) {
    if list.items.isEmpty { return emitGoto(ifFalse) }
    let isConstant = list.items.allSatisfy { $0.isConstant && !$0.traits.contains(.hasFunction) }
    if list.items.count > 2 && isConstant {
      let operand = try emitOperands([list.operand], [list.affinity])
      let set = try emitListSet(list)
      emitSetTest(set, operand, ifFalse, ifNull)
    } else {
      try emitInChain(list, ifFalse, ifNull)
    }
  }

  /// One comparison after the other.
  private func emitInChain(
    _ list: BoundInList, _ ifFalse: Label, _ ifNull: Label
  ) throws(SQLError) {
    let found = newLabel()
    let operand = try register(for: list.operand)
    let comparison = BoundComparison(
      operator: .equal, affinity: list.affinity, collation: list.collation)
    // NULL once any of the operands is NULL.
    let nullCheck = newRegister()
    if ifNull != ifFalse {
      emit(.bitAnd, operand.rawValue, operand.rawValue, nullCheck.rawValue)
    }
    for item in list.items {
      let value = try register(for: item)
      if ifNull != ifFalse && mayBeNull(item) {
        emit(.bitAnd, nullCheck.rawValue, value.rawValue, nullCheck.rawValue)
      }
      emitCompareJump(comparison, operand, value, to: found, jumpIfNull: false)
    }
    if ifNull != ifFalse { emit(.isNull, nullCheck.rawValue, ifNull.operand) }
    emitGoto(ifFalse)
    place(found)
  }

  /// A NOT NULL column of a row that is being made is taken at its word, although it may be NULL
  /// where a BEFORE trigger does not ask for it.
  private func mayBeNull(_ item: BoundExpression) -> Bool {
    guard case .column(let id, let column) = item.withoutCollate.kind, column >= 0,
      case .row(let row) = access(id).kind
    else { return item.mayBeNull }
    return !row.table.columns[Int(column)].isNotNull
  }

  /// A set of a list's values, built once.
  func emitListSet(_ list: BoundInList) throws(SQLError) -> CursorID {
    let keyInfo = self.keyInfo([list.collation])
    let set = builder.newCursor()
    let built = newLabel()
    if list.items.allSatisfy(\.isConstant) { emit(.once, 0, built.operand) }
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo))
    let value = newRegister()
    let affinities = builder.addAffinities([list.affinity])
    for item in list.items {
      try emit(item, into: value)
      if list.affinity.converts { emit(.affinity, value.rawValue, 1, p4: affinities) }
      emit(.setInsert, set.rawValue, 0, value.rawValue)
    }
    place(built)
    return set
  }

  // MARK: Subqueries

  private func emitInSelect(
    _ node: BoundInSelect, _ ifFalse: Label, _ ifNull: Label
  ) throws(SQLError) {
    if let tree = existingTree(for: node, drivesLoop: false) {
      return try emitTreeTest(tree, node, ifFalse, ifNull)
    }
    let set = try emitSelectSet(node)
    let operand = try emitOperands(node.operands, node.affinities)
    if node.operands.count == 1 {
      emitSetTest(set, operand, ifFalse, ifNull)
    } else {
      emitRowSetTest(set, operand, node, ifFalse, ifNull)
    }
  }

  /// A set of a subquery's rows, or of some of their columns, built once unless the subquery is
  /// correlated. `drivesLoop`: not to look values up in, but to walk.
  func emitSelectSet(
    _ node: BoundInSelect, columns: [Int]? = nil, drivesLoop: Bool = false
  ) throws(SQLError) -> CursorID {
    let built = newLabel()
    let isCorrelated = node.select.isCorrelated
    if !isCorrelated { emit(.once, 0, built.operand) }
    let isShared = !isCorrelated && columns == nil && !drivesLoop
    if isShared, let known = keptSets.last(where: { $0.node.hasSameSet(as: node) }) {
      if showsPlan {
        let tree = existingTree(for: node, drivesLoop: false)
        emitExplain(
          tree.map { "USING \($0.line) FOR IN-OPERATOR" }
            ?? "REUSE LIST SUBQUERY \(node.select.number)")
      }
      emit(.gosub, known.returnAddress.rawValue, known.entry.operand)
      place(built)
      return known.set
    }
    let set = builder.newCursor()
    let kept = KeptSet(node: node, set: set, returnAddress: newRegister(), entry: newLabel())
    let filled = newLabel()
    if isShared {
      emit(.gosub, kept.returnAddress.rawValue, kept.entry.operand)
      emitGoto(built)
      place(kept.entry)
      emit(.once, 0, filled.operand)
    }
    let collations = columns.map { $0.map { node.collations[$0] } } ?? node.collations
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(collations)))
    let isHidden = hidesPlan
    defer { hidesPlan = isHidden }
    if showsPlan, let tree = existingTree(for: node, drivesLoop: drivesLoop) {
      emitExplain("USING \(tree.line) FOR IN-OPERATOR")
      hidesPlan = true
    } else if showsPlan && !isCorrelated && columns == nil {
      if shownSubqueries.contains(where: {
        $0.select === node.select && $0.affinities == node.affinities
      }) {
        emitExplain("REUSE LIST SUBQUERY \(node.select.number)")
        hidesPlan = true
      } else {
        shownSubqueries.append(node)
      }
    }
    var number = node.select.number
    if columns != nil {
      copiedSelectCount += 1
      number = selectCount + copiedSelectCount
    }
    let outerFilter = filteredSet
    filteredSet = drivesLoop || isCorrelated ? nil : set
    defer { filteredSet = outerFilter }
    try withExplain("\(isCorrelated ? "CORRELATED " : "")LIST SUBQUERY \(number)") {
      () throws(SQLError) in
      if let columns {
        try emitSelect(
          node.select, to: .setOfColumns(set, columns, columns.map { node.affinities[$0] }))
      } else {
        try emitSelect(node.select, to: .set(set, node.affinities))
      }
    }
    if isShared {
      place(filled)
      emit(.return, kept.returnAddress.rawValue)
      keptSets.append(kept)
    }
    place(built)
    return set
  }

  /// The operands in consecutive registers, with the affinities of the comparison.
  func emitOperands(
    _ operands: some RandomAccessCollection<BoundExpression>, _ affinities: [Affinity]
  ) throws(SQLError) -> RegisterIndex {
    if operands.count == 1, !affinities[0].converts, let operand = operands.first {
      return try register(for: operand)
    }
    let first = builder.newRegisters(operands.count)
    try emit(operands, into: first)
    if affinities.contains(where: \.converts) {
      emit(
        .affinity, first.rawValue, Int32(operands.count), p4: builder.addAffinities(affinities))
    }
    return first
  }

  private func emitSetTest(
    _ set: CursorID, _ operand: RegisterIndex, _ ifFalse: Label, _ ifNull: Label
  ) {
    let found = newLabel()
    if ifFalse == ifNull {
      emit(.isNull, operand.rawValue, ifFalse.operand)
      emit(.setNotFound, set.rawValue, ifFalse.operand, operand.rawValue)
      return
    }
    // NULL IN () is false; x IN (…, NULL) is NULL unless x is found.
    emit(.setIsEmpty, set.rawValue, ifFalse.operand)
    emit(.isNull, operand.rawValue, ifNull.operand)
    emit(.setFound, set.rawValue, found.operand, operand.rawValue)
    emit(.setHasNoNull, set.rawValue, ifFalse.operand)
    emitGoto(ifNull)
    place(found)
  }

  /// Row values: false only if each row of the set differs in a column where neither is NULL.
  private func emitRowSetTest(
    _ set: CursorID, _ operands: RegisterIndex, _ node: BoundInSelect, _ ifFalse: Label,
    _ ifNull: Label
  ) {
    let found = newLabel(), undecided = newLabel()
    for offset in node.operands.indices {
      emit(.isNull, (operands + offset).rawValue, undecided.operand)
    }
    emit(.setFound, set.rawValue, found.operand, operands.rawValue)
    emit(.setHasNoNull, set.rawValue, ifFalse.operand)
    place(undecided)
    if ifNull == ifFalse {
      emitGoto(ifFalse)
    } else {
      emitUndecided(
        set, (.setRewind, .rowColumn, .setNext), operands, node, Array(node.operands.indices),
        ifFalse, ifNull)
    }
    place(found)
  }

  /// Row values that are not found are NULL where a row of the set or tree differs in no column in
  /// which neither is NULL: all of them are looked at.
  ///
  /// - Parameter positions: which of the operands each of the row's columns is compared with; the
  ///   registers are in the order of the columns.
  func emitUndecided(
    _ rows: CursorID, _ walk: (rewind: Opcode, column: Opcode, next: Opcode),
    _ operands: RegisterIndex, _ node: BoundInSelect, _ positions: [Int], _ ifFalse: Label,
    _ ifNull: Label
  ) {
    let next = newLabel(), value = newRegister()
    emit(walk.rewind, rows.rawValue, ifFalse.operand)
    let again = builder.placeNewLabel()
    for (offset, position) in positions.enumerated() {
      emit(walk.column, rows.rawValue, Int32(offset), value.rawValue)
      let comparison = BoundComparison(
        operator: .notEqual, affinity: node.affinities[position],
        collation: node.collations[position])
      emitCompareJump(comparison, operands + offset, value, to: next, jumpIfNull: false)
    }
    emitGoto(ifNull)
    place(next)
    emit(walk.next, rows.rawValue, again.operand)
    emitGoto(ifFalse)
  }

  /// The value has an affinity already that makes applying `wanted` change nothing that a
  /// comparison sees: it is a number, a cast, or a table's column. Columns of subqueries are not
  /// what their affinity says where the parts of a compound differ.
  func keeps(_ expression: BoundExpression, _ wanted: Affinity) -> Bool {
    let bare = expression.withoutCollate
    switch bare.kind {
    case .integer, .real: return wanted.isNumeric
    case .cast: break
    case .column(let id, _):
      switch access(id).kind {
      case .table, .coveringIndex: break
      default: return false
      }
    default: return false
    }
    if wanted.isNumeric { return bare.affinity.isNumeric && bare.affinity != .flexnum }
    return wanted == .text && bare.affinity == .text
  }

  /// Key info of ascending columns in these collations.
  func keyInfo(_ collations: [Collation]) -> KeyInfo {
    KeyInfo(
      columns: collations.map {
        KeyInfo.Column(collation: $0, isDescending: false, hasBigNulls: false)
      }, encoding: builder.encoding)
  }
}

extension Affinity {
  /// Applying it can change a value.
  var converts: Bool { self != .none && self != .blob }
}

/// Where the set of a subquery is filled, which all that look in it share.
struct KeptSet {
  let node: BoundInSelect
  let set: CursorID
  let returnAddress: RegisterIndex
  let entry: Label
}

extension BoundInSelect {
  fileprivate func hasSameSet(as other: BoundInSelect) -> Bool {
    select === other.select && affinities == other.affinities
      && collations.count == other.collations.count
      && zip(collations, other.collations).allSatisfy { $0 === $1 }
  }
}
