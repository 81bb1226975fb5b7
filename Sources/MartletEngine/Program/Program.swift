/// A finished program: instructions and what they refer to. Immutable, so that several statements
/// may run it.
final class Program {
  let instructions: UnsafeMutablePointer<Instruction>
  let instructionCount: Int
  let registerCount: Int
  let cursorCount: Int
  let tables: SideTables
  /// What of the tables the interpreter reads for each row.
  let plainTables: PlainTables
  /// One for each column of the result; empty for statements without rows.
  let columns: [OutputColumn]
  let traits: Traits
  let explain: ExplainMode
  /// Text encoding of the main database: that of every text in the program.
  let encoding: TextEncoding
  /// The schemas that the program was made for. Names of columns point into their texts.
  let catalog: Catalog
  /// The triggers and foreign key actions of the statement, which share the table.
  let subprograms: SubprogramTable
  /// The parameters whose values decide about the plan: `PlanParameters.asked`. Set when the
  /// program is finished.
  @exclusivity(unchecked) var planParameters: UInt64 = 0
  /// Other literals may have another plan: `PlanParameters.meetsLiterals`.
  @exclusivity(unchecked) var isForItsLiterals = false
  /// What it is for was done, or found out, when it was compiled: to run it again, compile it again.
  @exclusivity(unchecked) var isForOneRun = false
  /// A PRAGMA that is for many runs all the same: it reads what it shows whenever it runs.
  @exclusivity(unchecked) var readsWhenRun = false
  /// What the labels of columns point into, where these are texts of their own.
  @exclusivity(unchecked) var labelTexts: [SQLText] = []
  /// The names in double quotes that were taken for strings.
  @exclusivity(unchecked) var doubleQuotedStrings: [String] = []

  init(
    instructions: [Instruction], registerCount: Int, cursorCount: Int, tables: SideTables,
    columns: [OutputColumn], traits: Traits, explain: ExplainMode, encoding: TextEncoding,
    catalog: Catalog, subprograms: SubprogramTable = .none
  ) {
    instructionCount = instructions.count
    let memory = Memory.take(max(1, instructionCount) * MemoryLayout<Instruction>.stride)
      .bindMemory(to: Instruction.self, capacity: max(1, instructionCount))
    instructions.withUnsafeBufferPointer { code in
      if let start = code.baseAddress { memory.initialize(from: start, count: code.count) }
    }
    self.instructions = memory
    self.registerCount = registerCount
    self.cursorCount = cursorCount
    self.tables = tables
    plainTables = PlainTables(tables, encoding: encoding)
    self.columns = columns
    self.traits = traits
    self.explain = explain
    self.encoding = encoding
    self.catalog = catalog
    self.subprograms = subprograms
  }

  struct Traits: OptionSet {
    let rawValue: UInt8
    /// Changes no database.
    static let isReadOnly = Traits(rawValue: 1)
    /// Begins or ends transactions.
    static let usesTransactions = Traits(rawValue: 2)
    /// An error must take back what was done before it, and only that.
    static let usesStatementJournal = Traits(rawValue: 4)
    /// Sets `changes()`.
    static let countsChanges = Traits(rawValue: 8)
    /// A database that it writes to is kept in a schema format before 4.
    static let writesOldFormat = Traits(rawValue: 16)
    /// Its loops are counted (`ScanMark`).
    static let isMeasured = Traits(rawValue: 32)
  }

  var isReadOnly: Bool { traits.contains(.isReadOnly) }
  var isMeasured: Bool { traits.contains(.isMeasured) }
  /// It counts as one that changes databases, though it does not by itself: EXPLAIN of a change, and
  /// pragmas that may change a file without a transaction.
  var countsAsChange = false

  deinit {
    plainTables.deallocate()
    Memory.systemFree(instructions)
  }
}

extension Program {
  /// A program without instructions, for a statement that will be compiled again before it runs: it
  /// says the same of itself, and keeps no schemas.
  func remains() throws(SQLError) -> Program {
    var labelTexts = catalog.databases.compactMap(\.nameText)
    var columns = columns
    for index in columns.indices {
      let name = columns[index].label
      let label = try SQLText(
        copying: UnsafeBufferPointer(start: name.start, count: Int(name.count)))
      labelTexts.append(label)
      columns[index].label = Name(start: label.start, count: label.count)
    }
    let remains = Program(
      instructions: [], registerCount: 1, cursorCount: 0, tables: .none, columns: columns,
      traits: traits, explain: explain, encoding: encoding, catalog: Catalog([]))
    remains.countsAsChange = countsAsChange
    remains.labelTexts = labelTexts
    return remains
  }

  /// Memory that the program and its machine take, roughly.
  var byteCount: Int {
    instructionCount * MemoryLayout<Instruction>.stride
      + (registerCount + tables.constants.count) * MemoryLayout<Register>.stride
  }
}

/// A column of a statement's result. Its names are made when they are asked for.
struct OutputColumn {
  /// Points into the statement's text, the schema's, or static memory.
  var label: Name
  /// The table whose column it is unchanged, and which (-1: the rowid); nil for expressions.
  var table: Table? = nil
  var column: Int32 = -1

  var name: String { label.string }

  /// As in CREATE TABLE; nil for expressions (`sqlite3_column_decltype`).
  var declaredType: String? {
    guard let table else { return nil }
    return column < 0 ? "INTEGER" : table.columns[Int(column)].declaredType
  }

