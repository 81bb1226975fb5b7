#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What one script gave.
struct ScriptReport: Sendable {
  var path: String
  var passed = 0
  var failed = 0
  var skipped = 0
  /// Constructs that Martlet says it lacks, with how many records wanted each.
  var unsupported: [String: Int] = [:]
  var differences: [String] = []
  var note: String?
  /// The listed cases that failed, as they should.
  var expectedFailures: Set<String> = []

  private static let longestListing = 12

  init(path: String) { self.path = path }

  mutating func add(_ report: RecordReport, expectedFailures list: ExpectedFailures) {
    let listed = list.isEmpty ? nil : list.entry(for: "\(path):\(report.line)")
    switch report.outcome {
    case .passed:
      guard let listed else {
        passed += 1
        return
      }
      failed += 1
      differences.append(
        "\(path):\(report.line): passes, but stands in \(list.path) as \(listed)\n")
    case .skipped: skipped += 1
    case .unsupported(let construct):
      skipped += 1
      unsupported[construct, default: 0] += 1
    case .failed(let expected, let actual):
      if let listed {
        skipped += 1
        expectedFailures.insert(listed)
        return
      }
      failed += 1
      differences.append(difference(report, expected, actual))
    }
  }

  /// The difference as people read it: SQL, place, both results around the first unequal line.
  private func difference(
    _ report: RecordReport, _ expected: [String], _ actual: [String]
  ) -> String {
    let first = zip(expected, actual).prefix { $0 == $1 }.count
    var text = "\(path):\(report.line): \(report.sql)\n"
    if first > 0 { text += "  equal up to line \(first)\n" }
    text += listing("expected", expected, from: first)
    return text + listing("actual", actual, from: first)
  }

  private func listing(_ title: String, _ lines: [String], from first: Int) -> String {
    let shown = lines.dropFirst(first).prefix(Self.longestListing)
    var text = "  \(title) (\(lines.count) lines):\n"
    for line in shown { text += "    \(line)\n" }
    let rest = lines.count - first - shown.count
    return rest > 0 ? text + "    … \(rest) more\n" : text
  }
}

/// The cases that are known to fail: `path:line` a line, `#` starts a comment.
struct ExpectedFailures: Sendable {
  var path = ""
  private var entries: Set<String> = []

  var isEmpty: Bool { entries.isEmpty }

  init() {}

  init(path: String, text: String) {
    self.path = path
    for line in text.split(separator: "\n") {
      let entry = line.prefix { $0 != "#" }.split(separator: " ").first.map(String.init)
      if let entry { entries.insert(entry) }
    }
  }

  /// The entry that names this case, by its full path or the end of it.
  func entry(for name: String) -> String? {
    if entries.contains(name) { return name }
    var rest = name[...]
    while let slash = rest.firstIndex(of: "/") {
      rest = rest[rest.index(after: slash)...]
      if entries.contains(String(rest)) { return String(rest) }
    }
    return nil
  }
}

/// A bar on the terminal's error stream; nothing where that is not a terminal.
struct ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let total: Int

  init(total: Int) { self.total = max(total, 1) }

  func show(_ done: Int, failed: Int) {
    guard isShown else { return }
    let width = 40
    let filled = width * done / total
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    printError("\r[\(bar)] \(done)/\(total) scripts, \(failed) failed", terminator: "")
  }

  func clear() {
    if isShown { printError("\r\u{1b}[K", terminator: "") }
  }
}

func printError(_ text: String, terminator: String = "\n") {
  var bytes = Array((text + terminator).utf8)
  while !bytes.isEmpty {
    let count = write(STDERR_FILENO, bytes, bytes.count)
    if count <= 0 { return }
    bytes.removeFirst(count)
  }
}
