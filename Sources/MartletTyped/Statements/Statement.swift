import MartletEngine

/// A statement that was compiled once, and can run several times.
///
/// ```swift
/// let statement = try db.prepare("INSERT INTO users (email) VALUES (?)")
/// for email in ["betty@icloud.com", "cathy@icloud.com"] { try statement.run(email) }
/// ```
///
/// Binding does not throw: what is wrong with the values is thrown when the statement runs.
public final class Statement: @unchecked Sendable {
  let connection: Connection
  let core: MartletEngine.Statement
  /// What is wrong with the values that were bound.
  private var bindingFailure: Result?

  /// What has ended the last iteration that could not throw; nil if nothing did.
  public private(set) var failure: Result?

  init(_ connection: Connection, _ sql: String) throws {
    self.connection = connection
    core = try connection.compile(sql)
  }

  /// Columns of each row.
  public var columnCount: Int { connection.sync { core.columnCount } }

  /// The names of the columns.
  public var columnNames: [String] {
    connection.sync { (0..<core.columnCount).map { core.columnName($0) } }
  }

  /// The row that the statement is at.
  public var row: Cursor { Cursor(statement: self) }
}

// MARK: - Binding

extension Statement {
  /// Binds values to the parameters, from the first one on. Binding none changes nothing.
  @discardableResult
  public func bind(_ values: (any Binding)?...) -> Statement { bind(values) }

  /// Binds values to the parameters, from the first one on. An empty array changes nothing.
  @discardableResult
  public func bind(_ values: [(any Binding)?]) -> Statement {
    if values.isEmpty { return self }
    return binding {
      guard values.count == core.parameterCount else {
        throw Result.misuse(
          "\(core.parameterCount) values expected, \(values.count) passed", nil)
      }
      for (index, value) in values.enumerated() { try core.bind(value, at: index + 1) }
    }
  }

  /// Binds values to named parameters; the names have their `:`, `@` or `$`.
  @discardableResult
  public func bind(_ values: [String: (any Binding)?]) -> Statement {
    binding {
      for (name, value) in values {
        guard let index = core.parameterIndex(named: name) else {
          throw Result.misuse("parameter not found: \(name)", nil)
        }
        try core.bind(value, at: index)
      }
    }
  }

  private func binding(_ bind: () throws -> Void) -> Statement {
    connection.sync {
      do {
        try core.reset()
      } catch {
        // That run is over; its error was thrown when it failed.
      }
      bindingFailure = nil
      core.clearBindings()
      do {
        try bind()
      } catch let error as SQLError {
        bindingFailure = connection.failure(error, self)
      } catch {
        bindingFailure = (error as? Result) ?? .misuse("\(error)", nil)
      }
    }
    return self
  }
}

extension MartletEngine.Statement {
  func bind(_ value: (any Binding)?, at index: Int) throws {
    guard let value else { return try bindNull(at: index) }
    switch try value.stored {
    case .null: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text: text, at: index)
    case .blob(let bytes):
      let result = bytes.withUnsafeBytes { bytes in
        Swift.Result { () throws(SQLError) in try bind(blob: bytes, at: index) }
      }
      try result.get()
    }
  }
}

// MARK: - Running

extension Statement {
  /// Runs the statement to its end, from its start.
  ///
  /// - Throws: `Result` where it fails, and for values that were bound wrongly.
  @discardableResult
  public func run(_ bindings: (any Binding)?...) throws -> Statement { try run(bindings) }

  /// Binds values, and runs the statement to its end.
  @discardableResult
  public func run(_ bindings: [(any Binding)?]) throws -> Statement {
    try connection.sync {
      bind(bindings)
      reset(clearBindings: false)
      while try step() {}
    }
    return self
  }

  /// Binds values to named parameters, and runs the statement to its end.
  @discardableResult
  public func run(_ bindings: [String: (any Binding)?]) throws -> Statement {
    try connection.sync { try bind(bindings).run() }
  }

  /// The first value of the first row; nil for NULL, and where there is no row.
  public func scalar(_ bindings: (any Binding)?...) throws -> (any Binding)? {
    try scalar(bindings)
  }

  /// Binds values; the first value of the first row.
  public func scalar(_ bindings: [(any Binding)?]) throws -> (any Binding)? {
    try connection.sync {
      bind(bindings)
      reset(clearBindings: false)
      defer { reset(clearBindings: false) }
      return try step() ? core.currentRow.binding(0) : nil
    }
  }

  /// Binds values to named parameters; the first value of the first row.
  public func scalar(_ bindings: [String: (any Binding)?]) throws -> (any Binding)? {
    try connection.sync { try bind(bindings).scalar() }
  }

  /// Goes to the next row; false at the end.
  public func step() throws -> Bool {
    try connection.sync {
      if let bindingFailure { throw bindingFailure }
      failure = nil
      do throws(SQLError) {
        return try core.step()
      } catch {
        throw connection.failure(error, self)
      }
    }
  }

  /// Makes the statement ready to run from its start.
  public func reset(clearBindings shouldClear: Bool = true) {
    connection.sync {
      do {
        try core.reset()
      } catch {
        // A run that is given up has nobody who waits for its end.
      }
      guard shouldClear else { return }
      core.clearBindings()
      bindingFailure = nil
    }
  }
}

// MARK: - Iterating

/// An iterator that can fail.
public protocol FailableIterator: IteratorProtocol {
  /// The next element; nil at the end.
  func failableNext() throws -> Self.Element?
}

extension Statement: Sequence, FailableIterator {
  /// The rows from the first one on.
  public func makeIterator() -> Statement {
    reset(clearBindings: false)
    return self
  }

  /// The values of the next row; nil at the end.
  public func failableNext() throws -> [(any Binding)?]? {
    try connection.sync {
      guard try step() else { return nil }
      let row = core.currentRow
      return (0..<row.columnCount).map { row.binding($0) }
    }
  }

  /// The values of the next row; nil at the end, and where the statement fails: `failure` is what
  /// it has failed with then.
  public func next() -> [(any Binding)?]? {
    do {
      return try failableNext()
    } catch {
      failure = (error as? Result) ?? .misuse("\(error)", nil)
      connection.note(error)
      return nil
    }
  }
}

extension Statement: CustomStringConvertible {
  /// The text of the statement.
  public var description: String { core.sql }
}

extension ResultRow {
  /// A copy of a column.
  @inlinable
  func copy(_ index: Int) -> MartletEngine.Value {
    switch type(index) {
    case .null: .null
    case .integer: .integer(int64(index))
    case .real: .real(double(index))
    case .text: .text(String(decoding: bytes(index), as: UTF8.self))
    case .blob: .blob(Array(bytes(index)))
    }
  }

  func binding(_ index: Int) -> (any Binding)? { copy(index).binding }
}
