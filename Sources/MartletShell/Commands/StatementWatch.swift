import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What `.trace`, `.progress` and `.auth` show of statements while they run.
///
/// The handlers are called on the thread that runs the statement, which is the session's own.
final class StatementWatch: @unchecked Sendable {
  private unowned let session: Session

  var traced: TraceEvents = []
  var expandsParameters = false
  var traceOutput: Output?

  var showsAuthorization = false
  /// What safe mode refused.
  var refusal: String?

  var progressInterval = 0
  private(set) var progressCount = 0
  var progressLimit = 0
  var progressTimeout = 0.0
  private var progressStart = 0.0
  var isQuiet = false
  var resets = false
  var isOnce = false

  init(session: Session) { self.session = session }

  /// Tells the connection what is to be watched.
  func install(on connection: Connection) {
    if traced.isEmpty {
      connection.trace([], nil)
    } else {
      connection.trace(traced) { self.show($0) }
    }
    if progressInterval > 0 {
      connection.setProgressHandler(every: progressInterval) { self.showProgress() }
    } else {
      connection.setProgressHandler(every: 0, nil)
    }
    if showsAuthorization || session.isSafe {
      connection.authorizer = { self.showAuthorization($0, [$1, $2, $3, $4]) }
    } else {
      connection.authorizer = nil
    }
  }

  func resetProgress() {
    progressCount = 0
    progressStart = Self.now
  }

  /// Called for each entry.
  func begin() {
    if resets { progressCount = 0 }
    progressStart = Self.now
  }

  private static var now: Double { Double(RunTime.now.real) / 1_000_000 }

  // MARK: Handlers

  private func show(_ event: TraceEvent) {
    guard let output = traceOutput else { return }
    switch event {
    case .statement(let statement), .row(let statement):
      output.write(text(of: statement) + ";\n")
    case .profile(let statement, let nanoseconds):
      output.write("\(text(of: statement)); -- \(nanoseconds) ns\n")
    case .comment(let text, _): output.write("\(text);\n")
    case .close: output.write("-- closing database connection\n")
    }
    output.flush()
  }

  private func text(of statement: TracedStatement) -> Substring {
    var text = (expandsParameters ? statement.expandedSQL : statement.sql)[...]
    while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
    return text
  }

  /// True ends the statement.
  private func showProgress() -> Bool {
    progressCount += 1
    if progressTimeout > 0, Self.now - progressStart >= progressTimeout {
      session.output.write("Progress timeout after \(seconds(progressTimeout)) seconds\n")
      return endProgress()
    }
    if progressLimit > 0, progressCount >= progressLimit {
      session.output.write("Progress limit reached (\(progressCount))\n")
      return endProgress()
    }
    if !isQuiet { session.output.write("Progress \(progressCount)\n") }
    return false
  }

  private func seconds(_ value: Double) -> String {
    let hundredths = Int(value * 100)
    let rest = String(hundredths % 100)
    return "\(hundredths / 100)." + (rest.utf8.count < 2 ? "0" : "") + rest
  }

  private func endProgress() -> Bool {
    if resets { progressCount = 0 }
    if isOnce { progressLimit = 0 }
    return true
  }

  private func showAuthorization(
    _ action: AuthorizerAction, _ names: [String?]
  ) -> Authorization {
    if session.isSafe, action == .attach {
      refusal = "cannot run ATTACH in safe mode"
      return .deny
    }
    if session.isSafe, action == .function, names.count > 1, let name = names[1],
      FileFunctions.unsafeNames.contains(name)
    {
      refusal = "cannot use the \(name)() function in safe mode"
      return .deny
    }
    guard showsAuthorization else { return .allow }
    let shown = names.map { $0.map { escapedString($0) } ?? "NULL" }
    session.output.write(
      "authorizer: \(Self.name(of: action)) \(shown.joined(separator: " "))\n")
    return .allow
  }

  private static let names = [
    "", "CREATE_INDEX", "CREATE_TABLE", "CREATE_TEMP_INDEX", "CREATE_TEMP_TABLE",
    "CREATE_TEMP_TRIGGER", "CREATE_TEMP_VIEW", "CREATE_TRIGGER", "CREATE_VIEW", "DELETE",
    "DROP_INDEX", "DROP_TABLE", "DROP_TEMP_INDEX", "DROP_TEMP_TABLE", "DROP_TEMP_TRIGGER",
    "DROP_TEMP_VIEW", "DROP_TRIGGER", "DROP_VIEW", "INSERT", "PRAGMA", "READ", "SELECT",
    "TRANSACTION", "UPDATE", "ATTACH", "DETACH", "ALTER_TABLE", "REINDEX", "ANALYZE",
    "CREATE_VTABLE", "DROP_VTABLE", "FUNCTION", "SAVEPOINT", "RECURSIVE",
  ]

  private static func name(of action: AuthorizerAction) -> String {
    names[Int(action.rawValue)]
  }
}
