@testable import MartletEngine

/// The module of `Conformance/fixtures/virtual-changes.txt`.
final class ChangeRecordModule: VirtualTableModule {
  let log = LogModule.Log()
  let abilities: VirtualTableAbilities = [.writing, .transactions, .savepoints, .renaming]

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    log.add("create")
    return try connect(request)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    log.add("connect")
    request.configure(.constraintSupport)
    try request.declare(
      request.arguments.isEmpty
        ? "create table x(a,b)" : "create table x(a primary key,b) without rowid")
    return ChangeRecordTable(log)
  }
}

private final class ChangeRecordTable: VirtualTable {
  private let log: LogModule.Log

  init(_ log: LogModule.Log) { self.log = log }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.estimatedCost = 1_000
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.isUsable && constraint.operator == .equal && constraint.column == -1 {
      plan.take(index, asArgument: 0, omittingTest: true)
      plan.isUnique = true
      plan.number = 1
      plan.estimatedCost = 1
      return
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { ChangeRecordCursor(log) }

  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    var text = "update \(change.conflictPolicy.rawValue):"
    func add(_ value: VirtualTableArgument) throws(SQLError) {
      text += " \(try value.text() ?? "NULL")\(value.isUnchanged ? "=" : "")"
    }
    try add(change.oldRowid)
    if change.kind != .delete { try add(change.newRowid) }
    for column in 0..<change.columnCount { try add(change[column]) }
    log.add(text)
    if change.columnCount > 0, change[0].int64 == 99 { throw SQLError(.constraint) }
    return 77
  }

  func destroy() throws(SQLError) { log.add("destroy") }
  func begin() throws(SQLError) { log.add("Begin") }
  func sync() throws(SQLError) { log.add("Sync") }
  func commit() { log.add("Commit") }
  func rollback() { log.add("Rollback") }
  func openSavepoint(_ number: Int) throws(SQLError) { log.add("Savepoint \(number)") }
  func release(_ number: Int) throws(SQLError) { log.add("Release \(number)") }
  func rollback(to number: Int) throws(SQLError) { log.add("RollbackTo \(number)") }
  func rename(to name: String) throws(SQLError) { log.add("rename \(name)") }
}

private final class ChangeRecordCursor: VirtualTableCursor {
  private let log: LogModule.Log
  private var row: Int64 = 0

  init(_ log: LogModule.Log) {
    self.log = log
    super.init()
    log.add("open")
  }

  deinit { log.add("close") }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    row = scan.number == 0 ? 1 : scan[0].int64
    log.add("filter \(scan.number)")
  }

  override func advance() throws(SQLError) { row += 1 }
  override var isAtEnd: Bool { row > 3 }
  override func rowid() throws(SQLError) -> Int64 { row }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    log.add("column \(column)\(value.isUnchanged ? " nochange" : "")")
    if !value.isUnchanged { value.set(row * 10 + Int64(column)) }
  }
}
