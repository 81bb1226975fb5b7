/// dbstat (dbstat): how the pages of a database are used, a row a page, or a row a tree.
final class DatabaseStatistics: VirtualTable {
  /// The bits of a plan's number: the arguments that there are, in their order, and whether trees
  /// come in the order of their names.
  struct Plan: OptionSet {
    let rawValue: Int32
    static let schema = Plan(rawValue: 1)
    static let name = Plan(rawValue: 2)
    static let aggregate = Plan(rawValue: 4)
    static let ordered = Plan(rawValue: 8)
  }

  private enum Column { static let name = 0, path = 1, schema = 10, aggregate = 11 }

  private unowned(unsafe) let host: any VMHost
  /// The database that is shown where the query says nothing.
  private let database: Int

  init(_ host: any VMHost, database: Int) {
    self.host = host
    self.database = database
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    DatabaseStatisticsCursor(host, database)
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var schema: Int?, name: Int?, aggregate: Int?
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.operator == .equal {
      // In a join, it comes last.
      if !constraint.isUsable { throw SQLError(.constraint) }
      switch constraint.column {
      case Column.name: name = index
      case Column.schema: schema = index
      case Column.aggregate: aggregate = index
      default: break
      }
    }
    var number: Plan = [], position = 0
    for (constraint, bit) in [(schema, Plan.schema), (name, .name), (aggregate, .aggregate)] {
      guard let constraint else { continue }
      plan.take(constraint, asArgument: position, omittingTest: bit == .schema)
      number.insert(bit)
      position += 1
    }
    plan.estimatedCost = 1
    let wanted = plan.ordering.map(\.column)
    if wanted == [Column.name] || wanted == [Column.name, Column.path],
      plan.ordering.allSatisfy({ !$0.isDescending })
    {
      plan.isOrdered = true
      number.insert(.ordered)
    }
    plan.number = number.rawValue
    plan.showsNumberInHex = true
  }
}

extension BuiltInModule {
  static let databaseStatistics = BuiltInModule(
    "dbstat",
    """
    CREATE TABLE x( name TEXT, path TEXT, pageno INTEGER, pagetype TEXT, ncell INTEGER, \
    payload INTEGER, unused INTEGER, mx_payload INTEGER, pgoffset INTEGER, pgsize INTEGER, \
    schema TEXT HIDDEN, aggregate BOOLEAN HIDDEN)
    """,
    abilities: .eponymous, settings: [.directOnly, .usesAllSchemas]
  ) { request throws(SQLError) in
    let host = try request.host()
    guard let name = request.arguments.first else {
      return DatabaseStatistics(host, database: 0)
    }
    guard let database = host.databaseIndex(named: Quoting.unquoted(name)) else {
      throw .sql("no such database: \(name)")
    }
    return DatabaseStatistics(host, database: database)
  }
}

private final class DatabaseStatisticsCursor: VirtualTableCursor {
  private unowned(unsafe) let host: any VMHost
  private let defaultDatabase: Int
  private var database = 0
  private var isAggregate = false
  private var trees: [(name: String, root: PageNumber)] = []
  private var treeIndex = -1
  /// The pages from the root to the current one.
  private var pages: [WalkedPage] = []
  private var isDone = true

  private struct Row {
    var name = ""
    var path = ""
    var page = PageNumber(0)
    var kind = ""
    var pageCount = 0
    var cellCount = 0
    var payloadByteCount = 0
    var unusedByteCount = 0
    var largestPayload = 0
    var offset = 0
    var byteCount = 0
  }
  private var row = Row()

  /// Deeper trees are damaged.
  private static let maximumDepth = 32

  init(_ host: any VMHost, _ defaultDatabase: Int) {
    self.host = host
    self.defaultDatabase = defaultDatabase
  }

  // MARK: Scan

  override var isAtEnd: Bool { isDone }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    let plan = DatabaseStatistics.Plan(rawValue: scan.number)
    var position = 0
    database = defaultDatabase
    trees = []
    treeIndex = -1
    pages = []
    isDone = false
    if plan.contains(.schema) {
      let schema = try scan[position].text()
      position += 1
      guard let found = schema.flatMap({ host.databaseIndex(named: $0) }) else {
        isDone = true
        return
      }
      database = found
    }
    var wanted: ExactText??
    if plan.contains(.name) {
      wanted = .some(try scan[position].text().map { ExactText($0) })
      position += 1
    }
    isAggregate = plan.contains(.aggregate) && scan[position].double != 0
    trees = try host.treeRoots(ofDatabase: database)
    if let wanted { trees.removeAll { ExactText($0.name) != wanted } }
    if plan.contains(.ordered) {
      trees.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    try advance()
  }

