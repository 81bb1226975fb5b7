import MartletEngine

extension Command {
  /// Every command of sqlite3's shell in its order; an abbreviation means the first that fits.
  static let names = [
    "archive", "auth", "backup", "bail", "cd", "changes", "check", "clone", "connection", "crlf",
    "databases", "dbconfig", "dbinfo", "dbtotxt", "dump", "echo", "eqp", "excel", "exit", "expert",
    "explain", "filectrl", "fullschema", "headers", "help", "import", "imposter", "indexes",
    "indices", "intck", "limit", "lint", "load", "log", "mode", "nonce", "nullvalue", "once",
    "open", "output", "parameter", "print", "progress", "prompt", "quit", "read", "recover",
    "restore", "save", "scanstats", "schema", "separator", "session", "sha3sum", "shell", "show",
    "stats", "system", "tables", "testcase", "timeout", "timer", "trace", "version", "vfsinfo",
    "vfslist", "vfsname", "width", "www",
    // And those that only this shell has: they take no abbreviation from the others.
    "layout", "plan",
  ]

  /// The command that a word means.
  static func fullName(_ typed: String) -> String? {
    if typed.isEmpty { return nil }
    return names.first { $0 == typed } ?? names.first { $0.hasPrefix(typed) }
  }

  func run(in session: Session) -> Result {
    guard let name = words.first.flatMap({ Self.fullName($0.text) }) else {
      session.printError(
        "Error: unknown command or invalid arguments:  \"\(words.first?.text ?? "")\"."
          + " Enter \".help\" for help\n")
      return .failed
    }
    guard isAllowed(name, in: session) else {
      session.exitCode = 1
      return .quit
    }
    return runSetting(name, in: session) ?? runDatabaseCommand(name, in: session)
      ?? runFileCommand(name, in: session) ?? refuse(name, in: session)
  }

  /// Commands that change what the shell does.
  private func runSetting(_ name: String, in session: Session) -> Result? {
    switch name {
    case "auth": setAuthorizer(in: session)
    case "bail": setFlag(\.stopsAtError, in: session, usage: ".bail on|off")
    case "changes": setFlag(\.showsChanges, in: session, usage: ".changes on|off")
    case "check": check(in: session)
    case "crlf": setLineEnds(in: session)
    case "dbconfig": configure(in: session)
    case "echo": setFlag(\.echoes, in: session, usage: ".echo on|off")
    case "eqp": setAutomaticPlan(in: session)
    case "exit": exit(session)
    case "explain": setExplain(in: session)
    case "headers": setHeaders(in: session)
    case "help": showHelp(in: session)
    case "limit": setLimit(in: session)
    case "log": setLog(in: session)
    case "mode": setMode(in: session)
    case "nonce": liftSafeMode(in: session)
    case "nullvalue": setNullText(in: session)
    case "parameter": manageParameters(in: session)
    case "print": printWords(in: session)
    case "progress": setProgress(in: session)
    case "prompt": setPrompt(in: session)
    case "quit": .quit
    case "scanstats": setScanStatistics(in: session)
    case "separator": setSeparator(in: session)
    case "show": showSettings(in: session)
    case "stats": setStatistics(in: session)
    case "testcase": beginTestCase(in: session)
    case "timeout": setTimeout(in: session)
    case "timer": setTimer(in: session)
    case "trace": setTrace(in: session)
    case "version": showVersion(in: session)
    case "width": setColumnWidths(in: session)
    default: nil
    }
  }

  /// Commands that look into a database.
  private func runDatabaseCommand(_ name: String, in session: Session) -> Result? {
    switch name {
    case "connection": switchConnection(in: session)
    case "databases": listDatabases(in: session)
    case "dbinfo": showDatabaseInfo(in: session)
    case "dbtotxt": dumpPages(in: session)
    case "dump": dump(in: session)
    case "expert": suggestIndexes(in: session)
    case "filectrl": controlFile(in: session)
    case "fullschema": showFullSchema(in: session)
    case "indexes", "indices": listIndexes(in: session)
    case "intck": checkIntegrity(in: session)
    case "layout": showLayout(in: session)
    case "lint": lint(in: session)
    case "plan": drawPlan(in: session)
    case "schema": showSchema(in: session)
    case "session": manageSessions(in: session)
    case "sha3sum": hashContent(in: session)
    case "tables": listTables(in: session)
    case "vfsinfo", "vfsname": showVFS(in: session)
    case "vfslist": listVFS(in: session)
    default: nil
    }
  }

