// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Martlet", path: "..")],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "MartletEngine", package: "Martlet"),
        .product(name: "MartletSearch", package: "Martlet"),
        .product(name: "MartletSpatial", package: "Martlet"),
      ]),
    // The storage engine is internal to the engine's module, whose sources are linked into this one.
    .executableTarget(name: "storage-bench"),
  ],
  swiftLanguageModes: [.v6]
)
