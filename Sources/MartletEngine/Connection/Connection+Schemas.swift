// The schemas of the connection's databases in memory: when they are read, and when they are to be
// read again.
//
// A program is good for the catalog that it was made for. Its `transaction` instructions compare the
// files that it uses; whatever else its names were looked up in is compared by `hasSchemas(of:)`
// before it runs. So whoever says that a schema is no longer good makes a new catalog.

extension Connection {
  /// The schema of a database has to be read again before anything is compiled.
  func forgetSchema(_ index: Int) {
    databases[index].isSchemaLoaded = false
    catalog = Catalog(catalog.databases)
  }

  /// Whether names mean now what they meant in an earlier catalog.
  func hasSchemas(of earlier: Catalog) -> Bool {
    guard databases.allSatisfy(\.isSchemaLoaded),
      earlier.databases.count == catalog.databases.count
    else { return false }
    return zip(earlier.databases, catalog.databases).allSatisfy { $0.version == $1.version }
  }

  /// Lets go of the schemas that nothing can use any more: a statement that is kept would have kept
  /// those that it was compiled for, and with each change of a large schema one more.
  func forgetOutdatedPrograms() {
    hasOutdatedPrograms = false
    programs.removePrograms(exceptOf: catalog)
    blobColumns.removeColumns(exceptOf: catalog)
    var next = newestStatement
    while let statement = next?.takeUnretainedValue() {
      statement.forgetOutdatedProgram()
      next = statement.older
    }
  }

  /// Reads the schemas that are not in memory, or not any more.
  func loadSchemas() throws(SQLError) {
    for index in databases.indices where !databases[index].isSchemaLoaded {
      try loadSchema(index)
    }
  }

  func loadSchema(_ index: Int) throws(SQLError) {
    guard databases[index].tree != nil else { return }
    let wasReading = readingDatabases & (1 << UInt64(index)) != 0
    try beginReading(index)
    defer { if !wasReading { endReading(index) } }
    try readSchema(index)
    // SQLite reads a schema by a query, which is a transaction of its own outside of others: with its
    // end, `defer_foreign_keys` is off. The temporary database has nothing to be read when it is opened.
    if index != 1, commitsAutomatically, writingStatementCount == 0 { forgetForeignKeys() }
  }

  /// Reads the schema of a database on which a transaction is open.
  func readSchema(
    _ index: Int, reading: SchemaReading = .all, after old: Schema? = nil,
    from firstRow: Int64? = nil
  ) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    // An empty database takes the encoding of main with its first table. That of main stays what it
    // was once there was something in a schema, whatever somebody makes of the file.
    let hasEncoding = try tree.meta(.textEncoding) != 0, encoding = tree.pager.header.textEncoding
    if hasEncoding, index > 0 || isEncodingFixed, encoding != catalog.encoding {
      throw .sql("attached databases must use the same text encoding as main database")
    }
    try tree.pager.header.checkSchemaFormat()
    lastGeneration &+= 1
    // SQLite does not read the definitions again for these: they stay accepted.
    let isAccepted = reading == .statistics || reading == .dropping
    let schema = try SchemaLoader.load(
      tree, databaseIndex: index, databaseName: databases[index].name,
      generation: lastGeneration & .max,
      newEncoding: index == 0 ? settings.newEncoding : catalog.encoding,
      reading: reading, after: old, from: firstRow,
      refusesCall: isAccepted ? nil : refusedCalls(ofDatabase: index),
      forgivesMistakes: isSchemaWritable)
    catalog = catalog.replacing(schema, at: index)
    if schema.rowCount > 0 { isEncodingFixed = true }
    databases[index].isSchemaLoaded = true
    takeSuggestedCacheSize(ofDatabase: index)
  }

  /// With the first reading of a schema, the cache becomes as large as the file suggests.
  private func takeSuggestedCacheSize(ofDatabase index: Int) {
    guard !databases[index].isCacheSizeKnown, let pager = databases[index].tree?.pager else {
      return
    }
    databases[index].isCacheSizeKnown = true
    let suggested = pager.header.suggestedCacheSize
    if suggested != 0 { pager.setCacheSize(Int(suggested.magnitude)) }
  }

  /// Reads a schema again if its table has other definitions than the schema in memory: UPDATE may
  /// have changed them (`PRAGMA writable_schema`), and ALTER TABLE goes on from what stands there.
  ///
  /// A file that cannot be read now, or that has another cookie, is not asked: the statement meets
  /// that when it runs.
  func readChangedDefinitions(ofDatabase index: Int) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    let bit: UInt64 = 1 << UInt64(index), wasReading = readingDatabases & bit != 0
    do { try beginReading(index) } catch { return }
    defer { if !wasReading { endReading(index) } }
    let schema = catalog.databases[index]
    guard tree.pager.header.schemaCookie == schema.cookie,
      try !SchemaLoader.hasDefinitions(of: schema, tree)
    else { return }
    try readSchema(index)
    changedSchemas |= writingDatabases & bit
  }

  /// Which calls the schema of a database may not make; nil for the temporary one, which is the
  /// application's own.
  func refusedCalls(ofDatabase index: Int) -> ((Name, Int) -> Bool)? {
    if index == 1 { return nil }
    let functions = functions, isTrusted = settings.flags.contains(.trustsSchema)
    return { name, argumentCount in
      guard case .scalar(let function) = functions.find(name.buffer, argumentCount: argumentCount)
      else { return false }
      return function.flags.isUnsafe(isTrusted: isTrusted)
    }
  }

  /// Whether the file of a database has another schema than the one in memory. A file that cannot be
  /// read now is not asked.
  func forgetOutdatedSchemas() -> Bool {
    var isOutdated = false
    for index in databases.indices where databases[index].isSchemaLoaded {
      guard let tree = databases[index].tree else { continue }
      let wasReading = readingDatabases & (1 << UInt64(index)) != 0
      do {
        try beginReading(index)
      } catch {
        continue
      }
      if tree.pager.header.schemaCookie != catalog.databases[index].version.cookie {
        forgetSchema(index)
        isOutdated = true
      }
      if !wasReading { endReading(index) }
    }
    return isOutdated
  }
}
