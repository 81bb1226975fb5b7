// swift-tools-version: 6.2
import PackageDescription

// The Swift layer beside GRDB on C SQLite. A package of its own, so that the other benchmarks need
// nothing but the engine.
let package = Package(
  name: "LayerBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Martlet", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // One source, compiled against each of the two.
    .target(
      name: "MartletWorkloads", dependencies: [.product(name: "Martlet", package: "Martlet")],
      swiftSettings: [.define("MARTLET")]),
    .target(
      name: "GRDBWorkloads", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
    .executableTarget(
      name: "layer-bench", dependencies: ["MartletWorkloads", "GRDBWorkloads"]),
  ],
  swiftLanguageModes: [.v6]
)
