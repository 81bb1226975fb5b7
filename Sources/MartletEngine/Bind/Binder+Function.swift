// Function calls (lang_corefunc, lang_aggfunc).
//
// An aggregate runs over the rows of the innermost SELECT whose columns its arguments use; with no
// columns at all, over those of the SELECT that it is written in.

extension Binder {
  @inline(never)
  func bindFunction(_ call: FunctionCall, _ scope: Scope) throws(SQLError) -> BoundExpression {
    switch function(named: call.name, call.arguments.count) {
    case .scalar(let function) where !function.flags.contains(.internal):
      return try bindScalarCall(function, call, scope)
    case .aggregate where isInDefault, .wrongArgumentCount where isInDefault:
      throw unknownFunction(call.name)
    case .aggregate(let function):
      if let over = call.over { return try bindWindowCall(function, call, over, scope) }
      if function.flags.contains(.windowOnly) {
        return try bindMisplaced(call, .misuse(ofWindow: call.name), scope)
      }
      return try bindAggregate(function, call, scope)
    case .wrongArgumentCount where uses != nil, .unknown where uses != nil:
      // ALTER TABLE does not mind what functions a view or trigger calls.
      return try bindNames(in: call, scope)
    case .wrongArgumentCount:
      throw mistake(.wrongArgumentCount(call.name), in: call.arguments, scope)
    case .unknown where storedPlace != .none && storedKind == nil:
      // A table can be read although the application of its index is another one.
      let refusal = SQLError.sql(
        "unknown function: \(call.name.string)()", offset: call.name.offset)
      return try bindScalarCall(
        ScalarFunction(call.name.string, refusal: refusal), call, scope)
    default:
      throw mistake(unknownFunction(call.name), in: call.arguments, scope)
    }
  }

  func function(named name: Name, _ argumentCount: Int) -> FunctionRegistry.Lookup {
    environment.functions.find(
      name.buffer, argumentCount: argumentCount, encoding: environment.catalog.encoding)
  }

  private func unknownFunction(_ name: Name) -> SQLError {
    let text = name.string
    if isInDefault { return .sql("unknown function: \(text)()") }
    return .sql("no such function: \(text)", offset: name.offset)
  }

  /// The error of a call that is wrong in itself, or the last one among its arguments: SQLite looks
  /// at them in order, up to the first that is neither a column nor a call.
  func mistake(
    _ error: SQLError, in arguments: TreeList<Expression>, _ scope: Scope
  ) -> SQLError {
    var error = error
    for argument in arguments {
      switch argument.kind {
      case .function(let node):
        let call = node.object
        switch environment.functions.find(
          call.name.buffer, argumentCount: call.arguments.count)
        {
        case .wrongArgumentCount: error = .wrongArgumentCount(call.name)
        case .unknown: error = unknownFunction(call.name)
        case .aggregate(let function)
        where function.flags.contains(.windowOnly) && call.over == nil:
          error = .misuse(ofWindow: call.name)
        case .aggregate where !scope.allowsAggregates:
          error = call.over == nil ? .misuse(ofAggregate: call.name) : .misuse(ofWindow: call.name)
        default: break
        }
        error = mistake(error, in: call.arguments, scope)
      case .identifier, .column, .qualifiedColumn:
        do throws(SQLError) { _ = try bind(argument, scope) } catch { return error }
      default: return error
      }
    }
    return error
  }

  // MARK: Scalar functions

  private func bindScalarCall(
    _ function: ScalarFunction, _ call: FunctionCall, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    if call.over != nil {
      return try bindMisplaced(call, Binder.mayNotBeWindow(call.name), scope)
    }
    if call.filter != nil {
      let name = call.name.string
      return try bindMisplaced(
        call, .sql("FILTER may not be used with non-aggregate \(name)()"), scope)
    }
    if !call.orderBy.isEmpty && !call.arguments.isEmpty {
      let message = "ORDER BY may not be used with non-aggregate \(call.name.string)()"
      return try bindMisplaced(call, .sql(message, offset: call.name.offset), scope)
    }
    try checkMayStand(function.flags, call.name)
    guard try mayCall(function.name, as: call.name) else { return null() }
    var arguments: [BoundExpression] = []
    arguments.reserveCapacity(call.arguments.count)
    for argument in call.arguments { arguments.append(try bindScalar(argument, scope)) }
    arguments = withoutSubtypes(arguments, for: function.flags, scope)
    let bound = try makeCall(function, arguments)
    markIsSafe(bound, function.flags)
    if storedPlace != .none, function.flags.contains(.deterministic),
      case .function(let node) = bound.kind
    {
      node.storedPlace = storedPlace
    }
    if function.flags.contains(.inline), case .function(let node) = bound.kind {
      node.likelihoodEstimate = try likelihood(call, arguments)
    }
    return bound
  }

