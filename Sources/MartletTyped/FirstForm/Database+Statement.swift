@available(*, deprecated)
extension Database {
  /// A statement that does not throw: it says whether it has failed, and why.
  public final class Statement: Sequence, IteratorProtocol {
    private let core: MartletTyped.Statement?

    /// Why it has failed; nil if it has not.
    public private(set) var reason: String?

    /// It could not be compiled, or its last run has failed.
    public var failed: Bool { reason != nil }

    init(_ core: MartletTyped.Statement?, reason: String?) {
      self.core = core
      self.reason = reason
    }

    /// The names of the columns.
    public var columnNames: [String] { core?.columnNames ?? [] }

    /// The row that the statement is at; nil where it could not be compiled.
    public var row: Cursor? { core?.row }

    private func attempt<Content>(_ body: (MartletTyped.Statement) throws -> Content?) -> Content? {
      guard let core else { return nil }
      do {
        let content = try body(core)
        reason = nil
        return content
      } catch {
        reason = "\(error)"
        return nil
      }
    }

    /// Binds values to the parameters, from the first one on.
    public func bind(_ values: (any Binding)?...) -> Statement {
      _ = core?.bind(values)
      return self
    }

    /// Binds values to named parameters.
    public func bind(_ values: [String: (any Binding)?]) -> Statement {
      _ = core?.bind(values)
      return self
    }

    /// Binds values, and runs the statement.
    @discardableResult
    public func run(_ bindings: (any Binding)?...) -> Statement {
      _ = attempt { try $0.run(bindings) }
      return self
    }

    /// Binds values to named parameters, and runs the statement.
    @discardableResult
    public func run(_ bindings: [String: (any Binding)?]) -> Statement {
      _ = attempt { try $0.run(bindings) }
      return self
    }

    /// The first value of the first row.
    public func scalar(_ bindings: (any Binding)?...) -> (any Binding)? {
      attempt { try $0.scalar(bindings) }
    }

    /// The rows from the first one on.
    public func makeIterator() -> Statement {
      core?.reset(clearBindings: false)
      return self
    }

    /// The values of the next row; nil at the end, and where the statement fails.
    public func next() -> [(any Binding)?]? { attempt { try $0.failableNext() } }
  }

  /// A row of a query that does not throw.
  public struct Row {
    /// Today's form of the row.
    public let row: MartletTyped.Row

    /// The value of an expression, for readers who know that it is there.
    public subscript<V: Value>(column: Expression<V>) -> V { row[column] }

    /// The value of an expression; nil for NULL.
    public subscript<V: Value>(column: Expression<V?>) -> V? { row[column] }

    /// The value of an expression, for readers who know that it is there.
    public func get<V: Value>(_ column: Expression<V>) -> V { row[column] }

    /// The value of an expression; nil for NULL.
    public func get<V: Value>(_ column: Expression<V?>) -> V? { row[column] }
  }
}

// MARK: - Chains of statements

/// The next statement, if the first one has not failed.
@available(*, deprecated, message: "use Connection.transaction")
@discardableResult
public func && (
  lhs: Database.Statement, rhs: @autoclosure () -> Database.Statement
) -> Database.Statement {
  lhs.failed ? lhs : rhs()
}

/// The next statement, if the first one has not failed.
@available(*, deprecated, message: "use Connection.transaction")
@discardableResult
public func && (
  lhs: Database.Statement,
  rhs: @autoclosure () -> (rowid: Int64?, statement: Database.Statement)
) -> Database.Statement {
  lhs.failed ? lhs : rhs().statement
}

/// The next statement, if the first one has not failed.
@available(*, deprecated, message: "use Connection.transaction")
@discardableResult
public func && (
  lhs: Database.Statement,
  rhs: @autoclosure () -> (changes: Int?, statement: Database.Statement)
) -> Database.Statement {
  lhs.failed ? lhs : rhs().statement
}

/// Runs the other statement if the first one has failed, which is the result in any case.
@available(*, deprecated, message: "use Connection.transaction")
@discardableResult
public func || (
  lhs: Database.Statement, rhs: @autoclosure () -> Database.Statement
) -> Database.Statement {
  if lhs.failed { _ = rhs() }
  return lhs
}
