/// How a table is made.
public struct TableOptions: OptionSet, Sendable {
  /// A set of bits.
  public let rawValue: Int

  /// Wraps a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A table that is there already is no error.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// The table goes with the connection.
  public static let temporary = TableOptions(rawValue: 2)
  /// The rows have no rowids.
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Values must be of the declared types.
  public static let strict = TableOptions(rawValue: 8)
}

/// A table that is being made.
///
/// ```swift
/// try db.create(table: "player") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.column("name", .text).notNull()
///   t.belongsTo("team", onDelete: .cascade)
/// }
/// ```
public final class TableDefinition {
  private enum Part {
    case column(ColumnDefinition)
    case literal(SQL)
    case reference(ForeignKeyDefinition)
  }

  private let name: String
  private let options: TableOptions
  private var parts: [Part] = []
  private var constraints: [(SQLWriter) throws -> String] = []
  private var primaryKey: (columns: [String], resolution: Database.ConflictResolution?)?
  /// The columns that are added belong to the primary key.
  private var isInPrimaryKeyBody = false

  init(name: String, options: TableOptions) {
    self.name = name
    self.options = options
  }

  /// An INTEGER PRIMARY KEY whose values are never used again.
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
  }

  /// A primary key of one column. It refuses NULL.
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType,
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: conflictResolution)
    // INTEGER PRIMARY KEY is the rowid: NULL makes a new one.
    if type != .integer { column.notNull() }
    return column
  }

  /// A primary key of the columns that a closure adds. They refuse NULL.
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
  ) rethrows {
    primaryKey = ([], conflictResolution)
    isInPrimaryKeyBody = true
    defer { isInPrimaryKeyBody = false }
    try body()
  }

  /// A column.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    parts.append(.column(column))
    if isInPrimaryKeyBody {
      primaryKey?.columns.append(name)
      column.notNull()
    }
    return column
  }

  /// A column as SQL.
  public func column(sql: String) { parts.append(.literal(SQL(sql: sql))) }

  /// A column as a literal.
  public func column(literal: SQL) { parts.append(.literal(literal)) }

  /// A primary key of several columns.
  public func primaryKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    primaryKey = (columns, conflictResolution)
  }

  /// Refuses duplicates in several columns.
  public func uniqueKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    let list = columns.quotedList
    constraints.append { _ in "UNIQUE (\(list))" + conflictResolution.conflictClause }
  }

  /// A foreign key of several columns.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) {
    let actions = ForeignKeyActions(
      onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred)
    constraints.append { [self] writer in
      let destination =
        try destinationColumns ?? writer.schema().keyColumns(of: table, name, keyColumns)
      return "FOREIGN KEY (\(columns.quotedList)) REFERENCES \(table.quotedIdentifier)"
        + "(\(destination.quotedList))" + actions.sql
    }
  }

  /// Columns that refer to the primary key of another table, with an index.
  ///
  /// `belongsTo("team")` adds the column `teamId`, where `id` is the key of the table `team` or
  /// `teams`.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
    indexed: Bool = true
  ) -> ForeignKeyDefinition {
    let definition = ForeignKeyDefinition(
      name: name, table: table,
      actions: ForeignKeyActions(
        onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred),
      isIndexed: indexed, isInPrimaryKey: isInPrimaryKeyBody)
    parts.append(.reference(definition))
    return definition
  }

  /// Checks rows.
  public func check(_ condition: some SQLExpressible) {
    let condition = condition.sqlExpression
    constraints.append { try "CHECK (\($0.sql(condition)))" }
  }

  /// Checks rows.
  public func check(sql: String) { check(SQL(sql: sql)) }

  /// A constraint as SQL.
  public func constraint(sql: String) { constraint(literal: SQL(sql: sql)) }

  /// A constraint as a literal.
  public func constraint(literal: SQL) { constraints.append { try $0.sql(literal) } }

  // MARK: SQL

  /// The columns of the key that the table is going to have; nil if it is the rowid.
  private var keyColumns: [String]? {
    if let primaryKey { return primaryKey.columns }
    for case .column(let column) in parts where column.primaryKey != nil { return [column.name] }
    return nil
  }

  private var columnTypes: [String: String] {
    var types: [String: String] = [:]
    for case .column(let column) in parts { types[column.name] = column.type?.rawValue ?? "" }
    return types
  }

  /// CREATE TABLE, and CREATE INDEX for indexed columns.
  func statements(_ db: Database) throws -> [String] {
    let writer = SQLWriter(db, inlinesValues: true)
    let key = keyColumns
    var items: [String] = []
    var indexes: [String] = []
    var foreignKeys: [String] = []
    for part in parts {
      switch part {
      case .literal(let literal): items.append(try writer.sql(literal))
      case .column(let column):
        items.append(try column.sql(writer, table: name, primaryKey: key))
        if column.needsIndex { indexes.append(indexStatement([column.name], isUnique: false)) }
      case .reference(let reference):
        let resolved = try reference.resolve(
          db, table: name, primaryKey: key, types: columnTypes)
        if reference.isInPrimaryKey { primaryKey?.columns += resolved.columns.map { $0.name } }
        items += try resolved.columns.map { try $0.sql(writer, table: name, primaryKey: key) }
        if let constraint = resolved.constraint { foreignKeys.append(constraint) }
        if let isUnique = resolved.isIndexUnique {
          indexes.append(indexStatement(resolved.columns.map { $0.name }, isUnique: isUnique))
        }
      }
    }
    if let primaryKey {
      items.append(
        "PRIMARY KEY (\(primaryKey.columns.quotedList))" + primaryKey.resolution.conflictClause)
    }
    items += foreignKeys
    items += try constraints.map { try $0(writer) }
    return [head + " (" + items.joined(separator: ", ") + ")" + tail] + indexes
  }

  private var head: String {
    var text = "CREATE "
    if options.contains(.temporary) { text += "TEMPORARY " }
    text += "TABLE "
    if options.contains(.ifNotExists) { text += "IF NOT EXISTS " }
    return text + name.quotedIdentifier
  }

  private var tail: String {
    var words: [String] = []
    if options.contains(.strict) { words.append("STRICT") }
    if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    return words.isEmpty ? "" : " " + words.joined(separator: ", ")
  }

  private func indexStatement(_ columns: [String], isUnique: Bool) -> String {
    Database.createIndex(
      Database.defaultIndexName(on: name, columns: columns), on: name, columns.quotedList,
      (isUnique ? [.unique] : IndexOptions())
        .union(options.contains(.ifNotExists) ? .ifNotExists : []))
  }
}

@available(*, unavailable)
extension TableDefinition: Sendable {}

extension [String] {
  /// Names in quotes.
  var quotedList: String { map { $0.quotedIdentifier }.joined(separator: ", ") }
}
