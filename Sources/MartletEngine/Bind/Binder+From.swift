// FROM: tables, subqueries and how they join (lang_select §2.1).

extension Binder {
  /// SQLite's planner has a bit for each source of a FROM.
  static let maximumSourceCount = 64

  @inline(never)
  func bindFrom(_ items: TreeList<FromItem>, _ scope: Scope) throws(SQLError) {
    if case .join = items[0].source, let flat = withoutParentheses(items) {
      return try bindFrom(flat, scope)
    }
    if items.count > Binder.maximumSourceCount {
      throw .sql("at most \(Binder.maximumSourceCount) tables in a join")
    }
    for item in items {
      scope.sources.append(try bindFromItem(item, scope), in: memory)
    }
    if items.count == 1 { return }
    let hasRightJoin = items.contains { $0.join.contains(.right) }
    for position in 1..<items.count {
      try bindJoin(items[position], at: position, scope, hasRightJoin: hasRightJoin)
    }
    joinConditions.append((scope.selectID, items.map { $0.on }))
  }

  /// Parentheses around what comes first mean nothing, unless they have a name.
  private func withoutParentheses(_ items: TreeList<FromItem>) -> TreeList<FromItem>? {
    guard case .join(let inner) = items[0].source, items[0].alias == nil, items[0].on == nil,
      items[0].using.isEmpty, !inner.isEmpty
    else { return nil }
    return TreeList(Array(inner) + items.dropFirst(), in: memory)
  }

  private func bindFromItem(_ item: FromItem, _ scope: Scope) throws(SQLError) -> BoundSource {
    switch item.source {
    case .table(let schema, let name, let indexed):
      let source = try bindTable(item, schema, name, indexed, scope)
      noteWritten(name, schema, source)
      return source
    case .function(let schema, let name, let arguments):
      let source = try bindTableFunction(item, schema, name, arguments, scope)
      noteWritten(name, schema, source)
      return source
    case .select(let select):
      return try bindFromSubquery(
        select, item, label: item.alias ?? Name(""), hasAlias: item.alias != nil, scope)
    case .join(let inner):
      if inner.count == 1, let only = inner.first {
        return try bindFromItem(
          FromItem(
            source: only.source, alias: item.alias, join: item.join, on: nil, using: [],
            range: item.range, in: memory), scope)
      }
      return try bindNestedJoin(inner, item, scope)
    }
  }

  private func noteWritten(_ name: Name, _ schema: Name?, _ source: BoundSource) {
    guard authorizer != nil else { return }
    let database =
      fixedDatabase >= 0 ? environment.catalog.databases[fixedDatabase].databaseName : schema
    source.written = BoundSourceContent.WrittenName(name: name, database: database)
  }

  /// A column of USING is renamed with that of the first table that has it. Where it is to go, the
  /// join itself says what is wrong with it then.
  private func noteUse(ofJoined name: Name, _ scope: Scope) {
    guard let uses, name == uses.columnName, text === uses.text, !uses.dropsColumn else { return }
    for source in scope.sources {
      guard case .table(let table) = source.kind, table.columnIndex(of: name) >= 0 else { continue }
      if table === uses.table { uses.note(name) }
      return
    }
  }

  // MARK: Tables

  private func bindTable(
    _ item: FromItem, _ schema: Name?, _ name: Name, _ indexed: FromContent.IndexedBy?,
    _ scope: Scope
  ) throws(SQLError) -> BoundSource {
    if schema == nil, !item.isTarget, commonTables != nil, let common = commonTable(named: name) {
      if case .indexedBy(let index) = indexed {
        throw .sql("no such index: \"\(index.string)\"")
      }
      return try bindCommonTable(common.position, of: common.scope, item, name, scope)
    }
    let table = try table(schema, name)
    if !openViews.isEmpty || commonTables != nil { try countReference(to: table) }
    if table.view != nil {
      let rows = try bindView(table, item, schema, name, scope)
      _ = try indexChoice(indexed, table)
      return rows
    }
    return try tableSource(table, item, schema, name, indexed)
  }

