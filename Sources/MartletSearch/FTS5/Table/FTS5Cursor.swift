import MartletEngine

/// A scan of an FTS5 table. Auxiliary functions ask it for what is known of the match at which it
/// is (fts5 §7.2, `Fts5ExtensionApi`).
public final class FTS5Cursor: VirtualTableCursor {
  enum Plan { case none, match, sorted, scan, special }

  let table: FTS5Table
  /// What the hidden column of the table has.
  private(set) var number: Int64 = 0
  @exclusivity(unchecked) private(set) var plan = Plan.none
  @exclusivity(unchecked) private(set) var expression: QueryExpression? {
    didSet { query = expression.map { Unmanaged.passUnretained($0) } }
  }
  /// The same, where nobody counts references to get it.
  @exclusivity(unchecked) private var query: Unmanaged<QueryExpression>?
  /// The index has changed: the scan finds its place anew.
  @exclusivity(unchecked) var needsSeek = false
  @exclusivity(unchecked) private var isDone = true
  @exclusivity(unchecked) private var lowest = Int64.min
  @exclusivity(unchecked) private var highest = Int64.max
  /// Of a scan without MATCH, or the row of a match once it was asked for.
  @exclusivity(unchecked) private var content: Statement?
  /// Which of the table's statements it is.
  @exclusivity(unchecked) private var contentUse = FTS5Storage.Use.lookUp
  @exclusivity(unchecked) private var isContentKnown = false
  @exclusivity(unchecked) private(set) var sorted: SortedMatches?
  @exclusivity(unchecked) private var isFalling = false
  /// Where a scan from the last rowid to the first goes on.
  @exclusivity(unchecked) private var stretches: FallingStretches?
  @exclusivity(unchecked) private var rank: RankCall?
  /// What is asked of the rank function in this scan.
  @exclusivity(unchecked) private var rankChoice: RankFunction?
  @exclusivity(unchecked) var row = MatchedRow()
  /// What `bm25` keeps for the scan.
  @exclusivity(unchecked) var weights: BM25Weights?
  /// What other auxiliary functions keep for it.
  @exclusivity(unchecked) var kept: [ObjectIdentifier: AnyObject] = [:]
  let text = ValueBytes()
  /// Where texts of columns are made UTF-8, as long as nobody else works with one.
  @exclusivity(unchecked) var idleText: ValueBytes?

  init(_ table: FTS5Table) {
    self.table = table
    super.init()
    number = table.shared.add(self)
  }

  deinit {
    table.shared.removeCursor(number)
    // What has failed was told when it did.
    do throws(SQLError) { try releaseContent() } catch {}
  }

  var configuration: FTS5Configuration { table.configuration }

  var isScanning: Bool { plan != .none }

  // MARK: Scan

