#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What was typed before, oldest first, and the file that keeps it.
///
/// The file is that of sqlite3's shell, a line for a line: `SQLITE_HISTORY` or `~/.sqlite_history`.
/// Lines that make a statement together are one entry here. What is typed is added to the end at
/// once, so that shells side by side do not lose each other's; a file that grew long is cut when it
/// is read.
struct History {
  private(set) var entries: [String] = []
  private let path: String?

  private static let entryLimit = 2000
  /// libedit writes this first, and then blanks and the like as `\040`.
  private static let marker = "_HiStOrY_V2_"
  private var isEscaped = false

  /// Nothing is kept where there is no home.
  static var defaultPath: String? {
    if let named = environment("SQLITE_HISTORY") { return named.isEmpty ? nil : named }
    return environment("HOME").map { $0 + "/.sqlite_history" }
  }

  init(path: String?) {
    self.path = path
    guard let path, let file = path.withFileName({ fopen($0, "r") }) else { return }
    fclose(file)
    guard let input = InputFile(named: path) else { return }
    let reader = LineReader(input, name: path)
    var lines: [[UInt8]] = []
    while let line = reader.next() { lines.append(line) }
    if lines.first?.elementsEqual(Self.marker.utf8) == true {
      isEscaped = true
      lines = lines.dropFirst().map { resolvingEscapes($0) }
    }
    gather(lines)
    if entries.count > Self.entryLimit + Self.entryLimit / 4 {
      entries = Array(entries.suffix(Self.entryLimit))
      rewrite()
    }
  }

  /// Joins the lines that make a statement together.
  private mutating func gather(_ lines: [[UInt8]]) {
    var statement = StatementReader()
    var gathered: [String] = []
    for line in lines where !line.allSatisfy(isSpace) {
      // A statement that was never finished does not swallow the command after it.
      if line.first == UInt8(ascii: "."), !statement.isEmpty {
        gathered.forEach { remember($0) }
        (statement, gathered) = (StatementReader(), [])
      }
      gathered.append(String(decoding: line, as: UTF8.self))
      _ = statement.take(line, number: 0)
      if statement.isEmpty {
        remember(gathered.joined(separator: "\n"))
        gathered = []
      }
    }
    gathered.forEach { remember($0) }
  }

  private mutating func remember(_ entry: String) {
    if !entry.isEmpty, entries.last != entry { entries.append(entry) }
  }

  /// Keeps what was typed, unless it only repeats; a blank before it keeps it out of the file.
  mutating func add(_ text: String) {
    let entry = String(text.reversed().drop(while: \.isWhitespace).reversed())
    guard !entry.isEmpty, entries.last != entry else { return }
    entries.append(entry)
    guard !entry.hasPrefix(" "), let path else { return }
    let isNew = path.withFileName { access($0, F_OK) } != 0
    let descriptor = path.withFileName { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
    guard descriptor >= 0 else { return }
    if isNew { isEscaped = false }
    let output = Output(owned: descriptor)
    output.write(line(entry))
    output.flush()
  }

  private func rewrite() {
    guard let path else { return }
    let descriptor = path.withFileName { open($0, O_WRONLY | O_TRUNC) }
    guard descriptor >= 0 else { return }
    let output = Output(owned: descriptor)
    if isEscaped { output.write(Self.marker + "\n") }
    for entry in entries { output.write(line(entry)) }
    output.flush()
  }

  private func line(_ entry: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in entry.utf8 {
      if isEscaped, byte == 0x20 || byte == 0x5c || byte == 9 {
        bytes += Array(("\\" + octal(byte)).utf8)
      } else {
        bytes.append(byte)
      }
    }
    return bytes + [10]
  }
}

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(fileName: $0) } }
