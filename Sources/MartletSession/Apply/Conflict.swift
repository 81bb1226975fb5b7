import MartletEngine

/// What keeps a change from being applied (session, "Constants Passed To The Conflict Handler").
/// The raw values are SQLite's.
public enum ConflictKind: Int32, Sendable {
  /// DELETE or UPDATE: the row is there, but not as it was.
  case data = 1
  /// DELETE or UPDATE: there is no such row.
  case notFound = 2
  /// INSERT: there is a row with the same primary key.
  case conflict = 3
  /// Another constraint would be violated.
  case constraint = 4
  /// All changes are applied, and foreign keys are violated.
  case foreignKey = 5
}

/// What becomes of a change with a conflict. The raw values are SQLite's.
public enum ConflictResolution: Int32, Sendable {
  /// The change is left out; where foreign keys are violated, they stay so.
  case omit = 0
  /// The change takes the place of what is in the way; for `data` and `conflict` only.
  case replace = 1
  /// Nothing is applied: all is as before.
  case abort = 2
}

/// A change that cannot be applied. It is good for the call of the conflict handler only.
public struct Conflict {
  public let kind: ConflictKind
  /// Where the change is; for `foreignKey` it has none.
  public let reader: ChangesetReader
  /// The row that is in the way, for `data` and `conflict`.
  let row: ResultRow?
  /// Whether foreign keys are violated: more than 0 for `foreignKey`.
  public let violatedForeignKeyCount: Int

  /// The change; nil for `foreignKey`.
  public var change: Change? { reader.hasChange ? reader.change : nil }

  /// A value of the row that is in the way, valid for the call (`sqlite3changeset_conflict`).
  ///
  /// - Throws: `misuse` where there is no such row, `range` for a column that is not there.
  public func currentReference(_ column: Int) throws(SQLError) -> ValueReference {
    guard let row else { throw SQLError(.misuse) }
    guard column >= 0 && column < reader.columnCount, let value = row.value(column) else {
      throw SQLError(.range)
    }
    return value
  }

  /// The row that is in the way; nil where there is none.
  public func currentRow() throws(SQLError) -> [Value]? {
    guard let row else { return nil }
    var values: [Value] = []
    for column in 0..<reader.columnCount {
      values.append(try row.value(column)?.value() ?? .null)
    }
    return values
  }
}

@available(*, unavailable)
extension Conflict: Sendable {}

/// How a changeset is applied (session, "Flags for sqlite3changeset_apply_v2"). The raw values are
/// SQLite's.
public struct ApplyOptions: OptionSet, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// No savepoint is made: what was applied before an error stays.
  public static let noSavepoint = ApplyOptions(rawValue: 0x01)
  /// The changeset is inverted first.
  public static let invert = ApplyOptions(rawValue: 0x02)
  /// Changes that would change nothing are no conflicts.
  public static let ignoreNoop = ApplyOptions(rawValue: 0x04)
  /// All foreign keys are as if declared without actions.
  public static let foreignKeyNoAction = ApplyOptions(rawValue: 0x08)
  /// Updates that are possible only together, such as two that exchange unique values, are
  /// conflicts.
  public static let noUpdateLoop = ApplyOptions(rawValue: 0x10)
}
