// Column names (lang_expr, lang_select §2).
//
// A name is looked up scope by scope outward. In a scope it may be a column of a source, then the
// rowid of the only source that has one, then the alias of a result column. Columns joined by USING
// count as one.

extension Binder {
  /// What a name may have met in the sources of one scope.
  private struct Matches {
    var count = 0
    var rowidCount = 0
    var source: BoundSource?
    var column: Int32 = -1
    /// Earlier matches of a column that FULL JOINs unite: the first that is not NULL counts.
    var united = TreeList<(source: BoundSource, column: Int32)>()
  }

  /// A name as written: any of the first two may be missing.
  struct ColumnName {
    let schema: Name?
    let table: Name?
    let column: Name

    var text: String {
      var text = column.string
      if let table { text = table.string + "." + text }
      if let schema { text = schema.string + "." + text }
      return text
    }
  }

  /// The schema of sources that are in no database, as `*` is resolved.
  static var noSchema: Name { Name("*") }
  private static let noDatabase = -2

  @inline(never)
  func bindIdentifier(_ name: Name, _ scope: Scope) throws(SQLError) -> BoundExpression {
    if let found = try lookUp(ColumnName(schema: nil, table: nil, column: name), scope) {
      return found
    }
    if name.isInDoubleQuotes {
      if environment.allowsDoubleQuotedStrings || isInKnownSchema {
        uses?.noteString(name, in: text)
        environment.named.strings.append(Quoting.identifier(name.string))
        return BoundExpression(
          .text(ByteSlice(start: name.start, count: Int(name.count))), affinity: .none,
          traits: [], in: memory)
      }
      throw .sql("no such column: \(name.inMessage)", offset: name.offset)
    }
    if name.quote == 0 {
      if name == Name("true") { return truthWord(1) }
      if name == Name("false") { return truthWord(0) }
    }
    throw .sql("no such column: \(name.string)", offset: name.offset)
  }

  /// A CHECK, a generated column or an index is bound that is there already: it was accepted when it
  /// was made, and files with it stay readable.
  private var isInKnownSchema: Bool { storedPlace != .none && text !== arena }

  /// The word TRUE or FALSE, or what stands for it.
  func truthWord(_ value: Int64) -> BoundExpression {
    BoundExpression(.integer(value), affinity: .none, traits: .isTruthWord, in: memory)
  }

  @inline(never)
  func bindColumn(
    _ name: ColumnName, _ scope: Scope, at offset: Int32? = nil
  ) throws(SQLError) -> BoundExpression {
    if let found = try lookUp(name, scope) { return found }
    let first = name.schema ?? name.table ?? name.column
    throw .sql("no such column: \(name.text)", offset: offset ?? first.offset)
  }

  private func lookUp(
    _ name: ColumnName, _ scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    var database = -1
    if let schema = name.schema {
      if schema == Binder.noSchema {
        database = Binder.noDatabase
      } else {
        database = environment.catalog.databaseIndex(named: schema)
        if database < 0 { return nil }
      }
    }
    if let found = try lookUp(name, database, at: scope) { return found }
    return try lookUp(name, database, around: scope)
  }

  @inline(never)
  private func lookUp(
    _ name: ColumnName, _ database: Int, around scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    var level = scope
    while true {
      if triggerRows != nil, let found = try triggerColumn(name) { return found }
      guard let outer = level.outer else { return nil }
      level = outer
      guard let found = try lookUp(name, database, at: level) else { continue }
      // It has no value before all rows are known, and a subquery may be asked for one sooner.
      if found.traits.contains(.hasWindowFunction) { throw .misuseOfAliasedWindow(name.column) }
      markCorrelated(from: scope, to: level)
      return found
    }
  }

  private func markCorrelated(from inner: Scope, to level: Scope) {
    var scope = inner
    while scope !== level {
      scope.isCorrelated = true
      guard let outer = scope.outer else { return }
      scope = outer
    }
  }

  private func lookUp(
    _ name: ColumnName, _ database: Int, at scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    var matches = Matches()
    for source in scope.sources { match(name, database, source, &matches) }
    if matches.count == 0 && matches.rowidCount > 0 && Binder.isRowidName(name.column)
      && storedKind?.seesPlainColumnsOnly != true
    {
      matches.count = matches.rowidCount
      if let source = matches.source, source.nested.isEmpty { matches.column = -1 }
    }
    if matches.count == 0 {
      guard name.table == nil, scope.seesAliases else { return nil }
      return try alias(name.column, scope)
    }
    guard let source = matches.source else { return nil }
    if matches.count == 1 {
      uses?.note(name, matches.column, of: source, in: text)
      return try column(matches.column, of: source)
    }
    if matches.united.count == matches.count - 1 {
      matches.united.append((source, matches.column), in: memory)
      return try coalesce(matches.united)
    }
    let first = name.schema ?? name.table ?? name.column
    throw .sql("ambiguous column name: \(name.text)", offset: first.offset)
  }