  /// Sixteen views that each read the one before twice are as many tables as there are bytes in 64 KB.
  func countReference(to table: Table) throws(SQLError) {
    let count = references[ObjectIdentifier(table), default: 0] + 1
    guard count < 65_535 else {
      throw .sql("too many references to \"\(table.name.string)\": max 65535")
    }
    references[ObjectIdentifier(table)] = count
  }

  func tableSource(
    _ table: Table, _ item: FromItem, _ schema: Name?, _ name: Name,
    _ indexed: FromContent.IndexedBy?
  ) throws(SQLError) -> BoundSource {
    let source = BoundSource(
      id: newSourceID(), kind: .table(table), label: item.alias ?? name,
      hasAlias: item.alias != nil, schemaLabel: item.alias == nil ? schema : nil,
      databaseIndex: table.databaseIndex, join: item.join,
      indexedBy: try indexChoice(indexed, table), in: memory)
    for index in table.indexes where index.hasExpressions { try bindIndex(index, source) }
    return source
  }

  func table(_ schema: Name?, _ name: Name) throws(SQLError) -> Table {
    let table = try lookUpTable(schema, name)
    uses?.note(name, as: table, in: text)
    return table
  }

  func lookUpTable(_ schema: Name?, _ name: Name) throws(SQLError) -> Table {
    let catalog = environment.catalog
    let found: Table?, prefix: String
    if let schema {
      found = catalog.table(named: name, schema: schema)
      prefix = schema.string + "."
    } else if fixedDatabase >= 0 {
      found = catalog.table(named: name, database: fixedDatabase)
      prefix = catalog.databases[fixedDatabase].name.string + "."
    } else {
      found = catalog.table(named: name)
      prefix = ""
    }
    if let found {
      environment.named.note(found)
      return found.isVirtual ? try connected(found) : found
    }
    if let table = try environment.virtualTables?.eponymousTable(named: name) {
      return try connected(table)
    }
    throw .sql("no such table: \(prefix)\(name.string)")
  }

  /// A virtual table with its columns. Views and triggers may not use all of them.
  private func connected(_ table: Table) throws(SQLError) -> Table {
    guard let host = environment.virtualTables else { throw SQLError(.internal) }
    let table = try host.connected(table)
    if isInStoredQuery { try checkIsSafe(table) }
    return table
  }

  /// Throws for a virtual table that the schema may not use.
  func checkIsSafe(_ table: Table) throws(SQLError) {
    guard let settings = table.virtual?.settings else { return }
    if settings.contains(.directOnly) || !environment.trustsSchema && !settings.contains(.innocuous) {
      throw .sql("unsafe use of virtual table \"\(table.name.string)\"")
    }
  }

  func indexChoice(
    _ indexed: FromContent.IndexedBy?, _ table: Table
  ) throws(SQLError) -> BoundSourceContent.IndexChoice {
    switch indexed {
    case nil: return .any
    case .notIndexed: return .none
    case .indexedBy(let name):
      for index in table.indexes where index.name == name { return .index(index) }
      throw .sql("no such index: \(name.string)")
    }
  }

  // MARK: Table-valued functions

  /// The arguments are bound when all sources are known: they may name any of them.
  private func bindTableFunction(
    _ item: FromItem, _ schema: Name?, _ name: Name,
    _ arguments: TreeList<Expression>, _ scope: Scope
  ) throws(SQLError) -> BoundSource {
    if schema == nil, commonTable(named: name) != nil {
      throw .sql("'\(name.string)' is not a function")
    }
    let table = try table(schema, name)
    guard table.isVirtual else { throw .sql("'\(name.string)' is not a function") }
    let source = try tableSource(table, item, schema, name, nil)
    let maximum = table.columns.count { $0.isHidden }
    if arguments.count > maximum {
      throw .sql("too many arguments on \(name.string)() - max \(maximum)")
    }
    if !arguments.isEmpty {
      functionArguments.append((scope.selectID, source, table.hiddenColumns, arguments))
    }
    return source
  }

