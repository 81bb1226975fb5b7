extension Emitter {
  /// VACUUM: the connection does it, with two registers: whether there is INTO, and its file.
  func emitVacuum(
    ofDatabase index: Int, into file: BoundExpression?
  ) throws(SQLError) {
    let register = builder.newRegisters(2)
    emitInteger(file == nil ? 0 : 1, into: register)
    if let file { try emit(file, into: register + 1) }
    builder.isReadOnly = false
    builder.usesTransactions = true
    emit(
      .perform, Int32(ConnectionCommand.vacuum.rawValue), Int32(index), register.rawValue)
  }
}
