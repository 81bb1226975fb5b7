import MartletEngine

extension RTree {
  /// Inserts, moves or deletes a row (rtree §3.2).
  ///
  /// - Throws: `locked` while scans have a place in the tree (rtree §3.5); `constraint` for a
  ///   rowid that there is, and for bounds in the wrong order.
  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    guard nodes.count == 0 else { throw SQLError(.spatialLocked) }
    keptNodes.forgetAll()
    do throws(SQLError) {
      return try write(change)
    } catch {
      removed.removeAll()
      nodes.forgetAll()
      throw error
    }
  }

  private func write(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    guard change.kind != .delete else {
      try deleteRow(change.oldRowid.int64)
      return 0
    }
    let new = try CellList(1, layout)
    defer { new.free() }
    try readBounds(change, into: new[0])
    let isRowidGiven = !change[0].isNull
    if isRowidGiven {
      new.numbers[0] = change[0].int64
      try makeRoom(for: new.numbers[0], change)
    }
    if !change.oldRowid.isNull { try deleteRow(change.oldRowid.int64) }
    if !isRowidGiven { new.numbers[0] = try shadow.makeRow() }
    try insertRow(new)
    if auxiliaryCount > 0 {
      try shadow.setAuxiliary(
        change, from: 1 + layout.coordinateCount, count: auxiliaryCount, ofRow: new.numbers[0])
    }
    return new.numbers[0]
  }

  private func insertRow(_ new: CellList) throws(SQLError) {
    let leaf = try chooseNode(for: new[0], level: 0)
    try insert(new.numbers[0], new[0], into: leaf, level: 0)
    try release(leaf)
  }

  /// A row of that rowid gives way where the statement says REPLACE.
  private func makeRoom(
    for rowid: Int64, _ change: borrowing VirtualTableChange
  ) throws(SQLError) {
    if !change.oldRowid.isNull && change.oldRowid.int64 == rowid { return }
    guard try shadow.node(ofRow: rowid) != nil else { return }
    guard change.conflictPolicy == .replace else {
      throw try conflict(ofColumn: 0)
    }
    try deleteRow(rowid)
  }

  /// Bounds are rounded so that the box never gets smaller (rtree §3.4).
  private func readBounds(
    _ change: borrowing VirtualTableChange, into bounds: Bounds
  ) throws(SQLError) {
    // Columns that the statement takes for constraints of a table are missing.
    let count = min(change.columnCount - 2, layout.coordinateCount)
    for index in stride(from: 0, to: count, by: 2) {
      let lower = change[1 + index], upper = change[2 + index]
      if layout.isInteger {
        bounds[index] = Double(Int32(truncatingIfNeeded: lower.int64))
        bounds[index + 1] = Double(Int32(truncatingIfNeeded: upper.int64))
      } else {
        bounds[index] = Double(SinglePrecision.down(lower.double))
        bounds[index + 1] = Double(SinglePrecision.up(upper.double))
      }
      if bounds[index] > bounds[index + 1] { throw try conflict(ofColumn: 1 + index) }
    }
  }

  /// The error that names what a row broke: the rowid's uniqueness for column 0, else the order of
  /// a lower bound and the upper one behind it.
  private func conflict(ofColumn column: Int) throws(SQLError) -> SQLError {
    let table = shadow.database.quotedIdentifier + "." + name.quotedIdentifier
    let columns = try connection.prepare(withNames: "SELECT * FROM \(table)")
    let first = columns.columnName(column)
    guard column > 0 else {
      return SQLError(.constraint, "UNIQUE constraint failed: \(name).\(first)")
    }
    let second = columns.columnName(column + 1)
    return SQLError(.constraint, "rtree constraint failed: \(name).(\(first)<=\(second))")
  }
}

/// Reals to single precision, in a given direction.
enum SinglePrecision {
  /// A step at least as large as the distance between two neighbours.
  private static let towardsZero = 1 - 1 / 8_388_608.0
  private static let awayFromZero = 1 + 1 / 8_388_608.0

  static func down(_ value: Double) -> Float {
    let rounded = Float(value)
    guard Double(rounded) > value else { return rounded }
    return Float(value * (value < 0 ? awayFromZero : towardsZero))
  }

  static func up(_ value: Double) -> Float {
    let rounded = Float(value)
    guard Double(rounded) < value else { return rounded }
    return Float(value * (value < 0 ? towardsZero : awayFromZero))
  }
}

extension ResultCode {
  /// `SQLITE_LOCKED_VTAB`
  fileprivate static let spatialLocked = ResultCode(rawValue: 6 | 2 << 8)
}
