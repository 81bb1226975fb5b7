extension Connection {
  /// Compiles the first statement of `sql`.
  ///
  /// - Throws: `SQLError` with SQLite's message and the offset of what is wrong; `misuse` where
  ///   there is no statement at all.
  public func prepare(_ sql: String) throws(SQLError) -> Statement {
    var sql = sql
    // `withUTF8` passes no typed errors on.
    let result = sql.withUTF8 { bytes in
      Result { () throws(SQLError) in try prepare(bytes).statement }
    }
    guard let statement = try result.get() else {
      throw SQLError(.misuse, "no SQL statement")
    }
    return statement
  }

  /// The same of SQL with names that the engine has given, whose bytes come back
  /// (`String.textBytes`).
  public func prepare(withNames sql: String) throws(SQLError) -> Statement {
    let result = sql.withTextBytes { bytes in
      Result { () throws(SQLError) in try prepare(bytes).statement }
    }
    guard let statement = try result.get() else {
      throw SQLError(.misuse, "no SQL statement")
    }
    return statement
  }

  /// Compiles a statement for a virtual table of this connection, which keeps it while it is
  /// connected: for the rows of shadow tables.
  ///
  /// Unlike others it does not keep the connection alive, which owns the table: it must be released
  /// with the table, and used by nobody else.
  ///
  /// - Throws: As `prepare`.
  public func prepare(forVirtualTable sql: String) throws(SQLError) -> Statement {
    let text = try SQLText.copying(own: sql)
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw SQLError(.misuse, "the connection is closed") }
    try noticeInterrupt()
    try checkLength(ofText: text.count)
    guard let parsed = try Parser.parse(text, limits: limits.parser) else {
      throw SQLError(.misuse, "no SQL statement")
    }
    parsed.options = .isFromSchema
    return try Statement(
      connection: self, source: StatementSource(parsed), program: try compile(parsed),
      options: parsed.options, isOwnedByConnection: true)
  }

  /// Compiles the first statement of UTF-8 bytes.
  ///
  /// - Returns: The statement, nil where the bytes hold only blanks and comments; and how many
  ///   bytes it took: the next statement begins there.
  public func prepare(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> (statement: Statement?, consumed: Int) {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw SQLError(.misuse, "the connection is closed") }
    try noticeInterrupt()
    try checkLength(ofText: sql.count)
    var rest: Int?
    var byteCount = Connection.firstPieceSize
    while byteCount < sql.count {
      let piece = UnsafeBufferPointer(rebasing: sql[..<byteCount])
      if let (statement, consumed) = try prepare(piece: piece, [], &rest) {
        return (statement, consumed)
      }
      byteCount *= 8
    }
    return try prepare(whole: sql, [], &rest)
  }

  /// Compiles the first statement of a text that a zero byte ends. Of a long text no more is looked
  /// at than the statement needs.
  ///
  /// - Parameters:
  ///   - byteLimit: The text ends there at the latest.
  ///   - rest: Is set to where the next statement begins; where compiling fails, to where what was
  ///     not looked at begins, if anything was.
  /// - Returns: The statement, nil where there are only blanks and comments.
  public func prepare(
    cString sql: UnsafePointer<UInt8>, byteLimit: Int? = nil, options: PrepareOptions = [],
    rest: inout Int?
  ) throws(SQLError) -> Statement? {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw SQLError(.misuse, "the connection is closed") }
    if let byteLimit { try checkLength(ofText: sql, byteLimit) }
    rest = 0
    try noticeInterrupt()
    let longest = limits[.sqlLength]
    var pieceSize = min(Connection.firstPieceSize, longest &+ 1)
    while true {
      let limit = min(pieceSize, byteLimit ?? pieceSize)
      let piece = UnsafeBufferPointer(start: sql, count: limit)
      let byteCount = Memory.firstZero(in: piece) ?? limit
      let text = UnsafeBufferPointer(rebasing: piece[..<min(byteCount, longest)])
      if byteCount < pieceSize {
        let (statement, consumed) = try prepare(whole: text, options, &rest)
        rest = consumed
        return statement
      }
      if let (statement, consumed) = try prepare(piece: text, options, &rest) {
        rest = consumed
        return statement
      }
      // What is too long is the statement, not what follows it.
      guard byteCount <= longest else {
        let (statement, consumed) = try prepare(tooLong: piece, options, &rest)
        rest = consumed
        return statement
      }
      pieceSize = min(pieceSize &* 8, longest &+ 1)
    }
  }

  /// The text goes beyond the limit with its last byte. What is wrong before the token that crosses
  /// it is what is reported; a statement may end there, too.
  private func prepare(
    tooLong sql: UnsafeBufferPointer<UInt8>, _ options: PrepareOptions, _ rest: inout Int?
  ) throws(SQLError) -> (statement: Statement?, consumed: Int) {
    let text = try SQLText(copying: sql)
    let (end, crossing) = Tokenizer.crossing(sql.count - 1, of: text.start)
    text.end(at: end)
    var stop = 0
    let parsed: ParsedStatement?
    do {
      parsed = try Parser.parse(text, limits: limits.parser, rest: &stop)
    } catch where stop <= end {
      rest = stop
      throw error
    } catch {
      parsed = nil
    }
    if let parsed, parsed.endOffset <= end { return try prepare(parsed, options, &rest) }
    rest = crossing
    throw .tooBig
  }

  /// An interrupt is also about what is compiled while other statements run.
  private func noticeInterrupt() throws(SQLError) {
    guard isInterrupted, !ignoresInterrupts else { return }
    guard runningStatements.isEmpty else { throw SQLError(.interrupt) }
    attentionFlag.lower(.interrupt)
  }

  /// Of a script, the statement's text is copied with what follows up to this size: copying the
  /// whole rest for each statement would take time that grows with the square of its length.
  private static let firstPieceSize = 4_096

  /// Compiles the first statement of a piece of text; nil if it may go on behind the piece.
  private func prepare(
    piece: UnsafeBufferPointer<UInt8>, _ options: PrepareOptions, _ rest: inout Int?
  ) throws(SQLError) -> (statement: Statement?, consumed: Int)? {
    let text = try SQLText(copying: piece)
    if options.isEmpty, sharesPrograms, let candidate = programs.templates.firstCandidate(piece),
      let known = try prepare(likeEarlier: text, from: candidate), known.consumed < piece.count
    {
      return known
    }
    let found: ParsedStatement?
    do {
      found = try Parser.parse(text, limits: limits.parser)
    } catch {
      return nil
    }
    guard let parsed = found, parsed.endOffset < piece.count else { return nil }
    return try prepare(parsed, options, &rest)
  }

  private func prepare(
    whole sql: UnsafeBufferPointer<UInt8>, _ options: PrepareOptions, _ rest: inout Int?
  ) throws(SQLError) -> (statement: Statement?, consumed: Int) {
    let sharesPrograms = options.isEmpty && sharesPrograms
    if sharesPrograms, let known = programs.find(sql, catalog: catalog) {
      try requireRoom()
      let statement = try Statement(
        connection: self, source: known.source, program: known.program)
      return (statement, known.endOffset)
    }
    let text = try SQLText(copying: sql)
    if sharesPrograms, let candidate = programs.templates.firstCandidate(sql),
      let known = try prepare(likeEarlier: text, from: candidate)
    {
      return known
    }
    var stop = 0
    defer { rest = stop }
    guard let parsed = try Parser.parse(text, limits: limits.parser, rest: &stop) else {
      try refuseComments(text, from: 0, to: text.count)
      return (nil, text.count)
    }
    stop = parsed.endOffset
    return try prepare(parsed, options, &rest)
  }

  private func prepare(
    _ parsed: ParsedStatement, _ options: PrepareOptions, _ rest: inout Int?
  ) throws(SQLError) -> (statement: Statement?, consumed: Int) {
    rest = parsed.endOffset
    parsed.options = options
    let program = try compile(parsed)
    let statement = try Statement(
      connection: self, source: StatementSource(parsed), program: program, options: options)
    if options.isEmpty && sharesPrograms && !program.tables.dependsOnApplication {
      programs.keep(parsed, program)
      programs.templates.keep(parsed)
    }
    return (statement, parsed.endOffset)
  }

  /// Compiles the statement at `offset` and moves it behind the statement.
  func prepare(_ text: SQLText, _ offset: inout Int) throws(SQLError) -> Statement? {
    lock.lock()
    defer { lock.unlock() }
    guard !isClosed else { throw SQLError(.misuse, "the connection is closed") }
    try noticeInterrupt()
    guard let parsed = try Parser.parse(text, from: offset, limits: limits.parser) else {
      try refuseComments(text, from: offset, to: text.count)
      offset = text.count
      return nil
    }
    offset = parsed.endOffset
    return try Statement(
      connection: self, source: StatementSource(parsed), program: try compile(parsed))
  }

  /// SQL to program: the life of a query in one column.
  ///
  /// - Parameter parameters: What the statement is bound to, where it was compiled before.
  func compile(
    _ parsed: ParsedStatement, for parameters: PlanParameters? = nil
  ) throws(SQLError) -> Program {
    guard let refusal = parsed.refusal else { return try compileWhole(parsed, for: parameters) }
    // It acts all the same; whatever is wrong with it is not what is reported.
    do throws(SQLError) { _ = try compileWhole(parsed, for: parameters) } catch {}
    throw refusal
  }

  private func compileWhole(
    _ parsed: ParsedStatement, for parameters: PlanParameters?
  ) throws(SQLError) -> Program {
    busyWaiter.startOver()
    try refuseComments(parsed.text, from: Int(parsed.range.start), to: parsed.endOffset)
    if needsSchema(parsed.statement) {
      // What takes a change back takes little, and must not fail here.
      try requireRoom()
      try loadSchemas()
    }
    let outer = planParameters
    let parameters = parameters ?? newParameters()
    let outerNamed = namedDatabases.bits
    let outerOptions = settings.prepareOptions
    var outerStrings: [String] = []
    swap(&outerStrings, &namedDatabases.strings)
    parsed.trees.supervisor = self
    planParameters = parameters
    settings.prepareOptions = parsed.options
    namedDatabases.bits = 0
    defer {
      planParameters = outer
      settings.prepareOptions = outerOptions
      namedDatabases.bits = outerNamed
      namedDatabases.strings = outerStrings
      parsed.trees.supervisor = nil
    }
    let compiled = try compileWithPresentSchema(parsed)
    let program = try listing(of: compiled, parsed.explain)
    if program !== compiled {
      program.countsAsChange = !compiled.isReadOnly || compiled.countsAsChange
    }
    guard ProgramBuilder.room(for: program.instructionCount) <= limits[.programLength] else {
      throw .outOfMemory
    }
    // Names are texts, too.
    if program.columns.contains(where: { Int($0.label.count) > lengthLimit }) { throw .tooBig }
    program.planParameters = parameters.asked
    program.isForItsLiterals = parameters.meetsLiterals
    if !namedDatabases.strings.isEmpty { program.doubleQuotedStrings = namedDatabases.strings }
    return program
  }

  /// Asks for the memory of a statement, now and then for that of several.
  @inline(__always)
  func requireRoom() throws(SQLError) {
    preparedCount &+= 1
    try Memory.requireRoom(forStatement: preparedCount)
  }

  /// Parameters of which no value is known.
  private func newParameters() -> PlanParameters {
    if planParameters != nil { return PlanParameters(values: nil, count: 0, encoding: .utf8) }
    unknownParameters.clear()
    return unknownParameters
  }

  /// A comment is no token where comments are switched off.
  private func refuseComments(
    _ text: SQLText, from start: Int, to end: Int
  ) throws(SQLError) {
    guard settings.flags.contains(.refusesComments),
      let comment = Tokenizer.firstComment(text.start, from: start, to: end)
    else { return }
    let bytes = UnsafeBufferPointer(start: text.start + comment.lowerBound, count: comment.count)
    let shown = String(text: bytes)
    throw .sql("unrecognized token: \"\(shown)\"", offset: Int32(comment.lowerBound))
  }

  /// The program, or for EXPLAIN one that shows it.
  private func listing(
    of program: Program, _ explain: ExplainMode
  ) throws(SQLError) -> Program {
    switch explain {
    case .none: program
    case .queryPlan:
      try program.queryPlanListing(withTriggers: settings.flags.contains(.explainsTriggers))
        .program(catalog: catalog, explain: .queryPlan)
    case .program:
      try program.explainListing.program(catalog: catalog, explain: .program)
    }
  }

  /// What a statement names and what is not there may have been made by another connection: before
  /// it says so, the files are asked whether they have another schema by now.
  private func compileWithPresentSchema(_ parsed: ParsedStatement) throws(SQLError) -> Program {
    do {
      return try compileAskingForCollations(parsed)
    } catch {
      guard error.code == .error, needsSchema(parsed.statement), forgetOutdatedSchemas() else {
        throw error
      }
    }
    try loadSchemas()
    return try compileAskingForCollations(parsed)
  }

  /// The application may have collations that it makes when they are needed. What is read only, may
  /// be read without an index whose collation is not there.
  private func compileAskingForCollations(
    _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    // Compiling may run statements, which are compiled inside.
    let outer = avoidsCollations
    defer { avoidsCollations = outer }
    avoidsCollations = false
    var isLastAttempt = false
    while true {
      do {
        return try compileStatement(parsed)
      } catch where error.isStatementIgnored {
        return emptyProgram()
      } catch where error.code == .errorMissingCollation && !isLastAttempt {
        isLastAttempt = !findCollation(missedBy: error)
        avoidsCollations = isLastAttempt
      }
    }
  }

  private func needsSchema(_ statement: StatementSyntax) -> Bool {
    switch statement {
    case .pragma(let pragma): pragma.readsSchema
    case .begin, .commit, .rollback, .savepoint, .release: false
    // Within a transaction it is refused, whatever the schema is.
    case .vacuum: isAutocommit && !settings.flags.contains(.resetsDatabase)
    default: true
    }
  }

  private func compileStatement(_ parsed: ParsedStatement) throws(SQLError) -> Program {
    if let program = try compileDefinition(parsed) { return program }
    var environment = bindEnvironment(isDefinition: false)
    let bound = try Binder.bind(parsed, in: environment)
    programs.giveBack(&environment)
    if hooks.authorizer != nil { try authorizeSelects(of: bound) }
    switch bound {
    case .select, .insert, .update, .delete: return try program(of: bound, parsed)
    case .pragma(let pragma):
      return try emitPragma(pragma, parsed, bindEnvironment(isDefinition: false))
    case .vacuum(let database, let file):
      return try emitter(parsed).makeProgram([]) { (emitter) throws(SQLError) in
        try emitter.emitVacuum(ofDatabase: database, into: file)
      }
    case .begin(let kind):
      return Emitter.program(of: .begin, transactionModes(kind), catalog: catalog)
    case .commit: return Emitter.program(of: .commit, catalog: catalog)
    case .rollback: return Emitter.program(of: .rollback, catalog: catalog)
    case .savepoint(let change, let name):
      return Emitter.program(of: change, name.string, catalog: catalog)
    case .command(let command, let arguments):
      return try Emitter.program(
        for: command, arguments, catalog: catalog, collations: collations,
        explain: parsed.explain)
    }
  }

  /// The program of a query or a change.
  private func program(
    of bound: BoundStatement, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let emitter = emitter(parsed)
    defer {
      emitter.clear()
      programs.spareEmitter = emitter
    }
    switch bound {
    case .select(let select): return try emitter.makeProgram(for: select)
    case .insert(let insert):
      return try emitter.makeProgram(insert.returning) { (emitter) throws(SQLError) in
        try emitter.emitInsert(insert)
      }
    case .update(let update):
      return try emitter.makeProgram(update.returning) { (emitter) throws(SQLError) in
        try emitter.emitUpdate(update)
      }
    case .delete(let delete):
      return try emitter.makeProgram(delete.returning) { (emitter) throws(SQLError) in
        try emitter.emitDelete(delete)
      }
    default: throw SQLError(.internal)
    }
  }

  /// What binding needs to know of the connection: each is for one binding, and may be changed.
  ///
  /// - Parameter named: where what names lead to is noted, if not for the statement.
  func bindEnvironment(isDefinition: Bool, named: NamedDatabases? = nil) -> BindEnvironment {
    let flags = settings.flags, collations = collations
    let spare = named == nil ? programs.takeEnvironment(for: catalog, functions, collations) : nil
    let environment =
      spare
      ?? BindEnvironment(
        catalog: catalog, functions: functions, collations: collations,
        named: named ?? namedDatabases)
    environment.virtualTables = self
    // What .dump has written of an old file is taken back with a schema that may be written.
    environment.allowsDoubleQuotedStrings =
      isDefinition && !isSchemaWritable
      ? !flags.contains(.refusesDoubleQuotedDefinitions)
      : !flags.contains(.refusesDoubleQuotedStrings)
        || isDefinition && !flags.contains(.refusesDoubleQuotedDefinitions)
    environment.ignoresChecks = flags.contains(.ignoresChecks)
    environment.isSchemaWritable = isSchemaWritable
    environment.protectsShadowTables = protectsShadowTables
    environment.columnLimit = limits[.columnCount]
    environment.expressionDepthLimit = limits.parser.expressionDepth
    environment.columnNames = ColumnNaming(
      isLong: flags.contains(.hasFullColumnNames), isShort: flags.contains(.hasShortColumnNames))
    environment.trustsSchema = flags.contains(.trustsSchema)
    environment.refusesViews = flags.contains(.refusesViews)
    environment.refusesTriggers = flags.contains(.refusesTriggers)
    if let authorizer = hooks.authorizer {
      environment.authorizer = authorizer
      environment.selects = AuthorizedSelects(authorizer: authorizer, catalog: catalog)
    }
    environment.hasForeignKeys = flags.contains(.hasForeignKeys)
    environment.defersForeignKeys = flags.contains(.defersForeignKeys)
    environment.ignoresForeignKeyActions = flags.contains(.ignoresForeignKeyActions)
    environment.hasRecursiveTriggers = flags.contains(.hasRecursiveTriggers)
    if !isDefinition && !flags.contains(.hasStablePlans) {
      environment.parameters = planParameters
    }
    return environment
  }

  func emitter(_ parsed: ParsedStatement) -> Emitter {
    let emitter =
      programs.takeEmitter(
        for: catalog, collations, parsed.explain, measuresScans: measuresScans)
      ?? Emitter(
        catalog: catalog, collations: collations, explain: parsed.explain,
        measuresScans: measuresScans)
    emitter.named = namedDatabases
    emitter.trees = parsed.trees
    emitter.builder.longest = limits[.programLength]
    emitter.announcesChanges = hooks.announcesChanges
    emitter.deletesRowByRow = hooks.deletesRowByRow
    emitter.showsCount = settings.flags.contains(.countsChanges)
    emitter.explainsTriggers =
      parsed.explain == .queryPlan && settings.flags.contains(.explainsTriggers)
    emitter.functionHost = functionHost
    if !settings.flags.contains(.hasStablePlans) { emitter.planParameters = planParameters }
    if settings.flags.contains(.makesOldFormat) { emitter.newFileFormat = 1 }
    if settings.flags.contains(.reversesOrder) { emitter.planOptions.insert(.reversesOrder) }
    if !settings.flags.contains(.hasAutomaticIndexes) {
      emitter.planOptions.insert(.usesNoHashTables)
    }
    if settings.flags.contains(.scansNoCoveringIndexes) {
      emitter.planOptions.insert(.scansNoCoveringIndexes)
    }
    if avoidsCollations { emitter.planOptions.insert(.avoidsCollations) }
    return emitter
  }
}
