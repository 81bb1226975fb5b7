import MartletEngine

/// A compiled statement of SQL.
///
/// Make it with `Database.makeStatement(sql:)` or `Database.cachedStatement(sql:)`, give it
/// arguments, execute it or fetch from it. A statement belongs to its connection, and is used only
/// where its `Database` is.
public final class Statement {
  /// The statement of the engine, for `StatementBinding` and `StatementColumnConvertible`.
  public let sqliteStatement: SQLiteStatement

  let database: Database
  let isReadOnly: Bool

  /// The text of the statement, without blanks and semicolon around it.
  public let sql: String

  /// Names of its parameters without their first character; nil for those without.
  let parameterNames: [String?]

  /// The end of the statement may be the end of a transaction.
  let mayEndTransaction: Bool

  /// What is known of the schema may be wrong after it.
  let mayChangeSchema: Bool

  /// Counts executions, so that a cursor that goes late does not reset those of others.
  @usableFromInline var executionCount = 0

  /// What has ended the last execution before its end.
  @usableFromInline private(set) var failure: (any Error)?

  private var currentArguments = StatementArguments()
  private var hasValidArguments: Bool
  private var knownShape: RowShape?
  private var shapeCompilations = 0

  /// What was found out about the statement when the schema had changed so many times.
  var knownEffects: (effects: StatementEffects, schemaGeneration: Int)?
  /// How often the parameters got values.
  private(set) var bindingCount = 0
  /// Finds out what the request reads that has made the statement; nil where none has.
  var requestRegion: ((Statement) throws -> DatabaseRegion)?

  /// The statement may begin or end savepoints and transactions.
  let mayMoveSavepoints: Bool

  init(_ statement: SQLiteStatement, database: Database) {
    sqliteStatement = statement
    self.database = database
    sql = Statement.trim(statement.sql)
    parameterNames = (0..<statement.parameterCount).map {
      statement.parameterName(at: $0 + 1).map { String($0.dropFirst()) }
    }
    hasValidArguments = parameterNames.isEmpty
    isReadOnly = statement.isReadOnly
    let word = Statement.firstWord(sql)
    mayEndTransaction =
      !isReadOnly
      || word.map {
        Statement.transactionWords.contains($0) || Statement.attachmentWords.contains($0)
      } ?? true
    mayMoveSavepoints = word.map { Statement.transactionWords.contains($0) } ?? true
    mayChangeSchema = word.map { Statement.schemaWords.contains($0) } ?? true
    database.liveStatements.insert(self)
  }

  deinit { database.liveStatements.remove(self) }

  /// The text without blanks and semicolons at its ends.
  static func trim(_ sql: String) -> String {
    func isBlank(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || (9...13).contains(byte) || byte == UInt8(ascii: ";")
    }
    let bytes = sql.utf8
    guard let first = bytes.first, let last = bytes.last, isBlank(first) || isBlank(last) else {
      return sql
    }
    guard let end = bytes.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(Substring(bytes[...end].drop(while: isBlank)))
  }

