import Martlet

// Scripts that an observer watches, and requests with their regions: what happens is compared with
// GRDB.

enum Observing {
  struct Script {
    let rule: String
    let statements: [String]

    init(_ rule: String, _ statements: String...) {
      self.rule = rule
      self.statements = statements
    }
  }

  /// Writes down all that it is told.
  final class Recorder: TransactionObserver {
    var log: [String] = []
    let observes: (DatabaseEventKind) -> Bool

    init(_ observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
      self.observes = observes
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

    func databaseDidChange(with event: DatabaseEvent) {
      log.append("\(event.kind) \(event.databaseName).\(event.tableName) \(event.rowID)")
    }

    func databaseDidChange() { log.append("changed") }
    func databaseWillCommit() { log.append("will commit") }
    func databaseDidCommit(_ db: Database) { log.append("did commit") }
    func databaseDidRollback(_ db: Database) { log.append("did rollback") }
  }

  static func makeTables(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE child (
          id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES parent(id) ON DELETE CASCADE, n INT);
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE TABLE noted (id INTEGER PRIMARY KEY, n INT);
        CREATE TRIGGER noting AFTER INSERT ON noted BEGIN
          INSERT INTO note (text) VALUES (new.n);
          UPDATE noted SET n = n + 1 WHERE id = new.id;
        END;
        CREATE VIEW view AS SELECT id, name FROM parent;
        INSERT INTO parent VALUES (1, 'a'), (2, 'b');
        INSERT INTO child VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30);
        """)
  }

  /// What an observer of everything is told of a script.
  static func log(_ script: Script, _ db: Database) -> [String] {
    let recorder = Recorder()
    db.add(transactionObserver: recorder)
    for statement in script.statements {
      recorder.log.append("-- " + statement)
      do {
        try db.execute(sql: statement)
      } catch {
        recorder.log.append("error \((error as? DatabaseError)?.extendedResultCode.rawValue ?? 0)")
      }
    }
    if db.isInsideTransaction { try? db.rollback() }
    return recorder.log
  }

  static let scripts = [
    Script("a statement alone is a transaction", "INSERT INTO note VALUES (1, 'x')"),
    Script("an update tells of each row", "UPDATE child SET n = n + 1"),
    Script(
      "a rowid that changes is told as it is after the change",
      "UPDATE note SET id = 9 WHERE id = 1"),
    Script("a statement that finds no row commits all the same", "DELETE FROM note WHERE id = 99"),
    Script("reading tells nothing", "SELECT * FROM parent"),
    Script(
      "a transaction is committed once", "BEGIN", "INSERT INTO note VALUES (1, 'x')",
      "UPDATE note SET text = 'y'", "COMMIT"),
    Script("a transaction is taken back", "BEGIN", "INSERT INTO note VALUES (1, 'x')", "ROLLBACK"),
    Script("an empty deferred transaction is committed", "BEGIN DEFERRED", "COMMIT"),
    Script("an empty immediate transaction is committed", "BEGIN IMMEDIATE", "COMMIT"),
    Script("an empty transaction that is taken back", "BEGIN DEFERRED", "ROLLBACK"),
    Script("an empty immediate transaction that is taken back", "BEGIN IMMEDIATE", "ROLLBACK"),
    Script("a transaction that reads", "BEGIN", "SELECT * FROM parent", "COMMIT"),
    Script(
      "a statement that fails tells of no rollback", "INSERT INTO parent VALUES (3, 'a')",
      "INSERT INTO note VALUES (2, 'y')"),
    Script(
      "a statement that fails in a transaction", "BEGIN",
      "INSERT INTO parent VALUES (3, 'c'), (4, 'a')", "COMMIT"),
    Script(
      "a conflict that takes the transaction back", "BEGIN", "INSERT INTO parent VALUES (3, 'c')",
      "INSERT OR ROLLBACK INTO parent VALUES (4, 'a')", "INSERT INTO note VALUES (3, 'z')"),
    Script(
      "a deferred key refuses the commit", "PRAGMA defer_foreign_keys = ON", "BEGIN",
      "PRAGMA defer_foreign_keys = ON", "INSERT INTO child VALUES (9, 99, 0)", "COMMIT", "ROLLBACK"),
    Script(
      "changes in a savepoint are told when it is released", "BEGIN", "SAVEPOINT a",
      "INSERT INTO note VALUES (1, 'x')", "RELEASE a", "INSERT INTO note VALUES (2, 'y')", "COMMIT"),
    Script(
      "changes in a savepoint that is taken back are not told", "BEGIN",
      "INSERT INTO note VALUES (1, 'x')", "SAVEPOINT a", "INSERT INTO note VALUES (2, 'y')",
      "ROLLBACK TO a", "INSERT INTO note VALUES (3, 'z')", "RELEASE a", "COMMIT"),
    Script(
      "savepoints inside savepoints", "BEGIN", "SAVEPOINT a", "INSERT INTO note VALUES (1, 'x')",
      "SAVEPOINT b", "INSERT INTO note VALUES (2, 'y')", "RELEASE b", "SAVEPOINT B",
      "INSERT INTO note VALUES (3, 'z')", "ROLLBACK TO b", "RELEASE a", "COMMIT"),
    Script(
      "releasing the outer savepoint releases the inner", "SAVEPOINT a", "SAVEPOINT b",
      "INSERT INTO note VALUES (1, 'x')", "RELEASE a"),
    Script(
      "a savepoint alone is a transaction", "SAVEPOINT a", "INSERT INTO note VALUES (1, 'x')",
      "RELEASE a"),
    Script("an empty savepoint is a transaction", "SAVEPOINT a", "RELEASE a"),
    Script(
      "a transaction that ends with an open savepoint", "BEGIN", "SAVEPOINT a",
      "INSERT INTO note VALUES (1, 'x')", "COMMIT"),
    Script(
      "a transaction with an open savepoint that is taken back", "BEGIN", "SAVEPOINT a",
      "INSERT INTO note VALUES (1, 'x')", "ROLLBACK", "INSERT INTO note VALUES (2, 'y')"),
    Script("triggers", "INSERT INTO noted VALUES (1, 5)"),
    Script("actions of foreign keys", "DELETE FROM parent WHERE id = 1"),
    Script("deletions without condition are told row by row", "DELETE FROM child"),
    Script("REPLACE tells of the new row only", "INSERT OR REPLACE INTO parent VALUES (5, 'b')"),
    Script(
      "an upsert tells of the update",
      "INSERT INTO parent VALUES (1, 'a') ON CONFLICT DO UPDATE SET name = 'n'"),
    Script(
      "tables without rowids tell nothing of rows", "INSERT INTO keyed VALUES ('k', 1)",
      "UPDATE keyed SET v = 2", "DELETE FROM keyed"),
    Script("rows of another table", "INSERT INTO note SELECT id, name FROM parent"),
    Script(
      "all rows of a table of one form", "CREATE TABLE copy (id INTEGER PRIMARY KEY, text TEXT)",
      "INSERT INTO note VALUES (1, 'x'), (2, 'y')", "INSERT INTO copy SELECT * FROM note"),
    Script(
      "the schema", "CREATE TABLE t (a)", "ALTER TABLE t ADD COLUMN b", "CREATE INDEX i ON t (a)",
      "DROP TABLE t"),
    Script("a table made of a query", "CREATE TABLE t AS SELECT * FROM parent"),
    Script("temporary tables", "CREATE TEMP TABLE t (a)", "INSERT INTO t VALUES (1)"),
    Script("RETURNING", "INSERT INTO note VALUES (1, 'x'), (2, 'y') RETURNING id"),
    Script(
      "a comment before a statement", "/* c */ BEGIN", "-- c\nINSERT INTO note VALUES (1, 'x')",
      "/* c */ COMMIT"),
  ]

  // MARK: Regions

  struct Region {
    let rule: String
    let region: (Database) throws -> DatabaseRegion

    init(_ rule: String, _ region: @escaping (Database) throws -> DatabaseRegion) {
      self.rule = rule
      self.region = region
    }

    init(_ rule: String, sql: String) {
      self.init(rule) { db in try SQLRequest<Row>(sql: sql).databaseRegion(db) }
    }

    init<T>(_ rule: String, _ request: QueryInterfaceRequest<T>) {
      self.init(rule) { db in try request.databaseRegion(db) }
    }
  }

  struct Parent: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let children = hasMany(Child.self)
    var id: Int64
    var name: String
  }

  struct Child: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let parent = belongsTo(Parent.self)
    var id: Int64
    var parentId: Int64
    var n: Int
  }

  static var regions: [Region] {
    [
      Region("columns", sql: "SELECT name FROM parent"),
      Region("all columns", sql: "SELECT * FROM child"),
      Region("columns of conditions", sql: "SELECT n FROM child WHERE parentId = 1"),
      Region("columns in any case", sql: "SELECT NAME FROM PARENT"),
      Region("counting reads no column", sql: "SELECT COUNT(*) FROM parent"),
      Region("joins", sql: "SELECT p.name FROM parent p JOIN child c ON c.parentId = p.id"),
      Region("subqueries", sql: "SELECT (SELECT MAX(n) FROM child) FROM parent"),
      Region("views", sql: "SELECT name FROM view"),
      Region("common tables", sql: "WITH t AS (SELECT n FROM child) SELECT * FROM t"),
      Region("the rowid", sql: "SELECT rowid FROM note"),
      Region("no table", sql: "SELECT 1"),
      Region("changes read too", sql: "UPDATE child SET n = n + 1 WHERE parentId = 1"),
      Region("all rows", Parent.all()),
      Region("a row", Parent.filter(key: 1)),
      Region("a row by its column", Parent.filter(Column("id") == 1)),
      Region("a row from the left", Parent.filter(1 == Column("id"))),
      Region("a row by rowid", Parent.filter(Column.rowID == 1)),
      Region("rows", Parent.filter(keys: [1, 2, 3])),
      Region("rows by id", Parent.filter(ids: [1, 2])),
      Region("a row and a condition", Parent.filter(key: 1).filter(Column("name") == "a")),
      Region("rows that both conditions say", Parent.filter(keys: [1, 2]).filter(keys: [2, 3])),
      Region("one of two rows", Parent.filter(Column("id") == 1 || Column("id") == 2)),
      Region("a row or a condition", Parent.filter(Column("id") == 1 || Column("name") == "a")),
      Region("not a row", Parent.filter(Column("id") != 1)),
      Region("no row", Parent.none()),
      Region("a row of no id", Parent.filter(Column("id") == nil)),
      Region("a unique key", Parent.filter(key: ["name": "a"])),
      Region("a table without rowids", Table("keyed").filter(Column("k") == "a")),
      Region("a row of an alias", Parent.aliased(TableAlias(name: "p")).filter(key: 1)),
      Region("a selection", Parent.select(Column("name")).filter(key: 1)),
      Region("a joined request", Child.including(required: Child.parent)),
      Region("a joined row", Child.filter(key: 1).including(required: Child.parent)),
      Region("a row that is joined", Child.joining(required: Child.parent.filter(key: 1))),
      Region("rows of many", Parent.including(all: Parent.children)),
      Region("rows of many of a row", Parent.filter(key: 1).including(all: Parent.children)),
      Region("rows of many of no row", Parent.none().including(all: Parent.children)),
      Region(
        "rows of many with a condition",
        Parent.including(all: Parent.children.filter(key: 3).select(Column("n")))),
      Region("aggregates", Parent.annotated(with: Parent.children.count)),
      Region("a table") { db in try Table("parent").databaseRegion(db) },
      Region("the full database") { _ in .fullDatabase },
      Region("nothing") { _ in DatabaseRegion() },
      Region("two requests") { db in
        try Parent.select(Column("name")).databaseRegion(db).union(
          Child.filter(key: 1).databaseRegion(db))
      },
      Region("two parts of a table") { db in
        try Parent.filter(key: 1).databaseRegion(db).union(
          Parent.filter(key: 2).select(Column("name")).databaseRegion(db))
      },
      Region("rows and all rows") { db in
        try Parent.filter(key: 1).databaseRegion(db).union(
          Parent.select(Column("name")).databaseRegion(db))
      },
      Region("a request and all") { db in try Parent.all().databaseRegion(db).union(.fullDatabase)
      },
    ]
  }
}
