import Foundation
import Testing

/// Builds a package that embeds Martlet, with the program of the README and an example: minutes, so
/// only where `MARTLET_EMBED_TEST` is set.
@Suite struct EmbeddingTests {
  private static let isEnabled =
    ProcessInfo.processInfo.environment["MARTLET_EMBED_TEST"] == "1"

  @Test(.enabled(if: isEnabled, "set MARTLET_EMBED_TEST=1 to build a package that embeds Martlet"))
  func `a fresh package embeds the engine and the layer, optimized for debugging`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-embedding-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try writePackage(
      in: folder,
      programs: [
        Program(
          name: "engine", product: "MartletEngine",
          text: """
            import MartletEngine
            let connection = try Connection(path: ":memory:")
            let statement = try connection.prepare("SELECT 6 * ?1")
            try statement.bind(Int64(7), at: 1)
            while try statement.step() { print("answer", statement.columnInt64(0)) }
            """
        ),
        Program(name: "layer", text: try programOfReadme()),
        Program(
          name: "library", file: "Main.swift",
          text: try text(of: "Examples/Library/Sources/Library/Main.swift")),
      ])
    let built = try run(in: folder, ["swift", "build"])
    try #require(built.status == 0, "\(built.output)")
    #expect(!built.output.contains("warning: "), "\(built.output)")
    let engine = try run(in: folder, [".build/debug/engine"])
    #expect(engine.status == 0 && engine.output == "answer 42\n", "\(engine.output)")
    let layer = try run(in: folder, [".build/debug/layer"])
    #expect(layer.status == 0, "\(layer.output)")
    #expect(layer.output.contains("Arthur has 1000 points"), "\(layer.output)")
    // The second time there is a file.
    let expected = try outputInReadmeOfLibrary()
    for _ in 0..<2 {
      let library = try run(in: folder, [".build/debug/library", "library.sqlite"])
      #expect(library.status == 0 && library.output == expected, "\(library.output)")
    }
  }

  /// A target of the package with one file.
  private struct Program {
    let name: String
    var product = "Martlet"
    var file = "main.swift"
    let text: String
  }

  private func text(of path: String) throws -> String {
    try String(contentsOf: ProjectFiles.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// What the README of the example `Library` says that it prints.
  private func outputInReadmeOfLibrary() throws -> String {
    let lines = try text(of: "Examples/Library/README.md").components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { $0.contains("books: 0") })
    return lines[start...].prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) + "\n" }.joined()
  }

  /// The code of the README that begins with the layer's import.
  private func programOfReadme() throws -> String {
    let blocks = try text(of: "README.md").components(separatedBy: "```swift\n").dropFirst()
    let block = try #require(blocks.first { $0.hasPrefix("import Martlet\n") })
    return String(try #require(block.components(separatedBy: "```").first))
  }

  /// Writes a package in which each program is the only file of a target of its name.
  private func writePackage(in folder: URL, programs: [Program]) throws {
    let root = ProjectFiles.root.standardizedFileURL
    let targets = programs.map { program in
      """
      .executableTarget(
        name: "\(program.name)",
        dependencies: [
          .product(name: "\(program.product)", package: "\(root.lastPathComponent)")
        ])
      """
    }
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "app",
        platforms: [.macOS(.v15)],
        dependencies: [.package(path: "\(root.path)")],
        targets: [
          \(targets.joined(separator: ",\n"))
        ])
      """
    for program in programs {
      let sources = folder.appendingPathComponent("Sources/\(program.name)")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try write(program.text, to: sources.appendingPathComponent(program.file))
    }
    try write(manifest, to: folder.appendingPathComponent("Package.swift"))
  }

  private func write(_ text: String, to url: URL) throws {
    try Data(text.utf8).write(to: url)
  }

  /// Runs a command with the engine as dependents get it, and not as the tests have it here.
  private func run(
    in folder: URL, _ words: [String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["-u", "MARTLET_ASSERTIONS"] + words
    process.currentDirectoryURL = folder
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
