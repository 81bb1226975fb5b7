import Foundation
import MartletEngine

extension Connection {
  /// Makes a function that SQL can call, for arguments of any type.
  ///
  /// ```swift
  /// db.createFunction("reversed", argumentCount: 1, deterministic: true) { arguments in
  ///   (arguments[0] as? String).map { String($0.reversed()) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - functionName: A function of that name and argument count is replaced.
  ///   - argumentCount: nil takes any number.
  ///   - deterministic: Equal arguments give equal results.
  ///   - block: What it throws is what the statement fails with.
  public func createFunction(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false,
    _ block: @escaping (_ args: [(any Binding)?]) throws -> (any Binding)?
  ) {
    noting {
      try define(functionName, argumentCount, deterministic: deterministic, block)
    }
  }

  /// Upstream's calls cannot throw; a failure, as of a name that is too long, is kept.
  private func noting(_ body: () throws -> Void) {
    do {
      try translating(body)
    } catch {
      note(error)
    }
  }

  func define(
    _ name: String, _ argumentCount: UInt?, deterministic: Bool,
    _ block: @escaping ([(any Binding)?]) throws -> (any Binding)?
  ) throws {
    let lent = Lent(body: block)
    let count = argumentCount.map { Int(clamping: $0) } ?? -1
    try translating {
      try core.createFunction(
        name, argumentCount: count, options: deterministic ? .deterministic : []
      ) { (call: borrowing FunctionInvocation) throws(SQLError) in
        let arguments = try call.bindings()
        try call.set { try lent.body(arguments) }
      }
    }
  }

  /// Makes an aggregate function.
  ///
  /// - Parameters:
  ///   - initialValue: What each group begins with. An object is the same one for all groups.
  ///   - reduce: Takes a row's arguments in.
  ///   - result: The result of a group.
  public func createAggregation<State>(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false,
    initialValue: State, reduce: @escaping (State, [(any Binding)?]) throws -> State,
    result: @escaping (State) throws -> (any Binding)?
  ) {
    let initial = Lent(body: initialValue)
    aggregate(
      functionName, argumentCount, deterministic, initial: { initial.body },
      step: { state, arguments in state = try reduce(state, arguments) }, result: result)
  }

  /// Makes an aggregate function whose groups have memory of their own.
  ///
  /// - Parameters:
  ///   - step: Takes a row's arguments in.
  ///   - final: The result of a group; it frees the memory.
  ///   - state: Allocates the memory of a group.
  public func createAggregation<State>(
    _ functionName: String, argumentCount: UInt? = nil, deterministic: Bool = false,
    step: @escaping ([(any Binding)?], UnsafeMutablePointer<State>) -> Void,
    final: @escaping (UnsafeMutablePointer<State>) -> (any Binding)?,
    state: @escaping () -> UnsafeMutablePointer<State>
  ) {
    aggregate(
      functionName, argumentCount, deterministic, initial: state,
      step: { step($1, $0) }, result: final)
  }

  private func aggregate<State>(
    _ name: String, _ argumentCount: UInt?, _ deterministic: Bool,
    initial: @escaping () -> State,
    step: @escaping (inout State, [(any Binding)?]) throws -> Void,
    result: @escaping (State) throws -> (any Binding)?
  ) {
    let count = argumentCount.map { Int(clamping: $0) } ?? -1
    let initial = Lent(body: initial), step = Lent(body: step), result = Lent(body: result)
    noting {
      try core.createAggregate(
        name, argumentCount: count, options: deterministic ? .deterministic : [],
        initial: { Lent(body: initial.body()) },
        step: { (state, call) throws(SQLError) in
          let arguments = try call.bindings()
          var content = state.body
          do {
            try step.body(&content, arguments)
          } catch {
            throw SQLError(functionFailure: error)
          }
          state = Lent(body: content)
        },
        result: { (state, call) throws(SQLError) in try call.set { try result.body(state.body) } })
    }
  }

  /// Makes a collation that SQL can name.
  ///
  /// - Parameter block: Must be a total order, and always the same.
  public func createCollation(
    _ collation: String,
    _ block: @escaping (_ lhs: String, _ rhs: String) -> ComparisonResult
  ) throws {
    let lent = Lent(body: block)
    try translating {
      try core.createCollation(
        collation, comparing: { left, right in lent.body(left, right).rawValue })
    }
  }
}

extension FunctionInvocation {
  fileprivate func bindings() throws(SQLError) -> [(any Binding)?] {
    var bindings: [(any Binding)?] = []
    bindings.reserveCapacity(count)
    for index in 0..<count { bindings.append(try value(index).binding) }
    return bindings
  }

  fileprivate func set(_ result: () throws -> (any Binding)?) throws(SQLError) {
    let value: MartletEngine.Value
    do {
      value = try result()?.stored ?? .null
    } catch {
      throw SQLError(functionFailure: error)
    }
    try setResult(value)
  }
}

extension SQLError {
  /// What a function of the application has thrown, as the error of its statement.
  fileprivate init(functionFailure error: any Error) {
    switch error {
    case let error as SQLError: self = error
    case Result.error(let message, let code, _): self.init(ResultCode(rawValue: code), message)
    case Result.extendedError(let message, let code, _):
      self.init(ResultCode(rawValue: code), message)
    default: self.init(.error, "\(error)")
    }
  }
}
