// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Library",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "Library", dependencies: [.product(name: "Martlet", package: "Martlet")])
  ],
  swiftLanguageModes: [.v6]
)
