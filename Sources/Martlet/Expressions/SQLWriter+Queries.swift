import MartletEngine

// Queries as SQL.

extension SQLWriter {
  func sql(_ subquery: SQLSubquery) throws -> String {
    switch subquery.node {
    case .literal(let literal): try seen(from: nil) { try sql(literal) }
    case .query(let query): try sql(query)
    }
  }

  func sql(_ literal: SQL) throws -> String {
    var text = ""
    for (index, element) in literal.elements.enumerated() {
      switch element {
      case .sql(let sql, let arguments):
        text += sql
        append(arguments)
      case .expression(let expression): text += try sql(expression)
      case .selection(let selection): text += try sql(selection)
      case .ordering(let ordering): text += try sql(ordering)
      case .subquery(let subquery): text += try sql(subquery)
      case .interpolatedQuery(let subquery):
        let query = try sql(subquery)
        let needsParentheses = QueryPlace(
          before: text, after: literal.elements.dropFirst(index + 1).first
        ).isOperand
        text += needsParentheses ? "(\(query))" : query
      }
    }
    return text
  }

  func sql(_ selection: SQLSelection) throws -> String {
    switch selection.node {
    case .allColumns: return allColumns
    case .allColumnsExcluding(let excluded):
      guard let table = currentTable else { return allColumns }
      let columns = try schema().columns(in: table).map { $0.name }
      let rest = columns.filter { !excluded.contains($0.nameKey) }
      if rest.count == columns.count { return allColumns }
      return rest.map { column($0) }.joined(separator: ", ")
    case .expression(let expression): return try sql(expression)
    case .aliased(let expression, let name):
      return try sql(expression) + " AS " + name.quotedIdentifier
    case .literal(let literal): return try sql(literal)
    case .qualified(let selection, let alias): return try seen(from: alias) { try sql(selection) }
    case .deferred(let make):
      return try make(schema()).map { try sql($0) }.joined(separator: ", ")
    }
  }

  /// A selection of a table without a query, for RETURNING.
  func sql(_ selection: [any SQLSelectable], of table: String) throws -> String {
    let alias = TableAliasBase(userName: nil, tableName: table)
    return try inQuery(of: [alias], seenFrom: alias) {
      try selection.map { try sql($0.sqlSelection) }.joined(separator: ", ")
    }
  }

  func sql(_ ordering: SQLOrdering) throws -> String {
    switch ordering.node {
    case .expression(let expression): try sql(expression)
    case .directed(let expression, let direction):
      try sql(expression) + " " + direction.rawValue
    case .literal(let literal): try sql(literal)
    case .qualified(let ordering, let alias): try seen(from: alias) { try sql(ordering) }
    case .deferred(let make): try make(schema()).map { try sql($0) }.joined(separator: ", ")
    }
  }

  /// WITH … ; empty without common tables.
  func with(_ tables: [SQLQuery.CommonTable]) throws -> String {
    guard !tables.isEmpty else { return "" }
    let definitions = try tables.map { try definition(of: $0) }
    let word = tables.contains { $0.isRecursive } ? "WITH RECURSIVE " : "WITH "
    return word + definitions.joined(separator: ", ") + " "
  }

  func definition(of table: SQLQuery.CommonTable) throws -> String {
    var text = table.name.quotedIdentifier
    if let columns = table.columns {
      text += "(" + columns.map { $0.quotedIdentifier }.joined(separator: ", ") + ")"
    }
    return try text + " AS (\(sql(table.subquery)))"
  }

  // MARK: SELECT

  func sql(_ query: SQLQuery) throws -> String {
    if let mistake = query.mistake {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: mistake)
    }
    let tree = JoinTree(try db.map { try query.resolved($0) } ?? query)
    return try inQuery(of: tree.aliases, seenFrom: tree.alias) {
      var text = try with(query.allCommonTables) + "SELECT "
      if query.isDistinct { text += "DISTINCT " }
      text += try selection(of: tree) + " FROM " + source(of: tree)
      for join in tree.joins { text += try sql(join, left: tree.alias, isBehindOptional: false) }
      return try text + conditions(tree.query) + ordering(of: tree) + limit(tree.query)
    }
  }

  private func selection(of tree: JoinTree) throws -> String {
    let texts = try tree.all.flatMap { part in
      try seen(from: part.alias) { try part.query.selection.map { try sql($0) } }
    }
    if !texts.isEmpty { return texts.joined(separator: ", ") }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Can't generate SQL with an empty selection")
  }

  /// What stands behind FROM and JOIN.
  private func source(of tree: JoinTree) throws -> String {
    let text: String =
      switch tree.query.source {
      case .table(let name): name.quotedIdentifier
      case .subquery(let subquery): "(" + (try sql(subquery)) + ")"
      case .function(let name, let arguments):
        try sql(SQLExpression(.function(name, arguments)))
      }
    guard let name = aliasName(tree.alias) else { return text }
    return text + " " + name.quotedIdentifier
  }

  /// JOIN … ON … and the joins behind it.
  private func sql(
    _ join: JoinTree.Join, left: TableAliasBase, isBehindOptional: Bool
  ) throws -> String {
    if isBehindOptional, join.isRequired {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "Not implemented: chaining a required association behind an optional association")
    }
    let right = join.tree.alias
    var text = try (join.isRequired ? " JOIN " : " LEFT JOIN ") + source(of: join.tree)
    let condition = try join.condition.expression(schema(), left: left, right: right)
    let conditions = (condition.map { [$0] } ?? []) + join.tree.query.filters
    if !conditions.isEmpty {
      text += try " ON " + seen(from: right) { try sql(.joined(.and, conditions)) }
    }
    for next in join.tree.joins {
      text += try sql(
        next, left: right, isBehindOptional: isBehindOptional || !join.isRequired)
    }
    return text
  }

  /// WHERE … GROUP BY … HAVING …
  func conditions(_ query: SQLQuery) throws -> String {
    var text = ""
    if let filter = query.filter { text += try " WHERE " + sql(filter) }
    if !query.groups.isEmpty {
      text += try " GROUP BY " + query.groups.map { try sql($0) }.joined(separator: ", ")
    }
    if !query.havings.isEmpty { text += try " HAVING " + sql(.joined(.and, query.havings)) }
    return text
  }

  func ordering(of tree: JoinTree) throws -> String {
    let terms = try tree.ordering(isReversed: false).map { term in
      try seen(from: term.alias) { try sql(term.ordering) }
    }
    return terms.isEmpty ? "" : " ORDER BY " + terms.joined(separator: ", ")
  }

  func limit(_ query: SQLQuery) -> String {
    guard let limit = query.limit else { return "" }
    return " LIMIT \(limit)" + (query.offset.map { " OFFSET \($0)" } ?? "")
  }
}

extension SQLQuery {
  /// All filters in one; nil if there is none.
  var filter: SQLExpression? { filters.isEmpty ? nil : .joined(.and, filters) }
}
