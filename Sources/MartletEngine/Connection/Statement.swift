/// A compiled SQL statement.
///
/// Bind its parameters, step through its rows, read the columns of each, reset it to run again.
public final class Statement: @unchecked Sendable {
  @usableFromInline let connection: Connection
  var source: StatementSource
  private(set) var program: Program { didSet { programVersion &+= 1 } }
  /// What the program says of columns holds while this is the same.
  @exclusivity(unchecked) package private(set) var programVersion = 0
  private(set) var vm: VM {
    didSet {
      parameters = vm.parameters
      machine = .passUnretained(vm)
    }
  }
  /// The virtual machine, without counting references.
  @exclusivity(unchecked) private var machine: Unmanaged<VM>
  /// Where the current row is.
  @usableFromInline let rowState: UnsafeMutablePointer<ResultRow.State>
  /// Those of the virtual machine, from index 1 on.
  private var parameters: UnsafeMutablePointer<Register>
  @exclusivity(unchecked) private var state = State.ready
  /// One register a column, for values that are asked for as UTF-8 text but are not.
  private var conversions: UnsafeMutablePointer<Register>?
  /// Columns that were asked for as C strings.
  private var cStrings: [Int: UnsafeMutableRawPointer] = [:]

  /// Free for whoever prepared the statement, to find what it belongs to from a `TracedStatement`.
  @exclusivity(unchecked) public var owner: UnsafeMutableRawPointer?

  private enum State { case ready, running, done }
  /// The machine is at work: what it calls may not come back to this statement.
  @exclusivity(unchecked) package private(set) var isStepping = false
  /// It is being compiled again, or ended: statements that this calls leave its machine alone.
  @exclusivity(unchecked) private var isEngaged = false
  /// Set by `explain`.
  private var explainMode: ExplainMode?
  /// Objects that parameters stand for; nil where there are none.
  @exclusivity(unchecked) var boundPointers: [Int: PassedPointer]?
  /// A parameter was bound that the plan depends on.
  private var planIsOutdated = false
  /// `Connection.expiry` of when the program was made.
  private var expiry: Int
  /// The catalog that the program is known to be good for.
  @exclusivity(unchecked) private var catalog: Catalog
  /// When the execution began that is to be profiled (`System.monotonicTime`).
  @exclusivity(unchecked) private var startTime: Int64?
  @exclusivity(unchecked) private var runCount = 0
  @exclusivity(unchecked) private var reprepareCount = 0
  /// Steps of the machine that were counted already.
  @exclusivity(unchecked) private var takenStepCount = 0
  @exclusivity(unchecked) private var sortCount = 0
  /// The connection's other statements.
  @exclusivity(unchecked) fileprivate(set) var older: Unmanaged<Statement>?
  @exclusivity(unchecked) fileprivate var newer: Unmanaged<Statement>?
  /// It belongs to what the connection owns, and does not keep the connection alive.
  private let isOwnedByConnection: Bool
  /// What it may not use, now and when it is compiled again.
  private let options: PrepareOptions

  init(
    connection: Connection, source: StatementSource, program: Program,
    options: PrepareOptions = [], isOwnedByConnection: Bool = false
  ) throws(SQLError) {
    self.options = options
    self.isOwnedByConnection = isOwnedByConnection
    self.connection = connection
    self.source = source
    self.program = program
    expiry = connection.expiry
    catalog = program.catalog
    vm = try VM(
      program: program, host: connection,
      parameterCount: Int(source.parameterCount) + source.literalCount)
    parameters = vm.parameters
    machine = .passUnretained(vm)
    rowState = try Memory.allocate(MemoryLayout<ResultRow.State>.stride)
      .bindMemory(to: ResultRow.State.self, capacity: 1)
    rowState.initialize(
      to: ResultRow.State(
        registers: vm.registers, statement: .passUnretained(self), encoding: program.encoding))
    connection.statementCount += 1
    older = connection.newestStatement
    let me = Unmanaged.passUnretained(self)
    older?.takeUnretainedValue().newer = me
    connection.newestStatement = me
    if isOwnedByConnection { Unmanaged.passUnretained(connection).release() }
  }

  deinit {
    // What `init` gave back is released once more with the property.
    if isOwnedByConnection { _ = Unmanaged.passUnretained(connection).retain() }
    connection.lock.lock()
    finish(nil)
    connection.statementCount -= 1
    leaveList()
    connection.lock.unlock()
    freeConversions()
    for text in cStrings.values { Memory.free(text) }
    Memory.free(rowState)
  }

