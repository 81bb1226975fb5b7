import Foundation
import Martlet
import Testing

@Suite struct ErrorTests {
  private func uniqueFailure(_ configuration: Configuration = Configuration()) throws -> DatabaseError {
    try emptyDatabase(configuration).writeWithoutTransaction { db throws in
      try db.execute(sql: "CREATE TABLE t(c UNIQUE); INSERT INTO t VALUES ('x')")
      return try #require(
        databaseError { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["x"]) })
    }
  }

  @Test func `an error has SQLite's codes and message`() throws {
    let failure = try uniqueFailure()
    #expect(failure.resultCode == .SQLITE_CONSTRAINT)
    #expect(failure.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    #expect(failure.message == "UNIQUE constraint failed: t.c")
    #expect(failure.sql == "INSERT INTO t VALUES (?)")
    #expect(failure.arguments == ["x"])
  }

  @Test func `arguments are private unless the configuration says otherwise`() throws {
    let text = "SQLite error 19: UNIQUE constraint failed: t.c - while executing `INSERT INTO t VALUES (?)`"
    let failure = try uniqueFailure()
    #expect(failure.description == text)
    #expect(failure.expandedDescription == text + " with arguments [\"x\"]")
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    #expect(try uniqueFailure(configuration).description == text + " with arguments [\"x\"]")
  }

  @Test func `a primary code matches its extended codes, an extended code itself`() throws {
    let failure = try uniqueFailure()
    #expect(ResultCode.SQLITE_CONSTRAINT ~= failure)
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= failure)
    #expect(!(ResultCode.SQLITE_CONSTRAINT_NOTNULL ~= failure))
    #expect(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT))
    var isCaught = false
    do { throw failure } catch DatabaseError.SQLITE_CONSTRAINT { isCaught = true } catch {}
    #expect(isCaught)
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode == .SQLITE_CONSTRAINT)
  }

  @Test func `an error is an NSError with the extended code`() throws {
    let failure = try uniqueFailure() as NSError
    #expect(failure.domain == "GRDB.DatabaseError")
    #expect(failure.code == Int(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue))
  }

  @Test func `interruptions are known as such`() {
    #expect(DatabaseError(resultCode: .SQLITE_INTERRUPT).isInterruptionError)
    #expect(DatabaseError(resultCode: .SQLITE_ABORT_ROLLBACK).isInterruptionError)
    #expect(!DatabaseError(resultCode: .SQLITE_BUSY).isInterruptionError)
    #expect(DatabaseError(resultCode: .SQLITE_BUSY).message == "database is locked")
  }

  @Test func `an error shows its statement without what ends it`() throws {
    try inEmptyDatabase { db throws in
      let error = try #require(databaseError { try db.makeStatement(sql: "SELECT 1; SELECT 2;\n") })
      #expect(error.sql == "SELECT 1; SELECT 2;\n")
      #expect(error.description.hasSuffix("while executing `SELECT 1; SELECT 2`"))
    }
  }
}
