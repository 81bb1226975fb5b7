import Foundation
import Testing

@testable import MartletEngine

/// What SQL scripts cannot show of triggers; the rest is in `Conformance/sql/trigger`.
@Suite struct TriggerTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE c(n); CREATE TABLE log(m)")
  }

  /// Runs `body` on a thread with the smallest stack that hosts give; debug frames are far larger.
  private func onSmallThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    #if DEBUG
      thread.stackSize = 8 << 20
    #else
      thread.stackSize = 512 << 10
    #endif
    thread.start()
    done.wait()
  }

  @Test func `a trigger may fire itself a thousand times on a small stack`() throws {
    try connection.execute(
      """
      PRAGMA recursive_triggers = ON;
      CREATE TRIGGER t AFTER INSERT ON c WHEN new.n < 1000 BEGIN INSERT INTO c VALUES(new.n + 1); END
      """)
    onSmallThread { [connection] in
      #expect(connection.failure("INSERT INTO c VALUES(1)") == nil)
      #expect(
        connection.failure("INSERT INTO c VALUES(-1)")?.message
          == "too many levels of trigger recursion")
    }
    #expect(try connection.integer("SELECT count(*) FROM c") == 1_000)
  }

  @Test func `three hundred triggers fire each other on a small stack`() throws {
    for number in 0..<300 {
      try connection.execute(
        """
        CREATE TABLE t\(number)(x);
        CREATE TRIGGER g\(number) AFTER INSERT ON t\(number)
        BEGIN INSERT INTO \(number < 299 ? "t\(number + 1)" : "log") VALUES(new.x + 1); END
        """)
    }
    onSmallThread { [connection] in
      #expect(connection.failure("INSERT INTO t0 VALUES(0)") == nil)
    }
    #expect(try connection.rows("SELECT * FROM log") == ["300"])
  }

  @Test func `the limit of the trigger depth is kept`() throws {
    connection.setLimit(.triggerDepth, to: 3)
    try connection.execute(
      """
      PRAGMA recursive_triggers = ON;
      CREATE TRIGGER t AFTER INSERT ON c WHEN new.n < 3 BEGIN INSERT INTO c VALUES(new.n + 1); END;
      INSERT INTO c VALUES(1)
      """)
    #expect(
      connection.failure("INSERT INTO c VALUES(0)")?.message
        == "too many levels of trigger recursion")
    #expect(try connection.rows("SELECT n FROM c") == ["1", "2", "3"])
  }

  @Test func `hooks see what triggers change, the preupdate hook how deep`() throws {
    try connection.execute(
      """
      CREATE TRIGGER t AFTER INSERT ON c BEGIN INSERT INTO log VALUES(new.n); END;
      CREATE TRIGGER l AFTER INSERT ON log BEGIN DELETE FROM log WHERE m < new.m; END;
      INSERT INTO log VALUES(0)
      """)
    let notes = Notes()
    connection.preupdateHook = { notes.add("\($0.kind) \($0.table) at \($0.depth)") }
    connection.updateHook = { kind, _, table, rowid in notes.add("\(kind) \(table) \(rowid)") }
    try connection.execute("INSERT INTO c VALUES(7)")
    #expect(
      notes.take() == [
        "insert c at 0", "insert c 1", "insert log at 1", "insert log 2", "delete log at 2",
        "delete log 1",
      ])
  }

  @Test func `a statement that fails inside a trigger can be run again`() throws {
    try connection.execute(
      """
      CREATE TABLE u(x UNIQUE);
      CREATE TRIGGER t AFTER INSERT ON c BEGIN
        INSERT INTO log SELECT m FROM log LIMIT 1;
        INSERT INTO u VALUES(new.n);
      END;
      INSERT INTO log VALUES('long enough to need memory of its own, and more than that'), (2)
      """)
    let statement = try connection.prepare("INSERT INTO c VALUES(?)")
    for (value, isFine) in [(1, true), (1, false), (2, true), (2, false), (3, true)] {
      try statement.bind(value, at: 1)
      #expect((statement.failure() == nil) == isFine)
      try? statement.reset()
    }
    #expect(try connection.rows("SELECT n FROM c") == ["1", "2", "3"])
    #expect(try connection.integer("SELECT count(*) FROM log") == 5)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }
}
