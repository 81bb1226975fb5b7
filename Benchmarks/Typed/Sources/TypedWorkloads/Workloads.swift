import Foundation

#if MARTLET
  import MartletTyped
#else
  import SQLite
#endif

private typealias Expression = SQLite.Expression

/// What programs do with rows, on a database of one of the two libraries.
public struct Workloads {
  /// The names of the workloads; each gives a number that is the same with all libraries.
  public let all: [(name: String, run: () throws -> Int)]

  /// - Parameters:
  ///   - path: Of a database that does not exist.
  ///   - rows: Rows of the table that is read.
  public init(path: String, rows: Int) throws {
    let db = try Connection(path)
    try db.execute("PRAGMA synchronous = OFF")
    let items = Items(db: db, rows: rows)
    try items.fill()
    all = [
      ("fetch columns", items.fetchColumns), ("fetch Codable", items.fetchCodable),
      ("pluck by key", items.pluck), ("scalar", items.scalar), ("insert", items.insert),
      ("insert Codable", items.insertCodable), ("insertMany", items.insertMany),
      ("update", items.update),
    ]
  }
}

private struct Item: Codable {
  var id: Int64
  var name: String
  var kind: String
  var note: String?
  var count: Int
  var size: Int
  var rank: Int
  var score: Double

  init(_ id: Int64) {
    self.id = id
    name = "item number \(id)"
    kind = id % 3 == 0 ? "small" : "large"
    note = id % 2 == 0 ? nil : "a note that is longer than a small string"
    count = Int(id) * 7 % 1_000
    size = Int(id)
    rank = Int(id) % 10
    score = Double(id) / 4
  }

  var sum: Int {
    Int(id) + name.utf8.count + kind.utf8.count + (note?.utf8.count ?? 0) + count + size + rank
      + Int(score)
  }
}

private struct Items {
  let db: Connection
  let rows: Int
  let table = Table("item"), fresh = Table("fresh")
  let id = Expression<Int64>("id"), name = Expression<String>("name")
  let kind = Expression<String>("kind"), note = Expression<String?>("note")
  let count = Expression<Int>("count"), size = Expression<Int>("size")
  let rank = Expression<Int>("rank"), score = Expression<Double>("score")

  func fill() throws {
    for table in [table, fresh] {
      try db.run(
        table.create { t in
          t.column(id, primaryKey: true)
          t.column(name)
          t.column(kind)
          t.column(note)
          t.column(count)
          t.column(size)
          t.column(rank)
          t.column(score)
        })
    }
    try db.transaction {
      for id in 1...rows { try db.run(table.insert(setters(Item(Int64(id))))) }
    }
  }

  private func setters(_ item: Item) -> [Setter] {
    [
      id <- item.id, name <- item.name, kind <- item.kind, note <- item.note,
      count <- item.count, size <- item.size, rank <- item.rank, score <- item.score,
    ]
  }

  /// Work on the empty table, which is empty again afterwards.
  private func writing(_ body: () throws -> Void) throws -> Int {
    try db.transaction { try body() }
    let written = try db.scalar(fresh.count)
    try db.run(fresh.delete())
    return written
  }

  func fetchColumns() throws -> Int {
    var sum = 0
    for row in try db.prepare(table) {
      sum += Int(row[id]) + row[name].utf8.count + row[kind].utf8.count
      sum += row[note]?.utf8.count ?? 0
      sum += row[count] + row[size] + row[rank] + Int(row[score])
    }
    return sum
  }

  func fetchCodable() throws -> Int {
    var sum = 0
    for row in try db.prepare(table) {
      let item: Item = try row.decode()
      sum += item.sum
    }
    return sum
  }

  func pluck() throws -> Int {
    var sum = 0
    for key in stride(from: 1, through: rows, by: 10) {
      guard let row = try db.pluck(table.filter(id == Int64(key))) else { continue }
      sum += row[count]
    }
    return sum
  }

  func scalar() throws -> Int {
    var sum = 0
    for key in stride(from: 1, through: rows, by: 10) {
      sum += try db.scalar(table.filter(id == Int64(key)).select(size))
    }
    return sum
  }

  func insert() throws -> Int {
    try writing {
      for id in 1...(rows / 4) { try db.run(fresh.insert(setters(Item(Int64(id))))) }
    }
  }

  func insertCodable() throws -> Int {
    try writing {
      for id in 1...(rows / 4) { try db.run(fresh.insert(Item(Int64(id)))) }
    }
  }

  func insertMany() throws -> Int {
    try writing {
      for start in stride(from: 1, through: rows / 4, by: 50) {
        try db.run(fresh.insertMany((start..<(start + 50)).map { setters(Item(Int64($0))) }))
      }
    }
  }

  func update() throws -> Int {
    try db.transaction {
      for key in stride(from: 1, through: rows, by: 4) {
        try db.run(table.filter(id == Int64(key)).update(size <- key, rank <- key % 10))
      }
    }
    return db.changes
  }
}
