/// The one error that the engine throws: SQLite's result code and message.
public struct SQLError: Error, Sendable, Equatable {
  /// The most specific code that is known, usually an extended one.
  public let code: ResultCode

  /// Byte offset in the SQL text of what the error is about, or -1 (`sqlite3_error_offset`).
  public let offset: Int32

  /// The message, in SQLite's words where SQLite has such an error (`sqlite3_errmsg`).
  public let message: String

  public init(_ code: ResultCode, _ message: String, offset: Int32 = -1) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  /// An error whose message is the standard text of its code.
  public init(_ code: ResultCode) { self.init(code, code.description) }
}

extension SQLError {
  /// The error as one about the text of a view or trigger: the offset is none in the statement.
  var inStoredText: SQLError { offset < 0 ? self : SQLError(code, message) }
}

extension SQLError: CustomStringConvertible {
  public var description: String { "SQLite error \(code.rawValue): \(message)" }
}

extension SQLError {
  /// A generic SQL error (`SQLITE_ERROR`): the statement is wrong.
  static func sql(_ message: String, offset: Int32 = -1) -> SQLError {
    SQLError(.error, message, offset: offset)
  }

  /// The file breaks its format. `detail` is for people who debug; SQLite's message is fixed.
  @inline(never)
  static func corrupt(_ detail: StaticString) -> SQLError { SQLError(.corrupt) }

  @inline(never)
  static var outOfMemory: SQLError { SQLError(.outOfMemory) }

  @inline(never)
  static var tooBig: SQLError { SQLError(.tooBig) }

  /// What is compiled is nested deeper than the stack may bear.
  @inline(never)
  static var recursionLimit: SQLError { .sql("Recursion limit") }

  /// A construct that Martlet parses but does not execute yet; listed in README under limits.
  static func notSupported(_ construct: String) -> SQLError {
    SQLError(.error, "not supported by Martlet: \(construct)")
  }
}

extension SQLError {
  /// Errors after which nothing of a transaction can be relied on (lang_transaction §3). They are
  /// about no statement or definition in particular.
  var isGrave: Bool {
    switch code.primary {
    case .outOfMemory, .ioError, .interrupt, .full: true
    default: false
    }
  }
}