  private func pager() throws(SQLError) -> Pager { try host.tree(ofDatabase: database).pager }

  override func advance() throws(SQLError) {
    if isAggregate || pages.isEmpty { row = Row() }
    while true {
      if pages.isEmpty {
        guard try beginTree() else { return }
      } else {
        let size = row
        if !isAggregate {
          row = Row()
          row.name = size.name
          row.page = size.page
        }
        if try nextOverflowPage() { return }
        if try !nextPage() {
          pages.removeLast()
          if isAggregate && pages.isEmpty { return }
          continue
        }
      }
      try takePage()
      if !isAggregate { return }
    }
  }

  private func beginTree() throws(SQLError) -> Bool {
    treeIndex += 1
    let pager = try pager()
    guard treeIndex < trees.count, pager.pageCount > 0 else {
      isDone = true
      return false
    }
    row = Row()
    row.name = trees[treeIndex].name
    row.pageCount = 1
    pages.append(try WalkedPage(trees[treeIndex].root, path: "/", pager))
    return true
  }

  /// Goes to the next overflow page of the current page's cells. In the sum over a tree, all of
  /// them are counted at once.
  private func nextOverflowPage() throws(SQLError) -> Bool {
    let usableSize = try pager().usableSize
    let last = pages.count - 1
    while pages[last].cellIndex < pages[last].cells.count {
      let cellIndex = pages[last].cellIndex
      let cell = pages[last].cells[cellIndex]
      while pages[last].overflowIndex < cell.overflow.count {
        let index = pages[last].overflowIndex
        pages[last].overflowIndex += 1
        row.pageCount += 1
        // The offset is that of the page before, as in SQLite.
        try countPage()
        if index < cell.overflow.count - 1 {
          row.payloadByteCount += usableSize - 4
        } else {
          row.payloadByteCount += cell.lastOverflowSize
          row.unusedByteCount += usableSize - 4 - cell.lastOverflowSize
        }
        guard !isAggregate else { continue }
        row.page = cell.overflow[index]
        row.kind = "overflow"
        row.path =
          pages[last].path + DatabaseStatisticsCursor.hex(cellIndex, 3) + "+"
          + DatabaseStatisticsCursor.hex(index, 6)
        return true
      }
      if pages[last].rightChild.rawValue != 0 { break }
      pages[last].cellIndex += 1
      pages[last].overflowIndex = 0
    }
    return false
  }

  /// Goes down to the next child. False if the page has no more.
  private func nextPage() throws(SQLError) -> Bool {
    let last = pages.count - 1, page = pages[last]
    guard page.rightChild.rawValue != 0, page.cellIndex <= page.cells.count else { return false }
    guard pages.count < DatabaseStatisticsCursor.maximumDepth else { throw .corrupt("deep tree") }
    let isRight = page.cellIndex == page.cells.count
    let child = isRight ? page.rightChild : page.cells[page.cellIndex].child
    let path = page.path + DatabaseStatisticsCursor.hex(page.cellIndex, 3) + "/"
    pages[last].cellIndex += 1
    pages[last].overflowIndex = 0
    row.pageCount += 1
    pages.append(try WalkedPage(child, path: path, try pager()))
    return true
  }

  private func takePage() throws(SQLError) {
    guard let page = pages.last else { return }
    row.page = page.number
    row.path = page.path
    row.kind = page.kind.rawValue
    row.cellCount += page.cells.count
    row.payloadByteCount += page.payloadByteCount
    row.unusedByteCount += page.unusedByteCount
    row.largestPayload = max(row.largestPayload, page.largestPayload)
    try countPage()
  }

  private func countPage() throws(SQLError) {
    let pageSize = try pager().pageSize
    row.byteCount += pageSize
    row.offset = pageSize * (Int(row.page.rawValue) - 1)
  }

  private static func hex(_ number: Int, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  // MARK: Columns

  override func rowid() throws(SQLError) -> Int64 { Int64(row.page.rawValue) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    switch column {
    case 0: try value.set(text: row.name)
    case 1: if !isAggregate { try value.set(text: row.path) }
    case 2: value.set(isAggregate ? row.pageCount : Int(row.page.rawValue))
    case 3: if !isAggregate { try value.set(text: row.kind) }
    case 4: value.set(row.cellCount)
    case 5: value.set(row.payloadByteCount)
    case 6: value.set(row.unusedByteCount)
    case 7: value.set(row.largestPayload)
    case 8: if !isAggregate { value.set(row.offset) }
    case 9: value.set(row.byteCount)
    case 10: try value.set(text: host.databaseName(at: database))
    default: value.set(isAggregate ? 1 : 0)
    }
  }
}
