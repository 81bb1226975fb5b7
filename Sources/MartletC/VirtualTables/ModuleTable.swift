import CSQLite3
import MartletEngine

/// A virtual table of the program (`sqlite3_vtab`).
final class ModuleTable: VirtualTable, FunctionOverloading {
  let table: UnsafeMutablePointer<sqlite3_vtab>
  let module: Module
  /// The methods, in place.
  let methods: UnsafePointer<sqlite3_module>
  /// The arguments of `xUpdate`.
  private var change = ValueArray()
  /// `xDestroy` has ended the table.
  private var isDestroyed = false

  init(_ table: UnsafeMutablePointer<sqlite3_vtab>, _ module: Module) {
    self.table = table
    self.module = module
    methods = module.methods
  }

  deinit {
    change.deallocate()
    if !isDestroyed { _ = methods.pointee.xDisconnect?(table) }
  }

  /// Throws what a method returned, with the message that it left in the table.
  @inline(__always)
  func check(_ code: Int32) throws(SQLError) {
    if code != SQLITE_OK || table.pointee.zErrMsg != nil { try fail(code) }
  }

  @inline(never)
  private func fail(_ code: Int32) throws(SQLError) {
    let message = string(table.pointee.zErrMsg)
    sqlite3_free(table.pointee.zErrMsg)
    table.pointee.zErrMsg = nil
    guard code != SQLITE_OK else { return }
    let error = ResultCode(rawValue: code)
    throw message.map { SQLError(error, $0) } ?? SQLError(error)
  }

  /// Throws what a method returned, whose message nobody asks for.
  private func checkCode(_ code: Int32) throws(SQLError) {
    if code != SQLITE_OK { throw SQLError(ResultCode(rawValue: code)) }
  }

  // MARK: Scans

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    guard let bestIndex = methods.pointee.xBestIndex else { throw SQLError(.internal) }
    let question = try IndexQuestion.make(plan, module.connection)
    defer { question.destroy() }
    try check(bestIndex(table, question.info))
    question.answer()
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    guard let open = methods.pointee.xOpen else { throw SQLError(.internal) }
    var cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
    try check(open(table, &cursor))
    guard let cursor else { throw SQLError(.internal) }
    cursor.pointee.pVtab = table
    return ModuleCursor(cursor, self)
  }

  // MARK: Changes

  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    guard let update = methods.pointee.xUpdate else { throw SQLError(.readOnly) }
    let count = change.referenceCount
    // A trigger of what the table writes may change the table: its arguments are others.
    var values = self.change
    self.change = ValueArray()
    defer {
      self.change.deallocate()
      self.change = values
    }
    try values.reserve(count)
    for position in 0..<count { values.set(position, change.reference(position)) }
    let core = module.connection.core
    let outerPolicy = core.conflictPolicy
    core.conflictPolicy = change.conflictPolicy
    defer { core.conflictPolicy = outerPolicy }
    var rowID: sqlite3_int64 = 0
    try check(update(table, Int32(truncatingIfNeeded: count), values.pointers, &rowID))
    try values.checkNothingIsLost()
    return rowID
  }

  // MARK: Transactions

  func begin() throws(SQLError) {
    if let begin = methods.pointee.xBegin { try check(begin(table)) }
  }

  func sync() throws(SQLError) {
    if let sync = methods.pointee.xSync { try check(sync(table)) }
  }

  func commit() { _ = methods.pointee.xCommit?(table) }

  func rollback() { _ = methods.pointee.xRollback?(table) }

  func openSavepoint(_ number: Int) throws(SQLError) {
    try checkCode(methods.pointee.xSavepoint?(table, Int32(truncatingIfNeeded: number)) ?? 0)
  }

  func release(_ number: Int) throws(SQLError) {
    try checkCode(methods.pointee.xRelease?(table, Int32(truncatingIfNeeded: number)) ?? 0)
  }

  func rollback(to number: Int) throws(SQLError) {
    try checkCode(methods.pointee.xRollbackTo?(table, Int32(truncatingIfNeeded: number)) ?? 0)
  }

  // MARK: The table as a whole

  func destroy() throws(SQLError) {
    if table.pointee.nRef > 0 { throw SQLError(.locked) }
    guard let destroy = methods.pointee.xDestroy ?? methods.pointee.xDisconnect else { return }
    try checkCode(destroy(table))
    isDestroyed = true
  }

  func rename(to name: String) throws(SQLError) {
    guard let rename = methods.pointee.xRename else { return }
    try check(name.withFileName { rename(table, $0) })
  }

  func checkIntegrity(
    schema: String, table name: String, isQuick: Bool
  ) throws(SQLError) -> String? {
    guard let check = methods.pointee.xIntegrity else { return nil }
    var finding: UnsafeMutablePointer<CChar>?
    let code = schema.withFileName { schema in
      name.withFileName { check(table, schema, $0, isQuick ? 1 : 0, &finding) }
    }
    defer { sqlite3_free(finding) }
    try checkCode(code)
    return string(finding)
  }

  // MARK: Functions

  func function(named name: String, argumentCount: Int) -> OverloadedFunction? {
    guard let find = methods.pointee.xFindFunction else { return nil }
    var body: CFunctionBody?, userData: UnsafeMutableRawPointer?
    let result = name.withFileName {
      find(table, Int32(truncatingIfNeeded: argumentCount), $0, &body, &userData)
    }
    guard result != 0, let body else { return nil }
    let function = CFunction(module.connection, userData, nil)
    return OverloadedFunction(
      raw: CScalarFunction(function, body),
      operator: VirtualTableOperator(rawValue: UInt8(truncatingIfNeeded: result)))
  }
}
