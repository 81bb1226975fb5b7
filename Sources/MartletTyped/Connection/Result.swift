import MartletEngine

/// What statements fail with: SQLite's message and code.
public enum Result: Error, Sendable, CustomStringConvertible {
  /// A failure with its primary code.
  ///
  /// - Parameter statement: The statement that has failed, where there is one.
  case error(message: String, code: Int32, statement: Statement?)

  /// A failure with its extended code, where `Connection.usesExtendedErrorCodes` asks for them.
  case extendedError(message: String, extendedCode: Int32, statement: Statement?)

  /// The message, the statement and the code.
  public var description: String {
    switch self {
    case .error(let message, let code, let statement):
      guard let statement else { return "\(message) (code: \(code))" }
      return "\(message) (\(statement)) (code: \(code))"
    case .extendedError(let message, let code, let statement):
      guard let statement else { return "\(message) (extended code: \(code))" }
      return "\(message) (\(statement)) (extended code: \(code))"
    }
  }

  /// The library was used wrongly (`SQLITE_MISUSE`).
  @usableFromInline
  static func misuse(_ message: String, _ statement: Statement? = nil) -> Result {
    .error(message: message, code: ResultCode.misuse.rawValue, statement: statement)
  }

  init(_ error: SQLError, statement: Statement?, isExtended: Bool) {
    if isExtended {
      self = .extendedError(
        message: error.message, extendedCode: error.code.rawValue, statement: statement)
    } else {
      self = .error(
        message: error.message, code: error.code.primary.rawValue, statement: statement)
    }
  }
}

/// What is wrong with reading a column of a row, or with a query.
public enum QueryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A query names a table that does not exist.
  case noSuchTable(name: String)
  /// The row has no such column.
  case noSuchColumn(name: String, columns: [String])
  /// Several columns of the row have the name.
  case ambiguousColumn(name: String, similar: [String])
  /// The column is NULL, or has another type, and the expression is not optional.
  case unexpectedNullValue(name: String)

  /// What is wrong, and what there is instead.
  public var description: String {
    switch self {
    case .noSuchTable(let name): "No such table: \(name)"
    case .noSuchColumn(let name, let columns): "No such column `\(name)` in columns \(columns)"
    case .ambiguousColumn(let name, let similar):
      "Ambiguous column `\(name)` (please disambiguate: \(similar))"
    case .unexpectedNullValue(let name): "Unexpected null value for column `\(name)`"
    }
  }
}
