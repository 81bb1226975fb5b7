// Expressions and conditions of indexes, bound to a source so that the planner can compare them
// with those of the statement (expridx, partialindex).

extension Binder {
  /// Binds what `index` has of expressions. The statement does not read the columns in them, nor
  /// need it know their collations unless it computes an entry of the index. Generated columns are
  /// bound once for all: what is forgiven here would be forgiven there.
  @inline(never)
  func bindIndex(_ index: Index, _ source: BoundSource) throws(SQLError) {
    let usedColumns = source.usedColumns, usesRowid = source.usesRowid
    let outerText = text, outerDatabase = fixedDatabase, outerTables = commonTables
    let outerAuthorizer = authorizer
    text = index.text
    commonTables = nil
    authorizer = nil
    (isBindingIndex, keepsNullTests) = (true, true)
    forgivesMissingCollations = !index.table.columns.contains { $0.generated != nil }
    forgivenCollation = nil
    defer {
      forgivesMissingCollations = false
      authorizer = outerAuthorizer
      (isBindingIndex, keepsNullTests) = (false, false)
      text = outerText
      fixedDatabase = outerDatabase
      commonTables = outerTables
      source.usedColumns = usedColumns
      source.usesRowid = usesRowid
    }
    let scope = Scope(outer: nil, selectID: 0)
    scope.sources = TreeList([source], in: memory)
    var columns: [BoundExpression?] = []
    var hasExpressions = false
    source.usedColumns = 0
    for column in index.columns.prefix(index.keyColumnCount) {
      guard let expression = column.expression else {
        columns.append(nil)
        continue
      }
      hasExpressions = true
      columns.append(try bindScalar(expression, scope, at: .index))
    }
    let readColumns = source.usedColumns
    let condition = try index.partialWhere.map { (condition) throws(SQLError) in
      try bindScalar(condition, scope, at: .index)
    }
    source.indexExpressions.append(
      BoundSourceContent.IndexExpressions(
        index: index, columns: TreeList(columns, in: memory), condition: condition,
        hasExpressions: hasExpressions, readColumns: readColumns, missingCollation: forgivenCollation), in: memory)
  }
}
