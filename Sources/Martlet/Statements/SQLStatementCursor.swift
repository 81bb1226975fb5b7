import MartletEngine

/// The statements of a script, compiled one after the other, each when it is asked for: it may use
/// what those before it have defined.
public final class SQLStatementCursor: Cursor {
  private let database: Database
  private let bytes: [UInt8]
  private var offset = 0
  private var arguments: StatementArguments?
  /// How many arguments there were for the whole script.
  private let argumentCount: Int

  init(database: Database, sql: String, arguments: StatementArguments?) {
    self.database = database
    bytes = Array(sql.utf8)
    self.arguments = arguments
    argumentCount = arguments?.values.count ?? 0
  }

  /// The next statement, with its share of the arguments.
  public func next() throws -> Statement? {
    guard offset < bytes.count, let statement = try nextStatement() else {
      if let rest = arguments, !rest.values.isEmpty {
        arguments = nil
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "wrong number of statement arguments: \(argumentCount)")
      }
      return nil
    }
    if arguments != nil,
      let values = try arguments?.takeValues(for: statement, refusingRest: false)
    {
      try statement.bindUnchecked(values)
    }
    return statement
  }

  /// Nothing follows that could be a statement, or a mistake: blanks, comments and semicolons
  /// alone.
  var hasOnlyBlanksLeft: Bool {
    guard offset < bytes.count else { return true }
    do {
      return try nextStatement() == nil
    } catch {
      return false
    }
  }

  private func nextStatement() throws -> Statement? {
    try database.checkAccess()
    let start = offset
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(SQLError) in
        try database.connection.prepare(UnsafeBufferPointer(rebasing: bytes[start...]))
      }
    }
    do {
      let (statement, consumed) = try result.get()
      offset = statement == nil ? bytes.count : start + consumed
      return statement.map { Statement($0, database: database) }
    } catch {
      offset = bytes.count
      arguments = nil
      throw database.error(error, sql: String(decoding: bytes[start...], as: UTF8.self))
    }
  }
}

@available(*, unavailable)
extension SQLStatementCursor: Sendable {}
