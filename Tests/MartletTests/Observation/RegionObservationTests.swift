import Dispatch
import Martlet
import Testing

@Suite struct RegionObservationTests {
  private func makeQueue() throws -> DatabaseQueue {
    let queue = try emptyDatabase()
    try queue.write { try Observing.makeTables($0) }
    return queue
  }

  /// The statements of those which modify a region.
  private func modifying(
    _ region: some DatabaseRegionConvertible, _ statements: [String]
  ) throws -> [String] {
    let queue = try makeQueue()
    let list = LockedList()
    let cancellable = DatabaseRegionObservation(tracking: region).start(in: queue) { error in
      list.append("\(error)")
    } onChange: { _ in
      list.append("changed")
    }
    defer { cancellable.cancel() }
    return try statements.filter { sql in
      try queue.write { try $0.execute(sql: sql) }
      return list.take() == ["changed"]
    }
  }

  private let statements = [
    "UPDATE parent SET name = 'x' WHERE id = 1", "UPDATE parent SET name = 'y' WHERE id = 2",
    "UPDATE child SET n = 1", "INSERT INTO parent VALUES (3, 'c')",
    "DELETE FROM parent WHERE id = 1",
    "DELETE FROM parent WHERE id = 99",
  ]

  @Test func `a table is modified by all its changes`() throws {
    #expect(
      try modifying(Table("parent"), statements)
        == [statements[0], statements[1], statements[3], statements[4]])
  }

  @Test func `a row is modified by its changes`() throws {
    #expect(
      try modifying(Table("parent").filter(Column("id") == 1), statements)
        == [statements[0], statements[4]])
  }

  @Test func `columns are modified by updates of them, insertions and deletions`() throws {
    #expect(
      try modifying(SQLRequest<Row>(sql: "SELECT parentId FROM child"), statements)
        == [statements[4]])
    #expect(
      try modifying(SQLRequest<Row>(sql: "SELECT name FROM parent"), statements)
        == [statements[0], statements[1], statements[3], statements[4]])
  }

  @Test func `the full database is modified by everything`() throws {
    #expect(try modifying(DatabaseRegion.fullDatabase, statements) == Array(statements.dropLast()))
  }

  @Test func `a transaction is told once, and what is taken back not at all`() throws {
    let queue = try makeQueue()
    let list = LockedList()
    let observation = DatabaseRegionObservation(tracking: Table("note"), Table("parent"))
    let cancellable = observation.start(in: queue) { _ in
    } onChange: { db in
      list.append("\((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note")) ?? -1)")
    }
    try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, ''), (2, '')") }
    try queue.write { try $0.execute(sql: "UPDATE child SET n = 1") }
    try queue.inTransaction {
      try $0.execute(sql: "DELETE FROM note")
      return .rollback
    }
    try queue.write { db in
      try db.inSavepoint {
        try db.execute(sql: "DELETE FROM note")
        return .rollback
      }
    }
    #expect(list.take() == ["2"])
    cancellable.cancel()
    try queue.write { try $0.execute(sql: "DELETE FROM note") }
    #expect(list.take() == [])
  }

  @Test func `an observation ends when nobody keeps it`() throws {
    let queue = try makeQueue()
    let list = LockedList()
    do {
      let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(in: queue) { _ in
      } onChange: { _ in
        list.append("changed")
      }
      try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, '')") }
      withExtendedLifetime(cancellable) {}
    }
    try queue.write { try $0.execute(sql: "DELETE FROM note") }
    #expect(list.take() == ["changed"])
  }

  @Test func `an error at the start is told`() throws {
    let list = LockedList()
    let cancellable = DatabaseRegionObservation(tracking: Table("none").filter(Column("id") == 1))
      .start(in: try makeQueue()) {
        list.append("\($0)")
      } onChange: { _ in
      }
    #expect(list.take().count == 1)
    withExtendedLifetime(cancellable) {}
  }

  @Test func `notifyChanges is a change`() throws {
    let queue = try makeQueue()
    let list = LockedList()
    let cancellable = DatabaseRegionObservation(tracking: Table("keyed")).start(in: queue) { _ in
    } onChange: { _ in
      list.append("changed")
    }
    try queue.write { try $0.execute(sql: "INSERT INTO keyed VALUES ('a', 1)") }
    #expect(list.take() == [])
    try queue.write { try $0.notifyChanges(in: Table("keyed")) }
    #expect(list.take() == ["changed"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `regions are sets`() throws {
    let queue = try makeQueue()
    try queue.read { db throws in
      let one = try Table("parent").filter(Column("id") == 1).databaseRegion(db)
      let all = try Table("parent").all().databaseRegion(db)
      #expect(one.union(all) == all)
      #expect(DatabaseRegion().union(one) == one)
      #expect(one.union(.fullDatabase).isFullDatabase)
      #expect(DatabaseRegion().isEmpty)
      #expect(!DatabaseRegion.fullDatabase.isEmpty)
      #expect(one != all)
      #expect(all.isModified(byEventsOfKind: .insert(tableName: "PARENT")))
      #expect(!all.isModified(byEventsOfKind: .insert(tableName: "child")))
      #expect(all.isModified(byEventsOfKind: .update(tableName: "parent", columnNames: ["NAME"])))
      #expect(!all.isModified(byEventsOfKind: .update(tableName: "parent", columnNames: ["x"])))
      #expect(try AnyDatabaseRegionConvertible { _ in one }.databaseRegion(db) == one)
    }
  }

  @Test func `a statement of a request reads what is fetched beside its rows`() throws {
    struct Node: TableRecord {
      static let children = hasMany(Node.self, using: ForeignKey(["parent"])).forKey("children")
    }
    let queue = try emptyDatabase()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE node(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES node, name TEXT);
          INSERT INTO node VALUES (1, NULL, 'a'), (5, 1, 'b'), (6, 5, 'c'), (7, 5, 'd');
          """)
    }
    // The request for the children has the same text as the request itself.
    let request = Node.filter(Column("parent") == 5).including(all: Node.children)
    try queue.read { db throws in
      let statement = try request.makePreparedRequest(db).statement
      #expect(statement.databaseRegion.description == "node(id,name,parent)")
      #expect(try Row.fetchAll(statement).map { $0["id"] as Int } == [6, 7])
    }
    let values = LockedList()
    let isTold = DispatchSemaphore(value: 0)
    let observation = ValueObservation.trackingConstantRegion { db in
      try Row.fetchAll(db, request).map { "\($0["id"] as Int)" }.joined(separator: " ")
    }
    let cancellable = observation.start(
      in: queue, scheduling: .async(onQueue: DispatchQueue(label: "values"))
    ) { error in
      values.append("\(error)")
      isTold.signal()
    } onChange: { value in
      values.append(value)
      isTold.signal()
    }
    #expect(isTold.wait(timeout: .now() + 300) == .success)
    #expect(values.take() == ["6 7"])
    withExtendedLifetime(cancellable) {}
  }
}
