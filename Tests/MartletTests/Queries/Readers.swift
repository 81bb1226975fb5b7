import Martlet

/// The table "readers" and its records, for tests of requests.
struct Reader: Codable, Hashable, FetchableRecord, MutablePersistableRecord, Identifiable {
  static let databaseTableName = "readers"
  var id: Int64?
  var name: String
  var age: Int?

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let age = Column("age")
  }
}

/// Runs a test with three readers.
func inReaders(_ body: (Database) throws -> Void) throws {
  try inEmptyDatabase { db throws in
    try db.execute(
      sql: """
        CREATE TABLE readers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT);
        INSERT INTO readers VALUES (1, 'Arthur', 42), (2, 'Barbara', 36), (3, 'Craig', NULL);
        """)
    try body(db)
  }
}

/// The SQL that a request of readers executes.
func sql<T>(_ request: QueryInterfaceRequest<T>) throws -> String {
  var text = ""
  try inReaders { db throws in
    text = try executedSQL(db) { _ = try Row.fetchAll(db, request) }.last ?? ""
  }
  return text
}
