import Foundation
import Martlet
import Testing

/// What observers are told of rows before they change.
@Suite struct PreUpdateTests {
  /// Notes the values of all rows that change.
  private final class Journal: TransactionObserver {
    var lines: [String] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
      let event = event.copy()
      let before = event.initialDatabaseValues.map { "\($0)" } ?? "-"
      let after = event.finalDatabaseValues.map { "\($0)" } ?? "-"
      let rowids = [event.initialRowID, event.finalRowID].map { $0.map(String.init) ?? "-" }
      lines.append(
        "\(event.kind) \(event.databaseName).\(event.tableName)/\(event.count) "
          + "\(rowids.joined(separator: ">")) \(before) \(after) \(event.depth)")
    }

    func databaseDidChange(with event: DatabaseEvent) { lines.append("did \(event.kind)") }
    func databaseDidCommit(_ db: Database) { lines.append("commit") }
    func databaseDidRollback(_ db: Database) { lines.append("rollback") }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// Wants no values.
  private class Simple: TransactionObserver {
    var count = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  private func inObservedDatabase(_ body: (Database, Journal) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b);
          CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
          """)
      let journal = Journal()
      db.add(transactionObserver: journal)
      try body(db, journal)
    }
  }

  @Test func `values before and after each change`() throws {
    try inObservedDatabase { db, journal throws in
      try db.execute(sql: "INSERT INTO t VALUES (1, 'x', 1.5)")
      #expect(
        journal.take() == [
          #"insert main.t/3 ->1 - [1, "x", 1.5] 0"#, "did insert", "commit",
        ])
      try db.execute(sql: "UPDATE t SET id = 4, b = x'00'")
      #expect(
        journal.take() == [
          "update main.t/3 1>4 [1, \"x\", 1.5] [4, \"x\", \(DatabaseValue.blob)] 0", "did update",
          "commit",
        ])
      try db.execute(sql: "DELETE FROM t")
      #expect(
        journal.take() == [
          "delete main.t/3 4>- [4, \"x\", \(DatabaseValue.blob)] - 0", "did delete", "commit",
        ])
    }
  }

  @Test func `rows of which no change is told otherwise`() throws {
    try inObservedDatabase { db, journal throws in
      try db.execute(sql: "INSERT INTO t VALUES (1, 'x', NULL)")
      _ = journal.take()
      try db.execute(sql: "REPLACE INTO t VALUES (2, 'x', 'y')")
      #expect(
        journal.take() == [
          #"delete main.t/3 1>- [1, "x", NULL] - 0"#, #"insert main.t/3 ->2 - [2, "x", "y"] 0"#,
          "did insert", "commit",
        ])
      try db.execute(sql: "INSERT INTO w VALUES ('k', 1); UPDATE w SET v = 2; DELETE FROM w")
      #expect(
        journal.take() == [
          #"insert main.w/2 ->0 - ["k", 1] 0"#, "commit",
          #"update main.w/2 0>0 ["k", 1] ["k", 2] 0"#, "commit",
          #"delete main.w/2 0>- ["k", 2] - 0"#, "commit",
        ])
    }
  }

  @Test func `what triggers change has a depth`() throws {
    try inObservedDatabase { db, journal throws in
      try db.execute(
        sql: """
          CREATE TABLE u(a); CREATE TABLE v(a);
          CREATE TRIGGER one AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.id); END;
          CREATE TRIGGER two AFTER INSERT ON u BEGIN INSERT INTO v VALUES (new.a); END;
          """)
      _ = journal.take()
      try db.execute(sql: "INSERT INTO t VALUES (7, 'x', 0)")
      #expect(
        journal.take().filter { !$0.hasPrefix("did") } == [
          #"insert main.t/3 ->7 - [7, "x", 0] 0"#, "insert main.u/1 ->1 - [7] 1",
          "insert main.v/1 ->1 - [7] 2", "commit",
        ])
    }
  }

  @Test func `changes in savepoints are told when these are released, in order`() throws {
    try inObservedDatabase { db, journal throws in
      try db.inTransaction {
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO t VALUES (1, 'x', 0)")
          #expect(journal.lines.isEmpty)
          return .commit
        }
        #expect(
          journal.take() == [#"insert main.t/3 ->1 - [1, "x", 0] 0"#, "did insert"])
        try db.inSavepoint {
          try db.execute(sql: "DELETE FROM t")
          return .rollback
        }
        #expect(journal.take() == [])
        return .rollback
      }
      #expect(journal.take() == ["rollback"])
    }
  }

  @Test func `single values, and where there are none`() throws {
    final class Values: TransactionObserver {
      var seen: [DatabaseValue?] = []
      func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
      func databaseWillChange(with event: DatabasePreUpdateEvent) {
        seen += [event.initialDatabaseValue(atIndex: 1), event.finalDatabaseValue(atIndex: 1)]
      }
      func databaseDidChange(with event: DatabaseEvent) {}
      func databaseDidCommit(_ db: Database) {}
      func databaseDidRollback(_ db: Database) {}
    }
    try inObservedDatabase { db, _ throws in
      let values = Values()
      db.add(transactionObserver: values)
      try db.execute(
        sql: "INSERT INTO t(id, a) VALUES (1, 'x'); UPDATE t SET a = 'y'; DELETE FROM t")
      #expect(
        values.seen == [
          nil, "x".databaseValue, "x".databaseValue, "y".databaseValue, "y".databaseValue, nil,
        ])
    }
  }

  @Test func `an observer that wants no values costs one statement`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      let observer = Simple()
      db.add(transactionObserver: observer)
      try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
      #expect(db.sqliteConnection?.preupdateHook == nil)
      try db.execute(sql: "INSERT INTO t VALUES (3)")
      #expect(observer.count == 3)
      let second = Simple()
      db.add(transactionObserver: second)
      #expect(db.sqliteConnection?.preupdateHook == nil)
      let journal = Journal()
      db.add(transactionObserver: journal)
      try db.execute(sql: "INSERT INTO t VALUES (4)")
      #expect(db.sqliteConnection?.preupdateHook != nil)
      #expect(journal.take() == ["insert main.t/1 ->4 - [4] 0", "did insert", "commit"])
      db.remove(transactionObserver: journal)
      #expect(db.sqliteConnection?.preupdateHook == nil)
      try db.execute(sql: "INSERT INTO t VALUES (5)")
      #expect(observer.count == 5 && second.count == 2)
    }
  }

  @Test func `observations of values want none`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      db.afterNextTransaction { _ in }
      #expect(db.sqliteConnection?.preupdateHook == nil)
    }
    let queue = try emptyDatabase()
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT 1") }
    let cancellable = observation.start(
      in: queue, scheduling: .async(onQueue: .global()), onError: { _ in }, onChange: { _ in })
    #expect(queue.inDatabase { $0.sqliteConnection?.preupdateHook == nil })
    cancellable.cancel()
  }
}

extension DatabaseValue {
  /// A blob of one zero byte.
  fileprivate static var blob: DatabaseValue { Data([0]).databaseValue }
}
