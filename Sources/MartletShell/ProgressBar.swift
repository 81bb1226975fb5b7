#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A bar on the terminal while something takes longer than a second, where errors are shown on one.
///
///     [############                  ]  41%  1203456 rows  310k/s  0:05 left
struct ProgressBar {
  /// What is counted, as `rows`.
  private let unit: String
  /// How much there is to do in all; nil where that is not known.
  var total: Int?
  private let output: Output?
  private let start: Int
  private var untilLook = 0
  private var lastShown: Int
  private var isShown = false

  private static let microsecondsBeforeFirst = 1_000_000
  private static let microsecondsBetweenShows = 100_000
  private static let callsBetweenLooks = 200
  private static let width = 30

  /// - Parameter fills: The terminal shows what is written anyhow: there is no room for a bar.
  init(unit: String, total: Int? = nil, unless fills: Bool = false) {
    self.unit = unit
    self.total = total
    output = !fills && isatty(STDERR_FILENO) == 1 ? Output(descriptor: STDERR_FILENO) : nil
    start = RunTime.now.real
    lastShown = start + Self.microsecondsBeforeFirst - Self.microsecondsBetweenShows
  }

  /// Whether it may be seen at all.
  var isPossible: Bool { output != nil }

  /// Shows how far it is, a few times a second: `done` of the total, and a count, where that is
  /// something else. Asks for the time only now and then if it is called `often`.
  mutating func show(done: Int, count: Int? = nil, often: Bool = true) {
    guard let output else { return }
    untilLook -= 1
    guard untilLook < 0 || !often else { return }
    untilLook = Self.callsBetweenLooks
    let now = RunTime.now.real
    guard now - lastShown >= Self.microsecondsBetweenShows else { return }
    lastShown = now
    isShown = true
    let line = Self.line(
      done: done, total: total, count: count ?? done, unit: unit, microseconds: now - start)
    output.write("\r" + line + "\u{1b}[K")
    output.flush()
  }

  static func line(
    done: Int, total: Int?, count: Int, unit: String, microseconds: Int
  ) -> String {
    let seconds = Double(max(microseconds, 1)) / 1_000_000
    let counted = "\(count) \(unit)  \(rate(Double(count) / seconds))/s"
    guard let total, total > 0 else { return "\(counted)  \(clock(seconds))" }
    let fraction = min(max(Double(done) / Double(total), 0), 1)
    let filled = Int(fraction * Double(width))
    let percent = String(Int(fraction * 100))
    let bar =
      "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled)
      + "] " + String(repeating: " ", count: 3 - percent.count) + percent + "%"
    let left = fraction > 0 ? "  \(clock(seconds / fraction - seconds)) left" : ""
    return "\(bar)  \(counted)\(left)"
  }

  private static func rate(_ perSecond: Double) -> String {
    switch perSecond {
    case ..<10_000: "\(Int(perSecond))"
    case ..<10_000_000: "\(Int(perSecond / 1e3))k"
    default: perSecond < 1e15 ? "\(Int(perSecond / 1e6))M" : "?"
    }
  }

  private static func clock(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days" }
    let whole = Int(seconds.rounded(.up))
    let rest = whole % 60
    let minutes = whole / 60 % 60
    let padded = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    if whole < 3600 { return "\(minutes):\(padded(rest))" }
    return "\(whole / 3600):\(padded(minutes)):\(padded(rest))"
  }

  /// Takes the bar away.
  mutating func finish() {
    guard let output, isShown else { return }
    output.write("\r\u{1b}[K")
    output.flush()
    isShown = false
  }
}
