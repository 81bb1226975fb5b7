// SELECT, VALUES and compounds (lang_select).
//
// The order in which the clauses are bound is SQLite's, so that of several mistakes the same one is
// reported: LIMIT, FROM, result columns, HAVING, WHERE and ON, ORDER BY, GROUP BY; the last part of
// a compound before the others.

/// What a SELECT is bound for, which decides how its columns are named.
enum SelectRole {
  case top
  /// In an expression, or a later part of a compound: nobody asks for names.
  case expression
  /// Nobody reads the rows: EXISTS, a step of a trigger. DISTINCT means nothing then.
  case unread
  /// In FROM: columns are named as written, different from each other.
  case from
  /// As `from`, but a column of a table is named as the table names it.
  case view

  var isInFrom: Bool { self == .from || self == .view }
}

extension Binder {
  /// So many SELECTs in each other, those of common tables and joins in parentheses counted twice, are
  /// compiled on any stack, whatever the expressions in them. What is deeper looks at the stack.
  private static let usualSelectDepth = 24
  /// The same where the system does not tell how large the stack is: 512 KB may be enough.
  private static let blindSelectDepth = 200
  /// The deepest on any stack, as each level that is flattened copies the expressions above it.
  private static let maximumSelectDepth = 4_000

  @inline(__always)
  func bindSelect(
    _ statement: SelectStatement, outer: Scope?, role: SelectRole, columnNames: [Name] = [],
    wantsOneRow: Bool = false
  ) throws(SQLError) -> BoundSelect {
    if selectDepth > 0 {
      return try bindWhole(statement, outer, role, columnNames, wantsOneRow: wantsOneRow)
    }
    return try bindOutermost(statement, outer, role, columnNames, wantsOneRow: wantsOneRow)
  }

  @inline(never)
  private func bindOutermost(
    _ statement: SelectStatement, _ outer: Scope?, _ role: SelectRole, _ columnNames: [Name],
    wantsOneRow: Bool
  ) throws(SQLError) -> BoundSelect {
    do throws(SQLError) {
      return try bindWhole(statement, outer, role, columnNames, wantsOneRow: wantsOneRow)
    } catch {
      throw firstMistake(in: statement, error)
    }
  }

  @inline(never)
  private func bindWhole(
    _ statement: SelectStatement, _ outer: Scope?, _ role: SelectRole, _ columnNames: [Name],
    wantsOneRow: Bool
  ) throws(SQLError) -> BoundSelect {
    try enterSelect()
    var isBound = false
    defer {
      selectDepth -= 1
      if !isBound { failsInSelect = true }
    }
    let number = self.number(of: statement)
    let outerTables = commonTables
    defer {
      if uses != nil, statement.with != nil { noteNamesInUnreadTables() }
      commonTables = outerTables
    }
    if let with = statement.with { commonTables = CommonTableScope(with, outer: outerTables) }
    let statement = try separatingRows(statement)
    if statement.cores.count > 1 {
      let bound = try bindCompound(
        statement, outer, role, columnNames, wantsOneRow: wantsOneRow)
      bound.number = number
      bound.highestNumber = selectNumber
      isBound = true
      return bound
    }
    guard let core = statement.cores.first else { throw SQLError(.internal) }
    let limit = try bindLimit(statement.limit, wantsOneRow: wantsOneRow)
    let offset = try bindLimit(statement.offset)
    let scope = Scope(outer: outer, selectID: newSelectID())
    let part = try bindPart(core, scope, role, orderBy: statement.orderBy)
    var columns = part.columns
    if role.isInFrom { columns = try subqueryColumns([part], columnNames) }
    var bound = BoundSelect(
      id: scope.selectID, body: part.body, columns: columns, orderBy: part.orderBy,
      limit: limit, offset: offset, isCorrelated: scope.isCorrelated,
      isDistinct: part.isDistinct, in: memory)
    if part.isDistinct && role != .unread { try checkCollations(of: bound) }
    if !scope.windowCalls.isEmpty { bound = try separatingWindows(bound, of: scope) }
    bound.typingRow = part.typingRow
    bound.number = number
    bound.highestNumber = selectNumber
    isBound = true
    return bound
  }

  /// What EXPLAIN QUERY PLAN calls the SELECT.
  func number(of statement: SelectStatement) -> Int32 {
    if openViews.isEmpty {
      selectNumber = max(selectNumber, statement.number)
      return statement.number
    }
    selectNumber &+= 1
    return selectNumber
  }

