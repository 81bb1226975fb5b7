// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Extents",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "Extents", dependencies: [.product(name: "MartletTyped", package: "Martlet")])
  ],
  swiftLanguageModes: [.v6]
)
