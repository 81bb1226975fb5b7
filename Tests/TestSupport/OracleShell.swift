import Foundation

/// The shell of C SQLite in a process of its own, kept running between statements so that it can
/// hold locks.
package final class OracleShell {
  /// Where the oracle is, from the environment; nil when this machine has none.
  package static let folder = ProcessInfo.processInfo.environment["MARTLET_ORACLE"]
  package static var isAvailable: Bool { folder != nil }

  private let process = Process()
  private let input: Pipe
  private let output: Pipe

  /// One shell is started at a time: a process that is made while the pipes of another are, would
  /// keep them open, and the end of input would not come.
  private static let starting = NSLock()

  package init(_ databasePath: String) throws {
    let folder = Self.folder ?? "."
    Self.starting.lock()
    defer { Self.starting.unlock() }
    input = Pipe()
    output = Pipe()
    for pipe in [input, output] {
      for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    process.executableURL = URL(fileURLWithPath: folder + "/sqlite3")
    process.arguments = ["-batch", databasePath]
    process.environment = ["LD_LIBRARY_PATH": folder]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    // As it starts, the shell reads the schema: whoever wrote at that moment found it locked.
    try finish()
  }

  /// Runs statements and returns what was printed, errors too.
  @discardableResult
  package func run(_ sql: String) throws -> String {
    let marker = "--done--"
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n.print \(marker)\n".utf8))
    let end = Data("\(marker)\n".utf8)
    var bytes = Data()
    // A character may come in two pieces.
    while bytes.suffix(end.count) != end {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      bytes += data
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return String(text.replacingOccurrences(of: marker + "\n", with: "").trimmingPrefix("\n"))
  }

  /// Sends statements without waiting for them.
  package func start(_ sql: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n".utf8))
  }

  /// Waits until everything that was sent is done; returns what it printed.
  @discardableResult
  package func finish() throws -> String { try run("") }

  /// Ends the process as a crash would: without a chance to tidy up.
  package func crash() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// A directory that is removed when the test is over.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("martlet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func callAsFunction(_ name: String) -> String { path + "/" + name }
}
