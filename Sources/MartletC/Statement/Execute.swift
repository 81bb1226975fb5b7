// Statements in one call (c3ref/exec, c3ref/free_table).
import CSQLite3
import MartletEngine

typealias CStringArray = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
typealias RowCallback =
  @convention(c) (UnsafeMutableRawPointer?, Int32, CStringArray?, CStringArray?) -> Int32

@c @implementation
public func sqlite3_exec(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!,
  _ callback: (
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32
  )!, _ data: UnsafeMutableRawPointer!,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  message?.pointee = nil
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return SQLITE_MISUSE
  }
  engine.enter()
  defer { engine.leave() }
  handle.clear()
  var rest = UnsafePointer<CChar>(sql ?? permanentCString(""))
  var code = SQLITE_OK
  while code == SQLITE_OK && rest.pointee != 0 {
    var statement: OpaquePointer?, tail: UnsafePointer<CChar>?
    code = sqlite3_prepare_v2(database, rest, -1, &statement, &tail)
    guard code == SQLITE_OK else { break }
    rest = tail ?? rest
    if let statement { code = run(statement, handle, callback, data) }
    while isspace(Int32(rest.pointee)) != 0 { rest += 1 }
  }
  if code != SQLITE_OK, let message {
    message.pointee = allocatedCString(String(fileName: sqlite3_errmsg(database)))
  }
  return code
}

/// Runs a statement of a script and finalizes it.
private func run(
  _ statement: OpaquePointer, _ handle: ConnectionHandle, _ callback: RowCallback?,
  _ data: UnsafeMutableRawPointer?
) -> Int32 {
  let tellsOfNoRows = handle.core.engine?.callsBackWithoutRows ?? false
  // The first step may compile the statement again, for another schema.
  var code = sqlite3_step(statement)
  if let callback, code == SQLITE_ROW || code == SQLITE_DONE && tellsOfNoRows {
    guard tell(callback, data, of: statement, &code) else {
      sqlite3_finalize(statement)
      return handle.fail(SQLITE_ABORT)
    }
  }
  while code == SQLITE_ROW { code = sqlite3_step(statement) }
  return sqlite3_finalize(statement)
}

/// Calls back with the row that `code` says there is, and with those behind it, until the callback
/// wants no more: false then.
private func tell(
  _ callback: RowCallback, _ data: UnsafeMutableRawPointer?, of statement: OpaquePointer,
  _ code: inout Int32
) -> Bool {
  let count = Int(sqlite3_column_count(statement))
  return withUnsafeTemporaryAllocation(
    of: UnsafeMutablePointer<CChar>?.self, capacity: 2 * count + 2
  ) { buffer in
    let values = buffer.baseAddress.unsafelyUnwrapped, names = values + count + 1
    for index in 0...count { values[index] = nil }
    for index in 0..<count {
      names[index] = UnsafeMutablePointer(mutating: sqlite3_column_name(statement, Int32(index)))
    }
    names[count] = nil
    guard code == SQLITE_ROW else { return callback(data, Int32(count), nil, names) == 0 }
    repeat {
      for index in 0..<count {
        let text = UnsafeMutablePointer(mutating: sqlite3_column_text(statement, Int32(index)))
        values[index] = text.map {
          UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self)
        }
      }
      if callback(data, Int32(count), values, names) != 0 { return false }
      code = sqlite3_step(statement)
    } while code == SQLITE_ROW
    return true
  }
}

// MARK: - Tables

/// What `sqlite3_get_table` collects: the names of the columns, then the values row by row, as
/// copies that the program frees all at once.
private final class TableResult {
  var cells: [UnsafeMutablePointer<CChar>?] = [nil]
  var columnCount: Int32 = 0
  var rowCount: Int32 = 0
  var code = SQLITE_OK

  func append(_ text: UnsafeMutablePointer<CChar>?) -> Bool {
    guard let text else {
      cells.append(nil)
      return true
    }
    let size = strlen(text) + 1
    guard let copy = sqlite3_malloc64(sqlite3_uint64(size)) else { return false }
    copy.copyMemory(from: text, byteCount: size)
    cells.append(copy.assumingMemoryBound(to: CChar.self))
    return true
  }

  func freeCells() {
    for cell in cells { sqlite3_free(cell) }
  }
}

@c @implementation
public func sqlite3_get_table(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>!,
  _ rowCount: UnsafeMutablePointer<Int32>!, _ columnCount: UnsafeMutablePointer<Int32>!,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  message?.pointee = nil
  guard let handle = ConnectionHandle(database), let result else { return SQLITE_MISUSE }
  result.pointee = nil
  rowCount?.pointee = 0
  columnCount?.pointee = 0
  let table = TableResult()
  var text: UnsafeMutablePointer<CChar>?
  var code = sqlite3_exec(
    database, sql, collectRow, Unmanaged.passUnretained(table).toOpaque(), &text)
  if code & 0xff == SQLITE_ABORT && table.code != SQLITE_OK {
    handle.core.enter()
    code = handle.note(table.code)
    handle.core.leave()
    sqlite3_free(text)
    text = tableMessage(table.code).flatMap { allocatedCString($0) }
  }
  guard code == SQLITE_OK,
    let memory = sqlite3_malloc64(
      sqlite3_uint64(table.cells.count * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride))
  else {
    table.freeCells()
    if let message { message.pointee = text } else { sqlite3_free(text) }
    return code == SQLITE_OK ? handle.fail(SQLITE_NOMEM) : code
  }
  // The place in front of what the program gets says how many there are.
  table.cells[0] = UnsafeMutablePointer(bitPattern: table.cells.count)
  let cells = memory.bindMemory(
    to: UnsafeMutablePointer<CChar>?.self, capacity: table.cells.count)
  cells.initialize(from: table.cells, count: table.cells.count)
  result.pointee = cells + 1
  rowCount?.pointee = table.rowCount
  columnCount?.pointee = table.columnCount
  return SQLITE_OK
}

private func tableMessage(_ code: Int32) -> String? {
  code == SQLITE_ERROR
    ? "sqlite3_get_table() called with two or more incompatible queries" : nil
}

private let collectRow: RowCallback = { data, count, values, names in
  guard let data else { return 1 }
  let table = Unmanaged<TableResult>.fromOpaque(data).takeUnretainedValue()
  if table.cells.count == 1 {
    table.columnCount = count
    for index in 0..<Int(count) where !table.append(names?[index]) {
      table.code = SQLITE_NOMEM
      return 1
    }
  } else if table.columnCount != count {
    table.code = SQLITE_ERROR
    return 1
  }
  guard let values else { return 0 }
  for index in 0..<Int(count) where !table.append(values[index]) {
    table.code = SQLITE_NOMEM
    return 1
  }
  table.rowCount += 1
  return 0
}

@c @implementation
public func sqlite3_free_table(
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) {
  guard let result else { return }
  let cells = result - 1
  let count = Int(bitPattern: cells[0])
  for index in 1..<max(1, count) { sqlite3_free(cells[index]) }
  sqlite3_free(cells)
}