  // MARK: Matching

  @inline(__always)
  private func match(
    _ name: ColumnName, _ database: Int, _ source: BoundSource, _ matches: inout Matches
  ) {
    if !source.nested.isEmpty {
      if matchNested(name, database, source, &matches) || name.table == nil { return }
    }
    if let table = name.table, !Binder.isTable(table, database, source),
      !isIndexedTable(table, source)
    {
      return
    }
    if let table = source.lentTable {
      return table._withUnsafeGuaranteedRef { match(name.column, $0, source, &matches) }
    }
    guard case .subquery(let select) = source.kind else { return }
    for index in 0..<select.columns.count where select.columns[index].label == name.column {
      count(Int32(truncatingIfNeeded: index), name.column, source, &matches)
      break
    }
  }

  @inline(__always)
  private func match(
    _ name: Name, _ table: Table, _ source: BoundSource, _ matches: inout Matches
  ) {
    let index = table.columnIndex(of: name)
    if index >= 0 {
      let isRowid = index == table.rowidColumn
      count(isRowid ? -1 : Int32(index), name, source, &matches)
    } else if matches.count == 0 && !table.isWithoutRowid && table.view == nil {
      matches.rowidCount += 1
      matches.source = source
    }
  }

  /// The condition of an index names its table by the table's name, whatever a statement calls it.
  private func isIndexedTable(_ name: Name, _ source: BoundSource) -> Bool {
    guard isBindingIndex, case .table(let table) = source.kind else { return false }
    return table.name == name
  }

  private func count(
    _ column: Int32, _ name: Name, _ source: BoundSource, _ matches: inout Matches
  ) {
    if matches.count > 0 && !mayTakeOver(name, source, &matches) { return }
    matches.count += 1
    matches.source = source
    matches.column = column
  }

  /// Decides what a second match means. False if the first stays the only one.
  private func mayTakeOver(
    _ name: Name, _ source: BoundSource, _ matches: inout Matches
  ) -> Bool {
    if !source.using.contains(name) || matches.source.map({ $0 === source }) == true {
      matches.united = []  // The name is ambiguous.
      return true
    }
    if !source.join.contains(.right) { return false }
    if !source.join.contains(.left) {
      matches.count = 0
      matches.united = []
    } else if let previous = matches.source {
      matches.united.append((previous, matches.column), in: memory)
    }
    return true
  }

  /// Looks into a parenthesised join; true if a column of it was found.
  @inline(never)
  private func matchNested(
    _ name: ColumnName, _ database: Int, _ source: BoundSource, _ matches: inout Matches
  ) -> Bool {
    var isFound = false
    for (index, column) in source.nested.enumerated() {
      if let table = name.table, column.table != table { continue }
      if database >= 0 && column.databaseIndex != database { continue }
      if column.isRowid {
        if matches.count > 0 || !Binder.isRowidName(name.column) { continue }
        matches.rowidCount += 1
        matches.source = source
        matches.column = Int32(index)
        continue
      }
      if column.column != name.column { continue }
      if matches.count > 0 && !mayTakeOver(name.column, source, &matches) { continue }
      matches.count += 1
      matches.source = source
      matches.column = Int32(index)
      isFound = true
      if column.table.count == 0 { break }
    }
    return isFound
  }

  /// Whether `name` means the source: its alias, or without one its table.
  private static func isTable(_ name: Name, _ database: Int, _ source: BoundSource) -> Bool {
    if database >= 0 && source.databaseIndex != database { return false }
    if database == noDatabase && source.databaseIndex >= 0 { return false }
    if source.label == name { return true }
    guard !source.hasAlias, let table = source.lentTable else { return false }
    return table._withUnsafeGuaranteedRef { table in
      table.rootPage == PageNumber(1)
        && (table.name == name
          || Catalog.isSchemaTableName(name, ofTemp: source.databaseIndex == 1))
    }
  }

  static func isRowidName(_ name: Name) -> Bool {
    name == Name("rowid") || name == Name("oid") || name == Name("_rowid_")
  }

  // MARK: Results

  /// A reference to a column; -1 is the rowid.
  @inline(__always)
  func column(_ index: Int32, of source: BoundSource) throws(SQLError) -> BoundExpression {
    if source.isTriggerRow { return try triggerColumn(index, of: source) }
    if index < 0 {
      source.usesRowid = true
      if let authorizer, try !mayRead(index, of: source, authorizer) { return null() }
      return BoundExpression(
        .column(source.id, -1), affinity: source.isPlain ? .none : .integer, traits: .hasColumn,
        in: memory)
    }
    source.noteUse(of: index)
    if let authorizer, try !mayRead(index, of: source, authorizer) { return null() }
    if let table = source.lentTable {
      return try table.lend { (table) throws(SQLError) in
        try tableColumn(index, of: table, source)
      }
    }
    guard case .subquery(let select) = source.kind else { throw SQLError(.internal) }
    let shown = select.columns[Int(index)]
    return BoundExpression(
      .column(source.id, index), affinity: shown.affinity, collation: shown.collation,
      traits: .hasColumn, in: memory)
  }

