// The text of a statement without its literals (c3ref/expanded_sql).
import CSQLite3
import MartletEngine

/// Kept by the statement.
@c @implementation
public func sqlite3_normalized_sql(_ statement: OpaquePointer!) -> UnsafePointer<CChar>! {
  guard let handle = StatementHandle(statement) else { return nil }
  let text: String
  do throws(SQLError) {
    let normalized = try NormalizedSQL.bytes(of: bytes(handle.pointee.sql))
    text = normalized.withUnsafeBytes { String(fileNameBytes: $0) }
  } catch {
    return nil
  }
  let key = StatementState.TextKey(index: 0, kind: .normalized, encoding: .utf8)
  return handle.keep(text, key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
}
