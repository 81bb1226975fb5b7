import MartletEngine
import MartletSearch
import MartletSpatial

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Automatic EXPLAIN QUERY PLAN before each statement (`.eqp`).
enum AutomaticPlan: String { case off, on, trigger, full, measured }

/// One run of the shell: a connection, the settings, and what was read so far.
final class Session {
  var connection: Connection?
  var path: String
  var isReadOnly: Bool
  var followsLinks = true
  var settings: OutputSettings
  var automaticPlan = AutomaticPlan.off
  var stopsAtError = false
  var echoes = false
  var showsChanges = false
  var output: Output
  var outputName = "stdout"
  /// `.once` ends with the command after it; this counts down to there.
  var redirectedCommandCount = 0
  var timer = TimerMode.off
  /// Where the commands come from that are being run; nil for those of the command line.
  private(set) var input: (any LineSource)?
  let errors = Output(descriptor: STDERR_FILENO)
  let isInteractive: Bool
  /// What `.prompt` sets.
  var prompts = (main: "martlet> ", continued: "    ...> ")
  var errorPrefix = ""
  /// The VFS that databases are opened with; nil for the usual one.
  var vfsName: String?
  /// Only what is there already is opened.
  var opensExistingOnly = false
  /// Opens a copy in memory.
  var isDeserialized = false
  /// The database that is opened so, if it is in no file (`.open --hexdb`).
  var image: [UInt8]?
  /// How long a database in memory may become.
  var sizeLimit: Int?
  /// What a new file becomes; one that is there says so itself.
  var newFileKind = FileKind.database
  /// The zip file that is open, as the table `zip` of a database in memory.
  private(set) var zipPath: String?

  // Other connections, and what watches this one.
  var slots: [Int: ConnectionSlot] = [:]
  var activeSlot = 0
  var recorders: [NamedRecorder] = []
  private(set) lazy var watch = StatementWatch(session: self)
  var statistics = StatisticsMode.off
  /// What `.scanstats` shows of each statement's loops.
  var planMeasures = PlanMeasures.off
  /// The next statement is not run: `.expert` says which indexes it would use.
  var expert: ExpertOptions?
  /// The picture that the plan of the next statement is drawn into.
  var planPicture: String?
  /// Where errors of statements are written besides (`.log`).
  var log: Output?

  // `.testcase` and `.check`.
  var testCase: TestCase?
  var checkCount = 0
  var failedCheckCount = 0
  /// What `.testcase` and `.output memory` keep, or kept.
  private(set) var capture: Output?

  // Safe mode (`-safe`), and what lifts it for a command.
  var isSafe = false
  var isSafeAgain = false
  var nonce: String?
  /// Something was refused that ends the shell.
  var isRefused = false
  /// Modes that `.mode --tag` has named.
  var modes: [(name: String, settings: OutputSettings)] = []
  /// Settings that `.mode --once` puts back.
  var settingsAfterStatement: OutputSettings?
  /// What is done when the output goes back to the console.
  var afterRedirection: (() -> Void)?
  /// Whether lines are edited, and not only read.
  var editsLines = false
  /// What `.quit` or a failure on the command line leaves to the caller.
  var exitCode: Int32 = 0
  private var readDepth = 0

  /// Files that read each other must end.
  private static let deepestRead = 25

  init(path: String, isReadOnly: Bool, settings: OutputSettings, isInteractive: Bool) {
    self.path = path
    self.isReadOnly = isReadOnly
    self.settings = settings
    self.isInteractive = isInteractive
    output = Output(descriptor: STDOUT_FILENO)
  }

  func printError(_ text: String) {
    if testCase != nil, let capture {
      capture.write(errorPrefix + text)
      return
    }
    output.flush()
    errors.write(errorPrefix + text)
    errors.flush()
  }

  /// Past every redirection.
  func console(_ text: String) {
    let console = Output(descriptor: STDOUT_FILENO)
    console.write(text)
    console.flush()
  }

  /// Keeps what is printed from now on.
  func keepOutput() {
    let memory = Output.memory()
    capture = memory
    output = memory
    outputName = "memory"
  }

  var captured: [UInt8] { capture?.buffer ?? [] }

  /// The connection, opened at first need.
  func open() -> Connection? {
    if let connection { return connection }
    do throws(SQLError) {
      let opened = try openFile()
      try opened.registerSearch()
      try opened.registerSpatial()
      try FileFunctions.register(on: opened, isSafe: isSafe)
      try ShellFunctions.register(on: opened)
      opened.set(.defensive, on: true)
      opened.set(.trustedSchema, on: false)
      opened.set(.statementScanStatus, on: planMeasures != .off)
      if let zipPath {
        try opened.execute("CREATE VIRTUAL TABLE zip USING zipfile(\(sqlText(zipPath)))")
      }
      connection = opened
      watch.install(on: opened)
      Interruption.watch(connection)
    } catch {
      printError("Error: unable to open database \"\(path.legibleFileName)\": \(error.message)\n")
    }
    return connection
  }

