import CSQLite3
import MartletC

/// Functions, collations and hooks in C, which make calls of their own.
extension Calls {
  mutating func callThatDefines() {
    let database = database(), count = number(), encoding = number()
    // Only the input's own thread makes calls inside of a function.
    let pointer = isAlone ? Unmanaged.passUnretained(handles).toOpaque() : nil
    switch input.below(9) {
    case 0, 1:
      sqlite3_create_function_v2(database, "f", count, encoding, pointer, Calls.scalar, nil, nil, nil)
    case 2:
      sqlite3_create_function_v2(
        database, "g", count, encoding, pointer, nil, Calls.step, Calls.final, nil)
    case 3:
      sqlite3_create_window_function(
        database, "g", count, encoding, pointer, Calls.step, Calls.final, Calls.final, Calls.step, nil)
    case 4: sqlite3_create_function_v2(database, text(), count, encoding, nil, nil, nil, nil, nil)
    case 5:
      sqlite3_create_collation_v2(
        database, "f", encoding, nil, { _, first, _, second, _ in first < second ? -1 : 1 }, nil)
    case 6:
      sqlite3_update_hook(database, { _, _, _, _, _ in }, nil)
      sqlite3_commit_hook(database, { _ in 1 }, nil)
    case 7: sqlite3_set_authorizer(database, { _, code, _, _, _, _ in code == 20 ? 2 : 0 }, nil)
    default: sqlite3_trace_v2(database, UInt32(input.below(16)), { _, _, _, _ in 0 }, nil)
    }
  }

  private static let scalar: @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, count, values in
    var seed = count
    for index in 0..<Int(count) {
      let value = values?[index]
      seed &+= Int32(truncatingIfNeeded: sqlite3_value_int64(value))
      _ = (sqlite3_value_text16(value), sqlite3_value_text(value), sqlite3_value_bytes(value))
    }
    result(context, seed, count > 0 ? values?[0] : nil)
    guard let pointer = sqlite3_user_data(context) else { return }
    // SQL on the connection that calls, and on the statement that calls.
    let handles = Unmanaged<Handles>.fromOpaque(pointer).takeUnretainedValue()
    switch seed & 7 {
    case 0: sqlite3_exec(sqlite3_context_db_handle(context), "DELETE FROM t WHERE a = 1", nil, nil, nil)
    case 1: sqlite3_step(handles.statements[Int(seed >> 3 & 3)])
    case 2: sqlite3_reset(handles.statements[Int(seed >> 3 & 3)])
    case 3: sqlite3_exec(sqlite3_context_db_handle(context), "ROLLBACK", nil, nil, nil)
    default: break
    }
  }

  private static func result(_ context: OpaquePointer?, _ seed: Int32, _ value: OpaquePointer?) {
    switch seed & 15 {
    case 0: sqlite3_result_int64(context, Int64(seed) &* .max)
    case 1: sqlite3_result_text(context, "text", Int32(seed >> 4 & 3), Calls.transient)
    case 2: sqlite3_result_blob64(context, "blob", UInt64(seed >> 4 & 3), Calls.transient)
    case 3: sqlite3_result_zeroblob64(context, UInt64(bitPattern: Int64(seed) << 20))
    case 4: sqlite3_result_error(context, "error", Int32(seed >> 4 & 3))
    case 5: sqlite3_result_error_code(context, seed >> 4)
    case 6: sqlite3_result_value(context, value)
    case 7: sqlite3_result_text64(context, "abcdef", UInt64(seed >> 4 & 3), Calls.transient, UInt8(seed >> 6 & 7))
    case 8: sqlite3_result_error_toobig(context)
    case 9: sqlite3_result_double(context, .nan)
    case 10: sqlite3_result_subtype(context, 74)
    case 11: sqlite3_set_auxdata(context, seed >> 4, nil, nil)
    default: sqlite3_result_null(context)
    }
  }

  private static let step: @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, count, values in
    let size = count > 0 ? Int32(truncatingIfNeeded: sqlite3_value_int64(values?[0])) : 8
    _ = sqlite3_aggregate_context(context, min(size, 1_000))
    if size == 7 { sqlite3_result_error(context, "seven", -1) }
  }

  private static let final: @convention(c) (OpaquePointer?) -> Void = { context in
    let memory = sqlite3_aggregate_context(context, 0)
    sqlite3_result_int64(context, memory == nil ? 0 : 1)
  }
}
