import Synchronization

/// Functions that a target above the engine brings to every connection. They are made once, and
/// connections share them: a connection that has no functions of its own yet takes them in one step.
/// A set is a constant, which is never released.
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

  /// As `Connection.createRawFunction`, whatever the encoding of the database.
  package func createRawFunction(
    _ name: String, argumentCount: Int, options: FunctionOptions, _ function: RawFunction
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    let function = ScalarFunction(name, arity, options.flags, raw: function)
    registry.define(function)
  }

  /// As `Connection.overloadFunction`.
  package func overloadFunction(_ name: String, argumentCount: Int) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    registry.define(ScalarFunction(overloading: name, arity))
  }
}

/// The functions of several sets, which connections share as well.
private enum FunctionSets {
  /// Some sets, one that is added to them, and what that gives.
  private struct Step {
    let sets: FunctionRegistry?
    let set: FunctionSet
    let registry: FunctionRegistry
  }

  /// What is in here is never changed and never goes; there are as many as kinds of connections.
  private static let known = Mutex<[Step]>([])

  /// - Parameter sets: The functions of the sets so far.
  static func adding(_ set: FunctionSet, to sets: FunctionRegistry?) -> FunctionRegistry {
    known.withLock { known in
      for step in known where step.sets === sets && step.set === set { return step.registry }
      let registry = FunctionRegistry()
      if let sets { registry.share(sets) }
      for entry in set.registry.entries { registry.add(entry) }
      known.append(Step(sets: sets, set: set, registry: registry))
      return registry
    }
  }
}

extension FunctionRegistry {
  /// Its functions and those of a set; nil where it has others than those of sets.
  fileprivate func adding(_ set: FunctionSet) -> FunctionRegistry? {
    switch content {
    case .nothing: FunctionSets.adding(set, to: nil)
    case .sets(let sets): FunctionSets.adding(set, to: sets)
    case .any: nil
    }
  }

  /// Adds what a set defines.
  fileprivate func add(_ entry: Entry) {
    guard let function = entry.scalar else { return }
    if function.flags.contains(.overload), knows(function) { return }
    define(function, encoding: entry.encoding)
  }

  /// Whether a call with that name and argument count has a function.
  fileprivate func knows(_ function: ScalarFunction) -> Bool {
    let count = if case .exactly(let count) = function.arity { count } else { -1 }
    switch find(function.name, argumentCount: count) {
    case .scalar, .aggregate: return true
    case .unknown, .wrongArgumentCount: return false
    }
  }
}

extension Connection {
  /// Makes all functions of a set.
  ///
  /// - Throws: `busy` where a function would be replaced while statements run.
  package func createFunctions(_ set: FunctionSet) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    if runningStatements.isEmpty, let registry = functions.adding(set) {
      functions.share(registry)
      programs.removeAll()
      return
    }
    for entry in set.registry.entries {
      guard let function = entry.scalar else { continue }
      if function.flags.contains(.overload), functions.knows(function) { continue }
      try define(function.name, function.arity, entry.encoding) {
        $0.define(function, encoding: entry.encoding)
      }
    }
  }
}
