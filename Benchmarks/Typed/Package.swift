// swift-tools-version: 6.2
import PackageDescription

// The typed layer beside the engine's own statements and, where SQLITE_SWIFT names a folder with
// its package, beside SQLite.swift on C SQLite.
let upstream = Context.environment["SQLITE_SWIFT"]

let package = Package(
  name: "TypedBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Martlet", path: "../..")],
  targets: [
    // One source, compiled against each of the two.
    .target(
      name: "TypedWorkloads", dependencies: [.product(name: "MartletTyped", package: "Martlet")],
      swiftSettings: [.define("MARTLET")]),
    .executableTarget(
      name: "typed-bench",
      dependencies: ["TypedWorkloads", .product(name: "MartletEngine", package: "Martlet")]),
  ],
  swiftLanguageModes: [.v6]
)

if let upstream {
  package.dependencies.append(.package(name: "SQLite.swift", path: upstream))
  package.targets.append(
    .target(
      name: "SQLiteSwiftWorkloads",
      dependencies: [.product(name: "SQLite", package: "SQLite.swift")],
      swiftSettings: [.swiftLanguageMode(.v5)]))
  package.targets[1].dependencies.append("SQLiteSwiftWorkloads")
  package.targets[1].swiftSettings = [.define("SQLITE_SWIFT")]
}
