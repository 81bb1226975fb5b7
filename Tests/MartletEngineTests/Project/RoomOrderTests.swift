import Foundation
import Testing

/// The rooms of the engine, bottom to top; a row's rooms stand on one level.
private let rooms: [[String]] = [
  ["Base"], ["OS"], ["Value"], ["Pager"], ["BTree"], ["Syntax"], ["Schema"], ["Functions", "JSON"],
  ["Program"], ["Bind"], ["Plan"], ["Emit"], ["VM"], ["VirtualTables"], ["Connection"],
]

/// What one room declares and names.
private struct Room {
  let name: String
  let level: Int
  /// Types that other files can name.
  var declared: Set<String> = []
  /// Every type that the room declares, nested and private ones too: its own meaning of a name.
  var known: Set<String> = []
  var files: [(path: String, identifiers: Set<String>)] = []

  init(name: String, level: Int, sources: [ProjectFiles.SourceFile]) {
    self.name = name
    self.level = level
    for file in sources {
      let code = SourceScanner.codeOnly(file.text)
      for line in code.split(separator: "\n") { collectDeclaration(in: line) }
      files.append(("\(name)/\(file.path)", SourceScanner.identifiers(in: code)))
    }
  }

  private static let keywords: Set<Substring> = [
    "class", "struct", "enum", "protocol", "typealias", "actor", "associatedtype",
  ]

  private mutating func collectDeclaration(in line: Substring) {
    let separators = Array(" \t:<={(".utf8)
    let words = line.utf8.split(whereSeparator: separators.contains).map { Substring($0) }
    guard let index = words.firstIndex(where: Self.keywords.contains), index + 1 < words.count,
      let initial = words[index + 1].first, initial.isUppercase,
      !words[..<index].contains("import")
    else { return }
    let name = String(words[index + 1])
    known.insert(name)
    let isHidden = words[..<index].contains { $0 == "private" || $0 == "fileprivate" }
    if !isHidden, line.first != " " { declared.insert(name) }
  }

  static func load() -> [Room] {
    rooms.enumerated().flatMap { level, names in
      names.map { name in
        let folder = ProjectFiles.engine.appendingPathComponent(name)
        return Room(name: name, level: level, sources: ProjectFiles.swiftFiles(below: folder))
      }
    }
  }
}

/// Places in `room` that name a type which only `others` declare.
private func violations(in room: Room, naming others: [Room], permitted: [Room]) -> [String] {
  let known = permitted.reduce(room.known) { $0.union($1.declared) }
  let foreign = others.map { (name: $0.name, types: $0.declared.subtracting(known)) }
  return room.files.flatMap { path, identifiers in
    foreign.flatMap { other in
      other.types.intersection(identifiers).map { "\(path) names \($0) of \(other.name)" }
    }
  }.sorted()
}

@Suite struct RoomOrderTests {
  private static let all = Room.load()

  @Test func `every folder of the engine is a room of the list`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: ProjectFiles.engine.path)
    #expect(Set(folders).subtracting(rooms.joined()) == [])
  }

  @Test func `a room names no type of the rooms above it`() {
    let all = Self.all
    #expect(all.contains { !$0.declared.isEmpty })
    for room in all {
      let above = all.filter { $0.level > room.level }
      let below = all.filter { $0.level <= room.level }
      #expect(violations(in: room, naming: above, permitted: below) == [])
    }
  }

  @Test func `the VM knows programs, not how they came to be`() throws {
    let all = Self.all
    let vm = try #require(all.first { $0.name == "VM" })
    let compilers = all.filter { ["Syntax", "Bind", "Plan", "Emit"].contains($0.name) }
    let others = all.filter { room in !compilers.contains { $0.name == room.name } }
    #expect(violations(in: vm, naming: compilers, permitted: others) == [])
  }

  @Test func `a lower room that names a higher room's type is found`() {
    let upper = Room(
      name: "Upper", level: 1,
      sources: [
        .init(path: "U.swift", text: "final class Roof {\n  struct Tile {}\n}\nenum Wall {}")
      ])
    let lower = Room(
      name: "Lower", level: 0,
      sources: [
        .init(path: "L.swift", text: "struct Wall {}\nlet a: Wall, b: Roof // Roof\nTile()")
      ])
    #expect(
      violations(in: lower, naming: [upper], permitted: []) == ["Lower/L.swift names Roof of Upper"]
    )
  }

  @Test func `comments and strings are not code`() {
    let text =
      "let a = \"Pager \\\" VM\" // Emit\n/* Plan */ let b = \"\"\"\nBind\n\"\"\"\nCursor()"
    let identifiers = SourceScanner.identifiers(in: SourceScanner.codeOnly(text))
    #expect(identifiers == ["let", "a", "b", "Cursor"])
  }
}
