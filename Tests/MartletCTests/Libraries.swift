import Foundation

/// Where both libraries are, and how programs are built and run on them.
enum Libraries {
  /// The folder of the library that was built, `libsqlite3.so.0` in it.
  static let ours = ProcessInfo.processInfo.environment["MARTLET_LIBSQLITE3"]
  /// The folder of C SQLite.
  static let oracle = ProcessInfo.processInfo.environment["MARTLET_ORACLE"]

  static let areAvailable = ours != nil && oracle != nil
  static let reason = "set MARTLET_LIBSQLITE3 and MARTLET_ORACLE to the folders of both libraries"

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let headers = folder.appendingPathComponent("../../Sources/CSQLite3/include")

  struct Result {
    let status: Int32
    let output: String
  }

  /// The static library, where `make libsqlite3` has left it.
  static let archive: String? = ours.flatMap {
    let path = "\($0)/libsqlite3.a"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  /// Compiles a program with the project's own header; links the oracle, which is sure to have all,
  /// or an archive.
  static func compile(
    _ source: String, to binary: String, archive: String? = nil
  ) throws -> Result {
    let library =
      archive.map { [$0, "-lstdc++", "-lm"] } ?? ["-L", oracle ?? ".", "-l:libsqlite3.so.0"]
    return try run(
      ["cc", "-w", "-I", headers.path, "-o", binary, folder.appendingPathComponent(source).path]
        + library + ["-lpthread", "-ldl"],
      in: URL(fileURLWithPath: binary).deletingLastPathComponent())
  }

  /// Runs a program on a library in an empty directory of its own.
  static func run(
    _ binary: String, _ words: [String] = [], on library: String?, input: String = "",
    _ scratch: URL, seconds: Int = 120
  ) throws -> Result {
    let place = scratch.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return try run(
      ["LD_LIBRARY_PATH=\(library ?? ".")", "SWIFT_BACKTRACE=enable=no", "timeout", "\(seconds)", binary]
        + words, in: place, input: input)
  }

  private static func run(
    _ words: [String], in place: URL, input: String = ""
  ) throws -> Result {
    let process = Process()
    let pipe = Pipe(), inputPipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = place
    process.standardInput = inputPipe
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
  }

  /// A directory for the time of a test.
  static func withScratch(_ body: (URL) throws -> Void) throws {
    let scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    try body(scratch)
  }

  /// The first line in which outputs differ; nil where they are the same.
  static func firstDifference(_ seen: String, _ expected: String) -> String? {
    guard seen != expected else { return nil }
    let seen = seen.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(seen, expected).prefix { $0 == $1 }.count
    func text(_ lines: [Substring]) -> Substring { line < lines.count ? lines[line] : "(the end)" }
    return "line \(line + 1) is\n\(text(seen))\nbut in C\n\(text(expected))"
  }
}
