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
enum AutomaticPlan: String { case off, on, trigger, full }

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
    output.flush()
    errors.write(text)
    errors.flush()
  }

  /// The connection, opened at first need.
  func open() -> Connection? {
    if let connection { return connection }
    do throws(SQLError) {
      var flags: OpenFlags = isReadOnly ? [.readOnly, .uri] : [.readWrite, .create, .uri]
      if !followsLinks { flags.insert(.noFollow) }
      let opened = try Connection(path: path, flags: flags)
      try opened.registerSearch()
      try opened.registerSpatial()
      connection = opened
      Interruption.watch(connection)
    } catch {
      printError("Error: unable to open database \"\(path.legibleFileName)\": \(error.message)\n")
    }
    return connection
  }

  func close() {
    Interruption.watch(nil)
    connection = nil
  }

  // MARK: Statements

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
        printError(errorText(error, isParseError: true, sql: rest, source: source))
        return false
      }
      do throws(SQLError) {
        if let statement = prepared.statement { try execute(statement, on: connection) }
      } catch {
        printError(errorText(error, isParseError: false, sql: rest, source: source))
        return false
      }
      rest = rest.dropFirst(max(prepared.consumed, 1))
      // What was written behind the statement was to follow it.
      if Interruption.isPending { return false }
    }
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
    if automaticPlan != .off, statement.isExplain == 0 {
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
      try showRows(of: statement)
    }
    if showsChanges {
      output.write("changes: \(connection.changes)   total_changes: \(connection.totalChanges)\n")
    }
  }

  private func showRows(of statement: Statement) throws(SQLError) {
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
      // `.bail on` stops after an error before it, too.
      if isFailed, stopsAtError { return .failed }
      if isInteractive { output.flush() }
    }
    if let (sql, lineNumber) = gathered.rest,
      !runStatement(sql, .line(lineNumber, file: reader.name))
    {
      isFailed = true
    }
    return isFailed ? .failed : .done
  }

  func run(_ command: Command) -> Command.Result {
    let result = command.run(in: self)
    countRedirectedCommand()
    return result
  }

  /// Runs statements that came together, and shows how long they took.
  func runStatement(_ sql: [UInt8], _ source: SQLSource) -> Bool {
    if echoes {
      output.write(sql)
      output.write("\n")
    }
    let start = timer == .off ? nil : RunTime.now
    let isDone = run(sql, source: source)
    if let start { output.write(RunTime.now.since(start)) }
    if timer == .once { timer = .off }
    if redirectedCommandCount > 0 { endRedirection() }
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

/// Gathers lines until they make a statement or a dot-command.
struct StatementReader {
  enum Piece {
    case more
    case command(String, line: Int)
    case statement([UInt8], line: Int)
  }

  private var pending: [UInt8] = []
  private var firstLine = 0

  var isEmpty: Bool { pending.isEmpty }

  /// A statement that the input ended without finishing.
  var rest: (sql: [UInt8], line: Int)? { isEmpty ? nil : (pending, firstLine) }

  mutating func take(_ line: [UInt8], number lineNumber: Int) -> Piece {
    if isEmpty {
      if line.first == UInt8(ascii: ".") {
        let text = line.withUnsafeBytes { String(fileNameBytes: $0) }
        return .command(text, line: lineNumber)
      }
      if line.first == UInt8(ascii: "#") || line.allSatisfy(isSpace) { return .more }
      firstLine = lineNumber
      pending = line
    } else if endsStatement(line), isCompleteStatement(pending + [UInt8(ascii: ";")]) {
      pending.append(UInt8(ascii: ";"))
    } else {
      pending.append(UInt8(ascii: "\n"))
      pending += line
    }
    // Looking at the whole statement costs time; only a line with a semicolon can end it.
    guard pending.last == UInt8(ascii: ";") || line.contains(UInt8(ascii: ";")),
      isCompleteStatement(pending)
    else {
      // After nothing but comments the next line may be a dot-command, and counts as the first.
      if isBlankSQL(pending) { pending = [] }
      return .more
    }
    defer { pending = [] }
    return .statement(pending, line: firstLine)
  }

  /// Whether the line is `go` or `/`, which end statements as a semicolon does (cli §3.1).
  private func endsStatement(_ line: [UInt8]) -> Bool {
    let word = line.filter { !isSpace($0) }.map { $0 | 0x20 }
    return word == Array("go".utf8) || line.filter { !isSpace($0) } == [UInt8(ascii: "/")]
  }

}
