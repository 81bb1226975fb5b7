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
    return try exportedNames(of: "\(folder)/libsqlite3.so.0")
  }

  /// Letters in upper case, and `u`, stand for symbols that other programs can link to.
  static func exportedNames(of library: String) throws -> Set<String> {
    let symbols = try symbols("--dynamic", of: library)
    return Set(symbols.filter { $0.kind.isUppercase || $0.kind == "u" }.map(\.name))
  }

  struct Symbol: Equatable {
    let kind: Character
    let name: String
  }

  /// What `nm` finds in a table of a library.
  static func symbols(_ table: String, of library: String) throws -> [Symbol] {
    let output = try run(["nm", table, "--defined-only", library])
    return output.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count == 3, let kind = fields[1].first else { return nil }
      return Symbol(kind: kind, name: String(fields[2]))
    }
  }

  private static func run(_ words: [String]) throws -> String {
    let process = Process(), output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = root
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// The functions and data of SQLite's library.
  static func declaredNames() throws -> Set<String> {
    let data = ["sqlite3_version", "sqlite3_temp_directory", "sqlite3_data_directory"]
    return Set(try declaredFunctions().map(\.name) + data)
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
    let declared = try Self.declaredNames()
    #expect(declared.subtracting(exported) == [])
    // A debug build has no list of what may be exported.
    if Self.isRelease(exported) { #expect(exported.subtracting(declared) == []) }
  }

  private static func isRelease(_ exported: Set<String>) -> Bool {
    !exported.contains { $0.contains("13MartletEngine") }
  }

  /// Names that nobody links to are for who develops the library.
  @Test func `what is installed exports the same, and has no other names`() throws {
    guard let folder = ProcessInfo.processInfo.environment["MARTLET_LIBSQLITE3"],
      let exported = try Self.exportedNames(), Self.isRelease(exported)
    else {
      print("MARTLET_LIBSQLITE3 names no library that make has built: skipped")
      return
    }
    try Libraries.withScratch { scratch in
      _ = try Self.run([
        "make", "-o", "libsqlite3", "install", "LIB=\(folder)", "DESTDIR=\(scratch.path)",
        "PREFIX=/p",
      ])
      let library = scratch.appendingPathComponent("p/lib/libsqlite3.so.0").path
      #expect(try Self.exportedNames(of: library) == (try Self.declaredNames()))
      // Every process would load what the library needs.
      let needed = try Self.run(["objdump", "-p", library]).split(separator: "\n")
        .filter { $0.contains("NEEDED") }
      #expect(!needed.isEmpty && !needed.contains { $0.contains("stdc++") || $0.contains("gcc") })
      #expect(try Self.symbols("--debug-syms", of: library) == [])
      // The static one has to be linked yet: other names are there, but nobody can mean them.
      let archive = scratch.appendingPathComponent("p/lib/libsqlite3.a").path
      let global = try Self.symbols("--extern-only", of: archive).map(\.name)
      #expect(Set(global) == (try Self.declaredNames()))
    }
  }
}
