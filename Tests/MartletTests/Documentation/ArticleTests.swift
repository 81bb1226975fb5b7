import Foundation
import Testing

/// The articles of the documentation contain code that is compiled and run here.
@Suite struct ArticleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

  private static let articles = [
    ("GettingStarted", "GettingStarted"), ("UsingRecords", "Record"),
    ("WritingSQL", "Interpolation"), ("JSON", "JSON"), ("Queries", "Query"),
    ("Migrations", "Migration"), ("Concurrency", "Concurrency"),
    ("Associations", "Association"), ("Observation", "Observation"),
    ("FullTextSearch", "FullTextSearch"),
    ("ComingFromGRDB", "ComingFromGRDB"),
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

  /// Declarations of a source that are public and have no comment above them.
  private func undocumented(_ source: [String]) -> [String] {
    var found: [String] = []
    var isDocumented = false
    // The indentation of the public enum that a line is in.
    var enumIndentation: Int?
    for line in source {
      let text = line.trimmingCharacters(in: .whitespaces)
      let indentation = line.prefix { $0 == " " }.count
      if text.hasPrefix("///") { isDocumented = true }
      if text.isEmpty || text.hasPrefix("///") || text.hasPrefix("@") && !text.contains("public ") {
        continue
      }
      if text == "}", indentation == enumIndentation { enumIndentation = nil }
      let isCase = text.hasPrefix("case ") && enumIndentation.map { $0 + 2 } == indentation
      if isCase || text.contains(/^(@\w+(\([^)]*\))? )*public (?!extension)/), !isDocumented {
        found.append(text)
      }
      if text.contains(#/^public (indirect )?enum /#) { enumIndentation = indentation }
      isDocumented = false
    }
    return found
  }

  @Test func `everything public has a comment that says what it is`() throws {
    #expect(undocumented(["public func a() {}"]) == ["public func a() {}"])
    #expect(undocumented(["/// A.", "public enum E {", "  case a", "}"]) == ["case a"])
    let folder = Self.root.appendingPathComponent("Sources/Martlet")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var count = 0
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let found = undocumented(lines)
      #expect(found.isEmpty, "\(file.lastPathComponent): \(found)")
      count += 1
    }
    #expect(count > 100)
  }
}
