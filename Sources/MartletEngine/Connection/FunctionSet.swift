/// Functions that a target above the engine brings to every connection. They are made once, and
/// connections share them: a connection that has no functions of its own yet takes them in one step.
package final class FunctionSet: @unchecked Sendable {
  /// Never changed once `fill` has returned.
  fileprivate let registry = FunctionRegistry()

  /// - Parameter fill: Adds the functions, whose names and argument counts must be right.
  package init(_ fill: (FunctionSet) throws(SQLError) -> Void) {
    do throws(SQLError) {
      try fill(self)
    } catch {
      assertionFailure("a function that is defined wrongly: \(error)")
    }
  }

  /// As `Connection.createFunction`; the functions may keep nothing of a connection.
  package func createFunction(
    _ name: String, argumentCount: Int = -1, options: FunctionOptions = [],
    _ body: @escaping Connection.FunctionBody
  ) throws(SQLError) {
    registry.define(try ScalarFunction(name, argumentCount, options.flags, body))
  }

  /// As `Connection.createRawFunction`, for all encodings.
  package func createRawFunction(
    _ name: String, argumentCount: Int, options: FunctionOptions, _ function: RawFunction
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    let function = ScalarFunction(name, arity, options.flags, raw: function)
    for encoding in [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
      registry.define(function, encoding: encoding)
    }
  }

  /// As `Connection.overloadFunction`.
  package func overloadFunction(_ name: String, argumentCount: Int) throws(SQLError) {
    registry.define(try ScalarFunction(overloading: name, argumentCount))
  }
}

extension Connection {
  /// Makes all functions of a set.
  ///
  /// - Throws: `busy` where a function would be replaced while statements run.
  package func createFunctions(_ set: FunctionSet) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    if functions.isEmpty && runningStatements.isEmpty {
      functions.share(set.registry)
      programs.removeAll()
      return
    }
    for entry in set.registry.entries {
      guard let function = entry.scalar else { continue }
      if function.flags.contains(.overload), knows(function) { continue }
      try define(function.name, function.arity, entry.encoding) {
        $0.define(function, encoding: entry.encoding)
      }
    }
  }

  /// Whether a call with that name and argument count has a function.
  private func knows(_ function: ScalarFunction) -> Bool {
    let count = if case .exactly(let count) = function.arity { count } else { -1 }
    switch functions.find(function.name, argumentCount: count) {
    case .scalar, .aggregate: return true
    case .unknown, .wrongArgumentCount: return false
    }
  }
}
