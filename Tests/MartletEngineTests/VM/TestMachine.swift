@testable import MartletEngine

/// A connection as far as programs need one.
final class TestHost: VMHost {
  let attention = AttentionFlag()
  let functionHost: FunctionHost
  var triggerDepthLimit: Int { 1_000 }
  var foreignKeys = ForeignKeyCounters()
  var defersForeignKeys: Bool { false }
  var isDefensive: Bool { false }
  var measuresScans: Bool { false }
  var workMemoryBudget = WorkMemory.defaultLimit
  var temporaryVFS: (any VFS)? = MemoryVFS()
  let openDatabases = OpenDatabases()
  var database: BTree? { didSet { openDatabases.set(database, ofDatabase: 0) } }
  var schemaCookie: UInt32 = 0

  init(_ database: BTree? = nil) throws {
    functionHost = try FunctionHost()
    self.database = database
    openDatabases.set(database, ofDatabase: 0)
  }

  func tree(ofDatabase index: Int) throws(SQLError) -> BTree {
    guard let database else { throw .sql("no database") }
    return database
  }

  func beginTransaction(
    onDatabase index: Int, _ mode: TransactionMode, _ version: SchemaVersion?, for vm: VM
  ) throws(SQLError) {
    guard version?.cookie == schemaCookie else { throw SQLError(.schema) }
  }

  func changeSavepoint(
    _ change: SavepointChange, _ name: String, for vm: VM
  ) throws(SQLError) {}

  func perform(
    _ command: ConnectionCommand, onDatabase index: Int,
    _ arguments: UnsafeMutablePointer<Register>, for vm: VM
  ) throws(SQLError) {}

  func forEachRow(
    ofPragma name: StaticString, argument: String?, schema: String?,
    _ body: (UnsafeMutablePointer<Register>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {}

  func statementFacts() -> [StatementFacts] { [] }

  func databaseIndex(named name: String) -> Int? { nil }

  func databaseName(at index: Int) -> String { "" }

  func treeRoots(ofDatabase index: Int) throws(SQLError) -> [(name: String, root: PageNumber)] {
    []
  }

  func createVirtualTable(_ name: String, inDatabase index: Int) throws(SQLError) {}

  func renameVirtualTable(_ table: Table, to name: String) throws(SQLError) {}

  func destroyVirtualTable(_ table: Table) throws(SQLError) {}

  func beginVirtualTransaction(_ table: Table?) throws(SQLError) {}

  func subprogramRuns(_ trigger: Trigger, step: Int?, of vm: VM) {}
  func rowWillChange(_ row: RowUnderChange) throws(SQLError) {}

  func rowChanged(_ kind: RowChangeKind, _ table: Table, rowid: Int64) {}

  func hasOtherReaders(than vm: VM) -> Bool { false }

  func schemaChanged(
    ofDatabase index: Int, firstRow: Int64?, reading: SchemaReading
  ) throws(SQLError) {}

  func objectDropped(
    _ object: DroppedObject, named name: String, fromDatabase index: Int
  ) throws(SQLError) {}

  func changeTransaction(_ change: TransactionChange) throws(SQLError) {}

  func headerValue(ofDatabase index: Int, _ field: HeaderField) throws(SQLError) -> Int64 { 0 }

  func attend() throws(SQLError) { throw SQLError(.interrupt) }
}

/// Runs programs that are put together by hand.
final class TestMachine {
  let builder = ProgramBuilder(catalog: Catalog())
  let host: TestHost
  private(set) var machine: VM?

  init(_ database: BTree? = nil) throws { host = try TestHost(database) }

  func register() -> Int32 { builder.newRegister().rawValue }

  func registers(_ count: Int) -> Int32 { builder.newRegisters(count).rawValue }

  /// A register that is set to a value when the program starts.
  func constant(_ value: TestValue) throws -> Int32 {
    var constant = Register()
    try TestRows.with([value]) { try constant.assign(from: $0.pointee) }
    let target = register()
    builder.emit(.constant, 0, target, p4: builder.addConstant(constant))
    return target
  }

  /// Finishes the program and makes its machine.
  func finish(parameterCount: Int = 0) throws -> VM {
    if let machine { return machine }
    builder.emit(.halt)
    let program = builder.finish(columns: [], explain: .none)
    if let violation = program.firstViolation { throw SQLError.sql(violation) }
    let vm = try VM(program: program, host: host, parameterCount: parameterCount)
    machine = vm
    return vm
  }

  /// All rows of one execution.
  func rows() throws -> [[TestValue]] {
    let vm = try finish()
    vm.reset()
    var rows: [[TestValue]] = []
    while try vm.run() == .row {
      rows.append((0..<vm.resultCount).map { TestValue(vm.resultBase[$0]) })
    }
    return rows
  }
}
