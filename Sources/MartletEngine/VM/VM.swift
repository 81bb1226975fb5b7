/// What running a program came to.
enum StepResult: UInt8 {
  /// A row is ready in `resultBase`.
  case row
  case done
  /// A sub-program is to be run before the program goes on.
  case call
}

/// The virtual machine of one statement: registers, cursors, and where in the program it is.
///
/// It is made once and used for every execution; registers and tree cursors keep their memory.
///
/// Who owns the bytes of texts and blobs: `column` and `rowColumn` lend them from the page or row,
/// and the loan ends when the cursor moves. `shallowCopy` passes a loan on. `copy` and `move` make
/// values that stand for themselves, and whatever is put into a sorter, row store, hash table or
/// accumulator is copied there. A result row is valid until `run` or `reset` is called.
final class VM {
  let program: Program
  unowned(unsafe) let host: any VMHost
  let registers: UnsafeMutablePointer<Register>
  /// Values of the parameters, from index 1 on. The statement binds them.
  let parameters: UnsafeMutablePointer<Register>
  let parameterCount: Int
  let slots: UnsafeMutablePointer<CursorSlot>
  /// For each instruction, whether it ran (`once`).
  let ranOnce: UnsafeMutablePointer<UInt8>
  let stepCounts: StepCounts
  let encoding: TextEncoding
  let functionMemory: UnsafeMutablePointer<FunctionMemory>
  let attention: AttentionFlag
  let tables: PlainTables
  /// The connection's databases, by their number.
  let databases: OpenDatabases.Base
  let transaction: UnsafePointer<OpenDatabases.Transaction>
  // What is asked for with every execution, without a reference to the program.
  let traits: Program.Traits
  let registerCount: Int
  let cursorCount: Int
  private let instructionCount: Int
  let frame: CallFrame

  /// The instruction to go on with.
  @exclusivity(unchecked) var address = 0
  /// Result of the last `compare`, for `jump`.
  @exclusivity(unchecked) var comparison = 0
  @exclusivity(unchecked) var resultBase: UnsafeMutablePointer<Register>
  @exclusivity(unchecked) var resultCount = 0
  @exclusivity(unchecked) private(set) var isRunning = false
  /// What the error that ends the program does to the changes (lang_conflict).
  @exclusivity(unchecked) var errorPolicy = ConflictPolicy.abort
  /// Sorts that this execution has done.
  var sortCount = 0
  /// Rows that this execution changed.
  @exclusivity(unchecked) var changeCount: Int64 = 0
  /// For a sub-program: the rows OLD and NEW of the program that called it.
  @exclusivity(unchecked) var outerValues: UnsafeMutablePointer<Register>
  /// For a sub-program: what it belongs to; nil for a statement's own program.
  @exclusivity(unchecked) var link: FrameLink?
  /// The sub-programs that run, once one was called; the statement's own machine has them, and
  /// retains them by hand.
  @exclusivity(unchecked) var frames: Unmanaged<FrameStack>?
  /// Broken foreign keys of the statement that are not deferred.
  @exclusivity(unchecked) var foreignKeyCount: Int64 = 0
  /// The transaction's, when the statement's savepoint was opened.
  @exclusivity(unchecked) var savedForeignKeys = ForeignKeyCounters()
  /// The schema that the program was made for is gone while it runs: it opens no more trees.
  @exclusivity(unchecked) var isExpired = false
  /// The statements that run beside this one (`RunningStatements`).
  @exclusivity(unchecked) var nextRunning: Unmanaged<VM>?
  @exclusivity(unchecked) var previousRunning: Unmanaged<VM>?
  /// The savepoint to which an error returns, counted from 1; 0 where there is none.
  @exclusivity(unchecked) var statementSavepoint = 0
  /// Temporaries of comparisons whose operands are converted, and of calls.
  let temporaries: RegisterBlock
  /// What the marks of a measured program have counted; nil for others.
  let scanCounts: ScanCounts?
  /// What sorters and hash tables share; most programs have none.
  private(set) lazy var memory = WorkMemory(
    limit: host.workMemoryBudget, vfs: host.temporaryVFS)
  /// Cursor numbers whose rows are read back (`rowColumn`).
  private lazy var readBackCursors = program.cursorsReadBack

