import MartletEngine

/// A statement of the connection's cache, which is its owner's alone until it is given back.
final class PreparedQuery {
  let connection: Connection
  let core: MartletEngine.Statement
  private let sql: String
  private var hasFailed = false

  init(
    _ connection: Connection, _ sql: String, _ bindings: [(any Binding)?]
  ) throws {
    self.connection = connection
    self.sql = sql
    core = try connection.takeStatement(sql)
    do {
      guard bindings.count == core.parameterCount else {
        throw Result.misuse("\(core.parameterCount) values expected, \(bindings.count) passed")
      }
      for (index, value) in bindings.enumerated() { try core.bind(value, at: index + 1) }
    } catch let error as SQLError {
      hasFailed = true
      throw connection.failure(error, nil)
    }
  }

  deinit {
    connection.sync {
      // A run that is given up has nobody who waits for its end.
      _ = try? core.reset()
      core.clearBindings()
      if !hasFailed { connection.keepStatement(core, sql) }
    }
  }

  func step() throws -> Bool {
    do {
      return try core.step()
    } catch {
      hasFailed = true
      throw connection.failure(error, nil, sql: sql)
    }
  }

  var columnNames: [String] { (0..<core.columnCount).map { core.columnName($0) } }

  func run() throws {
    while try step() {}
  }
}
