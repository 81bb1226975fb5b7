import MartletEngine

/// Parts of a database: tables, some of their columns, some of their rows.
///
/// A request has a region, what it reads; a change modifies one. Observations compare both.
public struct DatabaseRegion: Sendable {
  /// Nil for the full database.
  private var tables: [TableName: Part]?

  /// The name of a table.
  private struct TableName: Hashable {
    let name: String
    private let key: ExactText

    init(_ name: String) {
      self.name = name
      key = name.nameKey
    }

    static func == (left: Self, right: Self) -> Bool { left.key == right.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// The name of a column, of which others that Unicode takes as equal are not told apart: events
  /// give sets of names, where one of them stands for all.
  private struct ColumnName: Hashable {
    let name: String
    private let folded: String

    init(_ name: String) {
      self.name = name
      folded = name.lowercased()
    }

    static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }
    func hash(into hasher: inout Hasher) { hasher.combine(folded) }
  }

  /// Parts of a table. Nil stands for all columns, or all rows.
  private struct Part: Equatable {
    var columns: Set<ColumnName>?
    var rowIDs: Set<Int64>?

    var isEmpty: Bool { columns?.isEmpty ?? false || rowIDs?.isEmpty ?? false }

    func intersection(_ other: Part) -> Part {
      Part(
        columns: common(columns, other.columns) { $0.intersection($1) },
        rowIDs: common(rowIDs, other.rowIDs) { $0.intersection($1) })
    }

    private func common<T>(_ left: T?, _ right: T?, _ both: (T, T) -> T) -> T? {
      guard let left, let right else { return left ?? right }
      return both(left, right)
    }

    func union(_ other: Part) -> Part {
      Part(
        columns: columns.flatMap { columns in other.columns.map { columns.union($0) } },
        rowIDs: rowIDs.flatMap { rowIDs in other.rowIDs.map { rowIDs.union($0) } })
    }
  }

  private init(tables: [TableName: Part]?) { self.tables = tables }

  /// Nothing.
  public init() { tables = [:] }

  /// A table.
  init(table: String, columns: Set<String>? = nil, rowIDs: Set<Int64>? = nil) {
    let part = Part(columns: columns.map { Set($0.map { ColumnName($0) }) }, rowIDs: rowIDs)
    tables = [TableName(table): part]
  }

  /// All tables, also those that will be made.
  public static let fullDatabase = DatabaseRegion(tables: nil)

  /// There is nothing in the region.
  public var isEmpty: Bool { tables?.isEmpty ?? false }

  /// The region is all of the database.
  public var isFullDatabase: Bool { tables == nil }

  // MARK: Sets

  /// What is in one of two regions.
  public func union(_ other: DatabaseRegion) -> DatabaseRegion {
    guard let tables, let others = other.tables else { return .fullDatabase }
    return DatabaseRegion(tables: tables.merging(others) { $0.union($1) })
  }

  /// Adds a region.
  public mutating func formUnion(_ other: DatabaseRegion) { self = union(other) }

  /// What is in both regions.
  func intersection(_ other: DatabaseRegion) -> DatabaseRegion {
    guard let tables else { return other }
    guard let others = other.tables else { return self }
    var common: [TableName: Part] = [:]
    for (name, part) in tables {
      guard let both = others[name].map({ part.intersection($0) }), !both.isEmpty else { continue }
      common[name] = both
    }
    return DatabaseRegion(tables: common)
  }

  /// The region with certain rows of a table only.
  func limited(toRows rowIDs: Set<Int64>, of table: String) -> DatabaseRegion {
    guard var tables else { return DatabaseRegion(table: table, rowIDs: rowIDs) }
    let name = TableName(table)
    guard let part = tables[name]?.intersection(Part(rowIDs: rowIDs)) else { return self }
    tables[name] = part.isEmpty ? nil : part
    return DatabaseRegion(tables: tables)
  }
}

// MARK: - Changes

extension DatabaseRegion {
  /// Whether changes of a kind can modify the region.
  public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
    !intersection(eventKind.region).isEmpty
  }

  /// Whether a change modifies the region. The event must be of a kind that can.
  public func isModified(by event: DatabaseEvent) -> Bool {
    // Virtual tables change tables that no statement has announced.
    guard let tables, let part = tables[TableName(event.tableName)] else { return true }
    return part.rowIDs?.contains(event.rowID) ?? true
  }

  /// The region as changes speak of it: without SQLite's own tables and without views, with the
  /// names of tables as they were defined.
  ///
  /// - Parameter includesSchemas: The tables that describe the schema count, as far as there are
  ///   some: changes of them are told by the application alone.
  func observable(_ db: Database, includesSchemas: Bool = false) throws -> DatabaseRegion {
    guard let tables else { return self }
    let schemaTables = includesSchemas ? try db.schemas().map { $0.schemaTableName } : []
    var region: [TableName: Part] = [:]
    for (name, part) in tables {
      if schemaTables.contains(name.name.lowercased()) { region[name] = part }
      if Database.isSQLiteInternalTable(name.name) { continue }
      guard let table = try db.definedTable(name.name) else { continue }
      region[TableName(table)] = part
    }
    return DatabaseRegion(tables: region)
  }

  /// All kinds of changes that can modify the region.
  func eventKinds(_ db: Database) throws -> [DatabaseEventKind] {
    let parts =
      try tables?.map { ($0.key.name, $0.value.columns) }
      ?? db.definedTables().map { ($0, nil) }
    return try parts.flatMap { table, columns -> [DatabaseEventKind] in
      let names = try columns.map { $0.map { $0.name } } ?? db.columns(in: table).map { $0.name }
      return [
        .delete(tableName: table), .insert(tableName: table),
        .update(tableName: table, columnNames: Set(names)),
      ]
    }
  }
}

extension DatabaseRegion: Equatable, CustomStringConvertible {
  /// The region for people who debug: `player(id,name)[1,2]`.
  public var description: String {
    guard let tables else { return "full database" }
    if tables.isEmpty { return "empty" }
    return tables.sorted { $0.key.name < $1.key.name }.map { name, part in
      var text = name.name
      text += "(" + (part.columns?.map { $0.name }.sorted().joined(separator: ",") ?? "*") + ")"
      if let rowIDs = part.rowIDs {
        text += "[" + rowIDs.sorted().map { "\($0)" }.joined(separator: ",") + "]"
      }
      return text
    }.joined(separator: ",")
  }
}

// MARK: - Things that have a region

/// Something that has a region: requests, tables, and regions themselves.
public protocol DatabaseRegionConvertible: Sendable {
  /// The region.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// All tables, also those that will be made.
  public static var fullDatabase: Self { DatabaseRegion.fullDatabase }
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// Itself.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension Table: DatabaseRegionConvertible {
  /// The whole table.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    DatabaseRegion(table: tableName)
  }
}

/// A region of any kind.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// A region that a function knows.
  public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// Hides the kind of something that has a region.
  public init(_ region: some DatabaseRegionConvertible) {
    self.region = { try region.databaseRegion($0) }
  }

  /// The region.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension Sequence where Element == any DatabaseRegionConvertible {
  /// What is in one of the regions.
  func union(_ db: Database) throws -> DatabaseRegion {
    try reduce(into: DatabaseRegion()) { try $0.formUnion($1.databaseRegion(db)) }
  }
}
