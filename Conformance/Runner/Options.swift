/// What the command line asks for.
struct Options {
  var paths: [String] = []
  var engineName = "martlet"
  var expectedFailures: String?
  var isRecording = false
  var isTracing = false
  var jobCount: Int?

  static let usage = """
    usage: conformance [OPTIONS] PATH…

    Runs sqllogictest scripts: files, or folders with *.test files. OPTIONS:
      --engine martlet|c         the engine to judge (c: C SQLite of $MARTLET_ORACLE)
      --expect-failures FILE     cases (path:line) that may fail, and must not pass
      --record                   rewrite the scripts with what C SQLite gives
      --jobs N                   how many scripts run at once
      --trace                    print every record before it runs

    The last line is `N passed, N failed, N skipped`; the exit status is 1 after a failure.
    """

  /// nil, with a message in `problem`, when the arguments make no sense.
  init?(_ arguments: [String], problem: inout String) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--record": isRecording = true
      case "--trace": isTracing = true
      case "--engine", "--expect-failures", "--jobs":
        guard let value = rest.popFirst() else {
          problem = "\(argument) needs a value"
          return nil
        }
        guard set(argument, value) else {
          problem = "\(argument) cannot be \(value)"
          return nil
        }
      default:
        guard !argument.hasPrefix("-") else {
          problem = "unknown option \(argument)"
          return nil
        }
        paths.append(argument)
      }
    }
    if paths.isEmpty {
      problem = "no script named"
      return nil
    }
  }

  private mutating func set(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--engine":
      engineName = value
      return value == "martlet" || value == "c"
    case "--jobs":
      jobCount = Int(value)
      return jobCount.map { $0 > 0 } ?? false
    default:
      expectedFailures = value
      return true
    }
  }
}
