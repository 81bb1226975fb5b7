extension Table {
  /// Where a record of the table has each column; -1 for virtual generated columns, which are not
  /// stored (gencol §2.1).
  static func storagePositions(of table: Table) -> [Int32] {
    var positions = [Int32](repeating: -1, count: table.columns.count)
    if let primaryKey = table.primaryKeyIndex {
      for (position, column) in primaryKey.columns.enumerated()
      where column.tableColumn >= 0 && positions[column.tableColumn] < 0 {
        positions[column.tableColumn] = Int32(truncatingIfNeeded: position)
      }
      return positions
    }
    var next: Int32 = 0
    for (index, column) in table.columns.enumerated() {
      if case .virtual = column.generated { continue }
      positions[index] = next
      next += 1
    }
    return positions
  }

  /// Stored columns stand in the order of the record, virtual ones behind them.
  static func rowOffsets(of table: Table) -> [Int32] {
    var virtual = Int32(truncatingIfNeeded: table.columns.count { !$0.isVirtual })
    var stored: Int32 = 0
    return table.columns.map { column in
      let place = column.isVirtual ? virtual : stored
      if column.isVirtual { virtual += 1 } else { stored += 1 }
      return place
    }
  }
}
