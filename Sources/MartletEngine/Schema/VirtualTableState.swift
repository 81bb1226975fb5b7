/// What makes a `Table` a virtual one.
final class VirtualTableState {
  let moduleName: String
  /// What stands between the commas of CREATE VIRTUAL TABLE.
  let arguments: [String]
  /// The module's name is the table's, and there was no CREATE.
  let isEponymous: Bool
  /// The table belongs to the engine: it runs no statements that change anything.
  let isBuiltIn: Bool
  /// Set when the table is connected, never after.
  @exclusivity(unchecked) private(set) var object: (any VirtualTable)?
  @exclusivity(unchecked) private(set) var abilities: VirtualTableAbilities = []
  @exclusivity(unchecked) private(set) var settings: VirtualTableSettings = []
  /// Savepoints up to this number were open when the table's transaction began: it knows only those
  /// above.
  @exclusivity(unchecked) var knownSavepoint = 0
  /// The constructor runs.
  @exclusivity(unchecked) var isConnecting = false

  init(
    moduleName: String, arguments: [String], isEponymous: Bool = false, isBuiltIn: Bool = false
  ) {
    self.moduleName = moduleName
    self.arguments = arguments
    self.isEponymous = isEponymous
    self.isBuiltIn = isBuiltIn
  }

  func connect(
    _ object: any VirtualTable, _ abilities: VirtualTableAbilities,
    _ settings: VirtualTableSettings
  ) {
    self.object = object
    self.abilities = abilities
    self.settings = settings
  }

  /// The table was dropped: nobody calls it any more.
  func disconnect() { object = nil }
}

/// What compiling statements needs to know of the connection's virtual tables (implemented by
/// `Connection`).
protocol VirtualTableHost: AnyObject {
  /// The table with its columns, of what the schema only knows the name and arguments of.
  func connected(_ table: Table) throws(SQLError) -> Table

  /// The eponymous table of a module.
  func eponymousTable(named name: Name) throws(SQLError) -> Table?

  /// The table keeps content of a virtual table.
  func isShadow(_ table: Table) -> Bool
}

extension Table {
  /// The columns that arguments in parentheses give the values of.
  var hiddenColumns: [Int] { columns.indices.filter { columns[$0].isHidden } }

  /// A table that statements cannot change.
  var isReadOnlyVirtual: Bool { virtual.map { !$0.abilities.contains(.writing) } ?? false }
}

extension SchemaBuilder {
  /// The table that a module declares in place of `stub`, which has its name and state only.
  func makeDeclared(_ declaration: String, for stub: Table) throws(SQLError) -> Table {
    let text = try SQLText.copying(own: declaration)
    guard let parsed = try Parser.parse(text, isLoadingSchema: true),
      case .createTable(let statement) = parsed.statement,
      case .definitions(let definitions, _) = statement.content
    else { throw SQLError(.error, "syntax error") }
    for definition in definitions {
      for constraint in definition.constraints {
        if case .generated = constraint.kind {
          throw .sql("virtual tables cannot use computed columns")
        }
      }
    }
    let declared = try makeTable(statement, text, rootPage: PageNumber(0))
    // Its rowid is what the module says, also where a column is an INTEGER PRIMARY KEY.
    let table = Table(
      name: stub.name, text: stub.text, databaseIndex: stub.databaseIndex,
      rootPage: PageNumber(0), columns: declared.columns.map { $0.hidingIfSaid() },
      rowidColumn: -1, isWithoutRowid: declared.isWithoutRowid, isStrict: false,
      hasAutoincrement: false, view: nil, rowSizeEstimate: declared.rowSizeEstimate, checks: [])
    table.declaration = text
    table.declaredKey = declared.primaryKeyColumns
    table.databaseName = stub.databaseName
    table.virtual = stub.virtual
    if let key = declared.primaryKeyIndex, declared.isWithoutRowid {
      let index = Index(
        name: key.name, text: text, table: table, rootPage: PageNumber(0), origin: .primaryKey,
        isUnique: true, columns: key.columns, keyColumnCount: key.keyColumnCount,
        partialWhere: nil, rowEstimates: key.rowEstimates, rowSizeEstimate: key.rowSizeEstimate)
      table.primaryKeyIndex = index
    }
    return table
  }
}

extension Table.Column {
  /// HIDDEN as a word of the type says that the column is hidden, and is taken out of the type
  /// (vtab §2.1.2). The affinity is that of the type as written.
  fileprivate func hidingIfSaid() -> Table.Column {
    guard let declaredType else { return self }
    let words = declaredType.split(separator: " ", omittingEmptySubsequences: false)
    guard let position = words.firstIndex(where: { $0.lowercased() == "hidden" }) else {
      return self
    }
    var rest = words
    rest.remove(at: position)
    let type = rest.joined(separator: " ")
    return Table.Column(
      name: name, declaredType: type, affinity: affinity, collation: collation,
      isNotNull: isNotNull, notNullConflict: notNullConflict, isPrimaryKey: isPrimaryKey,
      sizeEstimate: sizeEstimate, defaultValue: defaultValue, generated: generated, isHidden: true)
  }
}
