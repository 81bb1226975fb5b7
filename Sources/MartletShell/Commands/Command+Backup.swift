import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Command {
  /// `.backup` and `.save`.
  func backup(in session: Session) -> Result {
    var names: [String] = []
    var isAsynchronous = false
    var isAppended = false
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        names.append(word)
        continue
      }
      switch optionName(at: index) {
      case "async": isAsynchronous = true
      case "append": isAppended = true
      default:
        return complain(
          index, "unknown option", session, detail: "should be -append or -async")
      }
    }
    guard names.count <= 2 else {
      session.printError("Usage: .backup ?DB? ?OPTIONS? FILENAME\n")
      return .failed
    }
    guard let path = names.last else {
      session.printError("missing FILENAME argument on .backup\n")
      return .failed
    }
    guard let connection = session.open() else { return .failed }
    guard let target = openOther(path, isAppended: isAppended, in: session) else { return .failed }
    return attempt(in: session) { () throws(SQLError) in
      if isAsynchronous {
        try target.execute("PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;")
      }
      try copy(
        from: connection, names.count == 2 ? names[0] : "main", to: target, "main", in: session)
    }
  }

  func restore(in session: Session) -> Result {
    guard (1...2).contains(arguments.count) else { return fail(".restore ?DB? FILE", in: session) }
    guard let connection = session.open() else { return .failed }
    guard let source = openOther(arguments[arguments.count - 1], in: session) else {
      return .failed
    }
    return attempt(in: session) { () throws(SQLError) in
      try copy(
        from: source, "main", to: connection, arguments.count == 2 ? arguments[0] : "main",
        in: session)
    }
  }

  /// Copies page by page; what is locked is tried a few times.
  private func copy(
    from source: Connection, _ sourceName: String, to target: Connection, _ targetName: String,
    in session: Session
  ) throws(SQLError) {
    let backup = try Backup(
      from: source, database: sourceName, to: target, database: targetName)
    defer { backup.finish() }
    let pagesPerStep = 100
    var patience = 3
    var bar = ProgressBar(unit: "pages")
    defer { bar.finish() }
    while true {
      if Interruption.isPending { throw SQLError(.interrupt) }
      do throws(SQLError) {
        if try backup.step(pageCount: pagesPerStep) { return }
        bar.total = backup.pageCount
        bar.show(done: backup.pageCount - backup.remainingPageCount, often: false)
      } catch {
        let isLocked = error.code.primary == .busy || error.code.primary == .locked
        guard isLocked, patience > 0 else { throw error }
        patience -= 1
        usleep(100_000)
      }
    }
  }

  /// A connection to another file; says so where there is none.
  private func openOther(
    _ path: String, isAppended: Bool = false, in session: Session
  ) -> Connection? {
    do throws(SQLError) {
      return try Connection(
        path: path, flags: [.readWrite, .create, .uri],
        vfs: isAppended ? try AppendVFS.register() : session.vfsName)
    } catch {
      session.printError("Error: cannot open \"\(path.legibleFileName)\"\n")
      return nil
    }
  }

  /// Does what may fail, and says why it did.
  func attempt(in session: Session, _ body: () throws(SQLError) -> Void) -> Result {
    do throws(SQLError) {
      try body()
      return .done
    } catch {
      session.printError("Error: \(error.message)\n")
      return .failed
    }
  }

  // MARK: .clone

  /// Copies schema and rows by SQL, and so what can still be read of a damaged database.
  func clone(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".clone FILENAME", in: session) }
    let path = arguments[0]
    if path.withFileName({ access($0, F_OK) }) == 0 {
      session.printError("File \"\(path)\" already exists.\n")
      return .failed
    }
    guard let source = session.open(), let target = openOther(path, in: session) else {
      return .failed
    }
    return attempt(in: session) { () throws(SQLError) in
      target.set(.defensive, on: false)
      try target.execute("PRAGMA writable_schema=ON; BEGIN EXCLUSIVE;")
      for condition in ["type = 'table'", "type <> 'table'"] {
        for row in session.rows(
          of: "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND \(condition)")
        {
          session.output.write(row[0] + "... ")
          cloneObject(row[0], row[1], condition.contains("<>") ? nil : source, target, session)
          session.output.write("done\n")
        }
      }
      try target.execute("COMMIT; PRAGMA writable_schema=OFF;")
    }
  }

  private func cloneObject(
    _ name: String, _ sql: String, _ source: Connection?, _ target: Connection, _ session: Session
  ) {
    do throws(SQLError) {
      if name != "sqlite_sequence" { try target.execute(sql) }
      if let source { try copyRows(of: name, source, target) }
    } catch {
      session.printError("Error: \(error.message)\nSQL: [\(sql)]\n")
    }
  }

  private func copyRows(
    of table: String, _ source: Connection, _ target: Connection
  ) throws(SQLError) {
    let query = try source.prepare("SELECT * FROM \(quotedName(table))")
    let marks = Array(repeating: "?", count: query.columnCount).joined(separator: ",")
    let insert = try target.prepare("INSERT OR IGNORE INTO \(quotedName(table)) VALUES(\(marks))")
    while try query.step() {
      for column in 0..<query.columnCount {
        guard let value = query.currentRow.value(column) else { continue }
        try insert.bind(value, at: column + 1)
      }
      _ = try insert.step()
      try insert.reset()
    }
  }
}
