// INSERT, UPDATE and DELETE (lang_insert, lang_update, lang_delete, lang_upsert).

extension Parser {
  mutating func parseInsert(with: WithClause?) throws(SQLError) -> StatementSyntax {
    .insert(try parseInsertStatement(with: with))
  }

  private mutating func parseInsertStatement(
    with: WithClause?, inTrigger: Bool = false
  ) throws(SQLError) -> InsertStatement {
    var conflict: ConflictPolicy?
    if accept(.replace) {
      conflict = .replace
    } else {
      try expect(.insert)
      conflict = try parseOrPolicy()
    }
    try expect(.into)
    let (table, alias) = try parseTarget()
    let columns = token.kind == .leftParenthesis ? try parseNameList() : []
    var source: SelectStatement?
    var upserts: [UpsertClause] = []
    var returning: TreeList<ResultColumn> = []
    try open(6)
    if token.kind == .default && !inTrigger {
      advance()
      try expect(.values)
      returning = try parseReturning()
    } else {
      source = try parseSelect()
      try parseUpserts(&upserts, &returning)
    }
    close(6)
    if inTrigger && !returning.isEmpty { report(.sql("cannot use RETURNING in a trigger")) }
    return InsertStatement(
      with: with, conflict: conflict, table: table, alias: alias, columns: columns,
      source: source, upserts: upserts, returning: returning)
  }

  /// OR policy, or nothing.
  private mutating func parseOrPolicy() throws(SQLError) -> ConflictPolicy? {
    accept(.or) ? try parseConflictPolicy() : nil
  }

  mutating func parseConflictPolicy() throws(SQLError) -> ConflictPolicy {
    let policy: ConflictPolicy
    switch token.kind {
    case .rollback: policy = .rollback
    case .abort: policy = .abort
    case .fail: policy = .fail
    case .ignore: policy = .ignore
    case .replace: policy = .replace
    default: throw syntaxError()
    }
    advance()
    return policy
  }

  /// The table that is changed, and its alias.
  private mutating func parseTarget() throws(SQLError)
    -> (table: QualifiedName, alias: Name?)
  {
    let table = try parseQualifiedName()
    let alias = accept(.as) ? try parseName() : nil
    return (table, alias)
  }

  private mutating func parseTargetIndex(
    inTrigger: Bool
  ) throws(SQLError) -> FromContent.IndexedBy? {
    guard let indexed = try parseIndexed() else { return nil }
    guard inTrigger else { return indexed }
    let clause = if case .notIndexed = indexed { "NOT INDEXED" } else { "INDEXED BY" }
    report(
      .sql("the \(clause) clause is not allowed on UPDATE or DELETE statements within triggers"))
    return indexed
  }

  /// ON CONFLICT clauses, of which only the last may lack a target, and RETURNING.
  private mutating func parseUpserts(
    _ upserts: inout [UpsertClause], _ returning: inout TreeList<ResultColumn>
  ) throws(SQLError) {
    while accept(.on) {
      try expect(.conflict)
      var target: TreeList<OrderingTerm> = []
      var targetWhere: Expression?
      if accept(.leftParenthesis) {
        target = try parseOrderingTerms()
        try expect(.rightParenthesis)
        targetWhere = accept(.where) ? try parseExpression() : nil
        if let error = Parser.explicitNulls(in: target) { reportAtEnd(error) }
      }
      try expect(.do)
      let action = try parseUpsertAction()
      upserts.append(UpsertClause(target: target, targetWhere: targetWhere, action: action))
      if target.isEmpty { break }
    }
    returning = try parseReturning()
  }

  private mutating func parseUpsertAction() throws(SQLError) -> UpsertClause.Action {
    if accept(.nothing) { return .nothing }
    try expect(.update)
    try expect(.set)
    let assignments = try parseAssignments()
    return .update(assignments, where: accept(.where) ? try parseExpression() : nil)
  }

  private mutating func parseReturning() throws(SQLError) -> TreeList<ResultColumn> {
    guard accept(.returning) else { return [] }
    var height: Int32 = 0
    return try parseResultColumns(&height)
  }

  /// NULLS FIRST and LAST are for ORDER BY only.
  static func explicitNulls(in terms: TreeList<OrderingTerm>) -> SQLError? {
    for term in terms {
      guard let nulls = term.nulls else { continue }
      return .sql("unsupported use of NULLS \(nulls == .first ? "FIRST" : "LAST")")
    }
    return nil
  }

