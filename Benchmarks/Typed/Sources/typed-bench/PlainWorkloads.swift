import Foundation
import MartletEngine

/// The same work by the engine's statements, written by hand.
struct PlainWorkloads {
  private let connection: Connection
  private let rows: Int

  init(path: String, rows: Int) throws {
    connection = try Connection(path: path)
    self.rows = rows
    try connection.execute("PRAGMA synchronous = OFF")
    for table in ["item", "fresh"] {
      try connection.execute(
        """
        CREATE TABLE \(table) (
          id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, note TEXT,
          count INTEGER NOT NULL, size INTEGER NOT NULL, rank INTEGER NOT NULL, score REAL NOT NULL)
        """)
    }
    try transaction { try insert(into: "item", rows) }
  }

  var all: [String: () throws -> Int] {
    [
      "fetch columns": fetch, "fetch Codable": fetch, "pluck by key": pluck, "scalar": scalar,
      "insert": insertOneByOne, "insert Codable": insertOneByOne, "insertMany": insertMany,
      "update": update,
    ]
  }

  private func transaction(_ body: () throws -> Void) throws {
    try connection.execute("BEGIN")
    try body()
    try connection.execute("COMMIT")
  }

  private func bind(_ statement: Statement, _ id: Int, _ start: Int = 1) throws {
    try statement.bind(id, at: start)
    try statement.bind(text: "item number \(id)", at: start + 1)
    try statement.bind(text: id % 3 == 0 ? "small" : "large", at: start + 2)
    if id % 2 == 0 {
      try statement.bindNull(at: start + 3)
    } else {
      try statement.bind(text: "a note that is longer than a small string", at: start + 3)
    }
    try statement.bind(id * 7 % 1_000, at: start + 4)
    try statement.bind(id, at: start + 5)
    try statement.bind(id % 10, at: start + 6)
    try statement.bind(Double(id) / 4, at: start + 7)
  }

  private func insert(into table: String, _ count: Int) throws {
    let statement = try connection.prepare("INSERT INTO \(table) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for id in 1...count {
      try bind(statement, id)
      _ = try statement.step()
      try statement.reset()
    }
  }

  private func emptied() throws -> Int {
    let statement = try connection.prepare("SELECT count(*) FROM fresh")
    _ = try statement.step()
    let count = Int(statement.columnInt64(0))
    try statement.reset()
    try connection.execute("DELETE FROM fresh")
    return count
  }

  private func insertOneByOne() throws -> Int {
    try transaction { try insert(into: "fresh", rows / 4) }
    return try emptied()
  }

  private func insertMany() throws -> Int {
    let row = "(?, ?, ?, ?, ?, ?, ?, ?)"
    let list = Array(repeating: row, count: 50).joined(separator: ", ")
    try transaction {
      let statement = try connection.prepare("INSERT INTO fresh VALUES \(list)")
      for start in stride(from: 1, through: rows / 4, by: 50) {
        for index in 0..<50 { try bind(statement, start + index, index * 8 + 1) }
        _ = try statement.step()
        try statement.reset()
      }
    }
    return try emptied()
  }

  private func fetch() throws -> Int {
    let statement = try connection.prepare("SELECT * FROM item")
    var sum = 0
    while try statement.step() {
      let row = statement.currentRow
      sum += Int(row.int64(0))
      for text in 1...3 { sum += String(decoding: row.bytes(text), as: UTF8.self).utf8.count }
      sum += Int(row.int64(4)) + Int(row.int64(5)) + Int(row.int64(6)) + Int(row.double(7))
    }
    return sum
  }

  private func byKey(_ column: String) throws -> Int {
    let statement = try connection.prepare("SELECT \(column) FROM item WHERE id = ?")
    var sum = 0
    for key in stride(from: 1, through: rows, by: 10) {
      try statement.bind(key, at: 1)
      if try statement.step() { sum += Int(statement.columnInt64(0)) }
      try statement.reset()
    }
    return sum
  }

  private func pluck() throws -> Int { try byKey("count") }

  private func scalar() throws -> Int { try byKey("size") }

  private func update() throws -> Int {
    let statement = try connection.prepare("UPDATE item SET size = ?, rank = ? WHERE id = ?")
    try transaction {
      for key in stride(from: 1, through: rows, by: 4) {
        try statement.bind(key, at: 1)
        try statement.bind(key % 10, at: 2)
        try statement.bind(key, at: 3)
        _ = try statement.step()
        try statement.reset()
      }
    }
    return Int(connection.changes)
  }
}
