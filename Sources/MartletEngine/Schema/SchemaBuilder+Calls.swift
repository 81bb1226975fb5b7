// Which functions the schema of a file calls: what it may not call makes it malformed
// (deterministic §3).

extension SchemaBuilder {
  /// Throws for a call that a constraint or generated column may not make.
  func checkCalls(of table: Table) throws(SQLError) {
    guard refusesCall != nil else { return }
    for check in table.checks { try checkCalls(in: check.expression) }
    for column in table.columns {
      switch column.generated {
      case .virtual(let expression), .stored(let expression): try checkCalls(in: expression)
      case nil: break
      }
    }
  }

  /// Throws for a call that an index may not make.
  func checkCalls(of index: CreateIndexStatement) throws(SQLError) {
    guard refusesCall != nil else { return }
    for term in index.columns { try checkCalls(in: term.expression) }
    if let condition = index.whereClause { try checkCalls(in: condition) }
  }

  private func checkCalls(in expression: Expression) throws(SQLError) {
    switch expression.kind {
    case .function(let call): try check(call.object.name, call.object.arguments.count)
    case .like(let like):
      try check(like.object.operator.functionName, like.object.escape == nil ? 2 : 3)
    default: break
    }
    for operand in expression.operands { try checkCalls(in: operand) }
  }

  private func check(_ name: Name, _ argumentCount: Int) throws(SQLError) {
    if refusesCall?(name, argumentCount) == true { throw .sql("unsafe use of \(name.string)()") }
  }
}