  /// Makes of the arguments of table-valued functions what they mean: hidden columns are equal to
  /// them.
  private func bindFunctionArguments(_ scope: Scope) throws(SQLError) {
    let due = functionArguments.filter { $0.selectID == scope.selectID }
    functionArguments.removeAll { $0.selectID == scope.selectID }
    for (_, source, columns, arguments) in due {
      for (column, argument) in zip(columns, arguments) {
        let value = try bindEntire(argument, scope)
        let equal = try makeComparison(
          .equal, try hiddenColumn(Int32(column), of: source),
          BoundExpression(.plus(value), affinity: .none, traits: value.traits, in: memory))
        source.on = source.on.map { makeAnd($0, equal) } ?? equal
        source.arguments = source.arguments.map { makeAnd($0, equal) } ?? equal
      }
    }
  }

  /// A column that nobody has named: the authorizer is not asked about it.
  private func hiddenColumn(
    _ index: Int32, of source: BoundSource
  ) throws(SQLError) -> BoundExpression {
    let authorizer = authorizer
    self.authorizer = nil
    defer { self.authorizer = authorizer }
    return try column(index, of: source)
  }

  // MARK: Joins

  /// Finds the columns of USING and NATURAL and makes the conditions that they stand for.
  private func bindJoin(
    _ item: FromItem, at position: Int, _ scope: Scope, hasRightJoin: Bool
  ) throws(SQLError) {
    let source = scope.sources[position]
    var isNatural = false
    if item.join.contains(.natural) {
      if item.on != nil || !item.using.isEmpty {
        throw .sql("a NATURAL join may not have an ON or USING clause")
      }
      isNatural = true
      source.using = TreeList(naturalColumns(of: source, position, scope), in: memory)
    } else {
      source.using = item.using.closed
    }
    var condition: BoundExpression?
    for name in source.using {
      if !isNatural { noteUse(ofJoined: name, scope) }
      let right = Binder.columnIndex(name, source, hidesHidden: false)
      guard right >= 0,
        var match = nextColumn(name, from: 0, to: position, scope, hidesHidden: isNatural)
      else {
        throw .sql(
          "cannot join using column \(name.string) - column not present in both tables")
      }
      var left = try joinColumn(match.column, match.source)
      if hasRightJoin {
        var arguments: [BoundExpression] = []
        while let next = nextColumn(
          name, from: match.position + 1, to: position, scope, hidesHidden: isNatural)
        {
          if !next.source.using.contains(name) {
            throw .sql("ambiguous reference to \(name.string) in USING()")
          }
          arguments.append(left)
          match = next
          left = try joinColumn(match.column, match.source)
        }
        if !arguments.isEmpty { left = try makeCoalesce(arguments + [left]) }
      }
      let equal = try makeComparison(.equal, left, try joinColumn(right, source))
      condition = condition.map { makeAnd($0, equal) } ?? equal
    }
    source.on = condition
  }

  private func naturalColumns(
    of source: BoundSource, _ position: Int, _ scope: Scope
  ) -> [Name] {
    var names: [Name] = []
    for index in 0..<Binder.columnCount(source) {
      if Binder.isHidden(index, source) { continue }
      let name = Binder.name(ofColumn: index, source)
      if nextColumn(name, from: 0, to: position, scope, hidesHidden: true) != nil {
        names.append(name.withoutPlace)
      }
    }
    return names
  }

  private func nextColumn(
    _ name: Name, from first: Int, to end: Int, _ scope: Scope, hidesHidden: Bool
  ) -> (source: BoundSource, column: Int, position: Int)? {
    for position in first..<max(first, end) {
      let source = scope.sources[position]
      let index = Binder.columnIndex(name, source, hidesHidden: hidesHidden)
      if index >= 0 { return (source, index, position) }
    }
    return nil
  }

