import CSQLite3
import MartletEngine

/// A scan of a virtual table of the program (`sqlite3_vtab_cursor`).
final class ModuleCursor: VirtualTableCursor {
  private let cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>
  private let methods: UnsafePointer<sqlite3_module>
  private let table: ModuleTable
  /// What `xColumn` gets, once there was a column.
  private var context: ContextHandle?
  /// The arguments of `xFilter`.
  private var arguments = ValueArray()

  init(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>, _ table: ModuleTable) {
    self.cursor = cursor
    self.table = table
    methods = table.methods
    table.table.pointee.nRef += 1
  }

  deinit {
    table.table.pointee.nRef -= 1
    _ = methods.pointee.xClose?(cursor)
    arguments.deallocate()
    context?.destroy()
  }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    guard let filter = methods.pointee.xFilter else { throw SQLError(.internal) }
    context?.pointee.columnPointers.rowChanged()
    // Without arguments, too, there is an array: languages that make a slice of it want an address.
    try arguments.reserve(max(1, scan.count))
    for position in 0..<scan.count {
      if let list = scan.list(position) {
        try arguments.set(position, list)
      } else {
        arguments.set(position, scan.reference(position))
      }
    }
    defer { arguments.endLists() }
    try table.check(
      filter(
        cursor, scan.number, scan.keptText?.bytes, Int32(truncatingIfNeeded: scan.count),
        arguments.pointers))
    try arguments.checkNothingIsLost()
  }

  override func advance() throws(SQLError) {
    guard let next = methods.pointee.xNext else { return }
    context?.pointee.columnPointers.rowChanged()
    try table.check(next(cursor))
  }

  override var isAtEnd: Bool { methods.pointee.xEof?(cursor) ?? 1 != 0 }

  override func rowid() throws(SQLError) -> Int64 {
    var rowID: sqlite3_int64 = 0
    if let read = methods.pointee.xRowid { try table.check(read(cursor, &rowID)) }
    return rowID
  }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard let read = methods.pointee.xColumn else { return }
    let context = try context(for: value.place)
    let code = read(cursor, context.opaque, Int32(truncatingIfNeeded: column))
    if context.pointee.error != SQLITE_OK || code != SQLITE_OK {
      try readFailed(context, code)
    } else {
      try table.check(code)
    }
  }

  @inline(__always)
  private func context(for result: ResultPlace) throws(SQLError) -> ContextHandle {
    guard let context else {
      let made = try ContextHandle.make(table.module.connection, nil, result: result)
      context = made
      return made
    }
    context.pointee.result = result
    return context
  }

  /// What is set as an error in the context counts more than what the method returns.
  @inline(never)
  private func readFailed(_ context: ContextHandle, _ code: Int32) throws(SQLError) {
    let failure = context.takeError()
    do throws(SQLError) {
      try table.check(code)
    } catch {
      throw failure ?? error
    }
    if let failure { throw failure }
  }
}
