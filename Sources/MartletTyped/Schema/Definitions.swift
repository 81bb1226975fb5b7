import MartletEngine

// What a schema consists of, as it is read and changed.

/// A table, an index, a view or a trigger.
public struct ObjectDefinition: Equatable, Sendable {
  /// What it is.
  public enum ObjectType: String, Sendable {
    /// A table.
    case table
    /// An index.
    case index
    /// A view.
    case view
    /// A trigger.
    case trigger
  }

  /// What it is.
  public let type: ObjectType
  /// Its name.
  public let name: String
  /// The table that it belongs to; its own name for tables and views.
  public let tableName: String
  /// The page where its rows begin; 0 where it has none.
  public let rootpage: Int64
  /// The statement that has made it; nil for the indexes of constraints.
  public let sql: String?

  /// SQLite has made it for itself.
  public var isInternal: Bool { name.hasPrefix("sqlite_") || sql == nil }
}

/// A value that stands in SQL.
public enum LiteralValue: Equatable, Sendable, CustomStringConvertible {
  /// A text.
  case stringLiteral(String)
  /// A number, as it is written.
  case numericLiteral(String)
  /// Bytes, as hexadecimal digits.
  case blobLiteral(String)
  /// NULL.
  case NULL
  /// TRUE.
  case TRUE
  /// FALSE.
  case FALSE
  /// The time of the statement.
  case CURRENT_TIME
  /// The date of the statement.
  case CURRENT_DATE
  /// Date and time of the statement.
  case CURRENT_TIMESTAMP

  /// The value as it stands in SQL.
  public var description: String {
    switch self {
    case .stringLiteral(let text): SQLTemplate.literal(text)
    case .numericLiteral(let text): text
    case .blobLiteral(let digits): "X\(digits.quoted(with: "'"))"
    case .NULL: "NULL"
    case .TRUE: "TRUE"
    case .FALSE: "FALSE"
    case .CURRENT_TIME: "CURRENT_TIME"
    case .CURRENT_DATE: "CURRENT_DATE"
    case .CURRENT_TIMESTAMP: "CURRENT_TIMESTAMP"
    }
  }

  /// A value of its SQL. What is none of the others counts as a number: it is written as it is.
  init(sql: String?) {
    guard let sql else {
      self = .NULL
      return
    }
    switch sql.uppercased() {
    case "NULL": self = .NULL
    case "TRUE": self = .TRUE
    case "FALSE": self = .FALSE
    case "CURRENT_TIME": self = .CURRENT_TIME
    case "CURRENT_DATE": self = .CURRENT_DATE
    case "CURRENT_TIMESTAMP": self = .CURRENT_TIMESTAMP
    default:
      if let text = sql.unquoted(by: "'") ?? sql.unquoted(by: "\"") {
        self = .stringLiteral(text)
      } else if let first = sql.first, first == "x" || first == "X",
        let digits = String(sql.dropFirst()).unquoted(by: "'")
      {
        self = .blobLiteral(digits)
      } else {
        self = .numericLiteral(sql)
      }
    }
  }
}

/// A column of a table.
public struct ColumnDefinition: Equatable, Sendable {
  /// What a column makes of values (datatype3 §3).
  public enum Affinity: String, Sendable, CaseIterable {
    /// Integers.
    case INTEGER
    /// Numbers.
    case NUMERIC
    /// Reals.
    case REAL
    /// Texts.
    case TEXT
    /// Nothing.
    case BLOB

    /// That of a declared type (datatype3 §3.1).
    init(declaredType: String) {
      let type = declaredType.uppercased()
      if type.contains("INT") {
        self = .INTEGER
      } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
        self = .TEXT
      } else if type.isEmpty || type.contains("BLOB") {
        self = .BLOB
      } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
        self = .REAL
      } else {
        self = .NUMERIC
      }
    }
  }

  /// What happens to a row that breaks the primary key.
  public enum OnConflict: String, Sendable, CaseIterable {
    /// The transaction is rolled back.
    case ROLLBACK
    /// The statement is taken back.
    case ABORT
    /// The statement ends.
    case FAIL
    /// The row is left out.
    case IGNORE
    /// It takes the place of the one in its way.
    case REPLACE
  }

  /// That a column is the primary key.
  public struct PrimaryKey: Equatable, Sendable {
    /// Numbers are never used twice.
    public let autoIncrement: Bool
    /// What happens to a row that breaks it.
    public let onConflict: OnConflict?

    /// A primary key.
    public init(autoIncrement: Bool = true, onConflict: OnConflict? = nil) {
      self.autoIncrement = autoIncrement
      self.onConflict = onConflict
    }
  }

  /// That a column refers to another table.
  public struct ForeignKey: Equatable, Sendable {
    /// The column.
    public let fromColumn: String
    /// The other table.
    public let toTable: String
    /// Its column; nil for its primary key.
    public let toColumn: String?
    /// What happens when the other row changes.
    public let onUpdate: TableBuilder.Dependency?
    /// What happens when the other row goes.
    public let onDelete: TableBuilder.Dependency?

    /// A foreign key.
    public init(
      fromColumn: String, toTable: String, toColumn: String? = nil,
      onUpdate: TableBuilder.Dependency? = nil, onDelete: TableBuilder.Dependency? = nil
    ) {
      self.fromColumn = fromColumn
      self.toTable = toTable
      self.toColumn = toColumn
      self.onUpdate = onUpdate
      self.onDelete = onDelete
    }
  }

  /// The name.
  public let name: String
  /// That it is the primary key, alone or with others.
  public let primaryKey: PrimaryKey?
  /// What it makes of values.
  public let type: Affinity
  /// It may be NULL.
  public let nullable: Bool
  /// No two rows are equal in it.
  public let unique: Bool
  /// The value of rows that set none.
  public let defaultValue: LiteralValue
  /// The table that it refers to.
  public let references: ForeignKey?

  /// A column.
  public init(
    name: String, primaryKey: PrimaryKey? = nil, type: Affinity, nullable: Bool = true,
    unique: Bool = false, defaultValue: LiteralValue = .NULL, references: ForeignKey? = nil
  ) {
    self.name = name
    self.primaryKey = primaryKey
    self.type = type
    self.nullable = nullable
    self.unique = unique
    self.defaultValue = defaultValue
    self.references = references
  }
}

/// An index of a table.
public struct IndexDefinition: Equatable, Sendable {
  /// How an indexed column is sorted.
  public enum Order: String, Sendable {
    /// The smallest first.
    case ASC
    /// The largest first.
    case DESC
  }

  /// What has made an index.
  public enum Origin: String, Sendable {
    /// UNIQUE.
    case uniqueConstraint = "u"
    /// CREATE INDEX.
    case createIndex = "c"
    /// PRIMARY KEY.
    case primaryKey = "pk"
  }

  /// The table.
  public let table: String
  /// The name.
  public let name: String
  /// No two rows are equal in the columns.
  public let unique: Bool
  /// The columns.
  public let columns: [String]
  /// The condition of rows that are in the index.
  public let `where`: String?
  /// How columns are sorted that are not sorted as others.
  public let orders: [String: Order]?
  /// What has made it.
  public let origin: Origin?

  /// An index.
  public init(
    table: String, name: String, unique: Bool = false, columns: [String], where: String? = nil,
    orders: [String: Order]? = nil, origin: Origin? = nil
  ) {
    self.table = table
    self.name = name
    self.unique = unique
    self.columns = columns
    self.where = `where`
    self.orders = orders
    self.origin = origin
  }
}
