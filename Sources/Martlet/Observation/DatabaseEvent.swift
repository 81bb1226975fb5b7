import MartletEngine

/// A kind of changes, as statements announce them.
@frozen
public enum DatabaseEventKind: Sendable {
  /// Rows are inserted.
  case insert(tableName: String)
  /// Rows are deleted.
  case delete(tableName: String)
  /// Columns of rows are updated.
  case update(tableName: String, columnNames: Set<String>)

  /// The table that is changed.
  public var tableName: String {
    switch self {
    case .insert(let name), .delete(let name), .update(let name, _): name
    }
  }

  /// What is modified.
  var region: DatabaseRegion {
    switch self {
    case .insert(let name), .delete(let name): DatabaseRegion(table: name)
    case .update(let name, let columns): DatabaseRegion(table: name, columns: columns)
    }
  }

  /// Whether such changes of a table are announced.
  ///
  /// - Parameter kind: The raw value of `DatabaseEvent.Kind`.
  func announces(_ kind: CInt, in table: String) -> Bool {
    let announced: DatabaseEvent.Kind =
      switch self {
      case .insert: .insert
      case .delete: .delete
      case .update: .update
      }
    return announced.rawValue == kind && tableName.hasSameBytes(as: table)
  }
}

/// A change of a row.
public struct DatabaseEvent {
  /// What happens to a row. The raw values are SQLite's.
  public enum Kind: CInt, Sendable {
    /// The row is new.
    case insert = 18
    /// The row goes.
    case delete = 9
    /// The row gets other values.
    case update = 23
  }

  /// What happens.
  public let kind: Kind

  /// The name of the database: `main`, `temp`, or that of an attached one.
  public let databaseName: String

  /// The table.
  public let tableName: String

  /// The rowid of the row; after the change, where it is updated.
  public let rowID: Int64

  /// The event, which may be kept.
  public func copy() -> DatabaseEvent { self }
}

@available(*, unavailable)
extension DatabaseEvent: Sendable {}