  /// Counts one more level of SELECTs; `selectDepth` is to be lowered at its end.
  @inline(__always)
  func enterSelect() throws(SQLError) {
    if selectDepth >= Binder.usualSelectDepth { try enterDeepSelect() }
    try memory.attend()
    selectDepth += 1
  }

  /// Binding takes about 1.1 KB a level, the phases behind it up to 3.5 KB of the same stack
  /// (compounds of other kinds by turns).
  @inline(never)
  private func enterDeepSelect() throws(SQLError) {
    let isKnown = memory.boundStack(selects: selectDepth, height: openHeight)
    let limit = isKnown ? Binder.maximumSelectDepth : Binder.blindSelectDepth
    if selectDepth >= limit { throw .recursionLimit }
  }

  /// A simple SELECT or VALUES, bound.
  struct Part {
    let body: BoundSelectContent.Body
    let columns: TreeList<BoundResultColumn>
    var orderBy: TreeList<BoundOrderingTerm> = []
    var isDistinct = false
    /// Rows of VALUES that a co-routine gives: nothing is known of their columns.
    var isCoroutine = false
    /// See `BoundSelect.typingRow`.
    var typingRow = 0
  }

  /// LIMIT and OFFSET see no columns.
  ///
  /// Where one row is all that is wanted, SQLite only asks whether the limit is 0, of limits also
  /// that are no integers.
  func bindLimit(
    _ expression: Expression?, wantsOneRow: Bool = false
  ) throws(SQLError) -> BoundExpression? {
    guard let expression else { return nil }
    let bound = try bindEntire(expression, Scope(outer: nil, selectID: 0))
    if !wantsOneRow { return bound }
    if case .integer = bound.kind { return bound }
    return try makeComparison(
      .notEqual, bound, BoundExpression(.integer(0), affinity: .numeric, traits: [], in: memory))
  }

  func bindPart(
    _ core: SelectCore, _ scope: Scope, _ role: SelectRole, orderBy: TreeList<OrderingTerm>
  ) throws(SQLError) -> Part {
    switch core {
    case .select(let select): return try bindSimple(select, scope, role, orderBy)
    case .values(let rows): return try bindValues(rows, scope, role)
    }
  }

  @inline(never)
  private func bindSimple(
    _ select: SimpleSelect, _ scope: Scope, _ role: SelectRole, _ orderBy: TreeList<OrderingTerm>
  ) throws(SQLError) -> Part {
    let unaskedCount = unaskedCount
    self.unaskedCount = 0
    if !select.windows.isEmpty { try bindWindows(select.windows, scope) }
    if !select.from.isEmpty { try bindFrom(select.from, scope) }
    scope.clause = .result
    scope.allowsAggregates = true
    scope.allowsWindows = true
    try bindResultColumns(select.columns, scope, role, unaskedCount: unaskedCount)
    scope.allowsWindows = false
    scope.isAggregate = !select.groupBy.isEmpty || !scope.aggregates.isEmpty
    scope.allowsAggregates = scope.isAggregate
    scope.seesAliases = true
    let having = try bindHaving(select.having, scope)
    scope.clause = .condition
    let condition = try select.whereClause.map { (condition) throws(SQLError) in
      try bindEntire(condition, scope)
    }
    if scope.sources.count > 1 || !functionArguments.isEmpty { try bindJoinConditions(scope) }
    // An aggregate is found misplaced only behind this, unless the SELECT aggregates.
    scope.clause = .ordering
    scope.allowsAggregates = true
    if isRenaming { try bindTerms(of: select.windows, scope) }
    scope.allowsWindows = true
    let order = orderBy.isEmpty ? [] : try bindOrderBy(orderBy, scope)
    scope.allowsWindows = false
    scope.clause = .grouping
    var groupBy: [BoundExpression] = []
    if unaskedCount > 0 {
      groupBy = try withoutAuthorizer { () throws(SQLError) in
        try bindGroupBy(select.groupBy, scope)
      }
    } else if !select.groupBy.isEmpty {
      groupBy = try bindGroupBy(select.groupBy, scope)
    }
    scope.clause = .other
    let body = BoundSimpleSelect(
      sources: scope.sources, whereClause: condition, groupBy: groupBy, having: having,
      aggregates: scope.aggregates,
      isAggregate: scope.isAggregate || !scope.aggregates.isEmpty, in: memory)
    return Part(
      body: .simple(body), columns: scope.columns, orderBy: order, isDistinct: select.isDistinct)
  }

  private func bindHaving(
    _ having: Expression?, _ scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard let having else { return nil }
    if !scope.isAggregate { throw .sql("HAVING clause on a non-aggregate query") }
    scope.clause = .having
    return try bindEntire(having, scope)
  }

