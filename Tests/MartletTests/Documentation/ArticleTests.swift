import Foundation
import Testing

/// The articles of the documentation contain code that is compiled and run here.
@Suite struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

  private static let articles = [
    ("GettingStarted", "GettingStarted"), ("Records", "Record"),
    ("SQLInterpolation", "Interpolation"), ("JSON", "JSON"), ("Queries", "Query"),
    ("Migrations", "Migration"), ("Concurrency", "Concurrency"),
    ("Associations", "Association"), ("Observation", "Observation"),
  ]

  /// The lines of a text without indentation and empty ones.
  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  private func codeBlocks(_ article: String) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let block { blocks.append(block) }
        block = block == nil && line == "```swift" ? [] : nil
      } else if let line = lines(line).first {
        block?.append(line)
      }
    }
    return blocks
  }

  @Test(arguments: articles)
  func `an article's code stands in a test`(article: String, examples: String) throws {
    let code = lines(try text("Tests/MartletTests/Documentation/\(examples)Examples.swift"))
    let blocks = codeBlocks(try text("Sources/Martlet/Martlet.docc/\(article).md"))
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isCompiled = code.indices.contains { code[$0...].starts(with: block) }
      #expect(isCompiled, "\(block.joined(separator: "\n"))")
    }
  }
}
