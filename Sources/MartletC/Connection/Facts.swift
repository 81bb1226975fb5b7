// What a connection is and has done (c3ref/changes, c3ref/db_filename, c3ref/limit …).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_changes(_ database: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: sqlite3_changes64(database))
}

@c @implementation
public func sqlite3_changes64(_ database: OpaquePointer!) -> sqlite3_int64 {
  engine(database)?.changes ?? 0
}

@c @implementation
public func sqlite3_total_changes(_ database: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: sqlite3_total_changes64(database))
}

@c @implementation
public func sqlite3_total_changes64(_ database: OpaquePointer!) -> sqlite3_int64 {
  engine(database)?.totalChanges ?? 0
}

@c @implementation
public func sqlite3_last_insert_rowid(_ database: OpaquePointer!) -> sqlite3_int64 {
  engine(database)?.lastInsertRowID ?? 0
}

@c @implementation
public func sqlite3_set_last_insert_rowid(_ database: OpaquePointer!, _ rowID: sqlite3_int64) {
  engine(database)?.lastInsertRowID = rowID
}

@c @implementation
public func sqlite3_get_autocommit(_ database: OpaquePointer!) -> Int32 {
  engine(database)?.isAutocommit ?? false ? 1 : 0
}

@c @implementation
public func sqlite3_txn_state(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!
) -> Int32 {
  guard let state = engine(database)?.transactionState(of: string(schema)) else { return -1 }
  return Int32(state.rawValue)
}

@c @implementation
public func sqlite3_interrupt(_ database: OpaquePointer!) { engine(database)?.interrupt() }

@c @implementation
public func sqlite3_is_interrupted(_ database: OpaquePointer!) -> Int32 {
  engine(database)?.isInterrupted ?? false ? 1 : 0
}

@c @implementation
public func sqlite3_busy_timeout(_ database: OpaquePointer!, _ milliseconds: Int32) -> Int32 {
  report(database) { $0.busyTimeout = Int(milliseconds) }
}

@c @implementation
public func sqlite3_setlk_timeout(
  _ database: OpaquePointer!, _ milliseconds: Int32, _ flags: Int32
) -> Int32 {
  guard let engine = engine(database) else { return SQLITE_MISUSE }
  guard milliseconds >= -1 else { return SQLITE_RANGE }
  engine.waitForLogs(
    milliseconds: Int(milliseconds), blocksOnConnect: flags & SQLITE_SETLK_BLOCK_ON_CONNECT != 0)
  return SQLITE_OK
}

@c @implementation
public func sqlite3_busy_handler(
  _ database: OpaquePointer!,
  _ handler: (@convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32)!,
  _ data: UnsafeMutableRawPointer!
) -> Int32 {
  nonisolated(unsafe) let data = data
  return report(database) { connection in
    guard let handler else { return connection.busyHandler = nil }
    connection.busyHandler = { attempt in
      handler(data, Int32(truncatingIfNeeded: attempt)) != 0
    }
  }
}

@c @implementation
public func sqlite3_limit(_ database: OpaquePointer!, _ id: Int32, _ value: Int32) -> Int32 {
  guard let engine = engine(database), let category = LimitCategory(rawValue: id) else {
    return -1
  }
  let old = engine.limit(category)
  if value >= 0 { engine.setLimit(category, to: Int(value)) }
  return Int32(truncatingIfNeeded: old)
}

@c @implementation
public func sqlite3_db_readonly(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> Int32 {
  guard let isReadOnly = engine(database)?.isReadOnly(database: string(name) ?? "main") else {
    return -1
  }
  return isReadOnly ? 1 : 0
}

@c @implementation
public func sqlite3_db_name(
  _ database: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return nil
  }
  let names = engine.databaseNames
  guard names.indices.contains(Int(index)) else { return nil }
  return handle.keep(names[Int(index)])
}

extension ConnectionHandle {
  /// A text that the program may look at until the connection is closed.
  func keep(_ text: String) -> UnsafePointer<CChar>? {
    core.enter()
    defer { core.leave() }
    if let known = core.keptTexts[ExactText(text)] { return UnsafePointer(known) }
    let copy = text.withFileName { strdup($0) }
    core.keptTexts[ExactText(text)] = copy
    return copy.map { UnsafePointer($0) }
  }
}

@c @implementation
public func sqlite3_db_cacheflush(_ database: OpaquePointer!) -> Int32 {
  guard let engine = engine(database) else { return SQLITE_MISUSE }
  // The connection's own error stays as it is.
  return resultCode { () throws(SQLError) in try engine.flushCaches() }
}

@c @implementation
public func sqlite3_db_release_memory(_ database: OpaquePointer!) -> Int32 {
  report(database) { $0.releaseMemory() }
}

@c @implementation
public func sqlite3_table_column_metadata(
  _ database: OpaquePointer!, _ databaseName: UnsafePointer<CChar>!,
  _ table: UnsafePointer<CChar>!, _ column: UnsafePointer<CChar>!,
  _ type: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
  _ collation: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
  _ isNotNull: UnsafeMutablePointer<Int32>!, _ isPrimaryKey: UnsafeMutablePointer<Int32>!,
  _ isAutoincrement: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let table = string(table) else {
    return SQLITE_MISUSE
  }
  type?.pointee = nil
  collation?.pointee = nil
  isNotNull?.pointee = 0
  isPrimaryKey?.pointee = 0
  isAutoincrement?.pointee = 0
  return handle.conclude { connection throws(SQLError) in
    let known: ColumnMetadata
    if let column = string(column) {
      known = try connection.metadata(
        ofColumn: column, table: table, database: string(databaseName))
    } else {
      try connection.checkTable(table, database: string(databaseName))
      known = .rowid
    }
    type?.pointee = known.declaredType.flatMap { handle.keep($0) }
    collation?.pointee = handle.keep(known.collation)
    isNotNull?.pointee = known.isNotNull ? 1 : 0
    isPrimaryKey?.pointee = known.isPrimaryKey ? 1 : 0
    isAutoincrement?.pointee = known.isAutoincrement ? 1 : 0
  }
}

// MARK: - Client data

/// What the program keeps at a connection under a name (c3ref/get_clientdata).
struct ClientData {
  let pointer: UnsafeMutableRawPointer
  let destroy: Destructor?
}

public typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

@c @implementation
public func sqlite3_get_clientdata(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> UnsafeMutableRawPointer! {
  guard let handle = ConnectionHandle(database), let name = string(name) else { return nil }
  handle.core.enter()
  defer { handle.core.leave() }
  return handle.core.clientData[ExactText(name)]?.pointer
}

@c @implementation
public func sqlite3_set_clientdata(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ data: UnsafeMutableRawPointer!,
  _ destroy: Destructor!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let name = string(name) else {
    if let data { destroy?(data) }
    return SQLITE_MISUSE
  }
  handle.core.enter()
  let old = handle.core.clientData[ExactText(name)]
  handle.core.clientData[ExactText(name)] = data.map { ClientData(pointer: $0, destroy: destroy) }
  handle.core.leave()
  if let old { old.destroy?(old.pointer) }
  return SQLITE_OK
}

extension ConnectionCore {
  /// The connection is closed: nobody can ask for the data any more.
  func freeClientData() {
    let data = clientData.values
    clientData = [:]
    for item in data { item.destroy?(item.pointer) }
  }
}
