import Foundation
import Testing

/// The articles of the documentation contain code that is compiled and run here.
@Suite struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

  private static let articles = [
    ("GettingStarted", "GettingStarted"), ("Queries", "Query"), ("Changes", "Change"),
    ("Schemas", "Schema"), ("Values", "Value"), ("Functions", "Function"),
    ("MovingFromSQLiteSwift", "Moving"),
  ]

  /// The lines of a text without indentation and empty ones.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test(arguments: articles)
  func `an article's code stands in a test`(article: String, examples: String) throws {
    let code = lines(try text("Tests/MartletTypedTests/Documentation/\(examples)Examples.swift"))
      + ["typealias Expression = MartletTyped.Expression"]
    let blocks = try text("Sources/MartletTyped/MartletTyped.docc/\(article).md")
      .components(separatedBy: "```swift\n").dropFirst()
      .map { lines($0.components(separatedBy: "```")[0]) }
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isCompiled = code.indices.contains { code[$0...].starts(with: block) }
      #expect(isCompiled, "\(block.joined(separator: "\n"))")
    }
  }

  @Test func `everything public has a comment that says what it is`() throws {
    let folder = Self.root.appendingPathComponent("Sources/MartletTyped")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
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
