/// The rows of a pragma as a table (pragma, PRAGMA functions).
final class PragmaTable: VirtualTable {
  private let definition: Definition
  private unowned(unsafe) let host: any VMHost

  init(_ definition: Definition, _ host: any VMHost) {
    self.definition = definition
    self.host = host
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { PragmaCursor(definition, host) }

  /// A pragma that takes an argument is little use without one.
  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.estimatedCost = 1
    if definition.hidden.isEmpty { return }
    var arguments: [Int?] = [nil, nil]
    for (index, constraint) in plan.constraints.enumerated() {
      let argument = constraint.column - definition.columns.count
      guard constraint.operator == .equal, arguments.indices.contains(argument) else { continue }
      if !constraint.isUsable { throw SQLError(.constraint) }
      arguments[argument] = index
    }
    guard let first = arguments[0] else {
      plan.estimatedCost = 2_147_483_647
      plan.estimatedRowCount = 2_147_483_647
      return
    }
    plan.take(first, asArgument: 0, omittingTest: true)
    plan.estimatedCost = 20
    plan.estimatedRowCount = 20
    if let second = arguments[1] { plan.take(second, asArgument: 1, omittingTest: true) }
  }
}

/// Runs the pragma and keeps its rows: it may not run any more when the statement around it ends.
private final class PragmaCursor: VirtualTableCursor {
  private let definition: PragmaTable.Definition
  private unowned(unsafe) let host: any VMHost
  private var rows: RowStore?
  private var row: UnsafeRawPointer?
  private let valuesOffset: Int
  private var rowNumber: Int64 = 0

  init(_ definition: PragmaTable.Definition, _ host: any VMHost) {
    self.definition = definition
    self.host = host
    let columnCount = definition.columns.count + definition.hidden.count
    valuesOffset = StoredRow.valuesOffset(columnCount)
  }

  override func start(
    _ scan: VirtualScan, _ arguments: UnsafeMutablePointer<Register>,
    _ surroundings: ScanSurroundings
  ) throws(SQLError) -> Bool {
    let columnCount = definition.columns.count, hiddenCount = definition.hidden.count
    let values = try RegisterBlock(count: columnCount + hiddenCount)
    defer { values.deallocate() }
    var texts: [String?] = [nil, nil]
    let firstText = definition.takesArgument ? 0 : 1
    for position in 0..<min(scan.argumentCount, hiddenCount) {
      let name = try VirtualTableArgument(arguments + position, surroundings).name()
      texts[firstText + position] = name
      guard let name else { continue }
      // The argument itself is UTF-8 now, whatever the rows are in.
      values.base[columnCount + position] = try .makeText(name, encoding: surroundings.encoding)
    }
    let store = RowStore(
      columnCount: columnCount + hiddenCount,
      budget: WorkMemory(limit: host.workMemoryBudget, vfs: host.temporaryVFS))
    try host.forEachRow(
      ofPragma: definition.name, argument: texts[0], schema: texts[1]
    ) { result, count throws(SQLError) in
      for column in 0..<min(columnCount, count) {
        values.base[column].borrow(from: result[column])
      }
      try store.append(values.base)
    }
    rows = store
    row = try store.first()
    rowNumber = 1
    return row != nil
  }

  override func next() throws(SQLError) -> Bool {
    row = try rows?.next()
    rowNumber &+= 1
    return row != nil
  }

  override func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>, _ encoding: TextEncoding,
    isUnchanged: Bool
  ) throws(SQLError) {
    if column < 0 { return target.pointee.setInteger(rowNumber) }
    guard let row else { return target.pointee.setNull() }
    StoredRow.read(column, of: row, valuesOffset: valuesOffset, into: target)
  }
}