  /// The first word in capital letters, where it is one that matters; an empty text for other
  /// words, nil where a comment hides it.
  private static func firstWord(_ sql: String) -> String? {
    guard let first = sql.utf8.first else { return "" }
    switch first & 0xdf {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): break
    default: return nil
    }
    // INSERT, UPDATE and WITH are frequent, and none of the words that matter.
    if [UInt8(ascii: "I"), UInt8(ascii: "U"), UInt8(ascii: "W")].contains(first & 0xdf) {
      return ""
    }
    let letters = sql.utf8.prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a }
    return String(decoding: letters, as: UTF8.self).uppercased()
  }

  private static let transactionWords = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE",
  ]
  /// They write nothing, but change which schemas there are.
  private static let attachmentWords = ["ATTACH", "DETACH"]
  private static let schemaWords = [
    "CREATE", "ALTER", "DROP", "ATTACH", "DETACH", "ROLLBACK", "PRAGMA", "VACUUM",
  ]

  /// The statement only ends a transaction or savepoint.
  var releasesLocks: Bool {
    Statement.firstWord(sql).map { ["COMMIT", "END", "ROLLBACK", "RELEASE"].contains($0) } ?? false
  }

  /// The statement asks for a setting, as `PRAGMA journal_mode` does, and sets none.
  var asksPragma: Bool {
    Statement.firstWord(sql) == "PRAGMA" && !sql.utf8.contains(UInt8(ascii: "="))
      && !sql.utf8.contains(UInt8(ascii: "("))
  }

  /// The statement begins a transaction that locks the database at once (lang_transaction §2.2).
  var mayLock: Bool {
    guard Statement.firstWord(sql) == "BEGIN" else { return false }
    let words = sql.uppercased()
    return words.contains("IMMEDIATE") || words.contains("EXCLUSIVE")
  }

  var parameterCount: Int { parameterNames.count }

  /// The statement does not change the database.
  public var isReadonly: Bool { isReadOnly }

  /// How many columns its rows have; 0 for statements without rows.
  public var columnCount: Int { sqliteStatement.columnCount }

  /// The names of the columns.
  public var columnNames: [String] { shape.names }

  /// The index of the leftmost column of a name, in any case.
  public func index(ofColumn name: String) -> Int? { shape.index(ofColumn: name) }

  /// The columns, looked up once until the engine has compiled the statement again.
  var shape: RowShape {
    let compilations = sqliteStatement.count(of: .reprepares)
    if let knownShape, compilations == shapeCompilations { return knownShape }
    let shape = RowShape(names: (0..<columnCount).map { sqliteStatement.columnName($0) })
    knownShape = shape
    shapeCompilations = compilations
    return shape
  }

  // MARK: Arguments

  /// The values of the parameters. Setting values that do not fit stops the program; `setArguments`
  /// throws.
  public var arguments: StatementArguments {
    get { currentArguments }
    set {
      do {
        try setArguments(newValue)
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// Checks that there is a value for every parameter, and a parameter for every value in order.
  public func validateArguments(_ arguments: StatementArguments) throws {
    var arguments = arguments
    _ = try arguments.takeValues(for: self, refusingRest: true)
  }

  /// Sets the values of the parameters.
  ///
  /// - Throws: `SQLITE_MISUSE` if values are missing or left over.
  public func setArguments(_ arguments: StatementArguments) throws {
    var rest = arguments
    let values = try rest.takeValues(for: self, refusingRest: true)
    currentArguments = arguments
    hasValidArguments = true
    try bind(values)
  }

  /// Sets the values of the parameters as far as there are some; the others are NULL.
  public func setUncheckedArguments(_ arguments: StatementArguments) {
    currentArguments = arguments
    hasValidArguments = true
    var next = 0
    let values = parameterNames.map { name -> DatabaseValue in
      if let name, let value = arguments.namedValues[name] { return value }
      guard next < arguments.values.count else { return .null }
      next += 1
      return arguments.values[next - 1]
    }
    do {
      try bind(values)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func bind(_ values: [DatabaseValue]) throws {
    bindingCount &+= 1
    if sqliteStatement.isBusy { try? sqliteStatement.reset() }
    for index in values.indices {
      let code = values[index].bind(to: sqliteStatement, at: CInt(index + 1))
      if code != SQLITE_OK {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql)
      }
    }
  }

  /// Binds values that the layer itself has counted.
  func bindUnchecked(_ values: [DatabaseValue]) throws {
    currentArguments = StatementArguments(values: values)
    hasValidArguments = true
    try bind(values)
  }

  // MARK: Execution

  /// Executes the statement; rows are dropped.
  ///
  /// - Parameter arguments: The values of the parameters; nil keeps those that were set.
  public func execute(arguments: StatementArguments? = nil) throws {
    try begin(arguments)
    while try step() {}
  }

  /// Makes the statement ready for its first step.
  func begin(_ arguments: StatementArguments? = nil) throws {
    executionCount &+= 1
    failure = nil
    if sqliteStatement.isBusy { try? sqliteStatement.reset() }
    if let arguments { try setArguments(arguments) }
    if !hasValidArguments { try validateArguments(currentArguments) }
    try database.statementWillExecute(self)
  }

  /// Runs to the next row; false at the end.
  @usableFromInline
  func step() throws -> Bool {
    do throws(SQLError) {
      if try sqliteStatement.step() { return true }
    } catch {
      let failure = database.statementDidFail(self, error)
      self.failure = failure
      throw failure
    }
    if mayEndTransaction { try database.statementDidEnd(self) }
    return false
  }

  /// Ends an execution before its end.
  func abandon(_ execution: Int) {
    guard execution == executionCount, sqliteStatement.isBusy else { return }
    try? sqliteStatement.reset()
    if mayEndTransaction { try? database.statementDidEnd(self) }
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement: CustomStringConvertible {
  /// The text; with its arguments where they are public.
  public var description: String {
    database.configuration.publicStatementArguments && !arguments.isEmpty
      ? "SQL: \(sql), Arguments: \(arguments)" : "SQL: \(sql)"
  }
}
