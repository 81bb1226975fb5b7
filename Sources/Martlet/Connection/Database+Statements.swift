import MartletEngine

extension Database {
  /// Compiles a statement.
  ///
  /// - Throws: `SQLITE_ERROR` where the text has no statement, `SQLITE_MISUSE` where it has more
  ///   than one.
  public func makeStatement(sql: String) throws -> Statement {
    let statements = SQLStatementCursor(database: self, sql: sql, arguments: nil)
    guard let statement = try statements.next() else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
    }
    if !statements.hasOnlyBlanksLeft {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "Multiple statements found. To execute multiple statements, "
          + "use Database.execute(sql:) or Database.allStatements(sql:) instead.",
        sql: sql)
    }
    return statement
  }

  /// Compiles a literal, whose values are the statement's arguments. A literal without values may
  /// have parameters that get theirs later.
  public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try makeStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// A statement that is compiled once, and found again under its text.
  public func cachedStatement(sql: String) throws -> Statement {
    try checkAccess()
    if let statement = publicStatements.find(sql), !statement.sqliteStatement.isBusy {
      return statement
    }
    let statement = try makeStatement(sql: sql)
    if !publicStatements.contains(sql) { publicStatements.keep(statement, sql: sql) }
    return statement
  }

  /// A statement that is compiled once, and found again under the text of its literal, whose values
  /// are the statement's arguments. A literal without values may have parameters that get theirs
  /// later.
  public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
    let (sql, arguments) = try sqlLiteral.build(self)
    let statement = try cachedStatement(sql: sql)
    if !arguments.isEmpty { try statement.setArguments(arguments) }
    return statement
  }

  /// `cachedStatement` for the layer's own statements.
  func internalStatement(sql: String) throws -> Statement {
    try checkAccess()
    if let statement = internalStatements.find(sql), !statement.sqliteStatement.isBusy {
      statement.requestRegion = nil
      return statement
    }
    let statement = try makeStatement(sql: sql)
    if !internalStatements.contains(sql) { internalStatements.keep(statement, sql: sql) }
    return statement
  }

  /// The statements of a script.
  ///
  /// - Parameters:
  ///   - sql: The statements, with semicolons between them.
  ///   - arguments: For the parameters of all statements, from left to right; or nil, and each
  ///     statement is given its own.
  public func allStatements(
    sql: String, arguments: StatementArguments? = nil
  ) throws -> SQLStatementCursor {
    try checkAccess()
    return SQLStatementCursor(database: self, sql: sql, arguments: arguments)
  }

  /// The statements of a script with its values. Those of a literal without values may have
  /// parameters that get theirs later.
  public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
    let (sql, arguments) = try sqlLiteral.build(self)
    return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
  }

  /// Executes the statements of a script; rows are dropped.
  ///
  /// ```swift
  /// try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
  /// ```
  public func execute(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) throws {
    let statements = try allStatements(sql: sql, arguments: arguments)
    while let statement = try statements.next() { try statement.execute() }
  }

  /// Executes the statements of a script with its values; rows are dropped.
  ///
  /// ```swift
  /// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
  /// ```
  public func execute(literal sqlLiteral: SQL) throws {
    let (sql, arguments) = try sqlLiteral.build(self)
    try execute(sql: sql, arguments: arguments)
  }
}
