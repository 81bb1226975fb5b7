/// C SQLite: its B-trees have no public interface, so that these are prepared statements of one
/// row. Index trees are tables without rowid.
final class StatementStorage: StorageEngine {
  private let connection: OracleConnection
  private let library: OracleLibrary

  init(path: String, cacheSize: Int) throws {
    connection = try OracleConnection(path: path)
    library = connection.library
    for sql in [
      "PRAGMA cache_size = \(cacheSize)", "PRAGMA synchronous = OFF",
      "CREATE TABLE t0(a INTEGER, b TEXT)", "CREATE TABLE t1(a INTEGER, b TEXT)",
      "CREATE TABLE i0(a INTEGER, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID",
      "CREATE TABLE i1(a INTEGER, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID",
    ] { try connection.execute(sql) }
  }

  func close() {}

  func run(_ phase: StoragePhase, rows: Int) throws -> UInt64 {
    if case .commits = phase {
      return try insertRows("t0", StorageRows.commitCount(rows)) { Int64(rows + $0) }
    }
    try connection.execute("BEGIN")
    let result = try runInTransaction(phase, rows)
    try connection.execute("COMMIT")
    return result
  }

  private func runInTransaction(_ phase: StoragePhase, _ rows: Int) throws -> UInt64 {
    switch phase {
    case .insertInOrder: return try insertRows("t0", rows) { Int64($0) }
    case .insertAtRandom: return try insertRows("t1", rows) { StorageRows.shuffled($0, rows) }
    case .appendToIndex: return try insertKeys("i0", rows) { Int64($0) }
    case .insertIntoIndex: return try insertKeys("i1", rows) { StorageRows.shuffled($0, rows) }
    case .seekRows: return try forEach("SELECT a FROM t1 WHERE rowid = ?1", rows, rows)
    case .seekIndex: return try forEach("SELECT b FROM i1 WHERE a = ?1 AND b = ?2", rows, rows)
    case .scanRows: return try scan("SELECT a FROM t0")
    case .scanIndex: return try scan("SELECT a FROM i1")
    case .deleteRows:
      _ = try forEach("DELETE FROM t1 WHERE rowid = ?1", rows / 2, rows)
      return UInt64(rows / 2)
    case .deleteFromIndex:
      _ = try forEach("DELETE FROM i1 WHERE a = ?1 AND b = ?2", rows / 2, rows)
      return UInt64(rows / 2)
    case .commits: return 0
    }
  }

  private func insertRows(
    _ table: String, _ rows: Int, _ rowid: (Int) -> Int64
  ) throws -> UInt64 {
    let statement = try OracleBenchStatement(
      connection, "INSERT INTO \(table)(rowid, a, b) VALUES(?1, ?2, ?3)")
    try StorageRows.text.withUnsafeBufferPointer { text in
      for step in 0..<rows {
        let rowid = rowid(step)
        try statement.bind(rowid, at: 1)
        try statement.bind(rowid &* 7, at: 2)
        _ = library.bindText(statement.handle, 3, text.baseAddress, Int32(text.count), 0)
        _ = try statement.step()
        statement.reset()
      }
    }
    return UInt64(rows)
  }

  private func insertKeys(
    _ table: String, _ rows: Int, _ value: (Int) -> Int64
  ) throws -> UInt64 {
    let statement = try OracleBenchStatement(connection, "INSERT INTO \(table) VALUES(?1, ?2)")
    for step in 0..<rows {
      let value = value(step)
      try statement.bind(value, at: 1)
      try statement.bind(value &* 3, at: 2)
      _ = try statement.step()
      statement.reset()
    }
    return UInt64(rows)
  }

  /// Runs a statement for shuffled keys; a sum over the rows that it gives.
  private func forEach(_ sql: String, _ count: Int, _ rows: Int) throws -> UInt64 {
    let statement = try OracleBenchStatement(connection, sql)
    let hasTwoKeys = sql.contains("?2")
    var sum: UInt64 = 0
    for step in 0..<count {
      let value = StorageRows.shuffled(step &* 3, rows)
      try statement.bind(value, at: 1)
      if hasTwoKeys { try statement.bind(value &* 3, at: 2) }
      while try statement.step() {
        sum &+= UInt64(bitPattern: library.columnInt64(statement.handle, 0))
      }
      statement.reset()
    }
    return sum
  }

  private func scan(_ sql: String) throws -> UInt64 {
    let statement = try OracleBenchStatement(connection, sql)
    var sum: UInt64 = 0
    while try statement.step() {
      sum &+= UInt64(bitPattern: library.columnInt64(statement.handle, 0))
    }
    return sum
  }
}
