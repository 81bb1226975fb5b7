// The results of a window's functions for the current row.

extension WindowBuffer {
  /// Steps all functions with a row that is not kept, and gives their results.
  func step(_ row: Cell, into target: Cell) throws(SQLError) {
    for index in 0..<callCount {
      let call = calls + index, accumulator = accumulators.base + call.pointee.accumulator
      let filter = call.pointee.filter
      if filter < 0 || Cast.truth(of: row + filter, frame.encoding) == true {
        _ = try frame.stepInline(callPointer(index), arguments(call, of: row), accumulator)
      }
      try frame.value(callPointer(index), of: accumulator, into: target + index, isLast: false)
    }
  }

  /// The arguments in consecutive registers.
  @inline(__always)
  private func arguments(_ call: UnsafePointer<Call>, of row: Cell) -> Cell {
    let count = call.pointee.aggregate.argumentCount
    if count == 1 { return row + call.pointee.columns[0] }
    for index in 0..<count {
      scratch.base[index].borrow(from: row[call.pointee.columns[index]])
    }
    return scratch.base
  }

  /// Results that all peers of the current row share.
  func computeValues() throws(SQLError) {
    guard plan.exclusion == .none else { return }
    for index in 0..<callCount {
      let result = results.base + index
      switch calls[index].method {
      case .accumulate:
        try frame.value(
          callPointer(index), of: accumulators.base + calls[index].accumulator, into: result,
          isLast: false)
      case .extreme:
        if let best = extremes[index]?.best, let row = try lookUps[index].row(best) {
          StoredRow.read(
            calls[index].columns[0], of: row,
            valuesOffset: StoredRow.valuesOffset(plan.columnCount), into: result)
          try result.pointee.makeOwned()
        } else {
          result.pointee.setNull()
        }
      case .firstValue, .nthValue, .lead, .lag: break
      }
    }
  }

  /// Lends the columns of the current row and the results of the functions, in this order.
  func putOut(_ target: Cell) throws(SQLError) {
    guard let row = try currentReader.row(current) else { throw SQLError(.internal) }
    if plan.exclusion != .none { try computeExcluding(row) }
    StoredRow.read(row, columnCount: plan.columnCount, into: target)
    for index in 0..<callCount {
      let result = target + (plan.columnCount + index)
      switch calls[index].method {
      case .accumulate, .extreme: result.pointee.borrow(from: results.base[index])
      case .firstValue: try lookUp(index, start, result)
      case .nthValue:
        let place = try BuiltInFunctions.nthPlace(
          target + calls[index].columns[1], frame.encoding)
        let (number, isBeyond) = Int64(start).addingReportingOverflow(place - 1)
        try lookUp(index, isBeyond || number >= Int64(end) ? -1 : Int(number), result)
      case .lead, .lag: try lookUpAround(index, target, result)
      }
    }
  }

  /// The first argument's value in a row of the frame, NULL if there is no such row.
  private func lookUp(_ index: Int, _ number: Int, _ result: Cell) throws(SQLError) {
    guard number >= 0 && number < end, let row = try lookUps[index].row(number) else {
      return result.pointee.setNull()
    }
    StoredRow.read(
      calls[index].columns[0], of: row, valuesOffset: StoredRow.valuesOffset(plan.columnCount),
      into: result)
  }

  /// The first argument's value so many rows away, or the third argument.
  private func lookUpAround(_ index: Int, _ row: Cell, _ result: Cell) throws(SQLError) {
    let count = calls[index].aggregate.argumentCount, columns = calls[index].columns
    let place = scratch.base + (scratch.count - 2), one = place + 1
    place.pointee.setInteger(Int64(current))
    one.pointee.setInteger(1)
    Arithmetic.compute(
      calls[index].method == .lead ? .add : .subtract, place,
      count < 2 ? one : row + columns[1], into: place, encoding: frame.encoding)
    var number: Int?
    if place.pointee.tag == .integer {
      number = Int(place.pointee.integer)
    } else if place.pointee.tag == .real {
      number = Int(exactly: place.pointee.real)
    }
    if let number, let found = try lookUps[index].row(number) {
      StoredRow.read(
        columns[0], of: found, valuesOffset: StoredRow.valuesOffset(plan.columnCount),
        into: result)
    } else if count < 3 {
      result.pointee.setNull()
    } else {
      result.pointee.borrow(from: row[columns[2]])
    }
  }

  // MARK: EXCLUDE

  /// Steps over the rows of the frame but those that EXCLUDE names.
  private func computeExcluding(_ row: UnsafeRawPointer) throws(SQLError) {
    resetAccumulators()
    let group = SequenceReader.group(of: row)
    for number in start..<max(start, end) {
      guard let other = try startReader.row(number) else { break }
      let isPeer = SequenceReader.group(of: other) == group
      let isExcluded =
        switch plan.exclusion {
        case .none, .noOthers: false
        case .currentRow: number == current
        case .group: isPeer
        case .ties: isPeer && number != current
        }
      if isExcluded { continue }
      for index in 0..<callCount {
        if calls[index].filter >= 0, try !passes(calls[index].filter, other) { continue }
        try accumulate(index, other, for: row)
      }
    }
    for index in 0..<callCount {
      try frame.value(
        callPointer(index), of: accumulators.base + calls[index].accumulator,
        into: results.base + index)
    }
    for index in 0..<accumulators.count { accumulators.base[index].setNull() }
  }
}
