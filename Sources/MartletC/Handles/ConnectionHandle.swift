import CSQLite3
import MartletEngine

/// What `sqlite3 *` points to.
struct ConnectionState {
  var mark = HandleMark.connection.rawValue
  /// That of the last call that has noted one, in full (`sqlite3_extended_errcode`).
  var errorCode: Int32 = SQLITE_OK
  /// There is a message, perhaps of an older error than the code's.
  var hasMessage = false
  /// Where in the SQL the last error is, or -1.
  var errorOffset: Int32 = -1
  var hasExtendedCodes = false
  let lentCore: Unmanaged<ConnectionCore>
  /// Each statement knows the one that was prepared before it.
  var newestStatement: StatementHandle?
}

typealias ConnectionHandle = UnsafeMutablePointer<ConnectionState>

/// The rest of a connection: what is not asked for by each call.
final class ConnectionCore {
  /// nil where opening has failed: such a connection can only say why, and be closed.
  let engine: Connection?
  /// The engine's own; several threads may ask a connection that is not open what went wrong, too.
  let lock: RecursiveLock
  // Calls take the lock where they change these: exclusivity is not checked as well.

  /// What the last error says that had a text of its own.
  @exclusivity(unchecked) var message = ""
  var systemError: Int32 = 0
  /// What `sqlite3_errmsg` and its kin have given out.
  var messageText = TerminatedText()
  var messageText16 = TerminatedText()
  /// Names and other texts that the connection has given out and keeps until it is closed.
  var keptTexts: [ExactText: UnsafeMutablePointer<CChar>] = [:]
  /// Statements, blobs and backups, which keep the connection.
  @exclusivity(unchecked) var dependentCount = 0
  /// It was closed by `sqlite3_close_v2` and ends with the last of these.
  @exclusivity(unchecked) var isZombie = false
  /// Called when the connection and all that it had has ended.
  var destructors: [() -> Void] = []
  var clientData: [ExactText: ClientData] = [:]
  /// What `sqlite3_db_mutex` has given out.
  var mutex: OpaquePointer?
  /// SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER: `fts3_tokenizer` takes literals for pointers, too.
  var takesTokenizers = false
  /// Options of `sqlite3_db_config` that are on without an effect.
  var idleSwitches: UInt32 = 0
  /// SQLITE_TESTCTRL_OPTIMIZATIONS: which of SQLite's optimizations a test wants to be off.
  var unwantedOptimizations: UInt32 = 0
  /// What `sqlite3_wal_hook` was given last: SQLite's own hook is given how often to checkpoint.
  var walHookArgument = UnsafeMutableRawPointer(bitPattern: 1000)
  /// What the hook has returned for the statement that is ending, if that was not 0.
  var walHookCode: Int32?
  var functions = DefinedFunctions()
  var collations = DefinedFunctions()
  var hookData = HookData()
  var autoVacuumData: CPointer?
  /// What the preupdate hook is being told of.
  var currentChange: CurrentChange?
  /// What counters said when the program set them back.
  var countsAtReset: [Int32: Int] = [:]
  /// Virtual tables that are being made, the innermost last.
  var tableRequests: [VirtualTableRequest] = []
  /// Of the virtual table that is being changed.
  var conflictPolicy = VirtualTableConflictPolicy.abort
  /// `sqlite3_load_extension` may be called.
  var loadsExtensions = false

  init(_ engine: Connection?) {
    self.engine = engine
    lock = engine?.lock ?? RecursiveLock()
  }

  @inline(__always)
  func enter() { lock.lock() }

  @inline(__always)
  func leave() { lock.unlock() }

  deinit {
    messageText.deallocate()
    messageText16.deallocate()
    for text in keptTexts.values { free(text) }
  }
}

private let connectionMemory = HandleMemory<ConnectionState>(minimumQueueCount: 64)

extension ConnectionHandle {
  /// The connection that a program means; nil for null and for what is closed.
  @inline(__always)
  init?(_ handle: OpaquePointer?) {
    guard let state = live(handle, .connection, as: ConnectionState.self) else { return nil }
    self = state
  }

  /// A handle for a connection, or for one that could not be opened; nil without memory.
  static func make(_ engine: Connection?) -> ConnectionHandle? {
    guard let handle = connectionMemory.allocate() else { return nil }
    let core = Unmanaged.passRetained(ConnectionCore(engine))
    handle.initialize(to: ConnectionState(lentCore: core))
    return handle
  }

  /// What the program calls it.
  var opaque: OpaquePointer { OpaquePointer(self) }

  var core: ConnectionCore { pointee.lentCore.takeUnretainedValue() }

  /// Calls the function with the core while no other thread is in the connection. Counts no
  /// references, which each mention of `core` does.
  @inline(__always)
  func locked<Result>(_ body: (ConnectionCore) -> Result) -> Result {
    pointee.lentCore._withUnsafeGuaranteedRef { core in
      core.enter()
      defer { core.leave() }
      return body(core)
    }
  }

