import Foundation
import Testing

/// docs/c-api.md: every function of the headers, and whether it is complete.
@Suite struct FunctionTableTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  struct Function: Equatable {
    let name: String
    let section: String
  }

  /// The functions that the headers declare, in their order.
  static func declaredFunctions() throws -> [Function] {
    let include = root.appending(path: "Sources/CSQLite3/include")
    var functions: [Function] = []
    for (file, title) in [("sqlite3", ""), ("sqlite3rtree", "R-trees"), ("sqlite3session", "Sessions")] {
      let text = try String(contentsOf: include.appending(path: "\(file).h"), encoding: .utf8)
      var section = title
      for line in text.split(separator: "\n") {
        if file == "sqlite3", line.hasPrefix("/* "), line.hasSuffix(". */") {
          section = String(line.dropFirst(3).dropLast(4))
        }
        // Declarations begin in the first column; members and continued lines do not.
        guard let first = line.first, first.isLetter, !line.hasPrefix("typedef"),
          !line.hasPrefix("SQLITE_API"), let end = line.firstIndex(of: "(")
        else { continue }
        let name = line[..<end].split { $0 == " " || $0 == "*" }.last.map(String.init) ?? ""
        if name.hasPrefix("sqlite3") { functions.append(Function(name: name, section: section)) }
      }
    }
    return functions
  }

  /// What the built library exports; nil where there is none.
  static func exportedNames() throws -> Set<String>? {
    guard let folder = ProcessInfo.processInfo.environment["MARTLET_LIBSQLITE3"] else { return nil }
    let process = Process(), output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["nm", "-D", "--defined-only", "\(folder)/libsqlite3.so.0"]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // Letters in upper case stand for symbols that other programs can link to.
    let names = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap {
      line -> String? in
      let fields = line.split(separator: " ")
      guard fields.count == 3, fields[1].first?.isUppercase ?? false else { return nil }
      return String(fields[2])
    }
    return Set(names)
  }

  static func table() throws -> String {
    var text = FunctionTable.introduction
    var section = ""
    for function in try declaredFunctions() {
      if function.section != section {
        section = function.section
        text += "\n## \(section)\n\n| Function | State |\n|---|---|\n"
      }
      text += "| `\(function.name)` | \(FunctionTable.note(function.name) ?? "complete") |\n"
    }
    return text
  }

  @Test func `docs c-api lists every function as it is`() throws {
    let file = Self.root.appending(path: "docs/c-api.md")
    let table = try Self.table()
    if ProcessInfo.processInfo.environment["MARTLET_WRITE_DOCS"] != nil {
      try table.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == table)
  }

  @Test func `the notes are about functions that exist`() throws {
    let names = Set(try Self.declaredFunctions().map(\.name))
    #expect(FunctionTable.notes.keys.filter { !names.contains($0) } == [])
  }

  @Test func `the library exports what the headers declare, and nothing else`() throws {
    guard let exported = try Self.exportedNames() else {
      print("MARTLET_LIBSQLITE3 names no built library: skipped")
      return
    }
    let data: Set = ["sqlite3_version", "sqlite3_temp_directory", "sqlite3_data_directory"]
    let declared = Set(try Self.declaredFunctions().map(\.name)).union(data)
    #expect(declared.subtracting(exported) == [])
    let linker: Set = ["_edata", "_end", "__bss_start", "_init", "_fini"]
    let debug = exported.contains { $0.hasPrefix("$s") }
    // A debug build has no list of what may be exported.
    if !debug { #expect(exported.subtracting(declared).subtracting(linker) == []) }
  }
}