  static let temporaryCount = 2

  /// The connection's, which may be lowered beside a statement that is kept.
  @inline(__always)
  var lengthLimit: Int { functionMemory.pointee.lengthLimit }

  init(program: Program, host: any VMHost, parameterCount: Int) throws(SQLError) {
    self.program = program
    self.host = host
    self.parameterCount = parameterCount
    encoding = program.encoding
    functionMemory = host.functionHost.memory
    attention = host.attention
    databases = host.openDatabases.base
    transaction = UnsafePointer(host.openDatabases.transaction)
    traits = program.traits
    registerCount = program.registerCount
    cursorCount = program.cursorCount
    instructionCount = program.instructionCount
    let total = registerCount + parameterCount + 1 + VM.temporaryCount
    let block = try RegisterBlock(count: total)
    registers = block.base
    parameters = block.base + registerCount
    temporaries = RegisterBlock(
      borrowing: parameters + parameterCount + 1, count: VM.temporaryCount)
    resultBase = registers
    outerValues = registers
    do {
      slots = try Memory.allocate(
        max(1, program.cursorCount) * MemoryLayout<CursorSlot>.stride + StepCounts.byteCount
          + program.instructionCount
      ).bindMemory(to: CursorSlot.self, capacity: max(1, program.cursorCount))
    } catch {
      block.deallocate()
      throw error
    }
    slots.initialize(repeating: CursorSlot(), count: max(1, program.cursorCount))
    let end = UnsafeMutableRawPointer(slots + max(1, program.cursorCount))
    stepCounts = StepCounts(in: end)
    ranOnce = (end + StepCounts.byteCount)
      .bindMemory(to: UInt8.self, capacity: program.instructionCount)
    ranOnce.initialize(repeating: 0, count: program.instructionCount)
    tables = program.plainTables
    scanCounts =
      program.isMeasured ? ScanCounts(loopCount: program.tables.scanLoops.count) : nil
    frame = CallFrame(host: host.functionHost, encoding: program.encoding)
  }

  deinit {
    for index in 0..<program.cursorCount { slots[index].deinitialize() }
    Memory.free(slots)
    let total = program.registerCount + parameterCount + 1 + VM.temporaryCount
    for index in 0..<total { registers[index].deinitialize() }
    Memory.free(registers)
    frames?.release()
  }

  /// Ends the execution: closes cursors and makes registers NULL, so that the program can be run
  /// again. Bindings stay.
  func reset() {
    guard isRunning else { return }
    giveBack()
    restart()
  }

  /// Gives back what the execution holds of pages and row stores, whose values are gone then. What
  /// it has counted stays until `restart`.
  func giveBack() {
    closeCursors()
    for index in 0..<registerCount {
      registers[index].setNull()
      if registers[index].capacity > VM.keptByteCount { registers[index].deinitialize() }
    }
    if frames != nil { forgetBorrowedBytes() }
  }

  /// A register of a statement that does not run keeps a buffer of at most so many bytes.
  private static let keptByteCount: Int32 = 64 << 10

  /// Makes a machine that has given back everything ready for the next execution.
  func restart() {
    isRunning = false
    isExpired = false
    frame.forgetCalls()
    ranOnce.update(repeating: 0, count: instructionCount)
    address = 0
    comparison = 0
    resultCount = 0
    errorPolicy = .abort
    changeCount = 0
    sortCount = 0
    statementSavepoint = 0
    foreignKeyCount = 0
  }

  /// Gives back what the cursors hold: pages, and places in trees.
  func closeCursors() {
    for index in 0..<cursorCount { slots[index].close() }
  }

  /// Runs until a row is ready or the program ends. After `done` or an error, the machine is reset
  /// before it runs again.
  func run() throws(SQLError) -> StepResult {
    begin()
    let result = try execute()
    return result == .call ? try runCalled() : result
  }

  func begin() {
    isRunning = true
    resultCount = 0
  }

  /// Whether the rows of a set are read, not only looked up.
  func isReadBack(_ cursor: Int32) -> Bool { readBackCursors.contains(cursor) }
}