  private mutating func parseAssignments() throws(SQLError) -> [Assignment] {
    var assignments: [Assignment] = []
    try open(8)
    repeat {
      let isRow = token.kind == .leftParenthesis
      let columns = isRow ? try parseNameList() : [try parseName()]
      try expect(.equal)
      let value = try parseExpression()
      if isRow, let count = value.rowSize, count != columns.count {
        report(.sql("\(columns.count) columns assigned \(count) values"))
      }
      assignments.append(Assignment(columns: columns, isRow: isRow, value: value))
    } while accept(.comma)
    close(8)
    return assignments
  }
}

extension Parser {
  mutating func parseUpdate(with: WithClause?) throws(SQLError) -> StatementSyntax {
    .update(try parseUpdateStatement(with: with))
  }

  private mutating func parseUpdateStatement(
    with: WithClause?, inTrigger: Bool = false
  ) throws(SQLError) -> UpdateStatement {
    advance()
    let conflict = try parseOrPolicy()
    let (table, alias) = try parseTarget()
    let indexed = try parseTargetIndex(inTrigger: inTrigger)
    try expect(.set)
    let assignments = try parseAssignments()
    let from = token.kind == .from ? try parseFrom() : []
    let tail = try parseTail(inTrigger: inTrigger)
    return UpdateStatement(
      with: with, conflict: conflict, table: table, alias: alias, indexed: indexed,
      assignments: assignments, from: from, tail: tail)
  }

  mutating func parseDelete(with: WithClause?) throws(SQLError) -> StatementSyntax {
    .delete(try parseDeleteStatement(with: with))
  }

  private mutating func parseDeleteStatement(
    with: WithClause?, inTrigger: Bool = false
  ) throws(SQLError) -> DeleteStatement {
    advance()
    try expect(.from)
    let (table, alias) = try parseTarget()
    let indexed = try parseTargetIndex(inTrigger: inTrigger)
    let tail = try parseTail(inTrigger: inTrigger)
    return DeleteStatement(
      with: with, table: table, alias: alias, indexed: indexed, tail: tail)
  }

  /// WHERE, RETURNING, ORDER BY, LIMIT; only WHERE inside a trigger.
  private mutating func parseTail(inTrigger: Bool) throws(SQLError) -> ModificationTail {
    var tail = ModificationTail()
    try open(6)
    if accept(.where) { tail.whereClause = try parseExpression() }
    if !inTrigger {
      tail.returning = try parseReturning()
      if token.kind == .order { tail.orderBy = try parseOrderBy() }
      var height: Int32 = 0
      if token.kind == .limit { (tail.limit, tail.offset) = try parseLimit(&height) }
    }
    close(6)
    return tail
  }

  /// A statement of a trigger's body.
  mutating func parseTriggerStep() throws(SQLError) -> CreateTriggerStatement.Step {
    let start = token.start
    let statement: StatementSyntax
    switch token.kind {
    case .insert, .replace:
      statement = .insert(try parseInsertStatement(with: nil, inTrigger: true))
    case .update:
      statement = .update(try parseUpdateStatement(with: nil, inTrigger: true))
    case .delete:
      statement = .delete(try parseDeleteStatement(with: nil, inTrigger: true))
    default:
      statement = .select(try parseSelect())
    }
    return CreateTriggerStatement.Step(statement: statement, range: range(from: start))
  }
}

extension CreateTriggerStatement {
  /// Only triggers of the temporary database, which see all databases, may say in which a table is
  /// that they change.
  func checkTargets(inDatabase database: Int) throws(SQLError) {
    guard database != 1, steps.contains(where: { $0.changedTable?.schema != nil }) else { return }
    throw .sql(
      "qualified table names are not allowed on INSERT, UPDATE, and DELETE statements "
        + "within triggers")
  }
}

extension CreateTriggerStatement.Step {
  /// The table that it changes; nil for a query.
  var changedTable: QualifiedName? {
    switch statement {
    case .insert(let insert): insert.table
    case .update(let update): update.table
    case .delete(let delete): delete.table
    default: nil
    }
  }
}

extension Expression {
  /// How many values it is; nil for a subquery, whose columns are not known yet.
  fileprivate var rowSize: Int? {
    switch kind {
    case .row(let items): items.count
    case .subquery: nil
    default: 1
    }
  }
}
