// SQL as text (the "raw" interface).

extension Connection {
  /// Runs all statements of a script; rows are dropped.
  public func execute(_ SQL: String) throws {
    try translating { try core.execute(SQL) }
  }

  /// Compiles a statement, and binds values to its parameters.
  public func prepare(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try prepare(statement, bindings)
  }

  /// Compiles a statement, and binds values to its parameters.
  public func prepare(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try Statement(self, statement).bind(bindings)
  }

  /// Compiles a statement, and binds values to its named parameters.
  public func prepare(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement
  {
    try Statement(self, statement).bind(bindings)
  }

  /// Compiles a statement, binds values to its parameters and runs it.
  @discardableResult
  public func run(_ statement: String, _ bindings: (any Binding)?...) throws -> Statement {
    try run(statement, bindings)
  }

  /// Compiles a statement, binds values to its parameters and runs it.
  @discardableResult
  public func run(_ statement: String, _ bindings: [(any Binding)?]) throws -> Statement {
    try Statement(self, statement).run(bindings)
  }

  /// Compiles a statement, binds values to its named parameters and runs it.
  @discardableResult
  public func run(_ statement: String, _ bindings: [String: (any Binding)?]) throws -> Statement {
    try Statement(self, statement).run(bindings)
  }

  /// The first value of the first row; nil for NULL, and where there is no row.
  public func scalar(_ statement: String, _ bindings: (any Binding)?...) throws -> (any Binding)? {
    try scalar(statement, bindings)
  }

  /// The first value of the first row; nil for NULL, and where there is no row.
  public func scalar(
    _ statement: String, _ bindings: [(any Binding)?]
  ) throws -> (any Binding)? {
    try Statement(self, statement).scalar(bindings)
  }

  /// The first value of the first row; nil for NULL, and where there is no row.
  public func scalar(
    _ statement: String, _ bindings: [String: (any Binding)?]
  ) throws -> (any Binding)? {
    try Statement(self, statement).scalar(bindings)
  }

  /// Rebuilds the database without its free pages (lang_vacuum).
  @discardableResult
  public func vacuum() throws -> Statement { try run("VACUUM") }
}
