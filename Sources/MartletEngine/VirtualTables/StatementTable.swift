/// sqlite_stmt (stmt): the statements of the connection.
final class StatementTable: VirtualTable {
  private unowned(unsafe) let host: any VMHost

  init(_ host: any VMHost) { self.host = host }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { StatementCursor(host) }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.estimatedCost = 500
    plan.estimatedRowCount = 500
  }
}

/// The statements as they are when the scan begins.
private final class StatementCursor: VirtualTableCursor {
  private unowned(unsafe) let host: any VMHost
  private var rows: [StatementFacts] = []
  private var position = 0

  init(_ host: any VMHost) { self.host = host }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    rows = host.statementFacts()
    position = 0
  }

  override func advance() throws(SQLError) { position += 1 }

  override var isAtEnd: Bool { position >= rows.count }

  override func rowid() throws(SQLError) -> Int64 { Int64(position + 1) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    let row = rows[position]
    switch column {
    case 0: try value.set(text: row.sql)
    case 1: value.set(row.columnCount)
    case 2: value.set(row.isReadOnly ? 1 : 0)
    case 3: value.set(row.isBusy ? 1 : 0)
    case 4: value.set(row.scanStepCount)
    case 5: value.set(row.sortCount)
    case 6: value.set(row.automaticIndexRowCount)
    case 7: value.set(row.stepCount)
    case 8: value.set(row.reprepareCount)
    case 9: value.set(row.runCount)
    case 10: value.set(row.byteCount)
    default: value.set(0)
    }
  }
}

extension BuiltInModule {
  static let statements = BuiltInModule(
    "sqlite_stmt",
    "CREATE TABLE x(sql,ncol,ro,busy,nscan,nsort,naidx,nstep,reprep,run,mem)"
  ) { request throws(SQLError) in StatementTable(try request.host()) }
}
