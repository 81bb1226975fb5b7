/// A virtual table that has its own meaning of functions whose argument is one of its columns
/// (`xFindFunction`, vtab §2.15): MATCH and LIKE look at their second argument, for which the table
/// is asked with the first, all others at their first.
public protocol FunctionOverloading: VirtualTable {
  /// The table's own definition of a function, or nil. The name is as it was written.
  func function(named name: String, argumentCount: Int) -> OverloadedFunction?
}

/// A function of a virtual table.
public struct OverloadedFunction: Sendable {
  public typealias Body =
    @Sendable (borrowing FunctionInvocation) throws(SQLError) -> Void

  private enum Kind {
    case comfortable(Body)
    case raw(RawFunction)
  }

  private let kind: Kind
  /// `VirtualTableOperator.function` or a higher number: `f(column, value)` is a constraint that
  /// `planScan` is told of.
  let `operator`: VirtualTableOperator

  public init(
    operator: VirtualTableOperator = VirtualTableOperator(rawValue: 1), _ body: @escaping Body
  ) {
    kind = .comfortable(body)
    self.operator = `operator`
  }

  /// A function that takes values as they are.
  public init(
    raw function: RawFunction,
    operator: VirtualTableOperator = VirtualTableOperator(rawValue: 1)
  ) {
    kind = .raw(function)
    self.operator = `operator`
  }

  func scalarFunction(_ name: String, argumentCount count: Int) -> ScalarFunction {
    switch kind {
    case .comfortable(let body):
      ScalarFunction(name, .exactly(count), .application) { context throws(SQLError) in
        try body(FunctionInvocation(context))
      }
    case .raw(let function):
      ScalarFunction(name, .exactly(count), .application, raw: function)
    }
  }
}

extension VirtualTableArgument {
  /// The object that a function or parameter gave under that type, or nil
  /// (`sqlite3_value_pointer`).
  public func pointer(type: String) -> AnyObject? {
    register.flatMap { PassedPointer.object($0.pointee, type: type) }
  }
}
