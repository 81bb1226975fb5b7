import MartletEngine

extension FTS4Table {
  /// How a scan finds its rows: all, one by its docid, or those that match a query. The number of
  /// a query is that of the column, counted from `query`; the table itself is behind the last.
  enum Plan {
    static let all: Int32 = 0
    static let lookUp: Int32 = 1
    static let query: Int32 = 2
    static let kindMask: Int32 = 0xffff
    /// Arguments that follow.
    static let hasLanguage: Int32 = 0x10000
    static let hasLowest: Int32 = 0x20000
    static let hasHighest: Int32 = 0x40000
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    if lockCount > 0 { throw SQLError(.error) }
    plan.number = Plan.all
    plan.estimatedCost = 5_000_000
    var main: Int?, language: Int?, lowest: Int?, highest: Int?
    for (position, constraint) in plan.constraints.enumerated() {
      guard constraint.isUsable else {
        if constraint.operator == .match {
          // The query cannot be answered that way.
          plan.number = Plan.all
          plan.estimatedCost = 1e50
          plan.estimatedRowCount = 1 << 50
          return
        }
        continue
      }
      let isDocid = constraint.column < 0 || constraint.column == columnCount + 1
      if main == nil, constraint.operator == .equal, isDocid {
        plan.number = Plan.lookUp
        plan.estimatedCost = 1
        main = position
      }
      if constraint.operator == .match, (0...columnCount).contains(constraint.column) {
        plan.number = Plan.query + Int32(constraint.column)
        plan.estimatedCost = 2
        main = position
      }
      if constraint.operator == .equal, constraint.column == columnCount + 2 {
        language = position
      }
      switch constraint.operator {
      case .greater where isDocid, .greaterOrEqual where isDocid: lowest = position
      case .less where isDocid, .lessOrEqual where isDocid: highest = position
      default: break
      }
    }
    if plan.number == Plan.lookUp { plan.isUnique = true }
    var argument = 0
    if let main {
      plan.take(main, asArgument: argument, omittingTest: true)
      argument += 1
    }
    for (position, flag) in [
      (language, Plan.hasLanguage), (lowest, Plan.hasLowest), (highest, Plan.hasHighest),
    ] {
      guard let position else { continue }
      plan.number |= flag
      plan.take(position, asArgument: argument)
      argument += 1
    }
    if plan.ordering.count == 1, let term = plan.ordering.first,
      term.column < 0 || term.column == columnCount + 1
    {
      plan.text = term.isDescending ? "DESC" : "ASC"
      plan.isOrdered = true
    }
  }
}

/// A scan of an FTS3 or FTS4 table.
final class FTS4Cursor: VirtualTableCursor {
  static let pointerType = "fts3cursor"

  let table: FTS4Table
  /// Of a query; nil of other scans, and of a query without any term.
  @exclusivity(unchecked) private(set) var evaluation: MatchEvaluation? {
    didSet { evaluationReference = evaluation.map { Unmanaged.passUnretained($0) } }
  }
  /// The same, where nobody counts references to get it.
  @exclusivity(unchecked) private var evaluationReference: Unmanaged<MatchEvaluation>?
  @exclusivity(unchecked) private(set) var language: Int64 = 0
  @exclusivity(unchecked) private(set) var docid: Int64 = 0
  @exclusivity(unchecked) private var isDone = true
  /// Gives all rows, or the row of a docid.
  @exclusivity(unchecked) private var reader: Statement?
  /// The reader is the table's statement for the row of a docid.
  @exclusivity(unchecked) private var isReaderLent = false
  @exclusivity(unchecked) private var isQuery = false
  /// The reader does not stand at the current row yet.
  @exclusivity(unchecked) private var needsSeek = false
  @exclusivity(unchecked) private var isDescending = false
  /// What functions find the cursor by.
  @exclusivity(unchecked) private var pointer: AnyObject?
  @exclusivity(unchecked) private var place: FTS4CursorPlace?
  /// What `matchinfo` has found out of the whole table.
  var knownTotals: [UInt8]?
  /// Its numbers for the format that was asked for last.
  @exclusivity(unchecked) private var knownMatchInfo: MatchInfo?
  /// What `offsets` and `snippet` work with, row after row.
  @exclusivity(unchecked) var workspace = FTS4Workspace()

  init(_ table: FTS4Table) { self.table = table }

  deinit {
    place?.cursor = nil
    giveBackReader()
  }

