import Foundation
import Testing

/// What must not compile, and how long the compiler takes for what must: small sources are checked
/// against the built modules.
@Suite struct CompilationTests {
  /// Where the build has put the modules; nil where they, or the compiler, are not there.
  private static let modules: URL? = {
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for place in ["Modules", "../Modules"] {
      let folder = binaries.appendingPathComponent(place)
      let module = folder.appendingPathComponent("MartletTyped.swiftmodule").path
      if FileManager.default.fileExists(atPath: module), (try? run(["swiftc", "--version"])) != nil
      {
        return folder
      }
    }
    return nil
  }()

  private static func run(_ words: [String]) throws -> String {
    let process = Process(), pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  private static let head = """
    import MartletTyped
    let int = Expression<Int>("int"), intOptional = Expression<Int?>("intOptional")
    let double = Expression<Double>("double"), doubleOptional = Expression<Double?>("x")
    let string = Expression<String>("string"), stringOptional = Expression<String?>("y")
    let bool = Expression<Bool>("bool"), boolOptional = Expression<Bool?>("z")

    """

  /// What the compiler says of a source.
  private func typecheck(_ source: String) throws -> String {
    let modules = try #require(Self.modules)
    let file = TemporaryFile(), path = file.path + ".swift"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(source.utf8).write(to: URL(fileURLWithPath: path))
    let output = try Self.run([
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path, "-Xfrontend",
      "-warn-long-expression-type-checking=1000", path,
    ])
    return output.replacingOccurrences(of: path, with: "source.swift")
  }

  /// The numbers of those lines that have errors or warnings, from 0 on.
  private func diagnose(_ lines: [String]) throws -> (lines: Set<Int>, output: String) {
    let output = try typecheck(Self.head + lines.joined(separator: "\n") + "\n")
    let headCount = Self.head.split(separator: "\n").count
    let numbers = output.split(separator: "\n").compactMap { line -> Int? in
      let words = line.split(separator: ":")
      guard words.count > 2, words[0] == "source.swift",
        line.contains(" error: ") || line.contains(" warning: ")
      else { return nil }
      return Int(words[1]).map { $0 - headCount - 1 }
    }
    return (Set(numbers), output)
  }

  @Test(.enabled(if: modules != nil, "there is no compiler, or no module, to check sources with"))
  func `expressions of eight terms are checked in less than a second`() throws {
    let found = try diagnose([
      "let a = int == 1 && string != \"a\" && double > 2.5 && intOptional == nil && int < 4"
        + " && stringOptional == \"b\" && boolOptional || bool",
      "let b = int + 1 + int * 2 - intOptional + 3 * int - 4 + 5",
      "let c = string + \" is \" + stringOptional + \" and \" + string + \", \" + string + \"!\"",
      "let d = double * 2 + 1 - doubleOptional / 3 + double * double - 4.5 + 6",
      "let e = int & 1 | int << 2 ^ intOptional & 3 | 4 >> int | ~int & 7",
      "let f = (double + 1) * 2 >= 3 - double && (int % 2 == 0 || int % 3 == 1) && !bool",
      "let g = (int + 1 > 2 || intOptional ?? 3 < 4)"
        + " && (double * 2 < 5 || string + \"x\" == \"y\")",
    ])
    #expect(found.lines.isEmpty, "\(found.output)")
  }

  @Test(.enabled(if: modules != nil, "there is no compiler, or no module, to check sources with"))
  func `the program of the README compiles`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let readme = try String(
      contentsOf: root.appendingPathComponent("../../README.md"), encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
    let block = try #require(blocks.first { $0.hasPrefix("import MartletTyped\n") })
    let program = try #require(block.components(separatedBy: "```").first)
    let output = try typecheck(program)
    #expect(output.isEmpty, "\(output)")
  }

  @Test(.enabled(if: modules != nil, "there is no compiler, or no module, to check sources with"))
  func `wrong types do not compile`() throws {
    let wrong = [
      "let a = int == string", "let b = int == \"1\"", "let c = int + double", "let d = bool + 1",
      "let e = int && bool", "let f = string % 2", "let g = int <- \"x\"", "let h = int <- nil",
      "let i = int <- intOptional", "let j = string.absoluteValue", "let k = int.like(\"x\")",
      "func l(_ t: TableBuilder) { t.column(intOptional, primaryKey: true) }",
      "func m(_ t: TableBuilder) { t.column(string, primaryKey: .autoincrement) }",
      "func n(_ t: TableBuilder) { t.column(int, collate: .nocase) }",
      "func o(_ t: TableBuilder) { t.column(int, defaultValue: \"x\") }",
      "func p(_ t: TableBuilder) { t.column(int, check: string) }",
      "func q(_ t: TableBuilder) { t.column(int, primaryKey: true, unique: true) }",
      "let r = Table(\"t\").addColumn(int)", "let s = Table(\"t\").filter(int)",
      "let t = [\"x\"].contains(int)",
    ]
    let found = try diagnose(wrong)
    #expect(found.lines == Set(0..<wrong.count), "\(found.output)")
  }
}
