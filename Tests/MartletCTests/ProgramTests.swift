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

  @Test(
    .enabled(
      if: Libraries.areAvailable && Libraries.archive != nil,
      "no libsqlite3.a beside the library: `make libsqlite3` leaves one"),
    arguments: ["statements", "functions", "vtab_modules"])
  func `a program that has the library inside sees the same`(program: String) throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("program").path
      let alone = scratch.appendingPathComponent("alone").path
      for (target, archive) in [(binary, nil), (alone, Libraries.archive)] {
        let compiled = try Libraries.compile(
          "Programs/\(program).c", to: target, archive: archive)
        try #require(compiled.status == 0, "\(compiled.output)")
      }
      let expected = try Libraries.run(binary, on: Libraries.oracle, scratch)
      let seen = try Libraries.run(alone, on: nil, scratch)
      #expect(seen.status == expected.status)
      if let difference = Libraries.firstDifference(seen.output, expected.output) {
        Issue.record("\(difference)")
      }
    }
  }

  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)))
  func `arrays of a program are tables`() throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("carray").path
      let compiled = try Libraries.compile("Tools/carray.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let seen = try Libraries.run(binary, on: Libraries.ours, scratch)
      #expect(seen.status == 0)
      #expect(
        seen.output == """

          0
          1:3|1:3|3:int32|1:1 1:-1|1:3|3:int32|1:2 1:2147483647|1:3|3:int32|1:3 \

          1:3|1:3|3:int32|1:1 1:-1|1:3|3:int32|1:2 1:2147483647|1:3|3:int32|1:3 \

          0
          1:1152921504606846976|1:2|3:int64|1:1 1:-5|1:2|3:int64|1:2 \

          0
          freed 1
          2:1.5|1:2|3:double|1:1 2:-2.0|1:2|3:double|1:2 \

          0
          3:one|1:3|3:char*|1:1 5:NULL|1:3|3:char*|1:2 3:|1:3|3:char*|1:3 \

          0
          4:ab|1:2|3:struct iovec|1:1 5:NULL|1:2|3:struct iovec|1:2 \

          1 25
          freed 4
          1:3|3:y 1:4|3:one \

          1:3 1:-1 \


          2:1.5 2:-2.0 \

          error unknown datatype: 'float'
          freed 4

          """)
    }
  }

  /// What loops have done can be asked of C only where it is built for it; what is expected was
  /// looked through by hand.
  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)))
  func `loops say what they have done`() throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("scanstatus").path
      let compiled = try Libraries.compile("Tools/scanstatus.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let seen = try Libraries.run(binary, on: Libraries.ours, scratch)
      #expect(seen.status == 0)
      let expected = try String(
        contentsOf: Libraries.folder.appendingPathComponent("Tools/scanstatus.expected"),
        encoding: .utf8)
      if let difference = Libraries.firstDifference(seen.output, expected) {
        Issue.record("\(difference)")
      }
    }
  }

  /// Each of them stands in docs/deviations.md; one that is mended moves to the program's first list.
  @Test(.enabled(if: Libraries.areAvailable, Comment(rawValue: Libraries.reason)))
  func `what authorizers are known to be asked otherwise still differs`() throws {
    try Libraries.withScratch { scratch in
      let binary = scratch.appendingPathComponent("program").path
      let compiled = try Libraries.compile("Programs/authorizer.c", to: binary)
      try #require(compiled.status == 0, "\(compiled.output)")
      let expected = try Libraries.run(binary, ["different"], on: Libraries.oracle, scratch)
      let seen = try Libraries.run(binary, ["different"], on: Libraries.ours, scratch)
      #expect(expected.status == 0 && seen.status == 0)
      let inC = Self.answers(expected.output), ours = Self.answers(seen.output)
      #expect(inC.map(\.statement) == ours.map(\.statement))
      #expect(zip(inC, ours).filter { $0 == $1 }.map(\.0.statement) == [])
    }
  }

  private struct Asked: Equatable {
    let statement: String
    var actions: [Substring] = []
  }

  private static func answers(_ output: String) -> [Asked] {
    output.split(separator: "\n").reduce(into: []) { found, line in
      if line.hasPrefix("> ") {
        found.append(Asked(statement: String(line.dropFirst(2))))
      } else if !found.isEmpty {
        found[found.count - 1].actions.append(line)
      }
    }
  }
}
