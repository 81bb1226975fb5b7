// sqlite_dbpage (dbpage): the pages of a database as they are, to be read and written.

/// The table, whose rows are pages.
final class DatabasePages: VirtualTable {
  /// The bits of a plan's number: which arguments there are, the schema before the page.
  struct Plan: OptionSet {
    let rawValue: Int32
    static let page = Plan(rawValue: 1)
    static let schema = Plan(rawValue: 2)
  }

  private enum Column { static let page = 0, content = 1, schema = 2 }

  private unowned(unsafe) let host: any VMHost
  /// Where the commit cuts a database, if nothing is written before it.
  private var cut: (database: Int, pageCount: UInt32)?

  init(_ host: any VMHost) { self.host = host }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { DatabasePageCursor(host) }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var number: Plan = []
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.column == Column.schema && constraint.operator == .equal {
      if !constraint.isUsable { throw SQLError(.constraint) }
      plan.take(index, asArgument: 0, omittingTest: true)
      number.insert(.schema)
      break
    }
    plan.estimatedCost = 1e6
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.column <= Column.page && constraint.operator == .equal && constraint.isUsable {
      plan.estimatedRowCount = 1
      plan.isUnique = true
      plan.estimatedCost = 1
      plan.take(index, asArgument: number.isEmpty ? 0 : 1, omittingTest: true)
      number.insert(.page)
      break
    }
    plan.number = number.rawValue
    if let first = plan.ordering.first, first.column <= Column.page, !first.isDescending {
      plan.isOrdered = true
    }
  }

  // MARK: Writing

  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    do throws(SQLError) {
      return try write(change)
    } catch {
      cut = nil
      throw error
    }
  }

  private func write(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    if host.isDefensive { throw .sql("read-only") }
    if change.kind == .delete { throw .sql("cannot delete") }
    let isNew = change.kind == .insert
    let wanted = isNew ? change[Column.page].int64 : change.oldRowid.int64
    var page = UInt32(truncatingIfNeeded: wanted)
    if !isNew && UInt32(truncatingIfNeeded: change.newRowid.int64) != page {
      throw .sql("cannot insert")
    }
    var database = 0
    if let schema = try change[Column.schema].text() {
      guard let found = host.databaseIndex(named: schema) else { throw .sql("no such schema") }
      database = found
    }
    guard page >= 1, let tree = host.openDatabases.base[database].tree?.takeUnretainedValue() else {
      throw .sql("bad page number")
    }
    let content = change[Column.content]
    if content.isNull && isNew && page > 1 {
      cut = (database, page - 1)
      page = 1
    } else if try !isPage(content, tree.pager) {
      throw .sql("bad page value")
    }
    guard tree.pager.isWriting else { throw .sql("failed to open transaction") }
    try tree.saveAllCursors()
    try write(content.isNull ? nil : try content.bytes(), PageNumber(page), tree.pager)
    return 0
  }

  private func isPage(
    _ content: VirtualTableArgument, _ pager: Pager
  ) throws(SQLError) -> Bool {
    guard content.type == .blob else { return false }
    return try content.bytes().count == pager.pageSize
  }

  private func write(
    _ content: UnsafeRawBufferPointer?, _ number: PageNumber, _ pager: Pager
  ) throws(SQLError) {
    if pager.pageCount < number.rawValue { pager.unpin(try pager.appendPage(at: number)) }
    let page = try pager.page(number)
    defer { pager.unpin(page) }
    try pager.makeWritable(page)
    guard let content, let start = content.baseAddress else { return }
    Memory.copy(from: start, to: page.pointee.data, content.count)
    page.pointee.tree.isChecked = false
    cut = nil
    if number.rawValue == 1 { try pager.updateHeader() }
  }

  // MARK: Transactions

  func sync() throws(SQLError) {
    defer { cut = nil }
    guard let cut, let tree = host.openDatabases.base[cut.database].tree?.takeUnretainedValue(),
      cut.pageCount < tree.pager.pageCount
    else { return }
    tree.pager.truncateImage(to: cut.pageCount)
  }

  func rollback() { cut = nil }

  func rollback(to number: Int) throws(SQLError) { cut = nil }
}

extension BuiltInModule {
  static let databasePages = BuiltInModule(
    "sqlite_dbpage",
    "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)",
    abilities: [.eponymous, .writing, .transactions, .savepoints],
    settings: [.directOnly, .usesAllSchemas]
  ) { request throws(SQLError) in DatabasePages(try request.host()) }
}

private final class DatabasePageCursor: VirtualTableCursor {
  private unowned(unsafe) let host: any VMHost
  private var database = 0
  private var tree: BTree?
  private var page: UInt32 = 1
  private var lastPage: UInt32 = 0

  init(_ host: any VMHost) { self.host = host }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    let plan = DatabasePages.Plan(rawValue: scan.number)
    page = 1
    lastPage = 0
    database = 0
    if plan.contains(.schema) {
      guard let schema = try scan[0].text(), let found = host.databaseIndex(named: schema) else {
        return
      }
      database = found
    }
    tree = host.openDatabases.base[database].tree?.takeUnretainedValue()
    guard let tree else { return }
    lastPage = tree.pager.pageCount
    if plan.contains(.page) {
      let wanted = scan[plan.contains(.schema) ? 1 : 0].int64
      if wanted >= 1 && wanted <= Int64(lastPage) {
        page = UInt32(wanted)
        lastPage = page
      } else {
        lastPage = 0
      }
    }
  }

  override func advance() throws(SQLError) { page += 1 }

  override var isAtEnd: Bool { page > lastPage }

  override func rowid() throws(SQLError) -> Int64 { Int64(page) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    switch column {
    case 0: value.set(Int64(page))
    case 1:
      guard let pager = tree?.pager else { return }
      if PageNumber(page) == pager.lockBytePage {
        return try value.set(zeroBlobCount: pager.pageSize)
      }
      let content = try pager.page(PageNumber(page))
      defer { pager.unpin(content) }
      try value.set(
        blob: UnsafeRawBufferPointer(start: content.pointee.data, count: pager.pageSize))
    default: try value.set(text: host.databaseName(at: database))
    }
  }
}
