import Foundation
import MartletTyped
import Testing

// Where Foundation is imported too, the name needs a module: SQLite.swift's users write this line.
typealias Expression = MartletTyped.Expression

/// Columns of each type, and of each optional type.
enum Columns {
  static let bool = Expression<Bool>("bool"), boolOptional = Expression<Bool?>("boolOptional")
  static let data = Expression<Blob>("blob"), dataOptional = Expression<Blob?>("blobOptional")
  static let date = Expression<Date>("date"), dateOptional = Expression<Date?>("dateOptional")
  static let double = Expression<Double>("double")
  static let doubleOptional = Expression<Double?>("doubleOptional")
  static let int = Expression<Int>("int"), intOptional = Expression<Int?>("intOptional")
  static let int64 = Expression<Int64>("int64"), int64Optional = Expression<Int64?>("int64Optional")
  static let string = Expression<String>("string")
  static let stringOptional = Expression<String?>("stringOptional")
}

/// A statement or an expression makes that SQL.
func expectSQL(
  _ sql: String, _ expression: any Expressible, _ location: SourceLocation = #_sourceLocation
) {
  #expect(expression.asSQL() == sql, sourceLocation: location)
}

/// Users, as most examples of SQLite.swift have them.
struct UsersDatabase {
  let db: Connection
  let users = Table("users")
  let id = Expression<Int64>("id"), email = Expression<String>("email")
  let age = Expression<Int?>("age"), salary = Expression<Double?>("salary")
  let admin = Expression<Bool>("admin"), managerId = Expression<Int64?>("manager_id")

  init() throws {
    db = try Connection()
    try db.execute(
      """
      CREATE TABLE users (
        id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, age INTEGER, salary REAL,
        admin BOOLEAN NOT NULL DEFAULT 0 CHECK (admin IN (0, 1)), manager_id INTEGER,
        created_at DATETIME, FOREIGN KEY(manager_id) REFERENCES users(id))
      """)
  }

  @discardableResult
  func insert(_ name: String, age: Int? = nil, admin isAdmin: Bool = false) throws -> Int64 {
    try db.run(
      users.insert(email <- "\(name)@example.com", self.age <- age, admin <- isAdmin))
  }
}
