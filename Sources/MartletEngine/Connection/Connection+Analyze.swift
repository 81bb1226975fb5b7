// ANALYZE (lang_analyze) and PRAGMA optimize (pragma, optimize).

extension Connection {
  /// How many entries of an index PRAGMA optimize looks at where nothing else is said.
  private static let optimizeLimit = 2_000

  /// Without a name, everything but the temporary database; a name alone is that of a database, an
  /// index or a table, in this order.
  func compileAnalyze(
    _ schema: Name?, _ name: Name?, _ parsed: ParsedStatement
  ) throws(SQLError) -> Program {
    var requests: [Emitter.StatisticsRequest] = []
    if let name {
      let index = schema == nil ? catalog.databaseIndex(named: name) : -1
      requests.append(
        index >= 0
          ? try statisticsOfDatabase(index, parsed) : try statistics(schema, name, parsed))
    } else {
      for index in databases.indices where index != 1 {
        requests.append(try statisticsOfDatabase(index, parsed))
      }
    }
    return try program(parsed) { emitter throws(SQLError) in
      try emitter.emitAnalyze(requests)
    }
  }

  private func statisticsOfDatabase(
    _ index: Int, _ parsed: ParsedStatement
  ) throws(SQLError) -> Emitter.StatisticsRequest {
    try authorizeStatistics(database: index, by: nil)
    let tables = catalog.databases[index].tables.inHashOrder
    return Emitter.StatisticsRequest(
      database: index, sources: try rows(of: tables, parsed), limit: Int32(settings.analysisLimit))
  }

  private func statistics(
    _ schema: Name?, _ name: Name, _ parsed: ParsedStatement
  ) throws(SQLError) -> Emitter.StatisticsRequest {
    if let schema, catalog.databaseIndex(named: schema) < 0 {
      throw .sql("unknown database \(schema.string)")
    }
    let index = catalog.index(named: name, schema: schema)
    let found =
      index?.table
      ?? schema.map { catalog.table(named: name, schema: $0) } ?? catalog.table(named: name)
    guard let table = found else {
      throw .sql("no such table: \(schema.map { $0.string + "." } ?? "")\(name.string)")
    }
    try authorizeStatistics(database: table.databaseIndex, by: index == nil ? "tbl" : "idx")
    return Emitter.StatisticsRequest(
      database: table.databaseIndex, sources: try rows(of: [table], parsed),
      target: index.map { .index($0) } ?? .table(table), limit: Int32(settings.analysisLimit))
  }

  private func rows(
    of tables: [Table], _ parsed: ParsedStatement
  ) throws(SQLError) -> TreeList<BoundSource> {
    var analyzed: [Table] = []
    for table in tables where table.hasOwnStatistics {
      if try mayAnalyze(table) { analyzed.append(table) }
    }
    return try Binder.bindRows(
      of: analyzed, for: parsed,
      in: BindEnvironment(catalog: catalog, functions: functions, collations: collations))
  }

  // MARK: PRAGMA optimize

  /// The mask: 1 lists what would be done, 2 analyzes, 0x10 sets a limit for that, 0x10000 looks at
  /// tables that no statement has used, too.
  func optimize(_ call: PragmaCall, _ parsed: ParsedStatement) throws(SQLError) -> Program {
    let mask = call.argument.map { UInt32(bitPattern: $0.number) } ?? 0xfffe
    let column = BoundResultColumn(
      expression: BoundExpression(.null, affinity: .none, traits: [], in: parsed.memory),
      label: call.name, affinity: .none, collation: nil, originTable: nil, originColumn: -1)
    let emitter = emitter(parsed)
    guard mask & 2 != 0 else { return try emitter.makeProgram([column]) { _ in } }
    var checks: [Emitter.OptimizeCheck] = [], treeCount = 0
    for index in databases.indices
    where index != 1 && (call.schema == nil || index == call.database) {
      emitter.databases |= 1 << UInt64(index)
      for table in catalog.databases[index].tables.inHashOrder {
        guard let check = optimizeCheck(of: table, mask) else { continue }
        checks.append(check)
        treeCount += table.indexes.count + 1
        // Two of them are done in one transaction.
        if checks.count == 2 {
          emitter.builder.isReadOnly = false
          emitter.builder.isMultiWrite = true
          emitter.willWrite(index)
        }
      }
    }
    let limit = optimizeLimit(mask, treeCount: treeCount)
    return try emitter.makeProgram([column]) { (emitter) throws(SQLError) in
      try emitter.emitOptimize(checks, limit: limit, isListing: mask & 1 != 0)
    }
  }

  private func optimizeLimit(_ mask: UInt32, treeCount: Int) -> Int32? {
    let limit = Connection.optimizeLimit
    if mask & 0x10 == 0 || (settings.analysisLimit > 0 && settings.analysisLimit < limit) {
      return nil
    }
    // Many tables share the work of a hundred.
    return Int32(treeCount > 100 ? max(100, 100 * limit / treeCount) : limit)
  }

  /// What is looked at of a table: nothing where no statement needed its statistics, unless an
  /// index has none.
  private func optimizeCheck(of table: Table, _ mask: UInt32) -> Emitter.OptimizeCheck? {
    guard table.hasOwnStatistics else { return nil }
    let isUnknown = table.indexes.contains { !$0.hasStatistics }
    guard table.needsStatistics || mask & 0x10000 != 0 || isUnknown else { return nil }
    // Ten times larger or smaller is another table.
    let size = Int32(table.rowEstimate.rawValue), tenfold: Int32 = 33
    return Emitter.OptimizeCheck(
      table: table,
      range: isUnknown ? nil : (size >= tenfold ? size - tenfold : -1)...(size + tenfold),
      statement: """
        ANALYZE \(table.databaseName.string.quotedIdentifier).\(table.name.string.quotedIdentifier)
        """)
  }

  /// The command `analyze`.
  func analyze(_ statement: String, limit: Int64) throws(SQLError) {
    let saved = settings.analysisLimit
    defer { settings.analysisLimit = saved }
    if limit >= 0 { settings.analysisLimit = Int(limit) }
    let statement = try prepare(withNames: statement)
    while try statement.step() {}
  }
}
