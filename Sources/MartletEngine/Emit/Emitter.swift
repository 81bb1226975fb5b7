/// Turns a bound statement into a program.
///
/// One emitter makes one program. What it knows of a row source while the source's loop runs is in
/// `sources`; where the results of aggregates are, in `aggregates`. Exclusivity is not checked at
/// run time: an emitter is used by one prepare, and the checks would cost a tenth of it.
final class Emitter {
  let builder: ProgramBuilder
  let catalog: Catalog
  /// Those of the application.
  let collations: [Collation]
  let explain: ExplainMode
  /// Loops are counted while the program runs (`ScanMark`). EXPLAIN has the marks, too, so that the
  /// numbers of its nodes are those of the statement.
  let measuresScans: Bool
  /// The innermost loop around what is emitted that is measured, or -1.
  @exclusivity(unchecked) var currentScan: Int32 = -1
  /// The statement's trees.
  @exclusivity(unchecked) var trees: TreeStore?
  /// How the columns of each source are read, by `SourceID`.
  @exclusivity(unchecked) var sources: [SourceAccess] = []
  /// First register of the results of a SELECT's aggregates, while they are final.
  @exclusivity(unchecked) var aggregates: [Int: RegisterIndex] = [:]
  /// First register of the results of a SELECT's window functions.
  @exclusivity(unchecked) var windows: [Int: RegisterIndex] = [:]
  /// Expressions that are columns of an index whose cursor is open.
  @exclusivity(unchecked) var indexedExpressions:
    [(source: SourceID, expression: BoundExpression, cursor: CursorID, column: Int32)] = []
  /// How many virtual columns are being computed for each other.
  @exclusivity(unchecked) var virtualColumnDepth = 0
  /// Virtual columns that an index has whose cursor is open.
  @exclusivity(unchecked) var indexedColumns:
    [(source: SourceID, column: Int32, cursor: CursorID, position: Int32)] = []
  /// Terms of GROUP BY whose values are in registers while a group is put out.
  @exclusivity(unchecked) var groupKeys: [(expression: BoundExpression, register: RegisterIndex)] =
    []
  /// Subqueries of IN whose lines are there already.
  @exclusivity(unchecked) var shownSubqueries: [BoundInSelect] = []
  /// The same of subqueries that are values.
  @exclusivity(unchecked) var shownScalars: [BoundSelect] = []
  /// What is emitted does not show in the query plan.
  @exclusivity(unchecked) var hidesPlan = false
  /// SELECTs that were copied have numbers above those of the text.
  @exclusivity(unchecked) var copiedSelectCount: Int32 = 0
  /// Number of the statement's own SELECT, which is the highest of the text.
  @exclusivity(unchecked) var selectCount: Int32 = 0
  /// However many loops a SELECT has, it is not taken to give more rows (LogEst).
  static let mostRows: LogEst = 320
  /// Rows that the SELECT that was emitted last is taken to give (LogEst).
  @exclusivity(unchecked) var rowEstimate: LogEst = 0
  /// The same for the SELECTs inside the statement's own, by number.
  @exclusivity(unchecked) var rowEstimates: [Int: LogEst] = [:]
  /// Number of the statement's own SELECT.
  @exclusivity(unchecked) var statementID = -1
  /// The first source of the statement's own SELECT (SQLite's cursor 0).
  @exclusivity(unchecked) var firstSource: SourceID?
  /// Rows of the loops around what is being emitted (LogEst).
  @exclusivity(unchecked) var outerRowCount: LogEst = 0
  /// EXPLAIN QUERY PLAN's node under which new nodes go.
  @exclusivity(unchecked) var explainParent: Int32 = 0
  /// Constants that the set-up code computes once.
  @exclusivity(unchecked) var factored: [(expression: BoundExpression, register: RegisterIndex)] =
    []
  /// Off where an expression may not be computed before it is reached.
  @exclusivity(unchecked) var mayFactor = true
  /// Instructions of the set-up code that open cursors.
  @exclusivity(unchecked) var openings: [Instruction] = []
  /// Registers of the row-valued subqueries whose columns are known here: those of an assignment,
  /// and correlated ones of the comparison that is being emitted.
  @exclusivity(unchecked) var rowSubqueries: [Int: RegisterIndex] = [:]
  /// Those of comparisons, in the order in which they were met.
  @exclusivity(unchecked) var comparedRows: [Int] = []
  /// What is emitted asks for the columns of a row side by side.
  @exclusivity(unchecked) var isInRowComparison = false
  /// Subqueries that need nothing from around them, each of which runs once.
  @exclusivity(unchecked) var keptSubqueries: [KeptSubquery] = []
  /// The same of sets for IN.
  @exclusivity(unchecked) var keptSets: [KeptSet] = []
  /// The co-routines that give the rows of subqueries in FROM.
  /// The registers of the current row of each recursive common table.
  @exclusivity(unchecked) var recursions: [Int: RegisterIndex] = [:]
  @exclusivity(unchecked) var coroutines: [SourceID: (register: RegisterIndex, entry: Label)] = [:]
  /// Subroutines that fill the row stores of sources.
  @exclusivity(unchecked) var fills: [SourceID: (returnAddress: RegisterIndex, entry: Label)] = [:]
  /// Common tables whose rows are made, by what they are (`CommonTableUse`): for which source, and
  /// where they are.
  @exclusivity(unchecked) var commonTables: [ObjectIdentifier: (BoundSource, rows: CursorID)] = [:]
  /// The order for the part of a compound SELECT that is emitted next, which takes it.
  @exclusivity(unchecked) var partOrder: PartOrder?
  /// There is a preupdate hook: it is told about every row.
  @exclusivity(unchecked) var announcesChanges = false
  /// The update hook is to be told of every row that goes: tables are not emptied as a whole.
  @exclusivity(unchecked) var deletesRowByRow = false
  /// A row says how many rows were changed (pragma, count_changes), unless RETURNING does.
  @exclusivity(unchecked) var showsCount = false
  /// EXPLAIN QUERY PLAN shows the plans of triggers, too.
  @exclusivity(unchecked) var explainsTriggers = false
  @exclusivity(unchecked) var count: ChangeCounter?
  /// The schema format of new databases.
  @exclusivity(unchecked) var newFileFormat: Int32 = 4
  @exclusivity(unchecked) var planOptions: LoopGoalContent.Options = []
  /// For functions that plans want to know the values of.
  var functionHost: FunctionHost?
  /// What parameters are bound to, where plans may depend on it.
  var planParameters: PlanParameters?
  /// The set for which EXPLAIN QUERY PLAN has to show the making of a Bloom filter.
  @exclusivity(unchecked) var filteredSet: CursorID?
  /// The sub-programs of the statement, once there are any.
  @exclusivity(unchecked) var subprograms: SubprogramCompiler?
  /// LIMIT and OFFSET of the SELECT whose loops are being emitted.
  @exclusivity(unchecked) var scanLimit = LimitRegisters.none
  /// Foreign keys are checked: rows are returned only when none is broken.
  @exclusivity(unchecked) var checksForeignKeys = false
  /// The counters of AUTOINCREMENT that the statement and its triggers need.
  @exclusivity(unchecked) var sequences: [SequenceRegisters] = []
  /// Databases that the program uses, one bit each.
  @exclusivity(unchecked) var databases: UInt64 = 0
  /// Those of the tables that the statement names.
  var named: NamedDatabases?
  /// Those of them that it changes.
  @exclusivity(unchecked) var writtenDatabases: UInt64 = 0

