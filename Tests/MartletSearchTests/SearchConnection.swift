import MartletEngine
import MartletSearch

extension Connection {
  /// A connection with full-text search.
  static func search(_ path: String = ":memory:") throws -> Connection {
    let connection = try Connection(path: path)
    try connection.registerSearch()
    return connection
  }
}
