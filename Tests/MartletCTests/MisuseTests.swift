import Foundation
import Testing

/// Functions that are given nothing, or what is closed.
@Suite struct MisuseTests {
  enum Given: String, CaseIterable {
    case null, connection, statement

    /// The functions that take it, as the headers declare them. Those that enter a mutex may wait
    /// for ever.
    var functions: [String] {
      let parameter: String
      switch self {
      case .null: parameter = ""
      case .connection: parameter = #"sqlite3 \*"#
      case .statement: parameter = #"sqlite3_stmt \*"#
      }
      guard let pattern = try? Regex("\\b(sqlite3[a-z0-9_]*)\\(\(parameter)") else { return [] }
      let names = ["sqlite3", "sqlite3session", "sqlite3rtree"].flatMap { header in
        let url = Libraries.headers.appendingPathComponent(header + ".h")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        return text.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) }
      }
      return Set(names).sorted()
    }
  }

  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)),
    arguments: Given.allCases)
  func `no function crashes when it is given nothing or what has ended`(given: Given) throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("calls").path
      let compiled = try Libraries.compile("Tools/calls.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let functions = given.functions
      #expect(functions.count > 20)
      let result = try Libraries.run(
        binary, [given.rawValue], on: Libraries.ours, input: functions.joined(separator: "\n"),
        scratch)
      #expect(result.status == 0)
      let crashes = result.output.split(separator: "\n").filter { $0.contains("signal") }
      #expect(crashes.isEmpty, "\(crashes)")
    }
  }

  /// What SQLite's documents forbid in callbacks may fail, but not crash, hang or damage the file (C
  /// crashes in 40 of these pairs).
  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)))
  func `a callback may do to its connection whatever it likes`() throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("callbacks").path
      let compiled = try Libraries.compile("Tools/callbacks.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let result = try Libraries.run(binary, on: Libraries.ours, scratch, seconds: 600)
      #expect(result.status == 0)
      #expect(result.output == "")
    }
  }
}
