import Martlet
import Testing

/// Texts from outside never become SQL, whatever form of interpolation they come through.
@Suite struct HostileStringTests {
  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let pieces = [
    "'", "''", "\"", "`", "[", "]", ";", "--", "/*", "*/", "\\", "\n", "?", "?1", ":a", "@b", "$c",
    "%", "(", ")", "DROP TABLE player", " OR 1=1", "x'41'", "NULL", "é", "👩‍🚀", "\u{301}", "a", " ", "0",
    "\u{202E}", "ﬀ",
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

  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)")
      try db.execute(sql: "INSERT INTO player(name) VALUES ('Arthur'), ('Barbara')")
      try body(db)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") == 2)
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `as a value, every text comes back as it was`(seed: UInt64) throws {
    try inPlayers { db throws in
      for text in Self.texts(seed: seed, count: 60) {
        let optional: String? = text
        let expressible: any SQLExpressible = text
        let nested: SQL = "\(text)"
        let request: SQLRequest<String> = "SELECT \(text)"
        let literals: [SQL] = [
          "SELECT \(text)", "SELECT \(text[...])", "SELECT \(optional)", "SELECT \(expressible)",
          "SELECT \(text.databaseValue)", "SELECT \(literal: nested)", "SELECT \(nested)",
          "SELECT \(request)", "SELECT \(sql: "?", arguments: [text])",
          "SELECT \(SQL("\(text)").sqlExpression)", "SELECT \(text) WHERE \(text) IN \([text])",
          "SELECT \(text) WHERE \(text) IN \(Set([text]))", "SELECT \(text.sqlExpression ?? "")",
          "SELECT " + nested, ["SELECT", nested].joined(separator: " "), "SELECT " + SQL(sql: "?", arguments: [text]),
        ]
        for (form, literal) in literals.enumerated() {
          let (sql, _) = try literal.build(db)
          #expect(sql.utf8.allSatisfy { $0 < 128 }, "seed \(seed), form \(form), \(text.debugDescription)")
          #expect(
            try String.fetchOne(db, SQLRequest<String>(literal: literal)) == text,
            "seed \(seed), form \(form), \(text.debugDescription)")
        }
      }
    }
  }

  @Test(arguments: [5, 6, 7] as [UInt64])
  func `as a name, every text is the name of one thing`(seed: UInt64) throws {
    try inPlayers { db throws in
      for text in Self.texts(seed: seed, count: 40) {
        let rows: [SQL] = [
          "SELECT id AS \(identifier: text) FROM player LIMIT 1",
          "SELECT \(Column("id").forKey(text)) FROM player LIMIT 1",
          "SELECT \(Column(text)) FROM (SELECT id AS \(Column(text)) FROM player) LIMIT 1",
          "SELECT \(Key(stringValue: text)) FROM (SELECT id AS \(identifier: text) FROM player) LIMIT 1",
        ]
        for (form, literal) in rows.enumerated() {
          let row = try #require(try Row.fetchOne(db, SQLRequest<Row>(literal: literal)))
          #expect(
            Array(row.columnNames) == [text], "seed \(seed), form \(form), \(text.debugDescription)")
          #expect(row[0] == 1)
        }
        let cte = CommonTableExpression<Row>(
          named: text, columns: [text], literal: "SELECT \(text)")
        let found = try cte.all().with(cte).fetchOne(db)
        #expect(found == [text: text], "seed \(seed), \(text.debugDescription)")
        let alias = TableAlias(name: text)
        #expect(try Table("player").aliased(alias).filter(alias["id"] == 1).fetchCount(db) == 1)
      }
    }
  }

  @Test(arguments: [8, 9] as [UInt64])
  func `as a part of a request, every text is compared and nothing else`(seed: UInt64) throws {
    try inPlayers { db throws in
      let player = Table("player"), name = Column("name")
      for text in Self.texts(seed: seed, count: 40) where text != "Arthur" {
        let requests = [
          player.filter(name == text), player.filter(literal: "name = \(text)"),
          player.filter(sql: "name = ?", arguments: [text]), player.filter([text, text + "x"].contains(name)),
          player.filter(name.like(text, escape: "\u{1}")).filter(name == text),
          player.filter(name > text && name < text), player.filter(key: ["id": text]),
          player.select(literal: "\(text) AS t").filter(literal: "t = name"),
          player.all().group(literal: "\(text)").having(literal: "\(text) = MAX(name)"),
        ]
        for (form, request) in requests.enumerated() {
          #expect(
            try request.fetchAll(db).isEmpty, "seed \(seed), form \(form), \(text.debugDescription)")
        }
        #expect(try player.order(literal: "\(text)").fetchCount(db) == 2)
        try db.execute(literal: "UPDATE player SET name = \(text) WHERE id = 1")
        #expect(try player.filter(name == text).fetchCount(db) == 1)
        try db.execute(literal: "UPDATE player SET name = 'Arthur' WHERE id = 1")
      }
    }
  }

  @Test(arguments: [10, 11] as [UInt64])
  func `as a part of a definition, every text is a literal or a name`(seed: UInt64) throws {
    for text in Self.texts(seed: seed, count: 15) where !text.lowercased().hasPrefix("sqlite_") {
      try inPlayers { db throws in
        try db.create(table: text) { t in
          t.column(text, .text).notNull().defaults(to: text).check { $0 != text + "!" }
        }
        try db.execute(literal: "INSERT INTO \(identifier: text) DEFAULT VALUES")
        #expect(try Table(text).fetchOne(db) == [text: text], "seed \(seed), \(text.debugDescription)")
        try db.create(view: text + "v", as: Table(text).filter(Column(text) == text))
        #expect(try Table(text + "v").fetchCount(db) == 1)
        #expect(try db.columns(in: text).map { $0.name } == [text])
        try db.drop(view: text + "v")
        try db.drop(table: text)
      }
    }
  }
}
