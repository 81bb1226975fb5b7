import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `conformance`: runs sqllogictest scripts on Martlet or on C SQLite.
@main
struct Conformance {
  static func main() async {
    var problem = ""
    guard let options = Options(Array(CommandLine.arguments.dropFirst()), problem: &problem) else {
      printError("conformance: \(problem)\n\n\(Options.usage)")
      exit(2)
    }
    guard let engine = engine(for: options) else {
      printError("conformance: \(OracleLibrary.requirement)")
      exit(2)
    }
    let files = scriptFiles(options.paths)
    if options.isRecording { exit(record(files, engine) ? 0 : 1) }
    var list = ExpectedFailures()
    if let path = options.expectedFailures {
      guard let text = readText(path) else {
        printError("conformance: cannot read \(path)")
        exit(2)
      }
      list = ExpectedFailures(path: path, text: text)
    }
    exit(await run(files, engine, list, options) ? 0 : 1)
  }

  /// The engine to run; recording always asks C SQLite.
  private static func engine(for options: Options) -> Engine? {
    guard options.isRecording || options.engineName == "c" else { return .martlet }
    guard let folder = OracleLibrary.configuredFolder,
      let library = OracleLibrary(folder: folder)
    else { return nil }
    print("C SQLite \(library.version)")
    return .oracle(library)
  }

  private static func run(
    _ files: [String], _ engine: Engine, _ list: ExpectedFailures, _ options: Options
  ) async -> Bool {
    let start = ContinuousClock.now
    var reports: [ScriptReport] = []
    let bar = ProgressBar(total: files.count)
    await withTaskGroup(of: ScriptReport.self) { group in
      var waiting = files[...]
      let width = options.jobCount ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
      for file in waiting.prefix(width) {
        group.addTask { report(on: file, engine, list, isTracing: options.isTracing) }
      }
      waiting = waiting.dropFirst(width)
      for await report in group {
        reports.append(report)
        bar.show(reports.count, failed: reports.reduce(0) { $0 + $1.failed })
        if let file = waiting.popFirst() {
          group.addTask { self.report(on: file, engine, list, isTracing: options.isTracing) }
        }
      }
    }
    bar.clear()
    return summarize(reports.sorted { $0.path < $1.path }, elapsed: .now - start)
  }

  private static func report(
    on file: String, _ engine: Engine, _ list: ExpectedFailures, isTracing: Bool
  ) -> ScriptReport {
    var report = ScriptReport(path: file)
    guard let text = readText(file) else {
      report.failed = 1
      report.differences = ["\(file): cannot be read\n"]
      return report
    }
    do throws(ScriptSyntaxError) {
      var run = ScriptRun(path: file, engine: engine)
      run.run(try ScriptParser.parse(text), isTracing: isTracing) {
        report.add($0, expectedFailures: list)
      }
      report.note = run.note
    } catch {
      report.failed += 1
      report.differences.append("\(file):\(error.line): \(error.message)\n")
    }
    return report
  }

  private static func summarize(_ reports: [ScriptReport], elapsed: Duration) -> Bool {
    var unsupported: [String: Int] = [:]
    for report in reports {
      for difference in report.differences { print(difference) }
      if let note = report.note { print("\(report.path): skipped from here on: \(note)") }
      unsupported.merge(report.unsupported, uniquingKeysWith: +)
    }
    for (construct, count) in unsupported.sorted(by: { $0.value > $1.value }) {
      print("\(count) records skipped: \(construct)")
    }
    let expected = reports.reduce(0) { $0 + $1.expectedFailures.count }
    if expected > 0 { print("\(expected) records fail as listed (counted as skipped)") }
    let failed = reports.reduce(0) { $0 + $1.failed }
    let passed = reports.reduce(0) { $0 + $1.passed }
    let skipped = reports.reduce(0) { $0 + $1.skipped }
    print("\(reports.count) scripts in \(elapsed)")
    print("\(passed) passed, \(failed) failed, \(skipped) skipped")
    return failed == 0
  }

  private static func record(_ files: [String], _ engine: Engine) -> Bool {
    var isComplete = true
    for file in files {
      guard let text = readText(file) else {
        printError("conformance: cannot read \(file)")
        return false
      }
      do {
        var recorder = Recorder(path: file, engine: engine)
        let recorded = recorder.record(try ScriptParser.parse(text))
        for notice in recorder.notices { print("\(file): \(notice)") }
        try writeText(recorded, to: file)
        print("\(file): \(recorder.recordCount) records")
      } catch {
        printError("\(file): \(error)")
        isComplete = false
      }
    }
    return isComplete
  }
}
