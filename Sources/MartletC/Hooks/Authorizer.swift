// Asking the program what statements may do (c3ref/set_authorizer).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_set_authorizer(
  _ database: OpaquePointer!,
  _ authorizer: (
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafePointer<CChar>?
    ) -> Int32
  )!, _ data: UnsafeMutableRawPointer!
) -> Int32 {
  nonisolated(unsafe) let data = data
  return report(database) { connection in
    guard let authorizer else { return connection.authorizer = nil }
    connection.authorizer = { action, first, second, database, view in
      let answer = withCStrings(first, second) { first, second in
        withCStrings(database, view) { database, view in
          authorizer(data, action.rawValue, first, second, database, view)
        }
      }
      switch answer {
      case SQLITE_OK: return .allow
      case SQLITE_DENY: return .deny
      case SQLITE_IGNORE: return .ignore
      default: return .malfunction
      }
    }
  }
}

/// Lends two texts; null for those that are not there.
private func withCStrings<Result>(
  _ first: String?, _ second: String?,
  _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
) -> Result {
  guard let first else {
    guard let second else { return body(nil, nil) }
    return second.withFileName { body(nil, $0) }
  }
  return first.withFileName { first in
    guard let second else { return body(first, nil) }
    return second.withFileName { body(first, $0) }
  }
}
