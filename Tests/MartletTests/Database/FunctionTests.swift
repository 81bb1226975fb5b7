import Foundation
import Martlet
import Testing

@Suite struct FunctionTests {
  private struct Longest: DatabaseAggregate {
    var longest: String?
    mutating func step(_ values: [DatabaseValue]) throws {
      guard let text = String.fromDatabaseValue(values[0]) else {
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "no text")
      }
      if text.count > (longest?.count ?? -1) { longest = text }
    }
    func finalize() -> (any DatabaseValueConvertible)? { longest }
  }

  @Test func `functions of Swift are called from SQL`() throws {
    try inEmptyDatabase { db throws in
      let successor = DatabaseFunction("succ", argumentCount: 1, pure: true) { values in
        Int.fromDatabaseValue(values[0]).map { $0 + 1 }
      }
      db.add(function: successor)
      #expect(try Int.fetchOne(db, sql: "SELECT succ(2)") == 3)
      #expect(try Int.fetchOne(db, sql: "SELECT succ('x')") == nil)
      #expect(databaseError { try db.execute(sql: "SELECT succ(1, 2)") } != nil)
      try db.execute(sql: "CREATE TABLE t(a); CREATE INDEX i ON t(succ(a))")
      db.remove(function: successor)
      #expect(
        databaseError { try db.execute(sql: "SELECT succ(2)") }?.message == "no such function: succ")
    }
  }

  @Test func `any number of arguments of any class, and results of any class`() throws {
    try inEmptyDatabase { db throws in
      db.add(function: DatabaseFunction("last") { $0.last })
      for text in ["1", "1.5", "'a'", "x'01'", "NULL"] {
        let value = try DatabaseValue.fetchOne(db, sql: "SELECT last(0, \(text))") ?? .null
        #expect(value.storage == (try DatabaseValue.fetchOne(db, sql: "SELECT \(text)") ?? .null).storage)
      }
    }
  }

  @Test func `what a function throws ends the statement`() throws {
    struct Failure: Error, CustomStringConvertible { let description = "went wrong" }
    try inEmptyDatabase { db throws in
      db.add(function: DatabaseFunction("a") { _ in throw Failure() })
      db.add(
        function: DatabaseFunction("b") { _ in
          throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "no")
        })
      #expect(databaseError { try db.execute(sql: "SELECT a()") }?.message == "went wrong")
      let failure = databaseError { try db.execute(sql: "SELECT b()") }
      #expect(failure?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK && failure?.message == "no")
    }
  }

  @Test func `aggregates have a state for each group`() throws {
    try inEmptyDatabase { db throws in
      db.add(function: DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self))
      try db.execute(
        sql: "CREATE TABLE t(g, a); INSERT INTO t VALUES (1, 'a'), (1, 'aaa'), (2, 'bb')")
      let sql = "SELECT longest(a) FROM t GROUP BY g"
      #expect(try String.fetchAll(db, sql: sql) == ["aaa", "bb"])
      #expect(try String.fetchOne(db, sql: "SELECT longest(a) FROM t WHERE 0") == nil)
      #expect(databaseError { try db.execute(sql: "SELECT longest(1)") }?.message == "no text")
    }
  }

  @Test func `Swift's cases of text are there`() throws {
    try inEmptyDatabase { db throws in
      #expect(try String.fetchOne(db, sql: "SELECT swiftUppercaseString('é')") == "É")
      #expect(try String.fetchOne(db, sql: "SELECT swiftCapitalizedString('élan vital')") == "Élan Vital")
    }
  }

  @Test func `collations order texts`() throws {
    try inEmptyDatabase { db throws in
      db.add(
        collation: DatabaseCollation("length") { left, right in
          left.count < right.count ? .orderedAscending : left.count == right.count ? .orderedSame : .orderedDescending
        })
      try db.execute(sql: "CREATE TABLE t(a COLLATE length); INSERT INTO t VALUES ('ccc'), ('a'), ('bb')")
      #expect(try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") == ["a", "bb", "ccc"])
      #expect(
        try String.fetchAll(
          db, sql: "SELECT a FROM t ORDER BY a COLLATE swiftCaseInsensitiveCompare DESC")
          == ["ccc", "bb", "a"])
    }
  }

  @Test func `trace shows statements and how long they took`() throws {
    try inEmptyDatabase { db throws in
      var events: [String] = []
      db.trace(options: [.statement, .profile]) { event in
        switch event {
        case .statement(let statement): events.append(statement.sql + " | " + statement.expandedSQL)
        case .profile(let statement, let duration):
          #expect(duration >= 0)
          events.append("end " + statement.sql)
        }
      }
      try db.execute(sql: "SELECT ?;", arguments: ["O'Brien"])
      db.trace()
      try db.execute(sql: "SELECT 2")
      #expect(events == ["SELECT ? | SELECT 'O''Brien'", "end SELECT ?"])
    }
  }
}
