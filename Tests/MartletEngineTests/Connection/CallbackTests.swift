import Testing

@testable import MartletEngine

/// Callbacks that do in the middle of a call what nobody expects. The C interface's are tried pair by
/// pair (`MisuseTests`).
@Suite struct CallbackTests {
  /// What a callback does, with the connection and statement that are its only owner.
  enum Deed: String, CaseIterable, CustomTestStringConvertible {
    case closes, forgetsConnection, forgetsStatement, removesFunctions, removesHooks, replacesHooks
    case resets, steps, binds, writes, drops, rollsBack, attaches, limits, interrupts

    var testDescription: String { rawValue }
  }

  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case function, collation, update, preupdate, commit, rollback, progress

    var testDescription: String { rawValue }
  }

  /// Who owns the connection; the callbacks find it there, and may let go of it.
  private final class Owner: @unchecked Sendable {
    var connection: Connection?
    var statement: Statement?
    private var callCount = 0
    private var isActing = false
    let deed: Deed, place: Place

    init(_ deed: Deed, _ place: Place) throws {
      self.deed = deed
      self.place = place
      connection = try Connection(path: "")
      try connection?.execute(
        """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(x);
        INSERT INTO t(b) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
          SELECT printf('%.*c', i * 37 % 500, 'a') FROM n;
        """)
    }

    var wasCalled: Bool { callCount > 0 }

    func call(_ place: Place) {
      guard place == self.place, !isActing, callCount < 20 else { return }
      callCount += 1
      isActing = true
      defer { isActing = false }
      // What is refused is refused with an error.
      do throws(SQLError) { try act() } catch { #expect(error.code.primary != .internal) }
    }

    private func act() throws(SQLError) {
      switch deed {
      case .closes: try connection?.close()
      case .forgetsConnection: connection = nil
      case .forgetsStatement: statement = nil
      case .removesFunctions:
        try connection?.removeFunction("f", argumentCount: 1)
        try connection?.removeCollation("c")
      case .removesHooks: removeHooks()
      case .replacesHooks: installHooks()
      case .resets: try statement?.reset()
      case .steps: _ = try statement?.step()
      case .binds: try statement?.bind(text: "bound", at: 1)
      case .writes: try connection?.execute("UPDATE t SET b = b || 'x'; DELETE FROM t WHERE a = 3")
      case .drops: try connection?.execute("DROP TABLE t")
      case .rollsBack: try connection?.execute("ROLLBACK")
      case .attaches: try connection?.execute("ATTACH ':memory:' AS more; DETACH more")
      case .limits: connection?.setLimit(.length, to: 30)
      case .interrupts: connection?.interrupt()
      }
    }

    func installFunctions() throws {
      try connection?.createFunction("f", argumentCount: 1) { [self] call throws(SQLError) in
        self.call(.function)
        try call.setResult(argument: 0)
      }
      try connection?.createCollation("c") { [self] left, right in
        call(.collation)
        return left == right ? 0 : left < right ? -1 : 1
      }
    }

    func installHooks() {
      connection?.updateHook = { [self] _, _, _, _ in call(.update) }
      connection?.preupdateHook = { [self] _ in call(.preupdate) }
      connection?.commitHook = { [self] in
        call(.commit)
        return false
      }
      connection?.rollbackHook = { [self] in call(.rollback) }
      if place == .progress {
        connection?.setProgressHandler(every: 1) { [self] in
          call(.progress)
          return false
        }
      }
    }

    func removeHooks() {
      connection?.updateHook = nil
      connection?.preupdateHook = nil
      connection?.commitHook = nil
      connection?.rollbackHook = nil
      connection?.setProgressHandler(every: 0, nil)
    }

    /// Runs what makes the callbacks be called, and holds nothing itself.
    func use() {
      for sql in [
        "SELECT f(a), b FROM t WHERE f(b) > ?1 ORDER BY b COLLATE c", "UPDATE t SET b = f(b) || 'x'",
        "INSERT INTO t(b) SELECT f(b) FROM t", "DELETE FROM t WHERE f(a) % 5 = 0", "BEGIN",
        "INSERT INTO u VALUES(1)", "ROLLBACK", "SELECT DISTINCT b COLLATE c, f('constant') FROM t",
      ] {
        do throws(SQLError) {
          statement = try connection?.prepare(sql)
          try? statement?.bind(text: "", at: 1)
          var rowCount = 0
          while rowCount < 200, try statement?.step() == true { rowCount += 1 }
        } catch {
          #expect(error.code.primary != .internal)
        }
        statement = nil
      }
    }
  }

  @Test(arguments: Deed.allCases)
  func `a callback may do whatever it likes`(deed: Deed) throws {
    for place in Place.allCases {
      let owner = try Owner(deed, place)
      let connection = owner.connection
      try owner.installFunctions()
      owner.installHooks()
      owner.use()
      #expect(owner.wasCalled, "\(place)")
      owner.removeHooks()
      guard let connection, !connection.isClosed else { continue }
      connection.setLimit(.length, to: 1_000_000)
      if !connection.isAutocommit { try connection.execute("ROLLBACK") }
      #expect(try connection.rows("PRAGMA integrity_check") == ["ok"], "\(place)")
      owner.connection = nil
      try connection.removeFunction("f", argumentCount: 1)
      try? connection.removeCollation("c")
    }
  }

  private final class Weakly {
    weak var value: Connection?
    init(_ value: Connection?) { self.value = value }
  }

  @Test func `a connection that is let go inside a call lives until the call ends`() throws {
    for place in [Place.function, .collation, .update, .progress] {
      let owner = try Owner(.forgetsConnection, place)
      try owner.installFunctions()
      owner.installHooks()
      let connection = Weakly(owner.connection)
      owner.use()
      #expect(owner.wasCalled && owner.connection == nil)
      // Functions and hooks hold their owner, and nobody the connection.
      #expect(connection.value == nil, "\(place)")
    }
  }

  /// How many calls of a function there are still to be.
  private final class Remaining: @unchecked Sendable {
    var calls = 0
  }

  @Test func `an error at any call of a function leaves the database as it was`() throws {
    let connection = try Connection(path: "")
    let remaining = Remaining()
    try connection.createFunction("f", argumentCount: 1) { call throws(SQLError) in
      remaining.calls -= 1
      if remaining.calls < 0 { throw SQLError(.error, "enough") }
      try call.setResult(argument: 0)
    }
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE); CREATE TABLE log(x);
      CREATE TRIGGER i AFTER UPDATE ON t BEGIN INSERT INTO log VALUES(f(new.a)); END;
      INSERT INTO t(b) VALUES('a'), ('b'), ('c'), ('d'); CREATE INDEX e ON t(b || 'x');
      """)
    let before = try connection.rows("SELECT * FROM t UNION ALL SELECT 0, x FROM log")
    for sql in [
      "UPDATE t SET b = f(b) || 'new'", "INSERT INTO t SELECT a + 10, f(b) || f(a) FROM t",
      "DELETE FROM t WHERE f(a)", "REPLACE INTO t SELECT a, f(b) || 1 FROM t",
      "SAVEPOINT s; UPDATE t SET b = f(b) || 2; RELEASE s",
    ] {
      var failureCount = 0
      for calls in 0..<30 {
        remaining.calls = calls
        do throws(SQLError) {
          try connection.execute(sql)
          break
        } catch {
          #expect(error.message == "enough")
          failureCount += 1
        }
        if !connection.isAutocommit { try connection.execute("ROLLBACK TO s; RELEASE s") }
        #expect(try connection.rows("SELECT * FROM t UNION ALL SELECT 0, x FROM log") == before)
      }
      #expect(failureCount >= 4)
      remaining.calls = .max
      #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
      // As it was, for the next one.
      try connection.execute(
        """
        DELETE FROM t; INSERT INTO t(b) VALUES('a'), ('b'), ('c'), ('d'); DELETE FROM log;
        """)
    }
  }
}
