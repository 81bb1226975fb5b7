// The SQL function load_extension() (lang_corefunc §3).
import CSQLite3
import MartletEngine

extension ConnectionHandle {
  /// Makes the function, which is refused until the program allows it.
  func createLoadExtension() {
    for count: Int32 in 1...2 {
      sqlite3_create_function_v2(
        opaque, "load_extension", count, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
        { context, count, values in load(context, count, values) }, nil, nil, nil)
    }
  }
}

private func load(
  _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let call = ContextHandle(context), let values else { return }
  let handle = call.pointee.connection
  guard handle.core.sqlLoadsExtensions else {
    return sqlite3_result_error(context, "not authorized", -1)
  }
  guard let file = sqlite3_value_text(values[0]) else { return }
  let entry = count == 2 ? sqlite3_value_text(values[1]) : nil
  var message: UnsafeMutablePointer<CChar>?
  let code = UnsafeRawPointer(file).withMemoryRebound(to: CChar.self, capacity: 1) { file in
    sqlite3_load_extension(
      handle.opaque, file,
      entry.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }, &message)
  }
  if code != SQLITE_OK { sqlite3_result_error(context, message, -1) }
  sqlite3_free(message)
}