  private static func columnIndex(
    _ name: Name, _ source: BoundSource, hidesHidden: Bool
  ) -> Int {
    for index in 0..<columnCount(source) where self.name(ofColumn: index, source) == name {
      if hidesHidden && isHidden(index, source) { continue }
      return index
    }
    return -1
  }

  private static func isHidden(_ index: Int, _ source: BoundSource) -> Bool {
    switch source.kind {
    case .table(let table): table.columns[index].isHidden
    case .subquery: index < source.nested.count && source.nested[index].isRowid
    }
  }

  private func joinColumn(
    _ index: Int, _ source: BoundSource
  ) throws(SQLError) -> BoundExpression {
    try withoutAuthorizer { () throws(SQLError) in
      if case .table(let table) = source.kind, index == table.rowidColumn {
        return try column(-1, of: source)
      }
      return try column(Int32(index), of: source)
    }
  }

  /// Binds the ON clauses, which SQLite sees as parts of WHERE behind what is written there.
  func bindJoinConditions(_ scope: Scope) throws(SQLError) {
    if !functionArguments.isEmpty { try bindFunctionArguments(scope) }
    guard let (id, conditions) = joinConditions.last, id == scope.selectID else { return }
    joinConditions.removeLast()
    let hasRightJoin = scope.sources.contains { $0.join.contains(.right) }
    for (position, condition) in conditions.enumerated() {
      guard let condition else { continue }
      let source = scope.sources[position]
      let bound = try bindJoinCondition(condition, scope)
      let isOuter = !source.join.isDisjoint(with: [.left, .right])
      if isOuter || hasRightJoin { try checkOrder(bound, position, scope) }
      source.on = source.on.map { makeAnd($0, bound) } ?? bound
    }
  }

  /// SQLite does not know where in the text the parts of ON stand, subqueries excepted.
  private func bindJoinCondition(
    _ condition: Expression, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    failsInSelect = false
    let outerConverts = convertsCompounds
    convertsCompounds = false
    defer { convertsCompounds = outerConverts }
    do {
      return try bindEntire(condition, scope)
    } catch {
      throw failsInSelect ? error : SQLError(error.code, error.message)
    }
  }

  private func checkOrder(
    _ condition: BoundExpression, _ position: Int, _ scope: Scope
  ) throws(SQLError) {
    var isMisplaced = false
    // SQLite takes the row of a recursive table for something left of all other tables.
    let isFirst = scope.sources[position].isCurrentRow
    condition.forEachSource { id in
      if isFirst, id != scope.sources[position].id, scope.owns(id) { isMisplaced = true }
      for later in scope.sources[(position + 1)...] where later.id == id { isMisplaced = true }
    }
    if isMisplaced { throw .sql("ON clause references tables to its right") }
  }

  // MARK: Subqueries and parenthesised joins

  func bindFromSubquery(
    _ statement: SelectStatement, _ item: FromItem, label: Name, hasAlias: Bool,
    databaseIndex: Int = -1, schemaLabel: Name? = nil, role: SelectRole = .from,
    columnNames: [Name] = [], _ scope: Scope
  ) throws(SQLError) -> BoundSource {
    let select = try bindSelect(
      statement, outer: scope.outer, role: role, columnNames: columnNames)
    if select.isCorrelated { scope.isCorrelated = true }
    if role != .view { try checkCollations(of: select) }
    return BoundSource(
      id: newSourceID(), kind: .subquery(select), label: label,
      hasAlias: hasAlias, schemaLabel: schemaLabel, databaseIndex: databaseIndex,
      join: item.join, in: memory)
  }

  /// The columns of a subquery, and those of DISTINCT, have collations that exist, whoever compares
  /// them.
  func checkCollations(of select: BoundSelect) throws(SQLError) {
    for column in select.columns where column.expression.collation?.kind == .custom {
      do throws(SQLError) {
        _ = try usable(column.expression.collation)
      } catch { _ = try postpone(error) }
    }
  }

