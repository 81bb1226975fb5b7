extension Emitter {
  /// `target` = 1 if the subquery has a row, else 0.
  @inline(never)
  func emitExists(_ select: BoundSelect, _ target: RegisterIndex) throws(SQLError) {
    try emitOnce(select, "SCALAR SUBQUERY", result: target, count: 1) {
      (result) throws(SQLError) in
      self.emitInteger(0, into: result)
      try self.emitSelect(select, to: .exists(result))
    }
  }

  /// `target` = the first column of the first row, or NULL.
  @inline(never)
  func emitScalarSubquery(
    _ select: BoundSelect, _ target: RegisterIndex
  ) throws(SQLError) {
    try emitOnce(select, "SCALAR SUBQUERY", result: target, count: select.columns.count) {
      (result) throws(SQLError) in
      self.emitNull(result, count: select.columns.count)
      try self.emitSelect(select, to: .registers(result))
    }
  }

  /// A column of a subquery that stands for a row value: the subquery runs once for all of them.
  @inline(never)
  func emitSubqueryColumn(
    _ select: BoundSelect, _ column: Int, _ target: RegisterIndex
  ) throws(SQLError) {
    if let known = rowSubqueries[select.id] {
      emit(.copy, (known + column).rawValue, target.rawValue)
      return
    }
    // To SQLite the comparison of a row is one expression, which has the subquery once.
    let isHidden = hidesPlan
    defer { hidesPlan = isHidden }
    if showsPlan {
      if shownScalars.contains(where: { $0 === select }) {
        hidesPlan = true
      } else if select.isCorrelated {
        shownScalars.append(select)
      }
    }
    let first = builder.newRegisters(select.columns.count)
    try emitScalarSubquery(select, first)
    rowSubqueries[select.id] = first
    emit(.copy, (first + column).rawValue, target.rawValue)
    rowSubqueries[select.id] = nil
  }

  /// Runs `body` where the result is needed, or, for a subquery that needs nothing from around it,
  /// the first time only: its result is kept in registers of its own.
  private func emitOnce(
    _ select: BoundSelect, _ title: String, result: RegisterIndex, count: Int,
    _ body: (RegisterIndex) throws(SQLError) -> Void
  ) throws(SQLError) {
    let text = "\(select.isCorrelated ? "CORRELATED " : "")\(title) \(select.number)"
    if select.isCorrelated {
      let own = builder.newRegisters(count)
      try withExplain(text) { () throws(SQLError) in try body(own) }
      emit(.copy, own.rawValue, result.rawValue, Int32(count - 1))
      return
    }
    let isHidden = hidesPlan
    defer { hidesPlan = isHidden }
    if showsPlan {
      if shownScalars.contains(where: { $0 === select }) {
        emitExplain("REUSE SUBQUERY \(select.number)")
        hidesPlan = true
      } else {
        shownScalars.append(select)
      }
    }
    let own = builder.newRegisters(count)
    let done = newLabel()
    emit(.once, 0, done.operand)
    try withExplain(text) { () throws(SQLError) in try body(own) }
    place(done)
    emit(.shallowCopy, own.rawValue, result.rawValue)
    for offset in 1..<max(1, count) {
      emit(.shallowCopy, (own + offset).rawValue, (result + offset).rawValue)
    }
  }
}
