import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `martlet`: SQL and dot-commands over a database file, as people know it from `sqlite3`.
@main
struct Shell {
  static func main() {
    // Not `CommandLine.arguments`, which replaces bytes that are not UTF-8.
    let words = (0..<Int(CommandLine.argc)).compactMap { index in
      CommandLine.unsafeArgv[index].map { String(fileName: $0) }
    }
    var options = ShellOptions()
    if let problem = options.parse(Array(words.dropFirst())) {
      let name = words.first ?? "martlet"
      Output.writeError("\(name): Error: \(problem)\nUse -help for a list of options.\n")
      exit(1)
    }
    if options.showsHelp {
      Output.writeError(ShellOptions.usage)
      exit(0)
    }
    if options.showsVersion {
      print("Martlet \(ShellVersion.martlet), SQL of SQLite \(ShellVersion.dialect)")
      exit(0)
    }
    exit(run(options))
  }

  private static func run(_ options: ShellOptions) -> Int32 {
    let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let isInteractive =
      options.commands.isEmpty && !options.isBatch && (isTerminal || options.isInteractive)
    let session = Session(
      path: options.path, isReadOnly: options.isReadOnly,
      settings: options.settings(isTerminal: isTerminal && !options.isBatch),
      isInteractive: isInteractive)
    defer { session.output.flush() }
    session.vfsName = options.vfsName
    session.followsLinks = options.followsLinks
    session.isDeserialized = options.isDeserialized
    session.newFileKind = options.newFileKind
    session.sizeLimit = options.sizeLimit
    session.opensExistingOnly = options.opensExistingOnly
    session.isSafe = options.isSafe
    session.nonce = options.nonce
    if options.showsStatistics { session.statistics = .on }
    session.stopsAtError = options.stopsAtError
    session.echoes = options.echoes
    Interruption.install()
    guard session.open() != nil else { return 1 }
    let status = run(options, in: session)
    if session.checkCount > 0 {
      let (tests, errors) = (session.checkCount, session.failedCheckCount)
      session.endRedirection()
      session.output.write(
        "\(tests) test\(tests == 1 ? "" : "s") run with "
          + "\(errors) error\(errors == 1 ? "" : "s")\n")
    }
    if Interruption.isPending, !isInteractive { session.printError("Program interrupted.\n") }
    return status
  }

  private static func run(_ options: ShellOptions, in session: Session) -> Int32 {
    if options.readsStartFile, let status = readStartFile(options, in: session) { return status }
    for (command, index) in options.preparation {
      switch run(command, at: index, in: session) {
      case .quit: return session.exitCode
      case .failed where options.stopsAtError: return 1
      case .failed where Interruption.isPending && !session.isInteractive: return 1
      case .done, .failed: break
      }
    }
    if let words = options.archiveWords {
      _ = Command(".archive", place: "argv").archive(words, hint: "-A", in: session)
      return 0
    }
    for (command, index) in options.commands {
      switch run(command, at: index, in: session) {
      case .quit: return session.exitCode
      case .failed: return 1
      case .done: break
      }
    }
    return options.commands.isEmpty ? readInput(session) : 0
  }

  /// Runs `~/.sqliterc`, or the file that `-init` names; gives the status where that ends the
  /// shell.
  private static func readStartFile(_ options: ShellOptions, in session: Session) -> Int32? {
    guard let path = options.startFile ?? environment("HOME").map({ $0 + "/.sqliterc" }) else {
      return nil
    }
    guard let file = InputFile(named: path) else {
      guard options.startFile != nil else { return nil }
      session.printError("cannot open: \"\(path)\"\n")
      return options.stopsAtError ? 1 : nil
    }
    if session.isInteractive { session.printError("-- Loading resources from \(path)\n") }
    let result = session.process(LineReader(file, name: path))
    if result == .quit, session.exitCode != 0 { return session.exitCode }
    return result == .failed && options.stopsAtError ? 1 : nil
  }

  private static func run(
    _ command: String, at index: Int, in session: Session
  ) -> Command.Result {
    if command.hasPrefix(".") {
      if session.echoes { session.output.write(command + "\n") }
      return session.run(Command(command, place: "argv[\(index)]"))
    }
    return session.runStatement(command.fileNameBytes, .argument(index)) ? .done : .failed
  }

  /// A terminal that can is edited on; all else is read as it comes.
  private static func standardInput(of session: Session) -> (any LineSource)? {
    if session.isInteractive {
      TerminalEvents.install()
      if LineEditor.isPossible, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 {
        session.editsLines = true
        return TerminalLines(session: session)
      }
    }
    return fdopen(STDIN_FILENO, "r").map { LineReader(InputFile(standardInput: $0)) }
  }

  private static func readInput(_ session: Session) -> Int32 {
    if session.isInteractive {
      session.output.write(
        """
        Martlet \(ShellVersion.martlet), SQL of SQLite \(ShellVersion.dialect)
        Enter ".help" for usage hints.\n
        """)
    }
    guard let source = standardInput(of: session) else { return 1 }
    switch session.process(source) {
    case .quit: return session.exitCode
    case .failed: return session.isInteractive ? 0 : 1
    case .done: return 0
    }
  }
}
