// How the places of a window move. What C SQLite's code does at the end of the rows is in
// sqlite3WindowCodeStep; here a place at the end is the number of rows.

extension WindowBuffer {
  typealias Cell = UnsafeMutablePointer<Register>

  enum Comparator { case greater, greaterOrEqual, less, lessOrEqual }

  private var movesByPeers: Bool { plan.unit != .rows }

  /// Frames between two preceding or two following places: the first could pass the second.
  private var hasLikeBounds: Bool { plan.start == plan.end && plan.unit == .range }

  /// Takes the next row, or the next peers, into the frame. With `offset`, that of a RANGE frame's
  /// end, all whose values are not more than it behind the current one's.
  ///
  /// - Parameter isFlushing: No more rows will come.
  func stepEnd(_ offset: Cell?, isFlushing: Bool) throws(SQLError) {
    repeat {
      if let offset, try compare(.greater, end, endReader, offset, current, currentReader) {
        return
      }
      while true {
        if offset != nil && hasLikeBounds && !isFlushing && end >= rows.count - 1 { return }
        guard let row = try endReader.row(end) else { return }
        if plan.exclusion == .none { try step(row, number: end) }
        let group = SequenceReader.group(of: row)
        end += 1
        guard movesByPeers else { return }
        guard let next = try endReader.row(end) else { return }
        if SequenceReader.group(of: next) != group { break }
      }
    } while offset != nil
  }

  /// Takes the first row, or the first peers, out of the frame. With `offset`, that of a RANGE
  /// frame's start, all whose values are more than it before the current one's, or not as much
  /// behind it.
  ///
  /// Returns whether the place has come to the end of the rows.
  func stepStart(_ offset: Cell?) throws(SQLError) -> Bool {
    repeat {
      if let offset, try startHasArrived(offset) { return false }
      while true {
        if offset != nil && hasLikeBounds && end < rows.count && start >= end { return false }
        guard let row = try startReader.row(start) else { return true }
        if plan.exclusion == .none { try stepBack(row, number: start) }
        let group = SequenceReader.group(of: row)
        start += 1
        dropRows()
        guard let next = try startReader.row(start) else { return true }
        guard movesByPeers else { return false }
        if SequenceReader.group(of: next) != group { break }
      }
    } while offset != nil
    return false
  }

  private func startHasArrived(_ offset: Cell) throws(SQLError) -> Bool {
    if plan.start == .following {
      return try compare(.lessOrEqual, current, currentReader, offset, start, startReader)
    }
    return try compare(.greaterOrEqual, start, startReader, offset, current, currentReader)
  }

  /// Whether the end of a RANGE frame lies behind all rows that came so far.
  func needsMoreRows(_ offset: Cell) throws(SQLError) -> Bool {
    try compare(.greaterOrEqual, current, currentReader, offset, end, endReader)
  }

  enum Advance { case nextGroup, peer, end }

  /// Makes the next row the current one.
  func advance() throws(SQLError) -> Advance {
    guard let row = try currentReader.row(current) else { return .end }
    let group = SequenceReader.group(of: row)
    current += 1
    guard let next = try currentReader.row(current) else {
      dropRows()
      return .end
    }
    let isPeer = movesByPeers && SequenceReader.group(of: next) == group
    dropRows()
    return isPeer ? .peer : .nextGroup
  }

  /// Compares the value of a row and an offset with that of another row, in the direction of ORDER
  /// BY. What is no number is compared as it is.
  private func compare(
    _ comparator: Comparator, _ left: Int, _ leftReader: SequenceReader, _ offset: Cell,
    _ right: Int,
    _ rightReader: SequenceReader
  ) throws(SQLError) -> Bool {
    let leftValue = scratch.base + (scratch.count - 2), rightValue = leftValue + 1
    try read(plan.orderColumns[0], left, leftReader, leftValue)
    try read(plan.orderColumns[0], right, rightReader, rightValue)
    let key = plan.order.columns[0]
    var comparator = comparator
    if key.isDescending {
      comparator =
        switch comparator {
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: .greaterOrEqual
        }
    }
    if key.hasBigNulls && (leftValue.pointee.isNull || rightValue.pointee.isNull) {
      return comparator.holdsForBigNulls(leftValue.pointee.isNull, rightValue.pointee.isNull)
    }
    func holds() throws(SQLError) -> Bool {
      comparator.holds(
        try Comparison.compare(leftValue, rightValue, key.collation, frame.encoding))
    }
    if leftValue.pointee.tag == .text || leftValue.pointee.tag == .blob { return try holds() }
    let adds = !key.isDescending
    // The sum of large numbers can be less exact than they are.
    if comparator == (adds ? .greaterOrEqual : .lessOrEqual),
      !leftValue.pointee.isNull, !rightValue.pointee.isNull, try holds()
    {
      return true
    }
    Arithmetic.compute(
      adds ? .add : .subtract, leftValue, offset, into: leftValue, encoding: frame.encoding)
    return try holds()
  }

