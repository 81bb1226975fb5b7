// VALUES, whose rows behind the first SQLite takes one by one (sqlite3MultiValues):
//
//     constants, and so are the row before    into a co-routine: its code is made before any name
//     it or the co-routine                    in the row is looked up
//     anything else                           by UNION ALL, a SELECT without FROM
//
// Behind WITH, in a stored definition and in a list of rows there are no co-routines. Where there
// is none at all, and no window function either, SQLite runs the rows as one loop without their
// aggregates; otherwise the parts are those of a compound SELECT.

/// Tells row by row which rows of a VALUES a co-routine gives.
struct ValuesRows {
  /// Whether co-routines are possible.
  let mayRun: Bool
  private var isInCoroutine = false
  /// The row before can be the first of a co-routine.
  private var mayBegin = false

  init(mayRun: Bool) { self.mayRun = mayRun }

  /// Takes the next row. True if it goes into the co-routine of the rows before.
  mutating func add(isConstant: Bool, hasAffinity: Bool) -> Bool {
    isInCoroutine = mayRun && isConstant && (isInCoroutine || mayBegin)
    mayBegin = isConstant && !hasAffinity
    return isInCoroutine
  }
}

extension Binder {
  @inline(never)
  func bindValues(
    _ rows: TreeList<TreeList<Expression>>, _ scope: Scope, _ role: SelectRole
  ) throws(SQLError) -> Part {
    scope.clause = .result
    scope.allowsAggregates = true
    scope.allowsWindows = rows.count == 1
    var valuesRows = ValuesRows(mayRun: mayRunCoroutines)
    isInRowList = false
    var bound: [[BoundExpression]] = []
    bound.reserveCapacity(rows.count)
    var isCoroutine = rows.count > 1
    var typingRow = 0
    for (index, row) in rows.enumerated() {
      asksForTruth = false
      var values = try bindRow(row, scope)
      if rows.count > 1 {
        let isInCoroutine = valuesRows.add(
          isConstant: values.allSatisfy(\.isFixed),
          hasAffinity: values.contains { $0.affinity != .none })
        if index > 0 && !isInCoroutine { (isCoroutine, typingRow) = (false, index) }
        if isInCoroutine && asksForTruth {
          knowsTruthWords = false
          defer { knowsTruthWords = true }
          values = try bindRow(row, scope)
        }
      }
      bound.append(values)
    }
    let first = bound.first ?? []
    if first.count > environment.columnLimit { throw .sql("too many columns in result set") }
    var columns: TreeList<BoundResultColumn> = []
    for (index, value) in first.enumerated() {
      columns.append(resultColumn(value, try positionName(index, role), scope), in: memory)
    }
    scope.clause = .other
    guard let aggregate = scope.aggregates.first else {
      if !scope.windowCalls.isEmpty {
        return Part(
          body: .simple(BoundSimpleSelect(sources: [], whereClause: nil, in: memory)),
          columns: columns)
      }
      return Part(
        body: .values(bound), columns: columns, isCoroutine: isCoroutine, typingRow: typingRow)
    }
    if rows.count > 1 { throw .sql("misuse of aggregate: \(aggregate.function.name)()") }
    let body = BoundSimpleSelect(
      sources: [], whereClause: nil, groupBy: [], having: nil, aggregates: scope.aggregates,
      isAggregate: true, in: memory)
    return Part(body: .simple(body), columns: columns)
  }

  private func bindRow(
    _ row: TreeList<Expression>, _ scope: Scope
  ) throws(SQLError) -> [BoundExpression] {
    var values: [BoundExpression] = []
    values.reserveCapacity(row.count)
    for item in row { values.append(try bindEntire(item, scope)) }
    return values
  }

  private var mayRunCoroutines: Bool {
    commonTables == nil && openViews.isEmpty && triggerRows == nil && !isInRowList
  }

  // MARK: Rows that are SELECTs

  /// The statement with the rows of a VALUES that calls aggregates or window functions as parts of
  /// a compound, where SQLite takes them so.
  @inline(__always)
  func separatingRows(_ statement: SelectStatement) throws(SQLError) -> SelectStatement {
    for core in statement.cores {
      if case .values(let rows) = core, rows.count > 1, callsAggregates(rows) {
        return try separatingCallingRows(statement)
      }
    }
    return statement
  }

