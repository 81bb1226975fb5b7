// Indexes: those of constraints, those of CREATE INDEX, and the layout of WITHOUT ROWID tables
// (fileformat2 §2.5, §2.6).

extension SchemaBuilder {
  // MARK: Constraints

  /// Makes the indexes that UNIQUE and PRIMARY KEY need, in the order in which they are written,
  /// which is the order of the numbers in their names.
  func addAutomaticIndexes(_ keys: [KeyDraft], to table: Table) throws(SQLError) {
    for key in keys {
      // SQLite asks for the same columns and collations; the directions do not matter.
      let columns = key.columns.map { SchemaBuilder.completed($0, table) }
      let known = table.indexes.first { $0.hasKey(columns) }
      if let known {
        if let policy = known.onConflict, let other = key.onConflict, policy != other {
          throw .sql("conflicting ON CONFLICT clauses specified")
        }
        if known.onConflict == nil {
          known.onConflict = key.onConflict
          if key.onConflict == .replace {
            table.indexes.removeAll { $0 === known }
            link(known, to: table)
          }
        }
        if key.isPrimaryKey { known.origin = .primaryKey }
        continue
      }
      let name = try automaticName(table)
      let index = makeIndex(
        name: name, table.text, table, rootPage: PageNumber(0),
        origin: key.isPrimaryKey ? .primaryKey : .uniqueConstraint, isUnique: true, columns,
        partialWhere: nil)
      index.onConflict = key.onConflict
      link(index, to: table)
    }
    if table.isWithoutRowid { layOut(table) }
  }

  private func automaticName(_ table: Table) throws(SQLError) -> Name {
    try "sqlite_autoindex_\(table.name.string)_\(table.indexes.count + 1)".makeName(in: table.text)
  }

  /// The column with the collation that the table gives it, and ascending where the format of the
  /// file does not know descending indexes (fileformat2 §1.3.10).
  private static func completed(_ column: Index.Column, _ table: Table) -> Index.Column {
    var collation: Name?
    if let written = column.collation {
      collation = stored(written)
    } else if column.tableColumn >= 0 {
      collation = table.columns[column.tableColumn].collation
    }
    return Index.Column(
      tableColumn: column.tableColumn, expression: column.expression, collation: collation,
      isDescending: column.isDescending)
  }

  /// Newest first, but those that REPLACE come last.
  func link(_ index: Index, to table: Table) {
    if index.onConflict == .replace {
      let first = table.indexes.firstIndex { $0.onConflict == .replace }
      table.indexes.insert(index, at: first ?? table.indexes.count)
    } else {
      table.indexes.insert(index, at: 0)
    }
  }

  // MARK: CREATE INDEX

  func addIndex(
    _ statement: CreateIndexStatement, _ text: SQLText, _ rootPage: PageNumber, row: Int32
  ) throws(SQLError) {
    let name = statement.name.name
    var table = try table(named: statement.table)
    try SchemaBuilder.checkMayBeIndexed(table)
    if indexes[name] != nil { throw .sql("index \(name.string) already exists") }
    if isContinuing { table = try remake(table) }
    let index = try newIndex(statement, text, on: table, rootPage: rootPage)
    index.schemaRow = row
    if rootPage.rawValue != 0, table.indexes.contains(where: { $0.rootPage == rootPage }) {
      throw .sql("invalid rootpage")
    }
    link(index, to: table)
    indexes.insert(index)
  }

  static func checkMayBeIndexed(_ table: Table) throws(SQLError) {
    if table.view != nil { throw .sql("views may not be indexed") }
    if table.isVirtual { throw .sql("virtual tables may not be indexed") }
  }

  /// The index of a statement, which its table does not know yet.
  func newIndex(
    _ statement: CreateIndexStatement, _ text: SQLText, on table: Table, rootPage: PageNumber
  ) throws(SQLError) -> Index {
    var columns: [Index.Column] = []
    for term in statement.columns { columns.append(try indexColumn(term, table)) }
    return makeIndex(
      name: statement.name.name, text, table, rootPage: rootPage, origin: .createIndex,
      isUnique: statement.isUnique, columns, partialWhere: statement.whereClause)
  }

  private func indexColumn(
    _ term: OrderingTerm, _ table: Table
  ) throws(SQLError) -> Index.Column {
    var collation: Name?
    if case .collate(_, let name) = term.expression.kind { collation = name }
    let expression = term.expression.withoutCollate
    let isDescending = term.isDescending && fileFormat >= 4
    var column = -2
    switch expression.kind {
    case .identifier(let name):
      column = SchemaBuilder.position(of: name, table)
      if column == -2 && name.quote != UInt8(ascii: "\"") {
        throw .sql("no such column: \(name.string)")
      }
    case .column(let qualifier, let name) where qualifier == table.name:
      column = SchemaBuilder.position(of: name, table)
      if column == -2 {
        throw .sql("no such column: \(qualifier.string).\(name.string)")
      }
    case .string:
      if let name = term.expression.columnInString {
        column = SchemaBuilder.position(of: name, table)
      }
    default: break
    }
    let draft = Index.Column(
      tableColumn: column, expression: column == -2 ? expression : nil, collation: collation,
      isDescending: isDescending)
    return SchemaBuilder.completed(draft, table)
  }

