// Functions of the application (appfunc, `sqlite3_create_function_v2`).

/// What SQL may assume about a function of the application.
public struct FunctionOptions: OptionSet, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Equal arguments give equal results: the function may stand in indexes and generated columns.
  public static let deterministic = FunctionOptions(rawValue: 1)
  /// Not in views, nor in expressions of the schema: for functions with side effects.
  public static let directOnly = FunctionOptions(rawValue: 2)
  /// Harmless, also where the schema is not trusted.
  public static let innocuous = FunctionOptions(rawValue: 4)
  /// The function looks at subtypes of its arguments.
  public static let subtype = FunctionOptions(rawValue: 8)
  /// The function gives its result a subtype.
  public static let resultSubtype = FunctionOptions(rawValue: 16)

  var flags: FunctionFlags {
    var flags = FunctionFlags.application
    if contains(.deterministic) { flags.insert(.deterministic) }
    if contains(.directOnly) { flags.insert(.directOnly) }
    if contains(.innocuous) { flags.insert(.innocuous) }
    if !isDisjoint(with: [.subtype, .resultSubtype]) { flags.insert(.subtype) }
    if contains(.resultSubtype) { flags.insert(.resultSubtype) }
    return flags
  }
}

extension Connection {
  /// A function's work on one row.
  public typealias FunctionBody =
    @Sendable (borrowing FunctionInvocation) throws(SQLError) -> Void

  /// Makes a function that SQL on this connection can call.
  ///
  /// It may run SQL on the connection, but not the statement that calls it.
  ///
  /// - Parameters:
  ///   - name: At most 255 bytes of UTF-8. A function of that name and argument count is replaced;
  ///     built-in functions are hidden.
  ///   - argumentCount: From 0 to 1,000; -1 takes any number. Several definitions that differ in
  ///     this or in `encoding` live side by side, and the closest is called.
  ///   - encoding: Which of several definitions is called in a database of that encoding. The
  ///     arguments are UTF-8 in any case.
  /// - Throws: `misuse` for a wrong name or count; `busy` where a function would be replaced while
  ///   statements run.
  public func createFunction(
    _ name: String, argumentCount: Int = -1, encoding: TextEncoding = .utf8,
    options: FunctionOptions = [], _ body: @escaping FunctionBody
  ) throws(SQLError) {
    let function = try ScalarFunction(name, argumentCount, options.flags, body)
    try define(name, function.arity, encoding) { $0.define(function, encoding: encoding) }
  }