  private func leaveList() {
    if let newer {
      newer.takeUnretainedValue().older = older
    } else {
      connection.newestStatement = older
    }
    older?.takeUnretainedValue().newer = newer
  }

  /// What sqlite_stmt shows.
  var facts: StatementFacts {
    StatementFacts(
      sql: source.text.string(source.rangeWithSemicolon), columnCount: columnCount,
      isReadOnly: isReadOnly, isBusy: isBusy, scanStepCount: vm.stepCounts.take(fullScan: false),
      sortCount: sortCount, automaticIndexRowCount: vm.stepCounts.take(automaticIndex: false),
      stepCount: takeMachineSteps(false), reprepareCount: reprepareCount, runCount: runCount,
      byteCount: program.byteCount)
  }

  /// Runs to the next row.
  ///
  /// - Returns: true when there is a row, false when the statement is done. The next step after
  ///   that runs it again.
  /// - Throws: What the statement fails with; it is reset then.
  public func step() throws(SQLError) -> Bool {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    return try stepLocked()
  }

  /// As `step`, for who has the connection's lock: taking it twice costs a tenth of a short row.
  @inline(__always)
  package func stepLocked() throws(SQLError) -> Bool {
    guard RealDigits.areSet else { return try stepAlone() }
    let outer = RealDigits.begin(connection.realDigitCount)
    defer { RealDigits.end(outer) }
    return try stepAlone()
  }

  private func stepAlone() throws(SQLError) -> Bool {
    guard !isStepping else {
      throw SQLError(.misuse, "a function called the statement that it runs in")
    }
    isStepping = true
    defer { isStepping = false }
    if state == .running { return try runOnce() }
    return try start()
  }

  private func start() throws(SQLError) -> Bool {
    guard connection.functionHost.comparisonDepth == 0 else {
      throw SQLError(.misuse, "a collation may not run statements")
    }
    if connection.hasOutdatedPrograms { connection.forgetOutdatedPrograms() }
    if isOutdated {
      state = .ready
      try prepareAgain()
    }
    connection.functionHost.currentTime = nil
    var attempts = 0
    while true {
      machine._withUnsafeGuaranteedRef { connection.statementStarts($0) }
      state = .running
      runCount &+= 1
      // A statement that was compiled again is traced once.
      if attempts == 0, !connection.hooks.tracedEvents.isEmpty { traceStart() }
      do {
        return try runOnce()
      } catch where error.code == .schema && attempts < 50 {
        // The file's schema is not the one that the program was made for.
        attempts += 1
        try prepareAgain(hasFailed: true)
      }
    }
  }

  /// The program may not be what the text means by now.
  var isOutdated: Bool {
    if expiry != connection.expiry || planIsOutdated || program.isForOneRun && runCount > 0 {
      return true
    }
    if catalog === connection.catalog { return false }
    guard connection.hasSchemas(of: catalog) else { return true }
    catalog = connection.catalog
    return false
  }

  private func runOnce() throws(SQLError) -> Bool {
    connection.busyWaiter.startOver()
    connection.programDepth &+= 1
    defer { connection.programDepth &-= 1 }
    rowState.pointee.columnCount = 0
    do {
      // Not behind it: what has ended may have committed, or be what commits.
      if connection.attentionFlag.isRaised(for: .progressHandler), !connection.ignoresInterrupts {
        try connection.askProgressHandler()
      }
      let hasRow = try machine.lend { (vm) throws(SQLError) in try runToRow(vm) }
      if hasRow {
        if connection.hooks.tracedEvents.contains(.row) { connection.hooks.trace?(.row(traced())) }
        return true
      }
    } catch {
      throw finish(error) ?? error
    }
    if let error = finish(nil) { throw error }
    return false
  }

  @inline(__always)
  private func runToRow(_ vm: VM) throws(SQLError) -> Bool {
    // It may come between two steps, or from a function: programs without loops see it here.
    if connection.isInterrupted, !connection.ignoresInterrupts { throw SQLError(.interrupt) }
    guard try vm.run() == .row else { return false }
    rowState.pointee.registers = vm.resultBase
    rowState.pointee.columnCount = vm.resultCount
    return true
  }

  /// Ends the execution, if one is under way. Returns the error that it ends with.
  @discardableResult
  private func finish(_ error: SQLError?) -> SQLError? {
    guard state == .running else { return nil }
    state = .done
    isEngaged = true
    defer { isEngaged = false }
    rowState.pointee.columnCount = 0
    let result = machine._withUnsafeGuaranteedRef { vm in
      vm.giveBack()
      let result = connection.statementEnds(vm, error)
      sortCount &+= vm.sortCount
      vm.restart()
      return result
    }
    if let startTime { traceEnd(startTime) }
    return result
  }

