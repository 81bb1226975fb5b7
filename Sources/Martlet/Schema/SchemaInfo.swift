import MartletEngine

/// A schema of a connection.
public struct DatabaseSchemaID: Hashable, Sendable {
  /// The name in SQL.
  public let name: String

  /// The main database.
  public static let main = DatabaseSchemaID(name: "main")
  /// The temporary database.
  public static let temp = DatabaseSchemaID(name: "temp")

  /// An attached database.
  public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

  /// For SQL, names are bytes.
  public static func == (left: Self, right: Self) -> Bool { left.name.hasSameBytes(as: right.name) }

  /// Feeds the bytes of the name to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ExactText(name)) }

  /// The table that describes the schema.
  public var schemaTableName: String {
    switch self {
    case .main: "sqlite_master"
    case .temp: "sqlite_temp_master"
    default: "\(name.quotedIdentifier).sqlite_master"
    }
  }
}

/// The name of a table, view, index or trigger, and the schema it is in.
public struct DatabaseObjectID: Hashable, Sendable {
  /// The name of the object.
  public var name: String

  /// The schema.
  public var schemaID: DatabaseSchemaID

  /// Names an object.
  public init(name: String, schemaID: DatabaseSchemaID) {
    self.name = name
    self.schemaID = schemaID
  }

  /// For SQL, names are bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.schemaID == right.schemaID && left.name.hasSameBytes(as: right.name)
  }

  /// Feeds the schema and the bytes of the name to the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(schemaID)
    hasher.combine(ExactText(name))
  }
}

/// A column of a table or view.
public struct ColumnInfo: Sendable {
  /// The name of the column.
  public let name: String

  /// The type that it was declared with; empty if it has none.
  public let type: String

  /// It refuses NULL.
  public let isNotNull: Bool

  /// Its default value as SQL.
  public let defaultValueSQL: String?

  /// Its place in the primary key from 1 on; 0 if it is not part of it.
  public let primaryKeyIndex: Int

  /// Generated columns are computed, and hidden ones belong to virtual tables.
  let isHidden: Bool

  /// Reads a row of `PRAGMA table_xinfo`.
  public init(row: Row) {
    name = row["name"]
    type = row["type"]
    isNotNull = row["notnull"]
    defaultValueSQL = row["dflt_value"]
    primaryKeyIndex = row["pk"]
    isHidden = row["hidden"] as Int? == 1
  }

}

/// An index of a table.
public struct IndexInfo: Sendable {
  /// What has made an index.
  public struct Origin: RawRepresentable, Hashable, DatabaseValueConvertible, Sendable {
    /// SQLite's letter for it.
    public var rawValue: String

    /// Wraps a letter.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// CREATE INDEX.
    public static let createIndex = Origin(rawValue: "c")
    /// A UNIQUE constraint.
    public static let uniqueConstraint = Origin(rawValue: "u")
    /// A PRIMARY KEY constraint.
    public static let primaryKeyConstraint = Origin(rawValue: "pk")
  }

  /// The name of the index.
  public let name: String

  /// The indexed columns.
  public let columns: [String]

  /// It refuses duplicates.
  public let isUnique: Bool

  /// What has made it.
  public let origin: Origin

  /// It has rows for some of the table's rows only.
  let isPartial: Bool
}

/// The primary key of a table: the columns that identify its rows.
public struct PrimaryKeyInfo: Sendable {
  enum Kind: Sendable {
    /// The table has no explicit primary key.
    case hiddenRowID
    /// A column is the rowid: INTEGER PRIMARY KEY.
    case rowID(String)
    case regular([String], hasRowID: Bool)
  }

  let kind: Kind

  /// The columns; `rowid` for a table without explicit primary key.
  public var columns: [String] {
    switch kind {
    case .hiddenRowID: [Column.rowID.name]
    case .rowID(let column): [column]
    case .regular(let columns, _): columns
    }
  }

  /// The column that is the rowid; nil if none is.
  public var rowIDColumn: String? {
    if case .rowID(let column) = kind { return column }
    return nil
  }

  /// The key is the rowid.
  public var isRowID: Bool {
    if case .regular = kind { return false }
    return true
  }

  /// The table has rowids.
  var tableHasRowID: Bool {
    if case .regular(_, let hasRowID) = kind { return hasRowID }
    return true
  }

  /// Columns that expressions of the key name; nil where it is the hidden rowid.
  var explicitColumns: [String]? {
    if case .hiddenRowID = kind { return nil }
    return columns
  }
}

/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
  /// SQLite's number for the key in its table.
  public var id: Int

  /// The table that the key refers to.
  public let destinationTable: String

  /// The columns of the key, and those that they refer to.
  public let mapping: [(origin: String, destination: String)]

  /// The columns of the key.
  public var originColumns: [String] { mapping.map { $0.origin } }

  /// The columns that the key refers to.
  public var destinationColumns: [String] { mapping.map { $0.destination } }
}

/// What a connection has looked up in its schema.
struct SchemaCache {
  var columns: [DatabaseObjectID: [ColumnInfo]] = [:]
  /// Nil for views without key.
  var primaryKeys: [DatabaseObjectID: PrimaryKeyInfo?] = [:]
  var indexes: [DatabaseObjectID: [IndexInfo]] = [:]
  var foreignKeys: [DatabaseObjectID: [ForeignKeyInfo]] = [:]
  /// Of names without schema.
  var tables: [ExactText: DatabaseObjectID] = [:]
  /// By type of record.
  var recordStatements: [ObjectIdentifier: [KeptRecordStatements]] = [:]
  /// The statements that fetch a record by its key, by type of record.
  var keyedStatements: [ObjectIdentifier: KeyedStatement] = [:]

  /// How often the cache was emptied.
  private(set) var generation = 0

  mutating func removeAll() {
    let next = generation &+ 1
    self = SchemaCache()
    generation = next
  }
}