  /// `sqlite3_column_database_name` and its kin.
  var origin: (database: String, table: String, column: String)? {
    guard let table else { return nil }
    let name = column < 0 ? "rowid" : table.columns[Int(column)].name.string
    return (table.databaseName.string, table.name.string, name)
  }
}

/// What instructions refer to by P4. Each table belongs to some opcodes, as their specification
/// says.
///
/// Exclusivity is not checked at run time: the builder alone fills the tables.
final class SideTables {
  /// Values with owned buffers; text is in the program's encoding. They go with the tables, for the
  /// program may never be finished.
  @exclusivity(unchecked) var constants: [Register] = []
  @exclusivity(unchecked) var keyInfos: [KeyInfo] = []
  @exclusivity(unchecked) var collations: [Collation] = []
  /// Affinities of consecutive registers.
  @exclusivity(unchecked) var affinities: [[Affinity]] = []
  @exclusivity(unchecked) var functionCalls: [FunctionCallInfo] = []
  @exclusivity(unchecked) var aggregateCalls: [AggregateCallInfo] = []
  @exclusivity(unchecked) var groupPlans: [GroupPlan] = []
  @exclusivity(unchecked) var windowPlans: [WindowPlan] = []
  @exclusivity(unchecked) var virtualScans: [VirtualScan] = []
  /// Maps of table column to index column + 1, or 0, for deferred seeks.
  @exclusivity(unchecked) var columnMaps: [[Int32]] = []
  /// What is done at once of the rows of loops.
  @exclusivity(unchecked) var rowScans: [RowScanContent] = []
  /// Tables whose rows instructions change: what hooks are told.
  @exclusivity(unchecked) var changedTables: [Table] = []
  /// Messages of `halt` and lines of EXPLAIN QUERY PLAN.
  @exclusivity(unchecked) var texts: [String] = []
  /// The loops that are measured.
  @exclusivity(unchecked) var scanLoops: [ScanLoop] = []

  /// Those of the programs that have nothing in them: nobody changes them.
  nonisolated(unsafe) static let none = SideTables()

  /// There is nothing that `PlainTables` would have.
  var areEmptyForRows: Bool {
    constants.isEmpty && functionCalls.isEmpty && aggregateCalls.isEmpty && columnMaps.isEmpty
      && rowScans.isEmpty && keyInfos.isEmpty && changedTables.isEmpty && affinities.isEmpty
  }

  /// A virtual table of the application decided on a part of the program.
  var dependsOnApplication: Bool {
    virtualScans.contains { $0.callsApplication } || changedTables.contains { $0.isVirtual }
  }

  deinit {
    for constant in constants { Memory.free(constant.buffer) }
  }
}

/// A call of a scalar function: what `function` needs besides its registers.
final class FunctionCallInfo {
  let function: ScalarFunction
  let argumentCount: Int
  let collation: Collation
  /// A bit for each of the first 32 arguments that is the same for all rows.
  let constantArguments: UInt32
  let storedPlace: StoredPlace

  init(
    function: ScalarFunction, argumentCount: Int, collation: Collation,
    constantArguments: UInt32 = 0, storedPlace: StoredPlace = .none
  ) {
    self.function = function
    self.argumentCount = argumentCount
    self.collation = collation
    self.constantArguments = constantArguments
    self.storedPlace = storedPlace
  }
}

/// A call of an aggregate function outside hash aggregation.
final class AggregateCallInfo {
  let function: AggregateFunction
  let argumentCount: Int
  let collation: Collation

  init(function: AggregateFunction, argumentCount: Int, collation: Collation) {
    self.function = function
    self.argumentCount = argumentCount
    self.collation = collation
  }
}

/// What a hash aggregation computes (`groupOpen`).
///
/// An input row is r[base...]: the keys, then for each aggregate its arguments and, if it has a
/// FILTER, one register that says whether the row counts, then the bare columns. A group is put out
/// as the keys, the bare columns, the results of the aggregates.
///
/// The keys and bare columns shown are those of the first row of the group in input order; where
/// `bareAggregate` is set, bare columns are of the row that gave that min() or max() its value
/// (lang_select §2.5). Groups come out sorted by `keyInfo`.
final class GroupPlan {
  struct Aggregate {
    let function: AggregateFunction
    let collation: Collation
    /// Offset of the first argument in the input row.
    let argumentOffset: Int
    let argumentCount: Int
    /// Offset of the filter register, or -1.
    let filterOffset: Int
    /// For DISTINCT: how its one argument compares; nil otherwise.
    let distinct: KeyInfo?
  }

  let keyInfo: KeyInfo
  let aggregates: [Aggregate]
  let bareColumnOffset: Int
  let bareColumnCount: Int
  /// Index of the min() or max() that the bare columns follow, or -1.
  let bareAggregate: Int

  var keyCount: Int { keyInfo.keyColumnCount }

  init(
    keyInfo: KeyInfo, aggregates: [Aggregate], bareColumnOffset: Int, bareColumnCount: Int,
    bareAggregate: Int
  ) {
    self.keyInfo = keyInfo
    self.aggregates = aggregates
    self.bareColumnOffset = bareColumnOffset
    self.bareColumnCount = bareColumnCount
    self.bareAggregate = bareAggregate
  }
}
