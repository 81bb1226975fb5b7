import Foundation
import Testing

@testable import MartletEngine

@Suite struct PackageTests {
  @Test func `the engine imports nothing but libc and Synchronization`() {
    let permitted: Set<Substring> = [
      "Glibc", "Musl", "Darwin", "Android", "Bionic", "WASILibc", "Synchronization",
    ]
    let files = ProjectFiles.swiftFiles(below: ProjectFiles.engine)
    #expect(!files.isEmpty)
    for file in files {
      for line in SourceScanner.codeOnly(file.text).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { continue }
        let module = words[index + 1].prefix { $0 != "." }
        #expect(permitted.contains(module), "\(file.path): \(line)")
      }
    }
  }

  @Test func `the package depends on nothing, and is unsafe only by being fast in debug builds`() {
    let manifest = ProjectFiles.text(of: ProjectFiles.root.appendingPathComponent("Package.swift"))
    #expect(manifest.contains("MartletEngine"))
    #expect(!manifest.contains(".package("))
    let flags = manifest.split(separator: ".unsafeFlags(").dropFirst()
    #expect(flags.count == 1)
    #expect(flags.first?.contains("[\"-O\"") == true)
    #expect(flags.first?.contains(".when(configuration: .debug)") == true)
  }

  @Test func `a register takes at most 40 bytes`() {
    #expect(MemoryLayout<Register>.stride <= 40)
  }

  @Test func `an instruction takes at most 24 bytes`() {
    #expect(MemoryLayout<Instruction>.stride <= 24)
  }
}
