// The rows of the tables that stand for pragmas (pragma, PRAGMA functions).
//
// They are those of a PRAGMA, which is prepared and run for each search: in a join with the
// schema's table, for each row of it. The pragmas on the schema need no program for that. Their
// rows are listed at once where nobody could tell the difference: no authorizer and no trace is to
// be asked or told, and the files are being read, with the schemas that are in memory.

extension Connection {
  func forEachRow(
    ofPragma name: StaticString, argument: String?, schema: String?,
    _ body: (UnsafeMutablePointer<Register>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    if let rows = try rowsAtOnce(ofPragma: name, argument, schema) {
      return try rows.forEach(encoding: catalog.encoding, body)
    }
    var text = "PRAGMA "
    if let schema { text += Quoting.string(schema) + "." }
    text += name.description
    if let argument { text += "=" + Quoting.string(argument) }
    let statement = try prepare(withNames: text)
    while try statement.step() {
      try body(statement.rowState.pointee.registers, statement.columnCount)
    }
  }

  /// The rows without a program; nil where there has to be one.
  private func rowsAtOnce(
    ofPragma name: StaticString, _ argument: String?, _ schema: String?
  ) throws(SQLError) -> RowListing? {
    guard let pragma = Pragma(Name(name)), hooks.authorizer == nil, hooks.tracedEvents.isEmpty,
      databases.allSatisfy(\.isSchemaLoaded)
    else { return nil }
    var schemaText: SQLText?
    if let schema { schemaText = try SQLText.copying(own: schema) }
    return try withExtendedLifetime(schemaText) { () throws(SQLError) in
      let schema = schemaText.map { Name(start: $0.start, count: $0.count) }
      guard let index = databaseIndex(named: schema), let tree = databases[index].tree else {
        return nil
      }
      let call = PragmaCall(
        pragma: pragma, argument: argument.map { PragmaValue(text: $0) }, database: index,
        schema: schema)
      // Whatever is wrong is said by the PRAGMA.
      let listing: (rows: RowListing, verified: [Int])?
      do { listing = try schemaRows(call) } catch { return nil }
      guard let listing, listing.verified.allSatisfy(hasPresentSchema) else { return nil }
      let request = FileControl.pragma(name: name.description, argument: argument)
      guard let reply = try tree.pager.file.control(request) else {
        return listing.rows
      }
      guard case .text(let text) = reply else { return RowListing.none }
      return RowListing(columns: [Name("")], rows: [[.text(text)]])
    }
  }

  /// Whether the file of a database has the schema that is in memory, and keeps it, as it is being
  /// read; else the PRAGMA begins to read it. The temporary database nobody else changes.
  private func hasPresentSchema(_ index: Int) -> Bool {
    guard let tree = databases[index].tree else { return true }
    let cookie = catalog.databases[index].version.cookie
    if readingDatabases & (1 << UInt64(index)) != 0 {
      return tree.pager.header.schemaCookie == cookie
    }
    if index != 1 { return false }
    do {
      return try lookWithoutWaiting(index) { (tree) throws(SQLError) in
        tree.pager.header.schemaCookie == cookie
      } ?? false
    } catch {
      return false
    }
  }
}

extension RowListing {
  /// Calls `body` with the registers of each row, which are its own for as long.
  fileprivate func forEach(
    encoding: TextEncoding,
    _ body: (UnsafeMutablePointer<Register>, Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    let block = try RegisterBlock(count: columns.count)
    defer { block.deallocate() }
    for row in rows {
      for (column, value) in row.enumerated() {
        block.base[column].deinitialize()
        block.base[column] = try value.register(encoding: encoding)
      }
      try body(block.base, row.count)
    }
  }
}
