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
      if let difference = Libraries.firstDifference(
        cleaning(seen.output), cleaning(expected.output))
      {
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

  /// Commands about sessions, archives, indexes, sums and the file, which call the interface in ways
  /// that statements do not.
  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("sqlite3")), Comment(rawValue: Libraries.reason)))
  func `the commands of C SQLite's shell that administer print the same`() throws {
    let script = try String(
      contentsOf: Self.others.appendingPathComponent("commands.txt"), encoding: .utf8)
    try compare(try #require(Self.tool("sqlite3")), ["main.db"], input: script)
  }

  /// What a program is told of memory and of calls of the system is its own library's.
  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("sqlite3")), Comment(rawValue: Libraries.reason)))
  func `the counters that C SQLite's shell prints are the same`() throws {
    let own = [
      "Memory", "Number of Outstanding", "Number of Pcache", "Largest", "Lookaside",
      "Successful lookaside", "Pager Heap", "Page cache hits", "Page cache misses", "Schema Heap",
      "Statement Heap", "Virtual Machine", "VM-steps", "Bytes", "Read()", "Write()", "Cancelled",
      // The engine counts none.
      "Bloom filter",
    ]
    let script = try String(
      contentsOf: Self.others.appendingPathComponent("stats.txt"), encoding: .utf8)
    try compare(try #require(Self.tool("sqlite3")), ["main.db"], input: script) { output in
      output.split(separator: "\n").filter { line in !own.contains { line.hasPrefix($0) } }
        .joined(separator: "\n")
    }
  }

  /// What happens to a sound file before it is recovered.
  enum Damage: String, CaseIterable {
    case none, headerIsZero, headerIsText, isCut, isCutInPage, schemaIsGone, pageSizeIsWrong

    func apply(to file: inout Data, pageSize: Int) {
      switch self {
      case .none: break
      case .headerIsZero: file.replaceSubrange(0..<pageSize, with: Data(count: pageSize))
      case .headerIsText: file.replaceSubrange(0..<120, with: Data(repeating: 0x58, count: 120))
      case .isCut: file = file.prefix(12 * pageSize)
      case .isCutInPage: file = file.prefix(12 * pageSize + 100)
      case .schemaIsGone:
        for index in 108..<pageSize { file[index] = UInt8(truncatingIfNeeded: index &* 37) }
      case .pageSizeIsWrong: file.replaceSubrange(16..<18, with: [2, 0])
      }
    }
  }

  /// The recovery puts methods of its own into the open file object of the library.
  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("sqlite3")), Comment(rawValue: Libraries.reason)),
    arguments: Damage.allCases, [1024, 4096])
  func `C SQLite's shell recovers the same from a damaged file`(
    damage: Damage, pageSize: Int
  ) throws {
    let shell = try #require(Self.tool("sqlite3"))
    try Libraries.withScratch { scratch in
      let script = """
        PRAGMA page_size = \(pageSize); CREATE TABLE t(a, b); CREATE INDEX i ON t(b);
        INSERT INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000)
        SELECT x, 'row' || x FROM n;
        CREATE TABLE u(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        INSERT INTO u SELECT b, a FROM t WHERE a < 300; CREATE VIEW v AS SELECT 1;
        """
      // Each run has a folder of its own.
      let path = scratch.appendingPathComponent("damaged.db")
      let made = try Libraries.run(shell, [path.path], on: Libraries.oracle, input: script, scratch)
      try #require(made.status == 0, "\(made.output)")
      var file = try Data(contentsOf: path)
      damage.apply(to: &file, pageSize: pageSize)
      try file.write(to: path)
      let words = [path.path, ".recover"]
      let expected = try Libraries.run(shell, words, on: Libraries.oracle, scratch)
      let seen = try Libraries.run(shell, words, on: Libraries.ours, scratch)
      #expect(seen.status == expected.status)
      if let difference = Libraries.firstDifference(seen.output, expected.output) {
        Issue.record("\(difference)")
      }
    }
  }

  @Test(
    .enabled(
      if: Libraries.areAvailable && exists(tool("speedtest1")), Comment(rawValue: Libraries.reason)),
    arguments: [
      "main", "app", "orm", "cte", "json", "fp", "star", "parsenumber", "rtree", "trigger",
    ])
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