  private func openFile() throws(SQLError) -> Connection {
    var flags: OpenFlags = isReadOnly ? [.readOnly, .uri] : [.readWrite, .uri]
    if !isReadOnly, !opensExistingOnly { flags.insert(.create) }
    if !followsLinks { flags.insert(.noFollow) }
    zipPath = nil
    if isDeserialized {
      let opened = try Connection(path: ":memory:", flags: flags, vfs: vfsName)
      try load(image ?? DiskEntry.read(path, limit: .max) ?? [], into: opened)
      return opened
    }
    let found = FileKind.of(path)
    let kind = found == .database ? newFileKind : found
    if kind == .zip {
      zipPath = path
      return try Connection(path: ":memory:", vfs: vfsName)
    }
    return try Connection(
      path: path, flags: flags, vfs: kind == .appended ? try AppendVFS.register() : vfsName)
  }

  func close() {
    recorders = []
    Interruption.watch(nil)
    connection = nil
  }

  // MARK: Input

  /// Reads commands and SQL to the end of `reader`; false if anything failed.
  func process(_ reader: any LineSource) -> Command.Result {
    guard readDepth < Self.deepestRead else {
      printError(
        "\(reader.name ?? "<stdin>"): Input nesting limit (\(Self.deepestRead)) reached"
          + " at line \(input?.lineCount ?? 0). Check recursion.\n")
      return .failed
    }
    readDepth += 1
    let outerInput = input
    input = reader
    defer {
      readDepth -= 1
      input = outerInput
    }
    var gathered = StatementReader()
    var isFailed = false
    while true {
      if TerminalEvents.isHungUp { return .failed }
      if readsTerminal { Interruption.clear() } else if Interruption.isPending { return .failed }
      prompt(isContinued: !gathered.isEmpty)
      guard let line = reader.next() else {
        guard Interruption.isPending else { break }
        // At the prompt Ctrl-C drops what was typed of a statement.
        gathered = StatementReader()
        if readsTerminal, !editsLines { output.write("\n") }
        continue
      }
      switch gathered.take(line, number: reader.lineCount) {
      case .more:
        continue
      case .command(let text, let lineNumber):
        if echoes { output.write(text + "\n") }
        let result = run(Command(text, place: "line \(lineNumber)"))
        if result == .quit {
          if isFailed, exitCode == 0 { exitCode = 1 }
          return .quit
        }
        if result == .failed { isFailed = true }
      case .statement(let sql, let lineNumber):
        if !runStatement(sql, .line(lineNumber, file: reader.name)) { isFailed = true }
      }
      if isRefused { return .quit }
      // `.bail on` stops after an error before it, too.
      if isFailed, stopsAtError { return .failed }
      // Who writes the input may wait for what this line printed.
      output.flush()
    }
    if let (sql, lineNumber) = gathered.rest,
      !runStatement(sql, .line(lineNumber, file: reader.name))
    {
      isFailed = true
    }
    return isFailed ? .failed : .done
  }

  func run(_ command: Command) -> Command.Result {
    let wasLifted = isSafeAgain
    expert = nil
    watch.begin()
    let result = command.run(in: self)
    countRedirectedCommand()
    if wasLifted { (isSafe, isSafeAgain) = (true, false) }
    return result
  }

  /// Runs statements that came together, and shows how long they took.
  func runStatement(_ sql: [UInt8], _ source: SQLSource) -> Bool {
    if echoes {
      output.write(sql)
      output.write("\n")
    }
    if let options = expert {
      expert = nil
      return advise(on: sql, options, source)
    }
    let start = timer == .off ? nil : RunTime.now
    watch.begin()
    let isDone = run(sql, source: source)
    if let start { output.write(RunTime.now.since(start)) }
    if timer == .once { timer = .off }
    if redirectedCommandCount > 0 { endRedirection() }
    if let settingsAfterStatement { settings = settingsAfterStatement }
    settingsAfterStatement = nil
    if isSafeAgain { (isSafe, isSafeAgain) = (true, false) }
    return isDone
  }

  // MARK: Redirection

  /// Sends what is printed from now on to `name`; false if that cannot be written.
  func redirect(to name: String) -> Bool {
    endRedirection()
    guard let redirected = Output.named(name) else { return false }
    output = redirected
    outputName = name
    return true
  }

  func endRedirection() {
    redirectedCommandCount = 0
    guard outputName != "stdout" else { return }
    // The old one goes first: a command that it feeds may print as well.
    output.flush()
    output = Output(descriptor: STDOUT_FILENO)
    outputName = "stdout"
    afterRedirection?()
    afterRedirection = nil
  }

  private func countRedirectedCommand() {
    guard redirectedCommandCount > 0 else { return }
    redirectedCommandCount -= 1
    if redirectedCommandCount == 0 { endRedirection() }
  }

  /// Whether lines come from the one who sits there, and not from a file.
  private var readsTerminal: Bool { isInteractive && readDepth == 1 }

  private func prompt(isContinued: Bool) {
    guard readsTerminal, !editsLines else { return }
    output.write(isContinued ? prompts.continued : prompts.main)
    output.flush()
  }
}
