import Martlet
import Testing

@Suite struct StatementTests {
  @Test func `arguments are taken in order and by name`() throws {
    try inEmptyDatabase { db throws in
      func fetch(_ sql: String, _ arguments: StatementArguments) throws -> [DatabaseValue] {
        try Array(Row.fetchOne(db, sql: sql, arguments: arguments)!.databaseValues)
      }
      let ab = [1.databaseValue, 2.databaseValue]
      #expect(try fetch("SELECT ?, ?", [1, 2]) == ab)
      #expect(try fetch("SELECT :a, @b", ["a": 1, "b": 2]) == ab)
      #expect(try fetch("SELECT ?2, ?1", [2, 1]) == ab)
      #expect(try fetch("SELECT :a, ?", [1] + ["a": 1] &+ [] ) == [1.databaseValue, 1.databaseValue])
      #expect(try fetch("SELECT :a, $b", [1, 2]) == ab)
      #expect(try fetch("SELECT ?, ?", [nil, 2]) == [.null, 2.databaseValue])
    }
  }

  @Test func `arguments that do not fit are refused`() throws {
    try inEmptyDatabase { db throws in
      for arguments in [[1], [1, 2, 3]] as [StatementArguments] {
        let failure = databaseError {
          try db.makeStatement(sql: "SELECT ?, ?").setArguments(arguments)
        }
        #expect(failure?.resultCode == .SQLITE_MISUSE)
        #expect(failure?.message == "wrong number of statement arguments: \(arguments == [1] ? 1 : 3)")
      }
      let failure = databaseError { try db.execute(sql: "SELECT :a, :b", arguments: ["a": 1]) }
      #expect(failure?.message == "missing statement argument(s): b")
      let statement = try db.makeStatement(sql: "SELECT ?, ?")
      #expect(databaseError { try statement.execute() }?.resultCode == .SQLITE_MISUSE)
      statement.setUncheckedArguments([7])
      #expect(try Row.fetchOne(statement)?[0] == 7)
    }
  }

  @Test func `arguments are combined`() {
    var arguments: StatementArguments = ["a": 1]
    #expect(arguments.append(contentsOf: ["a": 2]) == ["a": 1.databaseValue])
    #expect(([1] as StatementArguments) + [2] == [1, 2])
    #expect((["a": 1] as StatementArguments) &+ ["a": 2] == ["a": 2])
    #expect("\([1, "O'Brien", nil] as StatementArguments)" == #"[1, "O'Brien", NULL]"#)
    #expect(StatementArguments([1, "a"] as [Any]) == [1, "a"])
    #expect(StatementArguments([Int.self] as [Any]) == nil)
    #expect(StatementArguments().isEmpty)
  }

  @Test func `a script shares its arguments among its statements`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE t(a, b);
          INSERT INTO t VALUES (?, :b); -- first
          INSERT INTO t VALUES (?, :b);
          """, arguments: [1, 2] &+ ["b": 9])
      #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 1, "b": 9], ["a": 2, "b": 9]])
      let failure = databaseError {
        try db.execute(sql: "INSERT INTO t VALUES (?, 1); DELETE FROM t", arguments: [1, 2])
      }
      #expect(failure?.message == "wrong number of statement arguments: 2")
    }
  }

  @Test func `all statements of a script are compiled when they are reached`() throws {
    try inEmptyDatabase { db throws in
      let statements = try db.allStatements(
        sql: "CREATE TABLE t(a); INSERT INTO t VALUES (?); SELECT a FROM t;", arguments: [5])
      var texts: [String] = []
      while let statement = try statements.next() {
        texts.append(statement.sql)
        if statement.columnCount > 0 { #expect(try Int.fetchOne(statement) == 5) } else { try statement.execute() }
      }
      #expect(texts == ["CREATE TABLE t(a)", "INSERT INTO t VALUES (?)", "SELECT a FROM t"])
    }
  }

  @Test func `one statement is asked for and one must be given`() throws {
    try inEmptyDatabase { db throws in
      let empty = databaseError { try db.makeStatement(sql: " -- x\n") }
      #expect(empty?.message == "empty statement")
      let several = databaseError { try db.makeStatement(sql: "SELECT 1; SELECT 2") }
      #expect(several?.resultCode == .SQLITE_MISUSE)
      #expect(try db.makeStatement(sql: "SELECT 1;  ").sql == "SELECT 1")
      let wrong = databaseError { try db.makeStatement(sql: "SELEC 1") }
      #expect(wrong?.description == "SQLite error 1: near \"SELEC\": syntax error - while executing `SELEC 1`")
    }
  }

  @Test func `a statement tells what it is`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a, b)")
      let select = try db.makeStatement(sql: "SELECT a, b AS B2 FROM t WHERE a = ?")
      #expect(select.columnNames == ["a", "B2"] && select.columnCount == 2)
      #expect(select.index(ofColumn: "b2") == 1 && select.index(ofColumn: "x") == nil)
      #expect(select.isReadonly)
      #expect(try !db.makeStatement(sql: "DELETE FROM t").isReadonly)
    }
  }

  @Test func `cached statements are compiled once, and again when they have failed`() throws {
    try inEmptyDatabase { db throws in
      let first = try db.cachedStatement(sql: "SELECT 1")
      #expect(try db.cachedStatement(sql: "SELECT 1") === first)
      #expect(try db.cachedStatement(literal: "SELECT 1") === first)
      let failing = try db.cachedStatement(sql: "SELECT abs(-9223372036854775808)")
      #expect(error { try failing.execute() } != nil)
      #expect(try db.cachedStatement(sql: "SELECT abs(-9223372036854775808)") !== failing)
    }
  }

  @Test func `columns are looked up again when the schema has changed`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      #expect(try Row.fetchOne(statement) == ["a": 1])
      try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
      #expect(try Row.fetchOne(statement) == ["a": 1, "b": 2])
    }
  }

  @Test func `the statements of a literal without values get theirs later`() throws {
    try inEmptyDatabase { db throws in
      let statements = try db.allStatements(literal: "SELECT ? + 1; SELECT ? + 2")
      #expect(try Array(statements.map { try Int.fetchOne($0, arguments: [1]) }) == [2, 3])
      #expect(databaseError { try db.execute(literal: "SELECT ?") }?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `statements without rows give no values`() throws {
    try inEmptyDatabase { db throws in
      let statements = try db.allStatements(
        sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1); SELECT a FROM t")
      #expect(try Array(statements.map { try Int.fetchAll($0) }) == [[], [], [1]])
      #expect(try String.fetchOne(db, sql: "INSERT INTO t VALUES (2)") == nil)
      #expect(try DatabaseValue.fetchAll(db, sql: "DELETE FROM t").isEmpty && db.changesCount == 2)
      let hidden = databaseError { try Int.fetchOne(db, sql: "SELECT 1", adapter: EmptyRowAdapter()) }
      #expect(hidden?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `a statement may have 250,000 arguments`() throws {
    try inEmptyDatabase { db throws in
      let numbers = Array(1...250_000)
      let places = repeatElement("?", count: numbers.count).joined(separator: ",")
      let sum = "SELECT sum(column1) FROM (SELECT 2 AS column1 WHERE 2 IN (\(places)))"
      #expect(try Int.fetchOne(db, sql: sum, arguments: StatementArguments(numbers)) == 2)
      let error = databaseError { try db.execute(sql: "SELECT ?250001", arguments: [1]) }
      #expect(error?.message == "variable number must be between ?1 and ?250000")
    }
  }
}
