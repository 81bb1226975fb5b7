import Foundation
import MartletEngine

extension Database {
  /// What is traced of statements.
  public struct TracingOptions: OptionSet, Sendable {
    /// SQLite's number for the options.
    public let rawValue: CInt

    /// Wraps a number.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// Statements that start.
    public static let statement = TracingOptions(rawValue: 1)
    /// Statements that have ended, with their duration.
    public static let profile = TracingOptions(rawValue: 2)
  }

  /// A statement that was traced.
  public enum TraceEvent: CustomStringConvertible, Sendable {
    /// The text of a statement, without and with its arguments.
    public struct Statement: CustomStringConvertible, Sendable {
      /// The text with its parameters.
      public let sql: String

      /// The text with the arguments in the places of the parameters. They may be personal data.
      public let expandedSQL: String

      let isPublic: Bool

      /// The text; with the arguments where they are public.
      public var description: String { isPublic ? expandedSQL : sql }
    }

    /// A statement starts.
    case statement(Statement)
    /// A statement has ended.
    case profile(statement: Statement, duration: TimeInterval)

    /// The text; with the arguments where they are public.
    public var description: String {
      switch self {
      case .statement(let statement): statement.description
      case .profile(let statement, let duration):
        TraceEvent.describe(duration) + statement.description
      }
    }

    /// The text with the arguments.
    public var expandedDescription: String {
      switch self {
      case .statement(let statement): statement.expandedSQL
      case .profile(let statement, let duration):
        TraceEvent.describe(duration) + statement.expandedSQL
      }
    }

    private static func describe(_ duration: TimeInterval) -> String {
      String(format: "%.3fs ", duration)
    }
  }

  /// Calls a function for statements that run; nil ends it.
  ///
  /// The function must not use the connection.
  public func trace(
    options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil
  ) {
    stopOutsideAccess()
    guard let trace else { return connection.trace([], nil) }
    let isPublic = configuration.publicStatementArguments
    // The engine calls it on the thread of the access only.
    nonisolated(unsafe) let handler = trace
    connection.trace(TraceEvents(rawValue: options.rawValue)) { event in
      switch event {
      case .statement(let statement):
        handler(.statement(TraceEvent.Statement(statement, isPublic)))
      case .profile(let statement, let nanoseconds):
        handler(
          .profile(
            statement: TraceEvent.Statement(statement, isPublic),
            duration: Double(nanoseconds) / 1e9))
      case .row, .comment, .close: break
      }
    }
  }
}

extension Database.TraceEvent.Statement {
  fileprivate init(_ statement: TracedStatement, _ isPublic: Bool) {
    func trim(_ text: String) -> String {
      text.trimmingCharacters(in: CharacterSet(charactersIn: ";").union(.whitespacesAndNewlines))
    }
    sql = trim(statement.sql)
    expandedSQL = trim(statement.expandedSQL)
    self.isPublic = isPublic
  }
}
