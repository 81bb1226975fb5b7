import MartletEngine
import MartletSearch
import MartletSpatial

/// A connection to a database.
///
/// ```swift
/// let db = try Connection("path/to/db.sqlite3")
/// ```
///
/// Threads may share it: its calls exclude each other, and a transaction excludes other threads
/// until it ends.
public final class Connection: @unchecked Sendable {
  let core: MartletEngine.Connection
  private var statements = StatementCache<MartletEngine.Statement>()
  /// The one that was given back last: many programs run the same again and again.
  private var latest: (sql: String, statement: MartletEngine.Statement)?
  /// Savepoints that got their names here.
  private var savepointCount = 0
  private var givesExtendedCodes = false
  private var keptFailure: (any Error)?
  /// Longer statements are kept only while they are the latest: those of many rows take much memory
  /// and seldom come again.
  private static let longestKept = 10_000

  /// Errors are `Result.extendedError`, with SQLite's extended codes.
  public var usesExtendedErrorCodes: Bool {
    get { sync { givesExtendedCodes } }
    set { sync { givesExtendedCodes = newValue } }
  }

  /// What has ended the last iteration over rows that could not throw; nil if nothing did since it
  /// was set to nil.
  ///
  /// `for row in try db.prepare(users)` ends early where a statement fails. `prepareRowIterator`
  /// gives an iterator that throws.
  public var iterationFailure: (any Error)? {
    get { sync { keptFailure } }
    set { sync { keptFailure = newValue } }
  }

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - location: Where it is.
  ///   - readonly: Nothing is changed, and the file must exist.
  ///   - journalMode: The journal mode that it gets; nil for that of the file.
  public init(
    _ location: Location = .inMemory, readonly: Bool = false, journalMode: JournalMode? = nil
  ) throws {
    let flags: OpenFlags = readonly ? [.readOnly, .uri] : [.readWrite, .create, .uri]
    do {
      core = try MartletEngine.Connection(path: location.description, flags: flags)
      core.allowManyVariables()
      try core.registerSearch()
      try core.registerSpatial()
    } catch {
      throw Result(error, statement: nil, isExtended: false)
    }
    if let journalMode { try setJournalMode(journalMode) }
  }

  /// Opens the database of a file, which is made if it does not exist; an empty name is a
  /// temporary database, `:memory:` one in memory.
  public convenience init(
    _ filename: String, readonly: Bool = false, journalMode: JournalMode? = nil
  ) throws {
    try self.init(.uri(filename), readonly: readonly, journalMode: journalMode)
  }

  /// Closes the connection. What uses it later throws.
  ///
  /// - Throws: `Result` with SQLITE_BUSY while there are statements of it.
  public func close() throws {
    try sync {
      forgetStatements()
      try translating { try core.close() }
    }
  }

  // MARK: State

  /// Nothing can be changed.
  public var readonly: Bool { core.isReadOnly(database: "main") ?? false }

  /// The rowid of the last row that was inserted.
  public var lastInsertRowid: Int64 { core.lastInsertRowID }

  /// The rows that the last INSERT, UPDATE or DELETE changed.
  public var changes: Int { Int(core.changes) }

  /// The rows that were changed since the connection was opened.
  public var totalChanges: Int { Int(core.totalChanges) }

  /// Ends what runs on the connection; from any thread.
  public func interrupt() { core.interrupt() }

  // MARK: Threads and errors

  /// Nobody else uses the connection meanwhile.
  func sync<Content>(_ body: () throws -> Content) rethrows -> Content {
    core.enter()
    defer { core.leave() }
    return try body()
  }

  func failure(_ error: SQLError, _ statement: Statement?, sql: String? = nil) -> Result {
    let isExtended = usesExtendedErrorCodes
    guard statement == nil, let sql, let source = try? Statement(self, sql) else {
      return Result(error, statement: statement, isExtended: isExtended)
    }
    return Result(error, statement: source, isExtended: isExtended)
  }

  func translating<Content>(_ body: () throws -> Content) throws -> Content {
    do {
      return try body()
    } catch let error as SQLError {
      throw failure(error, nil)
    }
  }

  func note(_ error: any Error) { iterationFailure = error }

  // MARK: Statements

  /// Compiles the only statement of a text.
  func compile(_ sql: String) throws -> MartletEngine.Statement {
    var sql = sql
    let result = sql.withUTF8 { bytes in
      Swift.Result { () throws(SQLError) in
        let (statement, consumed) = try core.prepare(bytes)
        guard let statement else { throw SQLError(.misuse, "no SQL statement") }
        if consumed < bytes.count {
          try requireNothing(UnsafeBufferPointer(rebasing: bytes[consumed...]))
        }
        return statement
      }
    }
    return try translating { try result.get() }
  }

  /// SQLite ignores what stands behind the first statement, which hides mistakes, and what somebody
  /// has put there.
  private func requireNothing(_ rest: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    // What does not compile is something too.
    if case .success(nil) = Swift.Result(catching: { try core.prepare(rest).statement }) { return }
    throw SQLError(.misuse, "more than one statement: use execute for scripts")
  }

  func takeStatement(_ sql: String) throws -> MartletEngine.Statement {
    try sync {
      guard let statement = takeKnown(sql) else { return try compile(sql) }
      try translating { try statement.refresh() }
      return statement
    }
  }

  private func takeKnown(_ sql: String) -> MartletEngine.Statement? {
    if let latest, latest.sql.hasSameBytes(as: sql) {
      self.latest = nil
      return latest.statement
    }
    return statements.take(sql)
  }

  func keepStatement(_ statement: MartletEngine.Statement, _ sql: String) {
    if let latest, latest.sql.utf8.count <= Connection.longestKept {
      statements.keep(latest.statement, sql: latest.sql)
    }
    latest = (sql, statement)
  }

  func forgetStatements() {
    latest = nil
    statements.removeAll()
  }

  /// A name that no other savepoint of the connection has.
  func makeSavepointName() -> String {
    sync {
      savepointCount &+= 1
      return "martlet_savepoint_\(savepointCount)"
    }
  }
}

extension Connection: CustomStringConvertible {
  /// The path of the database.
  public var description: String { core.databaseFiles.first?.path ?? "" }
}
