import CSQLite3
import MartletC

/// The calls of one thread.
struct Calls {
  let handles: Handles
  var input: Input
  /// Nobody else uses the handles, so that they may be closed.
  let isAlone: Bool
  /// A function that is called by a statement calls others, but not for ever.
  var depth = 0

  mutating func callAny() {
    switch input.below(10) {
    case 0: callOfConnection()
    case 1: callThatDefines()
    case 2, 3, 4: callThatPreparesOrSteps()
    case 5: callOfColumn()
    case 6: callThatBinds()
    case 7: callOfStatement()
    case 8: callOfBlobOrBackup()
    default: callOfLibrary()
    }
  }

  // MARK: Arguments

  mutating func database() -> OpaquePointer? { handles.databases[input.below(4)] }
  mutating func statement() -> OpaquePointer? { handles.statements[input.below(6)] }

  mutating func number() -> Int32 {
    let numbers: [Int32] = [0, 1, 2, 3, 4, 5, 10, 100, -1, -2, 1_000_000, .min, .max]
    return numbers[input.below(numbers.count)]
  }

  mutating func wide() -> Int64 {
    let numbers: [Int64] = [0, 1, 2, 3, -1, .min, .max, 1 << 32, 1 << 31, 50_000]
    return numbers[input.below(numbers.count)]
  }

  static let texts: [StaticString?] = [
    nil, "", "main", "temp", "t", "a", "b", "f", "SELECT 1", "SELECT * FROM t WHERE a=?1 AND b=:x",
    "INSERT INTO t VALUES(?, ?, 3, 4)", "nonsense", "DELETE FROM t WHERE a > ?",
    "PRAGMA user_version", "BEGIN", "COMMIT", "ROLLBACK", "SELECT a, b, a + 1.5, x'0102', NULL FROM t",
    "CREATE TABLE IF NOT EXISTS u(x)", ";;", "-- comment", "SELECT f(a, b) FROM t",
    "SELECT f(1), f(NULL, ?1), f()", "SELECT g(a) FROM t GROUP BY b", "UPDATE t SET b = f(a, d)",
    "SELECT b FROM t ORDER BY b COLLATE f", "DROP TABLE t", "SAVEPOINT s", "RELEASE s",
    "SELECT g(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t", "VACUUM", "ATTACH 'other' AS o",
    "DETACH o", "SELECT * FROM o.sqlite_schema", "PRAGMA journal_mode = wal",
    "EXPLAIN SELECT * FROM t", "CREATE VIRTUAL TABLE x USING f", "INSERT INTO t(b) VALUES(?1) RETURNING *",
    "SELECT * FROM json_each(?1)", "CREATE INDEX ti ON t(f(a))", "ALTER TABLE t ADD COLUMN e",
    "PRAGMA encoding = 'UTF-16'", "file:other?mode=rwc", ":memory:",
  ]

