import Martlet
import Testing

@Suite struct TransactionObserverTests {
  private typealias Recorder = Observing.Recorder

  private func inTables(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try Observing.makeTables(db)
      try body(db)
    }
  }

  private func kind(_ kind: DatabaseEventKind) -> String {
    switch kind {
    case .insert(let table): "insert \(table)"
    case .delete(let table): "delete \(table)"
    case .update(let table, let columns):
      "update \(table)(\(columns.sorted().joined(separator: ",")))"
    }
  }

  @Test func `an observer is asked about all kinds of changes before a statement`() throws {
    try inTables { db throws in
      var asked: [String] = []
      let recorder = Recorder {
        asked.append(kind($0))
        return false
      }
      db.add(transactionObserver: recorder)
      try db.execute(sql: "UPDATE child SET n = 1, parentId = 2")
      try db.execute(sql: "INSERT INTO noted VALUES (1, 1)")
      try db.execute(sql: "DELETE FROM parent")
      try db.execute(sql: "SELECT * FROM parent")
      #expect(
        asked == [
          "update child(n,parentId)", "insert noted", "insert note", "update noted(n)",
          "delete parent", "delete child",
        ])
      #expect(!recorder.log.contains { $0.contains("main.") })
    }
  }

  @Test func `an observer is told only of what it wants`() throws {
    try inTables { db throws in
      let notes = Recorder { $0.tableName == "note" }
      let names = Recorder {
        if case .update(_, let columns) = $0 { return columns.contains("name") }
        return false
      }
      db.add(transactionObserver: notes)
      db.add(transactionObserver: names)
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO noted VALUES (1, 1)")
        try db.execute(sql: "UPDATE parent SET name = 'x' WHERE id = 1")
        try db.execute(sql: "UPDATE parent SET id = 7 WHERE id = 99")
        return .commit
      }
      #expect(notes.log == ["insert main.note 1", "will commit", "did commit"])
      #expect(names.log == ["update main.parent 1", "will commit", "did commit"])
    }
  }

  private final class Refusing: TransactionObserver {
    struct Refusal: Error {}
    var log: [String] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws { throw Refusal() }
    func databaseDidCommit(_ db: Database) { log.append("commit") }
    func databaseDidRollback(_ db: Database) { log.append("rollback") }
  }

  @Test(arguments: [
    "INSERT INTO note VALUES (1, 'x')", "BEGIN; INSERT INTO note VALUES (1, 'x'); COMMIT",
    "BEGIN; COMMIT", "SAVEPOINT a; RELEASE a",
  ])
  func `an error before a commit takes the transaction back and is thrown`(sql: String) throws {
    try inTables { db throws in
      let observer = Refusing()
      db.add(transactionObserver: observer)
      #expect(throws: Refusing.Refusal.self) { try db.execute(sql: sql) }
      #expect(!db.isInsideTransaction)
      #expect(observer.log == ["rollback"])
      db.remove(transactionObserver: observer)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") == 0)
      try db.execute(sql: "INSERT INTO note VALUES (1, 'x')")
    }
  }

  @Test func `an error before a commit leaves write with that error`() throws {
    let queue = try emptyDatabase()
    try queue.write { try Observing.makeTables($0) }
    queue.add(transactionObserver: Refusing(), extent: .databaseLifetime)
    #expect(throws: Refusing.Refusal.self) {
      try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, 'x')") }
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM note") } == 0)
  }

  // MARK: Extents

  @Test func `an observer is told as long as it lives`() throws {
    try inTables { db throws in
      var recorder: Recorder? = Recorder()
      weak let weakRecorder = recorder
      db.add(transactionObserver: recorder ?? Recorder())
      try db.execute(sql: "INSERT INTO note VALUES (1, 'x')")
      #expect(recorder?.log.count == 3)
      recorder = nil
      #expect(weakRecorder == nil)
      try db.execute(sql: "INSERT INTO note VALUES (2, 'x')")
    }
  }

  @Test func `an observer of the next transaction is told of one`() throws {
    try inTables { db throws in
      let recorder = Recorder()
      db.add(transactionObserver: recorder, extent: .nextTransaction)
      try db.execute(sql: "INSERT INTO note VALUES (1, 'x')")
      try db.execute(sql: "INSERT INTO note VALUES (2, 'x')")
      #expect(recorder.log == ["insert main.note 1", "will commit", "did commit"])
    }
  }

  @Test func `the connection keeps an observer of its lifetime`() throws {
    weak var observer: Recorder?
    do {
      let queue = try emptyDatabase()
      try queue.write { try Observing.makeTables($0) }
      observer = {
        let recorder = Recorder()
        queue.add(transactionObserver: recorder, extent: .databaseLifetime)
        return recorder
      }()
      #expect(observer != nil)
      try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, 'x')") }
      #expect(observer?.log == ["insert main.note 1", "will commit", "did commit"])
    }
    #expect(observer == nil)
  }

  @Test func `an observer that is removed is told nothing`() throws {
    try inTables { db throws in
      let recorder = Recorder()
      db.add(transactionObserver: recorder)
      try db.execute(sql: "BEGIN; INSERT INTO note VALUES (1, 'x')")
      db.remove(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO note VALUES (2, 'x'); COMMIT")
      #expect(recorder.log == ["insert main.note 1"])
    }
  }

  @Test func `observers that come and go leave the others as they are`() throws {
    try inTables { db throws in
      let order = LockedList()
      final class Numbered: TransactionObserver {
        let tell: () -> Void
        init(_ tell: @escaping () -> Void) { self.tell = tell }
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {
          tell()
          stopObservingDatabaseChangesUntilNextTransaction()
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
      }
      var observers = (0..<300).map { number in Numbered { order.append("\(number)") } }
      for observer in observers { db.add(transactionObserver: observer) }
      for number in stride(from: 297, through: 0, by: -3) {
        db.remove(transactionObserver: observers.remove(at: number))
      }
      // One that was never added may be where one was that is gone.
      for number in (0..<100).reversed() { observers.remove(at: 2 * number + 1) }
      for _ in 0..<300 { db.remove(transactionObserver: Numbered {}) }
      let left = (0..<100).map { "\(3 * $0 + 1)" }
      for _ in 1...2 {
        try db.execute(sql: "INSERT INTO note (text) VALUES ('x'), ('y')")
        #expect(order.take() == left)
        try db.readOnly { try db.execute(sql: "BEGIN; SELECT 1; COMMIT") }
      }
    }
  }

  @Test func `an observer that comes late is told of what follows`() throws {
    try inTables { db throws in
      let recorder = Recorder()
      try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO note VALUES (1, 'x')")
      db.add(transactionObserver: recorder)
      try db.execute(sql: "INSERT INTO note VALUES (2, 'x')")
      #expect(recorder.log == [])
      try db.execute(sql: "ROLLBACK TO a; INSERT INTO note VALUES (3, 'x'); RELEASE a; COMMIT")
      #expect(recorder.log == ["insert main.note 3", "will commit", "did commit"])
    }
  }

  // MARK: Silence

  private final class Tired: TransactionObserver {
    var log: [String] = []
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {
      log.append("\(event.rowID)")
      stopObservingDatabaseChangesUntilNextTransaction()
    }
    func databaseDidCommit(_ db: Database) { log.append("commit") }
    func databaseDidRollback(_ db: Database) { log.append("rollback") }
  }

  @Test func `an observer can ask for silence until the transaction ends`() throws {
    try inTables { db throws in
      let tired = Tired(), recorder = Recorder()
      db.add(transactionObserver: tired)
      db.add(transactionObserver: recorder)
      try db.inTransaction {
        try db.execute(sql: "UPDATE child SET n = 0")
        try db.execute(sql: "INSERT INTO note VALUES (7, 'x')")
        return .commit
      }
      try db.execute(sql: "BEGIN; SAVEPOINT a; UPDATE child SET n = 1; RELEASE a; ROLLBACK")
      #expect(tired.log == ["1", "commit", "1", "rollback"])
      #expect(recorder.log.count { $0.hasPrefix("update") } == 6)
    }
  }

  /// Writes to another database, which has an observer, too, when it is told of a change.
  private final class Writer: TransactionObserver {
    let other: DatabaseQueue
    var log: [String] = []
    init(_ other: DatabaseQueue) { self.other = other }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {
      log.append("\(event.rowID)")
      do {
        try other.write { try $0.execute(sql: "INSERT INTO note VALUES (NULL, 'x')") }
      } catch {
        log.append("\(error)")
      }
      stopObservingDatabaseChangesUntilNextTransaction()
    }
    func databaseDidCommit(_ db: Database) { log.append("commit") }
    func databaseDidRollback(_ db: Database) { log.append("rollback") }
  }

  @Test func `silence is asked of the database that has told`() throws {
    let other = try emptyDatabase()
    try other.write { try Observing.makeTables($0) }
    let tired = Tired(), outer = Tired(), writer = Writer(other)
    other.add(transactionObserver: tired)
    try inTables { db throws in
      db.add(transactionObserver: writer)
      db.add(transactionObserver: outer)
      try db.execute(sql: "UPDATE child SET n = 0")
      #expect(writer.log == ["1", "commit"])
      #expect(outer.log == ["1", "commit"])
      #expect(tired.log == ["1", "commit"])
      // A function that a statement calls writes to the other one.
      db.add(
        function: DatabaseFunction("note", argumentCount: 1) { values in
          try other.write { try $0.execute(sql: "INSERT INTO note VALUES (NULL, 'y')") }
          return values[0]
        })
      db.remove(transactionObserver: writer)
      try db.execute(sql: "UPDATE child SET n = note(id)")
      #expect(outer.log == ["1", "commit", "1", "commit"])
      #expect(tired.log.count == 8)
      // Two statements that are half done, the first of which goes on.
      let mine = try String.fetchCursor(
        db, sql: "INSERT INTO note VALUES (5, 'a'), (6, 'b') RETURNING text")
      try other.write { otherDb throws in
        let theirs = try String.fetchCursor(
          otherDb, sql: "INSERT INTO note VALUES (15, 'a'), (16, 'b') RETURNING text")
        #expect(try mine.next() == "a")
        #expect(try theirs.next() == "a")
        #expect(try mine.next() == "b")
        #expect(try mine.next() == nil)
        #expect(try theirs.next() == "b")
        #expect(try theirs.next() == nil)
      }
      #expect(outer.log.suffix(2) == ["5", "commit"])
      #expect(tired.log.suffix(2) == ["15", "commit"])
    }
  }

  // MARK: Statements in the middle of others

  @Test func `what a function does in the middle of a statement hides no change of the statement`()
    throws
  {
    try inTables { db throws in
      let children = Recorder {
        if case .update("child", _) = $0 { return true }
        return false
      }
      let notes = Recorder { $0.tableName == "note" }
      db.add(transactionObserver: children)
      db.add(transactionObserver: notes)
      // The functions are called by this connection only.
      nonisolated(unsafe) let db = db
      db.add(
        function: DatabaseFunction("counted", argumentCount: 1) { values in
          try db.execute(sql: "INSERT INTO note VALUES (NULL, 'x')")
          return try Int.fetchOne(db, sql: "SELECT count(*) FROM note")
        })
      db.add(
        function: DatabaseFunction("failing", argumentCount: 1) { _ in
          try? db.execute(sql: "INSERT INTO note VALUES (1, 'twice')")
          return nil
        })
      try db.execute(sql: "UPDATE child SET n = counted(id)")
      let updates = (1...3).map { "update main.child \($0)" }
      #expect(children.log.filter { $0.hasPrefix("update") } == updates)
      #expect(notes.log.filter { $0.hasPrefix("insert") }.count == 3)
      #expect(!notes.log.contains { $0.hasPrefix("update") })
      children.log = []
      try db.execute(sql: "UPDATE child SET n = failing(id)")
      #expect(children.log.filter { $0.hasPrefix("update") } == updates)
    }
  }

  @Test func `a cursor that is read later has its observers`() throws {
    try inTables { db throws in
      let notes = Recorder { $0.tableName == "note" }, children = Recorder { $0.tableName == "child" }
      db.add(transactionObserver: notes)
      db.add(transactionObserver: children)
      try db.inTransaction {
        let texts = try String.fetchCursor(db, sql: "INSERT INTO note VALUES (5, 'a') RETURNING text")
        let numbers = try Int.fetchCursor(db, sql: "UPDATE child SET n = 0 RETURNING id")
        try db.execute(sql: "DELETE FROM noted")
        #expect(try texts.next() == "a")
        #expect(try numbers.next() == 1)
        return .commit
      }
      #expect(notes.log == ["insert main.note 5", "will commit", "did commit"])
      #expect(children.log.count { $0.hasPrefix("update main.child") } == 3)
      #expect(!children.log.contains { $0.contains("note") })
    }
  }

  // MARK: Changes that SQLite does not tell

  @Test func `notifyChanges tells observers of a region`() throws {
    try inTables { db throws in
      let keyed = Recorder { $0.tableName == "keyed" }
      let named = Recorder {
        if case .update("parent", let columns) = $0 { return columns.contains("name") }
        return false
      }
      db.add(transactionObserver: keyed)
      db.add(transactionObserver: named)
      try db.inTransaction(.deferred) {
        try db.notifyChanges(in: Table("KEYED"))
        return .commit
      }
      #expect(keyed.log == ["changed", "will commit", "did commit"])
      #expect(named.log == ["will commit", "did commit"])
      try db.inTransaction {
        try db.notifyChanges(in: .fullDatabase)
        return .rollback
      }
      #expect(keyed.log.suffix(2) == ["changed", "did rollback"])
      #expect(named.log.suffix(2) == ["changed", "did rollback"])
      try db.readOnly { try db.notifyChanges(in: .fullDatabase) }
      #expect(named.log.count == 4)
    }
  }

  // MARK: Transactions

  @Test func `transactions that only read are not told`() throws {
    let queue = try emptyDatabase()
    let recorder = Recorder()
    queue.add(transactionObserver: recorder)
    try queue.read { _ = try Int.fetchOne($0, sql: "SELECT 1") }
    #expect(recorder.log == [])
    try queue.write { _ in }
    #expect(recorder.log == ["will commit", "did commit"])
  }

  private final class Writing: TransactionObserver {
    var count = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {
      count += 1
      if count > 2 { return }
      try? db.inTransaction {
        try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [count])
        return .commit
      }
    }
    func databaseDidRollback(_ db: Database) {}
  }

  @Test func `an observer may write when a transaction has ended`() throws {
    try inTables { db throws in
      let writing = Writing()
      db.add(transactionObserver: writing)
      try db.execute(sql: "INSERT INTO parent VALUES (9, 'z')")
      #expect(writing.count == 3)
      #expect(try String.fetchAll(db, sql: "SELECT text FROM note") == ["1", "2"])
    }
  }

  @Test func `afterNextTransaction calls one of its functions once`() throws {
    try inTables { db throws in
      let list = LockedList()
      let watch = {
        db.afterNextTransaction { _ in
          list.append("commit")
        } onRollback: { _ in
          list.append("rollback")
        }
      }
      watch()
      try db.execute(sql: "INSERT INTO note VALUES (1, 'x')")
      try db.execute(sql: "INSERT INTO note VALUES (2, 'x')")
      #expect(list.take() == ["commit"])
      try db.inTransaction {
        watch()
        return .rollback
      }
      #expect(list.take() == ["rollback"])
      watch()
      try db.inTransaction(.deferred) { .commit }
      #expect(list.take() == ["commit"])
    }
  }

  @Test func `a deletion without condition is told with a statement that was cached before`() throws
  {
    try inTables { db throws in
      let delete = try db.cachedStatement(sql: "DELETE FROM note")
      try db.execute(sql: "INSERT INTO note VALUES (1, 'x'), (2, 'y')")
      let recorder = Recorder()
      db.add(transactionObserver: recorder)
      try delete.execute()
      #expect(recorder.log.prefix(2) == ["delete main.note 1", "delete main.note 2"])
      #expect(db.changesCount == 2)
    }
  }

  @Test func `what a statement announces follows the schema`() throws {
    try inTables { db throws in
      let insert = try db.makeStatement(sql: "INSERT INTO parent (name) VALUES (?)")
      let notes = Recorder { $0.tableName == "note" }
      db.add(transactionObserver: notes)
      try insert.execute(arguments: ["c"])
      try db.execute(
        sql: "CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO note VALUES (7, ''); END")
      try insert.execute(arguments: ["d"])
      #expect(notes.log.filter { $0.hasPrefix("insert") } == ["insert main.note 7"])
    }
  }

  @Test func `a cancelled task tells its observers`() async throws {
    let queue = try emptyDatabase()
    try await queue.write { try Observing.makeTables($0) }
    let list = LockedList()
    let task = Task {
      try await queue.writeWithoutTransaction { db in
        db.afterNextTransaction { _ in
          list.append("commit")
        } onRollback: { db in
          let count = try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note")
          list.append("rollback \(count ?? -1)")
        }
        try db.inTransaction {
          try db.execute(sql: "INSERT INTO note VALUES (1, 'x')")
          withUnsafeCurrentTask { $0?.cancel() }
          try db.execute(sql: "INSERT INTO note VALUES (2, 'x')")
          return .commit
        }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(list.take() == ["rollback 0"])
  }
}
