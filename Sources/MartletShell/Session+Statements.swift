import MartletEngine

extension Session {
  /// Runs every statement of `sql`; false after the first error.
  func run(_ sql: [UInt8], source: SQLSource) -> Bool {
    guard let connection = open() else { return false }
    var rest = sql[...]
    while true {
      rest = rest.drop(while: isSpace)
      if rest.isEmpty { return true }
      let prepared: (statement: Statement?, consumed: Int)
      do throws(SQLError) {
        prepared = try prepare(rest, on: connection)
      } catch {
        if let refusal = watch.refusal {
          refuse(refusal, source)
          return false
        }
        let text = String(decoding: rest, as: UTF8.self)
        write(toLog: error, "\(error.message) in \"\(text)\"")
        printError(errorText(error, isParseError: true, sql: rest, source: source))
        return false
      }
      do throws(SQLError) {
        if let statement = prepared.statement {
          if isSafe, SQLWords(statement.sql).vacuumsIntoFile {
            refuse("cannot run ATTACH in safe mode", source)
            return false
          }
          try execute(statement, on: connection)
        }
      } catch {
        let sql = prepared.statement?.sql ?? ""
        write(toLog: error, "statement aborts: \(error.message); [\(sql)]")
        printError(errorText(error, isParseError: false, sql: rest, source: source))
        return false
      }
      rest = rest.dropFirst(max(prepared.consumed, 1))
      // What was written behind the statement was to follow it.
      if Interruption.isPending { return false }
    }
  }

  private func write(toLog error: SQLError, _ text: String) {
    guard let log else { return }
    log.write("(\(error.code.rawValue)) \(text)\n")
    log.flush()
  }

  /// What safe mode refuses ends the shell.
  private func refuse(_ what: String, _ source: SQLSource) {
    printError("\(source.place): \(what)\n")
    (isRefused, exitCode) = (true, 1)
  }

  private func prepare(
    _ sql: ArraySlice<UInt8>, on connection: Connection
  ) throws(SQLError) -> (statement: Statement?, consumed: Int) {
    let outcome = sql.withUnsafeBufferPointer { buffer in
      Result { () throws(SQLError) in try connection.prepare(buffer) }
    }
    return try outcome.get()
  }

  private func execute(_ statement: Statement, on connection: Connection) throws(SQLError) {
    if automaticPlan != .off, automaticPlan != .measured, statement.isExplain == 0 {
      try showPlan(of: statement.sql, on: connection)
    }
    switch statement.isExplain {
    case 2:
      var tree = PlanTree()
      while try statement.step() { tree.add(statement) }
      if !tree.isEmpty { output.write(tree.text) }
    case 1:
      var listing = ProgramListing()
      while try statement.step() { listing.add(statement) }
      output.write(listing.text)
    default:
      try bindParameters(of: statement, on: connection)
      try showRows(of: statement)
    }
    if planMeasures != .off { showMeasures(of: statement) }
    if planPicture != nil { drawPlan(of: statement) }
    if statistics != .off { showStatistics(of: statement) }
    if showsChanges {
      output.write("changes: \(connection.changes)   total_changes: \(connection.totalChanges)\n")
    }
  }

  private func showRows(of statement: Statement) throws(SQLError) {
    let progress =
      watch.progressInterval > 0
      ? nil : connection.flatMap { StatementProgress(of: statement.sql, on: $0) }
    defer { progress?.finish() }
    var settings = self.settings
    if settings.showsJSONB == true {
      settings.jsonText = { [unowned self] blob in jsonText(of: blob) }
    }
    var printer = settings.printer(for: statement, to: output)
    var failure: SQLError?
    do throws(SQLError) {
      while try statement.step() { printer.row(statement) }
    } catch {
      failure = error
    }
    // The rows that came before an error are shown, too.
    try printer.finish()
    if let failure { throw failure }
  }

  private func showPlan(of sql: String, on connection: Connection) throws(SQLError) {
    let addsTriggers = automaticPlan != .on && !connection.isOn(.triggerPlans)
    if addsTriggers { connection.set(.triggerPlans, on: true) }
    defer { if addsTriggers { connection.set(.triggerPlans, on: false) } }
    let query = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var tree = PlanTree()
    while try query.step() { tree.add(query) }
    if !tree.isEmpty { output.write(tree.text) }
    guard automaticPlan == .full else { return }
    let program = try connection.prepare("EXPLAIN " + sql)
    var listing = ProgramListing()
    while try program.step() { listing.add(program) }
    output.write(listing.text)
  }

  /// Rows of a query of the shell's own; reports an error and gives none.
  func rows(of sql: String, bind value: String? = nil) -> [[String]] {
    guard let connection = open() else { return [] }
    do throws(SQLError) {
      let statement = try connection.prepare(sql)
      if let value { try statement.bind(text: value, at: 1) }
      var rows: [[String]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.columnText($0) })
      }
      return rows
    } catch {
      printError("Error: \(error.message)\n")
      return []
    }
  }

  /// The JSON that a blob stands for; nil where it is none.
  private func jsonText(of blob: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let connection, !blob.isEmpty else { return nil }
    do throws(SQLError) {
      let query = try connection.prepare("SELECT json(?1) WHERE json_valid(?1, 8)")
      try query.bind(blob: blob, at: 1)
      return try query.step() ? Array(query.columnBytes(0)) : nil
    } catch {
      return nil
    }
  }

  // MARK: Loading

  /// Fills a database in memory with the bytes of a file.
  func load(_ bytes: [UInt8], into connection: Connection) throws(SQLError) {
    guard !bytes.isEmpty else { return }
    try bytes.withBytes { image throws(SQLError) in try connection.deserialize(image) }
    if let sizeLimit { _ = try connection.fileControl(.sizeLimit(Int64(sizeLimit))) }
  }
}
