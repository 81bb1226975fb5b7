// Values of equalities for a search, and the loops over the values of IN.

extension Emitter {
  /// The value of an equality or IN term for the search: an IN term starts a loop over its values.
  func emitEqualityValue(
    _ term: WhereTerm, into target: RegisterIndex, _ level: Level, isReversed: Bool,
    behind prefix: KeyPrefix? = nil
  ) throws(SQLError) {
    if term.operators.contains(.isNull) {
      emitNull(target)
      return
    }
    guard term.operators.contains(.in), let operand = term.inOperand else {
      if let right = term.right { try emit(right, into: target) }
      return
    }
    let set: CursorID
    switch operand {
    case .list(let list): set = try emitListSet(list)
    case .select(let select):
      if select.operands.count == 1, let tree = existingTree(for: select, drivesLoop: true) {
        return try emitTreeLoop(
          over: tree, into: [(0, target)], level, isReversed: isReversed, behind: prefix)
      }
      let columns = select.operands.count > 1 ? [term.inField] : nil
      set = try emitSelectSet(select, columns: columns, drivesLoop: true)
    }
    emitKeyLoop(over: set, level, isReversed: isReversed, behind: prefix) { next in
      self.emit(.rowColumn, set.rawValue, 0, target.rawValue)
      self.emit(.isNull, target.rawValue, next.operand)
    }
  }

  /// The columns of a key before those that an IN gives.
  struct KeyPrefix {
    let cursor: CursorID
    let first: RegisterIndex
    let count: Int
  }

  /// Starts a loop over the keys of a set; a search that finds nothing goes on with its next one,
  /// unless nothing can be found as the columns before are in no entry: several IN would else search
  /// as often as there are combinations of their values.
  private func emitKeyLoop(
    over set: CursorID, _ level: Level, isReversed: Bool, behind prefix: KeyPrefix?,
    _ body: (Label) -> Void
  ) {
    let direction: Int32 = isReversed ? 1 : 0
    let start = Instruction(.setRewind, set.rawValue, level.next.operand, direction)
    emitKeyLoop(start, level, behind: prefix, body) { again in
      Instruction(.setNext, set.rawValue, again.operand, direction)
    }
  }

  /// The values are the entries of a tree, which has each once.
  ///
  /// - Parameter targets: Of the subquery's columns, where their values go.
  private func emitTreeLoop(
    over tree: ExistingTree, into targets: [(field: Int, register: RegisterIndex)],
    _ level: Level, isReversed: Bool, behind prefix: KeyPrefix?
  ) throws(SQLError) {
    emitExplain("USING \(tree.line) FOR IN-OPERATOR")
    let cursor: CursorID
    var isBackwards = isReversed
    switch tree {
    case .rowids(let table): cursor = try openTable(table)
    case .index(let index, _):
      cursor = try openIndex(index)
      if index.columns[0].isDescending { isBackwards.toggle() }
    }
    let start = Instruction(
      isBackwards ? .last : .rewind, cursor.rawValue, level.next.operand)
    emitKeyLoop(start, level, behind: prefix) { next in
      for (field, target) in targets {
        switch tree {
        case .rowids: self.emit(.rowid, cursor.rawValue, target.rawValue)
        case .index(_, let positions):
          let position = positions.firstIndex(of: field) ?? 0
          self.emit(.column, cursor.rawValue, Int32(position), target.rawValue)
          self.emit(.isNull, target.rawValue, next.operand)
        }
      }
    } step: { again in
      Instruction(isBackwards ? .previous : .next, cursor.rawValue, again.operand)
    }
  }

  private func emitKeyLoop(
    _ start: Instruction, _ level: Level, behind prefix: KeyPrefix?, _ body: (Label) -> Void,
    step: (Label) -> Instruction
  ) {
    let outer = level.next
    builder.emit(start)
    let again = builder.placeNewLabel()
    level.next = newLabel()
    var hope: Instruction?
    if let prefix {
      let count = Int32(prefix.count)
      emit(.seekHit, prefix.cursor.rawValue, 0, count)
      hope = Instruction(
        .ifNoHope, prefix.cursor.rawValue, outer.operand, prefix.first.rawValue, p4: count)
    }
    level.add(
      LoopLevel.KeyLoop(step: step(again), next: level.next, hope: hope))
    body(level.next)
  }

