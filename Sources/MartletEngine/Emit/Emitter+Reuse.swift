extension Emitter {
  /// Makes the emitter as it was when it was made, but for the memory of its lists: a connection
  /// compiles one statement after the other, and most are short.
  ///
  /// Each property has a line here; a test compares them with those of a new emitter.
  func clear() {
    builder.clear()
    builder.isMeasured = measuresScans
    currentScan = -1
    trees = nil
    sources.clear()
    aggregates.clear()
    windows.clear()
    indexedExpressions.clear()
    virtualColumnDepth = 0
    indexedColumns.clear()
    groupKeys.clear()
    shownSubqueries.clear()
    shownScalars.clear()
    hidesPlan = false
    copiedSelectCount = 0
    selectCount = 0
    rowEstimate = 0
    rowEstimates.clear()
    statementID = -1
    firstSource = nil
    outerRowCount = 0
    explainParent = 0
    factored.clear()
    mayFactor = true
    openings.clear()
    rowSubqueries.clear()
    comparedRows.clear()
    isInRowComparison = false
    keptSubqueries.clear()
    keptSets.clear()
    recursions.clear()
    coroutines.clear()
    fills.clear()
    commonTables.clear()
    partOrder = nil
    announcesChanges = false
    deletesRowByRow = false
    showsCount = false
    explainsTriggers = false
    count = nil
    newFileFormat = 4
    planOptions = []
    functionHost = nil
    planParameters = nil
    filteredSet = nil
    subprograms = nil
    scanLimit = .none
    checksForeignKeys = false
    sequences.clear()
    databases = 0
    named = nil
    writtenDatabases = 0
  }
}

/// Lists that had more keep no memory.
private let keptCount = 256

extension Array {
  /// Most are empty.
  @inline(__always)
  mutating func clear() {
    if !isEmpty { removeAll(keepingCapacity: count <= keptCount) }
  }
}

extension Dictionary {
  @inline(__always)
  mutating func clear() {
    if !isEmpty { removeAll(keepingCapacity: count <= keptCount) }
  }
}