  /// A constant text, which lives for ever.
  mutating func text() -> UnsafePointer<CChar>? {
    guard let text = Calls.texts[input.below(Calls.texts.count)] else { return nil }
    return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// A constant text, never none.
  mutating func word() -> UnsafePointer<CChar> { text() ?? Calls.empty }

  nonisolated(unsafe) private static let empty = UnsafePointer<CChar>(strdup("")!)
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  // MARK: Calls

  private mutating func callOfConnection() {
    let database = database()
    var first: Int32 = 0, second: Int32 = 0
    switch input.below(24) {
    case 0: _ = (sqlite3_errcode(database), sqlite3_extended_errcode(database))
    case 1: _ = (sqlite3_errmsg(database), sqlite3_errmsg16(database))
    case 2: _ = (sqlite3_error_offset(database), sqlite3_system_errno(database))
    case 3: _ = (sqlite3_changes(database), sqlite3_total_changes64(database))
    case 4: sqlite3_set_last_insert_rowid(database, wide())
    case 5: _ = (sqlite3_get_autocommit(database), sqlite3_txn_state(database, text()))
    case 6: sqlite3_interrupt(database)
    case 7: sqlite3_busy_timeout(database, number() & 1)
    case 8:
      let category = number()
      sqlite3_limit(database, category, min(number(), 30_000))
    case 9: _ = (sqlite3_db_readonly(database, text()), sqlite3_db_name(database, number()))
    case 10: _ = sqlite3_db_filename(database, text())
    case 11: _ = (sqlite3_db_cacheflush(database), sqlite3_db_release_memory(database))
    case 12:
      sqlite3_table_column_metadata(
        database, text(), text(), text(), nil, nil, &first, nil, &second)
    case 13: sqlite3_set_clientdata(database, "f", nil, nil)
    case 14, 15, 16: sqlite3_exec(database, text(), nil, nil, nil)
    case 17:
      var table: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      sqlite3_get_table(database, text(), &table, &first, &second, nil)
      sqlite3_free_table(table)
    case 18: sqlite3_db_status(database, number(), &first, &second, input.below(2) == 0 ? 0 : 1)
    case 19: sqlite3_file_control(database, text(), SQLITE_FCNTL_DATA_VERSION, &first)
    case 20: sqlite3_extended_result_codes(database, number() & 1)
    case 21: sqlite3_wal_checkpoint_v2(database, text(), number() & 3, &first, &second)
    case 22: sqlite3_set_errmsg(database, number(), text())
    default: reopen()
    }
  }

  private mutating func reopen() {
    let place = 1 + input.below(2)
    guard isAlone, depth == 0, let old = handles.databases[place] else { return }
    if input.below(2) == 0 {
      // Its statements live on, and it with them.
      sqlite3_close_v2(old)
      handles.databases[place] = nil
    } else if sqlite3_close(old) != SQLITE_OK {
      return
    }
    handles.open(place, input.below(2) == 0 ? ":memory:" : "main")
  }

  private mutating func callThatPreparesOrSteps() {
    switch input.below(8) {
    case 0, 1:
      let place = 1 + input.below(4)
      var made: OpaquePointer?
      let database = database(), text = text()
      let length: Int32 = input.below(4) == 0 ? Int32(text.map { strnlen($0, 200) } ?? 0) : -1
      var tail: UnsafePointer<CChar>?
      sqlite3_prepare_v3(database, text, length, UInt32(input.below(8)), &made, &tail)
      keep(made, at: place)
    case 2:
      // Text of the input itself.
      let sql = Array(input.take(input.below(200)))
      let place = 1 + input.below(4)
      var made: OpaquePointer?
      let database = database()
      sql.withUnsafeBytes { bytes in
        _ = sqlite3_prepare_v2(
          database, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
          &made, nil)
      }
      keep(made, at: place)
    case 3: if isAlone { finalize(1 + input.below(4)) } else { sqlite3_reset(statement()) }
    case 4: sqlite3_reset(statement())
    default: sqlite3_step(statement())
    }
  }

  /// What was there stays dead where it was, or is replaced.
  private func keep(_ made: OpaquePointer?, at place: Int) {
    guard let made else { return }
    guard isAlone else {
      sqlite3_step(made)
      sqlite3_finalize(made)
      return
    }
    sqlite3_finalize(handles.statements[place])
    handles.statements[place] = made
  }

  private func finalize(_ place: Int) { sqlite3_finalize(handles.statements[place]) }

  private mutating func callOfColumn() {
    let statement = statement(), column = number()
    switch input.below(10) {
    case 0: _ = (sqlite3_data_count(statement), sqlite3_column_count(statement))
    case 1: _ = (sqlite3_column_type(statement, column), sqlite3_column_int64(statement, column))
    case 2: _ = sqlite3_column_double(statement, column)
    case 3: if let text = sqlite3_column_text(statement, column), isAlone { _ = text[0] }
    case 4:
      _ = sqlite3_column_text16(statement, column)
      _ = sqlite3_column_bytes16(statement, column)
    case 5:
      let bytes = sqlite3_column_blob(statement, column)
      let count = sqlite3_column_bytes(statement, column)
      if let bytes, count > 0, isAlone {
        Session.sum &+= Int(bytes.load(fromByteOffset: Int(count) - 1, as: UInt8.self))
      }
    case 6:
      guard isAlone else { return }
      let value = sqlite3_column_value(statement, column)
      use(value)
      let copy = sqlite3_value_dup(value), place = input.below(2)
      sqlite3_value_free(handles.values[place])
      handles.values[place] = copy
    case 7: _ = (sqlite3_column_name(statement, column), sqlite3_column_name16(statement, column))
    case 8:
      _ = (sqlite3_column_decltype(statement, column), sqlite3_column_origin_name(statement, column))
    default:
      _ = sqlite3_column_table_name16(statement, column)
      _ = sqlite3_column_database_name(statement, column)
    }
  }

  func use(_ value: OpaquePointer?) {
    _ = (sqlite3_value_type(value), sqlite3_value_numeric_type(value), sqlite3_value_int64(value))
    _ = (sqlite3_value_text(value), sqlite3_value_bytes16(value), sqlite3_value_text16(value))
    _ = (sqlite3_value_blob(value), sqlite3_value_bytes(value), sqlite3_value_subtype(value))
    _ = (sqlite3_value_encoding(value), sqlite3_value_frombind(value), sqlite3_value_nochange(value))
  }

  private mutating func callThatBinds() {
    let statement = statement(), place = number()
    switch input.below(12) {
    case 0: sqlite3_bind_null(statement, place)
    case 1: sqlite3_bind_int64(statement, place, wide())
    case 2: sqlite3_bind_double(statement, place, Double(wide()))
    case 3: sqlite3_bind_text(statement, place, text(), -1, Calls.transient)
    case 4: sqlite3_bind_text(statement, place, text(), min(number(), 0), nil)
    case 5:
      sqlite3_bind_text64(
        statement, place, "abcdefgh", UInt64(input.below(8)), Calls.transient, input.byte() & 7)
    case 6: sqlite3_bind_blob(statement, place, "abcdefgh", Int32(input.below(8)), Calls.transient)
    case 7: sqlite3_bind_blob(statement, place, nil, number(), nil)
    case 8: sqlite3_bind_zeroblob(statement, place, number())
    case 9: sqlite3_bind_zeroblob64(statement, place, UInt64(bitPattern: wide()))
    case 10: sqlite3_bind_value(statement, place, handles.values[input.below(2)])
    default: sqlite3_clear_bindings(statement)
    }
  }

  private mutating func callOfStatement() {
    let statement = statement()
    switch input.below(9) {
    case 0:
      _ = sqlite3_bind_parameter_count(statement)
      _ = sqlite3_bind_parameter_name(statement, number())
    case 1: _ = sqlite3_bind_parameter_index(statement, text())
    case 2:
      _ = sqlite3_sql(statement)
      sqlite3_free(sqlite3_expanded_sql(statement))
    case 3: _ = (sqlite3_stmt_readonly(statement), sqlite3_stmt_isexplain(statement))
    case 4: sqlite3_stmt_explain(statement, number())
    case 5: sqlite3_stmt_status(statement, number(), number() & 1)
    case 6: _ = sqlite3_next_stmt(database(), input.below(2) == 0 ? nil : statement)
    case 7: _ = (sqlite3_db_handle(statement), sqlite3_stmt_busy(statement))
    default: _ = sqlite3_normalized_sql(statement)
    }
  }

  private mutating func callOfBlobOrBackup() {
    let place = input.below(3)
    let blob = handles.blobs[place], backup = handles.backups[place]
    var buffer: (Int64, Int64) = (0, 0)
    switch input.below(12) {
    case 0, 1:
      var made: OpaquePointer?
      let column = input.below(2) == 0 ? "b" : "d"
      guard isAlone,
        sqlite3_blob_open(
          database(), "main", "t", column, wide(), number() & 1, &made) == SQLITE_OK
      else { return }
      sqlite3_blob_close(handles.blobs[1])
      handles.blobs[1] = made
    case 2:
      _ = sqlite3_blob_bytes(blob)
      sqlite3_blob_reopen(blob, wide())
    case 3: sqlite3_blob_read(blob, &buffer, Int32(input.below(16)), number())
    case 4: sqlite3_blob_write(blob, "abcdefghijklmnop", Int32(input.below(16)), number())
    case 5: if isAlone { sqlite3_blob_close(blob) }
    case 6:
      guard isAlone, let made = sqlite3_backup_init(database(), "main", database(), text()) else {
        return
      }
      sqlite3_backup_finish(handles.backups[1])
      handles.backups[1] = made
    case 7: sqlite3_backup_step(backup, number())
    case 8: _ = (sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup))
    case 9: if isAlone { sqlite3_backup_finish(backup) }
    case 10:
      var count: Int64 = 0
      sqlite3_free(sqlite3_serialize(database(), text(), &count, UInt32(input.below(2))))
    default: deserialize()
    }
  }

