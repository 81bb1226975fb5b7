/// carray (carray): an array that a parameter is bound to as a table of one column.
final class ArrayTable: VirtualTable {
  fileprivate enum Column { static let value = 0, pointer = 1, count = 2, type = 3 }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { ArrayCursor() }

  /// A plan's number is how many arguments there are: array; address and count; and the type.
  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var found: [Int?] = [nil, nil, nil]
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.column > 0 && constraint.operator == .equal && constraint.isUsable {
      found[constraint.column - 1] = index
    }
    guard found[0] != nil else {
      plan.estimatedCost = 2_147_483_647
      plan.estimatedRowCount = 2_147_483_647
      return
    }
    plan.estimatedCost = 1
    plan.estimatedRowCount = 100
    // The type counts behind a number of elements only.
    let used = found[1] == nil ? found.prefix(1) : found.prefix(3)
    var count: Int32 = 0
    for case let constraint? in used {
      plan.take(constraint, asArgument: Int(count), omittingTest: true)
      count += 1
    }
    plan.number = count
  }
}

private final class ArrayCursor: VirtualTableCursor {
  private var array: BoundArray?
  private var position = 0

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    position = 0
    array = nil
    switch scan.number {
    case 1: array = scan[0].pointer(type: BoundArray.pointerType) as? BoundArray
    case 2, 3:
      var type = BoundArray.ElementType.int32
      if scan.number == 3 {
        let name = try scan[2].text() ?? ""
        let known = BoundArray.ElementType.all.first { $0.name == name.lowercased() }
        guard let known else {
          throw .sql("unknown datatype: '\(name)'")
        }
        type = known
      }
      guard let object = scan[0].pointer(type: "carray") as? any AddressedObject else { return }
      // The count is C's `int`.
      let count = Int(Int32(truncatingIfNeeded: scan[1].int64))
      array = BoundArray(object.address, count: count, of: type)
    default: break
    }
  }

  override func advance() throws(SQLError) { position += 1 }

  override var isAtEnd: Bool { position >= array?.count ?? 0 }

  override func rowid() throws(SQLError) -> Int64 { Int64(position + 1) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard let array else { return }
    switch column {
    case ArrayTable.Column.value: try array.read(position, into: value)
    case ArrayTable.Column.count: value.set(array.count)
    case ArrayTable.Column.type:
      if let name = array.typeName { try value.set(text: name) }
    default: break
    }
  }
}

extension BuiltInModule {
  static let array = BuiltInModule(
    "carray", "CREATE TABLE x(value,pointer hidden,count hidden,ctype hidden)"
  ) { _ throws(SQLError) in ArrayTable() }
}