  /// Lets go of a program, and of the schemas that it was made for, that will not run any more. What
  /// is bound stays, and so does what the statement says of its columns.
  func forgetOutdatedProgram() {
    guard state != .running, !isStepping, !isEngaged, !program.isMeasured, catalog !== connection.catalog,
      program.instructionCount > 0, isOutdated, let remains = try? program.remains(),
      let machine = try? VM(
        program: remains, host: connection, parameterCount: vm.parameterCount)
    else { return }
    for index in 0..<(vm.parameterCount + 1) {
      swap(&machine.parameters[index], &vm.parameters[index])
    }
    machine.stepCounts.add(vm.stepCounts)
    program = remains
    vm = machine
    rowState.pointee.registers = machine.registers
    catalog = remains.catalog
    // Whatever schemas there are, they are not those of the remains.
    expiry = -1
  }

  func prepareAgain(hasFailed: Bool = false) throws(SQLError) {
    connection.forgetOldInterrupt()
    try connection.requireRoom()
    isEngaged = true
    defer { isEngaged = false }
    let parsed = try Parser.parse(
      source.text, from: Int(source.range.start), limits: connection.limits.parser)
    guard let parsed else { throw SQLError(.internal, "statement without text") }
    if let explainMode { parsed.explain = explainMode }
    parsed.options = options
    let expiry = connection.expiry
    let renewed = try connection.compile(
      parsed,
      for: PlanParameters(
        values: parameters, count: parameterCount, encoding: program.encoding))
    planIsOutdated = false
    let machine = try VM(
      program: renewed, host: connection, parameterCount: Int(source.parameterCount))
    for index in 1..<(parameterCount + 1) {
      try machine.parameters[index].assign(from: vm.parameters[index])
    }
    machine.stepCounts.add(vm.stepCounts)
    freeConversions()
    program = renewed
    catalog = renewed.catalog
    rowState.pointee.encoding = renewed.encoding
    reprepareCount &+= 1
    self.expiry = expiry
    vm = machine
    connection.hooks.preparedAgain?(hasFailed)
  }

  /// Makes the statement ready to run from the start. Bindings stay.
  ///
  /// - Throws: What went wrong at the end of a statement that was not at its end, for example a
  ///   commit; the statement is reset all the same. `misuse` if a function calls it for the
  ///   statement that it runs in.
  public func reset() throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    try resetLocked()
  }

  /// As `reset`, for who has the connection's lock.
  package func resetLocked() throws(SQLError) {
    guard !isStepping else {
      throw SQLError(.misuse, "a function reset the statement that it runs in")
    }
    let error = finish(nil)
    machine._withUnsafeGuaranteedRef { $0.reset() }
    state = .ready
    if let error { throw error }
  }

  /// Ends the run with an error that was met between two steps, as if a step had met it. For who has
  /// the connection's lock.
  package func failLocked(_ error: SQLError) -> SQLError {
    isStepping ? error : finish(error) ?? error
  }

  /// The statement has begun to run since its last reset, and may have ended.
  public var hasBegun: Bool { state != .ready }

  /// The SQL text of the statement.
  public var sql: String { source.text.legible(source.range) }

  /// The names in double quotes that are no columns and were taken for strings (quirks §8), with
  /// their quotes: they are most often mistakes.
  package var doubleQuotedStrings: [String] { program.doubleQuotedStrings }

  /// The statement, or the one that it explains, changes no database (`sqlite3_stmt_readonly`).
  public var isReadOnly: Bool { program.isReadOnly && !program.countsAsChange }

  /// 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN, else 0 (`sqlite3_stmt_isexplain`).
  public var isExplain: Int { Int(program.explain.rawValue) }

  /// Makes the statement run as without EXPLAIN (0), with EXPLAIN (1) or EXPLAIN QUERY PLAN (2),
  /// whatever its text says (`sqlite3_stmt_explain`).
  ///
  /// - Throws: `busy` while it runs, an error for another number.
  public func explain(_ mode: Int) throws(SQLError) {
    connection.lock.lock()
    defer { connection.lock.unlock() }
    guard let mode = ExplainMode(rawValue: .init(truncatingIfNeeded: mode)) else {
      throw SQLError(.error)
    }
    guard state != .running else { throw SQLError(.busy) }
    guard mode != program.explain else { return }
    let old = explainMode
    explainMode = mode
    do throws(SQLError) {
      try prepareAgain()
    } catch {
      explainMode = old
      throw error
    }
  }

  /// The statement is between its first row and its end (`sqlite3_stmt_busy`).
  public var isBusy: Bool { state == .running }
}

