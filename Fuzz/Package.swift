// swift-tools-version: 6.2
import PackageDescription

// What libFuzzer counts is in the code that it runs: the sources of the engine and of the C interface
// are linked into this package, so that its own flags hold for them.
let sanitizers = Context.environment["FUZZ_SANITIZERS"] ?? "fuzzer"
let flags: [SwiftSetting] =
  [.unsafeFlags(["-sanitize=\(sanitizers)"])]
  + (sanitizers.hasSuffix("thread") ? [.define("MARTLET_TSAN")] : [])

let modules: [Target.Dependency] = [
  "MartletEngine", "MartletSearch", "MartletSession", "MartletSpatial",
]

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "MartletEngine", swiftSettings: flags),
    .target(name: "CSQLite3", exclude: ["exports.map"]),
    .target(name: "MartletSearch", dependencies: ["MartletEngine"], swiftSettings: flags),
    .target(name: "MartletSession", dependencies: ["MartletEngine"], swiftSettings: flags),
    .target(name: "MartletSpatial", dependencies: ["MartletEngine"], swiftSettings: flags),
    .target(
      name: "MartletC", dependencies: modules + ["CSQLite3"], swiftSettings: flags),
    .executableTarget(
      name: "fuzz", dependencies: modules + ["MartletC"],
      swiftSettings: flags + [.define("LIBFUZZER")],
      linkerSettings: [.unsafeFlags(["-sanitize=\(sanitizers)", "-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6]
)
