import Foundation
import Testing

/// Builds packages that embed Martlet, with the programs of the README: minutes, so only where
/// `MARTLET_EMBED_TEST` is set.
@Suite(.serialized) struct EmbeddingTests {
  private static let isEnabled =
    ProcessInfo.processInfo.environment["MARTLET_EMBED_TEST"] == "1"

  @Test(.enabled(if: isEnabled, "set MARTLET_EMBED_TEST=1 to build a package that embeds Martlet"))
  func `a fresh package embeds the engine with one dependency line, optimized for debugging`() throws {
    let (status, output) = try runPackage(
      product: "MartletEngine", isOptimized: true,
      """
      import MartletEngine
      let connection = try Connection(path: ":memory:")
      let statement = try connection.prepare("SELECT 6 * ?1")
      try statement.bind(Int64(7), at: 1)
      while try statement.step() { print("answer", statement.columnInt64(0)) }
      """)
    #expect(status == 0, "\(output)")
    #expect(output.contains("answer 42"), "\(output)")
    #expect(!output.contains("warning: "), "\(output)")
  }

  @Test(.enabled(if: isEnabled, "set MARTLET_EMBED_TEST=1 to build a package that embeds Martlet"))
  func `a newcomer's program does what the README tells`() throws {
    let (status, output) = try runPackage(product: "Martlet", try programOfReadme())
    #expect(status == 0, "\(output)")
    #expect(output.contains("Arthur has 1000 points"), "\(output)")
  }

  /// The code of the README that begins with the layer's import.
  private func programOfReadme() throws -> String {
    let url = ProjectFiles.root.appendingPathComponent("README.md")
    let readme = try String(contentsOf: url, encoding: .utf8)
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
    let block = try #require(blocks.first { $0.hasPrefix("import Martlet\n") })
    return String(try #require(block.components(separatedBy: "```").first))
  }

  /// Runs a program as the only file of a new package.
  ///
  /// - Parameter isOptimized: The engine as dependents get it, and not as the tests have it here.
  private func runPackage(
    product: String, isOptimized: Bool = false, _ program: String
  ) throws -> (status: Int32, output: String) {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-embedding-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let sources = folder.appendingPathComponent("Sources/app")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let root = ProjectFiles.root.standardizedFileURL
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "app",
        platforms: [.macOS(.v15)],
        dependencies: [.package(path: "\(root.path)")],
        targets: [
          .executableTarget(
            name: "app",
            dependencies: [
              .product(name: "\(product)", package: "\(root.lastPathComponent)")
            ])
        ])
      """
    try write(manifest, to: folder.appendingPathComponent("Package.swift"))
    try write(program, to: sources.appendingPathComponent("main.swift"))
    let command = ["swift", "run", "app"]
    return try run(in: folder, isOptimized ? ["-u", "MARTLET_ASSERTIONS"] + command : command)
  }

  private func write(_ text: String, to url: URL) throws {
    try Data(text.utf8).write(to: url)
  }

  private func run(
    in folder: URL, _ words: [String]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
