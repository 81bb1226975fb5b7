// A schema that follows from another one by one CREATE or DROP, without reading all of it again.
//
// Tables and indexes that are in use never change: a table that gets or loses an index is made again
// of the texts of its definitions, and takes over what is known of the old one.

extension SchemaBuilder {
  /// Makes a table again, with its indexes.
  @discardableResult
  func remake(_ old: Table, without dropped: Index? = nil) throws(SQLError) -> Table {
    guard case .createTable(let statement) = try SchemaBuilder.parse(old.text) else {
      throw SQLError(.internal)
    }
    let table = try makeTable(statement, old.text, rootPage: old.rootPage)
    table.takeStatistics(of: old)
    for known in old.indexes.reversed() where known.origin == .createIndex && known !== dropped {
      guard case .createIndex(let definition) = try SchemaBuilder.parse(known.text) else {
        throw SQLError(.internal)
      }
      link(try newIndex(definition, known.text, on: table, rootPage: known.rootPage), to: table)
    }
    for index in table.indexes {
      guard let known = old.indexes.first(where: { $0.name == index.name }) else { continue }
      index.rootPage = known.rootPage
      index.takeStatistics(of: known)
      indexes.replace(index)
    }
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
      tables.removeAll { $0 === table }
      indexes.removeAll { $0.table === table }
    case .index:
      guard let index = indexes[name] else { return false }
      indexes.removeAll { $0 === index }
      try remake(index.table, without: index)
    case .trigger:
      guard let trigger = triggers[name] else { return false }
      triggers.removeAll { $0 === trigger }
    }
    return true
  }
}

extension Table {
  fileprivate func takeStatistics(of other: Table) {
    rowEstimate = other.rowEstimate
    rowSizeEstimate = other.rowSizeEstimate
    hasStatistics = other.hasStatistics
    hasSamples = other.hasSamples
  }
}

extension Index {
  fileprivate func takeStatistics(of other: Index) {
    guard other.hasStatistics else { return setDefaultEstimates() }
    rowEstimates = other.rowEstimates
    rowSizeEstimate = other.rowSizeEstimate
    hasStatistics = true
    isOfLowQuality = other.isOfLowQuality
    isUnordered = other.isUnordered
    allowsSkipScan = other.allowsSkipScan
    rowCounts = other.rowCounts
    samples = other.samples
  }
}
