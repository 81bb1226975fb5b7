// Opcodes on transactions, whole trees and the connection.

extension VM {
  func beginTransaction(_ op: Operation) throws(SQLError) {
    if isTransactionOpen(op) { return }
    var version: SchemaVersion?
    if op.pointee.p4 >= 0 {
      version = SchemaVersion(
        cookie: UInt32(bitPattern: op.pointee.p3), generation: op.pointee.p4)
    }
    try host.beginTransaction(
      onDatabase: op.p1, TransactionMode(rawValue: UInt8(truncatingIfNeeded: op.p2)) ?? .read,
      version, for: self)
  }

  /// Whether the transaction goes on in which the program is to run: the usual case where many
  /// statements run between BEGIN and COMMIT.
  private func isTransactionOpen(_ op: Operation) -> Bool {
    guard op.pointee.p4 >= 0, op.p1 < OpenDatabases.capacity,
      let tree = databases[op.p1].tree
    else { return false }
    let version = databases[op.p1].version
    let cookie = UInt32(bitPattern: op.pointee.p3), bit: UInt64 = 1 << UInt64(op.p1)
    guard version.generation == op.pointee.p4, version.cookie == cookie else { return false }
    return tree._withUnsafeGuaranteedRef { tree in
      guard tree.pager.header.schemaCookie == cookie else { return false }
      if op.pointee.p2 == 0 { return transaction.pointee.reading & bit != 0 }
      return op.pointee.p2 == 1 && transaction.pointee.isPlainlyWriting(bit)
        && !traits.contains(.usesStatementJournal) && tree.pager.state != .failed
    }
  }

  func changeSavepoint(_ op: Operation) throws(SQLError) {
    try host.changeSavepoint(
      SavepointChange(rawValue: UInt8(truncatingIfNeeded: op.p1)) ?? .rollback,
      program.tables.texts[op.p4], for: self)
  }

  func readHeader(_ op: Operation) throws(SQLError) {
    let field = HeaderField(rawValue: UInt8(truncatingIfNeeded: op.p3)) ?? .userVersion
    registers[op.p2].setInteger(try host.headerValue(ofDatabase: op.p1, field))
  }

  func setMeta(_ op: Operation) throws(SQLError) {
    let tree = try host.tree(ofDatabase: op.p1)
    guard let field = MetaValue(rawValue: op.p2) else { throw SQLError(.internal) }
    var number = UInt32(bitPattern: op.pointee.p3)
    if field == .schemaCookie && op.pointee.p5 == 0 { number = try tree.meta(.schemaCookie) &+ 1 }
    try tree.updateMeta(field, to: number)
  }

  func objectDropped(_ op: Operation) throws(SQLError) {
    guard let object = DroppedObject(rawValue: UInt8(truncatingIfNeeded: op.p2)) else {
      throw SQLError(.internal)
    }
    try host.objectDropped(
      object, named: program.tables.texts[op.p4], fromDatabase: op.p1)
  }

  func perform(_ op: Operation) throws(SQLError) {
    guard let command = ConnectionCommand(rawValue: UInt8(truncatingIfNeeded: op.p1)) else {
      throw SQLError(.internal)
    }
    try host.perform(command, onDatabase: op.p2, registers + op.p3, for: self)
  }

  // MARK: Trees

  func createTree(_ op: Operation) throws(SQLError) {
    let root = try host.tree(ofDatabase: op.p1).createTree(op.p3 == 1 ? .table : .index)
    registers[op.p2].setInteger(Int64(root.rawValue))
  }

  /// A tree that others may be reading is not dropped.
  func destroyTree(_ op: Operation) throws(SQLError) {
    guard !host.hasOtherReaders(than: self) else { throw SQLError(.locked) }
    let tree = try host.tree(ofDatabase: op.p3)
    let moved = try tree.dropTree(PageNumber(UInt32(bitPattern: op.pointee.p1)))
    registers[op.p2].setInteger(Int64(moved.rawValue))
  }

  func clearTree(_ op: Operation) throws(SQLError) {
    let tree = try host.tree(ofDatabase: op.p2)
    let count = try tree.clearTree(PageNumber(UInt32(bitPattern: op.pointee.p1)))
    if op.pointee.p3 == 1 { changeCount &+= count }
  }

  func openWritableTree(_ op: Operation) throws(SQLError) {
    var root = op.pointee.p2
    if op.pointee.p5 == 1 {
      root = Int32(truncatingIfNeeded: registers[op.p2].integer)
    }
    try openTree(op, root: root)
    try (slots + op.p1).withCursor { $0.isWriter = true }
  }

  /// Registers keep what they have of pages that are about to change.
  func ownBorrowedBytes() throws(SQLError) {
    try forEachFrame { (machine) throws(SQLError) in try machine.ownRegisters() }
  }

  func ownRegisters() throws(SQLError) {
    // Others are not touched: other threads may read them (`Statement.columnInt64`).
    let all = UnsafePointer(registers)
    for index in 0..<registerCount where all[index].borrowsPageBytes {
      try registers[index].makeOwned()
    }
  }

  /// The same where there is no memory to keep it: the values are gone.
  func forgetBorrowedBytes() {
    forEachFrame { $0.forgetRegisters() }
  }

  private func forgetRegisters() {
    let all = UnsafePointer(registers)
    for index in 0..<registerCount where all[index].borrowsPageBytes {
      registers[index].setNull()
    }
  }

  /// A rollback has taken the statement's transaction away: functions that return to it fail.
  func trip(_ code: ResultCode) {
    forEachFrame { $0.frame.tripCode = code }
  }

  /// The schema that the program was made for is gone: it opens no more trees. `code` is what the
  /// next use of its cursors gives, where pages of its trees may be others' now.
  func expire(_ code: ResultCode?) {
    isExpired = true
    guard let code else { return }
    forEachFrame { machine in
      for index in 0..<machine.cursorCount where machine.slots[index].kind == .tree {
        machine.slots[index].cursor?._withUnsafeGuaranteedRef { $0.expire(code) }
      }
    }
  }
}