  init(
    catalog: Catalog, collations: [Collation], explain: ExplainMode, measuresScans: Bool = false
  ) {
    self.catalog = catalog
    self.collations = collations
    self.explain = explain
    self.measuresScans = measuresScans
    builder = ProgramBuilder(catalog: catalog)
    builder.isMeasured = measuresScans
  }

  /// The nodes of the query plan are put into the program.
  var showsPlan: Bool { explain != .none || measuresScans }

  /// To be called where neither the text nor the schema bounds what is emitted.
  func attend() throws(SQLError) {
    try trees?.memory.attend()
    if builder.isTooLong { throw .outOfMemory }
  }

  // Short forms, because emitting functions consist of little else.

  func newRegister() -> RegisterIndex { builder.newRegister() }
  func newLabel() -> Label { builder.newLabel() }
  func place(_ label: Label) { builder.place(label) }

  @discardableResult
  func emit(
    _ opcode: Opcode, _ p1: Int32 = 0, _ p2: Int32 = 0, _ p3: Int32 = 0, p4: Int32 = -1,
    p5: UInt8 = 0
  ) -> Int {
    builder.emit(opcode, p1, p2, p3, p4: p4, p5: p5)
  }

  func emitGoto(_ label: Label) { emit(.goto, 0, label.operand) }

  func emitInteger(_ value: Int32, into target: RegisterIndex) {
    emit(.integer, value, target.rawValue)
  }

  func emitNull(_ target: RegisterIndex, count: Int = 1) {
    emit(.null, 0, target.rawValue, target.rawValue + Int32(count) - 1)
  }

