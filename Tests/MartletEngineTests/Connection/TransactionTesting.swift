import Foundation
import TestSupport
import Testing

@testable import MartletEngine

extension Connection {
  /// A statement that sets `user_version`, shows a row if it `pauses`, and ends, perhaps with an
  /// error and what a policy makes of it.
  func writer(
    _ number: Int32, database: Int = 0, pauses: Bool = false, error: ResultCode = .ok,
    policy: ConflictPolicy = .abort, hasJournal: Bool = false
  ) throws -> Statement {
    try loadSchemas()
    let builder = ProgramBuilder(catalog: catalog)
    builder.isMultiWrite = hasJournal
    builder.mayAbort = hasJournal
    builder.emitTransaction(onDatabase: database, .write)
    builder.emit(.setMeta, Int32(database), Int32(MetaValue.userVersion.rawValue), number)
    let register = builder.newRegister()
    builder.emit(.integer, 1, register.rawValue)
    if pauses { builder.emit(.resultRow, register.rawValue, 1) }
    builder.emit(
      .halt, error.rawValue, Int32(policy.rawValue), p4: builder.addText("made to fail"))
    let parsed = try #require(try Parser.parse(try SQLText.copying("SELECT 1")))
    return try Statement(
      connection: self, source: StatementSource(parsed),
      program: builder.finish(columns: [OutputColumn(label: Name("x"))], explain: .none))
  }

  func setVersion(_ number: Int32, database: Int = 0) throws {
    let statement = try writer(number, database: database)
    while try statement.step() {}
  }

  func version(of schema: String = "main") throws -> Int64 {
    try integer("PRAGMA \(schema).user_version")
  }

  /// The first column of the first row.
  func integer(_ sql: String) throws -> Int64 {
    let statement = try prepare(sql)
    _ = try statement.step()
    return statement.columnInt64(0)
  }

  /// What the statement fails with.
  func failure(_ sql: String) -> SQLError? {
    do {
      try execute(sql)
      return nil
    } catch {
      return error
    }
  }

  /// Rows with columns between `|`.
  func rows(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map(statement.columnText).joined(separator: "|"))
    }
    return rows
  }
}

extension Statement {
  func failure() -> SQLError? {
    do {
      while try step() {}
      return nil
    } catch {
      return error
    }
  }
}

// MARK: - Beside the shell

extension OracleShell {
  /// What a statement printed: rows, or an error without where it was.
  func result(of sql: String) throws -> String {
    let lines = try run(sql + ";").split(separator: "\n")
    let text = lines.joined(separator: "\n")
    guard text.contains("rror near line"), let colon = text.range(of: ": ") else { return text }
    let message = text[colon.upperBound...].split(separator: "\n").first.map(String.init) ?? ""
    return "error " + message
  }
}

extension Connection {
  /// What the oracle's shell would print for the statement.
  func result(of sql: String) -> String {
    do {
      return try rows(sql).joined(separator: "\n").split(separator: "\n").joined(separator: "\n")
    } catch {
      return "error " + ((error as? SQLError)?.message ?? "")
    }
  }
}
