import Foundation
import MartletEngine

/// An error with one of SQLite's result codes.
///
/// The arguments of the statement that failed may be personal data: `description` leaves them out,
/// unless `Configuration.publicStatementArguments` says otherwise; `expandedDescription` shows
/// them.
public struct DatabaseError: Error {
  /// The primary result code.
  public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

  /// The most detailed result code that is known.
  public let extendedResultCode: ResultCode

  /// What went wrong, in SQLite's words where SQLite has such an error.
  public let message: String?

  /// The SQL that failed.
  public let sql: String?

  /// The arguments of the SQL that failed.
  public let arguments: StatementArguments?

  /// Whether `description` shows the arguments.
  public var publicStatementArguments: Bool

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - resultCode: A primary or an extended code.
  ///   - message: What went wrong; nil takes SQLite's text for the code.
  ///   - sql: The SQL that failed.
  ///   - arguments: The arguments of the SQL that failed.
  ///   - publicStatementArguments: Whether `description` shows the arguments.
  public init(
    resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil,
    arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
  ) {
    extendedResultCode = resultCode
    self.message = message ?? resultCode.engineCode.description
    self.sql = sql
    self.arguments = arguments
    self.publicStatementArguments = publicStatementArguments
  }

  init(
    _ error: SQLError, sql: String? = nil, arguments: StatementArguments? = nil,
    publicStatementArguments: Bool = false
  ) {
    self.init(
      resultCode: ResultCode(error.code), message: error.message, sql: sql,
      arguments: arguments, publicStatementArguments: publicStatementArguments)
  }

  /// The error that every access to a closed connection throws.
  static var connectionIsClosed: DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
  }

  /// The statement was interrupted, or failed because another one was.
  public var isInterruptionError: Bool {
    resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
  }
}

extension DatabaseError: CustomStringConvertible {
  /// Code, message and SQL; the arguments only where they are public.
  public var description: String { describe(showingArguments: publicStatementArguments) }

  /// Code, message, SQL and arguments.
  public var expandedDescription: String { describe(showingArguments: true) }

  private func describe(showingArguments: Bool) -> String {
    var text = "SQLite error \(resultCode.rawValue)"
    if let message { text += ": \(message)" }
    if let sql { text += " - while executing `\(Statement.trim(sql))`" }
    if showingArguments, let arguments, !arguments.isEmpty {
      text += " with arguments \(arguments)"
    }
    return text
  }
}

extension DatabaseError: CustomNSError {
  /// The domain under which the error appears as `NSError`: GRDB's, so that programs that look at
  /// it go on working.
  public static var errorDomain: String { "GRDB.DatabaseError" }

  /// The extended result code.
  public var errorCode: Int { Int(extendedResultCode.rawValue) }

  /// The description of the error.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}

/// Runs engine calls, turning their errors into `DatabaseError`.
@inline(__always)
func translatingErrors<Result>(_ body: () throws(SQLError) -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    throw DatabaseError(error)
  }
}
