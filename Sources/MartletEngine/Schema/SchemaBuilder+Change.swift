// A schema that follows from another one by one CREATE or DROP, without reading all of it again.
//
// Tables and indexes that are in use never change: a table that gets or loses an index is made
// again of the texts of its definitions, and takes over what is known of the old one.

extension SchemaBuilder {
  /// Makes a table again, with its indexes.
  @discardableResult
  func remake(_ old: Table, without dropped: Index? = nil) throws(SQLError) -> Table {
    guard case .createTable(let statement) = try SchemaBuilder.parse(old.text) else {
      throw SQLError(.internal)
    }
    let table = try makeTable(statement, old.text, rootPage: old.rootPage)
    for known in old.indexes.reversed() where known.origin == .createIndex && known !== dropped {
      guard case .createIndex(let definition) = try SchemaBuilder.parse(known.text) else {
        throw SQLError(.internal)
      }
      link(try newIndex(definition, known.text, on: table, rootPage: known.rootPage), to: table)
    }
    for index in table.indexes {
      guard let known = old.indexes.first(where: { $0.name == index.name }) else { continue }
      index.rootPage = known.rootPage
      index.schemaRow = known.schemaRow
      index.takeStatistics(of: known)
      indexes.replace(index)
    }
    table.schemaRow = old.schemaRow
    table.takeStatistics(of: old)
    tables.replace(table)
    return table
  }

  private static func parse(_ text: SQLText) throws(SQLError) -> StatementSyntax? {
    try Parser.parse(text, isLoadingSchema: true)?.statement
  }

  /// Takes out what DROP removed. False if it is not there.
  func remove(_ object: DroppedObject, named name: Name) throws(SQLError) -> Bool {
    switch object {
    case .table:
      guard let table = tables[name] else { return false }
      tables.remove(named: table.name)
      for index in table.indexes { indexes.remove(named: index.name) }
    case .index:
      guard let index = indexes[name] else { return false }
      indexes.remove(named: index.name)
      try remake(index.table, without: index)
    case .trigger:
      guard let trigger = triggers[name] else { return false }
      triggers.remove(named: trigger.name)
    }
    return true
  }
}

// MARK: Virtual tables

extension SchemaBuilder {
  /// Virtual tables stay connected while their definitions are read again: what they hold of the
  /// transaction is known to nobody else.
  func takeConnections(of old: Schema) {
    for table in tables.objects {
      guard let virtual = table.virtual, let known = old.tables[table.name],
        let state = known.virtual, state.moduleName == virtual.moduleName,
        state.arguments == virtual.arguments
      else { continue }
      table.virtual = state
      table.connectedTable = known.connectedTable
    }
  }
}

// MARK: Estimates

extension SchemaBuilder {
  /// All that is known of the rows of objects that stay.
  func takeStatistics(of old: Schema) {
    for index in indexes.objects {
      if let known = old.indexes[index.name] { index.takeStatistics(of: known) }
    }
    for table in tables.objects {
      if let known = old.tables[table.name] { table.takeStatistics(of: known) }
    }
  }

  /// A table that the new statistics say nothing about has as many rows as it was known to have,
  /// and has had samples once.
  func takeSizes(of old: Schema) {
    for table in tables.objects {
      guard let known = old.tables[table.name] else { continue }
      table.rowEstimate = known.rowEstimate
      table.rowSizeEstimate = known.rowSizeEstimate
      table.hasSamples = known.hasSamples
      table.needsStatistics = known.needsStatistics
    }
  }

  /// Each CREATE INDEX that is parsed takes its table for not too small, also where ALTER TABLE
  /// only looks whether it can be parsed.
  func forgetSmallTables() {
    for table in tables.objects { table.forgetSmallness() }
  }
}

extension Table {
  /// One of its CREATE INDEX before a row of the schema table was parsed.
  func forgetSmallness(before row: Int32 = .max) {
    if indexes.contains(where: { $0.origin == .createIndex && $0.schemaRow < row }) {
      rowEstimate = max(rowEstimate, Index.smallestTable)
    }
  }
}

extension Table {
  fileprivate func takeStatistics(of other: Table) {
    rowEstimate = other.rowEstimate
    rowSizeEstimate = other.rowSizeEstimate
    hasStatistics = other.hasStatistics
    hasSamples = other.hasSamples
    needsStatistics = other.needsStatistics
  }
}

extension Index {
  fileprivate func takeStatistics(of other: Index) {
    rowEstimates = other.rowEstimates
    rowSizeEstimate = other.rowSizeEstimate
    hasStatistics = other.hasStatistics
    isOfLowQuality = other.isOfLowQuality
    isUnordered = other.isUnordered
    allowsSkipScan = other.allowsSkipScan
    rowCounts = other.rowCounts
    samples = other.samples
  }
}