  // MARK: Scan

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    clear()
    let kind = scan.number & FTS4Table.Plan.kindMask
    var argument = kind == FTS4Table.Plan.all ? 0 : 1
    func next(_ flag: Int32) -> ValueReference? {
      guard scan.number & flag != 0 else { return nil }
      argument += 1
      return scan.reference(argument - 1)
    }
    language = next(FTS4Table.Plan.hasLanguage).map {
      Int64(Int32(truncatingIfNeeded: $0.int64))
    } ?? 0
    let lowest = FTS4Cursor.bound(next(FTS4Table.Plan.hasLowest), .min)
    let highest = FTS4Cursor.bound(next(FTS4Table.Plan.hasHighest), .max)
    let isRange = scan.number & (FTS4Table.Plan.hasLowest | FTS4Table.Plan.hasHighest) != 0
    limits = (lowest, highest)
    isDescending =
      scan.text.map { $0.utf8.first == UInt8(ascii: "D") } ?? table.index.isDescending
    switch kind {
    case FTS4Table.Plan.all: try scanAll(isRange: isRange)
    case FTS4Table.Plan.lookUp:
      let reader = try takeRowStatement()
      if let value = scan.reference(0) { try reader.bind(value, at: 1) }
    default: try startQuery(scan[0], column: Int(kind - FTS4Table.Plan.query))
    }
    try advance()
  }

  /// Docids behind these are not given; the statement sees to it that those before are not, too.
  @exclusivity(unchecked) private var limits = (lowest: Int64.min, highest: Int64.max)

  private static func bound(_ value: ValueReference?, _ none: Int64) -> Int64 {
    guard let value, value.numericType == .integer else { return none }
    return value.int64
  }

  private func clear() {
    evaluation = nil
    giveBackReader()
    knownTotals = nil
    knownMatchInfo = nil
    isQuery = false
    needsSeek = false
    isDone = false
    docid = 0
  }

  private func giveBackReader() {
    if isReaderLent, let reader { table.giveBack(rowStatement: reader) }
    isReaderLent = false
    reader = nil
  }

  private func takeRowStatement() throws(SQLError) -> Statement {
    let statement = try make { () throws(SQLError) in try table.takeRowStatement() }
    isReaderLent = true
    return statement
  }

  private func prepare(_ sql: String) throws(SQLError) {
    _ = try make { () throws(SQLError) in try table.connection.prepare(forVirtualTable: sql) }
  }

  private func make(_ body: () throws(SQLError) -> Statement) throws(SQLError) -> Statement {
    table.lockCount += 1
    defer { table.lockCount -= 1 }
    do throws(SQLError) {
      let statement = try body()
      reader = statement
      return statement
    } catch {
      throw SQLError(error.code)
    }
  }

  private func scanAll(isRange: Bool) throws(SQLError) {
    let order = "ORDER BY rowid \(isDescending ? "DESC" : "ASC")"
    let list = table.shadow.readList
    if isRange {
      try prepare(
        "SELECT \(list) WHERE rowid BETWEEN \(limits.lowest) AND \(limits.highest) \(order)")
    } else {
      try prepare("SELECT \(list) \(order)")
    }
  }

  private func startQuery(
    _ query: VirtualTableArgument, column: Int
  ) throws(SQLError) {
    isQuery = true
    guard !query.isNull else { return }
    let root = try MatchParser.parse(
      query.bytes(), column: column < table.columnCount ? column : nil, language: language, table)
    guard let root else { return }
    evaluation = try MatchEvaluation(
      root, table, language: language, isDescending: isDescending)
  }

  override func advance() throws(SQLError) {
    if !isQuery { return try advanceReader() }
    guard let evaluation = evaluationReference else {
      isDone = true
      return
    }
    if !needsSeek { try reader?.reset() }
    needsSeek = true
    try evaluation.lend { evaluation throws(SQLError) in
      isDone = try !evaluation.advance()
      docid = evaluation.docid
    }
    if isDescending ? docid < limits.lowest : docid > limits.highest { isDone = true }
  }

  private func advanceReader() throws(SQLError) {
    guard let reader else {
      isDone = true
      return
    }
    table.lockCount += 1
    defer { table.lockCount -= 1 }
    do throws(SQLError) {
      isDone = try !reader.step()
      if isDone { try reader.reset() } else { docid = reader.columnInt64(0) }
    } catch {
      isDone = true
      throw SQLError(error.code)
    }
  }

  override var isAtEnd: Bool { isDone }

  // MARK: Row

  override func rowid() throws(SQLError) -> Int64 { docid }

  /// The row of the content, nil where there is none.
  ///
  /// - Throws: `corruptVirtualTable` where the index knows a row that is not there.
  func row() throws(SQLError) -> Statement? {
    if needsSeek {
      let reader: Statement
      if let known = self.reader {
        reader = known
      } else {
        reader = try takeRowStatement()
      }
      table.lockCount += 1
      defer { table.lockCount -= 1 }
      needsSeek = false
      var isFound = false
      do throws(SQLError) {
        try reader.bind(docid, at: 1)
        isFound = try reader.step()
        if !isFound { try reader.reset() }
      } catch {
        throw SQLError(error.code)
      }
      if !isFound && table.declaration.content == nil {
        isDone = true
        throw .searchCorrupt
      }
    }
    guard let reader, reader.hasRow else { return nil }
    return reader
  }

  /// The numbers of the current row.
  func matchInfo(
    _ evaluation: MatchEvaluation, _ format: UnsafeRawBufferPointer
  ) throws(SQLError) -> MatchInfo {
    let info: MatchInfo
    if let knownMatchInfo, knownMatchInfo.isOf(format) {
      info = knownMatchInfo
    } else {
      info = try MatchInfo(self, evaluation, format)
      knownMatchInfo = info
    }
    try info.fill()
    return info
  }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    var position = column
    switch column - table.columnCount {
    case 0:
      let place = place ?? FTS4CursorPlace(self)
      self.place = place
      // What was read before stands for the cursor as well.
      if let pointer { return value.place.set(kept: pointer) }
      pointer = value.place.set(pointer: place, type: FTS4Cursor.pointerType)
      return
    case 1: return value.set(docid)
    case 2:
      if evaluation != nil { return value.set(language) }
      if table.declaration.languageColumn == nil { return value.set(0) }
      position = table.columnCount
    default: break
    }
    guard let found = try row()?.currentRow.value(position + 1) else { return }
    try value.place.set(found)
  }
}

/// Memory that is used again.
struct FTS4Workspace {
  /// Tokens that are looked for: the position above, the number in the query below.
  var wanted: [Int64] = []
  /// Text that is put together.
  var text: [UInt8] = []
}

/// What functions are given: it must not keep the cursor alive. The cursor says when it ends; a
/// weak reference would make every other to it slow.
final class FTS4CursorPlace {
  unowned(unsafe) fileprivate(set) var cursor: FTS4Cursor?

  init(_ cursor: FTS4Cursor) { self.cursor = cursor }
}
