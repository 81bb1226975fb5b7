import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `torture deep`: the deepest legal statements on the stack that threads have on small systems.
///
/// Only a release build says something: frames of a debug build are many times larger.
struct Deep {
  private static let stackSize = 512 * 1_024

  let library: OracleLibrary

  /// Each script in a process of its own, so that an overflow is one finding. True when all agree.
  static func run(jobs: Int) -> Bool {
    let scripts = DeepStatements.all
    var failures = 0
    runChildren(
      scripts.count, width: jobs, limit: .seconds(60),
      arguments: { ["deep-one", "--seed", "\($0)"] },
      finished: { index, result in
        guard result.end != .exited(0) else { return true }
        failures += 1
        printLine("\(scripts[index].name): \(result.end) \(result.output.prefix(500))")
        return true
      })
    printLine(
      "\(scripts.count - failures) of \(scripts.count) deep scripts as in C on 512 KB of stack")
    return failures == 0
  }

  /// True when Martlet, on a small stack, answers one script as C does.
  func run(script: Int) -> Bool {
    guard DeepStatements.all.indices.contains(script) else { return false }
    let statements = DeepStatements.all[script].sql
    let expected = Self.outcomes(.oracle(library), statements)
    let task = SmallStackTask(statements)
    guard task.run(stackSize: Self.stackSize) else { return false }
    for (sql, pair) in zip(statements, zip(expected, task.outcomes)) {
      guard let found = pair.0.difference(from: pair.1, sql: sql) else { continue }
      if found.martlet == "1: Recursion limit" && DeepStatements.mayBeTooDeep(script) { continue }
      printLine("\(found.kind.rawValue): C: \(found.oracle.prefix(200))")
      printLine("Martlet: \(found.martlet.prefix(200))")
      return false
    }
    return true
  }

  fileprivate static func outcomes(_ engine: Engine, _ statements: [String]) -> [Outcome] {
    do throws(EngineError) {
      let database = try engine.open(path: ":memory:", readOnly: false)
      return statements.map { database.outcome(of: $0) }
    } catch { return [Outcome(error: error)] }
  }
}

/// Statements that run on a thread of their own.
private final class SmallStackTask: @unchecked Sendable {
  let statements: [String]
  private(set) var outcomes: [Outcome] = []

  init(_ statements: [String]) { self.statements = statements }

  /// Waits for the thread; false when it could not be started.
  func run(stackSize: Int) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    guard pthread_attr_setstacksize(&attributes, stackSize) == 0 else { return false }
    let context = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let code = pthread_create(&thread, &attributes, { SmallStackTask.main($0) }, context)
      guard code == 0, let thread else { return false }
    #else
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes, { $0.flatMap { SmallStackTask.main($0) } }, context)
      guard code == 0 else { return false }
    #endif
    return pthread_join(thread, nil) == 0
  }

  private static func main(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let task = Unmanaged<SmallStackTask>.fromOpaque(context).takeRetainedValue()
    task.outcomes = Deep.outcomes(.martlet, task.statements)
    return nil
  }
}
