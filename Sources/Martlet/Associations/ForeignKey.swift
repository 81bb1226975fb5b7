import MartletEngine

/// The columns by which an association finds its rows, where the schema does not say it, or says
/// it in more than one way.
///
/// ```swift
/// struct Book: TableRecord {
///   static let author = belongsTo(Person.self, key: "author", using: ForeignKey(["authorId"]))
///   static let translator = belongsTo(
///     Person.self, key: "translator", using: ForeignKey(["translatorId"]))
/// }
/// ```
public struct ForeignKey: Equatable, Sendable {
  let originColumns: [String]
  let destinationColumns: [String]?

  /// Columns, and those that they refer to.
  ///
  /// - Parameters:
  ///   - originColumns: The columns of the table that refers to the other one.
  ///   - destinationColumns: Nil for those of the schema's foreign key with the same columns, or
  ///     of the primary key where there is no such foreign key.
  public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
  }

  /// Columns, and those that they refer to.
  ///
  /// - Parameters:
  ///   - originColumns: The columns of the table that refers to the other one.
  ///   - destinationColumns: Nil for those of the schema's foreign key with the same columns, or
  ///     of the primary key where there is no such foreign key.
  public init(
    _ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil
  ) {
    self.init(originColumns.map { $0.name }, to: destinationColumns?.map { $0.name })
  }

  /// For SQL, names are bytes.
  public static func == (left: ForeignKey, right: ForeignKey) -> Bool {
    left.originColumns.map { ExactText($0) } == right.originColumns.map { ExactText($0) }
      && left.destinationColumns?.map { ExactText($0) }
        == right.destinationColumns?.map { ExactText($0) }
  }
}

/// Rows of two tables belong together as a foreign key says.
struct ForeignKeyCondition: Equatable, Sendable {
  /// The right table.
  var table: String
  var foreignKey: ForeignKey?
  /// The left table has the foreign key.
  var isLeftOrigin: Bool

  static func == (left: Self, right: Self) -> Bool {
    left.table.hasSameBytes(as: right.table) && left.foreignKey == right.foreignKey
      && left.isLeftOrigin == right.isLeftOrigin
  }

  /// Columns that are equal.
  typealias Columns = [(left: String, right: String)]

  func reversed(to table: String) -> ForeignKeyCondition {
    ForeignKeyCondition(table: table, foreignKey: foreignKey, isLeftOrigin: !isLeftOrigin)
  }

  /// The columns that must be equal, by what is given and what the schema says.
  func columns(_ db: Database, from left: String) throws -> Columns {
    isLeftOrigin
      ? try mapping(db, from: left, to: table).map { (left: $0.origin, right: $0.destination) }
      : try mapping(db, from: table, to: left).map { (left: $0.destination, right: $0.origin) }
  }

  private typealias Mapping = [(origin: String, destination: String)]

  private func mapping(
    _ db: Database, from origin: String, to destination: String
  ) throws -> Mapping {
    if let foreignKey, let columns = foreignKey.destinationColumns {
      guard columns.count == foreignKey.originColumns.count else {
        throw mistake("Number of columns don't match")
      }
      return Array(zip(foreignKey.originColumns, columns)).map { (origin: $0, destination: $1) }
    }
    let advice = "To fix this error, provide an explicit `ForeignKey` in the association definition"
    let keys = try self.keys(db, from: origin, to: destination)
    if keys.count > 1 {
      throw mistake("Ambiguous foreign key from '\(origin)' to '\(destination)'. \(advice).")
    }
    if let key = keys.first { return key.mapping }
    let unknown = "Could not infer foreign key from '\(origin)' to '\(destination)'. \(advice)"
    guard let foreignKey else { throw mistake(unknown + ".") }
    guard let key = try db.primaryKeyIfAny(destination) else {
      throw mistake(unknown + ", with both origin and destination columns.")
    }
    guard key.columns.count == foreignKey.originColumns.count else { throw mistake(unknown + ".") }
    return zip(foreignKey.originColumns, key.columns).map { (origin: $0, destination: $1) }
  }

  /// The foreign keys of the schema that fit.
  private func keys(
    _ db: Database, from origin: String, to destination: String
  ) throws -> [ForeignKeyInfo] {
    if try db.viewExists(origin) { return [] }
    let wanted = foreignKey.map { Set($0.originColumns.map { $0.nameKey }) }
    return try db.foreignKeys(on: origin).filter { key in
      key.destinationTable.isSameName(as: destination)
        && wanted.map { $0 == Set(key.originColumns.map { $0.nameKey }) } ?? true
    }
  }

  private func mistake(_ message: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: message)
  }
}

extension SQLExpression {
  /// The columns of the right table have the values of one of the rows of the left. NULL has no
  /// row.
  static func matching(
    _ columns: ForeignKeyCondition.Columns, _ rows: [[DatabaseValue]]
  ) -> SQLExpression {
    if columns.isEmpty { return true.sqlExpression }
    if columns.count == 1 {
      let values = Set(rows.map { $0[0] }).subtracting([.null]).sorted { $0.isBefore($1) }
      return .contained(Column(columns[0].right).sqlExpression, in: values.map { $0.sqlExpression })
    }
    let conditions = rows.compactMap { row -> SQLExpression? in
      if row.contains(.null) { return nil }
      return .joined(
        .and,
        zip(columns, row).map {
          .compare(.equal, Column($0.right).sqlExpression, $1.sqlExpression)
        })
    }
    return .joined(.or, conditions)
  }
}

extension DatabaseValue {
  /// An order for texts of SQL that are the same each time: numbers, texts, blobs.
  fileprivate func isBefore(_ other: DatabaseValue) -> Bool {
    switch (storage, other.storage) {
    case (.int64(let left), .int64(let right)): left < right
    case (.int64(let left), .double(let right)): Double(left) < right
    case (.double(let left), .int64(let right)): left < Double(right)
    case (.double(let left), .double(let right)): left < right
    case (.string(let left), .string(let right)): left < right
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    default: rank < other.rank
    }
  }

  private var rank: Int {
    switch storage {
    case .null: 0
    case .int64, .double: 1
    case .string: 2
    case .blob: 3
    }
  }
}
