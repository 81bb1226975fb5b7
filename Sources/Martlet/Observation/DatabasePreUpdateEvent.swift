import MartletEngine
import Synchronization

/// A change of a row that is about to happen, with the values of the row.
///
/// See `TransactionObserver.databaseWillChange(with:)`.
public struct DatabasePreUpdateEvent {
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

  /// How many columns the table has.
  public let count: Int

  /// 0 for what a statement changes itself, 1 for what its triggers change, 2 for what triggers of
  /// these change, and so on.
  public let depth: CInt

  /// The rowid before the change; nil for a new row.
  public let initialRowID: Int64?

  /// The rowid after the change; nil for a row that goes.
  public let finalRowID: Int64?

  /// The values before the change, in the order of the table's columns; nil for a new row.
  public let initialDatabaseValues: [DatabaseValue]?

  /// The values after the change, in the order of the table's columns; nil for a row that goes.
  public let finalDatabaseValues: [DatabaseValue]?

  init(_ kind: Kind, _ change: borrowing PreupdateChange) {
    self.kind = kind
    databaseName = change.database
    tableName = change.table
    count = change.columnCount
    depth = CInt(truncatingIfNeeded: change.depth)
    let isInsert = kind == .insert
    let isDelete = kind == .delete
    initialRowID = isInsert ? nil : change.oldRowID
    finalRowID = isDelete ? nil : change.newRowID
    initialDatabaseValues = isInsert ? nil : DatabasePreUpdateEvent.values(change, areNew: false)
    finalDatabaseValues = isDelete ? nil : DatabasePreUpdateEvent.values(change, areNew: true)
  }

  private static func values(
    _ change: borrowing PreupdateChange, areNew: Bool
  ) -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    values.reserveCapacity(change.columnCount)
    for column in 0..<change.columnCount {
      do {
        let value = areNew ? try change.newValue(column) : try change.oldValue(column)
        values.append(DatabaseValue(value))
      } catch {
        // There is no memory for the value. The event cannot fail.
        values.append(.null)
      }
    }
    return values
  }

  /// The value of a column before the change; nil for a new row.
  ///
  /// - Parameter index: The number of the column, which the table must have.
  public func initialDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "row index out of range")
    return initialDatabaseValues?[index]
  }

  /// The value of a column after the change; nil for a row that goes.
  ///
  /// - Parameter index: The number of the column, which the table must have.
  public func finalDatabaseValue(atIndex index: Int) -> DatabaseValue? {
    precondition(index >= 0 && index < count, "row index out of range")
    return finalDatabaseValues?[index]
  }

  /// The event, which may be kept.
  public func copy() -> DatabasePreUpdateEvent { self }
}

@available(*, unavailable)
extension DatabasePreUpdateEvent: Sendable {}

/// Which types of observers have no use for the values of rows.
///
/// A requirement with a default implementation does not say whether a type has its own. So the
/// default one notes who gets there: rows are announced to a type until then, and never again.
enum PreUpdateInterest {
  private static let indifferent = Mutex<Set<ObjectIdentifier>>([])

  static func note(indifferent type: any TransactionObserver.Type) {
    indifferent.withLock { _ = $0.insert(ObjectIdentifier(type)) }
  }

  /// Rows have to be announced to an observer.
  static func exists(in observer: any TransactionObserver) -> Bool {
    if observer is any ValueBlindObserver { return false }
    let id = ObjectIdentifier(type(of: observer))
    return indifferent.withLock { !$0.contains(id) }
  }
}

/// An observer of the layer's own that needs no values.
protocol ValueBlindObserver: TransactionObserver {}