  /// A join in parentheses that is not the first item: a subquery whose columns can still be
  /// reached by the names of the tables inside.
  @inline(never)
  private func bindNestedJoin(
    _ items: TreeList<FromItem>, _ item: FromItem, _ scope: Scope
  ) throws(SQLError) -> BoundSource {
    try enterSelect()
    defer { selectDepth -= 1 }
    let inner = Scope(outer: scope.outer, selectID: newSelectID())
    try bindFrom(items, inner)
    var columns: TreeList<BoundResultColumn> = []
    var nested: [BoundSourceContent.NestedColumn] = []
    var united: [Name] = []
    for position in inner.sources.indices {
      try appendNested(position, inner, &columns, &nested, &united)
    }
    inner.clause = .condition
    try bindJoinConditions(inner)
    if inner.isCorrelated { scope.isCorrelated = true }
    let body = BoundSimpleSelect(
      sources: inner.sources, whereClause: nil, groupBy: [], having: nil, aggregates: [],
      isAggregate: false, in: memory)
    let select = BoundSelect(
      id: inner.selectID, body: .simple(body), columns: columns, orderBy: [], limit: nil,
      offset: nil, isCorrelated: inner.isCorrelated, isDistinct: false, in: memory)
    let source = BoundSource(
      id: newSourceID(), kind: .subquery(select),
      label: item.alias ?? Name(""), hasAlias: item.alias != nil, databaseIndex: -1,
      join: item.join, in: memory)
    source.nested = TreeList(nested, in: memory)
    return source
  }

  /// Adds the columns of one source of a nested join: those that the next source's USING joins
  /// under their bare name, its own, its rowid. `united` are the bare names so far: for `*` each of
  /// them stands there once, though a third source unites it again.
  private func appendNested(
    _ position: Int, _ scope: Scope, _ columns: inout TreeList<BoundResultColumn>,
    _ nested: inout [BoundSourceContent.NestedColumn], _ united: inout [Name]
  ) throws(SQLError) {
    let source = scope.sources[position]
    func append(
      _ value: BoundExpression, _ name: Name, _ table: Name, _ database: Int,
      isRowid: Bool = false, isHiddenFromStar: Bool = false
    ) throws(SQLError) {
      let column = resultColumn(value, try uniqueName(name, among: columns), scope)
      columns.append(
        BoundResultColumn(
          expression: value, label: column.label, affinity: value.affinity,
          collation: value.collation ?? .binary, originTable: column.originTable,
          originColumn: column.originColumn), in: memory)
      nested.append(
        BoundSourceContent.NestedColumn(
          databaseIndex: database, table: table, column: name, isRowid: isRowid,
          isHiddenFromStar: isHiddenFromStar))
    }
    let next = position + 1 < scope.sources.count ? scope.sources[position + 1] : nil
    for name in next?.using ?? [] {
      let value = try bindColumn(ColumnName(schema: nil, table: nil, column: name), scope)
      try append(value, name, Name(""), -1, isHiddenFromStar: united.contains(name))
      united.append(name)
    }
    for index in 0..<Binder.columnCount(source) where !Binder.isHidden(index, source) {
      let value = try joinColumn(index, source)
      let name = Binder.name(ofColumn: index, source)
      // The bare column stands for those that USING unites.
      let isUnited = united.contains(name) || source.using.contains(name)
      if index < source.nested.count {
        let inner = source.nested[index]
        try append(
          value, inner.column, inner.table, inner.databaseIndex,
          isHiddenFromStar: isUnited || inner.isHiddenFromStar)
      } else {
        try append(
          value, name, source.label, source.databaseIndex, isHiddenFromStar: isUnited)
      }
    }
    if case .table(let table) = source.kind, !table.isWithoutRowid {
      let value = try column(-1, of: source)
      try append(value, Name("_ROWID_"), source.label, source.databaseIndex, isRowid: true)
    }
  }
}