  @inline(never)
  private func separatingCallingRows(
    _ statement: SelectStatement
  ) throws(SQLError) -> SelectStatement {
    var cores: [SelectCore] = [], operators: [CompoundOperator] = []
    for (index, core) in statement.cores.enumerated() {
      if index > 0 { operators.append(statement.operators[index - 1]) }
      guard case .values(let rows) = core, let groups = groups(of: rows) else {
        cores.append(core)
        continue
      }
      // The parser allows no more parts of a compound that is written as one.
      if groups.count > Binder.mostSeparateRows {
        throw .sql("too many terms in compound SELECT")
      }
      let parts = groups.map { SelectCore.values($0) }
      let unions = [CompoundOperator](repeating: .unionAll, count: parts.count - 1)
      if index == 0 {
        cores += parts
        operators += unions
      } else {
        cores.append(selectAll(parts, unions, in: statement))
      }
    }
    return SelectStatement(
      with: statement.with, cores: cores, operators: operators, orderBy: statement.orderBy,
      limit: statement.limit, offset: statement.offset, range: statement.range,
      height: statement.height, number: statement.number, in: memory)
  }

  private static let mostSeparateRows = 500

  /// SELECT * FROM the parts.
  private func selectAll(
    _ parts: [SelectCore], _ operators: [CompoundOperator], in statement: SelectStatement
  ) -> SelectCore {
    let inner = SelectStatement(
      with: nil, cores: parts, operators: operators, orderBy: [], limit: nil, offset: nil,
      range: statement.range, height: statement.height, number: statement.number, in: memory)
    let source = FromItem(
      source: .select(inner), alias: nil, join: .inner, on: nil, using: [],
      range: statement.range, in: memory)
    return .select(
      SimpleSelect(
        isDistinct: false, columns: [.star], from: [source], whereClause: nil, groupBy: [],
        having: nil, windows: [], in: memory))
  }

  /// The rows that a co-routine gives together, and those that stand alone; nil where the rows are
  /// one loop.
  private func groups(
    of rows: TreeList<TreeList<Expression>>
  ) -> [TreeList<TreeList<Expression>>]? {
    var valuesRows = ValuesRows(mayRun: mayRunCoroutines)
    var groups: [TreeList<TreeList<Expression>>] = []
    var isLoop = true
    for row in rows {
      let joins = valuesRows.add(
        isConstant: row.allSatisfy(isFixed), hasAffinity: row.contains(where: \.isCast))
      if joins {
        groups[groups.count - 1].append(row, in: memory)
        isLoop = false
      } else {
        groups.append(TreeList([row], in: memory))
      }
      if isLoop && row.contains(where: \.hasWindowCall) { isLoop = false }
    }
    return isLoop ? nil : groups
  }

  private func callsAggregates(_ rows: TreeList<TreeList<Expression>>) -> Bool {
    rows.contains { row in
      row.contains { item in
        switch item.kind {
        case .null, .number, .string, .blob, .parameter: false
        default: callsAggregate(item)
        }
      }
    }
  }

  /// An aggregate or a window function is called outside of subqueries.
  private func callsAggregate(_ expression: Expression) -> Bool {
    if case .function(let call) = expression.kind {
      if call.object.over != nil { return true }
      if case .aggregate = function(named: call.object.name, call.object.arguments.count) {
        return true
      }
    }
    return expression.operands.contains { callsAggregate($0) }
  }

  /// No column, subquery or call that may give another value each time, as the parser sees it.
  private func isFixed(_ expression: Expression) -> Bool {
    switch expression.kind {
    case .column, .qualifiedColumn, .columnOfFirstSource, .exists, .subquery, .subqueryItem,
      .inSelect, .inTable, .raise:
      return false
    case .identifier(let name):
      return name.quote == 0 && (name == Name("true") || name == Name("false"))
    case .function(let call):
      guard call.object.over == nil, call.object.filter == nil,
        case .scalar(let function) = function(
          named: call.object.name, call.object.arguments.count),
        function.flags.contains(.deterministic)
      else { return false }
    default: break
    }
    return expression.operands.allSatisfy { isFixed($0) }
  }
}

extension Expression {
  fileprivate var isCast: Bool {
    switch kind {
    case .cast: true
    case .collate(let operand, _): operand.isCast
    default: false
    }
  }

  fileprivate var hasWindowCall: Bool {
    if case .function(let call) = kind, call.object.over != nil { return true }
    return operands.contains { $0.hasWindowCall }
  }
}
