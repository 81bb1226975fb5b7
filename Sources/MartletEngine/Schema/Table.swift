/// A table or view of a schema. Immutable once its schema snapshot is published.
final class Table: @unchecked Sendable {
  let name: Name
  /// Keeps the definition's text alive: names and expressions point into it.
  let text: SQLText
  /// Index of the database in the catalog: 0 main, 1 temp, then the attached ones.
  let databaseIndex: Int
  let rootPage: PageNumber
  let columns: [Column]
  /// Column that is the rowid (INTEGER PRIMARY KEY), or -1.
  let rowidColumn: Int
  let isWithoutRowid: Bool
  let isStrict: Bool
  let hasAutoincrement: Bool
  /// For a view, its query; nil for a table.
  let view: ViewDefinition?
  /// In the order in which SQLite considers them: newest first, automatic ones included. Set while
  /// the schema is loaded, never after.
  @exclusivity(unchecked) var indexes: [Index] = []
  /// The index that holds the rows of a WITHOUT ROWID table; its root is `rootPage`.
  @exclusivity(unchecked) var primaryKeyIndex: Index?
  /// Its place among the rows of the schema table. Set while the schema is loaded.
  @exclusivity(unchecked) var schemaRow: Int32 = 0
  /// Estimate of the number of rows (LogEst); 200 where there are no statistics.
  var rowEstimate: LogEst = 200
  var hasStatistics = false
  /// sqlite_stat4 has samples of one of its indexes.
  @exclusivity(unchecked) var hasSamples = false
  /// A statement was planned for which statistics mattered (SQLite's TF_MaybeReanalyze): PRAGMA
  /// optimize looks whether those that there are still fit.
  @exclusivity(unchecked) var needsStatistics = false
  /// Estimated bytes of a row (LogEst), from the declared types or `sz=` of sqlite_stat1.
  var rowSizeEstimate: LogEst
  let checks: [Check]
  /// Name of the database: main, temp, or as attached.
  var databaseName = Name("main")
  /// For a virtual table, what it is besides its columns. The table in the schema has no columns;
  /// `VirtualTableHost.connected` gives the one that statements use.
  var virtual: VirtualTableState?
  /// The table with its columns, once a statement has asked for it.
  @exclusivity(unchecked) var connectedTable: Table?
  /// Keeps the text alive in which a virtual table's module names its columns.
  var declaration: SQLText?
  var isVirtual: Bool { virtual != nil }
  /// The columns of the primary key that a virtual table's module declares.
  @exclusivity(unchecked) var declaredKey: [Int] = []
  /// What else of the definition is needed to change the table.
  var foreignKeys: [ForeignKey] = []
  @exclusivity(unchecked) var primaryKeyConflict: ConflictPolicy?
  /// Folded hashes of the columns' names: looking a column up touches little memory.
  let columnHashes: [UInt32]
  @exclusivity(unchecked) private var knownCNames: CNames?

  /// Names with zero bytes behind them.
  struct CNames {
    let database: UnsafePointer<CChar>
    let table: UnsafePointer<CChar>
  }

  init(
    name: Name, text: SQLText, databaseIndex: Int, rootPage: PageNumber, columns: [Column],
    rowidColumn: Int, isWithoutRowid: Bool, isStrict: Bool, hasAutoincrement: Bool,
    view: ViewDefinition?, rowSizeEstimate: LogEst, checks: [Check]
  ) {
    self.name = name
    self.text = text
    self.databaseIndex = databaseIndex
    self.rootPage = rootPage
    self.columns = columns
    self.rowidColumn = rowidColumn
    self.isWithoutRowid = isWithoutRowid
    self.isStrict = isStrict
    self.hasAutoincrement = hasAutoincrement
    self.view = view
    self.rowSizeEstimate = rowSizeEstimate
    self.checks = checks
    columnHashes = columns.map { $0.name.foldedHash }
  }

  deinit {
    knownCNames?.database.deallocate()
    knownCNames?.table.deallocate()
  }

  /// The table's names for C's programs, made when they are first asked for.
  var cNames: CNames {
    if let knownCNames { return knownCNames }
    let names = CNames(database: databaseName.makeCString(), table: name.makeCString())
    knownCNames = names
    return names
  }

  /// CHECK, of a column or of the table.
  struct Check {
    let expression: Expression
    /// Its name, or where it has none, what stands between its parentheses.
    let name: String
  }

  struct ForeignKey {
    let columns: [Name]
    let clause: ForeignKeyClause
  }

  /// A class, because a struct of so many parts costs a reference count for each of them wherever a
  /// column is looked at.
  final class Column: @unchecked Sendable {
    let name: Name
    /// As written, nil where there is none.
    let declaredType: String?
    let affinity: Affinity
    /// The collation's name; nil for BINARY. Looked up when it is used: it may be custom.
    let collation: Name?
    let isNotNull: Bool
    /// What NOT NULL does when it is violated, where it says so.
    let notNullConflict: ConflictPolicy?
    let isPrimaryKey: Bool
    /// Estimated size (SQLite's szEst): a quarter of the bytes, 1 for numbers.
    let sizeEstimate: UInt8
    /// The value that a record too short for the column stands for; nil for NULL.
    let defaultValue: Expression?
    let generated: Generated?
    let isHidden: Bool

