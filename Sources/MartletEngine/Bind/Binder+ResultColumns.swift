// Result columns: `*`, names and origins (lang_select §2.4, c3ref/column_name).

extension Binder {
  func bindResultColumns(
    _ columns: TreeList<ResultColumn>, _ scope: Scope, _ role: SelectRole, unaskedCount: Int = 0
  ) throws(SQLError) {
    var bound: TreeList<BoundResultColumn> = []
    for column in columns {
      switch column {
      case .star: try expandStar(of: nil, scope, role, &bound)
      case .tableStar(let table):
        noteUse(ofTable: table, scope)
        try expandStar(of: table, scope, role, &bound)
      case .expression(let expression, let alias, let range):
        let value: BoundExpression
        if bound.count < unaskedCount {
          value = try withoutAuthorizer { () throws(SQLError) in try bindEntire(expression, scope) }
        } else {
          value = try bindEntire(expression, scope)
        }
        let label = try label(alias, expression, value, range, scope, role)
        bound.append(resultColumn(value, label, scope, isAlias: alias != nil), in: memory)
      }
    }
    if bound.count > environment.columnLimit { throw .sql("too many columns in result set") }
    scope.columns = bound
  }

  private func noteUse(ofTable name: Name, _ scope: Scope) {
    guard let uses else { return }
    for source in scope.sources where source.label == name && !source.hasAlias {
      if case .table(let table) = source.kind { uses.note(name, as: table, in: text) }
    }
  }

  /// A result column that is seen as its expression is.
  @inline(__always)
  func resultColumn(
    _ expression: BoundExpression, _ label: Name, _ scope: Scope, isAlias: Bool = false
  ) -> BoundResultColumn {
    var table: Table?
    var column: Int32 = -1
    switch expression.kind {
    case .column(let id, let index):
      if let source = scope.source(id) { (table, column) = origin(source, index) }
    case .scalarSubquery(let subquery):
      let select = subquery
      if let first = select.lastPart.columns.first {
        (table, column) = (first.originTable, first.originColumn)
      }
    default: break
    }
    return BoundResultColumn(
      expression: expression, label: label, affinity: expression.affinity,
      collation: expression.collation, originTable: table, originColumn: column,
      isAlias: isAlias)
  }

  private func origin(_ source: BoundSource, _ index: Int32) -> (Table?, Int32) {
    switch source.kind {
    case .table(let table):
      return (table, index < 0 ? Int32(table.rowidColumn) : index)
    case .subquery(let select):
      guard index >= 0 else { return (nil, -1) }
      let column = select.columns[Int(index)]
      return (column.originTable, column.originColumn)
    }
  }

  // MARK: Names

  private func label(
    _ alias: Name?, _ expression: Expression, _ value: BoundExpression, _ range: ByteRange,
    _ scope: Scope, _ role: SelectRole
  ) throws(SQLError) -> Name {
    if let alias { return alias }
    switch role {
    case .expression, .unread: return Name("")
    case .top:
      if environment.columnNames.areNames, case .column(let id, let index) = value.kind,
        let source = scope.source(id)
      {
        return try shownName(source, index)
      }
      return spanLabel(range)
    case .view:
      if case .column(let id, let index) = value.withoutCollate.kind,
        let source = scope.source(id)
      {
        return columnName(source, index)
      }
      return spanName(range)
    case .from:
      switch expression.withoutCollate.kind {
      case .identifier(let name), .column(_, let name):
        return name
      case .qualifiedColumn(let name): return name.object.column
      default: return spanName(range)
      }
    }
  }

  /// The name of a column of a table: with that of the table where the connection wants it so.
  private func shownName(_ source: BoundSource, _ index: Int32) throws(SQLError) -> Name {
    let name = columnName(source, index)
    guard environment.columnNames.isLong else { return name }
    return try makeName("\(source.tableName).\(name.string)")
  }

  /// The expression's text as a name that is only shown, never looked up: it needs no hash.
  private func spanLabel(_ range: ByteRange) -> Name {
    let lower = max(0, min(text.count, Int(range.start)))
    let upper = max(lower, min(text.count, Int(range.end)))
    return Name(start: text.start + lower, count: upper - lower, foldedHash: 0)
  }

  /// TRUE and FALSE cannot name a column of a subquery.
  func unlessTruthWord(_ name: Name, _ position: Int) throws(SQLError) -> Name {
    if name == Name("true") || name == Name("false") {
      return try makeName("column\(position + 1)")
    }
    return name
  }

  /// The name of a column that has none of its own.
  func positionName(_ position: Int, _ role: SelectRole) throws(SQLError) -> Name {
    if role == .expression || role == .unread { return Name("") }
    switch position {
    case 0: return Name("column1")
    case 1: return Name("column2")
    case 2: return Name("column3")
    default: return try makeName("column\(position + 1)")
    }
  }

  func columnName(_ source: BoundSource, _ index: Int32) -> Name {
    switch source.kind {
    case .table(let table):
      let column = index < 0 ? table.rowidColumn : Int(index)
      return column < 0 ? Name("rowid") : table.columns[column].name
    case .subquery(let select):
      return index < 0 ? Name("rowid") : select.columns[Int(index)].label
    }
  }

