import Foundation
import MartletTyped
import Testing

/// Texts from outside never become SQL, and never stop the process, wherever they are put.
@Suite struct HostileStringTests {
  private static let pieces = [
    "'", "''", "\"", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\n", "?", "?1", ":a", "@b", "$c",
    "%", "_", "(", ")", "DROP TABLE users", " OR 1=1", "x'41'", "NULL", "é", "👩‍🚀",
    "\u{301}", "a",
    " ",
    "0", "\u{202E}", "ﬀ", ".", "\".\"", "*", "=", ",",
  ]

  /// Texts of a seed.
  private static func texts(seed: UInt64, count: Int) -> [String] {
    var state = seed
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    return (0..<count).map { _ in
      (0...(next() % 6)).map { _ in pieces[next() % pieces.count] }.joined()
    }
  }

  private func untouched(_ world: UsersDatabase, _ text: String) throws {
    #expect(try world.db.scalar(world.users.count) == 2, "\(text)")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `as values, patterns and literals`(seed: UInt64) throws {
    let world = try UsersDatabase(), db = world.db, users = world.users, email = world.email
    try world.insert("alice")
    try world.insert("betty")
    for text in Self.texts(seed: seed, count: 60) {
      let alice = users.filter(world.id == 1)
      try db.run(alice.update(email <- text))
      #expect(try db.pluck(alice)?.get(email) == text)
      #expect(try db.scalar(users.filter(email == text).count) == 1)
      #expect(try db.scalar(users.filter([text].contains(email)).count) == 1)
      #expect(try db.scalar(users.filter(email.replace(text, with: "z") == "z").count) == 1)
      // What the pattern matches is the pattern's business; that it is one, is ours.
      _ = try? db.scalar(users.filter(email.like(text)).count)
      _ = try? db.scalar(users.filter(email.like(text, escape: text.first ?? "x")).count)
      _ = try? db.scalar(users.filter(email.glob(text)).count)
      #expect(try db.scalar("SELECT " + Expression<String>(value: text).asSQL()) as? String == text)
      #expect(try db.scalar(users.filter(email == text).count.asSQL()) as? Int64 == 1)
      try untouched(world, text)
    }
  }

  @Test(arguments: [5, 6, 7] as [UInt64])
  func `as names of tables, columns, aliases, indexes and savepoints`(seed: UInt64) throws {
    let world = try UsersDatabase(), db = world.db
    try world.insert("alice")
    try world.insert("betty")
    for (number, text) in Self.texts(seed: seed, count: 60).enumerated() {
      // What begins so is SQLite's own; an empty name is none.
      let name = "t\(number) \(text)", table = Table(name), column = Expression<Int>(text + "c")
      let optional = Expression<Int?>(text + "d")
      try db.run(
        table.create { t in
          t.column(column, primaryKey: true)
          t.column(optional, check: optional > 0, references: table, column)
        })
      try db.run(table.createIndex(optional, ifNotExists: true))
      try db.run(table.insert(column <- 1, optional <- 1))
      let alias = table.alias(text + "x")
      let joined = table.join(alias, on: table[column] == alias[optional])
      let row = try #require(try db.pluck(joined))
      #expect(try row.get(table[column]) == 1 && row.get(alias[optional]) == 1)
      try db.run(table.filter(column == 1).update(table[optional] <- 7, optional <- 8))
      #expect(try db.pluck(table)?.get(optional) == 8)
      #expect(try db.schema.columnDefinitions(table: name).map(\.name) == [text + "c", text + "d"])
      try db.savepoint(text) { try db.run(table.delete()) }
      try db.run(table.dropIndex(optional, ifExists: true))
      try db.run(table.drop())
      try untouched(world, text)
    }
  }

  @Test(arguments: [8, 9] as [UInt64])
  func `as defaults, collations, functions and options of tokenizers`(seed: UInt64) throws {
    let world = try UsersDatabase(), db = world.db
    try world.insert("alice")
    try world.insert("betty")
    let column = Expression<String>("c"), table = Table("hostile")
    for text in Self.texts(seed: seed, count: 40) {
      try db.createCollation(text) { lhs, rhs in lhs.compare(rhs) }
      try db.run(table.create { $0.column(column, defaultValue: text, collate: .custom(text)) })
      try db.run(table.insert())
      #expect(try db.pluck(table)?.get(column) == text)
      #expect(try db.scalar(table.filter(column.collate(.custom(text)) == text).count) == 1)
      let function = try db.createFunction(text) { (value: String) in value }
      #expect(try db.pluck(table.select(function(column), column))?.get(function(column)) == text)
      try db.run(table.drop())
      let tokenizers: [Tokenizer] = [
        .Custom(text), .Unicode61(tokenchars: Set(text), separators: Set(text)),
      ]
      for tokenizer in tokenizers {
        let four = FTS4Config().column(column).tokenizer(tokenizer).compress(text).languageId(text)
        let five = FTS5Config().column(column).tokenizer(tokenizer).externalContent(Table(text))
        for module in [Module.FTS4(four), .FTS5(five), Module(text, [column])] {
          // It may work or fail; nothing else may happen.
          try? db.savepoint {
            try db.run(VirtualTable("hostile").create(module))
            try db.run(VirtualTable("hostile").drop())
          }
        }
      }
      try untouched(world, text)
    }
  }
}
