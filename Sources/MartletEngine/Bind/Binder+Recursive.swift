// Recursive common table expressions (lang_with §3).
//
// A common table is recursive when it is a compound whose last parts, joined by UNION or by UNION
// ALL, name the table itself in FROM. What stands before them is the setup.

/// The recursion of a common table whose steps are being bound.
struct RecursiveTable {
  /// Position of the table in its WITH clause.
  let position: Int
  /// The items of FROM that are the table's current row.
  let items: [FromItem]
  let id: Int
  /// The table's columns as the setup gives them.
  var columns: TreeList<BoundResultColumn>
}

extension Binder {
  /// The parts of a common table that are its recursive steps: the number of the first, and what
  /// they name; nil if the table is an ordinary one.
  static func recursiveParts(
    of table: CommonTable
  ) throws(SQLError) -> (first: Int, items: [FromItem])? {
    let select = table.select
    guard let operation = select.operators.last, operation == .union || operation == .unionAll
    else { return nil }
    var first = select.cores.count
    var items: [FromItem] = []
    while first > 1, select.operators[first - 2] == operation,
      case .select(let core) = select.cores[first - 1]
    {
      let found = core.from.filter { isReference($0, to: table.name) }
      if found.count > 1 {
        throw .sql("multiple references to recursive table: \(table.name.string)")
      }
      guard let item = found.first else { break }
      items.append(item)
      first -= 1
    }
    return items.isEmpty ? nil : (first, items)
  }

  private static func isReference(_ item: FromItem, to name: Name) -> Bool {
    if case .table(nil, name, _) = item.source { return true }
    return false
  }

  /// A reference to a common table that is being bound: the current row of its recursion, if it is
  /// one of those that make it recursive.
  func bindRecursiveReference(
    _ item: FromItem, _ name: Name, to position: Int, of definition: CommonTableScope
  ) throws(SQLError) -> BoundSource {
    let table = definition.clause.tables[position]
    guard let recursion = definition.recursions.last(where: { $0.position == position }) else {
      throw .sql("circular reference: \(table.name.string)")
    }
    guard recursion.items.contains(where: { $0 === item }) else {
      throw .sql("multiple recursive references: \(table.name.string)")
    }
    let row = BoundSelect(
      id: newSelectID(), body: .currentRow(ofRecursion: recursion.id), columns: recursion.columns,
      orderBy: [], limit: nil, offset: nil, isCorrelated: false, isDistinct: false, in: memory)
    return BoundSource(
      id: newSourceID(), kind: .subquery(row), label: item.alias ?? name,
      hasAlias: item.alias != nil, databaseIndex: -1, join: item.join, in: memory)
  }

  /// Binds a recursive common table as the subquery that gives its rows.
  func bindRecursive(
    _ table: CommonTable, at position: Int, of definition: CommonTableScope, firstStep: Int,
    _ items: [FromItem], outer: Scope?
  ) throws(SQLError) -> BoundSelect {
    let statement = table.select
    try enterSelect()
    defer { selectDepth -= 1 }
    let number = self.number(of: statement)
    let outerTables = commonTables
    defer {
      if uses != nil, statement.with != nil { noteNamesInUnreadTables() }
      commonTables = outerTables
    }
    if let with = statement.with { commonTables = CommonTableScope(with, outer: outerTables) }
    var recursion = RecursiveTable(
      position: position, items: items, id: newSelectID(), columns: [])
    let numberOfSetup = selectNumber
    var parts = BoundParts(), steps = BoundParts(), numberOfSteps = numberOfSetup
    // What is bound more than once is asked about the last time.
    try withoutAuthorizer { () throws(SQLError) in
      parts = try bindSetup(statement, before: firstStep, outer)
      let known = try subqueryColumns(parts.parts, table.columns)
      if !table.columns.isEmpty && table.columns.count != known.count {
        throw Binder.wrongColumnCount(table, known.count)
      }
      numberOfSteps = selectNumber
      recursion.columns = known
      steps = try bindSteps(statement, from: firstStep, outer, of: definition, recursion)
      try checkSameWidth(parts, steps, statement.operators[firstStep - 1])
      // The steps have a say in the affinities of the columns that they read.
      let columns = try subqueryColumns(parts.parts + steps.parts, table.columns)
      if zip(columns, known).contains(where: { $0.affinity != $1.affinity }) {
        recursion.columns = columns
        selectNumber = numberOfSteps
        steps = try bindSteps(statement, from: firstStep, outer, of: definition, recursion)
      }
    }
    if authorizer != nil {
      selectNumber = numberOfSteps
      steps = try bindSteps(statement, from: firstStep, outer, of: definition, recursion)
      let lastNumber = selectNumber
      selectNumber = numberOfSetup
      parts = try bindSetup(statement, before: firstStep, outer)
      selectNumber = lastNumber
    }
    return try recursiveSelect(statement, table, recursion.id, number, parts, steps)
  }

