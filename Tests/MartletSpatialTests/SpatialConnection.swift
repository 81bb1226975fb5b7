import MartletEngine
import MartletSpatial

extension Connection {
  /// A connection with R-trees.
  static func spatial(_ path: String = ":memory:") throws -> Connection {
    let connection = try Connection(path: path)
    try connection.registerSpatial()
    return connection
  }
}