  /// `(a, b) IN (SELECT …)`: one loop gives the values of all columns that the search uses.
  func emitRowIn(
    _ select: BoundInSelect, _ level: Level, at position: Int, of count: Int,
    _ first: RegisterIndex, isReversed: Bool, behind prefix: KeyPrefix?
  ) throws(SQLError) {
    let loop = level.loop
    func isColumn(_ term: WhereTerm?) -> Bool {
      if case .select(let other)? = term?.inOperand { return other === select }
      return false
    }
    if (0..<position).contains(where: { isColumn(loop.terms[$0]) }) { return }
    // An index may have a column twice.
    var fields: [Int] = [], targets: [(field: Int, register: RegisterIndex)] = []
    for next in position..<count where isColumn(loop.terms[next]) {
      guard let term = loop.terms[next] else { continue }
      let field = fields.firstIndex(of: term.inField) ?? fields.count
      if field == fields.count { fields.append(term.inField) }
      targets.append((field, first + next))
    }
    if fields.count == select.operands.count,
      let tree = existingTree(for: select, drivesLoop: true)
    {
      return try emitTreeLoop(
        over: tree, into: targets.map { (fields[$0.field], $0.register) }, level,
        isReversed: isReversed, behind: prefix)
    }
    let set = try emitSelectSet(select, columns: fields, drivesLoop: true)
    emitKeyLoop(over: set, level, isReversed: isReversed, behind: prefix) { next in
      for (field, register) in targets {
        self.emit(.rowColumn, set.rawValue, Int32(field), register.rawValue)
        self.emit(.isNull, register.rawValue, next.operand)
      }
    }
  }

  // MARK: LIKE

  /// The bounds of a LIKE that folds case are met by texts and, apart from these, by BLOBs: the
  /// range is walked twice. The register counts down.
  func emitLikePass(_ level: Level) -> RegisterIndex? {
    guard level.loop.lowerBound?.isLikeBound == true else { return nil }
    let pass = newRegister()
    level.likePass = pass
    emitInteger(1, into: pass)
    let again = builder.placeNewLabel()
    level.next = newLabel()
    level.add(
      LoopLevel.KeyLoop(
        step: Instruction(.ifPositive, pass.rawValue, again.operand, 1),
        next: level.next, hope: nil))
    return pass
  }

  /// Makes a bound a BLOB in the pass over these: the second one, but where the walk is from the
  /// greatest on, the first.
  func emitLikeCast(
    _ bound: RegisterIndex, _ pass: RegisterIndex, _ level: Level, _ index: Index
  ) {
    let skip = newLabel()
    emitJump(ifOverTexts: pass, level, index, to: skip)
    emit(.cast, bound.rawValue, bound.rawValue, Int32(Affinity.blob.rawValue))
    place(skip)
  }

  private func emitJump(
    ifOverTexts pass: RegisterIndex, _ level: Level, _ index: Index, to label: Label
  ) {
    let position = level.loop.equalityCount
    let isDescending =
      position < index.columns.count && index.columns[position].isDescending
    let blobsFirst = level.isReversed != isDescending
    emit(blobsFirst ? .ifFalse : .ifTrue, pass.rawValue, label.operand)
  }

  /// A text between both bounds of a LIKE that is a prefix alone need not be asked: gives where the
  /// test of the term is to be passed over to, if this is one of those.
  func emitLikeSkip(_ level: Level, _ term: WhereTerm, _ clause: WhereClause) -> Label? {
    guard term.mustTestLike, let pass = level.likePass, let index = level.loop.index,
      let lower = level.loop.lowerBound, let upper = level.loop.upperBound, lower.isLikeBound,
      upper.isLikeBound, lower.parent >= 0, lower.parent == upper.parent,
      clause.terms[lower.parent] === term
    else { return nil }
    let skip = newLabel()
    emitJump(ifOverTexts: pass, level, index, to: skip)
    return skip
  }
}