  /// Makes an aggregate function.
  ///
  /// - Parameters:
  ///   - initial: The state of a group before its first row.
  ///   - step: Takes a row into the state.
  ///   - result: Sets the result of a group; the state is released then. It is also called for a
  ///     group without rows, but not for one whose statement ended before.
  public func createAggregate<State>(
    _ name: String, argumentCount: Int = -1, encoding: TextEncoding = .utf8,
    options: FunctionOptions = [], initial: @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, borrowing FunctionInvocation) throws(SQLError) -> Void,
    result: @escaping @Sendable (State, borrowing FunctionInvocation) throws(SQLError) -> Void
  ) throws(SQLError) {
    try defineAggregate(
      name, argumentCount, encoding, options, initial, step: step, inverse: nil, value: result,
      result: result)
  }

  /// Makes an aggregate function that can also be a window function (windowfunctions §7).
  ///
  /// - Parameters:
  ///   - inverse: Takes the oldest row out of the state.
  ///   - value: Sets the result for the rows that are in the state.
  public func createWindowFunction<State>(
    _ name: String, argumentCount: Int = -1, encoding: TextEncoding = .utf8,
    options: FunctionOptions = [], initial: @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, borrowing FunctionInvocation) throws(SQLError) -> Void,
    inverse:
      @escaping @Sendable (inout State, borrowing FunctionInvocation) throws(SQLError)
      -> Void,
    value: @escaping @Sendable (State, borrowing FunctionInvocation) throws(SQLError) -> Void,
    result: @escaping @Sendable (State, borrowing FunctionInvocation) throws(SQLError) -> Void
  ) throws(SQLError) {
    try defineAggregate(
      name, argumentCount, encoding, options, initial, step: step, inverse: inverse,
      value: value, result: result)
  }

  /// Makes sure that there is a function of that name and argument count, so that virtual tables
  /// can overload it (`sqlite3_overload_function`): without a definition, calling it is an error.
  public func overloadFunction(_ name: String, argumentCount: Int) throws(SQLError) {
    switch locked({ functions.find(name, argumentCount: argumentCount) }) {
    case .scalar, .aggregate: return
    case .wrongArgumentCount where argumentCount == -2: return
    case .unknown, .wrongArgumentCount: break
    }
    let arity = try FunctionArity(checking: argumentCount, of: name)
    try define(name, arity, .utf8) { $0.define(ScalarFunction(overloading: name, arity)) }
  }

  private func defineAggregate<State>(
    _ name: String, _ argumentCount: Int, _ encoding: TextEncoding, _ options: FunctionOptions,
    _ initial: @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, borrowing FunctionInvocation) throws(SQLError) -> Void,
    inverse: (@Sendable (inout State, borrowing FunctionInvocation) throws(SQLError) -> Void)?,
    value: @escaping @Sendable (State, borrowing FunctionInvocation) throws(SQLError) -> Void,
    result: @escaping @Sendable (State, borrowing FunctionInvocation) throws(SQLError) -> Void
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    let take: AggregateFunction.Body = { context throws(SQLError) in
      let call = FunctionInvocation(context, givesResult: false)
      try step(&call.state(initial).value, call)
    }
    var takeOut: AggregateFunction.Body?
    if let inverse {
      takeOut = { context throws(SQLError) in
        let call = FunctionInvocation(context, givesResult: false)
        try inverse(&call.state(initial).value, call)
      }
    }
    let function = AggregateFunction(
      name, arity, options.flags, width: 1, step: take, inverse: takeOut,
      value: { context throws(SQLError) in
        let call = FunctionInvocation(context)
        try value(call.state(initial).value, call)
      },
      finalize: { context throws(SQLError) in
        let call = FunctionInvocation(context)
        let state = call.state(initial)
        call.releaseState()
        try result(state.value, call)
      })
    try define(name, arity, encoding) { $0.define(function, encoding: encoding) }
  }

  /// Takes a function back: calls of it are errors then, also where it had hidden a built-in one.
  /// Returns whether there was one.
  @discardableResult
  public func removeFunction(
    _ name: String, argumentCount: Int = -1, encoding: TextEncoding = .utf8
  ) throws(SQLError) -> Bool {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    lock.lock()
    defer { lock.unlock() }
    guard functions.hasDefinition(name, arity, encoding: encoding) else { return false }
    try define(name, arity, encoding) { $0.remove(name, arity, encoding: encoding) }
    return true
  }

  /// Statements that were compiled with the function that is replaced are compiled again.
  func define(
    _ name: String, _ arity: FunctionArity, _ encoding: TextEncoding,
    _ change: (FunctionRegistry) -> Void
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    if functions.hasDefinition(name, arity, encoding: encoding) {
      guard runningStatements.isEmpty else {
        throw SQLError(.busy, "unable to delete/modify user-function due to active statements")
      }
      expireStatements()
    }
    change(functions)
    programs.removeAll()
  }

  /// All statements are compiled again before they run again.
  func expireStatements() {
    expiry &+= 1
    programs.removeAll()
  }
}

extension ScalarFunction {
  /// One of the application.
  convenience init(
    _ name: String, _ argumentCount: Int, _ flags: FunctionFlags,
    _ body: @escaping Connection.FunctionBody
  ) throws(SQLError) {
    let arity = try FunctionArity(checking: argumentCount, of: name)
    self.init(name, arity, flags) { context throws(SQLError) in
      try body(FunctionInvocation(context))
    }
  }

  /// One that virtual tables can overload, and that is an error otherwise.
  convenience init(overloading name: String, _ arity: FunctionArity) {
    self.init(name, arity, [.application, .overload]) { _ throws(SQLError) in
      throw .sql("unable to use function \(name) in the requested context")
    }
  }
}

extension FunctionInvocation {
  /// The connection whose statement calls the function (`sqlite3_context_db_handle`).
  public var connection: Connection? { context.host.owner as? Connection }
}

extension FunctionArity {
  /// Longest name of a function, and most arguments (limits §6).
  private static let longestName = 255, mostArguments = 1_000

  init(checking count: Int, of name: String) throws(SQLError) {
    guard name.utf8.count <= FunctionArity.longestName, count >= -1,
      count <= FunctionArity.mostArguments
    else { throw SQLError(.misuse) }
    self = count < 0 ? .atLeast(0) : .exactly(count)
  }
}