  @inline(__always)
  private func tableColumn(
    _ index: Int32, of table: Table, _ source: BoundSource
  ) throws(SQLError) -> BoundExpression {
    if let generated = table.columns[Int(index)].generated {
      try bindGenerated(generated, Int(index), table, source)
    }
    if source.isPlain {
      return BoundExpression(
        .column(source.id, index), affinity: .none, traits: .hasColumn, in: memory)
    }
    return BoundExpression(
      .column(source.id, index), affinity: table.columns[Int(index)].affinity,
      collation: table.columns[Int(index)].collation.map { collation(named: $0) } ?? .binary,
      traits: .hasColumn, in: memory)
  }

  @inline(never)
  private func triggerColumn(
    _ index: Int32, of row: BoundSource
  ) throws(SQLError) -> BoundExpression {
    guard case .table(let table) = row.kind else { throw SQLError(.internal) }
    if index >= 0 { row.usedColumns |= 1 << UInt64(min(index, 63)) }
    if let authorizer, try !mayRead(index, of: row, authorizer) { return null() }
    if index < 0 {
      return BoundExpression(
        .column(row.id, -1), affinity: .integer, traits: [.hasColumn, .isTriggerColumn], in: memory)
    }
    return BoundExpression(
      .column(row.id, index), affinity: .none,
      collation: table.columns[Int(index)].collation.map { collation(named: $0) } ?? .binary,
      traits: [.hasColumn, .isTriggerColumn], in: memory)
  }

  /// A virtual generated column is computed from the others (gencol §2.2), which are read too.
  @inline(never)
  private func bindGenerated(
    _ generated: Table.Column.Generated, _ index: Int, _ table: Table, _ source: BoundSource
  ) throws(SQLError) {
    guard case .virtual(let expression) = generated else { return }
    for bound in source.virtualColumns where bound.column == index { return }
    // The stack bears so much; SQLite's, which has no limit of its own, some thousands.
    guard virtualColumnDepth < VirtualColumns.deepest else { throw VirtualColumns.tooDeep }
    virtualColumnDepth += 1
    defer { virtualColumnDepth -= 1 }
    // Noted before it is bound: the definition may not lead back to the column itself.
    let position = source.virtualColumns.count
    let null = BoundExpression(.null, affinity: .none, traits: [], in: memory)
    source.virtualColumns.append(
      VirtualColumn(column: Int32(index), expression: null), in: memory)
    let scope = Scope(outer: nil, selectID: 0)
    scope.sources = TreeList([source], in: memory)
    let outerText = text, outerDatabase = fixedDatabase, outerTables = commonTables
    text = table.text
    commonTables = nil
    defer {
      text = outerText
      fixedDatabase = outerDatabase
      commonTables = outerTables
    }
    let bound = try withoutAuthorizer { () throws(SQLError) in
      try bindScalar(expression, scope, at: .generatedColumn)
    }
    source.virtualColumns.replace(
      at: position, with: VirtualColumn(column: Int32(index), expression: bound))
  }

  /// The first of several columns that is not NULL.
  private func coalesce(
    _ columns: TreeList<(source: BoundSource, column: Int32)>
  ) throws(SQLError) -> BoundExpression {
    var arguments: [BoundExpression] = []
    for match in columns { arguments.append(try column(match.column, of: match.source)) }
    return try makeCoalesce(arguments)
  }

  /// The result column that an alias names.
  private func alias(_ name: Name, _ scope: Scope) throws(SQLError) -> BoundExpression? {
    for column in scope.columns where column.isAlias && column.label == name {
      let expression = column.expression
      if expression.traits.contains(.hasAggregate) {
        if !scope.allowsAggregates { throw .sql("misuse of aliased aggregate \(name.string)") }
        if scope.clause == .condition { throw .misuseOfAggregate(in: expression) }
      }
      if expression.traits.contains(.hasWindowFunction) && !scope.allowsWindows {
        throw .misuseOfAliasedWindow(name)
      }
      if expression.traits.contains(.isVector) { throw .rowValueMisused }
      // An alias of a column is asked about as the column.
      if let authorizer, case .column(let id, let index) = expression.kind,
        let source = scope.source(id), try !mayRead(index, of: source, authorizer)
      {
        return null()
      }
      return expression
    }
    return nil
  }
}

extension SQLError {
  /// An aggregate where no rows have been aggregated yet.
  static func misuseOfAggregate(in expression: BoundExpression) -> SQLError {
    var name = ""
    expression.forEachAggregate { if name.isEmpty { name = $0.function.name } }
    return .sql("misuse of aggregate: \(name)()")
  }
}

extension SQLError {
  fileprivate static func misuseOfAliasedWindow(_ name: Name) -> SQLError {
    .sql("misuse of aliased window function \(name.string)")
  }
}