  /// Throws for a function that may not be called where the expression stands.
  private func checkMayStand(_ flags: FunctionFlags, _ name: Name) throws(SQLError) {
    try checkIsSafe(flags, name)
    if let storedKind, storedKind.needsDeterminism, !flags.contains(.deterministic) {
      throw Binder.prohibited("non-deterministic functions", in: storedKind, offset: name.offset)
    }
  }

  /// Throws for what the schema may not call.
  func checkIsSafe(_ flags: FunctionFlags, _ name: Name) throws(SQLError) {
    if isOfSchema, flags.isUnsafe(isTrusted: environment.trustsSchema) {
      throw .sql("unsafe use of \(name.string)()")
    }
  }

  /// What is being bound is of the schema of a file. Temporary definitions are the application's,
  /// and ALTER TABLE calls nothing.
  private var isOfSchema: Bool {
    if uses != nil || isInDefault { return false }
    if storedPlace != .none { return storedKind != nil && !isInTemporaryTable }
    return isInStoredQuery
  }

  /// The same of a view or of what a trigger does.
  var isInStoredQuery: Bool {
    if let view = openViews.last { return view.databaseIndex != 1 }
    if isOfVirtualTable { return true }
    return triggerRows?.isFromSchema ?? false
  }

  /// Marks a call that a statement may not make for an expression of the schema: whether it would be
  /// made, the emitter knows.
  private func markIsSafe(_ call: BoundExpression, _ flags: FunctionFlags) {
    guard isInDefault || storedPlace != .none, storedKind == nil, uses == nil, !isInTemporaryTable,
      case .function(let node) = call.kind
    else { return }
    node.isUnsafe = flags.isUnsafe(isTrusted: environment.trustsSchema)
  }

  /// What likely(), unlikely() and likelihood() say, as a LogEst below 0; nil for other functions.
  private func likelihood(
    _ call: FunctionCall, _ arguments: [BoundExpression]
  ) throws(SQLError) -> LogEst? {
    // Probabilities are counted in 2^-27, whose LogEst is -270.
    let one = 134_217_728.0, logEstOfOne: LogEst = 270
    var share = 0.0
    if call.name == Name("likely") {
      share = 0.9375
    } else if call.name == Name("unlikely") {
      share = 0.0625
    } else if call.name == Name("likelihood") {
      guard arguments.count == 2, case .real(let value, _) = arguments[1].kind,
        value.sign == .plus, value <= 1
      else {
        throw .sql(
          "second argument to \(call.name.string)() must be a constant between 0.0 and 1.0",
          offset: call.name.offset)
      }
      share = value
    } else {
      return nil
    }
    return LogEst(count: UInt64(share * one)) - logEstOfOne
  }

  /// The arguments of a function that looks at subtypes, which columns of subqueries do not have,
  /// nor those of virtual tables in a window, whose rows are kept; or of max() and min(), which give
  /// back what they are given.
  func withoutSubtypes(
    _ arguments: [BoundExpression], for flags: FunctionFlags, _ scope: Scope,
    ofTables: Bool = false
  ) -> [BoundExpression] {
    let givesBack = flags.contains(.minMax) && !ofTables
    guard givesBack || flags.contains(.subtype) else { return arguments }
    return arguments.map { argument in
      // The arguments of such a function have none already.
      if case .function(let call) = argument.kind, call.function.flags.contains(.subtype) {
        return argument
      }
      return argument.mapLeaves { leaf in
        guard case .column(let id, let column) = leaf.kind, let source = scope.source(id),
          ofTables || source.isSubquery, !givesBack || source.mayGiveSubtypes(column)
        else { return nil }
        let node = BoundFunction(
          function: BuiltInFunctions.withoutSubtype, arguments: [leaf], collation: .binary,
          in: memory)
        // To what compares them, the values are those of the column.
        return BoundExpression(
          .function(node), affinity: leaf.affinity, collation: leaf.collation,
          hasExplicitCollation: leaf.hasExplicitCollation,
          traits: leaf.traits.intersection(.inherited), in: memory)
      }
    }
  }

