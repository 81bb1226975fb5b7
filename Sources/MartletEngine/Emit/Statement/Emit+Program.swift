extension Emitter {
  /// The program of a SELECT.
  ///
  ///     0      start → set-up
  ///     1      …the query…
  ///            halt
  ///     set-up transaction, open cursors, constants
  ///            goto 1
  func makeProgram(for select: BoundSelect) throws(SQLError) -> Program {
    statementID = select.id
    firstSource = select.firstSource
    selectCount = select.highestNumber
    return try makeProgram(select.columns) { (emitter) throws(SQLError) in
      try emitter.emitSelect(select, to: .output)
    }
  }

  /// A program whose body `emitBody` makes, and whose rows have these columns.
  func makeProgram(
    _ columns: some Collection<BoundResultColumn>,
    _ emitBody: (Emitter) throws(SQLError) -> Void
  ) throws(SQLError) -> Program {
    let setUp = newLabel()
    emit(.start, 0, setUp.operand)
    let entry = newLabel()
    place(entry)
    if measuresScans { emitMark(.resume, -1) }
    try emitBody(self)
    if measuresScans { emitMark(.pause, -1) }
    emit(.halt)
    place(setUp)
    try emitSetUp()
    emitGoto(entry)
    noteFormats()
    if let count {
      return builder.finish(columns: [OutputColumn(label: count.label)], explain: explain)
    }
    return builder.finish(
      columns: columns.map {
        OutputColumn(label: $0.label, table: $0.originTable, column: $0.originColumn)
      }, explain: explain)
  }

  func emitSetUp() throws(SQLError) {
    if let named { databases |= named.bits }
    for database in 0..<catalog.databases.count where databases & (1 << UInt64(database)) != 0 {
      let isWritten = writtenDatabases & (1 << UInt64(database)) != 0
      builder.emitTransaction(onDatabase: database, isWritten ? .write : .read)
    }
    for opening in openings { builder.emit(opening) }
    try emitSequenceStarts()
    try emitFactored()
  }

  /// Computes the constants.
  func emitFactored() throws(SQLError) {
    // A constant's operands may be factored too: the list grows while it is emitted.
    mayFactor = false
    var index = 0
    while index < factored.count {
      try emit(factored[index].expression, into: factored[index].register)
      index += 1
    }
  }
}

extension BoundSelect {
  /// The first source of FROM; of a compound, that of the last part that has one.
  var firstSource: SourceID? {
    switch self.body {
    case .simple(let simple): return simple.sources.first?.id
    case .compound(let parts, _, _):
      for part in parts.reversed() {
        if let source = part.firstSource { return source }
      }
      return nil
    case .values, .recursive, .currentRow: return nil
    }
  }
}