  // MARK: Sources

  func access(_ id: SourceID) -> SourceAccess {
    let index = Int(id.rawValue)
    return index < sources.count ? sources[index] : SourceAccess(kind: .none)
  }

  func setAccess(_ id: SourceID, _ kind: SourceAccess.Kind) {
    let index = Int(id.rawValue)
    if sources.count <= index { sources.reserveCapacity(max(4, index + 1)) }
    while sources.count <= index { sources.append(SourceAccess(kind: .none)) }
    sources[index].kind = kind
  }

  /// The source's virtual columns are computed from here on; no index that had them does.
  func setVirtualColumns(_ source: BoundSource) {
    if !indexedColumns.isEmpty { indexedColumns.removeAll { $0.source == source.id } }
    if !indexedExpressions.isEmpty { indexedExpressions.removeAll { $0.source == source.id } }
    let index = Int(source.id.rawValue)
    if source.virtualColumns.isEmpty {
      // The check of another table may have used the number.
      if index < sources.count { sources[index].virtualColumns = [] }
      return
    }
    let kind = access(source.id).kind
    setAccess(source.id, kind)
    sources[index].virtualColumns = source.virtualColumns
  }

  /// Opens a B-tree cursor in the set-up code: a program opens each cursor once.
  func openCursor(
    rootPage: PageNumber, databaseIndex: Int, keyInfo: KeyInfo?
  ) -> CursorID {
    let cursor = builder.newCursor()
    let p4 = keyInfo.map { builder.addKeyInfo($0) } ?? -1
    openings.append(
      Instruction(
        .openRead, cursor.rawValue, Int32(bitPattern: rootPage.rawValue), Int32(databaseIndex),
        p4: p4))
    databases |= 1 << UInt64(databaseIndex)
    return cursor
  }

  // MARK: EXPLAIN QUERY PLAN

  /// Adds a node to the query plan, and gives its number.
  @discardableResult
  func emitExplain(_ text: @autoclosure () -> String) -> Int32 {
    guard showsPlan, !hidesPlan else { return 0 }
    let id = builder.nextAddress + 1
    emit(.explain, id, explainParent, 0, p4: builder.addText(text()))
    return id
  }

  /// Emits `body` with its nodes below a new node.
  func withExplain(
    _ text: @autoclosure () -> String, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    let outer = openExplain(text())
    try body()
    closeExplain(outer)
  }

  /// What is emitted until `closeExplain` has its nodes below a new node. Gives what that takes.
  func openExplain(_ text: @autoclosure () -> String) -> Int32 {
    let outer = explainParent
    if showsPlan { explainParent = emitExplain(text()) }
    return outer
  }

  func closeExplain(_ outer: Int32) { explainParent = outer }
}

/// How the columns of a row source are read at a place in the program.
struct SourceAccess {
  enum Kind {
    case none
    case table(CursorID, Table)
    /// An index that has all columns that are read.
    case coveringIndex(CursorID, Index, Table)
    /// Rows in a store, columns in order.
    case rows(CursorID)
    /// The rows of a virtual table.
    case virtual(CursorID, Table)
    /// A hash join's table; the map gives a column's position in its data, the rowid's is `rowid`.
    case hashTable(CursorID, columns: [Int32], rowid: Int32)
    /// A co-routine's registers.
    case registers(RegisterIndex)
    /// A row that is being made.
    case row(RowRegisters)
    /// OLD or NEW, in the registers of the program that fired the trigger.
    case outerRow(RowRegisters)
  }

  var kind: Kind
  /// Columns that are in registers (those that an aggregation keeps), read in place of the source.
  var captured: [(column: Int32, register: RegisterIndex)] = []
  /// For a subquery: its columns of REAL affinity below 64, whose integers are read as reals.
  var realColumns: UInt64 = 0
  /// The same columns from number 64 on.
  var furtherRealColumns = TreeList<Int32>()
  /// Expressions of the virtual generated columns.
  var virtualColumns = TreeList<VirtualColumn>()
  /// An outer join may give a row of NULLs.
  var mayBeNullRow = false
  /// What a covering partial index does not have, as its WHERE says it; and that an outer join may
  /// give a row of NULLs.
  var fixedColumns = TreeList<FixedColumn>(), fixedMayBeNull = false

  /// Integers of a subquery's column are read as reals.
  func isReal(_ column: Int32) -> Bool {
    column < 64
      ? realColumns & (1 << UInt64(column)) != 0 : furtherRealColumns.contains(column)
  }
}
