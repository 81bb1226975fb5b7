#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A bar on the terminal while a long import runs, where errors are shown on a terminal.
///
///     [############                  ]  41%  1203456 rows
struct ImportProgress {
  /// The file's size; nil where that is not known.
  private let total: Int?
  private let output: Output?
  private var untilLook = 0
  private var lastShown: Int
  private var isShown = false

  private static let rowsBetweenLooks = 500
  private static let microsecondsBetweenShows = 100_000
  private static let width = 30

  init(total: Int?) {
    self.total = total
    output = isatty(STDERR_FILENO) == 1 ? Output(descriptor: STDERR_FILENO) : nil
    lastShown = RunTime.now.real
  }

  /// Shows how far the import is, a few times a second.
  mutating func show(rows: Int, bytes: Int) {
    guard let output else { return }
    untilLook -= 1
    guard untilLook < 0 else { return }
    untilLook = Self.rowsBetweenLooks
    let now = RunTime.now.real
    guard now - lastShown >= Self.microsecondsBetweenShows else { return }
    lastShown = now
    isShown = true
    output.write("\r" + line(rows: rows, bytes: bytes))
    output.flush()
  }

  private func line(rows: Int, bytes: Int) -> String {
    guard let total, total > 0 else { return "\(rows) rows" }
    let fraction = min(Double(bytes) / Double(total), 1)
    let filled = Int(fraction * Double(Self.width))
    let percent = String(Int(fraction * 100))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: " ", count: Self.width - filled) + "] "
      + String(repeating: " ", count: 3 - percent.count) + percent + "%  \(rows) rows"
  }

  /// Takes the bar away.
  mutating func finish() {
    guard let output, isShown else { return }
    output.write("\r\u{1b}[K")
    output.flush()
    isShown = false
  }
}