// MARK: - Trace and counters

extension Statement {
  func traced() -> TracedStatement {
    TracedStatement(
      source: source, values: boundValues(), owner: owner,
      isNested: connection.workingStatementCount > 1)
  }

  func isRun(by machine: VM) -> Bool { vm === machine }

  func boundValues() -> [BoundValue] {
    (1..<(parameterCount + 1)).map { BoundValue(vm.parameters + $0, program.encoding) }
  }

  private func traceStart() {
    let events = connection.hooks.tracedEvents
    if events.contains(.profile) { startTime = System.monotonicTime() }
    if events.contains(.statement) { connection.hooks.trace?(.statement(traced())) }
  }

  private func traceEnd(_ start: Int64) {
    startTime = nil
    guard connection.hooks.tracedEvents.contains(.profile) else { return }
    let nanoseconds = System.monotonicTime() &- start
    connection.hooks.trace?(.profile(traced(), nanoseconds: nanoseconds))
  }

  /// What a statement counts (c3ref c_stmtstatus_counter). The raw values are SQLite's.
  public enum Counter: Int32, Sendable {
    /// Steps of loops over whole tables or indexes.
    case fullScanSteps = 1
    case sorts = 2
    /// Rows that were put into automatic indexes (here: hash tables).
    case automaticIndexRows = 3
    /// An estimate of the instructions that ran.
    case machineSteps = 4
    /// How often it was compiled again because the schema, or what it calls, had changed.
    case reprepares = 5
    case runs = 6
    /// Bytes of its program; not a count that can be set back.
    case memory = 99
  }

  /// A counter of the statement, which may be set back to 0 (`sqlite3_stmt_status`).
  public func count(of counter: Counter, resetting: Bool = false) -> Int {
    connection.locked {
      switch counter {
      case .fullScanSteps: vm.stepCounts.take(fullScan: resetting)
      case .automaticIndexRows: vm.stepCounts.take(automaticIndex: resetting)
      case .machineSteps: takeMachineSteps(resetting)
      case .sorts: Statement.take(&sortCount, resetting)
      case .reprepares: Statement.take(&reprepareCount, resetting)
      case .runs: Statement.take(&runCount, resetting)
      case .memory: program.byteCount
      }
    }
  }

  private func takeMachineSteps(_ resetting: Bool) -> Int {
    let steps = vm.stepCounts.steps(inProgramOf: program.instructionCount)
    defer { if resetting { takenStepCount = steps } }
    return max(0, steps &- takenStepCount)
  }

  private static func take(_ count: inout Int, _ resetting: Bool) -> Int {
    defer { if resetting { count = 0 } }
    return count
  }
}

// MARK: - Conversions

extension Statement {
  /// A column's value as UTF-8 text, in memory that is valid until it is asked for again.
  func convertedText(
    ofColumn index: Int, _ value: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> UnsafeRawBufferPointer {
    if conversions == nil {
      let bytes = columnCount * MemoryLayout<Register>.stride
      conversions = try Memory.allocate(bytes).bindMemory(to: Register.self, capacity: columnCount)
      conversions?.initialize(repeating: Register(), count: columnCount)
    }
    guard let text = conversions.map({ $0 + index }) else { throw .outOfMemory }
    try text.pointee.assign(from: value.pointee)
    try Cast.apply(.text, to: &text.pointee, encoding: program.encoding)
    try text.pointee.changeEncoding(from: program.encoding, to: .utf8)
    return UnsafeRawBufferPointer(text.pointee.byteBuffer)
  }

  /// Keeps a copy of a column's text in the place of an earlier one.
  func keepCString(_ text: UnsafeMutableRawPointer, ofColumn index: Int) {
    if let old = cStrings.updateValue(text, forKey: index) { Memory.free(old) }
  }

  fileprivate func freeConversions() {
    guard let conversions else { return }
    for index in 0..<columnCount { conversions[index].deinitialize() }
    Memory.free(conversions)
    self.conversions = nil
  }
}

// MARK: - Parameters

extension Statement {
  /// The highest parameter number.
  public var parameterCount: Int { Int(source.parameterCount) }

  /// The name of a parameter with its `?`, `:`, `@` or `$`; nil where it has none.
  public func parameterName(at index: Int) -> String? {
    source.parameterNames.first { Int($0.number) == index }?.name.string
  }

  /// The number of a named parameter.
  public func parameterIndex(named name: String) -> Int? {
    name.withTextBytes { parameterIndex(named: $0) }
  }

