// Queries as SQL.

extension SQLWriter {
  func sql(_ subquery: SQLSubquery) throws -> String {
    switch subquery.node {
    case .literal(let literal): try sql(literal)
    case .query(let query): try sql(query)
    }
  }

  func sql(_ literal: SQL) throws -> String {
    var text = ""
    for element in literal.elements {
      switch element {
      case .sql(let sql, let arguments):
        text += sql
        append(arguments)
      case .expression(let expression): text += try sql(expression)
      case .selection(let selection): text += try sql(selection)
      case .ordering(let ordering): text += try sql(ordering)
      case .subquery(let subquery): text += try sql(subquery)
      }
    }
    return text
  }

  func sql(_ selection: SQLSelection, table: String? = nil) throws -> String {
    switch selection.node {
    case .allColumns: return allColumns
    case .allColumnsExcluding(let names):
      guard let table else { return allColumns }
      let excluded = Set(names.map { $0.lowercased() })
      return try schema().columns(in: table).map { $0.name }
        .filter { !excluded.contains($0.lowercased()) }
        .map { column($0) }.joined(separator: ", ")
    case .expression(let expression): return try sql(expression)
    case .aliased(let expression, let name):
      return try sql(expression) + " AS " + name.quotedIdentifier
    case .literal(let literal): return try sql(literal)
    case .qualified(let selection, let alias):
      return try seen(from: alias) { try sql(selection, table: table) }
    case .deferred(let make):
      return try make(schema()).map { try sql($0, table: table) }.joined(separator: ", ")
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

  /// Writes what stands behind FROM, and then what looks at its columns.
  func from<Result>(
    _ query: SQLQuery, _ body: (_ from: String) throws -> Result
  ) throws -> Result {
    let userName = query.alias?.userName
    let suffix = userName.map { " " + $0.quotedIdentifier } ?? ""
    switch query.source {
    case .table(let table):
      let isNeeded = userName.map { $0.lowercased() != table.lowercased() } ?? false
      return try withTable(query.alias, name: userName ?? table, isNeeded: isNeeded) {
        try body(table.quotedIdentifier + (isNeeded ? suffix : ""))
      }
    case .subquery(let subquery):
      let text = try sql(subquery)
      return try withTable(query.alias, name: userName ?? "", isNeeded: userName != nil) {
        try body("(\(text))" + suffix)
      }
    case .function(let name, let arguments):
      let call = try sql(SQLExpression(.function(name, arguments)))
      return try withTable(query.alias, name: userName ?? name, isNeeded: userName != nil) {
        try body(call + suffix)
      }
    }
  }

  func sql(_ query: SQLQuery) throws -> String {
    let with = try with(query.commonTables)
    // The selection stands before FROM, and its arguments too.
    let selecting: (_ from: String) throws -> String = { from in
      var text = with + "SELECT " + (query.isDistinct ? "DISTINCT " : "")
      text += try query.selection.map { try self.sql($0, table: query.tableName) }
        .joined(separator: ", ")
      text += " FROM " + from
      text += try self.conditions(query)
      return text
    }
    if case .table = query.source { return try from(query, selecting) }
    return try selectingFromSubquery(query, with)
  }

  /// The subquery's arguments come behind those of the selection.
  private func selectingFromSubquery(_ query: SQLQuery, _ with: String) throws -> String {
    let userName = query.alias?.userName
    let selection = try withTable(
      query.alias, name: userName ?? "", isNeeded: userName != nil
    ) {
      try query.selection.map { try sql($0) }.joined(separator: ", ")
    }
    return try from(query) { from in
      try with + "SELECT " + (query.isDistinct ? "DISTINCT " : "") + selection + " FROM " + from
        + conditions(query)
    }
  }

  /// WHERE … GROUP BY … HAVING … ORDER BY … LIMIT …
  func conditions(_ query: SQLQuery) throws -> String {
    var text = ""
    if let filter = query.filter { text += try " WHERE " + sql(filter) }
    if !query.groups.isEmpty {
      text += try " GROUP BY " + query.groups.map { try sql($0) }.joined(separator: ", ")
    }
    if !query.havings.isEmpty { text += try " HAVING " + sql(.joined(.and, query.havings)) }
    text += try orderAndLimit(query)
    return text
  }

  func orderAndLimit(_ query: SQLQuery) throws -> String {
    var text = ""
    if !query.ordering.isEmpty {
      text += try " ORDER BY " + query.ordering.map { try sql($0) }.joined(separator: ", ")
    }
    if let limit = query.limit {
      text += " LIMIT \(limit)"
      if let offset = query.offset { text += " OFFSET \(offset)" }
    }
    return text
  }
}

extension SQLQuery {
  /// All filters in one; nil if there is none.
  var filter: SQLExpression? { filters.isEmpty ? nil : .joined(.and, filters) }
}