  func makeCall(
    _ function: ScalarFunction, _ arguments: [BoundExpression]
  ) throws(SQLError) -> BoundExpression {
    var traits = BoundExpression.Traits.hasFunction
    if function.flags.isDisjoint(with: [.deterministic, .constantPerStatement]) {
      traits.insert(.hasNondeterministicFunction)
    }
    var collation = Collation.binary
    if function.flags.contains(.needsCollation) {
      for argument in arguments {
        guard let first = argument.collation else { continue }
        collation = try usable(first)
        break
      }
    }
    let node = BoundFunction(
      function: function, arguments: arguments, collation: collation, in: memory)
    return combined(.function(node), arguments, adding: traits)
  }

  /// Calls a function that an operator stands for.
  func makeCall(
    _ name: Name, _ arguments: [BoundExpression]
  ) throws(SQLError) -> BoundExpression {
    switch function(named: name, arguments.count) {
    case .scalar(let function): return try makeCall(function, arguments)
    case .wrongArgumentCount: throw .wrongArgumentCount(name)
    default: throw unknownFunction(name)
    }
  }

  /// coalesce() of joined columns has the affinity and collation of the first.
  func makeCoalesce(_ arguments: [BoundExpression]) throws(SQLError) -> BoundExpression {
    let call = try makeCall(Name("coalesce"), arguments)
    return BoundExpression(
      call.kind, affinity: arguments.first?.affinity ?? .none,
      collation: arguments.first?.collation, traits: call.traits, in: memory)
  }

  @inline(never)
  func bindCurrent(_ kind: CurrentKind, _ scope: Scope) throws(SQLError) -> BoundExpression {
    let name =
      switch kind {
      case .time: Name("current_time")
      case .date: Name("current_date")
      case .timestamp: Name("current_timestamp")
      }
    guard try mayCall(name.string, as: Name(kind.keyword)) else { return null() }
    return try makeCall(name, [])
  }

  @inline(never)
  func bindLike(_ like: Like, _ scope: Scope) throws(SQLError) -> BoundExpression {
    let known = like.operator.functionName
    let name = like.operator == .regexp ? writtenOperator(like, known) : known
    if case .scalar(let known) = function(named: name, like.escape == nil ? 2 : 3),
      authorizer != nil || !known.flags.isSuperset(of: .pure)
    {
      let written = writtenOperator(like, name)
      try checkMayStand(known.flags, written)
      guard try mayCall(known.name, as: written) else { return null() }
    }
    var arguments = [try bindScalar(like.pattern, scope), try bindScalar(like.text, scope)]
    if let escape = like.escape { arguments.append(try bindScalar(escape, scope)) }
    let call = try makeCall(name, arguments)
    if case .function(let node) = call.kind {
      node.patternOperator = like.operator
      markIsSafe(call, node.function.flags)
      if node.function.flags.contains(.like) {
        // Only a condition's pattern decides about a plan.
        let parameters = scope.clause == .condition ? environment.parameters : nil
        node.likePrefix = try LikePrefix(node, environment.catalog.encoding, arena, parameters)
      }
    }
    return like.isNegated ? makeNot(call) : call
  }

  /// The operator as the text spells it, for SQLite's message that there is no such function.
  private func writtenOperator(_ like: Like, _ name: Name) -> Name {
    let length = Int(name.count), end = Int(like.pattern.range.start) - length
    var position = Int(like.text.range.end)
    while position >= 0 && position <= end && end + length <= text.count {
      let word = Name(start: text.start + position, count: length)
      if word == name { return word }
      position += 1
    }
    return name
  }

  // MARK: Aggregates