  /// The column of that name, -1 for the rowid, -2 for none.
  private static func position(of name: Name, _ table: Table) -> Int {
    let position = table.columnIndex(of: name)
    if position >= 0 { return position }
    let isRowid = name == Name("rowid") || name == Name("oid") || name == Name("_rowid_")
    return isRowid && !table.isWithoutRowid ? table.rowidColumn : -2
  }

  private func makeIndex(
    name: Name, _ text: SQLText, _ table: Table, rootPage: PageNumber, origin: Index.Origin,
    isUnique: Bool, _ columns: [Index.Column], partialWhere: Expression?
  ) -> Index {
    let keys = fileFormat >= 4 ? columns : columns.map(\.ascending)
    var all = keys
    if let primaryKey = table.primaryKeyIndex {
      for column in primaryKey.columns.prefix(primaryKey.keyColumnCount)
      where !keys.contains(where: { $0.isSameKey(as: column) }) {
        all.append(column)
      }
    } else if !table.isWithoutRowid {
      all.append(.rowid)
    }
    let index = Index(
      name: name, text: text, table: table, rootPage: rootPage, origin: origin,
      isUnique: isUnique, columns: all, keyColumnCount: keys.count, partialWhere: partialWhere,
      rowEstimates: [], rowSizeEstimate: SchemaBuilder.rowSize(all, table))
    index.setDefaultEstimates()
    return index
  }

  private static func rowSize(_ columns: [Index.Column], _ table: Table) -> LogEst {
    var size = 0
    for column in columns {
      size += column.tableColumn < 0 ? 1 : Int(table.columns[column.tableColumn].sizeEstimate)
    }
    return LogEst(count: UInt64(size * 4))
  }

  // MARK: WITHOUT ROWID

  /// The primary key's index holds the rows: its own columns once each, then all others with their
  /// own collations, which count for what follows a unique key in ORDER BY. The other indexes end
  /// with the columns of the primary key that they lack.
  private func layOut(_ table: Table) {
    guard let position = table.indexes.firstIndex(where: { $0.origin == .primaryKey }) else {
      return
    }
    let declared = table.indexes[position]
    var keys: [Index.Column] = []
    for column in declared.columns.prefix(declared.keyColumnCount)
    where !keys.contains(where: { $0.isSameKey(as: column) }) {
      keys.append(column)
    }
    var all = keys
    for (index, column) in table.columns.enumerated()
    where !keys.contains(where: { $0.tableColumn == index }) {
      if case .virtual = column.generated { continue }
      all.append(
        Index.Column(
          tableColumn: index, expression: nil, collation: column.collation, isDescending: false))
    }
    let primaryKey = declared.replacing(
      all, keyColumnCount: keys.count, rootPage: table.rootPage,
      rowSize: SchemaBuilder.rowSize(all, table))
    primaryKey.setDefaultEstimates()
    table.primaryKeyIndex = primaryKey
    table.indexes[position] = primaryKey
    for (index, other) in table.indexes.enumerated() where index != position {
      let own = Array(other.columns.prefix(other.keyColumnCount))
      let missing = keys.filter { key in !own.contains { $0.isSameKey(as: key) } }
      // Such indexes have the added columns ascending, whatever the primary key says.
      let columns = own + missing.map(\.ascending)
      table.indexes[index] = other.replacing(
        columns, keyColumnCount: own.count, rootPage: other.rootPage,
        rowSize: SchemaBuilder.rowSize(columns, table))
      table.indexes[index].setDefaultEstimates()
    }
  }
}

extension Index.Column {
  static var rowid: Index.Column {
    Index.Column(tableColumn: -1, expression: nil, collation: nil, isDescending: false)
  }

  var ascending: Index.Column {
    Index.Column(
      tableColumn: tableColumn, expression: expression, collation: collation,
      isDescending: false)
  }

  /// Same column, same collation.
  func isSameKey(as other: Index.Column) -> Bool {
    tableColumn == other.tableColumn && tableColumn != -2 && collation == other.collation
  }
}

extension Index {
  fileprivate func hasKey(_ other: [Column]) -> Bool {
    keyColumnCount == other.count
      && zip(columns, other).allSatisfy { $0.isSameKey(as: $1) }
  }

  fileprivate func replacing(
    _ columns: [Column], keyColumnCount: Int, rootPage: PageNumber, rowSize: LogEst
  ) -> Index {
    let index = Index(
      name: name, text: text, table: table, rootPage: rootPage, origin: origin,
      isUnique: isUnique, columns: columns, keyColumnCount: keyColumnCount,
      partialWhere: partialWhere, rowEstimates: [], rowSizeEstimate: rowSize)
    index.onConflict = onConflict
    return index
  }

  /// How many rows a table has at least when one of its indexes is made.
  static let smallestTable: LogEst = 99

  /// Estimates without statistics: ten rows for a value of the first column, a little fewer for
  /// each further column, one for a whole unique key (SQLite's sqlite3DefaultRowEst).
  func setDefaultEstimates() {
    let half: LogEst = 10, manyColumns: LogEst = 23
    let firstColumns: [LogEst] = [33, 32, 30, 28, 26]
    table.rowEstimate = max(table.rowEstimate, Index.smallestTable)
    var estimates = [table.rowEstimate - (partialWhere == nil ? 0 : half)]
    for position in 0..<keyColumnCount {
      estimates.append(position < firstColumns.count ? firstColumns[position] : manyColumns)
    }
    if isUnique { estimates[keyColumnCount] = 0 }
    rowEstimates = estimates
  }
}
