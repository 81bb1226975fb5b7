import MartletTyped
import Testing

/// An example of SQLite.swift's documentation of 2015. What it uses is deprecated, and so is the
/// method that runs it: a test that goes through the protocol is not.
protocol SeedExample: Sendable {
  func run() throws
}

/// What a database was told to do.
final class Log: @unchecked Sendable {
  private(set) var statements: [String] = []

  func add(_ statement: String) { statements.append(statement) }

  /// The statements since the last call.
  func take() -> [String] {
    defer { statements = [] }
    return statements
  }

  /// The statement was the only one since the last call.
  func expect(_ sql: String..., location: SourceLocation = #_sourceLocation) {
    #expect(take() == sql, sourceLocation: location)
  }
}

/// The columns of the examples.
enum Seed {
  static let id = Expression<Int64>("id"), email = Expression<String>("email")
  static let balance = Expression<Double>("balance"), verified = Expression<Bool>("verified")
  static let name = Expression<String?>("name"), age = Expression<Int?>("age")
  static let managerId = Expression<Int64?>("manager_id"), userId = Expression<Int64?>("user_id")
  static let suffix = Expression<String?>("suffix")

  static let schema = """
    CREATE TABLE users (
      id INTEGER PRIMARY KEY NOT NULL, email TEXT UNIQUE NOT NULL, name TEXT, age INTEGER,
      balance REAL NOT NULL DEFAULT 0, verified INTEGER NOT NULL DEFAULT 0, manager_id INTEGER);
    CREATE TABLE posts (id INTEGER PRIMARY KEY NOT NULL, user_id INTEGER, title TEXT);
    """
}