  private func bindAggregate(
    _ function: AggregateFunction, _ call: FunctionCall, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    try checkIsSafe(function.flags, call.name)
    if !scope.allowsAggregates {
      if isRenaming { return try bindNames(in: call, scope) }
      throw mistake(.misuse(ofAggregate: call.name), in: call.arguments, scope)
    }
    if call.isDistinct && call.arguments.count != 1 {
      throw .sql("DISTINCT aggregates must have exactly one argument")
    }
    guard try mayCall(function.name, as: call.name) else { return null() }
    var parts = try bindParts(of: call, scope)
    parts.arguments = withoutSubtypes(parts.arguments, for: function.flags, scope)
    let owner = owner(of: parts, scope)
    if owner.clause == .condition || (owner.clause == .ordering && !owner.isAggregate) {
      if isRenaming { return null() }
      throw .sql("misuse of aggregate: \(call.name.string)()", offset: call.name.offset)
    }
    var collation = Collation.binary
    if let first = parts.arguments.first(where: { $0.collation != nil }) {
      if function.flags.contains(.needsCollation) || call.isDistinct {
        collation = try usable(first.collation)
      }
    }
    let aggregate = share(
      function, call.isDistinct, parts, collation: collation, in: owner)
    // The collation of FILTER or ORDER BY is not one of the result.
    var traits = BoundExpression.Traits.hasAggregate
    for other in parts.orderBy.map(\.expression) + [parts.filter].compactMap(\.self) {
      traits.formUnion(other.traits.intersection(.inherited))
    }
    return combined(.aggregate(aggregate), parts.arguments, adding: traits)
  }

  private struct AggregateParts {
    var arguments: [BoundExpression] = []
    var filter: BoundExpression?
    var orderBy: TreeList<BoundOrderingTerm> = []
  }

  /// Binds what stands inside an aggregate call, where no aggregate of this SELECT may stand.
  private func bindParts(
    of call: FunctionCall, _ scope: Scope
  ) throws(SQLError) -> AggregateParts {
    let allowedWindows = scope.allowsWindows
    scope.allowsAggregates = false
    scope.allowsWindows = false
    defer {
      scope.allowsAggregates = true
      scope.allowsWindows = allowedWindows
    }
    var parts = AggregateParts()
    // SQLite looks on after a mistake, and reports the last.
    var mistake: SQLError?
    do throws(SQLError) {
      for argument in call.arguments { parts.arguments.append(try bindScalar(argument, scope)) }
    } catch { mistake = error }
    do throws(SQLError) {
      // Without arguments, an order means nothing.
      for term in call.orderBy where !call.arguments.isEmpty {
        let expression = try bindScalar(term.expression, scope)
        parts.orderBy.append(try orderingTerm(expression, term, resultColumn: -1), in: memory)
      }
    } catch { mistake = error }
    // But of another mistake in FILTER it hears only if that is nothing but a column.
    if let filter = call.filter, mistake == nil || filter.isColumn {
      parts.filter = try bindScalar(filter, scope)
    }
    if let mistake { throw mistake }
    return parts
  }

  private func owner(of parts: AggregateParts, _ scope: Scope) -> Scope {
    var level = scope
    while true {
      var isOwner = false
      let visit: (SourceID) -> Void = { if level.owns($0) { isOwner = true } }
      for argument in parts.arguments { argument.forEachSource(visit) }
      parts.filter?.forEachSource(visit)
      for term in parts.orderBy { term.expression.forEachSource(visit) }
      if isOwner { return level }
      guard let outer = level.outer else { return scope }
      level = outer
    }
  }

  /// The aggregate among those of its SELECT: an equal one if there is one.
  private func share(
    _ function: AggregateFunction, _ isDistinct: Bool, _ parts: AggregateParts,
    collation: Collation, in owner: Scope
  ) -> BoundAggregate {
    for known in owner.aggregates {
      if known.function === function && known.isDistinct == isDistinct
        && BoundExpression.areSame(known.arguments, parts.arguments)
        && BoundExpression.areSame(known.filter.map { [$0] } ?? [], parts.filter.map { [$0] } ?? [])
        && BoundExpression.areSame(known.orderBy.map(\.expression), parts.orderBy.map(\.expression))
        && zip(known.orderBy, parts.orderBy).allSatisfy({
          $0.isDescending == $1.isDescending && $0.hasBigNulls == $1.hasBigNulls
        })
      {
        return known
      }
    }
    let aggregate = BoundAggregate(
      function: function, arguments: parts.arguments, isDistinct: isDistinct,
      filter: parts.filter, orderBy: parts.orderBy, collation: collation,
      selectID: owner.selectID, index: owner.aggregates.count, in: memory)
    owner.aggregates.append(aggregate)
    return aggregate
  }
}

extension SQLError {
  fileprivate static func misuse(ofAggregate name: Name) -> SQLError {
    .sql("misuse of aggregate function \(name.string)()", offset: name.offset)
  }

  static func wrongArgumentCount(_ name: Name) -> SQLError {
    .sql("wrong number of arguments to function \(name.string)()", offset: name.offset)
  }
}
