#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The SQL of a folder of Conformance scripts.
struct StatementScripts {
  /// For each script, its statements in order.
  let scripts: [[[UInt8]]]

  init(folder: String) {
    scripts = StatementScripts.paths(in: folder).sorted().compactMap { path in
      guard let bytes = Files.bytes(of: path) else { return nil }
      let statements = StatementScripts.statements(in: bytes)
      return statements.isEmpty ? nil : statements
    }
  }

  private static func paths(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(".") { continue }
      if name.hasSuffix(".test") {
        found.append("\(folder)/\(name)")
      } else {
        found += paths(in: "\(folder)/\(name)")
      }
    }
    return found
  }

  /// What stands between a `statement` or `query` line and the next `----` or empty line.
  private static func statements(in script: [UInt8]) -> [[UInt8]] {
    var statements: [[UInt8]] = []
    var current: [UInt8]?
    for line in script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if let sql = current {
        if line.isEmpty || line.elementsEqual("----".utf8) {
          if !sql.isEmpty { statements.append(sql) }
          current = nil
        } else {
          current = sql.isEmpty ? Array(line) : sql + [UInt8(ascii: "\n")] + line
        }
      } else if line.starts(with: "statement ".utf8) || line.starts(with: "query ".utf8) {
        current = []
      }
    }
    return statements
  }
}
