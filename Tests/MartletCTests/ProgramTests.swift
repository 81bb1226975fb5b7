import Foundation
import Testing

/// Programs in C that tell what they see of the library, one a topic, in `Programs`.
///
/// `MARTLET_LIBSQLITE3` names the folder of the library that was built (`libsqlite3.so.0` in it),
/// `MARTLET_ORACLE` that of C SQLite. Programs are compiled with the project's own header.
@Suite struct ProgramTests {
  private static let library = ProcessInfo.processInfo.environment["MARTLET_LIBSQLITE3"]
  private static let oracle = ProcessInfo.processInfo.environment["MARTLET_ORACLE"]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  static let programs: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("Programs").path)
    return (files ?? []).filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) }.sorted()
  }()

  @Test(
    .enabled(
      if: library != nil && oracle != nil,
      "set MARTLET_LIBSQLITE3 and MARTLET_ORACLE to the folders of both libraries"),
    arguments: programs)
  func `a C program sees the same of both libraries`(program: String) throws {
    let library = try #require(Self.library), oracle = try #require(Self.oracle)
    let scratch = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let binary = scratch.appendingPathComponent("program").path
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    let source = Self.folder.appendingPathComponent("Programs/\(program).c").path
    let headers = Self.folder.appendingPathComponent("../../Sources/CSQLite3/include").path
    let compiled = try run(
      ["cc", "-w", "-I", headers, "-o", binary, source, "-L", oracle, "-l:libsqlite3.so.0",
        "-lpthread"], in: scratch)
    try #require(compiled.status == 0, "\(compiled.output)")

    let expected = try runProgram(binary, on: oracle, scratch)
    let seen = try runProgram(binary, on: library, scratch)
    #expect(expected.status == 0)
    #expect(seen.status == expected.status)
    if let difference = firstDifference(seen.output, expected.output) {
      Issue.record("\(difference)")
    }
  }

  /// Each run has an empty directory of its own.
  private func runProgram(
    _ binary: String, on library: String, _ scratch: URL
  ) throws -> (status: Int32, output: String) {
    let place = scratch.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return try run(
      ["LD_LIBRARY_PATH=\(library)", "timeout", "120", binary], in: place)
  }

  private func run(
    _ words: [String], in place: URL
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = place
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private func firstDifference(_ seen: String, _ expected: String) -> String? {
    guard seen != expected else { return nil }
    let seen = seen.split(separator: "\n", omittingEmptySubsequences: false)
    let expected = expected.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(seen, expected).prefix { $0 == $1 }.count
    func text(_ lines: [Substring]) -> Substring { line < lines.count ? lines[line] : "(the end)" }
    return "line \(line + 1) is\n\(text(seen))\nbut in C\n\(text(expected))"
  }
}