  public override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    try clear()
    var query = ScanQuery(self)
    try query.read(scan)
    lowest = query.lowest
    highest = query.highest
    rankChoice = nil
    isDone = true
    if let special = query.special {
      plan = .special
      row.special = special
      isDone = false
      return
    }
    guard let tree = query.tree else { return try beginContentScan(scan, query) }
    rankChoice = try query.rank(scan)
    let expression = QueryExpression(tree, query.phrases, table.index)
    if scan.number & FTS5Planner.orderedByRank != 0 {
      return try beginRanked(expression, scan.number)
    }
    if scan.number & FTS5Planner.isDescending != 0 { return try beginFalling(expression) }
    try begin(expression)
  }

  /// Begins a scan of all rows that a query gives.
  func begin(_ query: QueryExpression) throws(SQLError) {
    expression = query
    plan = .match
    try query.first(from: lowest)
    settle()
  }

  private func clear() throws(SQLError) {
    plan = .none
    isFalling = false
    expression = nil
    sorted = nil
    stretches = nil
    rank = nil
    weights = nil
    if !kept.isEmpty { kept.removeAll() }
    needsSeek = false
    row.clear()
    isContentKnown = false
    try releaseContent()
  }

  private func releaseContent() throws(SQLError) {
    guard let content else { return }
    self.content = nil
    try table.storage.giveBack(content, contentUse)
  }

  private func settle() {
    row.clear()
    isContentKnown = false
    guard let query else { return }
    isDone = query._withUnsafeGuaranteedRef { $0.isAtEnd || $0.rowid > highest }
  }

  private func beginContentScan(
    _ scan: borrowing VirtualTableArguments, _ query: ScanQuery
  ) throws(SQLError) {
    guard configuration.hasContentTable else {
      throw SQLError(.error, "\(configuration.table): table does not support scanning")
    }
    // Settings are those of the structure. Without it there is no table.
    _ = try table.index.structure()
    plan = .scan
    let isDown = scan.number & FTS5Planner.isDescending != 0
    let use: FTS5Storage.Use = query.rowidArgument != nil ? .lookUp : isDown ? .scanDown : .scan
    let statement = try table.storage.take(use)
    content = statement
    contentUse = use
    if let argument = query.rowidArgument, let value = scan.reference(argument) {
      try statement.bind(value, at: 1)
    } else {
      try statement.bind(isDown ? highest : lowest, at: 1)
      try statement.bind(isDown ? lowest : highest, at: 2)
    }
    isContentKnown = true
    try stepContent()
  }

  private func stepContent() throws(SQLError) {
    row.clear()
    configuration.isLocked = true
    defer { configuration.isLocked = false }
    isDone = try content.map { statement throws(SQLError) in try !statement.step() } ?? true
  }

  /// Finds all matches first, and gives them in the order of their ranks.
  private func beginRanked(_ query: QueryExpression, _ flags: Int32) throws(SQLError) {
    let call = try rankCall()
    let matches = makeMatches(query)
    try begin(query)
    while !isDone {
      try matches.add(query, try rank(by: call))
      try query.next()
      settle()
    }
    try matches.finish(isRanked: true, isDescending: flags & FTS5Planner.isDescending != 0)
    row.clear()
    isContentKnown = false
    sorted = matches
    plan = .sorted
    isDone = matches.isAtEnd
  }

  private func makeMatches(_ query: QueryExpression) -> SortedMatches {
    SortedMatches(phraseCount: query.phrases.count, hasPositions: configuration.detail != .none)
  }

  /// Gives the matches from the last rowid to the first.
  private func beginFalling(_ query: QueryExpression) throws(SQLError) {
    expression = query
    plan = .sorted
    isFalling = true
    let known = query.isReadInOrder ? table.storage.rowidRange() : nil
    if let known, FallingStretches.isSmall(known) {
      // Few matches are found at once.
      sorted = try matches(of: query, lowest, highest, atMost: FallingStretches.fewMatches)
    }
    if sorted == nil {
      stretches = FallingStretches(lowest: lowest, highest: highest, known: known)
      try findFalling()
    }
    isDone = sorted?.isAtEnd ?? true
  }

  /// Finds the matches of the next stretch that has any.
  private func findFalling() throws(SQLError) {
    guard let query = expression else { return }
    while let stretch = stretches?.next(isLastEmpty: sorted?.isEmpty ?? false) {
      sorted = try matches(of: query, stretch.lowerBound, stretch.upperBound)
      if sorted?.isEmpty == false { return }
    }
  }

  /// The matches between two rowids, the last ones first; nil where there are more than so many.
  private func matches(
    of query: QueryExpression, _ first: Int64, _ last: Int64, atMost limit: Int = .max
  ) throws(SQLError) -> SortedMatches? {
    let matches = makeMatches(query)
    try query.first(from: first)
    while !query.isAtEnd && query.rowid <= last {
      if matches.count == limit { return nil }
      try matches.add(query, nil)
      try query.next()
    }
    try matches.finish(isRanked: false, isDescending: true)
    return matches
  }

  /// Where ranks are sorted, of what fails only the code is told.
  private func rank(by call: RankCall) throws(SQLError) -> ValueReference {
    do throws(SQLError) { return try call.key(self) } catch { throw SQLError(error.code) }
  }

  public override func advance() throws(SQLError) {
    switch plan {
    case .match: try advanceMatch()
    case .sorted: try advanceSorted()
    case .scan: try stepContent()
    case .none, .special: isDone = true
    }
  }

  private func advanceSorted() throws(SQLError) {
    row.clear()
    isContentKnown = false
    if needsSeek, isFalling, let query = expression {
      // The rows below may be others now.
      needsSeek = false
      let last = sorted?.rowid ?? lowest
      guard last > lowest else { return isDone = true }
      highest = last - 1
      sorted = nil
      return try beginFalling(query)
    }
    sorted?.advance()
    if sorted?.isAtEnd ?? true { try findFalling() }
    isDone = sorted?.isAtEnd ?? true
  }

  private func advanceMatch() throws(SQLError) {
    guard let query else { return isDone = true }
    let needsSeek = needsSeek
    self.needsSeek = false
    try query.lend { query throws(SQLError) in
      guard needsSeek else { return try query.next() }
      let last = query.rowid
      try query.first(from: last)
      if !query.isAtEnd && query.rowid == last { try query.next() }
    }
    settle()
  }

  public override var isAtEnd: Bool { isDone }

  /// The rowid of the row (`xRowid`).
  public override func rowid() throws(SQLError) -> Int64 {
    switch plan {
    case .match: query?._withUnsafeGuaranteedRef { $0.rowid } ?? 0
    case .sorted: sorted?.rowid ?? 0
    case .scan: content?.columnInt64(0) ?? 0
    case .none, .special: 0
    }
  }

  // MARK: Columns

  public override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if plan == .special {
      if column == configuration.tableColumn { value.set(row.special) }
      return
    }
    if column == configuration.tableColumn { return value.set(number) }
    if column == configuration.rankColumn { return try readRank(value.place) }
    guard configuration.contentKind != .none, !value.isUnchanged else { return }
    let row = try contentRow()
    guard let found = row.currentRow.value(column + 1) else { return }
    if configuration.hasLocales, configuration.contentKind == .external,
      let (_, text) = try LocaleValue.parts(found)
    {
      return try value.set(text: text)
    }
    try value.place.set(found)
  }

  private func readRank(_ place: ResultPlace) throws(SQLError) {
    guard plan == .match || plan == .sorted else { return }
    if plan == .sorted, configuration.detail == .full, let known = sorted?.number {
      return place.set(known)
    }
    let call = try rankCall()
    try call.function.call(self, call.arguments, place)
  }

  private func rankCall() throws(SQLError) -> RankCall {
    if let rank { return rank }
    let made = try RankCall(table, rankChoice)
    rank = made
    return made
  }

  /// The statement that stands at the content of the row.
  ///
  /// - Throws: `corruptVirtualTable` where the content does not have it.
  func contentRow() throws(SQLError) -> Statement {
    if isContentKnown, let content { return content }
    let statement = if let content { content } else { try takeLookUp() }
    try statement.reset()
    let rowid = try rowid()
    try statement.bind(rowid, at: 1)
    configuration.isLocked = true
    defer { configuration.isLocked = false }
    guard try statement.step() else {
      throw SQLError(
        .corruptVirtualTable,
        "fts5: missing row \(rowid) from content table \(configuration.contentName)")
    }
    isContentKnown = true
    return statement
  }

  private func takeLookUp() throws(SQLError) -> Statement {
    let statement = try table.storage.take(.lookUp)
    content = statement
    contentUse = .lookUp
    return statement
  }
}
