// Calls of window functions (windowfunctions).

extension Binder {
  func bindWindowCall(
    _ function: AggregateFunction, _ call: FunctionCall, _ over: WindowReference, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard function.flags.contains(.window) else {
      return try bindMisplaced(call, Binder.mayNotBeWindow(call.name), scope)
    }
    guard scope.allowsAggregates, scope.allowsWindows else {
      if isRenaming { return try bindNames(in: call, scope) }
      throw mistake(.misuse(ofWindow: call.name), in: call.arguments, scope)
    }
    if isRenaming, case .named(let name) = over,
      Binder.index(ofWindow: name, scope.windows[...]) == nil
    {
      return try bindNames(in: call, scope)
    }
    try checkIsSafe(function.flags, call.name)
    guard try mayCall(function.name, as: call.name) else { return null() }
    scope.allowsWindows = false
    defer { scope.allowsWindows = true }
    var arguments: [BoundExpression] = []
    for argument in call.arguments { arguments.append(try bindScalar(argument, scope)) }
    arguments = withoutSubtypes(arguments, for: function.flags, scope, ofTables: true)
    let window = try bindWindow(over, call, function, scope)
    let filter = try call.filter.map { (filter) throws(SQLError) in try bindScalar(filter, scope) }
    var collation = Collation.binary
    if function.flags.contains(.needsCollation),
      let first = arguments.first(where: { $0.collation != nil })
    {
      collation = try usable(first.collation)
    }
    let bound = BoundWindowCall(
      function: function, arguments: arguments, filter: filter, collation: collation,
      window: window, height: 1 + call.arguments.reduce(0) { max($0, $1.height) }, in: memory)
    scope.windowCalls.append(bound)
    return BoundExpression(
      .window(bound), affinity: .none, traits: [.hasWindowFunction, .hasColumn], in: memory)
  }

  /// A call that may not stand where it does. ALTER TABLE looks at the names in it alone.
  func bindMisplaced(
    _ call: FunctionCall, _ mistake: SQLError, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard isRenaming else { throw mistake }
    return try bindNames(in: call, scope)
  }

  func bindNames(in call: FunctionCall, _ scope: Scope) throws(SQLError) -> BoundExpression {
    for argument in call.arguments { _ = try bindScalar(argument, scope) }
    for term in call.orderBy { _ = try bindScalar(term.expression, scope) }
    if let filter = call.filter { _ = try bindScalar(filter, scope) }
    if case .definition(let window) = call.over {
      for term in window.partitionBy { _ = try bindScalar(term, scope) }
      for term in window.orderBy { _ = try bindScalar(term.expression, scope) }
    }
    return null()
  }

  static func mayNotBeWindow(_ name: Name) -> SQLError {
    .sql("\(name.string)() may not be used as a window function", offset: name.offset)
  }

  private func bindWindow(
    _ over: WindowReference, _ call: FunctionCall, _ function: AggregateFunction, _ scope: Scope
  ) throws(SQLError) -> BoundWindow {
    let parts: WindowParts
    switch over {
    case .named(let name): parts = try Binder.window(named: name, among: scope.windows[...])
    case .definition(let definition):
      parts = try WindowParts(definition, among: scope.windows[...])
    }
    let hasOffset = parts.frame?.unit == .range && parts.frame?.hasOffset == true
    if hasOffset && parts.orderBy.count != 1 {
      throw .sql("RANGE with offset PRECEDING/FOLLOWING requires one ORDER BY expression")
    }
    if function.flags.contains(.windowOnly) && call.filter != nil {
      throw .sql("FILTER clause may only be used with aggregate window functions")
    }
    // The rows are sorted by all of them.
    if parts.partitionBy.count + parts.orderBy.count > environment.columnLimit {
      throw .sql("too many terms in ORDER BY clause")
    }
    var partitionBy: [BoundExpression] = []
    for term in parts.partitionBy {
      let expression = try bindScalar(term, scope)
      _ = try usable(expression.collation)
      partitionBy.append(expression)
    }
    var orderBy: TreeList<BoundOrderingTerm> = []
    for term in parts.orderBy {
      orderBy.append(
        try orderingTerm(try bindScalar(term.expression, scope), term, resultColumn: -1),
        in: memory)
    }
    let heights = parts.partitionBy.map(\.height) + parts.orderBy.map(\.expression.height)
    return BoundWindow(
      partitionBy: partitionBy, orderBy: orderBy,
      frame: try bindFrame(parts.frame, of: function.kind), height: heights.max() ?? 0)
  }

  // MARK: Definitions

  /// A window with what it takes over from the one that it is based on.
  struct WindowParts {
    let partitionBy: TreeList<Expression>
    let orderBy: TreeList<OrderingTerm>
    let frame: WindowFrame?

    /// - Parameter isFirst: The definition is the first of a WINDOW clause, for which SQLite does
    ///   not look at what it is based on.
    init(
      _ definition: WindowDefinition,
      among known: Slice<TreeList<NamedWindow>>, isFirst: Bool = false
    ) throws(SQLError) {
      guard let name = definition.base, !isFirst else {
        partitionBy = definition.partitionBy
        orderBy = definition.orderBy
        frame = definition.frame
        return
      }
      let base = try Binder.window(named: name, among: known)
      var overridden: String?
      if !definition.partitionBy.isEmpty {
        overridden = "PARTITION clause"
      } else if !base.orderBy.isEmpty && !definition.orderBy.isEmpty {
        overridden = "ORDER BY clause"
      } else if base.frame != nil {
        overridden = "frame specification"
      }
      if let overridden { throw .sql("cannot override \(overridden) of window: \(name.written)") }
      partitionBy = base.partitionBy
      orderBy = base.orderBy.isEmpty ? definition.orderBy : base.orderBy
      frame = definition.frame
    }
  }

