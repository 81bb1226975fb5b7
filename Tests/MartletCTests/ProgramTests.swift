import Foundation
import Testing

/// Programs in C that tell what they see of the library, one a topic, in `Programs`.
@Suite struct ProgramTests {
  static let programs: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: Libraries.folder.appendingPathComponent("Programs").path)
    return (files ?? []).filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) }.sorted()
  }()

  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)),
    arguments: programs)
  func `a C program sees the same of both libraries`(program: String) throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("program").path
      let compiled = try Libraries.compile("Programs/\(program).c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let expected = try Libraries.run(binary, on: Libraries.oracle, scratch)
      let seen = try Libraries.run(binary, on: Libraries.ours, scratch)
      #expect(expected.status == 0)
      #expect(seen.status == expected.status)
      if let difference = Libraries.firstDifference(seen.output, expected.output) {
        Issue.record("\(difference)")
      }
    }
  }
}