  private func bindSetup(
    _ statement: SelectStatement, before firstStep: Int, _ outer: Scope?
  ) throws(SQLError) -> BoundParts {
    var setup = BoundParts()
    for index in (0..<firstStep).reversed() {
      try bindRecursivePart(statement, index, outer, &setup)
    }
    return setup
  }

  private func bindSteps(
    _ statement: SelectStatement, from firstStep: Int, _ outer: Scope?,
    of definition: CommonTableScope, _ table: RecursiveTable
  ) throws(SQLError) -> BoundParts {
    definition.recursions.append(table)
    defer { definition.recursions.removeLast() }
    var steps = BoundParts()
    for index in (firstStep..<statement.cores.count).reversed() {
      try bindRecursivePart(statement, index, outer, &steps)
    }
    return steps
  }

  /// Parts of a compound with their scopes, in the order in which they are written.
  private struct BoundParts {
    var parts: [Part] = []
    var scopes: [Scope] = []
  }

  /// Binds one part; the last is bound first.
  private func bindRecursivePart(
    _ statement: SelectStatement, _ index: Int, _ outer: Scope?, _ bound: inout BoundParts
  ) throws(SQLError) {
    let scope = Scope(outer: outer, selectID: newSelectID())
    if !openViews.isEmpty && index < statement.cores.count - 1 { selectNumber &+= 1 }
    let part = try bindPart(
      statement.cores[index], scope, index == 0 ? .from : .expression, orderBy: [])
    if let right = bound.parts.first, right.columns.count != part.columns.count {
      throw Binder.differentColumnCounts(statement.operators[index])
    }
    bound.parts.insert(part, at: 0)
    bound.scopes.insert(scope, at: 0)
  }

  private func checkSameWidth(
    _ setup: BoundParts, _ steps: BoundParts, _ operation: CompoundOperator
  ) throws(SQLError) {
    if setup.parts[0].columns.count != steps.parts[0].columns.count {
      throw Binder.differentColumnCounts(operation)
    }
  }

  private func recursiveSelect(
    _ statement: SelectStatement, _ table: CommonTable, _ id: Int, _ number: Int32,
    _ setup: BoundParts, _ steps: BoundParts
  ) throws(SQLError) -> BoundSelect {
    let all = setup.parts + steps.parts, scopes = setup.scopes + steps.scopes
    let collations = try compoundCollations(all)
    let orderBy = try bindCompoundOrderBy(statement.orderBy, all, scopes, collations)
    let firstStep = setup.parts.count
    let recursion = BoundRecursion(
      id: id,
      setup: try joined(setup, Array(statement.operators.prefix(firstStep - 1)), collations),
      step: try joined(
        steps, [CompoundOperator](repeating: .unionAll, count: steps.parts.count - 1),
        collations),
      isDistinct: statement.operators[firstStep - 1] == .union, collations: collations)
    let bound = BoundSelect(
      id: id, body: .recursive(recursion), columns: try subqueryColumns(all, table.columns),
      orderBy: orderBy, limit: try bindLimit(statement.limit),
      offset: try bindLimit(statement.offset),
      isCorrelated: scopes.contains { $0.isCorrelated }, isDistinct: false, in: memory)
    bound.number = number
    bound.highestNumber = selectNumber
    return bound
  }

  /// One SELECT of the parts.
  private func joined(
    _ bound: BoundParts, _ operators: [CompoundOperator], _ collations: [Collation]
  ) throws(SQLError) -> BoundSelect {
    let selects = try bound.parts.indices.map { (index) throws(SQLError) in
      try compoundPart(bound.parts[index], bound.scopes[index])
    }
    if selects.count == 1 { return selects[0] }
    return BoundSelect(
      id: newSelectID(), body: .compound(selects, operators, collations: collations),
      columns: bound.parts[0].columns, orderBy: [], limit: nil, offset: nil,
      isCorrelated: selects.contains { $0.isCorrelated }, isDistinct: false, in: memory)
  }

  static func wrongColumnCount(_ table: CommonTable, _ count: Int) -> SQLError {
    .sql("table \(table.name.string) has \(count) values for \(table.columns.count) columns")
  }
}
