// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Martlet",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "MartletEngine", targets: ["MartletEngine"]),
    .executable(name: "martlet", targets: ["MartletShell"]),
    .executable(name: "conformance", targets: ["conformance"]),
  ],
  targets: [
    .target(name: "MartletEngine"),
    .executableTarget(name: "MartletShell", dependencies: ["MartletEngine"]),
    .executableTarget(
      name: "conformance", dependencies: ["MartletEngine"], path: "Conformance/Runner"),
    .testTarget(name: "MartletEngineTests", dependencies: ["MartletEngine"]),
  ],
  swiftLanguageModes: [.v6]
)
