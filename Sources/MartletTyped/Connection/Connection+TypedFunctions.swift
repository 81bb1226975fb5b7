import MartletEngine

// Functions with typed arguments. `Value` and `Value?` are both column types, so that one
// declaration stands for each combination of optional arguments and results.

extension Connection {
  /// Makes a function without arguments.
  ///
  /// - Returns: Makes expressions that call it.
  @discardableResult
  public func createFunction<Z: ColumnType>(
    _ name: String, deterministic: Bool = false, _ block: @escaping () throws -> Z
  ) throws -> () -> Expression<Z> {
    try define(name, 0, deterministic: deterministic) { _ in try block().columnBinding }
    return { name.called([]) }
  }

  /// Makes a function with one argument.
  ///
  /// ```swift
  /// let initials = try db.createFunction("initials", deterministic: true) { (name: String) in
  ///   name.split(separator: " ").compactMap(\.first).map(String.init).joined()
  /// }
  /// for row in try db.prepare(users.select(initials(name))) { … }
  /// ```
  ///
  /// - Returns: Makes expressions that call it. A statement throws where an argument is NULL, or of
  ///   another type, and the block's is not optional.
  @discardableResult
  public func createFunction<Z: ColumnType, A: ColumnType>(
    _ name: String, deterministic: Bool = false, _ block: @escaping (A) throws -> Z
  ) throws -> (Expression<A>) -> Expression<Z> {
    try define(name, 1, deterministic: deterministic) { arguments in
      try block(A(argument: arguments[0], of: name)).columnBinding
    }
    return { name.called([$0.expression]) }
  }

  /// Makes a function with two arguments.
  @discardableResult
  public func createFunction<Z: ColumnType, A: ColumnType, B: ColumnType>(
    _ name: String, deterministic: Bool = false, _ block: @escaping (A, B) throws -> Z
  ) throws -> (Expression<A>, Expression<B>) -> Expression<Z> {
    try define(name, 2, deterministic: deterministic) { arguments in
      try block(A(argument: arguments[0], of: name), B(argument: arguments[1], of: name))
        .columnBinding
    }
    return { name.called([$0.expression, $1.expression]) }
  }

  /// Makes a function with three arguments.
  @discardableResult
  public func createFunction<Z: ColumnType, A: ColumnType, B: ColumnType, C: ColumnType>(
    _ name: String, deterministic: Bool = false, _ block: @escaping (A, B, C) throws -> Z
  ) throws -> (Expression<A>, Expression<B>, Expression<C>) -> Expression<Z> {
    try define(name, 3, deterministic: deterministic) { arguments in
      try block(
        A(argument: arguments[0], of: name), B(argument: arguments[1], of: name),
        C(argument: arguments[2], of: name)
      ).columnBinding
    }
    return { name.called([$0.expression, $1.expression, $2.expression]) }
  }
}

extension ColumnType {
  /// The argument of a function.
  init(argument: (any Binding)?, of function: String) throws {
    guard let argument else {
      self = try Self.column(from: nil, name: function)
      return
    }
    guard let binding = ColumnValue.Datatype.fromStored(try argument.stored) else {
      throw Result.misuse("\(function): wrong type of argument")
    }
    self = try Self.column(from: binding, name: function)
  }
}

extension String {
  /// A call of the function of that name, whatever characters it has.
  func called<Datatype>(_ arguments: [Expression<Void>]) -> Expression<Datatype> {
    quotedIdentifier.wrap(arguments)
  }
}
