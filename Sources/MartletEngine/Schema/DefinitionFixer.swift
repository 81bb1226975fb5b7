// What is said about other objects in the definitions of views and triggers.

/// Looks through a view's or trigger's definition for what cannot stand in it: objects of another
/// database than its own (only temporary ones may name them), and parameters (SQLite's DbFixer).
struct DefinitionFixer {
  /// "view" or "trigger".
  let kind: String
  /// The name as messages show it, and where it stands.
  let name: String
  let offset: Int32
  let database: Int
  let databaseName: Name
  /// The definition stands in a file: a parameter in it is NULL to SQLite.
  var isLoading = false

  func check(_ select: SelectStatement) throws(SQLError) {
    for core in select.cores {
      if case .select(let simple) = core {
        for item in simple.from { try check(item) }
      }
    }
    if let with = select.with {
      for table in with.tables { try check(table.select) }
    }
    for core in select.cores { try checkExpressions(core) }
    for term in select.orderBy { try check(term.expression) }
    try check(select.limit)
    try check(select.offset)
  }

  private func checkExpressions(_ core: SelectCore) throws(SQLError) {
    switch core {
    case .values(let rows):
      for row in rows { for value in row { try check(value) } }
    case .select(let simple):
      for case .expression(let expression, _, _) in simple.columns { try check(expression) }
      try check(simple.whereClause)
      for term in simple.groupBy { try check(term) }
      try check(simple.having)
      for window in simple.windows { try check(window.definition) }
    }
  }

  /// A schema's name must be that of the definition's own database.
  func checkSchema(_ schema: Name?) throws(SQLError) {
    guard database != 1, let schema else { return }
    if schema != databaseName && !(database == 0 && schema == Name("main")) {
      throw .sql(
        "\(kind) \(name) cannot reference objects in database \(schema.string)", offset: offset)
    }
  }

  func check(_ item: FromItem) throws(SQLError) {
    switch item.source {
    case .table(let schema, _, _): try checkSchema(schema)
    case .function(let schema, _, let arguments):
      try checkSchema(schema)
      for argument in arguments { try check(argument) }
    case .select(let select): try check(select)
    case .join(let items): for inner in items { try check(inner) }
    }
    try check(item.on)
  }

  func check(_ expression: Expression?) throws(SQLError) {
    guard let expression else { return }
    // Expressions nest deep, so they are walked with a stack of our own.
    var waiting = [expression]
    while let node = waiting.popLast() {
      switch node.kind {
      case .parameter where !isLoading: throw .sql("\(kind) cannot use variables")
      case .inTable(let item): try checkSchema(item.object.schema)
      case .exists(let select), .subquery(let select), .inSelect(_, let select, _):
        try check(select)
      case .function(let call):
        if case .definition(let window) = call.object.over { try check(window) }
      default: break
      }
      waiting.append(contentsOf: node.operands.reversed())
    }
  }

  private func check(_ window: WindowDefinition) throws(SQLError) {
    for term in window.partitionBy { try check(term) }
    for term in window.orderBy { try check(term.expression) }
    guard let frame = window.frame else { return }
    for bound in [frame.start, frame.end] {
      switch bound {
      case .preceding(let count), .following(let count): try check(count)
      case .unboundedPreceding, .currentRow, .unboundedFollowing: break
      }
    }
  }

  // MARK: Triggers

  /// The body and the condition.
  func check(_ trigger: CreateTriggerStatement) throws(SQLError) {
    for step in trigger.steps { try check(step.statement) }
    try check(trigger.when)
  }

  /// A statement of a trigger's body.
  private func check(_ step: StatementSyntax) throws(SQLError) {
    switch step {
    case .select(let select): try check(select)
    case .insert(let insert):
      if let source = insert.source { try check(source) }
      for upsert in insert.upserts { try check(upsert) }
    case .update(let update):
      for assignment in update.assignments { try check(assignment.value) }
      try check(update.whereClause)
      for item in update.from { try check(item) }
    case .delete(let delete): try check(delete.whereClause)
    default: break
    }
  }

  private func check(_ upsert: UpsertClause) throws(SQLError) {
    for term in upsert.target { try check(term.expression) }
    try check(upsert.targetWhere)
    guard case .update(let assignments, let condition) = upsert.action else { return }
    for assignment in assignments { try check(assignment.value) }
    try check(condition)
  }
}