  /// The number of the parameter whose name has these bytes.
  package func parameterIndex(named name: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = name.baseAddress else { return nil }
    for known in source.parameterNames where known.name.count == name.count {
      if Memory.compare(known.name.start, start, name.count) == 0 { return Int(known.number) }
    }
    return nil
  }

  /// Each named parameter's number and name, in the order in which they are met.
  package func forEachParameterName(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    for known in source.parameterNames { body(Int(known.number), known.name.buffer) }
  }

  /// Makes every parameter NULL.
  public func clearBindings() {
    if program.planParameters != 0 { planIsOutdated = true }
    for index in 1..<(parameterCount + 1) { vm.parameters[index].setNull() }
    let earlier = boundPointers
    boundPointers = nil
    withExtendedLifetime(earlier) {}
  }

  /// The parameter is NULL for SQL; functions and tables that ask for a pointer of that type get
  /// the object, which is kept until something else is bound (`sqlite3_bind_pointer`).
  public func bind(pointer object: AnyObject, type: String, at index: Int) throws(SQLError) {
    let parameter = try parameter(index)
    let pointer = PassedPointer(object, type: type)
    pointer.set(&parameter.pointee)
    boundPointers = boundPointers ?? [:]
    let earlier = boundPointers?.updateValue(pointer, forKey: index)
    withExtendedLifetime(earlier) {}
  }

  /// The parameter stands for values, as the argument of `carray()` (carray §3.1).
  public func bind(array values: [Value], at index: Int) throws(SQLError) {
    try bind(pointer: BoundArray(values), type: BoundArray.pointerType, at: index)
  }

  public func bindNull(at index: Int) throws(SQLError) {
    try parameter(index).pointee.setNull()
  }

  public func bind(_ value: Int64, at index: Int) throws(SQLError) {
    let parameter = try parameter(index)
    parameter.pointee.setInteger(value)
    parameter.pointee.flags = .fromBind
  }

  public func bind(_ value: Int, at index: Int) throws(SQLError) {
    try bind(Int64(value), at: index)
  }

  /// NaN is bound as NULL.
  public func bind(_ value: Double, at index: Int) throws(SQLError) {
    let parameter = try parameter(index)
    parameter.pointee.setReal(value)
    parameter.pointee.flags = .fromBind
  }

  public func bind(text: String, at index: Int) throws(SQLError) {
    var text = text
    // `withUTF8` passes no typed errors on.
    let result = text.withUTF8 { bytes in
      Result { () throws(SQLError) in
        try bindBytes(.text, UnsafeRawBufferPointer(bytes), index)
      }
    }
    try result.get()
  }

  /// UTF-8 bytes, which need not be valid.
  public func bind(text: UnsafeRawBufferPointer, at index: Int) throws(SQLError) {
    try bindBytes(.text, text, index)
  }

  public func bind(blob: UnsafeRawBufferPointer, at index: Int) throws(SQLError) {
    try bindBytes(.blob, blob, index)
  }

  private func bindBytes(
    _ tag: StorageClass, _ bytes: UnsafeRawBufferPointer, _ index: Int
  ) throws(SQLError) {
    let parameter = try parameter(index)
    guard bytes.count <= connection.lengthLimit else {
      parameter.pointee.setNull()
      throw .tooBig
    }
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Register.emptyBytes
    if bytes.isEmpty {
      parameter.pointee.setBorrowed(tag, Register.emptyBytes, 0)
    } else if tag == .text && program.encoding != .utf8 {
      try parameter.pointee.set(text: start, bytes.count, from: .utf8, to: program.encoding)
    } else {
      try parameter.pointee.setOwned(tag, copying: start, bytes.count)
    }
    parameter.pointee.flags.insert(.fromBind)
  }

  /// The encoding of its registers' text.
  var textEncoding: TextEncoding { program.encoding }

  func parameter(_ index: Int) throws(SQLError) -> UnsafeMutablePointer<Register> {
    guard state != .running else {
      throw SQLError(.misuse, "bind on a busy prepared statement: [\(sql)]")
    }
    guard index >= 1 && index <= parameterCount else { throw SQLError(.range) }
    if program.planParameters != 0, program.planParameters & PlanParameters.bit(index) != 0 {
      planIsOutdated = true
    }
    if boundPointers != nil {
      // The parameter is NULL when the object ends: that may bind the same parameter.
      (parameters + index).pointee.setNull()
      let earlier = boundPointers?.removeValue(forKey: index)
      withExtendedLifetime(earlier) {}
    }
    return parameters + index
  }
}
