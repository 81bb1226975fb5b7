import Foundation
import Testing

/// Programs that others have written for SQLite's library.
@Suite(.serialized) struct OtherProgramsTests {
  static let others = Libraries.folder.appendingPathComponent("Others")

  static func exists(_ program: String?) -> Bool {
    program.map { FileManager.default.isExecutableFile(atPath: $0) } ?? false
  }

  /// A tool that lies beside C SQLite's library.
  static func tool(_ name: String) -> String? { Libraries.oracle.map { "\($0)/\(name)" } }

  private func compare(
    _ binary: String, _ words: [String] = [], input: String = "",
    cleaning: (String) -> String = { $0 }
  ) throws {
    try Libraries.withScratch { scratch in
      let expected = try Libraries.run(binary, words, on: Libraries.oracle, input: input, scratch)
      let seen = try Libraries.run(binary, words, on: Libraries.ours, input: input, scratch)
      #expect(seen.status == expected.status)
      if let difference = Libraries.firstDifference(cleaning(seen.output), cleaning(expected.output)) {
        Issue.record("\(difference)")
      }
    }
  }

  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)))
  func `a Python program prints the same on both libraries`() throws {
    try compare("python3", [Self.others.appendingPathComponent("program.py").path])
  }

  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("sqlite3")), Comment(rawValue: Libraries.reason)))
  func `C SQLite's shell works on the library`() throws {
    let script = try String(
      contentsOf: Self.others.appendingPathComponent("shell.txt"), encoding: .utf8)
    try compare(try #require(Self.tool("sqlite3")), ["main.db"], input: script)
  }

  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("speedtest1")), Comment(rawValue: Libraries.reason)),
    arguments: ["main", "orm", "cte", "json", "fp", "star", "parsenumber", "trigger"])
  func `speedtest1 gives the same hash`(testset: String) throws {
    let words = ["--size", "5", "--testset", testset, "--verify", "test.db"]
    try compare(try #require(Self.tool("speedtest1")), words) { output in
      // Times differ.
      output.split(separator: "\n").filter { $0.hasPrefix("Verification") }.joined()
    }
  }

  @Test(
    .enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)),
    arguments: [1, 2, 3, 4])
  func `random calls with wrong handles come to their end`(seed: Int) throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("fuzz").path
      let compiled = try Libraries.compile("Tools/misuse_fuzz.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let result = try Libraries.run(binary, ["\(seed)", "100000"], on: Libraries.ours, scratch)
      #expect(result.status == 0)
      #expect(result.output == "done\n")
    }
  }
}
