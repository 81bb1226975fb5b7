// REINDEX (lang_reindex).

extension Connection {
  func compileReindex(
    _ schema: Name?, _ name: Name?, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    let indexes = try indexesToReindex(schema, name, parsed.text)
    let binder = Binder(parsed, bindEnvironment(isDefinition: false))
    binder.authorizer = nil
    var bound: [(index: Index, parts: Binder.BoundIndex)] = []
    var written: [Int] = []
    for index in indexes where try mayReindex(index) {
      written.append(index.table.databaseIndex)
      // Its collations must be there.
      _ = try catalog.keyInfo(of: index, collations: collations)
      // The primary key of a WITHOUT ROWID table is the table itself.
      if index === index.table.primaryKeyIndex { continue }
      bound.append((index, try binder.bindExisting(index)))
    }
    return try program(parsed) { emitter throws(SQLError) in
      // SQLite makes such a table anew; what shows of that is the lock.
      written.forEach(emitter.willWrite)
      for (index, parts) in bound { try emitter.emitReindex(index, parts) }
    }
  }

  /// A collation comes before a table, and that before an index; EXPRESSIONS adds to what is meant.
  private func indexesToReindex(
    _ schema: Name?, _ name: Name?, _ text: SQLText
  ) throws(SQLError) -> [Index] {
    guard let name else { return allIndexes { _ in true } }
    var found: [Index] = []
    let wantsExpressions = schema == nil && name == Name("expressions")
    if wantsExpressions {
      found = allIndexes { index in index.columns.contains { $0.tableColumn == -2 } }
    }
    if schema == nil, isCollation(name) {
      return merge(
        found,
        allIndexes { index in
          index.columns.contains {
            $0.tableColumn >= 0 && ($0.collation ?? .binaryCollation) == name
          }
        })
    }
    if let schema, catalog.databaseIndex(named: schema) < 0 {
      throw .sql("unknown database \(text.written(schema))", offset: schema.offset)
    }
    let table = schema.map { catalog.table(named: name, schema: $0) } ?? catalog.table(named: name)
    if let table { return merge(found, table.indexes) }
    if let index = catalog.index(named: name, schema: schema) { return merge(found, [index]) }
    if wantsExpressions { return found }
    throw .sql("unable to identify the object to be reindexed")
  }

  private func isCollation(_ name: Name) -> Bool {
    if Collation.builtIn(named: name) != nil { return true }
    return collations.contains { $0.name.matches(name) }
      || !allIndexes { $0.columns.contains { $0.collation == name } }.isEmpty
  }

  private func merge(_ first: [Index], _ second: [Index]) -> [Index] {
    first + second.filter { index in !first.contains { $0 === index } }
  }

  private func allIndexes(where isMeant: (Index) -> Bool) -> [Index] {
    var found: [Index] = []
    for schema in catalog.databases {
      for table in schema.tables.inHashOrder {
        found += table.indexes.filter(isMeant)
      }
    }
    return found
  }
}

extension Binder {
  /// The terms and the condition of an index that there is.
  func bindExisting(_ index: Index) throws(SQLError) -> BoundIndex {
    let source = definitionSource(index.table)
    text = index.table.text
    for column in index.table.columns.indices where index.table.columns[column].isVirtual {
      _ = try self.column(Int32(column), of: source)
    }
    if index.hasExpressions { try bindIndex(index, source) }
    let parts = source.indexExpressions.first { $0.index === index }
    try parts?.checkCollations()
    return BoundIndex(
      source: source, expressions: parts.map { Array($0.columns) } ?? [],
      condition: parts?.condition)
  }
}
