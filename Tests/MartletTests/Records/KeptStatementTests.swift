import Martlet
import Synchronization
import Testing

/// A type whose table, columns and policy change from one record to the next.
private struct Item: FetchableRecord, PersistableRecord {
  static let table = Mutex("item")
  static let policy = Mutex(Database.ConflictResolution.abort)
  static var databaseTableName: String { table.withLock { $0 } }
  static var persistenceConflictPolicy: PersistenceConflictPolicy {
    let policy = policy.withLock { $0 }
    return PersistenceConflictPolicy(insert: policy, update: policy)
  }
  var columns: [(String, Int?)]

  init(_ columns: [(String, Int?)]) { self.columns = columns }

  init(row: Row) { columns = row.map { ($0.0, Int.fromDatabaseValue($0.1)) } }

  func encode(to container: inout PersistenceContainer) {
    for (name, value) in columns { container[name] = value }
  }
}

/// Statements that write records are kept, and are others where anything of them is another.
@Suite(.serialized) struct KeptStatementTests {
  init() {
    Item.table.withLock { $0 = "item" }
    Item.policy.withLock { $0 = .abort }
  }

  private func rows(_ db: Database, _ table: String) throws -> [[Int?]] {
    try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\" ORDER BY 1").map { row in
      row.databaseValues.map { Int.fromDatabaseValue($0) }
    }
  }

  @Test func `each record goes to the table that its type has then`() throws {
    let tables = ["item", "ITEM2", "t\u{e9}", "te\u{301}"]
    try inEmptyDatabase { db throws in
      for table in tables {
        try db.execute(sql: "CREATE TABLE \"\(table)\" (id INTEGER PRIMARY KEY, a)")
      }
      for round in 1...3 {
        for (number, table) in tables.enumerated() {
          Item.table.withLock { $0 = table }
          let value = 10 * round + number
          try Item([("id", 1), ("a", value)]).save(db)
          try Item([("id", 2), ("a", value)]).upsert(db)
          #expect(try rows(db, table) == [[1, value], [2, value]])
          try Item([("id", 2), ("a", value + 1)]).update(db)
          #expect(try rows(db, table) == [[1, value], [2, value + 1]])
          #expect(try Item([("id", 2), ("a", 0)]).exists(db))
          #expect(try Item([("id", 2), ("a", 0)]).delete(db))
          #expect(try !Item([("id", 2), ("a", 0)]).exists(db))
        }
      }
    }
  }

  @Test func `each record writes its own columns`() throws {
    let names = ["a", "b", "\u{e9}", "e\u{301}", "k", "l"]
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a, b, \u{e9}, e\u{301}, k, l)")
      try Item([("id", 1)]).insert(db)
      for round in 1...3 {
        for (number, name) in names.enumerated() {
          let value = 10 * round + number
          try Item([("id", 1), (name, value)]).update(db)
          #expect(try Int.fetchOne(db, sql: "SELECT \"\(name)\" FROM item") == value)
          try Item([("id", 1), (name, value + 1)]).upsert(db)
          #expect(try Int.fetchOne(db, sql: "SELECT \"\(name)\" FROM item") == value + 1)
        }
      }
      #expect(try rows(db, "item") == [[1, 31, 32, 33, 34, 35, 36]])
    }
  }

  @Test func `each update writes the columns that it is told`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, k, \u{c9}x)")
      try Item([("id", 1), ("k", 0), ("\u{c9}x", 0)]).insert(db)
      // The sign of Kelvin is a K for Unicode, and no k for SQL.
      for (number, columns) in [["k"], ["\u{c9}X"], ["\u{212a}"], ["k"], ["k", "\u{c9}x"]]
        .enumerated()
      {
        try Item([("id", 1), ("k", number + 1), ("\u{c9}x", number + 1)])
          .update(db, columns: columns)
      }
      let item = Item([("id", 1), ("k", 9), ("\u{c9}x", 9)])
      let texts = try executedSQL(db) { () throws in
        for columns in [["k"], ["\u{c9}X"], ["\u{212a}"], ["k"], ["\u{c9}x", "k"]] {
          try item.update(db, columns: columns)
        }
        try item.update(db)
      }
      let key = "WHERE \"id\"=1"
      let both = "UPDATE \"item\" SET \"k\"=9, \"\u{c9}x\"=9 \(key)"
      #expect(
        texts == [
          "UPDATE \"item\" SET \"k\"=9 \(key)", "UPDATE \"item\" SET \"\u{c9}x\"=9 \(key)",
          "UPDATE \"item\" SET \"id\"=1 \(key)", "UPDATE \"item\" SET \"k\"=9 \(key)", both, both,
        ])
    }
  }

  @Test func `each record has the policy that its type has then`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a UNIQUE)")
      try Item([("id", 1), ("a", 1)]).insert(db)
      try Item([("id", 2), ("a", 2)]).insert(db)
      for _ in 1...2 {
        Item.policy.withLock { $0 = .abort }
        #expect(throws: DatabaseError.self) { try Item([("id", 2), ("a", 1)]).update(db) }
        #expect(throws: DatabaseError.self) { try Item([("id", 2), ("a", 1)]).insert(db) }
        Item.policy.withLock { $0 = .ignore }
        #expect(throws: RecordError.self) { try Item([("id", 2), ("a", 1)]).update(db) }
        try Item([("id", 2), ("a", 1)]).insert(db)
        #expect(throws: RecordError.self) {
          try Item([("id", 2), ("a", 1)]).updateAndFetch(db)
        }
        #expect(try rows(db, "item") == [[1, 1], [2, 2]])
      }
      try Item([("id", 2), ("a", 1)]).update(db, onConflict: .replace)
      #expect(try rows(db, "item") == [[2, 1]])
    }
  }

  @Test func `another key of the table is found when the schema changes`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a)")
      try Item([("id", 1), ("a", 2)]).insert(db)
      try Item([("id", 1), ("a", 3)]).update(db)
      try db.execute(
        sql: "DROP TABLE item; CREATE TABLE item (id, A INTEGER PRIMARY KEY); "
          + "INSERT INTO item VALUES (0, 3), (0, 4)")
      try Item([("id", 1), ("a", 3)]).update(db)
      #expect(try rows(db, "item").map { $0[0] } == [0, 1])
      #expect(try Item([("id", 1), ("a", 4)]).delete(db))
      #expect(try rows(db, "item") == [[1, 3]])
    }
  }

  @Test func `a statement that is at work is not taken`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a)")
      for id in 1...3 { try Item([("id", id), ("a", 0)]).insert(db) }
      func update(_ id: Int) throws -> [Int] {
        try Item([("id", id), ("a", id)]).updateAndFetch(db, selection: [Column("id")]) {
          let cursor = try Int.fetchCursor($0)
          let first = try cursor.next()
          let inner = id < 3 ? try update(id + 1) : []
          #expect(try cursor.next() == nil)
          return [first ?? 0] + inner
        }
      }
      #expect(try update(1) == [1, 2, 3])
      #expect(try update(1) == [1, 2, 3])
      #expect(try rows(db, "item") == [[1, 1], [2, 2], [3, 3]])
    }
  }

  @Test func `an update of what was encoded first leaves out what a callback has added`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE growing (id INTEGER PRIMARY KEY, a, b)")
      let growing = Growing()
      try growing.insert(db)
      for _ in 1...2 {
        growing.writesB = false
        try growing.update(db)
        #expect(try rows(db, "growing") == [[1, 1, nil]])
      }
      try growing.save(db)
      #expect(try rows(db, "growing") == [[1, 1, 2]])
    }
  }
}

/// Writes one more column from its first callback of updates on.
private final class Growing: PersistableRecord {
  static let databaseTableName = "growing"
  var writesB = false

  func encode(to container: inout PersistenceContainer) {
    container["id"] = 1
    container["a"] = 1
    if writesB { container["b"] = 2 }
  }

  func willUpdate(_ db: Database, columns: Set<String>) { writesB = true }
}
