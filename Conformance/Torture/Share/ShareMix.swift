#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The processes on one file, seen from the one that starts them.
final class ShareMix {
  private struct Worker {
    let number: Int
    let role: ShareRole
    let child: ChildProcess
  }

  private let options: Options
  private let seed: UInt64
  private let path = Scratch.path("shared")
  /// The file as it was after everybody was killed.
  private let remainsPath = Scratch.path("remains")
  private var random: RandomSource
  private var workers: [Worker] = []
  private(set) var progress: [ShareProgress] = []
  private(set) var roundCount = 0
  private(set) var killCount = 0
  private(set) var findingCount = 0

  init(_ options: Options, seed: UInt64) {
    self.options = options
    self.seed = seed
    random = RandomSource(seed: seed)
  }

  private var isKilling: Bool { options.kill > 0 }
  private var count: Int { max(options.processes, ShareRole.ofMix.count) }

  /// Lets everybody go on for so long.
  func run(seconds: Int) {
    defer { end() }
    guard make() else { return }
    for number in 0..<count { start(number, seconds: seconds) }
    while !workers.isEmpty {
      reap()
      usleep(1_000)
    }
    judge("c")
    judge("martlet")
  }

  /// Kills some, looks whether all is there that was committed, and starts them again.
  func runKilling(rounds: Int) {
    defer { end() }
    guard make() else { return }
    let forever = 1_000_000
    for number in 0..<count { start(number, seconds: forever) }
    while roundCount < rounds, findingCount == 0 {
      usleep(useconds_t(random.within(10...300) * 1000))
      reap()
      let killed = killSome()
      roundCount += 1
      let isAlone = workers.isEmpty
      if isAlone { Files.copyDatabase(from: path, to: remainsPath) }
      let isJudgedFirst = isAlone || random.chance(50)
      if isJudgedFirst { judge(random.pick(["c", "martlet"])) }
      for number in killed { start(number, seconds: forever) }
      if !isJudgedFirst { judge(random.pick(["c", "martlet"])) }
      reap()
    }
    for worker in workers { worker.child.kill() }
    workers = []
    if findingCount == 0 {
      judge(random.pick(["c", "martlet"]))
      judge("c")
      judge("martlet")
    }
  }

  /// One, several or all; their numbers.
  private func killSome() -> [Int] {
    let victims: Int =
      switch random.below(10) {
      case 0..<4: 1
      case 4..<7: random.within(2...count)
      default: count
      }
    let numbers = random.sample(workers.map(\.number), victims)
    for worker in workers where numbers.contains(worker.number) { worker.child.kill() }
    workers.removeAll { numbers.contains($0.number) }
    killCount += numbers.count
    return numbers
  }

  /// Engines take turns from one process to the next, and from one of a role to the next.
  private func engine(of number: Int) -> String {
    let turn = number / ShareRole.ofMix.count
    if isKilling { return random.pick(["c", "martlet"]) }
    return (UInt64(number + turn) &+ seed) % 2 == 0 ? "c" : "martlet"
  }

  private func start(_ number: Int, seconds: Int) {
    let role = ShareRole.ofMix[number % ShareRole.ofMix.count]
    let arguments = arguments(role, engine(of: number), number: number, seconds: seconds)
    guard let child = ChildProcess(arguments, limit: .seconds(seconds + 90)) else {
      return report("cannot start a process")
    }
    workers.append(Worker(number: number, role: role, child: child))
  }

  private func arguments(
    _ role: ShareRole, _ engine: String, number: Int, seconds: Int
  ) -> [String] {
    [
      "share-worker", "--role", role.rawValue, "--engine", engine, "--worker", "\(number)",
      "--seconds", "\(seconds)", "--seed", "\(random.next() >> 1)", "--processes", "\(count)",
      "--page-size", "\(pageSize)", "--kill", "\(options.kill)", path,
    ]
  }

  private var pageSize: Int {
    let sizes = [512, 1024, 4096, 2048, 8192]
    return options.pageSize > 0 ? options.pageSize : sizes[Int(seed % UInt64(sizes.count))]
  }

  private func make() -> Bool { runOne(.maker, random.pick(["c", "martlet"])) }

  private func judge(_ engine: String) { _ = runOne(.judge, engine) }

  /// Runs a process to its end.
  private func runOne(_ role: ShareRole, _ engine: String) -> Bool {
    let arguments = arguments(role, engine, number: count, seconds: 0)
    guard let child = ChildProcess(arguments, limit: .seconds(120)) else {
      report("cannot start a process")
      return false
    }
    let result = child.wait()
    if result.end != .exited(0) { report("\(role) \(engine): \(result.end) \(result.output)") }
    return result.end == .exited(0)
  }

  /// Takes note of those that have ended by themselves.
  private func reap() {
    workers.removeAll { worker in
      guard let result = worker.child.poll() else { return false }
      if result.end != .exited(0) || isKilling {
        report("\(worker.role) \(worker.number): \(result.end) \(result.output)")
      }
      return true
    }
  }

  private func report(_ finding: String) {
    findingCount += 1
    let finding = finding.split(separator: "\n").joined(separator: "\n  ")
    printLine("seed \(seed), page size \(pageSize), round \(roundCount): \(finding)")
  }

  /// Keeps the files of a finding, and removes the others.
  private func end() {
    for number in 0..<count {
      progress.append(ShareProgress(of: number, path))
      unlink(ShareProgress.path(of: number, path))
    }
    if findingCount > 0 {
      let kept = "\(options.caseFolder)/share-\(seed)"
      Files.copyDatabase(from: path, to: "\(kept).db")
      Files.copyDatabase(from: remainsPath, to: "\(kept)-remains.db")
      printLine("  \(kept).db")
    }
    Files.removeDatabase(path)
    Files.removeDatabase(remainsPath)
  }
}
