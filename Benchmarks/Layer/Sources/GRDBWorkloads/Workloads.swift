import Foundation

#if MARTLET
  import Martlet
#else
  import GRDB
#endif

/// What programs do with records, on a database of one of the two libraries.
public struct Workloads {
  /// The names of the workloads; each gives a number that is the same with both libraries.
  public let all: [(name: String, run: () throws -> Int)]

  /// - Parameters:
  ///   - path: Of a database that does not exist.
  ///   - rows: Rows of the table that is read.
  public init(path: String, rows: Int) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try Workloads.fill(queue, rows)
    let reader = Reading(queue: queue, rows: rows), writer = Writing(queue: queue, rows: rows / 4)
    let pooling = try Pooling(path: path + "-pool", rows: rows)
    try pooling.fill()
    all = reader.all + writer.all + pooling.all
  }

  static func fill(_ writer: any DatabaseWriter, _ rows: Int) throws {
    try writer.write { db in
      for name in ["item", "fresh"] {
        try db.create(table: name) { t in
          t.primaryKey("id", .integer)
          t.column("name", .text).notNull()
          t.column("kind", .text).notNull()
          t.column("note", .text)
          t.column("count", .integer).notNull()
          t.column("size", .integer).notNull()
          t.column("rank", .integer).notNull()
          t.column("score", .double).notNull()
        }
      }
      for id in 1...rows { try Item(Int64(id)).insert(db) }
      try db.execute(
        sql: """
          CREATE TABLE event(at TEXT);
          INSERT INTO event SELECT strftime('%Y-%m-%d %H:%M:%f', id * 12345, 'unixepoch') FROM item;
          """)
    }
  }
}

private struct Reading {
  let queue: DatabaseQueue
  let rows: Int

  var all: [(name: String, run: () throws -> Int)] {
    [
      ("fetch by index", byIndex), ("fetch by name", byName),
      ("fetch structs", { try queue.read { try sum(Item.fetchAll($0), \.sum) } }),
      ("fetch Codable", { try queue.read { try sum(CodableItem.fetchAll($0), \.sum) } }),
      ("fetch optimised", { try queue.read { try sum(OptimizedItem.fetchAll($0), \.sum) } }),
      ("dates parsed", dates), ("point fetches", points),
    ]
  }

  private func sum<Element>(_ items: [Element], _ value: (Element) -> Int) -> Int {
    items.reduce(0) { $0 &+ value($1) }
  }

  private func byIndex() throws -> Int {
    try queue.read { db in
      var sum = 0
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM item")
      while let row = try rows.next() {
        let id: Int64 = row[0], name: String = row[1], kind: String = row[2], note: String? = row[3]
        let count: Int = row[4], size: Int = row[5], rank: Int = row[6], score: Double = row[7]
        sum &+= Int(id) &+ name.utf8.count &+ kind.utf8.count &+ (note?.utf8.count ?? 0)
        sum &+= count &+ size &+ rank &+ Int(score)
      }
      return sum
    }
  }

  private func byName() throws -> Int {
    try queue.read { db in
      var sum = 0
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM item")
      while let row = try rows.next() {
        let id: Int64 = row["id"], name: String = row["name"], kind: String = row["kind"]
        let note: String? = row["note"], count: Int = row["count"], size: Int = row["size"]
        let rank: Int = row["rank"], score: Double = row["score"]
        sum &+= Int(id) &+ name.utf8.count &+ kind.utf8.count &+ (note?.utf8.count ?? 0)
        sum &+= count &+ size &+ rank &+ Int(score)
      }
      return sum
    }
  }

  private func dates() throws -> Int {
    try queue.read { db in
      let dates = try Date.fetchAll(db, sql: "SELECT at FROM event")
      return sum(dates) { Int($0.timeIntervalSince1970) }
    }
  }

  /// One record at a time, by its primary key.
  private func points() throws -> Int {
    try queue.read { db in
      var sum = 0
      for index in 0..<(rows / 10) {
        let id = Int64(index &* 7_919 % rows + 1)
        sum &+= try CodableItem.fetchOne(db, key: id)?.sum ?? 0
      }
      return sum
    }
  }
}

private struct Writing {
  let queue: DatabaseQueue
  let rows: Int

  var all: [(name: String, run: () throws -> Int)] {
    [
      ("insert by statement", byStatement),
      ("insert records", { try inserting { db, item in try item.insert(db) } }),
      ("insert Codable", { try inserting { db, item in try CodableItem(item).insert(db) } }),
      ("one-row transactions", transactions),
    ]
  }

  /// Inserts rows behind those that are there, and takes them back.
  private func inserting(_ insert: (Database, Item) throws -> Void) throws -> Int {
    try queue.writeWithoutTransaction { db in
      var count = 0
      try db.inTransaction {
        for id in 1...rows { try insert(db, Item(Int64(id + 10_000_000))) }
        count = try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? 0
        return .rollback
      }
      return count
    }
  }

  private func byStatement() throws -> Int {
    try queue.writeWithoutTransaction { db in
      var count = 0
      try db.inTransaction {
        let statement = try db.makeStatement(
          sql: "INSERT INTO fresh VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for id in 1...rows {
          let item = Item(Int64(id))
          try statement.execute(arguments: [
            item.id, item.name, item.kind, item.note, item.count, item.size, item.rank, item.score,
          ])
        }
        count = try Int.fetchOne(db, sql: "SELECT count(*) FROM fresh") ?? 0
        return .rollback
      }
      return count
    }
  }

  private func transactions() throws -> Int {
    for id in 1...(rows / 25) {
      try queue.write { try Item(Int64(id + 20_000_000)).insert($0) }
    }
    return try queue.write { db in
      try db.execute(sql: "DELETE FROM item WHERE id > 20000000")
      return db.changesCount
    }
  }
}
