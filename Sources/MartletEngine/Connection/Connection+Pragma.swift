// PRAGMA (pragma). What SQLite carries out when a pragma is prepared is carried out here then; the
// other pragmas become programs. A name that SQLite does not know does nothing.

extension Connection {
  func emitPragma(
    _ pragma: PragmaStatement, _ parsed: ParsedStatement, _ environment: BindEnvironment
  ) throws(SQLError) -> Program {
    let program = try carryOut(pragma, parsed, environment)
    program.isForOneRun = !program.readsWhenRun
    return program
  }

  private func carryOut(
    _ pragma: PragmaStatement, _ parsed: ParsedStatement, _ environment: BindEnvironment
  ) throws(SQLError) -> Program {
    let database = try databaseIndex(of: pragma.schema, parsed.text)
    if let authorizer = hooks.authorizer {
      try authorizer.require(
        .pragma, pragma.name.string, pragma.argument,
        database: pragma.schema.map { _ in catalog.databases[database].name.string })
    }
    if database == 1 { try openTemporaryDatabase() }
    if let program = try answerOfFile(pragma, database) { return program }
    guard let known = pragma.known else { return emptyProgram() }
    let call = PragmaCall(
      pragma: known, argument: pragma.argument.map { PragmaValue(text: $0) }, database: database,
      schema: pragma.schema)
    if known == .integrityCheck || known == .quickCheck {
      if call.schema == nil { try openTemporaryDatabase() }
      environment.authorizer = nil
      return try integrityCheck(call, parsed, environment)
    }
    if known == .foreignKeyCheck {
      return try foreignKeyCheck(call, parsed, environment)
    }
    if known == .optimize { return try optimize(call, parsed) }
    if let program = try schemaPragma(call) { return program }
    if let program = try headerPragma(call) { return program }
    if let program = try storagePragma(call) { return program }
    if let program = try journalPragma(call) { return program }
    if let program = try flagPragma(call) { return program }
    if let program = try listPragma(call) { return program }
    throw .notSupported("PRAGMA \(known.name)")
  }

  private func databaseIndex(
    of schema: Name?, _ text: SQLText
  ) throws(SQLError) -> Int {
    if let index = databaseIndex(named: schema) { return index }
    guard let schema else { return 0 }
    throw .sql("unknown database \(text.written(schema))")
  }

  /// The database that a pragma is about; nil for a name that is none's.
  func databaseIndex(named schema: Name?) -> Int? {
    guard let schema else { return 0 }
    for index in databases.indices where databases[index].name.matches(schema) { return index }
    return schema == Name("main") ? 0 : nil
  }

  // MARK: Programs

  func emptyProgram() -> Program { program(columns: []) { _ in } }

  /// A row with one number, named like the pragma.
  func numberProgram(_ call: PragmaCall, _ number: Int64) throws(SQLError) -> Program {
    try listing(RowListing(columns: [call.name], rows: [[.integer(number)]]))
  }

  func textProgram(_ call: PragmaCall, _ text: String) throws(SQLError) -> Program {
    try listing(RowListing(columns: [call.name], rows: [[.text(text)]]))
  }

  func listing(_ rows: RowListing) throws(SQLError) -> Program {
    try rows.program(catalog: catalog, explain: .none)
  }

  /// A program without loops over tables.
  func program(columns: [Name], _ body: (ProgramBuilder) -> Void) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    body(builder)
    builder.emit(.halt)
    return builder.finish(columns: columns.map { OutputColumn(label: $0) }, explain: .none)
  }

  /// A program that has the connection do something with one register, and shows the register.
  func performingProgram(
    _ command: ConnectionCommand, _ call: PragmaCall, argument: Int32
  ) -> Program {
    program(columns: [call.name]) { builder in
      let register = builder.newRegister()
      builder.emitTransaction(onDatabase: call.database, .read)
      builder.emit(.integer, argument, register.rawValue)
      builder.emit(.perform, Int32(command.rawValue), Int32(call.database), register.rawValue)
      builder.emit(.resultRow, register.rawValue, 1)
    }
  }
}

extension ProgramBuilder {
  /// Begins a transaction whatever the schema is.
  func emitPlainTransaction(onDatabase index: Int, _ mode: TransactionMode) {
    emit(.transaction, Int32(index), Int32(mode.rawValue))
    usesTransactions = true
    if mode != .read { isReadOnly = false }
  }
}
