extension Emitter {
  /// VACUUM: the connection does it, with the file in the register.
  func emitVacuum(
    ofDatabase index: Int, into file: BoundExpression?
  ) throws(SQLError) {
    let register = newRegister()
    if let file {
      try emit(file, into: register)
    } else {
      emitNull(register)
    }
    builder.isReadOnly = false
    builder.usesTransactions = true
    emit(
      .perform, Int32(ConnectionCommand.vacuum.rawValue), Int32(index), register.rawValue)
  }
}
