#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The few file operations of the tool.
enum Files {
  static func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[0..<count]
    }
  }

  @discardableResult
  static func write(_ bytes: [UInt8], to path: String) -> Bool {
    guard let file = fopen(path, "wb") else { return false }
    defer { fclose(file) }
    return fwrite(bytes, 1, bytes.count, file) == bytes.count
  }

  /// Removes a database with everything that may stand beside it.
  static func removeDatabase(_ path: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
  }

  /// Copies a database with everything that stands beside it.
  static func copyDatabase(from source: String, to target: String) {
    removeDatabase(target)
    for suffix in ["", "-journal", "-wal", "-shm"] {
      if let bytes = bytes(of: source + suffix) { write(bytes, to: target + suffix) }
    }
  }

  static func makeFolder(_ path: String) { mkdir(path, 0o755) }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

/// Names of files that this process alone uses; the folder goes when the process ends in order.
enum Scratch {
  private static let folder: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // A process that was killed leaves its folder, and its number may come again.
    var path = Array("\(parent)/martlet-torture-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { return parent }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  private static let counter = Counter()

  static func path(_ kind: String) -> String { "\(folder)/\(kind)-\(counter.next())" }

  static func removeFolder() { rmdir(folder) }
}

private final class Counter: @unchecked Sendable {
  private var value = 0

  func next() -> Int {
    value += 1
    return value
  }
}

/// Prints a line at once: what a process printed before it crashed must not be lost in a buffer.
func printLine(_ line: String) { writeLine(line, to: STDOUT_FILENO) }

func printError(_ message: String) { writeLine(message, to: STDERR_FILENO) }

private func writeLine(_ line: String, to file: Int32) {
  var line = line + "\n"
  line.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
}
