#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How a child process ended.
enum ChildEnd: Equatable {
  case exited(Int32)
  case signalled(Int32)
  case timedOut
}

/// What a child printed, and how it ended.
struct ChildResult {
  let end: ChildEnd
  let output: String
}

/// This program started again with other arguments, so that a crash or an endless loop ends a child
/// and not the run.
struct ChildProcess {
  private let process: pid_t
  private let outputPath: String
  private let deadline: ContinuousClock.Instant

  /// Starts the child, its standard output in a file of its own; nil when it cannot be started.
  init?(_ arguments: [String], limit: Duration) {
    outputPath = Scratch.path("output")
    var actions = FileActions()
    guard let actions = actions.redirect(to: outputPath) else { return nil }
    defer { actions.destroy() }
    let words: [UnsafeMutablePointer<CChar>?] =
      ([CommandLine.arguments[0]] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let program = "/proc/self/exe"
    let path = access(program, X_OK) == 0 ? program : CommandLine.arguments[0]
    guard actions.spawn(path, words, &process) else { return nil }
    self.process = process
    deadline = .now + limit
  }

  /// The result once the child has ended; nil while it runs. Kills it past its time limit.
  func poll() -> ChildResult? {
    var status: Int32 = 0
    let ended = waitpid(process, &status, WNOHANG)
    if ended == 0 {
      guard ContinuousClock.now > deadline else { return nil }
      _ = posixKill(process, SIGKILL)
      waitpid(process, &status, 0)
      return ChildResult(end: .timedOut, output: takeOutput())
    }
    let signal = status & 0x7f
    let end: ChildEnd = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    return ChildResult(end: end, output: takeOutput())
  }

  /// Waits for the child's end.
  func wait() -> ChildResult {
    while true {
      if let result = poll() { return result }
      usleep(1_000)
    }
  }

  /// Kills the child, and returns when it has ended.
  func kill() {
    var status: Int32 = 0
    _ = posixKill(process, SIGKILL)
    waitpid(process, &status, 0)
    unlink(outputPath)
  }

  private func takeOutput() -> String {
    defer { unlink(outputPath) }
    return String(decoding: Files.bytes(of: outputPath) ?? [], as: UTF8.self)
  }
}

/// The system's `kill`, whose name the method has.
private func posixKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }

/// The redirections of a child that is about to start.
private struct FileActions {
  #if canImport(Darwin)
    private var actions: posix_spawn_file_actions_t?
  #else
    private var actions = posix_spawn_file_actions_t()
  #endif

  mutating func redirect(to path: String) -> FileActions? {
    guard posix_spawn_file_actions_init(&actions) == 0,
      posix_spawn_file_actions_addopen(
        &actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) == 0
    else { return nil }
    return self
  }

  func destroy() {
    var actions = actions
    posix_spawn_file_actions_destroy(&actions)
  }

  func spawn(
    _ path: String, _ words: [UnsafeMutablePointer<CChar>?], _ process: inout pid_t
  ) -> Bool {
    var actions = actions
    return posix_spawn(&process, path, &actions, nil, words, environ) == 0
  }
}

/// Runs children side by side, `width` at a time, and hands their results on as they end.
func runChildren(
  _ count: Int, width: Int, limit: Duration, arguments: (Int) -> [String],
  finished: (Int, ChildResult) -> Bool
) {
  var running: [(index: Int, child: ChildProcess)] = []
  var next = 0
  var goesOn = true
  while goesOn && next < count || !running.isEmpty {
    while goesOn, next < count, running.count < width {
      if let child = ChildProcess(arguments(next), limit: limit) { running.append((next, child)) }
      next += 1
    }
    var isAnyEnded = false
    running.removeAll { index, child in
      guard let result = child.poll() else { return false }
      isAnyEnded = true
      if !finished(index, result) { goesOn = false }
      return true
    }
    if !isAnyEnded { usleep(1_000) }
  }
}