  // MARK: Compounds

  @inline(never)
  private func bindCompound(
    _ statement: SelectStatement, _ outer: Scope?, _ role: SelectRole, _ columnNames: [Name],
    wantsOneRow: Bool
  ) throws(SQLError) -> BoundSelect {
    let limit = try bindLimit(statement.limit, wantsOneRow: wantsOneRow)
    let offset = try bindLimit(statement.offset)
    let id = newSelectID()
    var parts: [Part] = []
    var scopes: [Scope] = []
    for index in statement.cores.indices.reversed() {
      let scope = Scope(outer: outer, selectID: newSelectID())
      if !openViews.isEmpty && index < statement.cores.count - 1 { selectNumber &+= 1 }
      let part = try bindPart(
        statement.cores[index], scope, index == 0 ? role : .expression, orderBy: [])
      if let right = parts.last, right.columns.count != part.columns.count {
        throw Binder.differentColumnCounts(statement.operators[index])
      }
      parts.append(part)
      scopes.append(scope)
    }
    parts.reverse()
    scopes.reverse()
    let compares = !statement.orderBy.isEmpty || statement.operators.contains { $0 != .unionAll }
    let collations = try compoundCollations(parts, compares: compares)
    let orderBy = try bindCompoundOrderBy(statement.orderBy, parts, scopes, collations)
    if let wrapped = try Binder.collatedCompound(statement, orderBy, self) {
      return try bindSelect(
        wrapped, outer: outer, role: role, columnNames: columnNames, wantsOneRow: wantsOneRow)
    }
    let lastMerge = statement.operators.lastIndex { $0 != .unionAll }
    let mergedCount = orderBy.isEmpty ? lastMerge.map { $0 + 2 } ?? 0 : parts.count
    let selects = try parts.indices.map { (index) throws(SQLError) in
      try compoundPart(
        parts[index], scopes[index],
        mergedBy: index < mergedCount ? mergeOrdering(of: parts[index], orderBy, collations) : [])
    }
    let columns = role.isInFrom ? try subqueryColumns(parts, columnNames) : parts[0].columns
    let bound = BoundSelect(
      id: id, body: .compound(selects, Array(statement.operators), collations: collations),
      columns: columns, orderBy: orderBy, limit: limit, offset: offset,
      isCorrelated: scopes.contains { $0.isCorrelated }, isDistinct: false, in: memory)
    return bound
  }

  /// A part of a compound as a SELECT of its own. What its rows are merged by is an ORDER BY for its
  /// windows.
  func compoundPart(
    _ part: Part, _ scope: Scope, mergedBy terms: TreeList<BoundOrderingTerm> = []
  ) throws(SQLError) -> BoundSelect {
    let select = BoundSelect(
      id: scope.selectID, body: part.body, columns: part.columns,
      orderBy: scope.windowCalls.isEmpty ? [] : terms, limit: nil, offset: nil,
      isCorrelated: scope.isCorrelated, isDistinct: part.isDistinct, in: memory)
    select.isCoroutine = part.isCoroutine
    select.typingRow = part.typingRow
    if part.isDistinct { try checkCollations(of: select) }
    if scope.windowCalls.isEmpty { return select }
    return try separatingWindows(select, of: scope).replacing(orderBy: [])
  }

  /// The order in which SQLite merges a part: ORDER BY, then the columns that it does not name.
  private func mergeOrdering(
    of part: Part, _ orderBy: TreeList<BoundOrderingTerm>, _ collations: [Collation]
  ) -> TreeList<BoundOrderingTerm> {
    let named = orderBy.map(\.resultColumn)
    let rest = part.columns.indices.filter { !named.contains($0) }
    let terms = (named + rest).enumerated().map { position, column in
      let isNamed = position < orderBy.count
      return BoundOrderingTerm(
        expression: part.columns[column].expression,
        isDescending: isNamed && orderBy[position].isDescending,
        hasBigNulls: isNamed && orderBy[position].hasBigNulls, resultColumn: column,
        collation: isNamed ? orderBy[position].collation : collations[column])
    }
    return TreeList(terms, in: memory)
  }

  static func differentColumnCounts(_ operation: CompoundOperator) -> SQLError {
    let name =
      switch operation {
      case .union: "UNION"
      case .unionAll: "UNION ALL"
      case .intersect: "INTERSECT"
      case .except: "EXCEPT"
      }
    return .sql(
      "SELECTs to the left and right of \(name) do not have the same number of result columns")
  }

