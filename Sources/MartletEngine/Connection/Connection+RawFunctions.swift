// Functions of the application that take values as they are: what C's functions are made of.

extension Connection {
  /// Makes a function as `createFunction` does, but for values as they are: texts are in the
  /// database's encoding, whatever encoding the function prefers.
  public func createRawFunction(
    _ name: String, argumentCount: Int, encoding: TextEncoding, options: FunctionOptions,
    _ function: RawFunction
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    let function = ScalarFunction(name, arity, options.flags, raw: function)
    try define(name, arity, encoding) { $0.define(function, encoding: encoding) }
  }

  /// Makes an aggregate for values as they are.
  public func createRawAggregate(
    _ name: String, argumentCount: Int, encoding: TextEncoding, options: FunctionOptions,
    _ aggregate: RawAggregate
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    let function = AggregateFunction(name, arity, options.flags, raw: aggregate)
    try define(name, arity, encoding) { $0.define(function, encoding: encoding) }
  }
}

extension RawInvocation {
  /// An argument where it is; the index is below `count`.
  @inlinable
  public func argument(_ index: Int) -> ValueReference {
    ValueReference(arguments + index, encoding: encoding)
  }
}
