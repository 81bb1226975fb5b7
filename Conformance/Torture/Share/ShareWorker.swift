import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One process of the mix.
final class ShareWorker {
  let role: ShareRole
  let engine: Engine
  let options: Options
  var random: RandomSource
  var progress: ShareProgress
  private let progressFile: Int32
  private var database: (any Database)?
  /// The connection may only read, and cannot roll back what a process left that was killed.
  private var isReadOnly = false
  private let parent = getppid()
  /// What the last step found.
  var problem: String?
  /// What the last statements were, for the report.
  private var trail: [String] = []

  init(_ role: ShareRole, _ engine: Engine, _ options: Options) {
    self.role = role
    self.engine = engine
    self.options = options
    random = RandomSource(seed: options.seed)
    progress = ShareProgress(of: options.worker, options.path)
    progressFile =
      role == .writer || role == .reader || role == .checkpointer || role == .switcher
      ? open(ShareProgress.path(of: options.worker, options.path), O_RDWR | O_CREAT, 0o600) : -1
  }

  deinit { if progressFile >= 0 { close(progressFile) } }

  /// What was found; nil if nothing.
  func run() -> String? {
    switch role {
    case .maker: return untilNotBusy { () throws(EngineError) in try self.make() }
    case .judge: return untilNotBusy { () throws(EngineError) in try self.judge() }
    case .writer:
      if let problem = untilNotBusy({ () throws(EngineError) in try self.resume() }) {
        return problem
      }
      if let problem = loop() { return problem }
      return untilNotBusy { () throws(EngineError) in try self.resume() }
    case .reader, .checkpointer, .switcher: return loop()
    }
  }

  private func loop() -> String? {
    let end = ContinuousClock.now + .seconds(options.seconds)
    while ContinuousClock.now < end, getppid() == parent {
      if role != .switcher, ShareGate.isShut {
        database = nil
        while ShareGate.isShut { usleep(2_000) }
      }
      if random.chance(1) { database = nil }
      if let problem = attempt({ () throws(EngineError) in try self.step() }) { return problem }
      progress.steps += 1
      saveProgress()
    }
    return nil
  }

  /// Runs `body` once; a transaction that it leaves open is rolled back. What is returned is a
  /// finding.
  private func attempt(_ body: () throws(EngineError) -> Void) -> String? {
    do throws(EngineError) {
      try body()
    } catch {
      guard error.isBusy || (isReadOnly && error.isReadOnly) else {
        return finding("error \(error.line)")
      }
      progress.busy += 1
      wasBusy = true
    }
    if let problem { return finding(problem) }
    do throws(EngineError) {
      if let database, !database.state.isAutocommit { try database.execute("ROLLBACK") }
    } catch {
      return finding("ROLLBACK gives \(error.line)")
    }
    return nil
  }

  private var wasBusy = false

  private func untilNotBusy(_ body: () throws(EngineError) -> Void) -> String? {
    let end = ContinuousClock.now + .seconds(60)
    repeat {
      wasBusy = false
      if let problem = attempt(body) { return problem }
      if !wasBusy { return nil }
      database = nil
      usleep(useconds_t(random.within(1...20) * 1000))
    } while ContinuousClock.now < end
    return finding("always busy")
  }

  private func finding(_ text: String) -> String {
    let name = if case .oracle = engine { "c" } else { "martlet" }
    return "\(role) \(options.worker) (\(name)): \(text)\n"
      + trail.suffix(8).joined(separator: ";\n")
  }

  func saveProgress() { progress.write(to: progressFile) }

  /// The connection, opened with settings of its own if there is none.
  func connection() throws(EngineError) -> any Database {
    if let database { return database }
    let isReadOnly = role == .reader && random.chance(15)
    let database = try engine.open(path: options.path, readOnly: isReadOnly)
    let wait = role == .switcher ? random.pick([0, 20, 100]) : random.pick([10, 200, 1000])
    // What has been acknowledged must be there even if the power had gone.
    let synchronous =
      role == .writer && options.kill > 0 ? "full" : random.pick(["off", "normal", "full"])
    let settings = [
      "busy_timeout = \(wait)", "synchronous = \(synchronous)",
      "cache_size = \(random.pick([5, 20, 2000]))",
      "wal_autocheckpoint = \(random.pick([0, 20, 1000]))",
    ]
    for setting in settings { try database.execute("PRAGMA \(setting)") }
    note("-- opened\(isReadOnly ? " for reading" : ""): \(settings)")
    self.database = database
    self.isReadOnly = isReadOnly
    return database
  }

  /// Ends the connection.
  func disconnect() { database = nil }

  func run(_ sql: String) throws(EngineError) {
    let connection = try connection()
    note(sql)
    try connection.execute(sql)
  }

  func note(_ sql: String) {
    if trail.count > 100 { trail.removeFirst(50) }
    trail.append(sql)
  }

  func pause(upTo milliseconds: Int) { usleep(useconds_t(random.below(milliseconds * 1000))) }

  private func step() throws(EngineError) {
    switch role {
    case .writer: try write()
    case .reader: try read()
    case .checkpointer: try checkpoint()
    case .switcher: try switchMode()
    case .maker, .judge: break
    }
  }
}

extension EngineError {
  var isBusy: Bool {
    let busy: Int32 = 5, locked: Int32 = 6
    return code & 0xff == busy || code & 0xff == locked
  }

  var isReadOnly: Bool { code & 0xff == 8 }
}

/// Times, the same for all processes, at which nobody but the one that changes the journal mode has
/// the file open: else the write-ahead log is never given up.
enum ShareGate {
  private static let period = 1500
  private static let shut = 300

  static var isShut: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return (now.tv_sec * 1000 + now.tv_nsec / 1_000_000) % period < shut
  }
}
