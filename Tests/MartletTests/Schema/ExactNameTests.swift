import Foundation
import Martlet
import Testing

private let one = "\u{e9}"
private let two = "e\u{301}"

private func sameBytes(_ left: some Sequence<String>, _ right: [String]) -> Bool {
  left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
}

/// "é" as one scalar and as two is one text for Swift, and two names for SQL.
@Suite struct ExactNameTests {
  // MARK: Keys

  @Test func `a unique key has exactly the columns that are given`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE t (\(one) UNIQUE, \(two), b, c UNIQUE); "
          + "INSERT INTO t VALUES (1, 2, 3, 4), (2, 1, 5, 6); "
          + "CREATE TABLE u (\(one) UNIQUE, \(two) UNIQUE); INSERT INTO u VALUES (1, 2), (2, 1)")
      #expect(try db.table("t", hasUniqueKey: [one]))
      #expect(try !db.table("t", hasUniqueKey: [two]))
      #expect(error { try Row.fetchOne(db, Table("t").filter(key: [two: 1])) } is DatabaseError)
      #expect(try Row.fetchOne(db, Table("t").filter(key: [one: 1]))?["b"] == 3)
      for name in [one, two] {
        let row = try Row.fetchOne(db, Table("u").filter(key: [name: 1]))
        #expect(row?[name] == 1)
      }
      // Groups of a column that is not unique.
      let groups = Table("t").select(Column("b")).group(Column(two))
      try db.execute(sql: "UPDATE t SET \(two) = 1")
      #expect(try groups.fetchCount(db) == 1)
    }
  }

  private struct Pair: PersistableRecord {
    static let databaseTableName = "pair"
    func encode(to container: inout PersistenceContainer) {
      container[one] = 1
      container[two] = 2
    }
  }

  @Test func `a row of such a key that is missing is an error`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE pair (\(one), \(two), PRIMARY KEY (\(one), \(two)))")
      #expect(throws: RecordError.self) { try Pair().update(db) }
      try Pair().save(db)
      #expect(try Pair().exists(db))
    }
  }

  @Test func `an index is dropped by the bytes of its columns`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (\(one), \(two)); CREATE INDEX i ON t (\(one))")
      try db.drop(indexOn: "t", columns: [two])
      #expect(try db.indexes(on: "t").count == 1)
      try db.drop(indexOn: "t", columns: [one])
      #expect(try db.indexes(on: "t").isEmpty)
    }
  }

  // MARK: Tables

  @Test func `rows belong to the table of these bytes`() throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "t" + one) { $0.primaryKey("code", .text) }
      try db.create(table: "t" + two) { t in
        t.primaryKey("number", .integer)
        t.belongsTo("parent", inTable: "t" + one)
      }
      let keys = try db.foreignKeys(on: "t" + two)
      #expect(sameBytes(keys.map { $0.destinationTable }, ["t" + one]))
      #expect(keys.first?.originColumns == ["parentCode"])
      #expect(try db.columns(in: "t" + two).map { $0.type } == ["INTEGER", "TEXT"])
    }
  }

  private struct First: TableRecord {
    static let databaseTableName = "t" + one
  }

  private struct Second: TableRecord {
    static let databaseTableName = "t" + two
  }

  private struct Child: TableRecord {
    static let databaseTableName = "child"
    static let first = belongsTo(First.self, key: "first")
    static let second = belongsTo(Second.self, key: "second")
    static let named = belongsTo(First.self, using: ForeignKey([one]))
    static let alsoNamed = belongsTo(First.self, using: ForeignKey([two]))
    static let unnamed = belongsTo(First.self)
    static let alsoUnnamed = belongsTo(Second.self)
  }

  @Test func `associations find the foreign key of their table`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE t\(one) (id INTEGER PRIMARY KEY, a); INSERT INTO t\(one) VALUES (1, 'one');
          CREATE TABLE t\(two) (id INTEGER PRIMARY KEY, a); INSERT INTO t\(two) VALUES (1, 'two');
          CREATE TABLE child (\(one) REFERENCES t\(one)(id), \(two) REFERENCES t\(two)(id));
          INSERT INTO child VALUES (1, 1);
          """)
      let request = Child.including(required: Child.first).including(required: Child.second)
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.scopes["first"]?["a"] == "one")
      #expect(row.scopes["second"]?["a"] == "two")
      // One key for two associations.
      #expect(ForeignKey([one]) != ForeignKey([two]))
      for request in [
        Child.including(required: Child.named).including(required: Child.alsoNamed),
        Child.including(required: Child.unnamed).including(required: Child.alsoUnnamed),
      ] {
        #expect(databaseError { try Row.fetchOne(db, request) }?.resultCode == .SQLITE_MISUSE)
      }
    }
  }

  @Test func `an alias that is no name of the table is written`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t\(one) (a); INSERT INTO t\(one) VALUES (1)")
      let request = Table("t" + one).aliased(TableAlias(name: "t" + two)).filter(Column("a") == 1)
      #expect(try Row.fetchOne(db, request)?["a"] == 1)
      let aliases = [TableAlias<Row>(name: one), TableAlias<Row>(name: two)]
      let table = Table("t" + one), key = ForeignKey(["a"], to: ["a"])
      let joined = table.aliased(aliases[0])
        .joining(required: table.belongsTo(table, using: key).aliased(aliases[1]))
      #expect(try Row.fetchAll(db, joined).count == 1)
    }
  }

  @Test func `common tables are known by their bytes`() throws {
    try inEmptyDatabase { db throws in
      let tables = [one, two].enumerated().map {
        CommonTableExpression<Void>(named: $1, sql: "SELECT \($0) AS a")
      }
      for (number, table) in tables.enumerated() {
        let request = table.all().with(table).with(tables[1 - number])
        #expect(try request.select(Column("a"), as: Int.self).fetchAll(db) == [number])
      }
    }
  }

  @Test func `databases are attached under their bytes`() throws {
    try inEmptyDatabase { db throws in
      for (number, name) in [one, two].enumerated() {
        try db.execute(sql: "ATTACH ':memory:' AS \(name); CREATE TABLE \(name).t (a\(number))")
      }
      for (number, name) in [one, two].enumerated() {
        #expect(try db.columns(in: "t", in: name).map { $0.name } == ["a\(number)"])
        #expect(try db.columns(in: "t", in: name).map { $0.name } == ["a\(number)"])
      }
    }
  }

  @Test func `a collation is another one under other bytes`() {
    let collations = [one, two, "A" + one, "a" + one].map { name in
      DatabaseCollation(name) { $0.compare($1) }
    }
    #expect(collations[0].id != collations[1].id)
    #expect(collations[2].id == collations[3].id)
  }

  // MARK: Columns

  @Test func `columns are left out by their bytes`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (\(one), \(two), \u{c9}); INSERT INTO t VALUES (1, 2, 3)")
      for (name, rest) in [(one, [2, 3]), (two, [1, 3]), ("\u{c9}", [1, 2])] {
        let request = Table("t").select(.allColumns(excluding: [name]))
        let row = try #require(try Row.fetchOne(db, request))
        #expect(row.databaseValues.map { Int.fromDatabaseValue($0) } == rest)
      }
      let both = Table("t").select(.allColumns(excluding: [one, two]))
      #expect(try Row.fetchOne(db, both)?.count == 1)
    }
  }

  @Test func `a row with many columns has each of them`() throws {
    try inEmptyDatabase { db throws in
      let names = ["\u{c9}", one, two, "E\u{301}"]
      for count in [0, 12] {
        let values = (names + (0..<count).map { "x\($0)" }).enumerated().map { "\($0) AS \($1)" }
        let row = try #require(
          try Row.fetchOne(db, sql: "SELECT " + values.joined(separator: ", ")))
        // The letters A to Z have no case.
        #expect(names.map { row[$0] as Int? } == [0, 1, 2, 2])
      }
      // What is not there by its bytes may be for Unicode.
      for count in [0, 12] {
        let more = (0..<count).map { ", 0 AS x\($0)" }.joined()
        let row = try #require(try Row.fetchOne(db, sql: "SELECT 7 AS \u{c9}\(more)"))
        #expect(row[one] == 7 && row[two] == 7)
      }
    }
  }

  private struct Named: FetchableRecord, Decodable {
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    let first: Int, second: Int

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      first = try container.decode(Int.self, forKey: Key(stringValue: "x" + one.uppercased()))
      second = try container.decode(Int.self, forKey: Key(stringValue: "x" + two.uppercased()))
    }
  }

  @Test func `a property is decoded from the column of its bytes`() throws {
    try inEmptyDatabase { db throws in
      let sql = "SELECT 1 AS x_\(one), 2 AS x_\(two)"
      let named = try #require(try Named.fetchOne(db, sql: sql))
      #expect(named.first == 1 && named.second == 2)
      // One that is there for Unicode only.
      let single = try #require(try Named.fetchOne(db, sql: "SELECT 3 AS x_\(one)"))
      #expect(single.first == 3 && single.second == 3)
    }
  }

  // MARK: Observation

  @Test func `a condition says rows only of the column that is the rowid`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE t (\(one) INTEGER PRIMARY KEY, \(two)); "
          + "CREATE TABLE k (k INTEGER PRIMARY KEY); CREATE TABLE \(one) (id INTEGER PRIMARY KEY);"
          + "CREATE TABLE \(two) (id INTEGER PRIMARY KEY)")
      func region(_ request: some FetchRequest) throws -> String {
        try request.databaseRegion(db).description
      }
      #expect(try region(Table("t").filter(Column(one) == 5)).hasSuffix("[5]"))
      #expect(try region(Table("t").filter(Column(two) == 5)).hasSuffix(")"))
      // Two tables, of which one has a condition.
      let ids = Table(two).select(Column("id"))
      let request = Table(one).filter(Column("id") == 5).filter(ids.contains(Column("id")))
      let parts = try region(request).split(separator: ",")
      #expect(parts.count == 2)
      #expect(parts.filter { $0.hasSuffix("[5]") }.count == 1)
    }
  }

  @Test func `a statement that changes two tables is told for each`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE \(one) (id INTEGER PRIMARY KEY, a);
          CREATE TABLE \(two) (id INTEGER PRIMARY KEY, a);
          CREATE TRIGGER change AFTER UPDATE ON \(one) BEGIN UPDATE \(two) SET a = new.a; END;
          INSERT INTO \(one) VALUES (1, 0); INSERT INTO \(two) VALUES (2, 0);
          """)
      for (name, rowID) in [(one, 1), (two, 2)] {
        let recorder = Observing.Recorder { Array($0.tableName.utf8) == Array(name.utf8) }
        db.add(transactionObserver: recorder)
        try db.execute(sql: "UPDATE \(one) SET a = 1")
        db.remove(transactionObserver: recorder)
        #expect(recorder.log == ["update main.\(name) \(rowID)", "will commit", "did commit"])
      }
    }
  }

  @Test func `a savepoint is taken back by the bytes of its name`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
      let recorder = Observing.Recorder()
      db.add(transactionObserver: recorder)
      try db.execute(
        sql: """
          BEGIN; SAVEPOINT \(one); INSERT INTO t VALUES (1); SAVEPOINT \(two);
          INSERT INTO t VALUES (2); ROLLBACK TO \(one); RELEASE \(one);
          INSERT INTO t VALUES (3); COMMIT;
          """)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM t") == [3])
      #expect(recorder.log == ["insert main.t 3", "will commit", "did commit"])
    }
  }
}
