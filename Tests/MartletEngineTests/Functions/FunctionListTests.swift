import Foundation
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct FunctionListTests {
  private static let list = """
    SELECT name, type, enc, narg, flags FROM pragma_function_list
    WHERE builtin OR name = 'match'
    """

  private func listed() throws -> [String] {
    try Connection(path: ":memory:").rows("PRAGMA function_list").map { row in
      let columns = row.split(separator: "|", omittingEmptySubsequences: false)
      return ([columns[0]] + columns[2...]).joined(separator: "|")
    }
  }

  @Test func `every function occurs in the scripts about functions and expressions`() throws {
    let scripts = try ["function", "aggregate", "expr", "json", "window"].flatMap { topic in
      let folder = ProjectFiles.root.appendingPathComponent("Conformance/sql/\(topic)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.map { ProjectFiles.text(of: folder.appendingPathComponent($0)) }
    }
    #expect(!scripts.isEmpty)
    for row in try listed() {
      let name = row.prefix { $0 != "|" }
      let isWord = name.hasPrefix("current_") || name.hasPrefix("-")
      let call = isWord ? String(name) : "\(name)("
      #expect(scripts.contains { $0.contains(call) }, "no case calls \(name)()")
    }
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `functions are listed as SQLite lists those that both have`() throws {
    let ours = try listed()
    let names = Set(ours.map { String($0.prefix { $0 != "|" }) })
    let theirs = try OracleShell(":memory:").run(Self.list + ";")
      .split(separator: "\n").map(String.init)
      .filter { names.contains(String($0.prefix { $0 != "|" })) }
    #expect(ours == theirs)
  }
}
