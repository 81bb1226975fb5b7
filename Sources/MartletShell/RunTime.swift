#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Whether `.timer` shows how long statements take.
enum TimerMode { case off, on, once }

/// Times in microseconds: on the clock, and of the process in its own code and in the kernel's.
struct RunTime {
  let real: Int
  let user: Int
  let system: Int

  static var now: RunTime {
    var clock = timespec()
    clock_gettime(CLOCK_MONOTONIC, &clock)
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    return RunTime(
      real: Int(clock.tv_sec) * 1_000_000 + clock.tv_nsec / 1000,
      user: Self.microseconds(usage.ru_utime), system: Self.microseconds(usage.ru_stime))
  }

  private static func microseconds(_ time: timeval) -> Int {
    Int(time.tv_sec) * 1_000_000 + Int(time.tv_usec)
  }

  /// The line that `.timer` shows.
  func since(_ start: RunTime) -> String {
    "Run Time: real \(Self.seconds(real - start.real))"
      + " user \(Self.seconds(user - start.user)) sys \(Self.seconds(system - start.system))\n"
  }

  private static func seconds(_ microseconds: Int) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count)
      + fraction
  }
}
