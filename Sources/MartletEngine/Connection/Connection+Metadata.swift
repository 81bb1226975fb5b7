/// What a table's definition says of a column (`sqlite3_table_column_metadata`).
public struct ColumnMetadata: Sendable, Equatable {
  /// As in CREATE TABLE; nil where there is none.
  public let declaredType: String?
  public let collation: String
  public let isNotNull: Bool
  public let isPrimaryKey: Bool
  public let isAutoincrement: Bool

  /// Of the rowid, where it is no column.
  public static let rowid = ColumnMetadata(
    declaredType: "INTEGER", collation: "BINARY", isNotNull: false, isPrimaryKey: true,
    isAutoincrement: false)
}

extension Connection {
  /// What is known of a column. Without a database all are searched, as for names in statements;
  /// the rowid may be asked for too.
  public func metadata(
    ofColumn column: String, table: String, database: String? = nil
  ) throws(SQLError) -> ColumnMetadata {
    lock.lock()
    defer { lock.unlock() }
    let columnText = try SQLText.copying(own: column)
    let columnName = Name(start: columnText.start, count: columnText.count)
    guard let known = try describedTable(table, database), known.view == nil else {
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
      return .rowid
    }
    let definition = known.columns[index]
    return ColumnMetadata(
      declaredType: definition.declaredType,
      collation: definition.collation?.string ?? "BINARY", isNotNull: definition.isNotNull,
      isPrimaryKey: definition.isPrimaryKey,
      isAutoincrement: index == known.rowidColumn && known.hasAutoincrement)
  }

  /// - Throws: an error unless there is a table of that name, which a view is not.
  public func checkTable(_ table: String, database: String? = nil) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    guard let known = try describedTable(table, database), known.view == nil else {
      throw .sql("no such table column: \(table).")
    }
  }

  private func describedTable(_ table: String, _ database: String?) throws(SQLError) -> Table? {
    try loadSchemas()
    let tableText = try SQLText.copying(own: table)
    let name = Name(start: tableText.start, count: tableText.count)
    var found: Table?
    if let database {
      let schema = try SQLText.copying(own: database)
      found = catalog.table(named: name, schema: Name(start: schema.start, count: schema.count))
    } else {
      found = catalog.table(named: name)
    }
    if let stub = found, stub.isVirtual { found = try connected(stub) }
    return found
  }

  /// What a connection counts (c3ref c_dbstatus_options). The raw values are SQLite's.
  public enum Counter: Int32, Sendable {
    /// Bytes of the pages in the caches.
    case cacheUsed = 1
    /// Bytes that the schemas take, about.
    case schemaUsed = 2
    /// Bytes of the programs of all statements.
    case statementsUsed = 3
    /// Pages that were in a cache when they were asked for.
    case cacheHits = 7
    /// Pages that were not in a cache when they were asked for.
    case cacheMisses = 8
    /// Pages that were written to database files.
    case cacheWrites = 9
    /// Not 0 while a foreign key constraint, deferred or not, is violated.
    case deferredForeignKeys = 10
    /// Pages of these that were written before the commit, to make room in the cache.
    case cacheSpills = 12
  }

  /// A counter over all databases of the connection (`sqlite3_db_status`).
  public func count(of counter: Counter) -> Int {
    locked {
      switch counter {
      case .cacheUsed: sumOfPagers { $0.cache.frameCount * $0.cache.pageSize }
      case .statementsUsed: statementFacts().reduce(0) { $0 + $1.byteCount }
      case .schemaUsed: schemaByteCount
      case .cacheHits: sumOfPagers { Int($0.cache.hitCount) }
      case .cacheMisses: sumOfPagers { Int($0.cache.missCount) }
      case .cacheWrites: sumOfPagers(\.writtenPageCount)
      case .deferredForeignKeys: foreignKeys.isZero ? 0 : 1
      case .cacheSpills: sumOfPagers(\.spilledPageCount)
      }
    }
  }

  private func sumOfPagers(_ count: (Pager) -> Int) -> Int {
    databases.reduce(0) { sum, database in sum + (database.tree.map { count($0.pager) } ?? 0) }
  }

  private var schemaByteCount: Int {
    let objectSize = 256, columnSize = 128
    return catalog.databases.reduce(0) { sum, database in
      var size = sum
      for table in database.tables.objects {
        size += objectSize * (1 + table.indexes.count) + columnSize * table.columns.count
      }
      return size + objectSize * database.triggers.objects.count
    }
  }
}
