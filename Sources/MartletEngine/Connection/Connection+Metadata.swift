/// What a table's definition says of a column (`sqlite3_table_column_metadata`).
public struct ColumnMetadata: Sendable, Equatable {
  /// As in CREATE TABLE; nil where there is none.
  public let declaredType: String?
  public let collation: String
  public let isNotNull: Bool
  public let isPrimaryKey: Bool
  public let isAutoincrement: Bool
}

extension Connection {
  /// What is known of a column. Without a database all are searched, as for names in statements; the
  /// rowid may be asked for too.
  public func metadata(
    ofColumn column: String, table: String, database: String? = nil
  ) throws(SQLError) -> ColumnMetadata {
    lock.lock()
    defer { lock.unlock() }
    try loadSchemas()
    let tableText = try SQLText.copying(table), columnText = try SQLText.copying(column)
    let name = Name(start: tableText.start, count: tableText.count)
    let columnName = Name(start: columnText.start, count: columnText.count)
    var found: Table?
    if let database {
      let schema = try SQLText.copying(database)
      found = catalog.table(named: name, schema: Name(start: schema.start, count: schema.count))
    } else {
      found = catalog.table(named: name)
    }
    if let stub = found, stub.isVirtual { found = try connected(stub) }
    if found == nil { found = try eponymousTable(named: name) }
    guard let known = found, known.view == nil else {
      throw .sql("no such table column: \(table).\(column)")
    }
    var index = known.columnIndex(of: columnName)
    if index < 0 {
      guard Binder.isRowidName(columnName), !known.isWithoutRowid else {
        throw .sql("no such table column: \(table).\(column)")
      }
      index = known.rowidColumn
    }
    guard index >= 0 else {
      return ColumnMetadata(
        declaredType: "INTEGER", collation: "BINARY", isNotNull: false, isPrimaryKey: true,
        isAutoincrement: false)
    }
    let definition = known.columns[index]
    return ColumnMetadata(
      declaredType: definition.declaredType,
      collation: definition.collation?.string ?? "BINARY", isNotNull: definition.isNotNull,
      isPrimaryKey: definition.isPrimaryKey,
      isAutoincrement: index == known.rowidColumn && known.hasAutoincrement)
  }

  /// What a connection counts (c3ref c_dbstatus_options). The raw values are SQLite's.
  public enum Counter: Int32, Sendable {
    /// Bytes of the pages in the caches.
    case cacheUsed = 1
    /// Pages that were not in a cache when they were asked for.
    case cacheMisses = 8
  }

  /// A counter over all databases of the connection (`sqlite3_db_status`).
  public func count(of counter: Counter) -> Int {
    locked {
      databases.reduce(0) { sum, database in
        guard let cache = database.tree?.pager.cache else { return sum }
        switch counter {
        case .cacheUsed: return sum + cache.frameCount * cache.pageSize
        case .cacheMisses: return sum + Int(cache.missCount)
        }
      }
    }
  }
}
