import Foundation
import Testing

/// Builds a package that embeds the engine: minutes, so only where `MARTLET_EMBED_TEST` is set.
@Suite struct EmbeddingTests {
  private static let isEnabled =
    ProcessInfo.processInfo.environment["MARTLET_EMBED_TEST"] == "1"

  @Test(.enabled(if: isEnabled, "set MARTLET_EMBED_TEST=1 to build a package that embeds Martlet"))
  func `a fresh package embeds the engine with one dependency line`() throws {
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
              .product(name: "MartletEngine", package: "\(root.lastPathComponent)")
            ])
        ])
      """
    let program = """
      import MartletEngine
      let connection = try Connection(path: ":memory:")
      let statement = try connection.prepare("SELECT 6 * ?1")
      try statement.bind(Int64(7), at: 1)
      while try statement.step() { print("answer", statement.columnInt64(0)) }
      """
    try write(manifest, to: folder.appendingPathComponent("Package.swift"))
    try write(program, to: sources.appendingPathComponent("main.swift"))
    let (status, output) = try run(["swift", "run", "--package-path", folder.path, "app"])
    #expect(status == 0, "\(output)")
    #expect(output.contains("answer 42"), "\(output)")
  }

  private func write(_ text: String, to url: URL) throws {
    try Data(text.utf8).write(to: url)
  }

  private func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