  /// Commands that read and write files.
  private func runFileCommand(_ name: String, in session: Session) -> Result? {
    switch name {
    case "archive": archive(in: session)
    case "backup", "save": backup(in: session)
    case "cd": changeDirectory(in: session)
    case "clone": clone(in: session)
    case "excel": redirectOnce(in: session, viewer: "x")
    case "import": importRows(in: session)
    case "once": redirectOnce(in: session)
    case "open": open(in: session)
    case "output": redirect(in: session)
    case "read": read(in: session)
    case "recover": recover(in: session)
    case "restore": restore(in: session)
    case "shell", "system": runSystemCommand(in: session)
    case "www": redirectOnce(in: session, viewer: "w")
    default: nil
    }
  }

  private func printWords(in session: Session) -> Result {
    session.output.write((arguments.joined(separator: " ") + "\n").fileNameBytes)
    return .done
  }

  func show(_ text: String, in session: Session) -> Result {
    session.output.write(text)
    return .done
  }

  func fail(_ usage: String, in session: Session) -> Result {
    session.printError("Usage: \(usage)\n")
    return .failed
  }

  // MARK: Settings

  /// `on`, `off` and their like; anything else is taken for `off`, with a complaint.
  func boolean(_ text: String, in session: Session) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true": return true
    case "off", "no", "false": return false
    default:
      let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
      let digits = text.utf8.dropFirst(isHexadecimal ? 2 : 0)
      let isNumber = digits.allSatisfy {
        isDigit($0) || isHexadecimal && Character(UnicodeScalar($0)).isHexDigit
      }
      if isNumber, !digits.isEmpty { return integer(text) != 0 }
      session.printError("ERROR: Not a boolean value: \"\(text)\". Assuming \"no\".\n")
      return false
    }
  }

  private func setFlag(
    _ flag: ReferenceWritableKeyPath<Session, Bool>, in session: Session, usage: String
  ) -> Result {
    guard arguments.count == 1 else { return fail(usage, in: session) }
    session[keyPath: flag] = boolean(arguments[0], in: session)
    return .done
  }

  private func setHeaders(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".headers on|off", in: session) }
    session.settings.titles = boolean(arguments[0], in: session)
    session.settings.modeTitles = nil
    return .done
  }

  private func setAutomaticPlan(in session: Session) -> Result {
    guard arguments.count == 1 else {
      return fail(".eqp off|on|trace|trigger|full", in: session)
    }
    let old = session.automaticPlan
    session.automaticPlan =
      AutomaticPlan(rawValue: arguments[0]) ?? (boolean(arguments[0], in: session) ? .on : .off)
    if session.automaticPlan == .measured {
      session.measurePlans(.estimates)
    } else if old == .measured {
      session.measurePlans(.off)
    }
    return .done
  }

  /// EXPLAIN is always listed in its own format, whatever is asked for here.
  private func setExplain(in session: Session) -> Result {
    if let argument = arguments.first, argument != "auto" { _ = boolean(argument, in: session) }
    return .done
  }

  private func setNullText(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".nullvalue STRING", in: session) }
    session.settings.nullText = arguments[0]
    return .done
  }

  private func setSeparator(in session: Session) -> Result {
    guard (1...2).contains(arguments.count) else {
      return fail(".separator COL ?ROW?", in: session)
    }
    session.settings.columnSeparator = arguments[0]
    if arguments.count == 2 { session.settings.rowSeparator = arguments[1] }
    return .done
  }

  private func showSettings(in session: Session) -> Result {
    guard arguments.isEmpty else { return fail(".show", in: session) }
    let settings = session.settings
    let rows = [
      ("echo", session.echoes ? "on" : "off"),
      ("eqp", session.automaticPlan.rawValue),
      ("explain", "auto"),
      ("headers", settings.showsTitles ? "on" : "off"),
      ("mode", settings.mode.rawValue),
      ("nullvalue", escapedString(settings.nullText)),
      ("output", session.outputName),
      ("colseparator", escapedString(settings.columnSeparator)),
      ("rowseparator", escapedString(settings.rowSeparator)),
      ("stats", session.statistics.rawValue),
      ("width", settings.fit.widths.map { "\($0) " }.joined()),
      ("filename", session.path),
    ]
    let width = 12
    return show(
      rows.map { name, value in
        String(repeating: " ", count: width - name.count) + name + ": " + value + "\n"
      }.joined(), in: session)
  }

  // MARK: Input and output

  private func exit(_ session: Session) -> Result {
    session.exitCode = Int32(truncatingIfNeeded: arguments.first.map { integer($0) } ?? 0)
    return .quit
  }

  private func showVersion(in session: Session) -> Result {
    show("Martlet \(ShellVersion.martlet), SQL of SQLite \(ShellVersion.dialect)\n", in: session)
  }
}

/// What `-version`, `.version` and the banner say.
enum ShellVersion {
  static let martlet = "0.1.0"
  static let dialect = "3.53.4"
}
