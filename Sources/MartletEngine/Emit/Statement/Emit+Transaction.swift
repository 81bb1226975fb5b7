// Statements that are the connection's own business: transactions, savepoints, ATTACH and DETACH.

extension Emitter {
  /// The program of BEGIN, COMMIT or ROLLBACK. `modes` are the transactions that begin at once, one
  /// for each database, whatever its schema is.
  static func program(
    of change: TransactionChange, _ modes: [TransactionMode] = [], catalog: Catalog
  ) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    builder.usesTransactions = true
    for (database, mode) in modes.enumerated() {
      builder.emit(.transaction, Int32(database), Int32(mode.rawValue), 0)
      if mode != .read { builder.isReadOnly = false }
    }
    builder.emit(.autocommit, Int32(change.rawValue))
    builder.emit(.halt)
    return builder.finish(columns: [], explain: .none)
  }

  /// The program of SAVEPOINT, RELEASE or ROLLBACK TO.
  static func program(
    of change: SavepointChange, _ name: String, catalog: Catalog
  ) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    builder.usesTransactions = true
    builder.emit(.savepoint, Int32(change.rawValue), p4: builder.addText(name))
    builder.emit(.halt)
    return builder.finish(columns: [], explain: .none)
  }

  /// The program of a command to the connection.
  ///
  ///     0      start → set-up
  ///     1      …arguments…
  ///            perform
  ///            halt
  ///     set-up as for a SELECT: the arguments may have subqueries
  static func program(
    for command: ConnectionCommand, _ arguments: [BoundExpression], catalog: Catalog,
    collations: [Collation], explain: ExplainMode
  ) throws(SQLError) -> Program {
    let emitter = Emitter(catalog: catalog, collations: collations, explain: explain)
    let setUp = emitter.newLabel()
    emitter.emit(.start, 0, setUp.operand)
    let entry = emitter.newLabel()
    emitter.place(entry)
    let first = emitter.builder.newRegisters(max(1, arguments.count))
    try emitter.emit(arguments, into: first)
    emitter.emit(.perform, Int32(command.rawValue), 0, first.rawValue)
    emitter.emit(.halt)
    emitter.place(setUp)
    try emitter.emitSetUp()
    emitter.emitGoto(entry)
    return emitter.builder.finish(columns: [], explain: explain)
  }
}
