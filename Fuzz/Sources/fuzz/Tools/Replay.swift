#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs what is in a corpus, without libFuzzer.
enum Replay {
  /// Seconds that one file may take. Most take a thousandth of it.
  private static let limit: UInt32 = 20

  /// What runs now, for who finds out that the process ends.
  nonisolated(unsafe) private static var current: UnsafeMutablePointer<CChar>?

  /// True when no input of any target ended its process.
  static func run(folder: String) -> Bool {
    var isGood = true
    for target in Target.allCases {
      let files = names(in: "\(folder)/\(target.rawValue)").count
      guard files > 0 else { continue }
      let start = ContinuousClock.now
      guard
        let child = ChildProcess(
          ["replay-target", target.rawValue, "\(folder)/\(target.rawValue)"], limit: .seconds(600))
      else { return false }
      let result = child.wait()
      print(result.output, terminator: "")
      let time = (ContinuousClock.now - start).components
      let ok = result.end == .exited(0)
      print("\(target.rawValue): \(files) inputs in \(time.seconds) s\(ok ? "" : ": \(result.end)")")
      isGood = isGood && ok
    }
    return isGood
  }

  static func run(_ target: Target, folder: String) {
    for ending in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM] {
      signal(ending) { number in
        // Only what is allowed in a signal handler.
        if let current = Replay.current { write(STDOUT_FILENO, current, strlen(current)) }
        write(STDOUT_FILENO, number == SIGALRM ? ": too slow\n" : ": crash\n", number == SIGALRM ? 11 : 8)
        _exit(2)
      }
    }
    target.prepare()
    for name in names(in: folder).sorted() {
      let path = "\(folder)/\(name)"
      guard let bytes = Files.bytes(of: path) else { continue }
      free(current)
      current = strdup(path)
      alarm(limit)
      bytes.withUnsafeBufferPointer { target.run($0) }
    }
    alarm(0)
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