  /// Ends the handle. The engine's connection is closed already.
  func destroy() {
    let core = pointee.lentCore
    deinitialize(count: 1)
    connectionMemory.free(self)
    let destructors = core.takeUnretainedValue().destructors
    endContent(of: core)
    // Libraries that were loaded, in which the destructors of modules are, too.
    for destroy in destructors { destroy() }
  }

  /// Modules end with the engine's connection, after functions and collations.
  @inline(never)
  private func endContent(of core: Unmanaged<ConnectionCore>) {
    let functions = core.takeUnretainedValue().functions
    let collations = core.takeUnretainedValue().collations
    let engine = core.takeUnretainedValue().engine
    core.release()
    withExtendedLifetime(engine) {
      functions.endAll()
      collations.endAll()
    }
  }
}

// MARK: - Errors

// An error has three parts, and SQLite's calls differ in which of them they change:
//
// - `note`: the code only. Steps and bindings do so where they succeed: a message of before stays,
//   and shows as soon as a code is not SQLITE_OK (`sqlite3_errmsg` after SQLITE_ROW).
// - `clear`: SQLITE_OK, and no message; `clearAll`: and no place either.
// - `fail`: code and message; the place in the SQL stays unless one is given.
//
// All other calls, and those on statements that have not run, leave all three as they are. Who
// notes or clears holds the engine's lock; `fail` and what runs something take it.

extension ConnectionHandle {
  /// The code as the program wants to see it.
  @inline(__always)
  func shown(_ code: Int32) -> Int32 { pointee.hasExtendedCodes ? code : code & 0xff }

  /// Notes how a call went that has nothing to say.
  @inline(__always)
  @discardableResult
  func note(_ code: Int32) -> Int32 {
    pointee.errorCode = code
    return code
  }

  /// Notes that there is no error.
  @discardableResult
  func clear() -> Int32 {
    if pointee.hasMessage { return fail(SQLITE_OK) }
    return note(SQLITE_OK)
  }

  @discardableResult
  func clearAll() -> Int32 {
    pointee.errorOffset = -1
    return clear()
  }

  /// Notes an error, and gives the code that the call returns.
  @discardableResult
  func fail(_ error: SQLError) -> Int32 {
    let lastError = errno
    core.enter()
    defer { core.leave() }
    if error.code.primary == .ioError || error.code.primary == .cannotOpen {
      core.systemError = core.engine?.lastSystemError ?? lastError
    }
    // That somebody else holds a lock has no text of its own in SQLite.
    let isPlain = error.code.primary == .busy && error.message == error.code.description
    return fail(error.code.rawValue, isPlain ? nil : error.message, offset: error.offset)
  }

  /// Notes an error; without a message it has the standard text of its code.
  @discardableResult
  func fail(_ code: Int32, _ message: String? = nil, offset: Int32? = nil) -> Int32 {
    // A file without memory is nothing else to a program than a connection without.
    if code == ResultCode.ioErrorNoMemory.rawValue { return fail(SQLITE_NOMEM) }
    core.enter()
    defer { core.leave() }
    pointee.errorCode = code
    pointee.hasMessage = message != nil
    core.message = message ?? ""
    if let offset { pointee.errorOffset = offset }
    return shown(code)
  }

  /// Runs what may fail, and notes the error if it does.
  func report(_ body: (Connection) throws(SQLError) -> Void) -> Int32 {
    guard let engine = core.engine else { return SQLITE_MISUSE }
    engine.enter()
    defer { engine.leave() }
    do throws(SQLError) {
      try body(engine)
      return SQLITE_OK
    } catch {
      return note(error)
    }
  }

  /// Notes what a call that ran something failed with, and gives the code that it returns.
  func note(_ error: SQLError) -> Int32 {
    let isPlain = error.message == error.code.description
    return fail(error.code.rawValue, isPlain ? nil : error.message)
  }

  /// Runs what may fail, and notes how it went.
  func conclude(_ body: (Connection) throws(SQLError) -> Void) -> Int32 {
    core.enter()
    defer { core.leave() }
    let code = report(body)
    return code == SQLITE_OK ? clear() : code
  }
}

/// Runs what may fail on the connection that a program means, and notes the error if it does;
/// SQLITE_MISUSE where there is none.
func report(
  _ database: OpaquePointer?, _ body: (Connection) throws(SQLError) -> Void
) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  return handle.report(body)
}

/// The engine's connection that a program means; nil for null, closed and unopened ones.
func engine(_ database: OpaquePointer?) -> Connection? { ConnectionHandle(database)?.core.engine }

/// A string of the program; nil for null. Bytes that are not UTF-8 come back (`String.textBytes`).
func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(fileName: $0) } }