  /// Of several windows of one name the last one counts; each sees those before it.
  fileprivate static func window(
    named name: Name, among known: Slice<TreeList<NamedWindow>>
  ) throws(SQLError) -> WindowParts {
    guard let index = index(ofWindow: name, known) else {
      throw .sql("no such window: \(name.written)")
    }
    return try WindowParts(
      known[index].definition, among: known[..<index], isFirst: index == known.startIndex)
  }

  /// SQLite leaves names of windows in their quotes.
  private static func index(
    ofWindow name: Name, _ known: Slice<TreeList<NamedWindow>>
  ) -> Int? {
    known.lastIndex { $0.name == name && $0.name.quote == name.quote }
  }

  /// Takes the WINDOW clause into the scope.
  func bindWindows(
    _ windows: TreeList<NamedWindow>, _ scope: Scope
  ) throws(SQLError) {
    for (index, window) in windows.enumerated().dropFirst() {
      _ = try WindowParts(window.definition, among: windows[..<index])
    }
    scope.windows = windows
  }

  /// Finds the names in all windows of a WINDOW clause, also in those that no function uses.
  func bindTerms(of windows: TreeList<NamedWindow>, _ scope: Scope) throws(SQLError) {
    for window in windows {
      for term in window.definition.orderBy { _ = try bindScalar(term.expression, scope) }
      for term in window.definition.partitionBy { _ = try bindScalar(term, scope) }
    }
  }

  // MARK: Frames

  private func bindFrame(
    _ frame: WindowFrame?, of kind: AggregateFunction.Kind
  ) throws(SQLError) -> BoundFrame {
    if let own = ownFrame(of: kind) { return own }
    guard let frame else { return BoundFrame(unit: .range, start: .unbounded, end: .currentRow) }
    return BoundFrame(
      unit: frame.unit, start: try bindBound(frame.start), end: try bindBound(frame.end),
      exclusion: frame.exclusion)
  }

  private func bindBound(_ bound: WindowFrame.Bound) throws(SQLError) -> BoundFrame.Bound {
    switch bound {
    case .unboundedPreceding, .unboundedFollowing: return .unbounded
    case .currentRow: return .currentRow
    case .preceding(let offset): return .preceding(try bindOffset(offset))
    case .following(let offset): return .following(try bindOffset(offset))
    }
  }

  /// What is no constant is NULL, which is no offset when the statement runs.
  private func bindOffset(_ offset: Expression) throws(SQLError) -> BoundExpression {
    guard offset.mayBeOffset else { return null() }
    return try bindScalar(offset, Scope(outer: nil, selectID: 0))
  }

  /// The functions that are nothing without a window have frames of their own, whatever is written
  /// (windowfunctions §3).
  private func ownFrame(of kind: AggregateFunction.Kind) -> BoundFrame? {
    let one = BoundExpression(.integer(1), affinity: .none, traits: [], in: memory)
    return switch kind {
    case .rowNumber, .lag: BoundFrame(unit: .rows, start: .unbounded, end: .currentRow)
    case .rank: BoundFrame(unit: .range, start: .unbounded, end: .currentRow)
    case .percentRank: BoundFrame(unit: .groups, start: .currentRow, end: .unbounded)
    case .cumulativeDistribution:
      BoundFrame(unit: .groups, start: .following(one), end: .unbounded)
    case .ntile: BoundFrame(unit: .rows, start: .currentRow, end: .unbounded)
    case .lead: BoundFrame(unit: .rows, start: .unbounded, end: .unbounded)
    default: nil
    }
  }
}

extension WindowFrame {
  fileprivate var hasOffset: Bool {
    func isOffset(_ bound: Bound) -> Bool {
      switch bound {
      case .preceding, .following: true
      default: false
      }
    }
    return isOffset(start) || isOffset(end)
  }
}

extension Expression {
  /// SQLite takes no function and no column in the offset of a frame.
  fileprivate var mayBeOffset: Bool {
    var waiting = [self]
    while let node = waiting.popLast() {
      switch node.kind {
      case .identifier(let name):
        guard name.quote == 0, name == Name("true") || name == Name("false") else { return false }
      case .column, .qualifiedColumn, .exists, .subquery, .inSelect, .inTable, .raise, .function,
        .current, .like:
        return false
      default: waiting.append(contentsOf: node.operands)
      }
    }
    return true
  }
}

extension Name {
  /// With its quotes.
  fileprivate var written: String {
    guard quote != 0 else { return string }
    let mark = Character(UnicodeScalar(quote))
    return "\(mark)\(string)\(mark == "[" ? "]" : mark)"
  }
}

extension SQLError {
  static func misuse(ofWindow name: Name) -> SQLError {
    .sql("misuse of window function \(name.string)()", offset: name.offset)
  }
}
