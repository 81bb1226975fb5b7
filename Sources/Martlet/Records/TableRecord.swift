import Synchronization

/// A type that is tied to a table or view.
///
/// ```swift
/// struct Player: TableRecord {
///   enum Columns {
///     static let id = Column("id")
///     static let name = Column("name")
///   }
/// }
/// let request = Player.filter { $0.name == "Arthur" }
/// ```
public protocol TableRecord: SendableMetatype {
  /// The type that has the columns as static members.
  associatedtype Columns = Never

  /// What closures of requests get: by default the type `Columns`.
  associatedtype DatabaseComponents = Columns.Type

  /// The name of the table. By default it is the name of the type with a small first letter:
  /// `PostalAddress` is in `postalAddress`, `HTTPRequest` in `httpRequest`.
  static var databaseTableName: String { get }

  /// What requests select: by default all columns. Make it a computed property.
  static var databaseSelection: [any SQLSelectable] { get }

  /// What closures of requests get.
  static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord {
  /// The name of the type with a small first letter.
  public static var databaseTableName: String { TableNames.name(of: Self.self) }

  /// All columns.
  public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }
}

extension TableRecord where DatabaseComponents == Columns.Type {
  /// The type `Columns`.
  public static var databaseComponents: DatabaseComponents { Columns.self }
}

/// Names of tables by type, made once.
enum TableNames {
  private static let names = Mutex<[ObjectIdentifier: String]>([:])

  static func name(of type: Any.Type) -> String {
    names.withLock { names in
      if let name = names[ObjectIdentifier(type)] { return name }
      let name = tableName(ofType: "\(type)")
      names[ObjectIdentifier(type)] = name
      return name
    }
  }

  /// The capital letters at the start are made small, but for the last of several, which begins the
  /// next word.
  private static func tableName(ofType typeName: String) -> String {
    let name = typeName.prefix { $0 != "<" }
    let capitals = name.prefix { $0.isUppercase }.count
    if capitals == name.count { return name.lowercased() }
    let count = capitals > 1 ? capitals - 1 : capitals
    return name.prefix(count).lowercased() + name.dropFirst(count)
  }
}

extension TableRecord {
  /// The selection of the type.
  static var selection: [SQLSelection] { databaseSelection.map { $0.sqlSelection } }

  /// How many columns requests select.
  public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
    try db.makeStatement(literal: SQL(elements: [.subquery(all().sqlSubquery)])).columnCount
  }

  /// The error of a record that is not there.
  public static func recordNotFound(
    _ db: Database, key: some DatabaseValueConvertible
  ) -> any Error {
    do {
      let columns = try db.primaryKey(databaseTableName).columns
      guard columns.count == 1 else {
        return DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "the primary key of \(databaseTableName) has \(columns.count) columns")
      }
      return recordNotFound(key: [columns[0]: key])
    } catch {
      return error
    }
  }

  /// The error of a record that is not there.
  public static func recordNotFound(
    key: [String: (any DatabaseValueConvertible)?]
  ) -> RecordError {
    .recordNotFound(
      databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// The error of a record that is not there.
  public static func recordNotFound(_ db: Database, id: Self.ID) -> any Error {
    recordNotFound(db, key: id)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// The error of this record not being there.
  public func recordNotFound(_ db: Database) -> any Error {
    do {
      let container = try PersistenceContainer(self)
      let columns = try db.primaryKey(type(of: self).databaseTableName).columns
      let key = columns.map { ($0, container[$0]?.databaseValue ?? .null) }
      return RecordError.recordNotFound(
        databaseTableName: type(of: self).databaseTableName,
        key: Dictionary(key) { left, _ in left })
    } catch {
      return error
    }
  }
}
