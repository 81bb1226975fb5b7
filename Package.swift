// swift-tools-version: 6.2
import PackageDescription

// Programs are built for debugging all day, and a database that is not optimized is nine times
// slower there. So the engine is optimized in debug builds, too, without its assertions, unless
// MARTLET_ASSERTIONS is set in the environment: for work on the engine, and for tools that refuse
// packages with unsafe flags. "optimized" keeps the assertions in an engine that is optimized.
#if compiler(>=6.3)
  let wholeModule = ["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "8"]
  let assertions = Context.environment["MARTLET_ASSERTIONS"]
  let checked = assertions == "optimized" ? ["-assert-config", "Debug"] : []
  let engineSettings: [SwiftSetting] =
    assertions == nil || assertions == "optimized"
    ? [.unsafeFlags(["-O"] + checked + wholeModule, .when(configuration: .debug))]
    : []
#else
  // Older package managers accept no such flags in dependencies.
  let engineSettings: [SwiftSetting] = []
#endif

let package = Package(
  name: "Martlet",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Martlet", targets: ["Martlet"]),
    .library(name: "MartletTyped", targets: ["MartletTyped"]),
    .library(name: "MartletEngine", targets: ["MartletEngine"]),
    .library(name: "MartletSearch", targets: ["MartletSearch"]),
    .library(name: "MartletSpatial", targets: ["MartletSpatial"]),
    .library(name: "MartletSession", targets: ["MartletSession"]),
    // The C interface: `make libsqlite3` builds it as a drop-in library.
    .library(name: "sqlite3", type: .dynamic, targets: ["MartletC"]),
    .executable(name: "martlet", targets: ["MartletShell"]),
    .executable(name: "conformance", targets: ["conformance"]),
    .executable(name: "torture", targets: ["torture"]),
    .executable(name: "fuzz", targets: ["fuzz"]),
  ],
  targets: [
    .target(name: "MartletEngine", swiftSettings: engineSettings),
    // Full-text search.
    .target(
      name: "MartletSearch", dependencies: ["MartletEngine"], swiftSettings: engineSettings),
    // R-trees.
    .target(
      name: "MartletSpatial", dependencies: ["MartletEngine"], swiftSettings: engineSettings),
    // Changesets: what has changed in a database, to be applied to others.
    .target(
      name: "MartletSession", dependencies: ["MartletEngine"], swiftSettings: engineSettings),
    .target(
      name: "Martlet",
      dependencies: ["MartletEngine", "MartletSearch", "MartletSession", "MartletSpatial"]),
    // The typed layer: tables, columns and expressions as Swift values.
    .target(
      name: "MartletTyped", dependencies: ["MartletEngine", "MartletSearch", "MartletSpatial"]),
    // The C interface in Swift, and beside it what only C can define.
    .target(name: "CSQLite3", exclude: ["exports.map"]),
    .target(
      name: "MartletC",
      dependencies: [
        "MartletEngine", "MartletSearch", "MartletSession", "MartletSpatial", "CSQLite3",
      ]),
    // Martlet and C SQLite behind one interface, for the tools that compare them.
    .target(
      name: "Engines", dependencies: ["MartletEngine", "MartletSearch", "MartletSpatial"],
      path: "Conformance/Engines"),
    .executableTarget(
      name: "MartletShell",
      dependencies: ["MartletEngine", "MartletSearch", "MartletSession", "MartletSpatial"]),
    .executableTarget(
      name: "conformance", dependencies: ["Engines"], path: "Conformance/Runner"),
    .executableTarget(name: "torture", dependencies: ["Engines"], path: "Conformance/Torture"),
    // Replays what the package Fuzz has found, without libFuzzer.
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "MartletEngine", "MartletSearch", "MartletSession", "MartletSpatial", "MartletC",
      ], path: "Fuzz/Sources/fuzz"),
    .testTarget(name: "MartletSessionTests", dependencies: ["MartletSession"]),
    // The shell of C SQLite, and what else several tests need.
    .target(name: "TestSupport", dependencies: ["MartletEngine"], path: "Tests/TestSupport"),
    .testTarget(name: "MartletEngineTests", dependencies: ["MartletEngine", "TestSupport"]),
    .testTarget(
      name: "MartletSearchTests", dependencies: ["MartletSearch", "TestSupport"],
      exclude: ["Tools"]),
    .testTarget(
      name: "MartletSpatialTests", dependencies: ["MartletSpatial", "TestSupport"]),
    // Stands in the tests for the library of that name.
    .target(name: "Tagged", path: "Tests/Tagged"),
    // Runs programs in C on a library that was built, and links nothing of it.
    .testTarget(name: "MartletCTests", exclude: ["Programs", "Others", "Tools"]),
    // A program that was written for SQLite.swift.
    .target(name: "Bookshop", dependencies: ["MartletTyped"], path: "Tests/Bookshop"),
    .testTarget(name: "MartletTypedTests", dependencies: ["MartletTyped", "Bookshop"]),
    .testTarget(name: "MartletTests", dependencies: ["Martlet", "Tagged"]),
  ],
  swiftLanguageModes: [.v6]
)
