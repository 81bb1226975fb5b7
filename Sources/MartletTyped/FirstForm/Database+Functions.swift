import Foundation

// Functions and collations as the API of 2015 made them.

@available(*, deprecated)
extension Database {
  /// Makes a function for arguments of any type.
  public func create(
    function: String, argc: UInt? = nil, deterministic: Bool = false,
    _ block: @escaping (_ args: [(any Binding)?]) -> (any Binding)?
  ) {
    connection?.createFunction(function, argumentCount: argc, deterministic: deterministic, block)
  }

  private func define<Z: ColumnType>(
    _ name: String, _ count: UInt, _ deterministic: Bool,
    _ block: @escaping ([(any Binding)?]) throws -> Z
  ) {
    do {
      try connection?.define(name, count, deterministic: deterministic) {
        try block($0).columnBinding
      }
    } catch {
      connection?.note(error)
    }
  }

  /// Makes a function without arguments.
  @discardableResult
  public func create<Z: ColumnType>(
    function name: String, deterministic: Bool = false, _ block: @escaping () -> Z
  ) -> () -> Expression<Z> {
    define(name, 0, deterministic) { _ in block() }
    return { name.called([]) }
  }

  /// Makes a function with one argument.
  @discardableResult
  public func create<Z: ColumnType, A: ColumnType>(
    function name: String, deterministic: Bool = false, _ block: @escaping (A) -> Z
  ) -> (Expression<A>) -> Expression<Z> {
    define(name, 1, deterministic) { block(try A(argument: $0[0], of: name)) }
    return { name.called([$0.expression]) }
  }

  /// Makes a function with two arguments.
  @discardableResult
  public func create<Z: ColumnType, A: ColumnType, B: ColumnType>(
    function name: String, deterministic: Bool = false, _ block: @escaping (A, B) -> Z
  ) -> (Expression<A>, Expression<B>) -> Expression<Z> {
    define(name, 2, deterministic) {
      block(try A(argument: $0[0], of: name), try B(argument: $0[1], of: name))
    }
    return { name.called([$0.expression, $1.expression]) }
  }

  /// Makes a function with two arguments, the second of which is given as a value.
  @_disfavoredOverload @discardableResult
  public func create<Z: ColumnType, A: ColumnType, B: ColumnType>(
    function name: String, deterministic: Bool = false, _ block: @escaping (A, B) -> Z
  ) -> (Expression<A>, B) -> Expression<Z> {
    let make: (Expression<A>, Expression<B>) -> Expression<Z> = create(
      function: name, deterministic: deterministic, block)
    return { make($0, Expression(value: $1)) }
  }

  /// Makes a function with two arguments, the first of which is given as a value.
  @_disfavoredOverload @discardableResult
  public func create<Z: ColumnType, A: ColumnType, B: ColumnType>(
    function name: String, deterministic: Bool = false, _ block: @escaping (A, B) -> Z
  ) -> (A, Expression<B>) -> Expression<Z> {
    let make: (Expression<A>, Expression<B>) -> Expression<Z> = create(
      function: name, deterministic: deterministic, block)
    return { make(Expression(value: $0), $1) }
  }

  /// Makes a collation.
  public func create(
    collation name: String, _ block: @escaping (_ lhs: String, _ rhs: String) -> ComparisonResult
  ) {
    do {
      try connection?.createCollation(name, block)
    } catch {
      connection?.note(error)
    }
  }
}

/// A table of FTS4.
@available(*, deprecated, message: "use Module.FTS4")
public func fts4(_ columns: any Expressible...) -> Module { .FTS4(columns) }

/// A table of FTS4.
@available(*, deprecated, message: "use Module.FTS4")
public func fts4(_ columns: [any Expressible], tokenize tokenizer: Tokenizer? = nil) -> Module {
  .FTS4(columns, tokenize: tokenizer)
}

/// `MATCH`: what the pattern finds in any column of the table.
@available(*, deprecated, message: "use VirtualTable.match")
public func match(_ table: Query, _ pattern: String) -> Expression<Bool> {
  "MATCH".infix(table.table.tableName(), pattern)
}
