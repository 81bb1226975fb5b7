import CSQLite3
import MartletEngine

/// What `sqlite3_stmt *` points to.
struct StatementState {
  var mark = HandleMark.statement.rawValue
  /// Grows with each step and reset: what was read of an earlier row is no longer valid.
  var generation: UInt32 = 1
  let connection: ConnectionHandle
  /// Held by the handle; calls lend it, so that references are not counted.
  let object: Unmanaged<Statement>
  let row: ResultRow
  #if !canImport(WASILibc)
    /// The connection's: taken by each call that a program makes for each row.
    let lock: UnsafeMutablePointer<pthread_mutex_t>
  #endif
  /// One a column, once a column was read as text or blob, or as a value.
  var columns: UnsafeMutablePointer<ValueState>?
  var columnCapacity = 0
  /// What the statement has failed with since its last reset.
  var error: SQLError?
  /// It came to its end or failed since its last reset: the next step begins with one.
  var hasEnded = false
  /// There was no memory for a column that was asked for: what is left of the run fails.
  var hasLostColumn = false
  /// The same, noticed where the column is made text.
  var hasNoMemory = false
  /// The program has finalized it inside the step that is running.
  var endsAfterStep = false
  /// Prepared by `sqlite3_prepare`: a step says no more than SQLITE_ERROR, the reset the rest.
  var isLegacy = false
  var older: StatementHandle?
  var newer: StatementHandle?
  /// As given to prepare.
  let sql: UnsafeMutablePointer<CChar>
  let flags: UInt32
  /// Of each column the texts in UTF-8 that were asked for, while the program is the same.
  var names: UnsafeMutablePointer<ColumnText>?
  var nameCount = 0
  /// Which program they are of.
  var namesVersion = 0
  /// The names of the parameters, once somebody has asked for one.
  var parameterNames: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  /// Other texts about columns and the statement.
  var texts: [TextKey: TerminatedText] = [:]

  var statement: Statement { object.takeUnretainedValue() }

  struct TextKey: Hashable {
    var index: Int32
    var kind: Kind
    var encoding: TextEncoding

    enum Kind: Int {
      case name, declaredType, database, table, origin, normalized
      case scanName, scanDetail

      /// The first kinds are about columns.
      static let columnKindCount = 5
    }
  }

  /// A text about a column, once somebody has asked for it.
  struct ColumnText {
    var text = TerminatedText()
    var isKnown = false
    /// There is such a text.
    var isThere = false
  }
}

typealias StatementHandle = UnsafeMutablePointer<StatementState>

private let statementMemory = HandleMemory<StatementState>(minimumQueueCount: 256)

extension StatementHandle {
  /// The statement that a program means; nil for null and for what is finalized.
  @inline(__always)
  init?(_ handle: OpaquePointer?) {
    guard let state = live(handle, .statement, as: StatementState.self) else { return nil }
    self = state
  }

  var opaque: OpaquePointer { OpaquePointer(self) }

  /// Runs the function while no other thread is in the connection (threadsafe §1).
  @inline(__always)
  func locked<Result>(_ body: () -> Result) -> Result {
    #if !canImport(WASILibc)
      let lock = pointee.lock
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
    #endif
    return body()
  }

  /// What the function says of the statement that a program means, while no other thread compiles
  /// it again; `none` where there is none.
  static func ask<Answer>(
    _ handle: OpaquePointer?, otherwise none: Answer, _ body: (Statement) -> Answer
  ) -> Answer {
    guard let handle = StatementHandle(handle) else { return none }
    return handle.locked { handle.pointee.object._withUnsafeGuaranteedRef(body) }
  }

  /// A handle for a statement of the connection.
  ///
  /// - Parameter sql: The text of the statement, up to where the next one begins.
  static func make(
    _ statement: Statement, _ sql: UnsafeBufferPointer<UInt8>, flags: UInt32,
    of connection: ConnectionHandle
  ) throws(SQLError) -> StatementHandle {
    guard connection.core.engine != nil else { throw SQLError(.misuse) }
    guard let text = malloc(sql.count + 1)?.assumingMemoryBound(to: CChar.self) else {
      throw SQLError(.outOfMemory)
    }
    guard let handle = statementMemory.allocate() else {
      free(text)
      throw SQLError(.outOfMemory)
    }
    if let start = sql.baseAddress { memcpy(text, start, sql.count) }
    text[sql.count] = 0
    #if canImport(WASILibc)
      handle.initialize(
        to: StatementState(
          connection: connection, object: .passRetained(statement), row: statement.currentRow,
          sql: text, flags: flags))
    #else
      let mutex = connection.pointee.lentCore._withUnsafeGuaranteedRef { $0.lock.systemMutex }
      let lock = mutex.assumingMemoryBound(to: pthread_mutex_t.self)
      handle.initialize(
        to: StatementState(
          connection: connection, object: .passRetained(statement), row: statement.currentRow,
          lock: lock, sql: text, flags: flags))
    #endif
    statement.owner = UnsafeMutableRawPointer(handle)
    handle.enterList()
    return handle
  }

  private func enterList() {
    let connection = pointee.connection
    connection.locked { core in
      pointee.older = connection.pointee.newestStatement
      pointee.older?.pointee.newer = self
      connection.pointee.newestStatement = self
      core.dependentCount += 1
    }
  }

  private func leaveList() {
    let connection = pointee.connection
    connection.locked { _ in
      if let newer = pointee.newer {
        newer.pointee.older = pointee.older
      } else {
        connection.pointee.newestStatement = pointee.older
      }
      pointee.older?.pointee.newer = pointee.newer
    }
  }

