import Foundation
import Testing

/// The articles of the documentation contain code that is compiled and run here.
@Suite struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

  private static let articles = [
    ("GettingStarted", "GettingStarted"), ("Queries", "Query"), ("Changes", "Change"),
    ("DefiningSchemas", "Schema"), ("StoringValues", "Value"), ("Functions", "Function"),
    ("MovingFromSQLiteSwift", "Moving"),
  ]

  /// The lines of a text that have something.
  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// A formatter may have broken lines.
  private func withoutBlanks(_ text: String) -> String { text.filter { !$0.isWhitespace } }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(arguments: articles)
  func `an article's code stands in a test`(article: String, examples: String) throws {
    let path = "Tests/MartletTypedTests/Documentation/\(examples)Examples.swift"
    // Where the module of the tests says which Expression is meant.
    let names = try text("Tests/MartletTypedTests/Support.swift")
    let code = withoutBlanks(try text(path) + names)
    let blocks = try text("Sources/MartletTyped/MartletTyped.docc/\(article).md")
      .components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(!blocks.isEmpty)
    for block in blocks { #expect(code.contains(withoutBlanks(block)), "\(block)") }
  }

  @Test func `everything public has a comment that says what it is`() throws {
    let folder = Self.root.appendingPathComponent("Sources/MartletTyped")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      var isDocumented = false
      for line in lines(try String(contentsOf: file, encoding: .utf8)) {
        if line.hasPrefix("///") { isDocumented = true }
        if line.hasPrefix("///") || line.hasPrefix("@") && !line.contains("public ") { continue }
        if line.contains(/^(@\w+(\([^)]*\))? )*(public|open) (?!extension)/), !isDocumented {
          Issue.record("\(file.lastPathComponent): \(line)")
        }
        isDocumented = false
        count += 1
      }
    }
    #expect(count > 1_000)
  }
}