  /// The name, or if a column before has it, the name with a number behind a colon.
  func uniqueName(_ name: Name, among columns: TreeList<BoundResultColumn>) throws(SQLError) -> Name
  {
    var unique = name, number = 0
    while columns.contains(where: { $0.label == unique }) {
      number += 1
      unique = try makeName("\(Binder.withoutNumber(unique)):\(number)")
    }
    return unique
  }

  static func withoutNumber(_ name: Name) -> String {
    var end = Int(name.count) - 1
    while end > 0 && name.start[end] &- 0x30 <= 9 { end -= 1 }
    guard end >= 0, name.start[end] == UInt8(ascii: ":") else { return name.string }
    return ByteSlice(start: name.start, count: end).string
  }

  // MARK: Star

  private func expandStar(
    of table: Name?, _ scope: Scope, _ role: SelectRole,
    _ columns: inout TreeList<BoundResultColumn>
  ) throws(SQLError) {
    var isSeen = false
    for (position, source) in scope.sources.enumerated() {
      if let table, source.nested.isEmpty, !Binder.isStarTable(table, source) { continue }
      let count = Binder.columnCount(source)
      for index in 0..<count {
        if !Binder.isExpanded(index, source, table) { continue }
        isSeen = true
        let name = Binder.name(ofColumn: index, source)
        if position > 0 && table == nil && source.using.contains(name) { continue }
        let value = try starColumn(index, name, position, scope)
        let isLong = role != .view && environment.columnNames.isLongInStar
        let label = isLong ? try starLabel(source, name) : name
        columns.append(resultColumn(value, label, scope, isAlias: true), in: memory)
      }
    }
    if isSeen { return }
    if let table { throw .sql("no such table: \(table.string)") }
    throw .sql("no tables specified")
  }

  /// The name of a column that `*` stands for, with that of its source.
  private func starLabel(_ source: BoundSource, _ name: Name) throws(SQLError) -> Name {
    guard source.nested.isEmpty else { return name }
    // A table without an alias is called by its own name, whatever schema stands before it.
    if !source.hasAlias, case .table(let table) = source.kind {
      return try makeName("\(table.name.string).\(name.string)")
    }
    return try makeName("\(source.explainName).\(name.string)")
  }

  private static func isStarTable(_ name: Name, _ source: BoundSource) -> Bool {
    if !source.hasAlias, case .table(let table) = source.kind { return table.name == name }
    return source.label == name
  }

  static func columnCount(_ source: BoundSource) -> Int {
    switch source.kind {
    case .table(let table): table.columns.count
    case .subquery(let select): select.columns.count
    }
  }

  static func name(ofColumn index: Int, _ source: BoundSource) -> Name {
    switch source.kind {
    case .table(let table): table.columns[index].name
    case .subquery(let select): select.columns[index].label
    }
  }

  private static func isExpanded(_ index: Int, _ source: BoundSource, _ table: Name?) -> Bool {
    if case .table(let definition) = source.kind { return !definition.columns[index].isHidden }
    guard index < source.nested.count else { return true }
    let column = source.nested[index]
    if column.isRowid { return false }
    guard let table else { return !column.isHiddenFromStar }
    return column.table == table
  }

  /// How SQLite writes a column that `*` stands for, where that may mean another one too.
  private func qualifiedName(
    _ name: Name, _ source: BoundSource, _ scope: Scope
  ) -> ColumnName? {
    if scope.sources.count == 1 {
      return source.nested.isEmpty ? nil : ColumnName(schema: nil, table: nil, column: name)
    }
    if source.label.count == 0 { return nil }
    if !source.nested.isEmpty {
      return ColumnName(schema: nil, table: source.label, column: name)
    }
    let schema =
      source.databaseIndex < 0
      ? Binder.noSchema : environment.catalog.databases[source.databaseIndex].databaseName
    return ColumnName(schema: schema, table: source.label, column: name)
  }

  /// A column that `*` stands for. One that a later right join unites with others is looked up by
  /// its bare name, which may be ambiguous, but not to rename what is named.
  private func starColumn(
    _ index: Int, _ name: Name, _ position: Int, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    // It is written where the table is defined, not here, where a renaming would look for it.
    let name = name.withoutPlace
    let source = scope.sources[position]
    let later = scope.sources[(position + 1)...]
    if uses == nil, !later.isEmpty, later.contains(where: { $0.join.contains(.right) })
      && later.contains(where: { $0.using.contains(name) })
    {
      return try bindColumn(ColumnName(schema: nil, table: nil, column: name), scope)
    }
    if let qualified = qualifiedName(name, source, scope) {
      // Even `*` is ambiguous where two sources have one name.
      return try bindColumn(qualified, scope)
    }
    if case .table(let table) = source.kind, index == table.rowidColumn {
      return try column(-1, of: source)
    }
    return try column(Int32(index), of: source)
  }
}

/// What result columns are called that have no name of their own (pragma, full_column_names and
/// short_column_names).
struct ColumnNaming {
  /// With the name of the table.
  var isLong = false
  var isShort = true

  /// Columns have their names, and not the text that they are written in.
  var areNames: Bool { isLong || isShort }
  /// So do those that `*` stands for.
  var isLongInStar: Bool { isLong && !isShort }
}