    init(
      name: Name, declaredType: String?, affinity: Affinity, collation: Name?, isNotNull: Bool,
      notNullConflict: ConflictPolicy?, isPrimaryKey: Bool, sizeEstimate: UInt8,
      defaultValue: Expression?, generated: Generated?,
      isHidden: Bool
    ) {
      self.name = name
      self.declaredType = declaredType
      self.affinity = affinity
      self.collation = collation
      self.isNotNull = isNotNull
      self.notNullConflict = notNullConflict
      self.isPrimaryKey = isPrimaryKey
      self.sizeEstimate = sizeEstimate
      self.defaultValue = defaultValue
      self.generated = generated
      self.isHidden = isHidden
    }

    var isVirtual: Bool {
      if case .virtual = generated { return true }
      return false
    }

    enum Generated {
      case virtual(Expression)
      case stored(Expression)
    }
  }

  /// Position in the stored record of each column: for WITHOUT ROWID tables the primary key comes
  /// first (withoutrowid, fileformat2 §2.4); virtual generated columns have none (-1).
  lazy var storagePositions: [Int32] = Table.storagePositions(of: self)
  /// Where the registers of a row that is being made have each column.
  lazy var rowOffsets: [Int32] = Table.rowOffsets(of: self)

  /// The column of that name, or -1.
  @inline(__always)
  func columnIndex(of name: Name) -> Int {
    for index in 0..<columnHashes.count where columnHashes[index] == name.foldedHash {
      if columns[index].name == name { return index }
    }
    return -1
  }
}

final class ViewDefinition: @unchecked Sendable {
  let columns: [Name]
  let select: SelectStatement

  init(columns: [Name], select: SelectStatement) {
    self.columns = columns
    self.select = select
  }
}

/// An index, automatic or made by CREATE INDEX.
final class Index: @unchecked Sendable {
  enum Origin: UInt8 { case createIndex, uniqueConstraint, primaryKey }

  struct Column {
    /// Column of the table; -1 for the rowid, -2 for an expression.
    let tableColumn: Int
    let expression: Expression?
    let collation: Name?
    let isDescending: Bool
  }

  let name: Name
  let text: SQLText
  unowned(unsafe) let table: Table
  /// Known only after the constraint that made an automatic index. Set while the schema is loaded.
  var rootPage: PageNumber
  var origin: Origin
  let isUnique: Bool
  /// All columns of the index's records: the key, then what makes it unique (rowid or primary key).
  let columns: [Column]
  /// How many of `columns` were written (or belong to the constraint).
  let keyColumnCount: Int
  /// WHERE of a partial index.
  let partialWhere: Expression?
  /// For CREATE INDEX, its place among the rows of the schema table. Set while that is loaded.
  @exclusivity(unchecked) var schemaRow: Int32 = 0
  /// LogEst of rows, then of rows for one value of the first 1, 2, … key columns.
  @exclusivity(unchecked) var rowEstimates: [LogEst]
  var rowSizeEstimate: LogEst
  var hasStatistics = false
  /// The numbers of sqlite_stat1 that `rowEstimates` come from; empty where it has none.
  @exclusivity(unchecked) var rowCounts: [UInt64] = []
  /// What sqlite_stat4 has of the index.
  @exclusivity(unchecked) var samples: IndexSamples?
  /// Has expressions among its columns, or a condition.
  let hasExpressions: Bool
  /// What a violated UNIQUE does, where the constraint says it.
  var onConflict: ConflictPolicy?
  /// So many rows are equal in all key columns that a scan may well be faster (SQLite's bLowQual).
  var isOfLowQuality = false
  /// How the tree's keys compare; made when it is first asked for.
  @exclusivity(unchecked) var keyInfo: KeyInfo?
  /// `coveredColumns`, when it has been asked for.
  @exclusivity(unchecked) var knownCoveredColumns: UInt64?
  /// `unordered` and `noskipscan` of sqlite_stat1.
  var isUnordered = false
  var allowsSkipScan = true

  /// It compares with a collation of the application.
  var needsCollation: Bool {
    columns.contains { $0.collation.map { Collation.builtIn(named: $0) == nil } ?? false }
  }

  /// One bit for each of the first 31 columns that is computed when the entry is made, an expression
  /// or a virtual generated column.
  var computedColumns: Int32 {
    var mask: Int32 = 0
    for (place, column) in columns.prefix(31).enumerated() {
      let isComputed =
        column.tableColumn >= 0
        ? table.columns[column.tableColumn].isVirtual : column.expression != nil
      if isComputed { mask |= 1 << Int32(place) }
    }
    return mask
  }

  init(
    name: Name, text: SQLText, table: Table, rootPage: PageNumber, origin: Origin,
    isUnique: Bool, columns: [Column], keyColumnCount: Int, partialWhere: Expression?,
    rowEstimates: [LogEst], rowSizeEstimate: LogEst
  ) {
    self.name = name
    self.text = text
    self.table = table
    self.rootPage = rootPage
    self.origin = origin
    self.isUnique = isUnique
    self.columns = columns
    self.keyColumnCount = keyColumnCount
    self.partialWhere = partialWhere
    self.rowEstimates = rowEstimates
    self.rowSizeEstimate = rowSizeEstimate
    hasExpressions = partialWhere != nil || columns.contains { $0.tableColumn == -2 }
  }
}

extension Table {
  /// The columns of the primary key, in its order.
  var primaryKeyColumns: [Int] {
    if rowidColumn >= 0 { return [rowidColumn] }
    if isVirtual { return declaredKey }
    let index = primaryKeyIndex ?? indexes.first { $0.origin == .primaryKey }
    guard let index else { return [] }
    return index.columns.prefix(index.keyColumnCount).map(\.tableColumn)
  }
}