  private mutating func deserialize() {
    let bytes = Array(input.take(input.below(256)))
    guard isAlone, let copy = sqlite3_malloc(Int32(bytes.count) + 16) else { return }
    for (index, byte) in bytes.enumerated() {
      copy.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
    sqlite3_deserialize(
      database(), text(), copy.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
      Int64(bytes.count) + 16, UInt32(SQLITE_DESERIALIZE_FREEONCLOSE) | UInt32(input.below(8)))
  }

  private mutating func callOfLibrary() {
    var current: Int64 = 0, highest: Int64 = 0
    switch input.below(14) {
    case 0: sqlite3_status64(number(), &current, &highest, 0)
    case 1: sqlite3_complete(word())
    case 2: _ = (sqlite3_stricmp(text(), text()), sqlite3_strglob(word(), text()))
    case 3: _ = sqlite3_strlike(word(), text(), UInt32(input.byte()))
    case 4: _ = (sqlite3_vfs_find(text()), sqlite3_uri_parameter(nil, text()))
    case 5: _ = (sqlite3_keyword_check(word(), number()), sqlite3_errstr(number()))
    case 6: _ = (sqlite3_finalize(nil), sqlite3_reset(nil), sqlite3_close(nil), sqlite3_close_v2(nil))
    case 7: sqlite3_free(sqlite3_malloc(number()))
    case 8: reallocate(to: UInt64(bitPattern: wide()))
    case 9: _ = (sqlite3_result_null(nil), sqlite3_user_data(nil), sqlite3_context_db_handle(nil))
    case 10: _ = (sqlite3_value_type(nil), sqlite3_value_text(nil), sqlite3_value_dup(nil))
    case 11: sqlite3_soft_heap_limit64(wide())
    case 12: _ = sqlite3_compileoption_used(word())
    default: buildString()
    }
  }

  private func reallocate(to byteCount: UInt64) {
    let memory = sqlite3_malloc64(20)
    let moved = sqlite3_realloc64(memory, byteCount)
    // What could not be moved is still there.
    sqlite3_free(byteCount == 0 ? nil : moved ?? memory)
  }

  private mutating func buildString() {
    let string = sqlite3_str_new(database())
    for _ in 0..<input.below(6) {
      switch input.below(6) {
      case 0: sqlite3_str_append(string, "abcdefgh", Int32(input.below(8)))
      case 1: sqlite3_str_appendall(string, word())
      case 2: sqlite3_str_appendchar(string, min(number(), 100_000), CChar(truncatingIfNeeded: number()))
      case 3: sqlite3_str_reset(string)
      case 4: _ = (sqlite3_str_errcode(string), sqlite3_str_length(string), sqlite3_str_value(string))
      default:
        let format = Array(input.take(input.below(20))) + [0]
        format.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
          // Without arguments that are pointers: their letters would make any number one. And
          // without large widths: nothing but the memory bounds a string of no connection.
          let letters = bytes.map { UInt8($0) }
          guard !letters.contains(where: { "szqQwnTSpr*".utf8.contains($0) }) else { return }
          guard letters.count(where: { $0 &- 48 < 10 }) < 5 else { return }
          withVaList([Int64(wideIn: letters), 1.5, 3, 4.5, 5, 6, 7, 8]) {
            sqlite3_str_vappendf(string, start, $0)
          }
        }
      }
    }
    sqlite3_free(sqlite3_str_finish(string))
  }
}

extension Int64 {
  fileprivate init(wideIn bytes: [UInt8]) { self = Int64(bytes.count) &* 0x1234_5678_9abc }
}