  /// Ends the statement and its handle; the connection, too, if it only waited for that.
  func destroy() {
    let connection = pointee.connection
    leaveList()
    freeColumns()
    free(pointee.sql)
    for index in 0..<pointee.nameCount { pointee.names?[index].text.deallocate() }
    free(pointee.names)
    free(pointee.parameterNames)
    if !pointee.texts.isEmpty {
      for key in pointee.texts.keys { pointee.texts[key]?.deallocate() }
    }
    let statement = pointee.object
    deinitialize(count: 1)
    statementMemory.free(self)
    statement.release()
    connection.dependentEnds()
  }

  private func freeColumns() {
    guard let columns = pointee.columns else { return }
    for index in 0..<pointee.columnCapacity { columns[index].text.deallocate() }
    free(columns)
    pointee.columns = nil
  }

  /// A statement that is kept does not keep large texts and blobs that were read from it.
  @inline(__always)
  func forgetLargeColumns() {
    guard let columns = pointee.columns else { return }
    for index in 0..<pointee.columnCapacity { columns[index].text.deallocateLarge() }
  }

  /// A column of the current row as a value; nil where there is none, or no memory.
  @inline(__always)
  func column(_ index: Int32) -> ValueHandle? {
    guard let source = pointee.row.value(Int(index)) else { return nil }
    guard let columns = pointee.columns, Int(index) < pointee.columnCapacity else {
      return firstColumn(index, source)
    }
    let column = columns + Int(index)
    if column.pointee.generation != pointee.generation {
      column.pointee.renew(source, generation: pointee.generation)
    }
    return column
  }

  @inline(never)
  private func firstColumn(_ index: Int32, _ source: ValueReference) -> ValueHandle? {
    freeColumns()
    let count = pointee.row.columnCount
    guard let memory = malloc(count * MemoryLayout<ValueState>.stride) else { return nil }
    let columns = memory.bindMemory(to: ValueState.self, capacity: count)
    let loss = withUnsafeMutablePointer(to: &pointee.hasNoMemory) { $0 }
    for place in 0..<count {
      (columns + place).initialize(
        to: ValueState(pointee.row.value(place) ?? source, loss: loss))
    }
    pointee.columns = columns
    pointee.columnCapacity = count
    columns[Int(index)].generation = pointee.generation
    return columns + Int(index)
  }

  /// The name of a parameter; nil where it has none, or for want of memory. Its address stays.
  @inline(__always)
  func parameterName(_ index: Int32) -> UnsafePointer<CChar>? {
    let count = pointee.object._withUnsafeGuaranteedRef { $0.parameterCount }
    guard index > 0, Int(index) <= count else { return nil }
    guard let names = pointee.parameterNames ?? makeParameterNames(count) else { return nil }
    return UnsafePointer(names[Int(index) - 1])
  }

  /// A place for each parameter, and behind them the names, ended by zeros.
  @inline(never)
  private func makeParameterNames(
    _ count: Int
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    let statement = pointee.statement
    let places = count * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    var size = places
    statement.forEachParameterName { _, name in size += name.count + 1 }
    guard let memory = calloc(1, size) else { return nil }
    let names = memory.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: count)
    var end = (memory + places).bindMemory(to: CChar.self, capacity: size - places)
    statement.forEachParameterName { number, name in
      if let start = name.baseAddress { memcpy(end, start, name.count) }
      names[number - 1] = end
      end += name.count + 1
    }
    pointee.parameterNames = names
    return names
  }

  /// A text about a column or the statement, in memory that the statement keeps.
  func keep(
    _ text: String?, _ key: StatementState.TextKey
  ) -> UnsafeMutableRawPointer? {
    guard let text else { return nil }
    pointee.connection.core.enter()
    defer { pointee.connection.core.leave() }
    var kept = pointee.texts[key] ?? TerminatedText()
    text.withTextBytes { bytes in
      do throws(SQLError) {
        try kept.set(UnsafeRawBufferPointer(bytes), .utf8, key.encoding)
      } catch {
        kept.deallocate()
      }
    }
    pointee.texts[key] = kept
    return kept.bytes
  }

  /// Where a text in UTF-8 about a column is kept. What was kept of an earlier program is forgotten,
  /// its memory used again.
  @inline(__always)
  func columnText(
    _ column: Int, _ kind: StatementState.TextKey.Kind, of statement: Statement
  ) -> UnsafeMutablePointer<StatementState.ColumnText>? {
    let kinds = StatementState.TextKey.Kind.columnKindCount
    let index = column * kinds + kind.rawValue
    assert(kind.rawValue < kinds, "the text is about a column")
    if pointee.namesVersion == statement.programVersion, index < pointee.nameCount {
      return pointee.names.map { $0 + index }
    }
    return renewNames(statement.columnCount * kinds, statement).map { $0 + index }
  }

  @inline(never)
  private func renewNames(
    _ count: Int, _ statement: Statement
  ) -> UnsafeMutablePointer<StatementState.ColumnText>? {
    for index in 0..<pointee.nameCount { pointee.names?[index].isKnown = false }
    pointee.namesVersion = statement.programVersion
    guard pointee.nameCount < count else { return pointee.names }
    let stride = MemoryLayout<StatementState.ColumnText>.stride
    guard let memory = realloc(pointee.names, count * stride) else { return nil }
    let names = memory.bindMemory(to: StatementState.ColumnText.self, capacity: count)
    let added = count - pointee.nameCount
    (names + pointee.nameCount).initialize(repeating: StatementState.ColumnText(), count: added)
    pointee.names = names
    pointee.nameCount = count
    return names
  }
}