  /// For each column, the collation of the first part that has one. It has to exist only where rows
  /// are compared.
  func compoundCollations(
    _ parts: [Part], compares: Bool = true
  ) throws(SQLError) -> [Collation] {
    var collations: [Collation] = []
    for index in parts[0].columns.indices {
      var collation: Collation?
      for part in parts where collation == nil {
        collation = part.columns[index].expression.collation
        // What a co-routine gives compares as bytes.
        if part.isCoroutine { collation = collation ?? .binary }
      }
      collations.append(compares ? try usable(collation) : collation ?? .binary)
    }
    return collations
  }

  // MARK: Columns of subqueries in FROM

  /// Columns as what is around a subquery sees them: all names different, with the types that all
  /// parts of a compound allow.
  func subqueryColumns(
    _ parts: [Part], _ names: [Name]
  ) throws(SQLError) -> TreeList<BoundResultColumn> {
    var columns: TreeList<BoundResultColumn> = []
    let alternatives = alternatives(parts)
    for (index, column) in parts[0].columns.enumerated() {
      let written = try unlessTruthWord(
        index < names.count ? names[index] : column.label, index)
      let label = try uniqueName(written, among: columns)
      let last = parts[parts.count - 1].columns[index]
      columns.append(
        BoundResultColumn(
          expression: column.expression, label: label,
          affinity: Binder.affinity(ofColumn: index, alternatives),
          collation: column.expression.collation ?? .binary,
          originTable: last.originTable, originColumn: last.originColumn), in: memory)
    }
    return columns
  }

  /// The expressions of the columns of a compound's parts. To SQLite, rows of VALUES are parts of
  /// their own, unless it runs them as a co-routine: then nothing is known of its columns (nil).
  private func alternatives(_ parts: [Part]) -> [[BoundExpression]?] {
    var alternatives: [[BoundExpression]?] = []
    for part in parts {
      if case .values(let rows) = part.body, rows.count > 1 {
        alternatives += part.isCoroutine ? [nil] : rows
      } else {
        alternatives.append(part.columns.map(\.expression))
      }
    }
    return alternatives
  }

  /// The affinity of a compound's column is that of the first part that has one, unless other parts
  /// give values of another kind (SQLite's sqlite3SubqueryColumnTypes).
  private static func affinity(
    ofColumn index: Int, _ parts: [[BoundExpression]?]
  ) -> Affinity {
    let affinityOf = { (part: Int) in parts[part]?[index].affinity ?? .none }
    let kindsOf = { (part: Int) in parts[part]?[index].valueKinds ?? .all }
    var affinity = affinityOf(0), position = 0
    if parts.count == 1 { return affinity }
    var kinds: BoundExpression.ValueKinds = []
    while affinity == .none && position + 1 < parts.count {
      kinds.formUnion(kindsOf(position))
      position += 1
      affinity = affinityOf(position)
    }
    guard affinity.rawValue >= Affinity.text.rawValue,
      position + 1 < parts.count || !kinds.isEmpty
    else { return affinity }
    for part in (position + 1)..<parts.count { kinds.formUnion(kindsOf(part)) }
    if affinity == .text && kinds.contains(.number) { return .blob }
    if affinity.isNumeric && kinds.contains(.text) { return .blob }
    if affinity.isNumeric, case .cast = parts[0]?[index].kind { return .flexnum }
    return affinity
  }
}

extension BoundExpression {
  /// Kinds of values that an expression may give (SQLite's sqlite3ExprDataType).
  struct ValueKinds: OptionSet {
    let rawValue: UInt8
    static let number = ValueKinds(rawValue: 1)
    static let text = ValueKinds(rawValue: 2)
    static let blob = ValueKinds(rawValue: 4)
    static let all: ValueKinds = [.number, .text, .blob]
  }

  var valueKinds: ValueKinds {
    switch kind {
    case .collate(let operand), .plus(let operand): return operand.valueKinds
    case .null: return []
    case .text: return .text
    case .blob: return .blob
    case .arithmetic(.concat, _, _): return [.text, .blob]
    case .parameter, .aggregate, .function, .window: return .all
    case .column, .scalarSubquery, .cast, .subqueryColumn, .row:
      if affinity.isNumeric { return [.number, .blob] }
      return affinity == .text ? [.text, .blob] : .all
    case .caseWhen(let branches):
      var kinds = branches.otherwise?.valueKinds ?? []
      for branch in branches.branches { kinds.formUnion(branch.then.valueKinds) }
      return kinds
    default: return .number
    }
  }
}
