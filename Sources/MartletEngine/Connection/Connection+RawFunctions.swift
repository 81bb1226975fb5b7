// Functions of the application that take values as they are: what C's functions are made of.

extension Connection {
  /// What a function that takes values as they are does.
  public enum RawFunction: Sendable {
    case scalar(RawInvocation.Body)
    case aggregate(RawAggregate)
  }

  /// Makes a function as `createFunction` and its kin do, but for values as they are: texts are in
  /// the database's encoding, whatever encoding the function prefers.
  public func createRawFunction(
    _ name: String, argumentCount: Int, encoding: TextEncoding, options: FunctionOptions,
    _ function: RawFunction
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    switch function {
    case .scalar(let body):
      let function = ScalarFunction(raw: body, name, arity, options.flags)
      try define(name, arity, encoding) { $0.define(function, encoding: encoding) }
    case .aggregate(let raw):
      let function = AggregateFunction(name, arity, options.flags, raw: raw)
      try define(name, arity, encoding) { $0.define(function, encoding: encoding) }
    }
  }
}

extension RawInvocation {
  /// An argument where it is; the index is below `count`.
  @inlinable
  public func argument(_ index: Int) -> ValueReference {
    ValueReference(arguments + index, encoding: encoding)
  }
}