  private func read(
    _ column: Int, _ number: Int, _ reader: SequenceReader, _ target: Cell
  ) throws(SQLError) {
    guard let row = try reader.row(number) else { return target.pointee.setNull() }
    StoredRow.read(
      column, of: row, valuesOffset: StoredRow.valuesOffset(plan.columnCount), into: target)
  }

  // MARK: Functions

  private func step(_ row: UnsafeRawPointer, number: Int) throws(SQLError) {
    for index in 0..<callCount {
      let call = calls + index
      if call.pointee.filter >= 0, try !passes(call.pointee.filter, row) { continue }
      switch call.pointee.method {
      case .accumulate: try accumulate(index, row)
      case .extreme:
        try extremes[index]?.insert(row, number: number, call.pointee.aggregate, frame.encoding)
      case .firstValue, .nthValue, .lead, .lag: break
      }
    }
  }

  private func stepBack(_ row: UnsafeRawPointer, number: Int) throws(SQLError) {
    for index in 0..<callCount {
      let call = calls + index
      switch call.pointee.method {
      case .accumulate:
        if call.pointee.filter >= 0, try !passes(call.pointee.filter, row) { continue }
        try frame.stepBack(
          callPointer(index), arguments(call, row), accumulators.base + call.pointee.accumulator)
      case .extreme: extremes[index]?.remove(number)
      case .firstValue, .nthValue, .lead, .lag: break
      }
    }
  }

  @inline(__always)
  private func accumulate(_ index: Int, _ row: UnsafeRawPointer) throws(SQLError) {
    let call = calls + index
    _ = try frame.stepInline(
      callPointer(index), arguments(call, row), accumulators.base + call.pointee.accumulator)
  }

  /// Steps one call with a row of the frame of `current`, which says the place for nth_value().
  func accumulate(
    _ index: Int, _ row: UnsafeRawPointer, for current: UnsafeRawPointer
  ) throws(SQLError) {
    let call = calls + index
    let values = arguments(call, row)
    if call.pointee.aggregate.kind == .nthValue {
      StoredRow.read(
        call.pointee.columns[1], of: current,
        valuesOffset: StoredRow.valuesOffset(plan.columnCount), into: values + 1)
    }
    _ = try frame.stepInline(
      callPointer(index), values, accumulators.base + call.pointee.accumulator)
  }

  func passes(_ filter: Int, _ row: UnsafeRawPointer) throws(SQLError) -> Bool {
    let value = scratch.base
    StoredRow.read(
      filter, of: row, valuesOffset: StoredRow.valuesOffset(plan.columnCount), into: value)
    return Cast.truth(of: value, frame.encoding) ?? false
  }

  @inline(__always)
  private func arguments(_ call: UnsafePointer<Call>, _ row: UnsafeRawPointer) -> Cell {
    let count = call.pointee.aggregate.argumentCount
    let valuesOffset = StoredRow.valuesOffset(plan.columnCount)
    for index in 0..<count {
      StoredRow.read(
        call.pointee.columns[index], of: row, valuesOffset: valuesOffset,
        into: scratch.base + index)
    }
    if call.pointee.subtypeCount > 0 { setSubtypes(call, row) }
    return scratch.base
  }

  private func setSubtypes(_ call: UnsafePointer<Call>, _ row: UnsafeRawPointer) {
    let count = call.pointee.aggregate.argumentCount, subtype = scratch.base + count
    for index in 0..<call.pointee.subtypeCount {
      StoredRow.read(
        call.pointee.columns[count + index], of: row,
        valuesOffset: StoredRow.valuesOffset(plan.columnCount), into: subtype)
      guard subtype.pointee.tag == .integer, subtype.pointee.integer != 0 else { continue }
      scratch.base[index].subtype = UInt8(truncatingIfNeeded: subtype.pointee.integer)
      scratch.base[index].flags.insert(.subtype)
    }
  }
}

extension WindowBuffer.Comparator {
  fileprivate func holds(_ order: Int) -> Bool {
    switch self {
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    }
  }

  /// NULLs are larger than all else.
  fileprivate func holdsForBigNulls(_ left: Bool, _ right: Bool) -> Bool {
    switch self {
    case .greaterOrEqual: left
    case .greater: left && !right
    case .lessOrEqual: left ? right : true
    case .less: !left
    }
  }
}
